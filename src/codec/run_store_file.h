/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run file as a file: make it whole or not at all, keep it to one writer,
 * open it with care. Private to run_store*.c. Errors do not name the path.
 */
#ifndef SATPROF_CODEC_RUN_STORE_FILE_H
#define SATPROF_CODEC_RUN_STORE_FILE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;

/*
 * A new file with these bytes, on the disk when this returns. It appears under
 * its name complete, or not at all. Under sudo it belongs to the calling user
 * (SUDO_UID, SUDO_GID). SP_EUSAGE when the name is taken.
 */
int run_store_file_create(
	const char *path, const void *bytes, size_t n_bytes, struct sp_err *err);

/*
 * The writer's lock: a descriptor that holds it until closed. It is ours, beside
 * SQLite's locks, so that readers may look between two trials. To be closed after
 * the database: closing any descriptor of the file drops SQLite's locks.
 */
int run_store_file_lock(const char *path, int *ret_fd, struct sp_err *err);

/*
 * Checks the header (SP_EFORMAT: not a run file, from a future schema), then
 * opens. A writer that was killed in a commit leaves a journal, which must be
 * played back before the file can be read; a reader does that too, and so needs
 * the right to write in that one case. What was committed is never changed.
 * Closed by sqlite3_close().
 */
int run_store_file_open(const char *path, bool for_writing, struct sqlite3 **ret_db,
	struct sp_err *err);

#endif
