/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Causes that stay for a whole trial: where threads ran, how the SUT was launched. And
 * where there are none to be had. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "causerun.h"
#include "synthrun.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void test_no_difference_no_cause(void **state)
{
	(void)state;
	causerun_assert_why("profiler", -0.2, NULL, 0, N_FACTORS, "");
	causerun_assert_why("profiler", 0.2, NULL, 0, N_FACTORS, "");
}

/* What a move brings along is told with it, not beside it. */
static void test_a_thread_moved(void **state)
{
	static const struct planted moved[] = {
		{ FACT_THREAD_CPU, "fwd", 0, 1, NULL, NULL },
		{ FACT_WAIT_NS, "fwd", 0.4, 0.01, NULL, NULL },
		{ FACT_INVOLUNTARY, "fwd", 900, 20, NULL, NULL },
		{ FACT_OTHERS_NS, "0", 0.45, 0.4, NULL, NULL },
		{ FACT_OTHERS_NS, "1", 0.3, 0.01, NULL, NULL },
		{ FACT_IDLE_ENTRIES, "1", 5000, 200, NULL, NULL },
		{ FACT_SOFTIRQ_NET_TX, "0", 9000, 10, NULL, NULL },
	};
	struct answer w = causerun_answer("profiler", 0.3, moved, N_OF(moved));

	(void)state;
	assert_int_equal(w.a.verdict, VERDICT_HELPS);
	assert_int_equal(w.n, 1);
	assert_int_equal(w.c[0].factor, FACTOR_PLACEMENT);
	assert_int_equal(w.c[0].key, FACT_THREAD_CPU);
	assert_string_equal(w.c[0].of, "fwd");
	assert_int_equal(w.c[0].ref, 0);
	assert_int_equal(w.c[0].arm, 1);
	assert_string_equal(w.c[0].ref_value, "cpu 0");
	assert_string_equal(w.c[0].arm_value, "cpu 1");
	assert_string_equal(w.c[0].evidence,
		"thread fwd ran on CPU 0 with off and on CPU 1 with profiler; it waited "
		"for a CPU 40 % and 1.0 % of the time");
	causerun_done(&w);
}

/* Of these the first explains the others, until it is known that it does not. */
static void test_what_hides_behind_a_refuted_cause(void **state)
{
	static const struct planted moved[] = {
		{ FACT_THREAD_CPU, "fwd", 0, 1, NULL, NULL },
		{ FACT_OTHERS_NS, "1", 0.01, 0.4, NULL, NULL },
		{ FACT_WAIT_NS, "fwd", 0.01, 0.4, NULL, NULL },
	};
	struct answer w = causerun_answer("profiler", -0.3, moved, N_OF(moved));
	struct cause known, *second = NULL, *third = NULL;

	(void)state;
	assert_int_equal(w.n, 1);
	known = w.c[0];
	known.state = CAUSE_UNRESOLVED;
	assert_int_equal(causes_make(w.run, &w.a, 0, 1, &known, 1, &second), 1);
	free(second);
	known.state = CAUSE_REFUTED;
	assert_int_equal(causes_make(w.run, &w.a, 0, 1, &known, 1, &second), 2);
	assert_int_equal(second[0].key, FACT_THREAD_CPU);
	assert_int_equal(second[1].factor, FACTOR_CONTENTION);
	assert_int_equal(second[1].key, FACT_OTHERS_NS);
	assert_string_equal(second[1].of, "1");
	second[0].state = second[1].state = CAUSE_REFUTED;
	assert_int_equal(causes_make(w.run, &w.a, 0, 1, second, 2, &third), 3);
	assert_int_equal(third[2].key, FACT_WAIT_NS);
	free(second);
	free(third);
	causerun_done(&w);
}

static void test_a_thread_moved_to_another_node(void **state)
{
	static const struct planted moved[] = {
		{ FACT_THREAD_CPU, "fwd", 1, 5, NULL, NULL },
		{ FACT_THREAD_NODE, "fwd", 0, 1, NULL, NULL },
		{ FACT_CPUS_ALLOWED, "fwd", 0, 0, "0-3", "4-7" },
	};

	(void)state;
	causerun_assert_why("profiler", -0.2, moved, N_OF(moved), FACTOR_PLACEMENT,
		"thread fwd ran on CPU 1 with off and on CPU 5 with profiler, node 0 "
		"and node 1");
}

/* Where it might have run, but did not. */
static void test_a_mask_alone_moves_nothing(void **state)
{
	static const struct planted pinned[] = {
		{ FACT_CPUS_ALLOWED, "fwd", 0, 0, "0-1", "1" },
	};
	static const struct planted unseen[] = {
		{ FACT_THREAD_CPU, "fwd", (double)NAN, (double)NAN, NULL, NULL },
		{ FACT_CPUS_ALLOWED, "fwd", 0, 0, "0-1", "1" },
	};

	(void)state;
	causerun_assert_why("profiler", -0.2, pinned, N_OF(pinned), N_FACTORS, "");
	causerun_assert_why("profiler", -0.2, unseen, N_OF(unseen), FACTOR_PLACEMENT,
		"thread fwd may run on CPUs 0-1 with off and on CPUs 1 with profiler");
}

/* Where thread fwd ran, by trial; a few of them elsewhere. */
static void run_on(struct run *run, uint32_t arm, int n_cpus, uint32_t stray)
{
	size_t i, k;

	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		for (k = 0; k < t->facts.n && t->spec.arm == arm; k++)
			if (t->facts.f[k].key == FACT_THREAD_CPU)
				t->facts.f[k].value =
					stray > 0 ? (t->spec.id % stray == 0)
						  : (double)(t->spec.id %
							     (uint32_t)n_cpus);
	}
}

static void test_a_thread_wanders(void **state)
{
	struct run *run = causerun_run("profiler", -0.2);
	struct analysis a;

	(void)state;
	causerun_plant(run, NULL, 0);
	run_on(run, 0, 1, 0);
	run_on(run, 1, 3, 0);
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 1);
	assert_string_equal(a.shifts[0].causes[0].evidence,
		"thread fwd ran on CPU 0 with off and on CPUs 0, 1 and 2 with "
		"profiler");
	assert_string_equal(a.shifts[0].causes[0].arm_value, "cpus 0, 1 and 2");
	analysis_done(&a);
	/* So does the other arm: no difference. */
	run_on(run, 0, 3, 0);
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 0);
	analysis_done(&a);
	/* Elsewhere in one trial of five: its typical value stays. */
	run_on(run, 0, 1, 0);
	run_on(run, 1, 1, 5);
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 0);
	analysis_done(&a);
	run_free(run);
}

/* A CPU that the scheduler draws anew at every start differs by chance only. */
static void test_a_draw_is_no_cause(void **state)
{
	/* Blocks 1 to 8: settled on other CPUs, but not in most blocks. */
	static const int on_ref[] = { 0, 0, 0, 0, 0, 0, 1, 1 };
	static const int on_arm[] = { 1, 1, 1, 0, 1, 1, 1, 0 };
	struct run *run = causerun_run("profiler", -0.2);
	struct analysis a;
	size_t i, k;

	(void)state;
	causerun_plant(run, NULL, 0);
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];
		uint32_t b = t->spec.block - 1;

		for (k = 0; k < t->facts.n; k++)
			if (t->facts.f[k].key == FACT_THREAD_CPU)
				t->facts.f[k].value =
					t->spec.arm == 0 ? on_ref[b] : on_arm[b];
	}
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 0);
	analysis_done(&a);
	run_free(run);
}

/* Nothing to compare with; and a thread that does nothing. */
static void test_threads_that_do_not_count(void **state)
{
	static const struct planted lists[][3] = {
		{ { FACT_THREAD_CPU, "agent", (double)NAN, 1, NULL, NULL },
			{ FACT_RUN_NS, "agent", (double)NAN, 0.5, NULL, NULL },
			{ FACT_WAIT_NS, "agent", (double)NAN, 0.5, NULL, NULL } },
		{ { FACT_THREAD_CPU, "old", 1, (double)NAN, NULL, NULL },
			{ FACT_RUN_NS, "old", 0.5, (double)NAN, NULL, NULL },
			{ FACT_WAIT_NS, "old", 0.5, (double)NAN, NULL, NULL } },
		{ { FACT_THREAD_CPU, "fwd#2", 0, 1, NULL, NULL },
			{ FACT_RUN_NS, "fwd#2", 0.001, 0.001, NULL, NULL },
			{ FACT_WAIT_NS, "fwd#2", 0, 0, NULL, NULL } },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(lists); i++)
		causerun_assert_why("profiler", -0.2, lists[i], 3, N_FACTORS, "");
}

/* The thread that carries the load comes first. */
static void test_two_threads_moved(void **state)
{
	static const struct planted moved[] = {
		{ FACT_THREAD_CPU, "aux", 0, 1, NULL, NULL },
		{ FACT_RUN_NS, "aux", 0.2, 0.2, NULL, NULL },
		{ FACT_THREAD_CPU, "fwd", 1, 0, NULL, NULL },
	};
	struct answer w = causerun_answer("profiler", -0.2, moved, N_OF(moved));

	(void)state;
	assert_int_equal(w.n, 2);
	assert_string_equal(w.c[0].of, "fwd");
	assert_string_equal(w.c[1].of, "aux");
	causerun_done(&w);
}

static void test_launch(void **state)
{
	static const struct planted env[] = {
		{ FACT_ENVIRONMENT, "", 0, 0, "HOME=a PATH=b",
			"HOME=a LD_PRELOAD=c PATH=d" },
		{ FACT_LIMITS, "", 0, 0, "memlock=8 nofile=1024",
			"memlock=8 nofile=4096" },
	};
	static const struct planted traced[] = {
		{ FACT_TRACED, "", 0, 1, NULL, NULL },
		{ FACT_STDIO, "", 0, 0, "file pipe null", "pipe pipe null" },
	};
	static const struct planted nice[] = {
		{ FACT_THREAD_NICE, "fwd", 0, 10, NULL, NULL },
	};

	(void)state;
	causerun_assert_why("wrap", -0.2, env, 1, FACTOR_LAUNCH,
		"environment of the SUT: LD_PRELOAD only with wrap, PATH differs");
	causerun_assert_why("wrap", -0.2, &env[1], 1, FACTOR_LAUNCH,
		"resource limits of the SUT: nofile differs");
	causerun_assert_why("wrap", -0.2, traced, N_OF(traced), FACTOR_LAUNCH,
		"the SUT was under a tracer with wrap and not with off; standard streams, "
		"too");
	causerun_assert_why("wrap", -0.2, nice, 1, FACTOR_LAUNCH,
		"nice value of thread fwd: 0 with off, 10 with wrap");
}

/* A text of each trial's own is typical of nothing. */
static void test_texts_that_change_all_the_time(void **state)
{
	struct run *run = causerun_run("profiler", -0.2);
	struct analysis a;
	char text[32];
	size_t i;

	(void)state;
	causerun_plant(run, NULL, 0);
	for (i = 0; i < run->n_trials; i++) {
		(void)snprintf(text, sizeof(text), "ID=%u", run->trials[i].spec.id);
		facts_add_text(&run->trials[i].facts, FACT_ENVIRONMENT, "", text);
	}
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 0);
	analysis_done(&a);
	run_free(run);
}

/* Nothing to explain, or not by so few blocks. */
static void test_verdicts(void **state)
{
	static const struct planted moved[] = {
		{ FACT_THREAD_CPU, "fwd", 0, 1, NULL, NULL },
	};
	struct synth s = synth_default();
	struct answer w = causerun_answer("profiler", 0, moved, 1);
	struct analysis a;
	struct run *run;

	(void)state;
	assert_int_equal(w.a.verdict, VERDICT_NONE);
	assert_int_equal(w.n, 0);
	causerun_done(&w);
	s.arms[1].name = "profiler";
	s.sweep_sd = 0.05;
	run = synth_run(&s);
	causerun_plant(run, moved, 1);
	analysis_make(run, &a);
	assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(a.shifts[0].n_causes, 1);
	analysis_done(&a);
	run_free(run);
	s.n_blocks = 5;
	s.sweep_sd = 0;
	run = synth_run(&s);
	causerun_plant(run, moved, 1);
	analysis_make(run, &a);
	assert_int_equal(a.shifts[0].n_causes, 0);
	analysis_done(&a);
	run_free(run);
}

/* Names are other people's: whole characters, cut to what there is room for. */
static void test_long_and_hostile_names(void **state)
{
	static const struct planted moved[] = {
		{ FACT_WAIT_NS, "a@$%s\xc3\xa4\xc3\xa4\xc3\xa4", 0.01, 0.5, NULL,
			NULL },
	};
	char env[600] = "", words[700];
	struct planted p = { FACT_CGROUP, "", 0, 0, "/", env };
	struct answer w = causerun_answer("profiler", -0.2, moved, 1);
	size_t i;

	(void)state;
	assert_int_equal(w.n, 1);
	assert_string_equal(w.c[0].evidence,
		"thread a@$%s\xc3\xa4\xc3\xa4\xc3\xa4 waited for a CPU 50 % of the "
		"time with profiler, 1.0 % with off");
	causerun_done(&w);
	for (i = 0; i + 3 < sizeof(env); i += 2)
		memcpy(&env[i], "\xc3\xa4", 3);
	w = causerun_answer("profiler", -0.2, &p, 1);
	assert_int_equal(w.n, 1);
	assert_int_equal(strlen(w.c[0].arm_value) % 2, 0);
	assert_true(strlen(w.c[0].evidence) < CAUSE_EVIDENCE_MAX);
	causerun_done(&w);
	words[0] = '\0';
	for (i = 0; i < 60; i++)
		(void)snprintf(words + strlen(words), sizeof(words) - strlen(words),
			"VAR%zu=1 ", i);
	p = (struct planted){ FACT_ENVIRONMENT, "", 0, 0, "A=1", words };
	w = causerun_answer("profiler", -0.2, &p, 1);
	assert_int_equal(w.n, 1);
	assert_int_equal(strlen(w.c[0].evidence), CAUSE_EVIDENCE_MAX - 1);
	causerun_done(&w);
}

static void test_state_names(void **state)
{
	(void)state;
	assert_string_equal(cause_state_name(CAUSE_OBSERVED), "observed");
	assert_string_equal(cause_state_name(CAUSE_CONFIRMED), "confirmed");
	assert_string_equal(cause_state_name(CAUSE_REFUTED), "refuted");
	assert_string_equal(cause_state_name(CAUSE_UNRESOLVED), "unresolved");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_no_difference_no_cause),
		cmocka_unit_test(test_a_thread_moved),
		cmocka_unit_test(test_what_hides_behind_a_refuted_cause),
		cmocka_unit_test(test_a_thread_moved_to_another_node),
		cmocka_unit_test(test_a_mask_alone_moves_nothing),
		cmocka_unit_test(test_a_thread_wanders),
		cmocka_unit_test(test_a_draw_is_no_cause),
		cmocka_unit_test(test_threads_that_do_not_count),
		cmocka_unit_test(test_two_threads_moved),
		cmocka_unit_test(test_launch),
		cmocka_unit_test(test_texts_that_change_all_the_time),
		cmocka_unit_test(test_verdicts),
		cmocka_unit_test(test_long_and_hostile_names),
		cmocka_unit_test(test_state_names),
	};

	return cmocka_run_group_tests_name("causes", tests, NULL, NULL);
}
