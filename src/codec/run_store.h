/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The run file: one SQLite database, documented in satprof-run(5). A trial is
 * finished when run_store_add_trial() returned: it survives kill -9, power loss
 * (journal_mode=DELETE, synchronous=EXTRA) and a full disk. One writer. Under sudo
 * a new file belongs to the calling user (SUDO_UID, SUDO_GID).
 */
#ifndef SATPROF_CODEC_RUN_STORE_H
#define SATPROF_CODEC_RUN_STORE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/run.h"

struct run_store;

/*
 * Create path and write the run's head (version, config, traffic, arms).
 * SP_EUSAGE when it exists, SP_EIO with the reason (full disk, read-only) else;
 * nothing is left behind on failure.
 */
int run_store_create(const char *path, const struct run *run,
	struct run_store **ret_store, struct sp_err *err);
/* Open for --resume: the run as it is, and a new segment, which enters the file with
 * the first trial or update. SP_EUSAGE when another satprof writes to it. */
int run_store_resume(const char *path, struct run_store **ret_store,
	struct run **ret_run, struct sp_err *err);
/*
 * Off: commits no longer wait for the disk, so that a power cut may take the file,
 * though the death of the program does not. For trials that can be made again, as
 * simulated ones, of which there are hundreds a second. On, as it is opened: the next
 * commit takes all of the file with it.
 */
int run_store_set_durable(struct run_store *s, bool on, struct sp_err *err);
/* The segment's number, from 1: what trials of this process carry. */
uint32_t run_store_segment(const struct run_store *s);

/*
 * One transaction: the trial, its ledgers, bins, CPUs, threads, counters, what the
 * run's events and profile gained since the last call (also names resolved since),
 * and the profile's cells of this trial, which must all be there by now.
 */
int run_store_add_trial(struct run_store *s, const struct run *run,
	const struct trial *t, struct sp_err *err);
/* One transaction: fingerprint, notes, SUT output, traffic and config as they are
 * now (burst chosen by the pilot...); `finished`. Any number of times. */
int run_store_update(struct run_store *s, const struct run *run, struct sp_err *err);
/* One transaction: the run's last arm, which is new: a confirmation's. */
int run_store_add_arm(struct run_store *s, const struct run *run, struct sp_err *err);
/* A verdict with the rule it was made by; the newest one counts. */
int run_store_add_verdict(struct run_store *s, const char *verdict_json,
	int rule_version, struct sp_err *err);
/* Close; the file is complete. NULL is a no-op. */
void run_store_close(struct run_store *s);

/*
 * Read-only. SP_EFORMAT for what is not a run file, is damaged or from a future
 * schema; never changes what was committed. Only where a writer was killed in the
 * middle of a commit its journal is played back, which needs the right to write.
 * May be called while another process writes. Caller frees *ret_run by run_free().
 */
int run_store_load(const char *path, struct run **ret_run, struct sp_err *err);

#endif
