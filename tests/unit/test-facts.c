/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the SUT's threads and of how it was launched, from made-up trees. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "facttree.h"

#define VALUE(key, of)       ((int)facttree_value(&e, (key), (of)))
#define TEXT_IS(key, of, is) assert_string_equal(facttree_text(&e, (key), (of)), (is))
#define HAS(key, of)         facttree_has(&e, (key), (of))

static void put_many(const struct roottree *t, struct facttree_thread th)
{
	facttree_put_thread(t, &th);
}

/* Two edges of a tree of two processes: threads stay, are born, and end. */
static void threads_are_counted_between_edges(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };
	struct facttree_thread main = { .pid = 10,
		.tid = 10,
		.start = 5,
		.children = "20",
		.run_ns = 1000,
		.wait_ns = 100,
		.migrations = 7,
		.voluntary = 40,
		.involuntary = 4,
		.minor_faults = 30,
		.major_faults = 3 };

	facttree_put_thread(t, &main);
	put_many(t, (struct facttree_thread){ .pid = 10, .tid = 11, .run_ns = 500 });
	put_many(t, (struct facttree_thread){ .pid = 20, .tid = 20, .run_ns = 9 });
	facttree_begin(t, &e);
	main.run_ns = 51000;
	main.wait_ns = 350;
	main.migrations = 9;
	main.voluntary = 140;
	main.involuntary = 5;
	main.minor_faults = 130;
	main.major_faults = 4;
	facttree_put_thread(t, &main);
	facttree_drop_thread(t, 10, 11);
	/* 12 is new; 20 is another thread with the number of one that ended */
	put_many(t, (struct facttree_thread){ .pid = 10,
			    .tid = 12,
			    .start = 80,
			    .comm = "a) S 1 (b c",
			    .run_ns = 600,
			    .wait_ns = 60,
			    .migrations = 3,
			    .voluntary = 2 });
	put_many(t, (struct facttree_thread){
			    .pid = 20, .tid = 20, .start = 90, .run_ns = 70 });
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_RUN_NS, "fwd"), 50000);
	assert_int_equal(VALUE(FACT_WAIT_NS, "fwd"), 250);
	assert_int_equal(VALUE(FACT_MIGRATIONS, "fwd"), 2);
	assert_int_equal(VALUE(FACT_VOLUNTARY, "fwd"), 100);
	assert_int_equal(VALUE(FACT_INVOLUNTARY, "fwd"), 1);
	assert_int_equal(VALUE(FACT_MINOR_FAULTS, "fwd"), 100);
	assert_int_equal(VALUE(FACT_MAJOR_FAULTS, "fwd"), 1);
	assert_int_equal(VALUE(FACT_RUN_NS, "a) S 1 (b c"), 600);
	assert_int_equal(VALUE(FACT_WAIT_NS, "a) S 1 (b c"), 60);
	assert_int_equal(VALUE(FACT_MIGRATIONS, "a) S 1 (b c"), 3);
	assert_int_equal(VALUE(FACT_VOLUNTARY, "a) S 1 (b c"), 2);
	assert_int_equal(VALUE(FACT_RUN_NS, "fwd#2"), 70);
	assert_false(HAS(FACT_RUN_NS, "fwd#3"));
	facttree_done(&e);
}

static void placement_is_that_of_the_end(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };

	roottree_put(t, "sys/devices/system/node/online", "0-1\n");
	roottree_put(t, "sys/devices/system/node/node0/cpulist", "0,2\n");
	roottree_put(t, "sys/devices/system/node/node1/cpulist", "1,3-5\n");
	put_many(t, (struct facttree_thread){ .pid = 10, .tid = 10, .cpu = 3 });
	facttree_begin(t, &e);
	put_many(t, (struct facttree_thread){ .pid = 10,
			    .tid = 10,
			    .cpu = 0,
			    .nice = -5,
			    .cpus_allowed = "0-1,3",
			    .mems_allowed = "0-1" });
	put_many(t, (struct facttree_thread){ .pid = 10,
			    .tid = 11,
			    .comm = "rx",
			    .cpu = 4,
			    .policy = 1,
			    .rt_priority = 50 });
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_THREAD_CPU, "fwd"), 0);
	assert_int_equal(VALUE(FACT_THREAD_NODE, "fwd"), 0);
	assert_int_equal(VALUE(FACT_THREAD_NICE, "fwd"), -5);
	TEXT_IS(FACT_CPUS_ALLOWED, "fwd", "0-1,3");
	TEXT_IS(FACT_MEMS_ALLOWED, "fwd", "0-1");
	TEXT_IS(FACT_THREAD_POLICY, "fwd", "other");
	assert_int_equal(VALUE(FACT_THREAD_CPU, "rx"), 4);
	assert_int_equal(VALUE(FACT_THREAD_NODE, "rx"), 1);
	TEXT_IS(FACT_THREAD_POLICY, "rx", "fifo 50");
	/* The planned CPU, and those that were left and come to; 4 is offline. */
	assert_true(HAS(FACT_BUSY_NS, "0") && HAS(FACT_BUSY_NS, "1"));
	assert_true(HAS(FACT_BUSY_NS, "3"));
	assert_false(HAS(FACT_BUSY_NS, "4"));
	facttree_done(&e);
}

static void what_is_not_there_is_absent(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };
	struct facttree_thread th = { .pid = 10,
		.tid = 10,
		.no_sched = true,
		.no_schedstat = true,
		.no_status = true };
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);

	facttree_put_thread(t, &th);
	facttree_begin(t, &e);
	th.user_ticks = 42;
	facttree_put_thread(t, &th);
	facttree_end(&e, NS_PER_S);
	assert_true(HAS(FACT_THREAD_CPU, "fwd"));
	assert_int_equal(VALUE(FACT_RUN_NS, "fwd"), 42 * tick_ns);
	assert_false(HAS(FACT_MIGRATIONS, "fwd") || HAS(FACT_WAIT_NS, "fwd"));
	assert_false(HAS(FACT_VOLUNTARY, "fwd") || HAS(FACT_CPUS_ALLOWED, "fwd"));
	assert_false(HAS(FACT_THREAD_NODE, "fwd") || HAS(FACT_ENVIRONMENT, ""));
	assert_false(HAS(FACT_LIMITS, "") || HAS(FACT_CGROUP, "") ||
		     HAS(FACT_CWD, "") || HAS(FACT_STDIO, "") ||
		     HAS(FACT_PRELOAD, "") || HAS(FACT_TRACED, ""));
	assert_false(HAS(FACT_MEMORY_BYTES, "0") || HAS(FACT_IRQS, "1"));
	assert_false(HAS(FACT_IDLE_ENTRIES, "1") || HAS(FACT_CLOCK_SOURCE, ""));
	facttree_done(&e);
}

/* More threads than are kept: those that ran most, by their names among all. */
static void of_many_threads_the_busiest_are_kept(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };
	int i;

	for (i = 0; i < 2 * FACTS_MAX_THREADS; i++)
		put_many(t, (struct facttree_thread){ .pid = 10, .tid = 10 + i });
	facttree_begin(t, &e);
	for (i = 0; i < 2 * FACTS_MAX_THREADS; i++) /* every other one is busy */
		put_many(t, (struct facttree_thread){ .pid = 10,
				    .tid = 10 + i,
				    .run_ns = i % 2 == 1 ? 1000 : 10 });
	facttree_end(&e, NS_PER_S);
	assert_false(HAS(FACT_RUN_NS, "fwd"));
	assert_int_equal(VALUE(FACT_RUN_NS, "fwd#2"), 1000);
	assert_false(HAS(FACT_RUN_NS, "fwd#3"));
	assert_int_equal(VALUE(FACT_RUN_NS, "fwd#64"), 1000);
	facttree_done(&e);
}

/* A profiler that launches the SUT is the root of its tree, but not what is asked for.
 */
static void a_wrapper_is_not_the_sut(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };

	put_many(t, (struct facttree_thread){ .pid = 10,
			    .tid = 10,
			    .comm = "perf",
			    .children = "20",
			    .run_ns = 9000 });
	put_many(t, (struct facttree_thread){ .pid = 20, .tid = 20, .rss_kb = 7 });
	roottree_put(t, "proc/10/personality", "00040000\n");
	roottree_put(t, "proc/20/personality", "00000000\n");
	facttree_begin(t, &e);
	put_many(t, (struct facttree_thread){
			    .pid = 20, .tid = 20, .rss_kb = 7, .run_ns = 800 });
	facttree_end(&e, NS_PER_S);
	TEXT_IS(FACT_PERSONALITY, "", "00000000");
	assert_int_equal(VALUE(FACT_RSS_BYTES, ""), 7 * 1024);
	facttree_done(&e);
	/* Where nothing ran it is the root. */
	e = (struct facttree_edges){ .q = { .pid = 10 } };
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	TEXT_IS(FACT_PERSONALITY, "", "00040000");
	facttree_done(&e);
}

static void put_bytes(
	const struct roottree *t, const char *path, const char *bytes, size_t n)
{
	char full[160];
	FILE *f;

	roottree_put(t, path, "");
	(void)snprintf(full, sizeof(full), "%s/%s", t->path, path);
	f = fopen(full, "w");
	assert_non_null(f);
	assert_int_equal(fwrite(bytes, 1, n, f), n);
	assert_int_equal(fclose(f), 0);
}

static void launch_is_told(void **state)
{
	/* Hashes: the published FNV-1a values of "", "a" and "foobar", folded. */
	static const char env[] =
		"Z=a\0EMPTY=\0A=foobar\0"
		"LD_PRELOAD=/opt/x/libone.so libtwo.so:/a/libthree.so\0";
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };

	put_many(t, (struct facttree_thread){ .pid = 10, .tid = 10, .tracer = 77 });
	put_bytes(t, "proc/10/environ", env, sizeof(env) - 1);
	roottree_put(t, "proc/10/maps",
		"5500-5600 r-xp 00000000 08:01 1     /usr/bin/fwd\n"
		"7f00-7f01 r-xp 00000000 08:01 2     /opt/x/libone.so\n"
		"7f01-7f02 r-xp 00000000 08:01 3     /opt/v/libittnotify_collector.so\n"
		"7f02-7f03 rw-p 00000000 08:01 3     /opt/v/libittnotify_collector.so\n"
		"7ffd-7ffe rw-p 00000000 00:00 0     [stack]\n");
	roottree_put(t, "proc/10/limits",
		"Limit                     Soft Limit           Hard Limit           Units     \n"
		"Max cpu time              unlimited            unlimited            seconds   \n"
		"Max open files            1024                 4096                 files     \n"
		"Max locked memory         8388608              8388608              bytes     \n"
		"Max nice priority         0                    0                    \n");
	facttree_put_link(t, "proc/10/cwd", "/srv/a folder");
	facttree_put_link(t, "proc/10/fd/0", "/dev/null");
	facttree_put_link(t, "proc/10/fd/2", "pipe:[1234]");
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_string_equal(
		strstr(facttree_text(&e, FACT_ENVIRONMENT, ""), "Z="), "Z=0c29c8");
	assert_ptr_equal(strstr(facttree_text(&e, FACT_ENVIRONMENT, ""),
				 "A=9cf9d7 EMPTY=1c9d44 LD_PRELOAD="),
		facttree_text(&e, FACT_ENVIRONMENT, ""));
	assert_int_equal(VALUE(FACT_ENVIRONMENT_BYTES, ""), sizeof(env) - 1);
	TEXT_IS(FACT_PRELOAD, "",
		"libone.so libtwo.so libthree.so libittnotify_collector.so");
	TEXT_IS(FACT_LIMITS, "", "cpu=unlimited nofile=1024 memlock=8388608 nice=0");
	TEXT_IS(FACT_CWD, "", "/srv/a folder");
	TEXT_IS(FACT_STDIO, "", "null closed pipe");
	TEXT_IS(FACT_SIGNALS_CAUGHT, "", "0000000180004202");
	assert_int_equal(VALUE(FACT_TRACED, ""), 1);
	facttree_done(&e);
}

static void throttling_of_all_groups_above(void **state)
{
	static const char leaf[] = "sys/fs/cgroup/a.slice/b.scope/cpu.stat";
	static const char top[] = "sys/fs/cgroup/a.slice/cpu.stat";
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };

	put_many(t, (struct facttree_thread){ .pid = 10, .tid = 10 });
	roottree_put(t, "proc/10/cgroup", "1:name=systemd:/\n0::/a.slice/b.scope\n");
	roottree_put(t, "sys/fs/cgroup/cpu.stat", "usage_usec 900\n");
	roottree_put(t, top,
		"usage_usec 9\nnr_periods 5\nnr_throttled 2\n"
		"throttled_usec 20\n");
	roottree_put(t, leaf, "nr_throttled 1\nthrottled_usec 100\n");
	facttree_begin(t, &e);
	roottree_put(t, top,
		"usage_usec 9\nnr_periods 5\nnr_throttled 5\n"
		"throttled_usec 25\n");
	roottree_put(t, leaf, "nr_throttled 11\nthrottled_usec 400\n");
	facttree_end(&e, NS_PER_S);
	TEXT_IS(FACT_CGROUP, "", "/a.slice/b.scope");
	assert_int_equal(VALUE(FACT_THROTTLED, ""), 13);
	assert_int_equal(VALUE(FACT_THROTTLED_NS, ""), 305000);
	facttree_done(&e);
	/* It moved between the edges: two groups' counts have no difference. */
	e = (struct facttree_edges){ .q = { .pid = 10 } };
	facttree_begin(t, &e);
	roottree_put(t, "proc/10/cgroup", "0::/a.slice\n");
	facttree_end(&e, NS_PER_S);
	TEXT_IS(FACT_CGROUP, "", "/a.slice");
	assert_false(HAS(FACT_THROTTLED, ""));
	facttree_done(&e);
}

static void throttling_of_version_1(void **state)
{
	static const char stat[] = "sys/fs/cgroup/cpu,cpuacct/box/cpu.stat";
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };

	put_many(t, (struct facttree_thread){ .pid = 10, .tid = 10 });
	roottree_put(t, "proc/10/cgroup",
		"9:memory:/box\n3:cpuset:/\n2:cpu,cpuacct:/box\n0::/\n");
	roottree_put(t, stat, "nr_periods 9\nnr_throttled 4\nthrottled_time 5000\n");
	/* The other hierarchy has no say. */
	roottree_put(t, "sys/fs/cgroup/cpu.stat", "nr_throttled 1\n");
	facttree_begin(t, &e);
	roottree_put(t, stat, "nr_periods 9\nnr_throttled 6\nthrottled_time 5700\n");
	facttree_end(&e, NS_PER_S);
	TEXT_IS(FACT_CGROUP, "", "memory:/box cpu,cpuacct:/box");
	assert_int_equal(VALUE(FACT_THROTTLED, ""), 2);
	assert_int_equal(VALUE(FACT_THROTTLED_NS, ""), 700);
	facttree_done(&e);
	/* A path that leads out of what is shown here. */
	roottree_put(t, "proc/10/cgroup", "0::/../other\n");
	roottree_put(t, "sys/fs/other/cpu.stat", "nr_throttled 6\n");
	e = (struct facttree_edges){ .q = { .pid = 10 } };
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	TEXT_IS(FACT_CGROUP, "", "/../other");
	assert_false(HAS(FACT_THROTTLED, ""));
	facttree_done(&e);
}

static bool has_note(const struct run *r, const char *text)
{
	size_t i;

	for (i = 0; i < r->n_notes; i++)
		if (strstr(r->notes[i], text) != NULL)
			return true;
	return false;
}

static void what_is_absent_is_named(void **state)
{
	struct run *r = run_new(), *none = run_new();
	struct facts fs = { 0 };
	size_t i;

	(void)state;
	facts_add(&fs, FACT_THREAD_CPU, "fwd", 1);
	facts_add(&fs, FACT_IRQS, "1", 1);
	facts_absent_note(&fs, true, r);
	assert_true(has_note(r, "migrations (/proc/PID/task/TID/sched)"));
	assert_true(has_note(r, "of the SUT's threads: thread_node"));
	assert_true(has_note(r,
		"idle_entries, idle_deep_ns (/sys/devices/system/cpu/cpuN/cpuidle); "));
	assert_false(has_note(r, "thread_cpu"));
	assert_false(has_note(r, "others_top"));
	assert_false(has_note(r, "irqs,"));
	for (i = 0; i < r->n_notes; i++)
		assert_true(strlen(r->notes[i]) < 500);
	/* The kernel forwards: nobody's threads are missed. */
	facts_absent_note(&fs, false, none);
	assert_false(has_note(none, "the SUT"));
	assert_true(has_note(none, "clock_source"));
	run_free(r);
	run_free(none);
	facts_done(&fs);
}

/* This kernel, this program. */
static void live(void **state)
{
	struct facttree_edges e = { .q = { .pid = getpid(), .self = getppid() } };
	struct roottree root = { .fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) };
	uint64_t from_ns = clock_now_ns(&clock_thread_cpu), used_ns;
	char cwd[4096];
	size_t i;

	(void)state;
	assert_true(root.fd >= 0);
	facttree_begin(&root, &e);
	while ((used_ns = clock_now_ns(&clock_thread_cpu) - from_ns) < 60 * NS_PER_MS)
		;
	(void)usleep(1000); /* switched away: the kernel's account is up to date */
	facttree_end(&e, 80 * NS_PER_MS);
	assert_in_range(VALUE(FACT_RUN_NS, "test-facts"), 30 * NS_PER_MS,
		used_ns + 60 * NS_PER_MS);
	assert_true(VALUE(FACT_THREAD_CPU, "test-facts") >= 0);
	assert_true(facttree_text(&e, FACT_CPUS_ALLOWED, "test-facts")[0] != '\0');
	assert_non_null(strstr(facttree_text(&e, FACT_LIMITS, ""), "nofile="));
	assert_non_null(getcwd(cwd, sizeof(cwd)));
	TEXT_IS(FACT_CWD, "", cwd);
	assert_true(VALUE(FACT_RSS_BYTES, "") > 100000);
	for (i = 1; i < e.facts.n; i++)
		assert_true(e.facts.f[i - 1].key <= e.facts.f[i].key);
	facttree_done(&e);
	(void)close(root.fd);
}

/* ksoftirqd and satprof's own threads, each on its CPU; other kernel threads are not.
 */
static void what_the_measurement_runs_itself(void **state)
{
	const struct roottree *t = *state;
	static const int cpus[] = { 0, 1 };
	struct facttree_edges e = { .q = { .pid = 10, .cpus = cpus, .n_cpus = 2 } };
	uint64_t i;

	for (i = 0; i < 2; i++) {
		put_many(t, (struct facttree_thread){ .pid = 2,
				    .tid = 2,
				    .flags = 0x200000,
				    .children = "7 8 9 " });
		put_many(t, (struct facttree_thread){ .pid = 7,
				    .tid = 7,
				    .comm = "ksoftirqd/0",
				    .run_ns = 3 + 20 * i });
		put_many(t, (struct facttree_thread){ .pid = 8,
				    .tid = 8,
				    .comm = "kworker/1",
				    .cpu = 1,
				    .run_ns = 5000 * i });
		put_many(t, (struct facttree_thread){ .pid = 9,
				    .tid = 9,
				    .comm = "ksoftirqd/1",
				    .cpu = 1,
				    .run_ns = 4 + 700 * i });
		put_many(t,
			(struct facttree_thread){
				.pid = 99, .tid = 99, .cpu = 0, .run_ns = 1 + 40 * i });
		if (i == 0)
			facttree_begin(t, &e);
	}
	/* A receiver that was born meanwhile. */
	put_many(t, (struct facttree_thread){
			    .pid = 99, .tid = 98, .cpu = 0, .run_ns = 6 });
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_SOFTIRQD_NS, "0"), 20);
	assert_int_equal(VALUE(FACT_SOFTIRQD_NS, "1"), 700);
	assert_int_equal(VALUE(FACT_BENCH_NS, "0"), 46);
	assert_int_equal(VALUE(FACT_BENCH_NS, "1"), 0);
	facttree_done(&e);
}

int main(void)
{
#define TREE_TEST(f)                                                                   \
	cmocka_unit_test_setup_teardown(f, facttree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		TREE_TEST(threads_are_counted_between_edges),
		TREE_TEST(placement_is_that_of_the_end),
		TREE_TEST(what_is_not_there_is_absent),
		TREE_TEST(of_many_threads_the_busiest_are_kept),
		TREE_TEST(a_wrapper_is_not_the_sut),
		TREE_TEST(launch_is_told),
		TREE_TEST(throttling_of_all_groups_above),
		TREE_TEST(throttling_of_version_1),
		TREE_TEST(what_the_measurement_runs_itself),
		cmocka_unit_test(what_is_absent_is_named),
		cmocka_unit_test(live),
	};

	return cmocka_run_group_tests_name("facts", tests, NULL, NULL);
}
