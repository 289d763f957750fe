/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The folder for the little that must outlive a process: labs that were pinned
 * and the journal of settings to restore. /run/satprof for root (where it may
 * write to /run), else $XDG_RUNTIME_DIR/satprof, else /tmp/satprof-UID. Only its
 * owner may enter it.
 */
#ifndef SATPROF_OS_STATEDIR_H
#define SATPROF_OS_STATEDIR_H

#include <stdbool.h>

#include "base/err.h"

/*
 * Open it, making it where create is true. Ask before
 * netns_become_userns_root(), which changes who is asking. SP_EENV when it is not
 * there and create is false.
 */
int statedir_open(bool create, int *ret_fd, struct sp_err *err);

#endif
