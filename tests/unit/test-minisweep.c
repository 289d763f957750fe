/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How long the SUT waited for others. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "plan/minisweep.h"

/* 1,000 ns, in which a thread on CPU 0 waits 300 and one on CPU 1 waits 500. */
static void make_trial(struct trial *t, struct thread_use threads[2])
{
	*t = (struct trial){
		.spec = { .duration_ns = 1000 }, .threads = threads, .n_threads = 2
	};
	threads[0] = (struct thread_use){ .cpu = 0, .wait_ns = 300 };
	threads[1] = (struct thread_use){ .cpu = 1, .wait_ns = 500 };
}

static void without_facts_all_of_it_counts(void **state)
{
	struct thread_use threads[2];
	struct trial t;

	(void)state;
	make_trial(&t, threads);
	assert_true(fabs(minisweep_wait_frac(&t) - 0.5) < 1e-12);
	t.n_threads = 0;
	assert_true(fabs(minisweep_wait_frac(&t) - 0) < 1e-12);
}

static void the_packets_own_work_and_satprof_are_no_others(void **state)
{
	struct thread_use threads[2];
	struct trial t;

	(void)state;
	make_trial(&t, threads);
	facts_add(&t.facts, FACT_SOFTIRQD_NS, "1", 240);
	assert_true(fabs(minisweep_wait_frac(&t) - 0.3) < 1e-12); /* now CPU 0's */
	facts_add(&t.facts, FACT_BENCH_NS, "0", 250);
	assert_true(fabs(minisweep_wait_frac(&t) - 0.26) < 1e-12);
	/* Both ran more there than it waited: they did not have it wait all the time.
	 */
	facts_add(&t.facts, FACT_BENCH_NS, "1", 900);
	facts_add(&t.facts, FACT_SOFTIRQD_NS, "0", 900);
	assert_true(fabs(minisweep_wait_frac(&t) - 0) < 1e-12);
	facts_done(&t.facts);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(without_facts_all_of_it_counts),
		cmocka_unit_test(the_packets_own_work_and_satprof_are_no_others),
	};

	return cmocka_run_group_tests_name("minisweep", tests, NULL, NULL);
}
