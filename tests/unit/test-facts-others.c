/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of other programs than the SUT, from made-up trees. */
#include "config.h"

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

#define VALUE(key, of)       ((long)facttree_value(&e, (key), (of)))
#define TEXT_IS(key, of, is) assert_string_equal(facttree_text(&e, (key), (of)), (is))
#define HAS(key, of)         facttree_has(&e, (key), (of))

static const int all_cpus[] = { 0, 1, 2, 3 };

static void put_many(const struct roottree *t, struct facttree_thread th)
{
	facttree_put_thread(t, &th);
}

/* On CPU 1: the SUT, satprof, a kernel thread, and others. */
static void others_are_neither_the_sut_nor_satprof(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };
	uint64_t tick_ns = NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK);
	int i;

	for (i = 0; i < 2; i++) {
		uint64_t ns = (uint64_t)i * 100 * NS_PER_MS;

		put_many(t, (struct facttree_thread){ .pid = 2,
				    .tid = 2,
				    .flags = 0x200000,
				    .children = "3 " });
		put_many(t, (struct facttree_thread){ .pid = 3,
				    .tid = 3,
				    .flags = 0x200000,
				    .cpu = 1,
				    .run_ns = 5 * ns });
		put_many(t, (struct facttree_thread){ .pid = 4, /* not in the list */
				    .tid = 4,
				    .flags = 0x200040,
				    .cpu = 1,
				    .run_ns = 5 * ns });
		put_many(t, (struct facttree_thread){
				    .pid = 10, .tid = 10, .cpu = 1, .run_ns = 5 * ns });
		put_many(t, (struct facttree_thread){
				    .pid = 99, .tid = 99, .cpu = 1, .run_ns = 5 * ns });
		put_many(t, (struct facttree_thread){ .pid = 50,
				    .tid = 50,
				    .comm = "burn (1",
				    .cpu = 1,
				    .run_ns = 7 + 3 * ns });
		put_many(t, (struct facttree_thread){ .pid = 51,
				    .tid = 51,
				    .comm = "many",
				    .n_threads = 4,
				    .cpu = 1,
				    .user_ticks = 1000 + 11 * i,
				    .run_ns = 3 });
		put_many(t, (struct facttree_thread){ .pid = 52,
				    .tid = 52,
				    .comm = "there",
				    .cpu = 0,
				    .run_ns = 9 + ns / 20 });
		if (i == 0)
			facttree_begin(t, &e);
	}
	put_many(t, (struct facttree_thread){ .pid = 60,
			    .tid = 60,
			    .comm = "born",
			    .cpu = 1,
			    .run_ns = 1000 });
	e.q.cpus = all_cpus;
	e.q.n_cpus = 2;
	facttree_end(&e, NS_PER_S);
	assert_int_equal(
		VALUE(FACT_OTHERS_NS, "1"), 300 * NS_PER_MS + 11 * tick_ns + 1000);
	TEXT_IS(FACT_OTHERS_TOP, "1", "burn (1 30 %");
	/* Less than a hundredth of the time is not worth a name. */
	assert_int_equal(VALUE(FACT_OTHERS_NS, "0"), 5 * NS_PER_MS);
	assert_false(HAS(FACT_OTHERS_TOP, "0"));
	facttree_done(&e);
}

/* Eight threads on eight CPUs count where the first of them is: not more than there is,
 * and not what the SUT had. */
static void others_have_no_more_than_the_cpu(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };
	int ticks = (int)sysconf(_SC_CLK_TCK), i;

	for (i = 0; i < 2; i++) {
		put_many(t, (struct facttree_thread){ .pid = 10,
				    .tid = 10,
				    .cpu = 1,
				    .run_ns = (uint64_t)i * 700 * NS_PER_MS });
		put_many(t, (struct facttree_thread){ .pid = 50,
				    .tid = 50,
				    .comm = "collector",
				    .n_threads = 8,
				    .cpu = 1,
				    .user_ticks = 8 * ticks * i });
		if (i == 0)
			facttree_begin(t, &e);
	}
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_OTHERS_NS, "1"), 300 * NS_PER_MS);
	TEXT_IS(FACT_OTHERS_TOP, "1", "collector 30 %");
	facttree_done(&e);
}

/* A run file holds the facts of so many CPUs; the planned ones are among them. */
static void not_more_cpus_than_fit(void **state)
{
	const struct roottree *t = *state;
	static const int planned[] = { 3 };
	struct facttree_edges e = { .q = { .pid = 10, .cpus = planned, .n_cpus = 1 } };
	int i;

	for (i = 0; i < 400; i++)
		put_many(t, (struct facttree_thread){
				    .pid = 10, .tid = 10 + i, .cpu = 1000 + i });
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_true(HAS(FACT_OTHERS_NS, "3"));
	assert_true(HAS(FACT_OTHERS_NS, "1000"));
	assert_false(HAS(FACT_OTHERS_NS, "1399"));
	facttree_done(&e);
}

/* An edge that is read again, as in the next trial: who ran is read anew. */
static void others_of_the_next_trial(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 0 } };
	struct facttree_thread lazy = { .pid = 50, .tid = 50, .cpu = 1, .run_ns = 7 };
	struct facttree_thread busy = { .pid = 51, .tid = 51, .cpu = 0, .run_ns = 9 };

	facttree_put_thread(t, &lazy);
	facttree_put_thread(t, &busy);
	facttree_begin(t, &e);
	busy.cpu = 1;
	busy.comm = "moved";
	busy.run_ns = 1000;
	facttree_put_thread(t, &busy);
	/* Born between two trials: not in this one. */
	facttree_put_thread(t, &(struct facttree_thread){
				       .pid = 52, .tid = 52, .cpu = 1, .run_ns = 100 });
	facts_snapshot_read(&e.q, &e.proc[0], NULL, e.s[0]);
	busy.run_ns += 300 * NS_PER_MS;
	facttree_put_thread(t, &busy);
	lazy.run_ns += 20 * NS_PER_MS;
	facttree_put_thread(t, &lazy);
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_OTHERS_NS, "1"), 320 * NS_PER_MS);
	TEXT_IS(FACT_OTHERS_TOP, "1", "moved 30 %");
	facttree_done(&e);
}

/* Where only one's own processes are shown nobody knows what the others do. */
static void hidden_processes_are_not_zero(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };

	put_many(t, (struct facttree_thread){ .pid = 10, .tid = 10 });
	roottree_put(t, "proc/1/stat", "");
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_false(HAS(FACT_OTHERS_NS, "1"));
	facttree_done(&e);
}

int main(void)
{
#define TREE_TEST(f)                                                                   \
	cmocka_unit_test_setup_teardown(f, facttree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		TREE_TEST(others_are_neither_the_sut_nor_satprof),
		TREE_TEST(others_have_no_more_than_the_cpu),
		TREE_TEST(not_more_cpus_than_fit),
		TREE_TEST(others_of_the_next_trial),
		TREE_TEST(hidden_processes_are_not_zero),
	};

	return cmocka_run_group_tests_name("facts-others", tests, NULL, NULL);
}
