/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Run files after kill -9, damage, and what strangers write into them. */
#include "config.h"

#include <setjmp.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "../fixture/store_box.h"
#include "base/mem.h"
#include "codec/run_store.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* A killed writer's journal: made by SQLite itself, in the middle of a commit. */
static void a_hot_journal_is_played_back(void **state)
{
	const struct store_box *b = *state;
	char journal[128];
	pid_t pid;

	store_box_make(b, 4);
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
	assert_int_equal(store_box_trials(b), 4);
	assert_int_equal(store_box_n_files(b), 1);
}

static uint64_t rng_next(uint64_t *state)
{
	uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	return (z ^ (z >> 27)) >> 7;
}

/* In the child: trials as fast as they go, each told when it is safe. */
static void writer_run(const struct store_box *b, int out)
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
static size_t writer_kill(const struct store_box *b, size_t n_wait, uint64_t delay_us)
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
	const struct store_box *b = *state;
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

static void strangers_are_refused(void **state)
{
	const struct store_box *b = *state;

	store_box_load_fails("/nonexistent/x", SP_EIO, "No such file");
	store_box_load_fails(":memory:", SP_EIO, "No such file");
	store_box_load_fails(b->dir, SP_EFORMAT, "not a file");
	store_box_load_fails("/dev/null", SP_EFORMAT, "not a file");
	store_box_put(b->path, "", 0);
	store_box_load_fails(b->path, SP_EFORMAT, "not a satprof run file");
	store_box_put(b->path, "cpu,user\n1,2\n", 13);
	store_box_load_fails(b->path, SP_EFORMAT, "not a satprof run file");
	assert_int_equal(unlink(b->path), 0);
	store_box_sql(b->path, "CREATE TABLE trial (id INTEGER)");
	store_box_load_fails(b->path, SP_EFORMAT, "not a satprof run file");
	assert_int_equal(unlink(b->path), 0);
	store_box_make(b, 1);
	store_box_sql(b->path, "PRAGMA user_version = 2");
	store_box_load_fails(b->path, SP_EFORMAT, "newer satprof");
	store_box_sql(b->path, "PRAGMA user_version = 1; PRAGMA journal_mode = WAL");
	store_box_load_fails(b->path, SP_EFORMAT, "format");
}

/* A cut or changed file fails or loads; it never crashes, and resume agrees. */
static void damage_is_found(void **state)
{
	const struct store_box *b = *state;
	uint64_t seed = UINT64_C(77), rng = seed;
	unsigned char *bytes;
	size_t n, i;

	store_box_make(b, 6);
	bytes = store_box_get(b->path, &n);
	for (i = 1; i < 20; i++) {
		store_box_put(b->path, bytes, n * i / 20);
		store_box_load_fails(b->path, SP_EFORMAT, "damaged");
	}
	print_message("# seed %llu\n", (unsigned long long)seed);
	for (i = 0; i < 300; i++) {
		size_t at = 100 + rng_next(&rng) % (n - 100);
		unsigned char old = bytes[at];
		struct run *run = NULL;
		struct sp_err err = { .code = SP_OK };

		bytes[at] ^= (unsigned char)(1u << rng_next(&rng) % 8);
		store_box_put(b->path, bytes, n);
		if (run_store_load(b->path, &run, &err) == 0)
			run_free(run);
		else
			assert_int_equal(err.code, SP_EFORMAT);
		bytes[at] = old;
	}
	free(bytes);
}

/* What a stranger may write into our tables. */
static const char *const hostile_statements[] = {
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
	"UPDATE fact_key SET scope = 'cpu' WHERE key = 'clock_source'",
	"UPDATE fact_key SET key = 'rss_bytes' WHERE key = 'clock_source'",
	"UPDATE fact_key SET object = hex(zeroblob(16)) WHERE key = 'preload'",
	"UPDATE fact_key SET object = x'00' WHERE key = 'preload'",
	"DELETE FROM fact_key WHERE key = 'preload'",
	"DELETE FROM fact_text WHERE text = ''",
	"UPDATE fact_text SET text = 'a' || char(0) WHERE text = ''",
	"UPDATE fact SET trial = 77777 WHERE trial = 3",
	"UPDATE fact SET text = 1 WHERE text IS NULL",
	"UPDATE fact SET value = 1 WHERE text IS NOT NULL",
	"UPDATE fact SET value = NULL",
	"UPDATE fact SET value = 'many' WHERE text IS NULL",
	"UPDATE fact SET value = 9e999 WHERE text IS NULL",
	"UPDATE fact SET value = -1 WHERE value = 9007199254740991",
	"WITH RECURSIVE n(i) AS (VALUES (99) UNION ALL SELECT i + 1 FROM n"
	" WHERE i < 20000) INSERT INTO fact SELECT 3, i, 1, 1, NULL FROM n",
	"UPDATE counter SET event = 4",
	"UPDATE counter SET state = ''",
	"UPDATE event SET state = 'ok?'",
	"DELETE FROM event WHERE id = 0",
	"UPDATE arm SET name = 'format-c@1'",
	"UPDATE arm SET id = 7 WHERE id = 2",
	"UPDATE arm SET hz = -1.0",
	"UPDATE arm SET name = 'off+luck' WHERE id = 3",
	"UPDATE arm SET name = 'off+idle' WHERE id = 3",
	"UPDATE arm SET name = 'count+idle' WHERE id = 1",
	"DELETE FROM arm_force",
	"UPDATE arm_force SET arm = 2",
	"UPDATE arm_force SET phase = 2",
	"UPDATE arm_force SET phase = 2 WHERE pos = 1",
	"UPDATE arm_force SET observed = 3",
	"UPDATE arm_force SET observed = 0",
	"UPDATE arm_force SET factor = 'magic'",
	"UPDATE arm_force SET of = hex(zeroblob(16))",
	"UPDATE arm_force SET value = hex(zeroblob(32))",
	"UPDATE arm_force SET number = 'many'",
	"INSERT INTO arm_force SELECT 3, 100 + id, 1, 2, 'placement', '', '', 0"
	" FROM trial",
	"UPDATE trial SET phase = 1 WHERE id = 2",
	"UPDATE trial SET phase = 1",
	"UPDATE trial SET phase = 2 WHERE id = 30",
	"UPDATE config SET n_confirm = 1000",
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
	"UPDATE config SET ndr = 'heavy'",
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
	"UPDATE frame SET is_named = 2",
	"UPDATE frame SET is_named = 1, symbol = NULL",
	"UPDATE sample SET event = 4",
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

static void hostile_values_are_refused(void **state)
{
	const struct store_box *b = *state;
	unsigned char *bytes;
	size_t n, i;

	store_box_make(b, 30);
	bytes = store_box_get(b->path, &n);
	for (i = 0; i < N_OF(hostile_statements); i++) {
		struct run *run = NULL;
		struct sp_err err = { .code = SP_OK };

		store_box_put(b->path, bytes, n);
		store_box_sql(b->path, hostile_statements[i]);
		if (run_store_load(b->path, &run, &err) != -SP_EFORMAT ||
			strstr(err.msg, "damaged") == NULL ||
			strstr(err.msg, b->path) == NULL)
			fail_msg("%s: '%s'", hostile_statements[i], err.msg);
	}
	free(bytes);
}

int main(void)
{
#define BOX_TEST(f) cmocka_unit_test_setup_teardown(f, store_box_open, store_box_close)
	const struct CMUnitTest tests[] = {
		BOX_TEST(a_hot_journal_is_played_back),
		BOX_TEST(killed_writers_lose_nothing_finished),
		BOX_TEST(strangers_are_refused),
		BOX_TEST(damage_is_found),
		BOX_TEST(hostile_values_are_refused),
	};

	return cmocka_run_group_tests_name("run-store-damage", tests, NULL, NULL);
}
