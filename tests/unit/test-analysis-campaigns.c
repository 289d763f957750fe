/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis over many seeded campaigns, and what must not change its answer. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "plan/analysis.h"
#include "synthrun.h"

#define N_CAMPAIGNS 1000

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

/* The analysis outlives the run here: no names of functions are read. */
static struct analysis analyse(const struct synth *s)
{
	struct run *run = synth_run(s);
	struct analysis a;

	analysis_make(run, &a);
	run_free(run);
	return a;
}

/* Drift and block noise hit both arms; the interval has to keep its level. */
static void test_coverage(void **state)
{
	const double truth = log(0.96);
	double covered = 0, none = 0, error = 0;
	int i;

	(void)state;
	for (i = 0; i < N_CAMPAIGNS; i++) {
		struct synth s = synth_default();
		struct analysis a;

		s.seed = 1000 + (uint64_t)i;
		s.n_blocks = 12; /* achieves 95.8 % */
		s.arms[1].ln_shift = truth;
		s.block_sd = 0.015;
		s.sweep_sd = 0.005;
		s.trial_sd = 0.01;
		s.drift = 0.02;
		a = analyse(&s);
		none += a.verdict == VERDICT_NONE;
		covered += a.shifts[0].lo_frac <= expm1(truth) &&
			   expm1(truth) <= a.shifts[0].hi_frac;
		error += log1p(a.shifts[0].shift_frac) - truth;
		analysis_done(&a);
	}
	assert_near(covered / N_CAMPAIGNS, 0.95, 0.015);
	assert_near(error / N_CAMPAIGNS, 0, 0.001);
	assert_true(none < 0.02 * N_CAMPAIGNS);
}

/* Same against same: how often a shift is claimed. */
static void test_false_alarms(void **state)
{
	double alarms = 0;
	int i;

	(void)state;
	for (i = 0; i < N_CAMPAIGNS; i++) {
		struct synth s = synth_default();
		struct analysis a;

		s.seed = 5000 + (uint64_t)i;
		s.block_sd = 0.015;
		s.trial_sd = 0.02;
		s.drift = 0.03;
		a = analyse(&s);
		alarms += a.verdict == VERDICT_HELPS || a.verdict == VERDICT_HURTS;
		analysis_done(&a);
	}
	assert_true(alarms < 0.055 * N_CAMPAIGNS);
}

static struct synth noisy(uint64_t seed)
{
	struct synth s = synth_default();

	s.seed = seed;
	s.arms[1].ln_shift = 0.03;
	s.block_sd = 0.01;
	s.trial_sd = 0.02;
	return s;
}

/* Swapping the arms mirrors estimate and interval of the logarithm. */
static void test_swap_mirrors(void **state)
{
	struct synth s = noisy(77);
	struct run *run = synth_run(&s);
	struct analysis a, b;
	size_t i;

	(void)state;
	analysis_make(run, &a);
	for (i = 0; i < run->n_trials; i++)
		run->trials[i].spec.arm = 1 - run->trials[i].spec.arm;
	analysis_make(run, &b);
	assert_near(
		log1p(b.shifts[0].shift_frac), -log1p(a.shifts[0].shift_frac), 1e-9);
	assert_near(log1p(b.shifts[0].lo_frac), -log1p(a.shifts[0].hi_frac), 1e-9);
	assert_near(log1p(b.shifts[0].hi_frac), -log1p(a.shifts[0].lo_frac), 1e-9);
	assert_near(b.shifts[0].sd_frac, a.shifts[0].sd_frac, 1e-9);
	analysis_done(&a);
	analysis_done(&b);
	run_free(run);
}

/* The order of the blocks does not enter a shift; nor does the unit of rates. */
static void test_permute_and_scale(void **state)
{
	struct synth s = noisy(78);
	struct run *run = synth_run(&s);
	struct analysis a, b;
	size_t i;

	(void)state;
	analysis_make(run, &a);
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		t->spec.block = 1 + (t->spec.block * 3) % 8;
		t->spec.rate_pps *= 1000;
		t->window_pps *= 1000;
	}
	analysis_make(run, &b);
	assert_int_equal(a.verdict, b.verdict);
	assert_near(b.shifts[0].shift_frac, a.shifts[0].shift_frac, 1e-9);
	assert_near(b.shifts[0].lo_frac, a.shifts[0].lo_frac, 1e-9);
	assert_near(b.shifts[0].hi_frac, a.shifts[0].hi_frac, 1e-9);
	assert_int_equal(b.shifts[0].blocks_needed, a.shifts[0].blocks_needed);
	assert_near(b.arms[0].knee_pps / a.arms[0].knee_pps, 1000, 1e-3);
	analysis_done(&a);
	analysis_done(&b);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_false_alarms),
		cmocka_unit_test(test_swap_mirrors),
		cmocka_unit_test(test_permute_and_scale),
	};

	return cmocka_run_group_tests_name("analysis-campaigns", tests, NULL, NULL);
}
