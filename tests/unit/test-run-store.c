/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run files: exact round trips, one writer, and no room. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "../fixture/run_fixture.h"
#include "../fixture/store_box.h"
#include "base/mem.h"
#include "codec/run_store.h"

static void round_trip_is_exact(void **state)
{
	const struct store_box *b = *state;
	struct run *run = NULL;
	struct run_store *s = NULL;
	struct sp_err err;
	size_t i;

	OK(run_store_create(b->path, b->run, &s, &err));
	for (i = 0; i < b->run->n_trials; i++)
		OK(run_store_add_trial(s, b->run, &b->run->trials[i], &err));
	OK(run_store_update(s, b->run, &err));
	OK(run_store_add_verdict(s, "{\"verdict\":\"none\"}", 1, &err));
	run_store_close(s);
	assert_int_equal(store_box_n_files(b), 1);
	OK(run_store_load(b->path, &run, &err));
	run_fixture_assert_equal(run, b->run);
	assert_string_equal(run->path, b->path);
	run_free(run);
}

/* Each text is in the file once, and a key of a later satprof does no harm. */
static void facts_are_small_and_may_be_unknown(void **state)
{
	const struct store_box *b = *state;
	const struct facts *fs;
	struct run *run = NULL;
	struct sp_err err;

	store_box_make(b, 5);
	/* Fails when a text is there twice. */
	store_box_sql(b->path, "CREATE TEMP TABLE want (n INTEGER CHECK (n = 4));"
			       "INSERT INTO want SELECT count(*) FROM fact_text;"
			       "UPDATE fact_key SET key = 'humidity', scope = 'room'"
			       " WHERE key = 'clock_source'");
	OK(run_store_load(b->path, &run, &err));
	fs = &run->trials[2].facts;
	assert_int_equal(fs->n, b->run->trials[2].facts.n - 1);
	assert_string_equal(facts_find(fs, FACT_CPUS_ALLOWED, "fwd#2")->text, "0-1");
	assert_int_equal((int)facts_find(fs, FACT_LINK_NODE, "eth0")->value, -1);
	assert_null(facts_find(fs, FACT_CLOCK_SOURCE, ""));
	assert_int_equal(run->trials[1].facts.n, 0);
	run_free(run);
}

static void an_empty_run_round_trips(void **state)
{
	struct store_box *b = *state;
	struct run *run = NULL;
	struct sp_err err;

	run_free(b->run);
	b->run = run_new();
	store_box_make(b, 0);
	OK(run_store_load(b->path, &run, &err));
	run_fixture_assert_equal(run, b->run);
	assert_null(run->profile);
	run_free(run);
}

/* Also what the run gained between two trials, and names that came late. */
static void later_rows_are_added(void **state)
{
	struct store_box *b = *state;
	struct run *run = NULL, *want = b->run;
	struct run_store *s = NULL;
	struct sp_err err;
	size_t n_all = want->n_trials;
	uint32_t frame;

	want->n_trials = 2;
	OK(run_store_create(b->path, want, &s, &err));
	OK(run_store_add_trial(s, want, &want->trials[0], &err));
	frame = (uint32_t)want->profile->n_frames - 1;
	want->profile->frames[frame].symbol =
		profile_symbol_intern(want->profile, "late");
	(void)run_event_intern(want, "branches", "count", COUNTER_OK);
	OK(run_store_add_trial(s, want, &want->trials[1], &err));
	run_set_fact(want, "kernel", "6.2.0", false);
	run_add_note(want, "one more");
	want->finished = false;
	want->traffic.burst = 16;
	OK(run_store_update(s, want, &err));
	OK(run_store_update(s, want, &err));
	run_store_close(s);
	OK(run_store_load(b->path, &run, &err));
	/* The cells of the trials that were not added are not there. */
	assert_true(run->profile->n_cells < want->profile->n_cells);
	want->profile->n_cells = run->profile->n_cells;
	run_fixture_assert_equal(run, want);
	assert_string_equal(
		run->profile->symbols[run->profile->frames[frame].symbol].name, "late");
	run_free(run);
	want->n_trials = n_all;
}

static void resume_goes_on(void **state)
{
	const struct store_box *b = *state;
	struct run *run = NULL, *again = NULL;
	struct run_store *s = NULL;
	struct sp_err err;
	struct trial t = { .n_reasons = 0 };
	int i;

	store_box_make(b, 5);
	OK(run_store_resume(b->path, &s, &run, &err));
	assert_int_equal(run_store_segment(s), 2);
	assert_int_equal(run->n_trials, 5);
	assert_true(run->finished); /* what to make of that is the caller's */
	t.spec = b->run->trials[5].spec;
	t.segment = run_store_segment(s);
	t.t_start_ns = 1; /* the clock of another boot */
	t.loss_frac = (double)NAN;
	OK(run_store_add_trial(s, run, &t, &err));
	run_store_close(s);
	run_add_trial(run, &t);
	OK(run_store_load(b->path, &again, &err));
	run_fixture_assert_equal(again, run);
	run_free(again);
	run_free(run);
	for (i = 0; i < 2; i++) {
		/* Looking makes no segment. */
		OK(run_store_resume(b->path, &s, &run, &err));
		assert_int_equal(run_store_segment(s), 3);
		assert_int_equal(run->trials[5].segment, 2);
		run_store_close(s);
		run_free(run);
	}
}

static void an_existing_file_is_left_alone(void **state)
{
	const struct store_box *b = *state;
	struct run_store *s = NULL;
	struct sp_err err;

	store_box_make(b, 3);
	assert_int_equal(run_store_create(b->path, b->run, &s, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "--resume"));
	assert_null(s);
	assert_int_equal(store_box_trials(b), 3);
	assert_int_equal(store_box_n_files(b), 1);
}

static void failing_to_create_leaves_nothing(void **state)
{
	const struct store_box *b = *state;
	struct run_store *s = NULL;
	struct sp_err err;
	char path[160];

	(void)snprintf(path, sizeof(path), "%s/missing/x", b->dir);
	assert_int_equal(run_store_create(path, b->run, &s, &err), -SP_EIO);
	assert_non_null(strstr(err.msg, "-o"));
	assert_int_equal(run_store_create("/dev/null", b->run, &s, &err), -SP_EUSAGE);
	assert_int_equal(run_store_create("/proc/x", b->run, &s, &err), -SP_EIO);
	assert_null(s);
	assert_int_equal(store_box_n_files(b), 0);
}

static void one_writer_many_readers(void **state)
{
	const struct store_box *b = *state;
	struct run_store *s = NULL, *other = NULL;
	struct run *run = NULL;
	struct sp_err err;

	OK(run_store_create(b->path, b->run, &s, &err));
	OK(run_store_add_trial(s, b->run, &b->run->trials[0], &err));
	assert_int_equal(run_store_resume(b->path, &other, &run, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "another satprof"));
	assert_null(other);
	assert_null(run);
	assert_int_equal(store_box_trials(b), 1);
	OK(run_store_add_trial(s, b->run, &b->run->trials[1], &err));
	assert_int_equal(store_box_trials(b), 2);
	run_store_close(s);
	OK(run_store_resume(b->path, &other, &run, &err));
	run_store_close(other);
	run_free(run);
}

static void the_file_is_the_callers_under_sudo(void **state)
{
	const struct store_box *b = *state;
	struct stat st;

	assert_int_equal(setenv("SUDO_UID", "12345", 1), 0);
	assert_int_equal(setenv("SUDO_GID", "54321", 1), 0);
	store_box_make(b, 1);
	assert_int_equal(unsetenv("SUDO_UID"), 0);
	assert_int_equal(unsetenv("SUDO_GID"), 0);
	assert_int_equal(stat(b->path, &st), 0);
	/* Only root can give a file away. */
	assert_int_equal(st.st_uid, geteuid() == 0 ? 12345 : geteuid());
	assert_int_equal(st.st_gid, geteuid() == 0 ? 54321 : getegid());
}

/* What no column can hold is refused, and the file stays as it was. */
static void misfits_are_refused(void **state)
{
	const struct store_box *b = *state;
	struct run_store *s = NULL;
	struct sp_err err;
	struct trial t = b->run->trials[1]; /* borrows its arrays */

	OK(run_store_create(b->path, b->run, &s, &err));
	OK(run_store_add_trial(s, b->run, &b->run->trials[0], &err));
	t.window_pkts = (uint64_t)INT64_MAX + 1;
	assert_int_equal(run_store_add_trial(s, b->run, &t, &err), -SP_EUSAGE);
	t = b->run->trials[1];
	t.facts = (struct facts){ .n = 0 };
	while (t.facts.n <= 10000) /* could not be read again */
		facts_add(&t.facts, FACT_BUSY_NS, "1", 0);
	assert_int_equal(run_store_add_trial(s, b->run, &t, &err), -SP_EUSAGE);
	facts_done(&t.facts);
	t = b->run->trials[1];
	t.segment = 2;
	assert_int_equal(run_store_add_trial(s, b->run, &t, &err), -SP_EUSAGE);
	t = b->run->trials[1];
	t.spec.arm = 4;
	assert_int_equal(run_store_add_trial(s, b->run, &t, &err), -SP_EUSAGE);
	t = b->run->trials[1];
	t.spec.id = b->run->trials[0].spec.id; /* taken */
	assert_true(run_store_add_trial(s, b->run, &t, &err) < 0);
	OK(run_store_add_trial(s, b->run, &b->run->trials[1], &err));
	run_store_close(s);
	assert_int_equal(store_box_trials(b), 2);
}

static void file_limit_set(rlim_t soft)
{
	struct rlimit lim;

	assert_int_equal(getrlimit(RLIMIT_FSIZE, &lim), 0);
	lim.rlim_cur = soft;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &lim), 0);
}

static void no_room_ends_with_a_sound_file(void **state)
{
	const struct store_box *b = *state;
	struct run_store *s = NULL;
	struct sp_err err = { .code = SP_OK };
	struct stat st;
	size_t n = 0;

	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	file_limit_set(1000);
	assert_int_equal(run_store_create(b->path, b->run, &s, &err), -SP_EIO);
	file_limit_set(RLIM_INFINITY);
	assert_non_null(strstr(err.msg, "make room"));
	assert_null(strchr(err.msg, '\n'));
	assert_int_equal(store_box_n_files(b), 0);

	OK(run_store_create(b->path, b->run, &s, &err));
	assert_int_equal(stat(b->path, &st), 0);
	file_limit_set((rlim_t)st.st_size + 4096);
	while (run_store_add_trial(s, b->run, &b->run->trials[n], &err) == 0)
		n++;
	assert_int_equal(err.code, SP_EIO);
	assert_non_null(strstr(err.msg, "make room"));
	assert_non_null(strstr(err.msg, "--resume"));
	assert_true(n > 0);
	assert_int_equal(store_box_trials(b), n);
	file_limit_set(RLIM_INFINITY);
	/* With room again the same store goes on. */
	OK(run_store_add_trial(s, b->run, &b->run->trials[n], &err));
	run_store_close(s);
	assert_int_equal(store_box_trials(b), n + 1);
	assert_int_equal(store_box_n_files(b), 1);
}

/* "table.column" of every column of a file, a line each, in the file's order. */
static char *columns_of(const char *path)
{
	sqlite3 *db = NULL;
	sqlite3_stmt *st = NULL;
	char *list = xstrdup("");

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	assert_int_equal(
		sqlite3_prepare_v2(db,
			"SELECT m.name || '.' || c.name FROM sqlite_master AS m,"
			" pragma_table_info(m.name) AS c WHERE m.type = 'table'"
			" ORDER BY m.rowid, c.cid",
			-1, &st, NULL),
		SQLITE_OK);
	while (sqlite3_step(st) == SQLITE_ROW) {
		char *longer = xasprintf(
			"%s%s\n", list, (const char *)sqlite3_column_text(st, 0));

		free(list);
		list = longer;
	}
	assert_int_equal(sqlite3_finalize(st), SQLITE_OK);
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
	return list;
}

/* The same from satprof-run(5): ".Ss table" and ".It Va column". */
static char *columns_in_manual(void)
{
	const char *top = getenv("top_srcdir");
	char *path = xasprintf("%s/man/satprof-run.5", top != NULL ? top : ".");
	FILE *f = fopen(path, "r");
	char line[512], table[64] = "", *list = xstrdup("");

	if (f == NULL)
		fail_msg("cannot open %s", path);
	free(path);
	while (fgets(line, sizeof(line), f) != NULL) {
		char column[64], *longer;

		(void)sscanf(line, ".Ss %63s", table);
		if (sscanf(line, ".It Va %63s", column) != 1)
			continue;
		longer = xasprintf("%s%s.%s\n", list, table, column);
		free(list);
		list = longer;
	}
	assert_int_equal(fclose(f), 0);
	return list;
}

static void the_manual_has_every_column(void **state)
{
	const struct store_box *b = *state;
	char *have, *want;

	store_box_make(b, 1);
	have = columns_in_manual();
	want = columns_of(b->path);
	assert_string_equal(have, want);
	free(have);
	free(want);
}

static void the_manual_has_every_fact(void **state)
{
	const char *top = getenv("top_srcdir");
	char *path = xasprintf("%s/man/satprof-run.5", top != NULL ? top : "."), *item;
	size_t n;
	unsigned char *page = store_box_get(path, &n);
	int key;

	(void)state;
	for (key = 0; key < N_FACTS; key++) {
		item = xasprintf("\n.It Li %s\n", fact_info((enum fact_key)key)->name);
		if (memmem(page, n, item, strlen(item)) == NULL)
			fail_msg("satprof-run(5) lacks:%s", item);
		free(item);
	}
	free(page);
	free(path);
}

int main(void)
{
#define BOX_TEST(f) cmocka_unit_test_setup_teardown(f, store_box_open, store_box_close)
	const struct CMUnitTest tests[] = {
		BOX_TEST(round_trip_is_exact),
		BOX_TEST(facts_are_small_and_may_be_unknown),
		BOX_TEST(an_empty_run_round_trips),
		BOX_TEST(later_rows_are_added),
		BOX_TEST(resume_goes_on),
		BOX_TEST(an_existing_file_is_left_alone),
		BOX_TEST(failing_to_create_leaves_nothing),
		BOX_TEST(one_writer_many_readers),
		BOX_TEST(the_file_is_the_callers_under_sudo),
		BOX_TEST(misfits_are_refused),
		BOX_TEST(no_room_ends_with_a_sound_file),
		BOX_TEST(the_manual_has_every_column),
		cmocka_unit_test(the_manual_has_every_fact),
	};

	return cmocka_run_group_tests_name("run-store", tests, NULL, NULL);
}
