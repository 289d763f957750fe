/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run files: exact round trips, and what a finished trial survives. */
#include "config.h"

#include <errno.h>
#include <ftw.h>
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../fixture/run_fixture.h"
#include "base/mem.h"
#include "codec/run_store.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

struct box {
	char dir[64];
	char path[96];
	struct run *run;
};

static int box_open(void **state)
{
	struct box *b = xcalloc(1, sizeof(*b));

	(void)snprintf(b->dir, sizeof(b->dir), "/tmp/satprof-store-XXXXXX");
	if (mkdtemp(b->dir) == NULL)
		return -1;
	(void)snprintf(b->path, sizeof(b->path), "%s/a run.satprof", b->dir);
	b->run = run_fixture_full();
	*state = b;
	return 0;
}

static int remove_one(
	const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)st;
	(void)type;
	(void)ftw;
	return remove(path);
}

static int box_close(void **state)
{
	struct box *b = *state;

	run_free(b->run);
	(void)nftw(b->dir, remove_one, 8, FTW_DEPTH | FTW_PHYS);
	free(b);
	return 0;
}

static int entry_count;

static int count_one(const char *path, const struct stat *st, int type, struct FTW *ftw)
{
	(void)path;
	(void)st;
	(void)type;
	(void)ftw;
	entry_count++;
	return 0;
}

/* Files in the box, without the folder itself. */
static int n_files(const struct box *b)
{
	entry_count = 0;
	assert_int_equal(nftw(b->dir, count_one, 8, FTW_PHYS), 0);
	return entry_count - 1;
}

#define OK(call)                                                                       \
	do {                                                                           \
		if ((call) != 0)                                                       \
			fail_msg("%s: %s", #call, err.msg);                            \
	} while (0)

/* The first n trials of the box's run, in a file that is closed again. */
static void file_make(const struct box *b, size_t n)
{
	struct run_store *s = NULL;
	struct sp_err err;
	size_t i;

	OK(run_store_create(b->path, b->run, &s, &err));
	assert_int_equal(run_store_segment(s), 1);
	for (i = 0; i < n; i++)
		OK(run_store_add_trial(s, b->run, &b->run->trials[i], &err));
	OK(run_store_update(s, b->run, &err));
	run_store_close(s);
}

static size_t file_trials(const struct box *b)
{
	struct run *run = NULL;
	struct sp_err err;
	size_t n;

	OK(run_store_load(b->path, &run, &err));
	n = run->n_trials;
	run_free(run);
	return n;
}

static void load_fails(const char *path, enum sp_errcode code, const char *word)
{
	struct run *run = (struct run *)&run;
	struct sp_err err = { .code = SP_OK };
	int rc = run_store_load(path, &run, &err);

	if (rc == 0)
		run_free(run);
	if (rc != -(int)code || strstr(err.msg, word) == NULL)
		fail_msg("want %d and '%s', got %d and '%s'", -(int)code, word, rc,
			err.msg);
	assert_ptr_equal(run, &run); /* untouched */
}

static void sql(const char *path, const char *text)
{
	sqlite3 *db = NULL;

	assert_int_equal(sqlite3_open(path, &db), SQLITE_OK);
	if (sqlite3_exec(db, text, NULL, NULL, NULL) != SQLITE_OK)
		fail_msg("%s: %s", text, sqlite3_errmsg(db));
	assert_int_equal(sqlite3_close(db), SQLITE_OK);
}

static void round_trip_is_exact(void **state)
{
	const struct box *b = *state;
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
	assert_int_equal(n_files(b), 1);
	OK(run_store_load(b->path, &run, &err));
	run_fixture_assert_equal(run, b->run);
	assert_string_equal(run->path, b->path);
	run_free(run);
}

static void an_empty_run_round_trips(void **state)
{
	struct box *b = *state;
	struct run *run = NULL;
	struct sp_err err;

	run_free(b->run);
	b->run = run_new();
	file_make(b, 0);
	OK(run_store_load(b->path, &run, &err));
	run_fixture_assert_equal(run, b->run);
	assert_null(run->profile);
	run_free(run);
}

/* Also what the run gained between two trials, and names that came late. */
static void later_rows_are_added(void **state)
{
	struct box *b = *state;
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
	const struct box *b = *state;
	struct run *run = NULL, *again = NULL;
	struct run_store *s = NULL;
	struct sp_err err;
	struct trial t = { .n_reasons = 0 };
	int i;

	file_make(b, 5);
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
	const struct box *b = *state;
	struct run_store *s = NULL;
	struct sp_err err;

	file_make(b, 3);
	assert_int_equal(run_store_create(b->path, b->run, &s, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "--resume"));
	assert_null(s);
	assert_int_equal(file_trials(b), 3);
	assert_int_equal(n_files(b), 1);
}

static void failing_to_create_leaves_nothing(void **state)
{
	const struct box *b = *state;
	struct run_store *s = NULL;
	struct sp_err err;
	char path[160];

	(void)snprintf(path, sizeof(path), "%s/missing/x", b->dir);
	assert_int_equal(run_store_create(path, b->run, &s, &err), -SP_EIO);
	assert_non_null(strstr(err.msg, "-o"));
	assert_int_equal(run_store_create("/dev/null", b->run, &s, &err), -SP_EUSAGE);
	assert_int_equal(run_store_create("/proc/x", b->run, &s, &err), -SP_EIO);
	assert_null(s);
	assert_int_equal(n_files(b), 0);
}

static void one_writer_many_readers(void **state)
{
	const struct box *b = *state;
	struct run_store *s = NULL, *other = NULL;
	struct run *run = NULL;
	struct sp_err err;

	OK(run_store_create(b->path, b->run, &s, &err));
	OK(run_store_add_trial(s, b->run, &b->run->trials[0], &err));
	assert_int_equal(run_store_resume(b->path, &other, &run, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "another satprof"));
	assert_null(other);
	assert_null(run);
	assert_int_equal(file_trials(b), 1);
	OK(run_store_add_trial(s, b->run, &b->run->trials[1], &err));
	assert_int_equal(file_trials(b), 2);
	run_store_close(s);
	OK(run_store_resume(b->path, &other, &run, &err));
	run_store_close(other);
	run_free(run);
}

static void the_file_is_the_callers_under_sudo(void **state)
{
	const struct box *b = *state;
	struct stat st;

	assert_int_equal(setenv("SUDO_UID", "12345", 1), 0);
	assert_int_equal(setenv("SUDO_GID", "54321", 1), 0);
	file_make(b, 1);
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
	const struct box *b = *state;
	struct run_store *s = NULL;
	struct sp_err err;
	struct trial t = b->run->trials[1]; /* borrows its arrays */

	OK(run_store_create(b->path, b->run, &s, &err));
	OK(run_store_add_trial(s, b->run, &b->run->trials[0], &err));
	t.window_pkts = (uint64_t)INT64_MAX + 1;
	assert_int_equal(run_store_add_trial(s, b->run, &t, &err), -SP_EUSAGE);
	t = b->run->trials[1];
	t.segment = 2;
	assert_int_equal(run_store_add_trial(s, b->run, &t, &err), -SP_EUSAGE);
	t = b->run->trials[1];
	t.spec.arm = 3;
	assert_int_equal(run_store_add_trial(s, b->run, &t, &err), -SP_EUSAGE);
	t = b->run->trials[1];
	t.spec.id = b->run->trials[0].spec.id; /* taken */
	assert_true(run_store_add_trial(s, b->run, &t, &err) < 0);
	OK(run_store_add_trial(s, b->run, &b->run->trials[1], &err));
	run_store_close(s);
	assert_int_equal(file_trials(b), 2);
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
	const struct box *b = *state;
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
	assert_int_equal(n_files(b), 0);

	OK(run_store_create(b->path, b->run, &s, &err));
	assert_int_equal(stat(b->path, &st), 0);
	file_limit_set((rlim_t)st.st_size + 4096);
	while (run_store_add_trial(s, b->run, &b->run->trials[n], &err) == 0)
		n++;
	assert_int_equal(err.code, SP_EIO);
	assert_non_null(strstr(err.msg, "make room"));
	assert_non_null(strstr(err.msg, "--resume"));
	assert_true(n > 0);
	assert_int_equal(file_trials(b), n);
	file_limit_set(RLIM_INFINITY);
	/* With room again the same store goes on. */
	OK(run_store_add_trial(s, b->run, &b->run->trials[n], &err));
	run_store_close(s);
	assert_int_equal(file_trials(b), n + 1);
	assert_int_equal(n_files(b), 1);
}

/* A killed writer's journal: made by SQLite itself, in the middle of a commit. */
static void a_hot_journal_is_played_back(void **state)
{
	const struct box *b = *state;
	char journal[128];
	pid_t pid;

	file_make(b, 4);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		sqlite3 *db = NULL;
		int bad = sqlite3_open(b->path, &db) != SQLITE_OK ||
			  sqlite3_exec(db,
				  "BEGIN IMMEDIATE; UPDATE trial SET block = 9;"
				  "UPDATE run SET started_at = hex(zeroblob(30000))",
				  NULL, NULL, NULL) != SQLITE_OK ||
			  sqlite3_db_cacheflush(db) != SQLITE_OK;

		_exit(bad);
	}
	assert_int_equal(waitpid(pid, &(int){ 0 }, 0), pid);
	(void)snprintf(journal, sizeof(journal), "%s-journal", b->path);
	assert_int_equal(access(journal, F_OK), 0);
	assert_int_equal(file_trials(b), 4);
	assert_int_equal(n_files(b), 1);
}

static uint64_t rng_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (z ^ (z >> 27)) >> 7;
}

/* In the child: trials as fast as they go, each told when it is safe. */
static void writer_run(const struct box *b, int out)
{
	struct run_store *s = NULL;
	struct sp_err err;
	size_t i;

	if (run_store_create(b->path, b->run, &s, &err) != 0)
		_exit(1);
	for (i = 0; i < b->run->n_trials; i++) {
		uint32_t id = b->run->trials[i].spec.id;

		if (run_store_add_trial(s, b->run, &b->run->trials[i], &err) != 0 ||
			write(out, &id, sizeof(id)) != sizeof(id))
			_exit(1);
	}
	for (;;)
		if (run_store_update(s, b->run, &err) != 0)
			_exit(1);
}

/* Kills a writer delay_us after it told of n_wait trials; returns how many it told. */
static size_t writer_kill(const struct box *b, size_t n_wait, uint64_t delay_us)
{
	struct timespec delay = { .tv_nsec = (long)delay_us * 1000 };
	uint32_t id;
	int fds[2], status = 0;
	size_t n = 0;
	pid_t pid;

	assert_int_equal(pipe(fds), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		(void)close(fds[0]);
		writer_run(b, fds[1]);
	}
	(void)close(fds[1]);
	while (n < n_wait && read(fds[0], &id, sizeof(id)) == sizeof(id))
		assert_int_equal(id, b->run->trials[n++].spec.id);
	(void)nanosleep(&delay, NULL);
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFSIGNALED(status));
	while (read(fds[0], &id, sizeof(id)) == sizeof(id))
		assert_int_equal(id, b->run->trials[n++].spec.id);
	(void)close(fds[0]);
	return n;
}

static void killed_writers_lose_nothing_finished(void **state)
{
	const struct box *b = *state;
	uint64_t seed = UINT64_C(20240501), rng = seed;
	size_t n_created = 0, n_safe = 0;
	size_t i;

	print_message("# seed %llu\n", (unsigned long long)seed);
	for (i = 0; i < 50; i++) {
		/* Every other one may be hit while it makes the file. */
		size_t n_wait = i % 2 == 0 ? 0 : 1 + rng_next(&rng) % 30;
		size_t n = writer_kill(
			b, n_wait, rng_next(&rng) % (n_wait == 0 ? 90000 : 8000));
		struct run *run = NULL;
		struct sp_err err;

		if (access(b->path, F_OK) != 0) {
			assert_int_equal(n, 0);
			continue;
		}
		n_created++;
		n_safe += n;
		OK(run_store_load(b->path, &run, &err));
		assert_true(run->n_trials >= n);
		run_free(run);
		assert_int_equal(unlink(b->path), 0);
	}
	print_message("# %zu files, %zu trials told safe\n", n_created, n_safe);
	assert_true(n_created >= 25);
	assert_true(n_safe >= 25);
}

static void bytes_put(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static unsigned char *bytes_get(const char *path, size_t *ret_n)
{
	FILE *f = fopen(path, "rb");
	unsigned char *bytes;
	struct stat st;

	assert_non_null(f);
	assert_int_equal(fstat(fileno(f), &st), 0);
	*ret_n = (size_t)st.st_size;
	bytes = xcalloc(*ret_n, 1);
	assert_int_equal(fread(bytes, 1, *ret_n, f), *ret_n);
	assert_int_equal(fclose(f), 0);
	return bytes;
}

static void strangers_are_refused(void **state)
{
	const struct box *b = *state;

	load_fails("/nonexistent/x", SP_EIO, "No such file");
	load_fails(":memory:", SP_EIO, "No such file");
	load_fails(b->dir, SP_EFORMAT, "not a file");
	load_fails("/dev/null", SP_EFORMAT, "not a file");
	bytes_put(b->path, "", 0);
	load_fails(b->path, SP_EFORMAT, "not a satprof run file");
	bytes_put(b->path, "cpu,user\n1,2\n", 13);
	load_fails(b->path, SP_EFORMAT, "not a satprof run file");
	assert_int_equal(unlink(b->path), 0);
	sql(b->path, "CREATE TABLE trial (id INTEGER)");
	load_fails(b->path, SP_EFORMAT, "not a satprof run file");
	assert_int_equal(unlink(b->path), 0);
	file_make(b, 1);
	sql(b->path, "PRAGMA user_version = 2");
	load_fails(b->path, SP_EFORMAT, "newer satprof");
	sql(b->path, "PRAGMA user_version = 1; PRAGMA journal_mode = WAL");
	load_fails(b->path, SP_EFORMAT, "format");
}

/* A cut or changed file fails or loads; it never crashes, and resume agrees. */
static void damage_is_found(void **state)
{
	const struct box *b = *state;
	uint64_t seed = UINT64_C(77), rng = seed;
	unsigned char *bytes;
	size_t n, i;

	file_make(b, 6);
	bytes = bytes_get(b->path, &n);
	for (i = 1; i < 20; i++) {
		bytes_put(b->path, bytes, n * i / 20);
		load_fails(b->path, SP_EFORMAT, "damaged");
	}
	print_message("# seed %llu\n", (unsigned long long)seed);
	for (i = 0; i < 300; i++) {
		size_t at = 100 + rng_next(&rng) % (n - 100);
		unsigned char old = bytes[at];
		struct run *run = NULL;
		struct sp_err err = { .code = SP_OK };

		bytes[at] ^= (unsigned char)(1u << rng_next(&rng) % 8);
		bytes_put(b->path, bytes, n);
		if (run_store_load(b->path, &run, &err) == 0)
			run_free(run);
		else
			assert_int_equal(err.code, SP_EFORMAT);
		bytes[at] = old;
	}
	free(bytes);
}

/* What a stranger may write into our tables. */
static void hostile_values_are_refused(void **state)
{
	static const char *const statements[] = {
		"UPDATE trial SET window_pkts = -1 WHERE id = 2",
		"UPDATE trial SET id = 99999999999 WHERE id = 2",
		"UPDATE trial SET id = -5 WHERE id = 2",
		"UPDATE trial SET arm = 3",
		"UPDATE trial SET block = 4000000000",
		"UPDATE trial SET kind = 'bogus'",
		"UPDATE trial SET kind = x'00'",
		"UPDATE trial SET rate_pps = 9e999",
		"UPDATE trial SET rate_pps = 'fast'",
		"UPDATE trial SET rate_pps = -1.0",
		"UPDATE trial SET segment = 2",
		"UPDATE trial SET segment = 0",
		"UPDATE trial SET valid = 2",
		"UPDATE trial SET limited_by = 'nobody'",
		"DELETE FROM trial WHERE id = 2",
		"UPDATE reason SET text = hex(zeroblob(100))",
		"UPDATE reason SET text = 'a' || char(0) || 'b'",
		"INSERT INTO reason VALUES (1, 99, 'one too many')",
		"UPDATE ledger SET point = 'somewhere' WHERE point = 'unique'",
		"UPDATE ledger SET source = 'guessed'",
		"UPDATE ledger SET count_pkts = 5 WHERE source = 'absent'",
		"UPDATE ledger SET count_pkts = 1.5 WHERE source = 'measured'",
		"UPDATE ledger SET dir = 'up' WHERE dir = 'rev'",
		"UPDATE ledger_place SET name = hex(zeroblob(24))",
		"UPDATE ledger_place SET dir = 'rev' WHERE trial = 5",
		"INSERT INTO ledger_place VALUES (1, 'rev', 99, 'unique', 'x', 1)",
		"UPDATE delay SET kind = 'x' WHERE kind = 'latency'",
		"UPDATE delay SET n = -1",
		"INSERT INTO latency_bin VALUES (2, 9, 1, 1, 1)",
		"UPDATE latency_bin SET width_ns = 9223372036854775807",
		"UPDATE cpu_use SET cpu = 2147483648",
		"UPDATE cpu_use SET trial = 1234567 WHERE trial = 3",
		"UPDATE thread_use SET comm = 'a name that is too long'",
		"UPDATE counter SET event = 3",
		"UPDATE counter SET state = ''",
		"UPDATE event SET state = 'ok?'",
		"DELETE FROM event WHERE id = 0",
		"UPDATE arm SET name = 'format-c@1'",
		"UPDATE arm SET id = 7 WHERE id = 2",
		"UPDATE arm SET hz = -1.0",
		"DELETE FROM run",
		"UPDATE run SET finished = 'yes'",
		"DELETE FROM config",
		"UPDATE config SET margin_frac = 2.0",
		"UPDATE config SET n_blocks = 1000000000000",
		"UPDATE config SET burst_pkts = 65",
		"INSERT INTO rate SELECT 'frac', 100 + id, 1.0 FROM trial;"
		"INSERT INTO rate SELECT 'frac', 200 + id, 1.0 FROM trial",
		"DELETE FROM traffic",
		"UPDATE traffic SET kind = 'gremlins'",
		"UPDATE traffic SET frame_bytes = 9217",
		"UPDATE traffic SET dst_mac = 281474976710656",
		"UPDATE traffic SET pcap_path = hex(zeroblob(2048))",
		"DELETE FROM segment",
		"UPDATE segment SET id = 5",
		"UPDATE module SET kind = 'x'",
		"INSERT INTO module SELECT 3, kind, path, build_id FROM module"
		" WHERE id = 0",
		"UPDATE symbol SET name = 'same'",
		"UPDATE symbol SET name = x'41'",
		"UPDATE frame SET module = 3",
		"UPDATE frame SET symbol = 1000",
		"UPDATE frame SET symbol = -1",
		"DELETE FROM stack_node WHERE id = 0",
		"DELETE FROM stack_node",
		"UPDATE stack_node SET parent = id WHERE id > 0",
		"UPDATE stack_node SET parent = 3 WHERE id = 2",
		"UPDATE stack_node SET parent = 1, frame = 0 WHERE id = 0",
		"UPDATE stack_node SET frame = 99 WHERE id = 2",
		"UPDATE sample_thread SET comm = 'sixteen letters!'",
		"UPDATE sample SET trial = 77777",
		"UPDATE sample SET node = 77777",
		"UPDATE sample SET thread = 1",
		"UPDATE sample SET n_samples = -1",
		"UPDATE sample SET weight = 1e300",
		"WITH RECURSIVE n(i) AS (VALUES (9) UNION ALL SELECT i + 1 FROM n"
		" WHERE i < 20000) INSERT INTO note SELECT i, i FROM n",
		"DROP TABLE note",
		"CREATE TABLE more (x)",
		"CREATE INDEX i ON trial (arm)",
		"DROP TABLE note; CREATE VIEW note AS WITH RECURSIVE n(i) AS (VALUES (1)"
		" UNION ALL SELECT i + 1 FROM n) SELECT i AS pos, 'x' AS text FROM n",
		"CREATE TRIGGER t AFTER INSERT ON trial BEGIN DELETE FROM trial; END",
		"DROP TABLE note;"
		"CREATE TABLE note (pos INTEGER PRIMARY KEY, text TEXT AS (pos))",
	};
	const struct box *b = *state;
	unsigned char *bytes;
	size_t n, i;

	file_make(b, 30);
	bytes = bytes_get(b->path, &n);
	for (i = 0; i < N_OF(statements); i++) {
		struct run *run = NULL;
		struct sp_err err = { .code = SP_OK };

		bytes_put(b->path, bytes, n);
		sql(b->path, statements[i]);
		if (run_store_load(b->path, &run, &err) != -SP_EFORMAT ||
			strstr(err.msg, "damaged") == NULL ||
			strstr(err.msg, b->path) == NULL)
			fail_msg("%s: '%s'", statements[i], err.msg);
	}
	free(bytes);
}

int main(void)
{
#define BOX_TEST(f) cmocka_unit_test_setup_teardown(f, box_open, box_close)
	const struct CMUnitTest tests[] = {
		BOX_TEST(round_trip_is_exact),
		BOX_TEST(an_empty_run_round_trips),
		BOX_TEST(later_rows_are_added),
		BOX_TEST(resume_goes_on),
		BOX_TEST(an_existing_file_is_left_alone),
		BOX_TEST(failing_to_create_leaves_nothing),
		BOX_TEST(one_writer_many_readers),
		BOX_TEST(the_file_is_the_callers_under_sudo),
		BOX_TEST(misfits_are_refused),
		BOX_TEST(no_room_ends_with_a_sound_file),
		BOX_TEST(a_hot_journal_is_played_back),
		BOX_TEST(killed_writers_lose_nothing_finished),
		BOX_TEST(strangers_are_refused),
		BOX_TEST(damage_is_found),
		BOX_TEST(hostile_values_are_refused),
	};

	return cmocka_run_group_tests_name("run-store", tests, NULL, NULL);
}
