/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole sweeps of the fluid SUT through the analysis: planted truth in, answer out. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "engine/sweep.h"
#include "plan/analysis.h"
#include "sim/fluid.h"

#define N_CAMPAIGNS 200

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

/* A finished sweep of that model with those arms; 8 blocks. */
static struct run *sweep(const char *arms, const char *model, uint64_t seed)
{
	static const double rel[] = { 0.72, 0.88, 1.05, 1.18, 1.40 };
	struct run *run = run_new();
	struct fluid_config fc = { .seed = seed };
	struct sp_err err = { .code = SP_OK };
	struct sweep_job job = {
		.run = run, .ops = &fluid_measure, .clock = &clock_monotonic
	};
	struct fluid *f;

	run->config = (struct sweep_config){ .seed = seed,
		.n_blocks = 8,
		.trial_ns = 500 * NS_PER_MS,
		.margin_frac = 0.03,
		.level = 0.95,
		.dither_frac = 0.04,
		.burst = 4,
		.n_rel_rates = 5 };
	memcpy(run->config.rel_rates, rel, sizeof(rel));
	assert_int_equal(arm_list_parse(arms, &run->arms, &run->n_arms, &err), 0);
	run->cap_arms = run->n_arms;
	fc.seed = seed + 1;
	assert_int_equal(fluid_config_parse(model, &fc, &err), 0);
	fc.seed = seed + 1;
	f = fluid_new(&fc, run->arms, run->n_arms);
	job.measure_ctx = f;
	assert_int_equal(sweep_execute(&job, &err), 0);
	fluid_free(f);
	return run;
}

static struct analysis answer(const char *arms, const char *model, uint64_t seed)
{
	struct run *run = sweep(arms, model, seed);
	struct analysis a;

	analysis_make(run, &a);
	run_free(run);
	return a;
}

static void test_planted_shifts(void **state)
{
	static const struct {
		const char *model;
		double knee_pps, shift;
		enum verdict want;
	} rows[] = {
		{ "capacity=231k,noise=0.5%", 231e3, 0, VERDICT_NONE },
		{ "capacity=231k,noise=0.5%,per-khz=-8%", 231e3, -0.0798,
			VERDICT_HURTS },
		{ "capacity=44M,noise=1%,attach=9%", 44e6, 0.09, VERDICT_HELPS },
		{ "capacity=231k,noise=0.5%,collapse=-0.5,per-khz=-6%", 231e3, -0.0598,
			VERDICT_HURTS },
		{ "capacity=231k,noise=0.3%,loss=0.8%", 231e3 * 0.992, 0,
			VERDICT_NONE },
		{ "capacity=231k,noise=0.5%,loss=6%,attach=-7%", 231e3 * 0.94, -0.07,
			VERDICT_HURTS },
		{ "capacity=231k,noise=0.3%,soft=4%,attach=7%", 231e3, 0.07,
			VERDICT_HELPS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct analysis a = answer("off,sample@997", rows[i].model, 40 + i);

		assert_int_equal(a.verdict, rows[i].want);
		assert_near(a.arms[0].knee_pps / rows[i].knee_pps, 1, 0.012);
		assert_near(a.shifts[0].shift_frac, rows[i].shift, 0.012);
		analysis_done(&a);
	}
}

static void test_generator_is_the_limit(void **state)
{
	struct analysis a = answer("off,sample@997", "capacity=300k,generator=280k", 3);

	(void)state;
	assert_int_equal(a.verdict, VERDICT_BROKEN);
	assert_true(a.n_reasons > 0);
	analysis_done(&a);
}

/* Drift over the sweep and noise between mini-sweeps: the interval keeps its
 * level and same against same raises no alarm beyond it. */
static void test_coverage(void **state)
{
	static const char *const model =
		"capacity=300k,noise=1%,block-noise=0.5%,drift=50%";
	double covered = 0, alarms = 0;
	int i;

	(void)state;
	for (i = 0; i < N_CAMPAIGNS; i++) {
		struct analysis a =
			answer("off,sample@997", model, 900 + 7 * (uint64_t)i);

		covered += a.shifts[0].lo_frac <= 0 && a.shifts[0].hi_frac >= 0;
		alarms += a.verdict == VERDICT_HELPS || a.verdict == VERDICT_HURTS;
		analysis_done(&a);
	}
	assert_near(covered / N_CAMPAIGNS, 0.961, 0.04); /* 3 sd */
	assert_true(alarms <= 0.06 * N_CAMPAIGNS);
}

static void test_dose(void **state)
{
	struct analysis a = answer("off,sample@249,sample@997,sample@3989",
		"capacity=300k,noise=0.5%,attach=-4%,per-khz=-2%", 5);

	(void)state;
	assert_int_equal(a.dose.n_doses, 3);
	assert_int_equal(a.dose.n_blocks, 8);
	assert_false(a.dose.is_curved);
	assert_near(a.dose.slope_frac_per_khz, -0.022, 0.004);
	assert_near(a.dose.fixed_frac, -0.04, 0.012);
	assert_true(a.dose.slope_hi_frac_per_khz < 0);
	assert_true(a.dose.fixed_lo_frac < -0.04 && a.dose.fixed_hi_frac < 0);
	assert_int_equal(a.n_shifts, 3);
	analysis_done(&a);

	a = answer("off,sample@997", "capacity=300k,noise=0.5%", 6);
	assert_int_equal(a.dose.n_doses, 1);
	assert_true(isnan(a.dose.slope_frac_per_khz) && isnan(a.dose.fixed_frac));
	analysis_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_shifts),
		cmocka_unit_test(test_generator_is_the_limit),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_dose),
	};

	return cmocka_run_group_tests_name("sweep-analysis", tests, NULL, NULL);
}
