/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole sweeps of the fluid SUT through the analysis: planted truth in, answer out. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdio.h>

#include "plan/analysis.h"
#include "simsweep.h"

#define N_CAMPAIGNS 200

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

static void test_planted_truths(void **state)
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
		{ "capacity=231k,noise=0.5%,queue=4096,attach=-7%", 231e3, -0.07,
			VERDICT_HURTS },
		{ "capacity=231k,noise=0.5%,ring=4,collapse=-0.2,attach=5%", 231e3,
			0.05, VERDICT_HELPS },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct simsweep s = { .model = rows[i].model };
		struct analysis a = simsweep_answer(&s, 40 + i);

		assert_int_equal(a.verdict, rows[i].want);
		assert_near(a.arms[0].knee_pps / rows[i].knee_pps, 1, 0.012);
		assert_near(a.shifts[0].shift_frac, rows[i].shift, 0.012);
		assert_true(a.noise_floor_frac > 0);
		assert_true(a.shifts[0].smallest_visible_frac > 0);
		analysis_done(&a);
	}
}

/*
 * The operating curve that the product promises: shifts of -10, -3, 0, 3 and 10 %, 200
 * sweeps each, with noise of trials, of mini-sweeps and a drift. At 0 at most 5 % say
 * otherwise. A shift of exactly the margin is a shift: its interval reaches over it.
 */
static void test_operating_curve(void **state)
{
	static const struct {
		int shift_pct;
		enum verdict want;
	} rows[] = {
		{ -10, VERDICT_HURTS },
		{ -3, VERDICT_HURTS },
		{ 0, VERDICT_NONE },
		{ 3, VERDICT_HELPS },
		{ 10, VERDICT_HELPS },
	};
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double right = 0, wrong = 0;
		char model[96];
		const struct simsweep s = { .model = model };

		(void)snprintf(model, sizeof(model),
			"capacity=300k,noise=0.7%%,block-noise=0.3%%,drift=60%%,"
			"attach=%d%%",
			rows[i].shift_pct);
		for (k = 0; k < N_CAMPAIGNS; k++) {
			struct analysis a =
				simsweep_answer(&s, 3000 + 1000 * i + (uint64_t)k);

			right += a.verdict == rows[i].want;
			wrong += a.verdict != rows[i].want &&
				 a.verdict != VERDICT_INCONCLUSIVE;
			analysis_done(&a);
		}
		print_message("# shift %+d %%: right %.1f %%, wrong %.1f %%\n",
			rows[i].shift_pct, 100 * right / N_CAMPAIGNS,
			100 * wrong / N_CAMPAIGNS);
		assert_true(right >= 0.95 * N_CAMPAIGNS);
		assert_true(wrong <= 0.05 * N_CAMPAIGNS);
	}
}

static void test_generator_is_the_limit(void **state)
{
	static const char *const models[] = { "capacity=300k,generator=280k",
		"capacity=300k,receiver=280k",
		"capacity=300k,noise=0.5%,generator=250k",
		"capacity=300k,loss=2%,generator=240k" };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(models) / sizeof(models[0]); i++) {
		const struct simsweep s = { .model = models[i] };
		struct analysis a = simsweep_answer(&s, 3 + i);

		assert_int_equal(a.verdict, VERDICT_BROKEN);
		assert_true(a.n_reasons > 0);
		assert_true(isnan(a.arms[0].knee_pps));
		assert_int_equal(analysis_exit_code(&a), EXIT_BROKEN);
		analysis_done(&a);
	}
}

/* Drift over the sweep and noise between mini-sweeps: the interval keeps its
 * level and same against same raises no alarm beyond it. */
static void test_coverage(void **state)
{
	const struct simsweep s = {
		.model = "capacity=300k,noise=1%,block-noise=0.5%,drift=50%"
	};
	double covered = 0, alarms = 0;
	int i;

	(void)state;
	for (i = 0; i < N_CAMPAIGNS; i++) {
		struct analysis a = simsweep_answer(&s, 900 + (uint64_t)i);

		covered += a.shifts[0].lo_frac <= 0 && a.shifts[0].hi_frac >= 0;
		alarms += a.verdict == VERDICT_HELPS || a.verdict == VERDICT_HURTS;
		analysis_done(&a);
	}
	assert_near(covered / N_CAMPAIGNS, 0.961, 0.04); /* 3 sd */
	assert_true(alarms <= 0.06 * N_CAMPAIGNS);
}

/* What each sample and the attaching cost or give come back within 10 % of what was
 * planted. */
static void test_dose(void **state)
{
	static const struct {
		const char *model;
		double slope, fixed;
	} rows[] = {
		{ "capacity=300k,noise=0.3%,attach=-4%,per-khz=-2%", -0.02, -0.04 },
		{ "capacity=300k,noise=0.5%,attach=-8%,per-khz=-3%", -0.03, -0.08 },
		{ "capacity=300k,noise=0.3%,attach=6%,per-khz=1.5%", 0.015, 0.06 },
	};
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct simsweep s = {
			.arms = "off,sample@249,sample@997,sample@3989",
			.model = rows[i].model
		};
		double hits = 0;

		for (k = 0; k < N_CAMPAIGNS; k++) {
			struct analysis a = simsweep_answer(&s, 100 + (uint64_t)k);
			const struct analysis_dose *d = &a.dose;

			assert_int_equal(d->n_doses, 3);
			assert_true(d->n_blocks >= 6 && d->n_blocks <= 10);
			hits += fabs(d->slope_frac_per_khz / rows[i].slope - 1) <=
					0.1 &&
				fabs(d->fixed_frac / rows[i].fixed - 1) <= 0.1;
			analysis_done(&a);
		}
		print_message("# %s: %.1f %% within 10 %%\n", rows[i].model,
			100 * hits / N_CAMPAIGNS);
		assert_true(hits >= 0.95 * N_CAMPAIGNS);
	}
}

/* A curved response is called curved and given no slope; a straight one is not. */
static void test_curved_dose(void **state)
{
	const struct simsweep s = { .arms = "off,sample@249,sample@997,sample@3989",
		.model = "capacity=300k,noise=0.5%,attach=-4%,per-khz=-1%,"
			 "khz-curve=-0.8%" };
	const struct simsweep two = { .model = "capacity=300k,noise=0.5%" };
	double curved = 0;
	struct analysis a;
	int k;

	(void)state;
	for (k = 0; k < N_CAMPAIGNS; k++) {
		a = simsweep_answer(&s, 100 + (uint64_t)k);
		curved += a.dose.is_curved;
		assert_int_equal(
			isnan(a.dose.slope_frac_per_khz), (int)a.dose.is_curved);
		analysis_done(&a);
	}
	assert_true(curved >= 0.95 * N_CAMPAIGNS);
	a = simsweep_answer(&two, 6);
	assert_int_equal(a.dose.n_doses, 1);
	assert_true(isnan(a.dose.slope_frac_per_khz) && isnan(a.dose.fixed_frac));
	analysis_done(&a);
}

/* Cycles that are taken show in the cost of a packet; a lock that is taken does not. */
static void test_cost_or_moved(void **state)
{
	const struct simsweep burns = { .model =
						"capacity=300k,noise=0.3%,attach=-4%" };
	const struct simsweep locks = {
		.model = "capacity=300k,noise=0.3%,attach=-8%,cost-ns=2000"
	};
	double cost = 0, moved = 0;
	struct analysis a;
	int k;

	(void)state;
	for (k = 0; k < 100; k++) {
		a = simsweep_answer(&burns, 500 + (uint64_t)k);
		cost += a.shifts[0].consistency == CONSISTENCY_COST &&
			a.shifts[0].lo_frac <= -0.035 && a.shifts[0].hi_frac >= -0.045;
		analysis_done(&a);
		a = simsweep_answer(&locks, 500 + (uint64_t)k);
		moved += a.shifts[0].consistency == CONSISTENCY_MOVED;
		analysis_done(&a);
	}
	assert_true(cost >= 95 && moved >= 95);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_planted_truths),
		cmocka_unit_test(test_operating_curve),
		cmocka_unit_test(test_generator_is_the_limit),
		cmocka_unit_test(test_coverage),
		cmocka_unit_test(test_dose),
		cmocka_unit_test(test_curved_dose),
		cmocka_unit_test(test_cost_or_moved),
	};

	return cmocka_run_group_tests_name("sweep-analysis", tests, NULL, NULL);
}
