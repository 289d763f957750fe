/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The profile of a run file. It only grows: each write adds what came since the
 * last one. Private to run_store*.c.
 */
#ifndef SATPROF_CODEC_RUN_STORE_PROFILE_H
#define SATPROF_CODEC_RUN_STORE_PROFILE_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/run.h"

struct sqlite3;

/* How much of the profile the file has. */
struct run_store_profile_mark {
	size_t n_modules, n_symbols, n_frames, n_nodes, n_threads;
	/* Symbol of each frame as it is in the file: names may be resolved later. */
	uint32_t *frame_symbols;
};

/*
 * Inside the caller's transaction: rows past the mark, and all cells of the trial,
 * which is new. The mark stays; move it when the transaction was committed.
 */
int run_store_profile_write(struct sqlite3 *db, const struct profile *p,
	const struct run_store_profile_mark *mark, uint32_t trial, struct sp_err *err);
void run_store_profile_mark_move(
	struct run_store_profile_mark *mark, const struct profile *p);
void run_store_profile_mark_done(struct run_store_profile_mark *mark);

/* Into a run whose trials are there; run->profile stays NULL when there is none. */
int run_store_profile_read(struct sqlite3 *db, struct run *run, struct sp_err *err);

#endif
