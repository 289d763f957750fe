/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confirmations: what is chosen to be forced, and what planted truths come out as. */
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

#include "base/clock.h"
#include "base/mem.h"
#include "plan/confirm.h"
#include "synthrun.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* --- judge ----------------------------------------------------------------------- */

/* What is planted, in percent of the knee with the observer off. */
struct truth {
	double sweep, on, forced;
	enum factor factor;
	uint32_t n_blocks; /* of the confirmation; 0: 8 */
	double noise;      /* sd of a mini-sweep; 0: 0.003 */
	enum cause_state state;
};

static struct run *part_make(const char *const *arms, const double *pct, size_t n,
	uint32_t n_blocks, double noise, uint64_t seed)
{
	struct synth s = synth_default();
	size_t i;

	s.n_arms = n;
	for (i = 0; i < n; i++) {
		s.arms[i] = (struct synth_arm){ .name = arms[i],
			.ln_shift = log1p(pct[i] / 100) };
	}
	s.n_blocks = n_blocks;
	s.block_sd = 0.03;
	s.sweep_sd = noise;
	s.seed = seed;
	return synth_run(&s);
}

/* A sweep of off and on, and behind it a confirmation. */
static struct run *run_make(const struct truth *t, uint64_t seed)
{
	const char *on = t->factor == FACTOR_SAMPLING ? "sample@1000" : "profiler";
	const char *const arms[] = { "off", on, "off" };
	const double sweep[] = { 0, t->sweep }, confirm[] = { 0, t->on, t->forced };
	double noise = t->noise > 0 ? t->noise : 0.003;
	struct run *run = part_make(arms, sweep, 2, 8, noise, seed);
	struct run *more = part_make(arms, confirm, 3,
		t->n_blocks > 0 ? t->n_blocks : 8, noise, seed + 1000);
	uint32_t last = run->trials[run->n_trials - 1].spec.id;
	struct arm forced = arm_force_make(&run->arms[0], t->factor);
	size_t i;

	forced.force.phase = 1;
	forced.force.arm = 1;
	(void)arm_force_add(&forced, "fwd", "1", (double)NAN);
	run_add_arm(run, &forced);
	run->config.n_confirm = 1;
	for (i = 0; i < more->n_trials; i++) {
		more->trials[i].spec.phase = 1;
		more->trials[i].spec.id += last;
		run_add_trial(run, &more->trials[i]);
	}
	run_free(more);
	return run;
}

static void truths_come_out(void **state)
{
	static const struct truth truths[] = {
		/* All of it, and nearly. */
		{ 20, 20, 20, FACTOR_PLACEMENT, 0, 0, CAUSE_CONFIRMED },
		{ -12, -12, -12, FACTOR_CONTENTION, 0, 0, CAUSE_CONFIRMED },
		{ -30, -30, -24, FACTOR_CONTENTION, 0, 0, CAUSE_CONFIRMED },
		/* Twice and half of it: not within the range, in logarithms. */
		{ 10, 10, 21, FACTOR_PLACEMENT, 0, 0, CAUSE_REFUTED },
		{ 20, 20, 3, FACTOR_PLACEMENT, 0, 0, CAUSE_REFUTED },
		/* Nothing of it, and the other way. */
		{ 20, 20, 0, FACTOR_IDLE, 0, 0, CAUSE_REFUTED },
		{ 20, 20, -20, FACTOR_IDLE, 0, 0, CAUSE_REFUTED },
		{ -12, -12, 0, FACTOR_MEMORY, 0, 0, CAUSE_REFUTED },
		/* The shift does not come again: nothing to explain. */
		{ 20, 0, 0, FACTOR_PLACEMENT, 0, 0, CAUSE_UNRESOLVED },
		{ 20, -20, -20, FACTOR_PLACEMENT, 0, 0, CAUSE_UNRESOLVED },
		/* Too few blocks; too much noise. */
		{ 20, 20, 20, FACTOR_PLACEMENT, 4, 0, CAUSE_UNRESOLVED },
		{ -15, -15, -7.8, FACTOR_CONTENTION, 0, 0.03, CAUSE_UNRESOLVED },
		/* Half the sampling rate has half the shift, or all of it. */
		{ -20, -20, -10, FACTOR_SAMPLING, 0, 0, CAUSE_CONFIRMED },
		{ -20, -20, -20, FACTOR_SAMPLING, 0, 0, CAUSE_REFUTED },
		{ 20, 20, 10, FACTOR_SAMPLING, 0, 0, CAUSE_CONFIRMED },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(truths); i++) {
		struct run *run = run_make(&truths[i], 7 + i);
		struct analysis a;

		analysis_make(run, &a);
		assert_int_equal(a.n_arms, 2);
		assert_int_equal(a.n_confirmations, 1);
		if (a.confirmations[0].state != truths[i].state)
			fail_msg("row %zu: state %d, %s", i, a.confirmations[0].state,
				a.confirmations[0].why);
		assert_int_equal(a.confirmations[0].factor, truths[i].factor);
		assert_int_equal(a.confirmations[0].forced, 2);
		assert_string_equal(a.no_confirmation, "");
		analysis_done(&a);
		run_free(run);
	}
}

/* The sweep's own answer is the same with and without what came after it. */
static void the_sweep_is_judged_alone(void **state)
{
	const struct truth t = {
		.sweep = 20, .on = -20, .forced = 60, .factor = FACTOR_PLACEMENT
	};
	struct run *run = run_make(&t, 3);
	struct analysis with, without;
	size_t i;

	(void)state;
	analysis_make(run, &with);
	for (i = 0; i < run->n_trials && run->trials[i].spec.phase == 0; i++)
		;
	while (run->n_trials > i)
		trial_done(&run->trials[--run->n_trials]);
	run->n_arms = 2;
	run->config.n_confirm = 0;
	analysis_make(run, &without);
	assert_int_equal(with.verdict, VERDICT_HELPS);
	assert_int_equal(with.verdict, without.verdict);
	assert_int_equal(with.n_grid, without.n_grid);
	assert_memory_equal(
		&with.shifts[0].lo_frac, &without.shifts[0].lo_frac, sizeof(double));
	assert_memory_equal(
		&with.arms[1].knee_pps, &without.arms[1].knee_pps, sizeof(double));
	analysis_done(&with);
	analysis_done(&without);
	run_free(run);
}

/* How often chance alone confirms what does nothing: next to never, since all of the
 * shift would have to come from noise. Nor is what does it all refuted. */
static void chance_does_not_confirm(void **state)
{
	const struct truth nothing = {
		.sweep = -8, .on = -8, .forced = 0, .factor = FACTOR_IDLE, .noise = 0.02
	};
	const struct truth all = { .sweep = -8,
		.on = -8,
		.forced = -8,
		.factor = FACTOR_IDLE,
		.noise = 0.02 };
	unsigned n_confirmed = 0, n_refuted = 0;
	uint64_t seed;

	(void)state;
	for (seed = 0; seed < 60; seed++) {
		struct run *a_run = run_make(&nothing, 100 + seed);
		struct run *b_run = run_make(&all, 300 + seed);
		struct analysis a, b;

		analysis_make(a_run, &a);
		analysis_make(b_run, &b);
		n_confirmed += a.confirmations[0].state == CAUSE_CONFIRMED;
		n_refuted += b.confirmations[0].state == CAUSE_REFUTED;
		analysis_done(&a);
		analysis_done(&b);
		run_free(a_run);
		run_free(b_run);
	}
	assert_int_equal(n_confirmed, 0);
	assert_true(n_refuted <= 3);
}

/* --- choose ---------------------------------------------------------------------- */

static const struct cause suspects[] = {
	{ .factor = FACTOR_PLACEMENT,
		.key = FACT_THREAD_CPU,
		.of = "fwd",
		.ref_value = "cpu 0",
		.arm_value = "cpu 1" },
	{ .factor = FACTOR_PLACEMENT,
		.key = FACT_CPUS_ALLOWED,
		.of = "fwd",
		.ref_value = "0",
		.arm_value = "0-1" },
	{ .factor = FACTOR_PLACEMENT,
		.key = FACT_CPUS_ALLOWED,
		.of = "rx#2",
		.ref_value = "0",
		.arm_value = "2-3" },
	{ .factor = FACTOR_CONTENTION,
		.key = FACT_OTHERS_NS,
		.of = "1",
		.ref = 0.02,
		.arm = 0.5 },
	{ .factor = FACTOR_LAUNCH,
		.key = FACT_ENVIRONMENT,
		.ref_value = "A=1",
		.arm_value = "A=2" },
	{ .factor = FACTOR_IDLE,
		.key = FACT_IDLE_DEEP_NS,
		.of = "1",
		.ref = 0.4,
		.arm = 0.001 },
	{ .factor = FACTOR_WAKEUPS,
		.key = FACT_IRQ_TIMER,
		.of = "1",
		.ref = 250,
		.arm = 1250 },
	{ .factor = FACTOR_CLOCK, .key = FACT_CLOCK_SOURCE },
};

/* An analysis of a sweep with a shift, and these causes of it. */
static struct run *sweep_make(const char *on, double pct, const struct cause *causes,
	size_t n, struct analysis *ret_a)
{
	const char *const arms[] = { "off", on };
	const double shifts[] = { 0, pct };
	struct run *run = part_make(arms, shifts, 2, 8, 0.003, 5);

	run->config.n_confirm = 1;
	analysis_make(run, ret_a);
	free(ret_a->shifts[0].causes); /* there are no facts, but costs */
	ret_a->shifts[0].causes = xcalloc(n + 1, sizeof(*causes));
	memcpy(ret_a->shifts[0].causes, causes, n * sizeof(*causes));
	ret_a->shifts[0].n_causes = n;
	return run;
}

static void suspects_are_chosen_by_factor(void **state)
{
	struct confirm_suspect *s = NULL;
	struct analysis a;
	struct run *run = sweep_make("profiler", 20, suspects, N_OF(suspects), &a);
	char why[160];
	size_t n = confirm_choose(run, &a, &s, why, sizeof(why));

	(void)state;
	assert_int_equal(n, 6);
	assert_string_equal(s[0].arm.name, "off+placement");
	assert_int_equal(s[0].arm.kind, ARM_OFF);
	assert_int_equal(s[0].arm.force.arm, 1);
	assert_int_equal(s[0].arm.force.n_parts, 2); /* the narrowest of fwd */
	assert_string_equal(s[0].arm.force.parts[0].of, "fwd");
	assert_string_equal(s[0].arm.force.parts[0].value, "1");
	assert_string_equal(s[0].arm.force.parts[1].of, "rx#2");
	assert_string_equal(s[0].arm.force.parts[1].value, "2-3");
	assert_int_equal(s[1].factor, FACTOR_CONTENTION);
	assert_string_equal(s[1].arm.force.parts[0].of, "1");
	assert_true(fabs(s[1].arm.force.parts[0].number - 0.48) < 1e-9);
	assert_int_equal(s[2].factor, FACTOR_LAUNCH);
	assert_non_null(strstr(s[2].why_not, "nice"));
	assert_int_equal(s[3].factor, FACTOR_IDLE);
	assert_string_equal(s[3].why_not, "");
	assert_int_equal(s[4].factor, FACTOR_WAKEUPS);
	assert_true(fabs(s[4].arm.force.parts[0].number - 1000) < 1e-9);
	assert_int_equal(s[5].factor, FACTOR_CLOCK);
	assert_string_not_equal(s[5].why_not, "");
	free(s);
	analysis_done(&a);
	run_free(run);
}

/* The last CPU of a list that fills its text may be half of a number. */
static void a_list_that_was_cut_is_not_forced(void **state)
{
	struct cause cut[] = {
		{ .factor = FACTOR_PLACEMENT, .key = FACT_CPUS_ALLOWED, .of = "fwd" },
		{ .factor = FACTOR_PLACEMENT,
			.key = FACT_THREAD_NODE,
			.of = "fwd",
			.ref_value = "node 1",
			.arm_value = "node 0" },
	};
	struct confirm_suspect *s = NULL;
	char why[160];
	size_t n, len, i;

	(void)state;
	(void)strcpy(cut[0].arm_value, "cpus 0");
	for (i = 2; (len = strlen(cut[0].arm_value)) < CAUSE_VALUE_MAX - 1; i += 2)
		(void)snprintf(
			cut[0].arm_value + len, CAUSE_VALUE_MAX - len, ",%zu", i);
	for (n = 1; n <= 2; n++) {
		struct analysis a;
		struct run *run = sweep_make("profiler", 20, cut, n, &a);

		assert_int_equal(confirm_choose(run, &a, &s, why, sizeof(why)), 1);
		if (n == 1) {
			assert_non_null(strstr(s[0].why_not, "too long"));
		} else { /* the node was kept whole */
			assert_string_equal(s[0].why_not, "");
			assert_int_equal(s[0].arm.force.n_parts, 1);
			assert_string_equal(s[0].arm.force.parts[0].value, "node 0");
		}
		free(s);
		analysis_done(&a);
		run_free(run);
	}
}

/* What was forced is one fact of the factor; the others stay as they were observed. */
static void only_what_was_forced_is_confirmed(void **state)
{
	static const struct {
		enum factor factor;
		enum fact_key forced, beside;
		const char *of;
	} rows[] = {
		{ FACTOR_MEMORY, FACT_MEMORY_BYTES, FACT_MINOR_FAULTS, "" },
		{ FACTOR_IDLE, FACT_IDLE_DEEP_NS, FACT_IDLE_GOVERNOR, "" },
		{ FACTOR_LAUNCH, FACT_THREAD_NICE, FACT_THREAD_POLICY, "fwd" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		const struct truth t = {
			.sweep = 20, .on = 20, .forced = 20, .factor = rows[i].factor
		};
		struct run *run = run_make(&t, 40 + i);
		struct arm_force_part *part = &run->arms[2].force.parts[0];
		struct analysis a;

		(void)snprintf(part->of, sizeof(part->of), "%s", rows[i].of);
		analysis_make(run, &a);
		free(a.shifts[0].causes);
		a.shifts[0].n_causes = 2;
		a.shifts[0].causes = xcalloc(2, sizeof(struct cause));
		a.shifts[0].causes[0] = (struct cause){
			.factor = rows[i].factor, .key = rows[i].forced, .of = "fwd"
		};
		a.shifts[0].causes[1] = (struct cause){
			.factor = rows[i].factor, .key = rows[i].beside, .of = "fwd"
		};
		free(a.confirmations);
		confirm_judge(run, &a);
		assert_int_equal(a.confirmations[0].state, CAUSE_CONFIRMED);
		assert_int_equal(a.shifts[0].causes[0].state, CAUSE_CONFIRMED);
		assert_int_equal(a.shifts[0].causes[1].state, CAUSE_OBSERVED);
		analysis_done(&a);
		run_free(run);
	}
}

/* What goes the wrong way, or has no one value, cannot be forced. */
static void what_cannot_be_forced_says_why(void **state)
{
	static const struct cause bad[] = {
		{ .factor = FACTOR_PLACEMENT,
			.key = FACT_THREAD_CPU,
			.of = "fwd",
			.arm_value = "cpus 0, 1" },
		{ .factor = FACTOR_PLACEMENT,
			.key = FACT_MIGRATIONS,
			.of = "fwd",
			.ref = 0,
			.arm = 90 },
		{ .factor = FACTOR_CONTENTION,
			.key = FACT_OTHERS_NS,
			.of = "1",
			.ref = 0.5,
			.arm = 0.1 },
		{ .factor = FACTOR_IDLE,
			.key = FACT_IDLE_DEEP_NS,
			.of = "1",
			.ref = 0.1,
			.arm = 0.4 },
		{ .factor = FACTOR_MEMORY,
			.key = FACT_MINOR_FAULTS,
			.of = "fwd",
			.ref = 0,
			.arm = 9000 },
	};
	struct confirm_suspect *s = NULL;
	struct analysis a;
	struct run *run = sweep_make("profiler", 20, bad, N_OF(bad), &a);
	char why[160];
	size_t n = confirm_choose(run, &a, &s, why, sizeof(why)), i;

	(void)state;
	assert_int_equal(n, 4);
	for (i = 0; i < n; i++)
		assert_string_not_equal(s[i].why_not, "");
	free(s);
	analysis_done(&a);
	run_free(run);
}

static void a_sampler_is_a_suspect_itself(void **state)
{
	struct confirm_suspect *s = NULL;
	struct analysis a;
	struct run *run = sweep_make("sample@997", -12, NULL, 0, &a);
	char why[160];

	(void)state;
	assert_int_equal(confirm_choose(run, &a, &s, why, sizeof(why)), 1);
	assert_string_equal(s[0].arm.name, "sample@498+sampling");
	assert_int_equal((int)s[0].arm.hz, 498);
	assert_int_equal(s[0].arm.kind, ARM_SAMPLE);
	free(s);
	analysis_done(&a);
	run_free(run);
}

static void nothing_to_confirm_is_said(void **state)
{
	static const struct {
		const char *on, *word;
		double pct;
	} rows[] = {
		{ "profiler", "does not move the knee", 0 },
		{ "profiler", "nothing that can be seen differs", 15 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		struct confirm_suspect *s = NULL;
		struct analysis a;
		struct run *run = sweep_make(rows[i].on, rows[i].pct, NULL, 0, &a);
		char why[160];

		assert_int_equal(confirm_choose(run, &a, &s, why, sizeof(why)), 0);
		assert_null(s);
		assert_non_null(strstr(why, rows[i].word));
		assert_non_null(strstr(a.no_confirmation, rows[i].word));
		assert_int_equal(a.n_confirmations, 0);
		analysis_done(&a);
		run_free(run);
	}
}

/* --- what a confirmation is ------------------------------------------------------- */

static void a_confirmation_is_a_short_sweep(void **state)
{
	struct sweep_config sweep = { .seed = 9,
		.n_blocks = 6,
		.trial_ns = 400 * NS_PER_MS,
		.profile_trial_ns = NS_PER_S,
		.latency_trials = true,
		.ndr = NDR_LIGHT,
		.until_decided = true,
		.n_rel_rates = 5 };
	struct sweep_config c = confirm_config(&sweep, 1),
			    d = confirm_config(&sweep, 2);

	(void)state;
	assert_int_equal(c.n_blocks, 8);
	assert_int_equal(c.profile_trial_ns, 0);
	assert_false(c.latency_trials || c.until_decided);
	assert_int_equal(c.ndr, NDR_NONE);
	assert_true(c.seed != d.seed && c.seed != sweep.seed);
	/* 8 blocks x 3 arms x (5 x (0.4 + 0.15) s + 0.3 s). */
	assert_int_equal(confirm_estimate_ns(&sweep, 1), 73200 * NS_PER_MS);
	assert_int_equal(confirm_estimate_ns(&sweep, 0), 0);
	sweep.n_blocks = 12;
	assert_int_equal(confirm_config(&sweep, 1).n_blocks, 12);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(truths_come_out),
		cmocka_unit_test(the_sweep_is_judged_alone),
		cmocka_unit_test(chance_does_not_confirm),
		cmocka_unit_test(suspects_are_chosen_by_factor),
		cmocka_unit_test(a_list_that_was_cut_is_not_forced),
		cmocka_unit_test(only_what_was_forced_is_confirmed),
		cmocka_unit_test(what_cannot_be_forced_says_why),
		cmocka_unit_test(a_sampler_is_a_suspect_itself),
		cmocka_unit_test(nothing_to_confirm_is_said),
		cmocka_unit_test(a_confirmation_is_a_short_sweep),
	};

	return cmocka_run_group_tests_name("confirm", tests, NULL, NULL);
}
