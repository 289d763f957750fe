/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose the files of a run are: run by sudo, those of the one who called it. */
#ifndef SATPROF_BASE_OWNER_H
#define SATPROF_BASE_OWNER_H

#include <stdbool.h>
#include <sys/types.h>

/* The one who called sudo; false: files stay this process's, as they are made. */
bool owner_of_files(uid_t *ret_uid, gid_t *ret_gid);

#endif
