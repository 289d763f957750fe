/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The run file: one transaction a trial, and loading it back. */
#include "config.h"

#include "codec/run_store.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <sqlite3.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/units.h"
#include "codec/run_store_file.h"
#include "codec/run_store_head.h"
#include "codec/run_store_profile.h"
#include "codec/run_store_schema.h"
#include "codec/run_store_trial.h"
#include "codec/run_store_words.h"
#include "codec/sql.h"

struct run_store {
	struct sqlite3 *db;
	char *path;
	int lock_fd;
	uint32_t segment;
	bool segment_written; /* with its first commit: only looking leaves no trace */
	uint64_t n_trials;    /* committed ones, of all segments */
	struct run_store_profile_mark mark;
};

/* What the file holds is safe whatever happened: say so, and how to go on. */
static int err_say_kept(struct sp_err *err, const struct run_store *s)
{
	size_t len = strlen(err->msg);
	bool has_remedy = err->sys_errno == EMFILE || err->sys_errno == ENFILE;

	if (err->code == SP_EIO)
		(void)snprintf(err->msg + len, sizeof(err->msg) - len,
			"; the %" PRIu64
			" trial%s before %s kept: mend the cause%s, then go on with "
			"--resume %s",
			s->n_trials, units_s(s->n_trials),
			s->n_trials == 1 ? "is" : "are",
			has_remedy ? "" : " (make room)", s->path);
	return sp_err_push(err, "run file '%s'", s->path);
}

/* Commits when rc is 0; else, or when that fails, nothing of it stays. */
static int tx_end(struct sqlite3 *db, int rc, struct sp_err *err)
{
	if (rc == 0)
		rc = sql_exec(db, "COMMIT", err);
	/* SQLite has rolled some errors back by itself, and says so here. */
	if (rc != 0 && sqlite3_get_autocommit(db) == 0)
		(void)sqlite3_exec(db, "ROLLBACK", NULL, NULL, NULL);
	return rc;
}

static int store_begin(struct run_store *s, struct sp_err *err)
{
	int rc = sql_exec(s->db, "BEGIN IMMEDIATE", err);

	if (rc == 0 && !s->segment_written) {
		rc = run_store_segment_write(s->db, s->segment, SATPROF_VERSION, err);
		if (rc != 0)
			rc = tx_end(s->db, rc, err);
	}
	return rc;
}

static int store_commit(struct run_store *s, int rc, struct sp_err *err)
{
	rc = tx_end(s->db, rc, err);
	s->segment_written |= rc == 0;
	return rc;
}

/* A whole new file, made in memory. Freed by sqlite3_free(). */
static int image_make(const struct run *run, unsigned char **ret_image, size_t *ret_n,
	struct sp_err *err)
{
	struct sqlite3 *db = NULL;
	sqlite3_int64 n = 0;
	unsigned char *image = NULL;
	int rc;

	if (run->n_arms > RUN_STORE_MAX_ARMS ||
		run->config.n_rates > RUN_STORE_MAX_RATES ||
		run->config.n_blocks > RUN_STORE_MAX_BLOCK)
		return sp_err_set(err, SP_EUSAGE,
			"at most %u arms, %u rates and %u blocks", RUN_STORE_MAX_ARMS,
			RUN_STORE_MAX_RATES, RUN_STORE_MAX_BLOCK);
	if (sqlite3_open(":memory:", &db) != SQLITE_OK)
		rc = sp_err_set(err, SP_EIO, "SQLite does not start");
	else
		rc = run_store_schema_create(db, err);
	if (rc == 0)
		rc = run_store_segment_write(db, 1, run->version, err);
	if (rc == 0)
		rc = run_store_arms_write(db, run, err);
	if (rc == 0)
		rc = run_store_head_write(db, run, err);
	if (rc == 0)
		rc = run_store_events_write(db, run, err);
	if (rc == 0) {
		image = sqlite3_serialize(db, "main", &n, 0);
		if (image == NULL)
			rc = sp_err_set(err, SP_EIO, "SQLite cannot serialize");
	}
	(void)sqlite3_close(db);
	if (rc == 0) {
		*ret_image = image;
		*ret_n = (size_t)n;
	}
	return rc;
}

static struct run_store *store_new(const char *path)
{
	struct run_store *s = xcalloc(1, sizeof(*s));

	s->path = xstrdup(path);
	s->lock_fd = -1;
	return s;
}

static int sync_set(struct run_store *s, bool on, struct sp_err *err)
{
	return sql_exec(s->db,
		on ? "PRAGMA synchronous = EXTRA" : "PRAGMA synchronous = OFF", err);
}

int run_store_set_durable(struct run_store *s, bool on, struct sp_err *err)
{
	int rc = sync_set(s, on, err);

	return rc != 0 ? sp_err_push(err, "run file '%s'", s->path) : 0;
}

static int store_open(struct run_store *s, struct sp_err *err)
{
	int rc = run_store_file_lock(s->path, &s->lock_fd, err);

	if (rc == 0)
		rc = run_store_file_open(s->path, true, &s->db, err);
	if (rc == 0)
		rc = sql_exec(s->db, "PRAGMA journal_mode = DELETE", err);
	return rc == 0 ? sync_set(s, true, err) : rc;
}

int run_store_create(const char *path, const struct run *run,
	struct run_store **ret_store, struct sp_err *err)
{
	struct run_store *s;
	unsigned char *image = NULL;
	size_t n = 0;
	int rc = image_make(run, &image, &n, err);

	if (rc == 0)
		rc = run_store_file_create(path, image, n, err);
	sqlite3_free(image);
	if (rc != 0)
		return sp_err_push(err, "run file '%s'", path);
	s = store_new(path);
	s->segment = 1;
	s->segment_written = true;
	rc = store_open(s, err);
	if (rc != 0) {
		run_store_close(s);
		(void)unlink(path); /* ours, new, and without a trial */
		return sp_err_push(err, "run file '%s'", path);
	}
	*ret_store = s;
	return 0;
}

/*
 * Ends a read that does not end by itself: a sound file needs far fewer steps of
 * SQLite's machine than this per byte.
 */
#define STEPS_PER_CALL 10000
#define STEPS_PER_BYTE 200
#define STEPS_BASE     10000000

static int budget_spend(void *ctx)
{
	uint64_t *calls_left = ctx;

	if (*calls_left == 0)
		return 1;
	(*calls_left)--;
	return 0;
}

static uint64_t budget_calls(struct sqlite3 *db)
{
	struct sp_err ignored;
	struct sql_cursor c;
	uint64_t n_pages = 0;

	if (sql_cursor_open(&c, db, "header", "PRAGMA page_count", &ignored) == 0 &&
		sql_cursor_next(&c))
		n_pages = sql_get_count(&c, UINT32_MAX);
	(void)sql_cursor_close(&c); /* a file that cannot be read fails later */
	return (STEPS_BASE + n_pages * 4096 * STEPS_PER_BYTE) / STEPS_PER_CALL;
}

static int db_read_all(
	struct sqlite3 *db, struct run *run, uint32_t *ret_segment, struct sp_err *err)
{
	int rc = run_store_schema_check(db, err);

	if (rc == 0)
		rc = run_store_head_read(db, run, ret_segment, err);
	if (rc == 0)
		rc = run_store_trials_read(db, run, *ret_segment, err);
	if (rc == 0)
		rc = run_store_profile_read(db, run, err);
	return rc;
}

/* One snapshot, also while another satprof writes. */
static int db_read(struct sqlite3 *db, const char *path, struct run **ret_run,
	uint32_t *ret_segment, struct sp_err *err)
{
	struct run *run = run_new();
	uint64_t calls_left = budget_calls(db);
	int old_limit =
		sqlite3_limit(db, SQLITE_LIMIT_LENGTH, (int)(4 * RUN_STORE_MAX_TEXT));
	int rc;

	free(run->path);
	run->path = xstrdup(path);
	sqlite3_progress_handler(db, STEPS_PER_CALL, budget_spend, &calls_left);
	rc = sql_exec(db, "BEGIN", err);
	if (rc == 0)
		rc = db_read_all(db, run, ret_segment, err);
	(void)tx_end(db, rc, err); /* nothing was written */
	sqlite3_progress_handler(db, 0, NULL, NULL);
	(void)sqlite3_limit(db, SQLITE_LIMIT_LENGTH, old_limit);
	if (rc != 0)
		run_free(run);
	else
		*ret_run = run;
	return rc;
}

int run_store_resume(const char *path, struct run_store **ret_store,
	struct run **ret_run, struct sp_err *err)
{
	struct run_store *s = store_new(path);
	struct run *run = NULL;
	uint32_t segment = 0;
	int rc = store_open(s, err);

	if (rc == 0)
		rc = db_read(s->db, path, &run, &segment, err);
	if (rc != 0) {
		run_store_close(s);
		return sp_err_push(err, "run file '%s'", path);
	}
	s->segment = segment + 1;
	s->n_trials = run->n_trials;
	run_store_profile_mark_move(&s->mark, run->profile);
	*ret_store = s;
	*ret_run = run;
	return 0;
}

uint32_t run_store_segment(const struct run_store *s)
{
	return s->segment;
}

/* What load would refuse must not get in: these would be our own mistakes. */
static int trial_check(const struct run_store *s, const struct run *run,
	const struct trial *t, struct sp_err *err)
{
	size_t i;

	if (t->segment != s->segment || t->spec.arm >= run->n_arms || t->spec.id < 1 ||
		t->spec.id > RUN_STORE_MAX_ID || t->spec.block > RUN_STORE_MAX_BLOCK)
		return sp_err_set(err, SP_EUSAGE,
			"segment %" PRIu32 ", block %" PRIu32 ", arm %" PRIu32
			": a mistake in satprof",
			t->segment, t->spec.block, t->spec.arm);
	if (t->facts.n > RUN_STORE_MAX_LIST)
		return sp_err_set(
			err, SP_EUSAGE, "%zu facts: a mistake in satprof", t->facts.n);
	for (i = 0; i < t->n_counters; i++)
		if (t->counters[i].event >= run->n_events)
			return sp_err_set(err, SP_EUSAGE,
				"event %" PRIu32 ": a mistake in satprof",
				t->counters[i].event);
	return 0;
}

int run_store_add_trial(struct run_store *s, const struct run *run,
	const struct trial *t, struct sp_err *err)
{
	int rc = trial_check(s, run, t, err);

	if (rc == 0)
		rc = store_begin(s, err);
	if (rc == 0) {
		rc = run_store_events_write(s->db, run, err);
		if (rc == 0)
			rc = run_store_trial_write(s->db, t, err);
		if (rc == 0)
			rc = run_store_profile_write(
				s->db, run->profile, &s->mark, t->spec.id, err);
		rc = store_commit(s, rc, err);
	}
	if (rc != 0) {
		(void)sp_err_push(err, "trial %" PRIu32 " is lost", t->spec.id);
		return err_say_kept(err, s);
	}
	run_store_profile_mark_move(&s->mark, run->profile);
	s->n_trials++;
	return 0;
}

int run_store_update(struct run_store *s, const struct run *run, struct sp_err *err)
{
	int rc = store_begin(s, err);

	if (rc == 0) {
		rc = run_store_head_write(s->db, run, err);
		if (rc == 0)
			rc = run_store_events_write(s->db, run, err);
		rc = store_commit(s, rc, err);
	}
	return rc == 0 ? 0 : err_say_kept(err, s);
}

int run_store_add_arm(struct run_store *s, const struct run *run, struct sp_err *err)
{
	int rc;

	if (run->n_arms > RUN_STORE_MAX_ARMS)
		return sp_err_set(
			err, SP_EUSAGE, "at most %u arms", RUN_STORE_MAX_ARMS);
	rc = store_begin(s, err);
	if (rc == 0) {
		rc = run_store_arm_write(s->db, run, run->n_arms - 1, err);
		rc = store_commit(s, rc, err);
	}
	return rc == 0 ? 0 : err_say_kept(err, s);
}

int run_store_add_verdict(struct run_store *s, const char *verdict_json,
	int rule_version, struct sp_err *err)
{
	int rc = store_begin(s, err);

	if (rc == 0) {
		rc = sql_run(s->db,
			"INSERT INTO verdict VALUES"
			" (NULL, strftime('%Y-%m-%dT%H:%M:%SZ','now'), ?, ?)",
			(struct sql_arg[]){
				SQL_INT(rule_version), SQL_TEXT(verdict_json) },
			err);
		rc = store_commit(s, rc, err);
	}
	return rc == 0 ? 0 : err_say_kept(err, s);
}

void run_store_close(struct run_store *s)
{
	int rc;

	if (s == NULL)
		return;
	rc = sqlite3_close(s->db);
	assert(rc == SQLITE_OK); /* no statement is left open */
	(void)rc;
	if (s->lock_fd >= 0)
		(void)close(s->lock_fd);
	run_store_profile_mark_done(&s->mark);
	free(s->path);
	free(s);
}

int run_store_load(const char *path, struct run **ret_run, struct sp_err *err)
{
	struct sqlite3 *db = NULL;
	uint32_t segment = 0;
	int rc = run_store_file_open(path, false, &db, err);

	if (rc == 0)
		rc = db_read(db, path, ret_run, &segment, err);
	(void)sqlite3_close(db);
	return rc == 0 ? 0 : sp_err_push(err, "run file '%s'", path);
}
