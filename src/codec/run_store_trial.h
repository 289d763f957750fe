/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Trials of a run file, with all that hangs on one. Private to run_store*.c.
 */
#ifndef SATPROF_CODEC_RUN_STORE_TRIAL_H
#define SATPROF_CODEC_RUN_STORE_TRIAL_H

#include <stdint.h>

#include "base/err.h"
#include "model/run.h"

struct sqlite3;

/* Inside the caller's transaction. */
int run_store_trial_write(
	struct sqlite3 *db, const struct trial *t, struct sp_err *err);

/* All of them, by id, into a run whose arms and events are there. n_segments:
 * what a trial may name. */
int run_store_trials_read(
	struct sqlite3 *db, struct run *run, uint32_t n_segments, struct sp_err *err);

#endif
