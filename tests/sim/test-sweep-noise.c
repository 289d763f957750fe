/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What disturbs a sweep is named, quiet sweeps are left alone, and where there is no
 * one answer none is given.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plan/analysis.h"
#include "simsweep.h"

#define N_SWEEPS 200
#define SEED     5000

/* Shares of the sweeps that name a kind of noise, and that end in a verdict. */
struct tally {
	double kind[NOISE_STEAL + 1], verdict[VERDICT_BROKEN + 1];
	double alarm; /* helps or hurts */
};

static struct tally tally_of(const struct simsweep *s)
{
	struct tally t = { .alarm = 0 };
	int i, k;

	for (i = 0; i < N_SWEEPS; i++) {
		struct analysis a = simsweep_answer(s, SEED + (uint64_t)i);
		bool seen[NOISE_STEAL + 1] = { false };
		size_t n;

		for (n = 0; n < a.n_noise; n++)
			seen[a.noise[n].kind] = true;
		for (k = 0; k <= NOISE_STEAL; k++)
			t.kind[k] += seen[k] / (double)N_SWEEPS;
		t.verdict[a.verdict] += 1.0 / N_SWEEPS;
		analysis_done(&a);
	}
	t.alarm = t.verdict[VERDICT_HELPS] + t.verdict[VERDICT_HURTS];
	return t;
}

static void test_quiet_is_left_alone(void **state)
{
	static const char *const models[] = { "capacity=300k,noise=0.5%",
		"capacity=300k,noise=1%,block-noise=1.5%",
		"capacity=300k,noise=1%,per-khz=-6%,collapse=-0.4" };
	size_t i, k;

	(void)state;
	for (i = 0; i < 3; i++) {
		const struct simsweep s = { .model = models[i] };
		struct tally t = tally_of(&s);

		for (k = 0; k <= NOISE_STEAL; k++)
			assert_true(t.kind[k] <=
				    (k == NOISE_ORDER || k == NOISE_DISTURBED ? 0.05
									      : 0.02));
	}
}

/* A SUT that comes up in one of two states gives no verdict but by chance. */
static void test_two_bands(void **state)
{
	const struct simsweep two = { .model = "capacity=300k,noise=0.5%,bands=8%" };
	const struct simsweep one = { .arms = "off",
		.n_blocks = 16,
		.model = "capacity=300k,noise=0.5%,bands=8%" };
	struct analysis a;
	struct tally t_one = tally_of(&one);
	struct tally t_two = tally_of(&two);

	(void)state;
	assert_true(t_two.kind[NOISE_BANDS] >= 0.85);
	assert_true(t_two.alarm <= 0.04);
	assert_true(t_one.verdict[VERDICT_INCONCLUSIVE] >= 0.95);
	a = simsweep_answer(&one, SEED);
	assert_int_equal(a.noise[0].kind, NOISE_BANDS);
	assert_true(fabs(a.noise[0].lo_pps / 276e3 - 1) < 0.01);
	assert_true(fabs(a.noise[0].hi_pps / 300e3 - 1) < 0.01);
	assert_int_equal(a.noise[0].n_lo + a.noise[0].n_hi, 16);
	assert_non_null(strstr(a.reasons[0], "two bands"));
	analysis_done(&a);
}

/* Whichever band holds, an observer that takes a fifth hurts. */
static void test_bands_do_not_hide_a_great_shift(void **state)
{
	const struct simsweep s = {
		.model = "capacity=300k,noise=0.5%,bands=6%,attach=-25%"
	};
	struct tally t_s = tally_of(&s);

	(void)state;
	assert_true(t_s.verdict[VERDICT_HURTS] >= 0.95);
}

static void test_drift_and_step(void **state)
{
	const struct simsweep drift = { .model = "capacity=300k,noise=1%,drift=-500%" };
	const struct simsweep step = {
		.model = "capacity=300k,noise=0.5%,step=-8%,step-at=40s"
	};
	const struct simsweep alone = { .arms = "off",
		.n_blocks = 16,
		.model = "capacity=300k,noise=0.5%,drift=-500%" };
	struct analysis a;
	struct tally t_alone = tally_of(&alone);
	struct tally t_drift = tally_of(&drift);
	struct tally t_step = tally_of(&step);

	(void)state;
	assert_true(t_drift.kind[NOISE_DRIFT] >= 0.95);
	assert_true(t_step.kind[NOISE_STEP] >= 0.95);
	/* Within blocks both arms drift alike: the shift stands. */
	assert_true(t_drift.alarm <= 0.05);
	assert_true(t_drift.verdict[VERDICT_NONE] >= 0.9);
	/* The knee alone has nothing beside it. */
	assert_true(t_alone.verdict[VERDICT_INCONCLUSIVE] >= 0.95);
	a = simsweep_answer(&step, SEED);
	assert_true(fabs(a.noise[0].size_frac + 0.08) < 0.015);
	analysis_done(&a);
	a = simsweep_answer(&drift, SEED);
	/* 5 an hour over some 55 s of blocks */
	assert_true(a.drift_frac < -0.05 && a.drift_frac > -0.12);
	analysis_done(&a);
}

/* An arm that runs later in a block is slower: named, and kept out of the shift. */
static void test_order(void **state)
{
	const struct simsweep s = { .n_blocks = 20,
		.model = "capacity=300k,noise=0.5%,later=-2%" };
	struct analysis a;
	struct tally t_s = tally_of(&s);

	(void)state;
	assert_true(t_s.kind[NOISE_ORDER] >= 0.95);
	assert_true(t_s.verdict[VERDICT_NONE] >= 0.95);
	a = simsweep_answer(&s, SEED);
	/* -2 % where the arm is later, +2 % where the reference is */
	assert_true(fabs(a.shifts[0].order_frac + 0.04) < 0.01);
	assert_true(a.shifts[0].order_lo_frac < a.shifts[0].order_frac &&
		    a.shifts[0].order_hi_frac > a.shifts[0].order_frac);
	analysis_done(&a);
}

static void test_spikes(void **state)
{
	const struct simsweep s = { .model = "capacity=300k,noise=0.5%,spikes=2%" };
	struct tally t_s = tally_of(&s);

	(void)state;
	assert_true(t_s.kind[NOISE_DISTURBED] >= 0.2);
	assert_true(t_s.alarm <= 0.04);
}

/* More is lost at 80 % of the capacity than near it: a fit gives a number, but mostly
 * it is none. Where it is taken for a background loss of a tenth, the knee is right. */
static void test_no_hinge_no_knee(void **state)
{
	const struct simsweep s = { .model = "capacity=300k,noise=0.5%,inversion=10%,"
					     "inversion-from=200k,inversion-to=290k" };
	const struct simsweep low = { .model =
					      "capacity=300k,noise=0.5%,inversion=6%,"
					      "inversion-from=190k,inversion-to=235k" };
	struct analysis a;
	struct tally t_low = tally_of(&low);
	struct tally t_s = tally_of(&s);
	int i;

	(void)state;
	assert_true(t_s.verdict[VERDICT_NO_KNEE] >= 0.7);
	assert_true(t_s.alarm < 0.01);
	for (i = 0; i < N_SWEEPS; i++) {
		a = simsweep_answer(&s, SEED + (uint64_t)i);
		assert_true(a.verdict != VERDICT_NONE ||
			    fabs(a.arms[0].knee_pps / 300e3 - 1) < 0.03);
		analysis_done(&a);
	}
	assert_true(t_low.verdict[VERDICT_NO_KNEE] >= 0.95);
	a = simsweep_answer(&low, SEED);
	assert_int_equal(a.arms[0].bound, HINGE_INVALID);
	assert_true(isnan(a.arms[0].knee_pps) && isnan(a.shifts[0].shift_frac));
	assert_true(a.arms[0].misfit_frac < -0.025);
	assert_non_null(strstr(a.reasons[0], "not that of a knee"));
	analysis_done(&a);
}

/* Hiccups of the generator cost blocks, not the truth. */
static void test_disturbed_generator(void **state)
{
	const struct simsweep s = { .model = "capacity=300k,noise=0.5%,hiccups=5%" };
	const struct simsweep always = { .model = "capacity=300k,generator=330k" };
	struct tally t_always = tally_of(&always);
	struct tally t_s = tally_of(&s);

	(void)state;
	assert_true(t_s.alarm < 0.02);
	assert_true(t_always.verdict[VERDICT_BROKEN] >= 0.99);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet_is_left_alone),
		cmocka_unit_test(test_two_bands),
		cmocka_unit_test(test_bands_do_not_hide_a_great_shift),
		cmocka_unit_test(test_drift_and_step),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_spikes),
		cmocka_unit_test(test_no_hinge_no_knee),
		cmocka_unit_test(test_disturbed_generator),
	};

	return cmocka_run_group_tests_name("sweep-noise", tests, NULL, NULL);
}
