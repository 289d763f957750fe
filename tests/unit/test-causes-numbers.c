/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes that are numbers: each is named where it could matter, in its words, and in
 * the right order; and is not below. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "causerun.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void test_others_took_the_cpu(void **state)
{
	static const struct planted burn[] = {
		{ FACT_OTHERS_NS, "1", 0.01, 0.48, NULL, NULL },
		{ FACT_OTHERS_TOP, "1", 0, 0, "Web Content 1 %", "burn 47 %" },
		{ FACT_WAIT_NS, "fwd", 0.01, 0.4, NULL, NULL },
		{ FACT_INVOLUNTARY, "fwd", 20, 500, NULL, NULL },
		{ FACT_IDLE_ENTRIES, "1", 3000, 100, NULL, NULL },
	};
	static const struct planted nameless[] = {
		{ FACT_OTHERS_NS, "1", 0.01, 0.48, NULL, NULL },
		{ FACT_OTHERS_TOP, "1", 0, 0, "", "burn" },
	};

	(void)state;
	causerun_assert_why("profiler", -0.5, burn, N_OF(burn), FACTOR_CONTENTION,
		"other programs took 48 % of CPU 1 with profiler (burn: 47 %), 1.0 % "
		"with off");
	causerun_assert_why("profiler", -0.5, nameless, N_OF(nameless),
		FACTOR_CONTENTION,
		"other programs took 48 % of CPU 1 with profiler (burn), 1.0 % with "
		"off");
	/* Who takes a CPU away does not help. */
	causerun_assert_why("profiler", 0.5, burn, 2, N_FACTORS, "");
}

/* Each number fires where it could matter, and not below. */
static void test_numbers(void **state)
{
	static const struct {
		struct planted small, large;
		enum factor factor;
		double ln_shift;
		const char *evidence;
	} rows[] = {
		{ { FACT_WAIT_NS, "fwd", 0.01, 0.03, NULL, NULL },
			{ FACT_WAIT_NS, "fwd", 0.01, 0.25, NULL, NULL },
			FACTOR_CONTENTION, -0.2,
			"thread fwd waited for a CPU 25 % of the time with profiler, "
			"1.0 % with off" },
		{ { FACT_INVOLUNTARY, "fwd", 20, 60, NULL, NULL },
			{ FACT_INVOLUNTARY, "fwd", 20, 2000, NULL, NULL },
			FACTOR_CONTENTION, -0.2,
			"thread fwd: 2000 involuntary context switches a second with "
			"profiler, 20 with off" },
		{ { FACT_THROTTLED_NS, "", 0, 0.005, NULL, NULL },
			{ FACT_THROTTLED_NS, "", 0, 0.2, NULL, NULL },
			FACTOR_CONTENTION, -0.2,
			"the control group held the SUT back 20 % of the time with "
			"profiler, 0 % with off" },
		{ { FACT_NUMA_MIGRATED, "", 0, 500, NULL, NULL },
			{ FACT_NUMA_MIGRATED, "", 0, 20000, NULL, NULL }, FACTOR_MEMORY,
			-0.2,
			"the machine: 20000 pages moved between nodes a second with "
			"profiler, 0 with off" },
		{ { FACT_FREQUENCY_HZ, "1", 3.0e9, 3.03e9, NULL, NULL },
			{ FACT_FREQUENCY_HZ, "1", 3.0e9, 3.6e9, NULL, NULL },
			FACTOR_FREQUENCY, 0.2,
			"CPU 1 ran at 3.60 GHz with profiler, 3.00 GHz with off" },
		{ { FACT_IDLE_DEEP_NS, "1", 0.1, 0.09, NULL, NULL },
			{ FACT_IDLE_DEEP_NS, "1", 0.3, 0.002, NULL, NULL }, FACTOR_IDLE,
			0.2,
			"CPU 1 was in deep idle states 0.2 % of the time with "
			"profiler, 30 % with off" },
		{ { FACT_IRQ_RESCHED, "1", 100, 300, NULL, NULL },
			{ FACT_IRQ_RESCHED, "1", 100, 9000, NULL, NULL },
			FACTOR_WAKEUPS, -0.2,
			"CPU 1: 9000 rescheduling interrupts a second with profiler, "
			"100 with off" },
		{ { FACT_IRQ_NMI, "1", 0, 1, NULL, NULL },
			{ FACT_IRQ_NMI, "1", 0, 1000, NULL, NULL }, FACTOR_SAMPLING,
			-0.2,
			"CPU 1: 1000 NMIs and counter interrupts a second with "
			"profiler, 0 with off" },
		{ { FACT_STEAL_NS, "1", 0, 0.01, NULL, NULL },
			{ FACT_STEAL_NS, "1", 0, 0.12, NULL, NULL }, FACTOR_STEAL, -0.2,
			"the hypervisor took 12 % of CPU 1 with profiler, 0 % with "
			"off" },
		{ { FACT_RSS_BYTES, "", 10e6, 11e6, NULL, NULL },
			{ FACT_RSS_BYTES, "", 10e6, 60e6, NULL, NULL }, FACTOR_MEMORY,
			-0.2,
			"the SUT: resident memory 60.0 MB with profiler, 10.0 MB with "
			"off" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		struct planted reverse = rows[i].large;

		causerun_assert_why(
			"profiler", rows[i].ln_shift, &rows[i].small, 1, N_FACTORS, "");
		causerun_assert_why("profiler", rows[i].ln_shift, &rows[i].large, 1,
			rows[i].factor, rows[i].evidence);
		/* It can only move the knee to the other side. */
		reverse.ref = rows[i].large.arm;
		reverse.arm = rows[i].large.ref;
		if (rows[i].factor != FACTOR_WAKEUPS && reverse.key != FACT_RSS_BYTES)
			causerun_assert_why("profiler", rows[i].ln_shift, &reverse, 1,
				N_FACTORS, "");
	}
}

/* Twice the packets are twice the interrupts. */
static void test_what_follows_the_packets(void **state)
{
	static const struct planted same[] = {
		{ FACT_IRQS, "1", 10000, 20000, NULL, NULL },
		{ FACT_SOFTNET_PACKETS, "1", 300e3, 600e3, NULL, NULL },
	};
	static const struct planted moved[] = {
		{ FACT_SOFTNET_PACKETS, "0", 300e3, 0, NULL, NULL },
		{ FACT_SOFTNET_PACKETS, "1", 0, 600e3, NULL, NULL },
	};
	struct answer w;

	(void)state;
	causerun_assert_why("profiler", log(2), same, N_OF(same), N_FACTORS, "");
	w = causerun_answer("profiler", log(2), moved, N_OF(moved));
	assert_int_equal(w.n, 2);
	assert_int_equal(w.c[0].factor, FACTOR_INTERRUPTS);
	assert_string_equal(w.c[0].of, "1");
	assert_string_equal(w.c[0].arm_value, "600000/s");
	assert_string_equal(w.c[1].of, "0");
	causerun_done(&w);
}

/* Fewer wake-ups for the same packets: more packets to each. */
static void test_batches(void **state)
{
	static const struct planted fewer[] = {
		{ FACT_VOLUNTARY, "fwd", 60e3, 20e3, NULL, NULL },
	};
	static const struct planted more[] = {
		{ FACT_VOLUNTARY, "fwd", 20e3, 60e3, NULL, NULL },
	};
	struct answer w = causerun_answer("profiler", 0.1, fewer, 1);

	(void)state;
	assert_int_equal(w.n, 1);
	assert_int_equal(w.c[0].factor, FACTOR_BATCHING);
	assert_true(fabs(w.c[0].ref / 5.3 - 1) < 0.1); /* of 300 kpps and above */
	assert_true(fabs(w.c[0].arm / w.c[0].ref / 3.3 - 1) < 0.05);
	causerun_done(&w);
	causerun_assert_why("profiler", -0.1, more, 1, FACTOR_WAKEUPS,
		"thread fwd: 60000 voluntary context switches a second with profiler, "
		"20000 with off");
}

static void test_memory_on_another_node(void **state)
{
	static const struct planted far[] = {
		{ FACT_MEMORY_BYTES, "0", 98e6, 30e6, NULL, NULL },
		{ FACT_MEMORY_BYTES, "1", 2e6, 70e6, NULL, NULL },
	};
	static const struct planted near[] = {
		{ FACT_MEMORY_BYTES, "0", 98e6, 92e6, NULL, NULL },
		{ FACT_MEMORY_BYTES, "1", 2e6, 8e6, NULL, NULL },
	};
	struct answer w = causerun_answer("profiler", -0.2, far, N_OF(far));

	(void)state;
	assert_int_equal(w.n, 1);
	assert_int_equal(w.c[0].factor, FACTOR_MEMORY);
	assert_string_equal(w.c[0].evidence,
		"70 % of the SUT's memory was on node 1 with profiler, 2.0 % with off");
	causerun_done(&w);
	causerun_assert_why("profiler", -0.2, near, N_OF(near), N_FACTORS, "");
}

/* Its interrupts, or the cost alone; the cost is last. */
static void test_sampling(void **state)
{
	static const struct planted timer[] = {
		{ FACT_IRQ_TIMER, "1", 250, 1240, NULL, NULL },
	};
	static const struct planted limit[] = {
		{ FACT_MAX_SAMPLE_RATE_HZ, "", 100000, 25000, NULL, NULL },
	};
	static const struct planted burn[] = {
		{ FACT_OTHERS_NS, "1", 0.01, 0.2, NULL, NULL },
	};
	struct answer w;

	(void)state;
	causerun_assert_why("sample@997", -0.2, timer, 1, FACTOR_SAMPLING,
		"CPU 1: 1240 timer interrupts a second with sample@997, 250 with off");
	/* Its cost cannot help; that it keeps a CPU awake can. */
	causerun_assert_why("sample@997", 0.2, timer, 1, FACTOR_WAKEUPS,
		"CPU 1: 1240 timer interrupts a second with sample@997, 250 with off");
	causerun_assert_why("profiler", -0.2, timer, 1, FACTOR_WAKEUPS,
		"CPU 1: 1240 timer interrupts a second with profiler, 250 with off");
	causerun_assert_why("perf@997", -0.2, limit, 1, FACTOR_SAMPLING,
		"the kernel's limit of the sampling rate: 100000 Hz with off, 25000 Hz "
		"with perf@997");
	w = causerun_answer("sample@997", -0.2, NULL, 0);
	assert_int_equal(w.a.shifts[0].consistency, CONSISTENCY_COST);
	assert_int_equal(w.n, 1);
	assert_int_equal(w.c[0].factor, FACTOR_SAMPLING);
	assert_string_equal(w.c[0].of, "");
	assert_true(fabs(w.c[0].ref - 3333) < 2); /* 1 s / 300 kpps */
	assert_true(fabs(w.c[0].arm - 4071) < 2); /* a knee lower by e^-0.2 */
	assert_string_equal(w.c[0].ref_value, "3.333 us");
	assert_non_null(strstr(
		w.c[0].evidence, "at 997 Hz the CPU time a packet is 4.071 us with "));
	causerun_done(&w);
	w = causerun_answer("sample@997", -0.2, burn, 1);
	assert_int_equal(w.n, 1);
	assert_int_equal(w.c[0].factor, FACTOR_CONTENTION);
	causerun_done(&w);
	/* Counting takes no samples. */
	causerun_assert_why("count", -0.2, NULL, 0, N_FACTORS, "");
}

static void test_ranking(void **state)
{
	static const struct planted all[] = {
		{ FACT_CLOCK_SOURCE, "", 0, 0, "tsc", "hpet" },
		{ FACT_STEAL_NS, "7", 0, 0.1, NULL, NULL },
		{ FACT_IRQ_NMI, "7", 0, 1000, NULL, NULL },
		{ FACT_IRQ_TIMER, "7", 250, 2000, NULL, NULL },
		{ FACT_IDLE_DEEP_NS, "7", 0.1, 0.4, NULL, NULL },
		{ FACT_FREQUENCY_HZ, "7", 3e9, 2e9, NULL, NULL },
		{ FACT_LINK_IRQS, "veth0", 0, 0, "irq 24: 0", "irq 24: 1" },
		{ FACT_THREAD_NICE, "fwd", 0, 10, NULL, NULL },
		{ FACT_THROTTLED_NS, "", 0, 0.1, NULL, NULL },
		{ FACT_MAJOR_FAULTS, "fwd", 0, 100, NULL, NULL },
		{ FACT_THREAD_CPU, "fwd", 1, 0, NULL, NULL },
	};
	static const enum factor want[] = { FACTOR_PLACEMENT, FACTOR_MEMORY,
		FACTOR_CONTENTION, FACTOR_LAUNCH, FACTOR_INTERRUPTS, FACTOR_FREQUENCY,
		FACTOR_IDLE, FACTOR_WAKEUPS, FACTOR_SAMPLING, FACTOR_STEAL,
		FACTOR_CLOCK };
	struct answer w = causerun_answer("profiler", -0.2, all, N_OF(all));
	size_t i;

	(void)state;
	assert_int_equal(w.n, N_OF(want));
	for (i = 0; i < w.n; i++)
		assert_int_equal(w.c[i].factor, want[i]);
	causerun_done(&w);
}

/* Within a factor the greater of two; one for each object. */
static void test_greatest_first(void **state)
{
	static const struct planted two[] = {
		{ FACT_OTHERS_NS, "1", 0.01, 0.1, NULL, NULL },
		{ FACT_OTHERS_NS, "2", 0.01, 0.5, NULL, NULL },
		{ FACT_OTHERS_NS, "3", 0.01, 0.02, NULL, NULL },
	};
	struct answer w = causerun_answer("profiler", -0.2, two, N_OF(two));

	(void)state;
	assert_int_equal(w.n, 2);
	assert_string_equal(w.c[0].of, "2");
	assert_string_equal(w.c[1].of, "1");
	causerun_done(&w);
}

/* No facts at all, not in one arm, not a number. */
static void test_missing(void **state)
{
	static const struct planted lists[][1] = {
		{ { FACT_OTHERS_NS, "1", (double)NAN, 0.5, NULL, NULL } },
		{ { FACT_OTHERS_NS, "1", 0.01, (double)NAN, NULL, NULL } },
		{ { FACT_THREAD_CPU, "fwd", (double)NAN, 0, NULL, NULL } },
		{ { FACT_LIMITS, "", 0, 0, NULL, "nofile=1" } },
	};
	struct run *run = causerun_run("profiler", -0.2);
	struct analysis a;
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(lists); i++)
		causerun_assert_why("profiler", -0.2, lists[i], 1, N_FACTORS, "");
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 0);
	assert_null(a.shifts[0].causes);
	analysis_done(&a);
	for (i = 0; i < run->n_trials; i++) {
		facts_add(&run->trials[i].facts, FACT_OTHERS_NS, "1", (double)NAN);
		facts_add(&run->trials[i].facts, FACT_THREAD_CPU, "fwd", (double)NAN);
		facts_add(&run->trials[i].facts, FACT_FREQUENCY_HZ, "1",
			(double)INFINITY);
	}
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 0);
	analysis_done(&a);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_others_took_the_cpu),
		cmocka_unit_test(test_numbers),
		cmocka_unit_test(test_what_follows_the_packets),
		cmocka_unit_test(test_batches),
		cmocka_unit_test(test_memory_on_another_node),
		cmocka_unit_test(test_sampling),
		cmocka_unit_test(test_ranking),
		cmocka_unit_test(test_greatest_first),
		cmocka_unit_test(test_missing),
	};

	return cmocka_run_group_tests_name("causes-numbers", tests, NULL, NULL);
}
