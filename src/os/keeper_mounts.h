/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the keeper mounts, in its own mount namespace only. */
#ifndef SATPROF_OS_KEEPER_MOUNTS_H
#define SATPROF_OS_KEEPER_MOUNTS_H

/* A mount namespace from which nothing leaks out. 0 or -errno. */
int keeper_mounts_unshare(void);
/* A /proc of the caller's PID namespace. 0 or -errno. */
int keeper_mounts_proc(void);
/*
 * A /sys of the caller's network namespace, as `ip netns exec` gives; what is
 * mounted below /sys (cgroups, tracing) stays reachable. 0 or -errno.
 */
int keeper_mounts_sys(void);

#endif
