/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run file's head: everything but trials and profile. Private to run_store*.c.
 * Writers run inside the caller's transaction.
 */
#ifndef SATPROF_CODEC_RUN_STORE_HEAD_H
#define SATPROF_CODEC_RUN_STORE_HEAD_H

#include <stdint.h>

#include "base/err.h"
#include "model/run.h"

struct sqlite3;

/* What never changes later: arms; one is added for each confirmation. */
int run_store_arms_write(struct sqlite3 *db, const struct run *run, struct sp_err *err);
int run_store_arm_write(
	struct sqlite3 *db, const struct run *run, size_t arm, struct sp_err *err);
int run_store_segment_write(
	struct sqlite3 *db, uint32_t segment, const char *version, struct sp_err *err);
/* The rest, replaced as a whole: run, config, traffic, fingerprint, notes. */
int run_store_head_write(struct sqlite3 *db, const struct run *run, struct sp_err *err);
int run_store_events_write(
	struct sqlite3 *db, const struct run *run, struct sp_err *err);

/* Fills a new run. *ret_segment: the newest one. */
int run_store_head_read(
	struct sqlite3 *db, struct run *run, uint32_t *ret_segment, struct sp_err *err);

#endif
