/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Network namespaces held by descriptors: nothing is pinned in a file system, so
 * a kill leaves nothing. Entering is per thread; sockets stay where they were
 * opened, so code enters, opens, and leaves.
 */
#ifndef SATPROF_OS_NETNS_H
#define SATPROF_OS_NETNS_H

#include <stdbool.h>

#include "base/err.h"

/* A new namespace with lo up, IPv6 off; the caller's thread stays where it is.
 * SP_EPERM: no right to make one, or to come back from it (netns_may_create). */
int netns_new(int *ret_fd, struct sp_err *err);
/* Enter fd (-1: stay), keeping the way back in *ret_back (close by netns_leave). */
int netns_enter(int fd, int *ret_back, struct sp_err *err);
/* Go back and close; -1 is a no-op. Aborts if the way back is gone: a thread in
 * the wrong namespace must not go on. */
void netns_leave(int back);
/* True when this process may make network namespaces and come back from them:
 * CAP_SYS_ADMIN, CAP_NET_ADMIN, in the user namespace that owns its own one. */
bool netns_may_create(void);
/*
 * Without these: unshare a user namespace with this user mapped to root, and move
 * to an empty network namespace of its own, because the way back into one that
 * the user namespace does not own would be barred. Needs a single thread.
 * SP_EPERM names the sysctl when it is refused.
 */
int netns_become_userns_root(struct sp_err *err);
/*
 * Write /proc/sys/net/NAME of the calling thread's namespace. SP_EENV when this
 * kernel has no such setting.
 */
int netns_sysctl_set(const char *name, const char *value, struct sp_err *err);

#endif
