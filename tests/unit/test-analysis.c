/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis on synthetic runs: knees, shifts, bounds, verdicts. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plan/analysis.h"
#include "synthrun.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

static void assert_verdict(const struct analysis *a, enum verdict want)
{
	if (a->verdict != want)
		fail_msg("got %s (%s), want %s", verdict_word(a->verdict),
			a->n_reasons > 0 ? a->reasons[0] : "no reason",
			verdict_word(want));
	assert_int_equal(a->valid, want != VERDICT_BROKEN);
}

static bool has_reason(const struct analysis *a, const char *part)
{
	size_t i;

	for (i = 0; i < a->n_reasons; i++)
		if (strstr(a->reasons[i], part) != NULL)
			return true;
	return false;
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

static void test_verdict_rule(void **state)
{
	static const struct {
		double lo, hi;
		enum verdict want;
	} rows[] = {
		{ -0.01, 0.02, VERDICT_NONE },
		{ -0.03, 0.03, VERDICT_NONE },
		{ 0.01, 0.02, VERDICT_NONE }, /* real, but within the margin */
		{ 0.01, 0.05, VERDICT_HELPS },
		{ -0.09, -0.05, VERDICT_HURTS },
		{ -0.04, -0.001, VERDICT_HURTS },
		{ -0.04, 0.01, VERDICT_INCONCLUSIVE },
		{ 0, 0.05, VERDICT_INCONCLUSIVE },
		{ -0.5, 0.5, VERDICT_INCONCLUSIVE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_int_equal(analysis_shift_verdict(rows[i].lo, rows[i].hi, 0.03),
			rows[i].want);
	assert_int_equal(analysis_shift_verdict((double)NAN, (double)NAN, 0.03),
		VERDICT_INCONCLUSIVE);
}

static void test_planted_shift_without_noise(void **state)
{
	struct synth s = synth_default();
	const struct analysis_shift *shift;
	struct analysis a;

	(void)state;
	s.arms[1].ln_shift = log(1.09);
	a = analyse(&s);
	assert_verdict(&a, VERDICT_HELPS);
	assert_int_equal(a.n_arms, 2);
	assert_int_equal(a.n_minisweeps, 16);
	assert_near(a.arms[0].knee_pps, 300e3, 5);
	assert_near(a.arms[1].knee_pps, 327e3, 5);
	assert_int_equal(a.arms[0].bound, HINGE_EXACT);
	assert_int_equal(a.arms[0].n_blocks, 8);
	assert_near(a.arms[0].level, 0.961, 5e-4);
	assert_int_equal(a.n_shifts, 1);
	shift = &a.shifts[0];
	assert_int_equal(shift->n_blocks, 8);
	assert_near(shift->shift_frac, 0.09, 1e-5);
	/* No noise, but no false certainty either: counting resolves a burst. */
	assert_true(shift->hi_frac - shift->lo_frac > 5e-5);
	assert_true(shift->lo_frac > 0.089 && shift->hi_frac < 0.091);
	assert_int_equal(shift->blocks_needed, ANALYSIS_BLOCKS_MIN);
	assert_true(a.noise_floor_frac < 1e-4);
	analysis_done(&a);
}

static void test_verdicts_in_noise(void **state)
{
	static const struct {
		double shift, trial_sd;
		enum verdict want;
	} rows[] = {
		{ 0, 0.003, VERDICT_NONE },
		{ 0.01, 0.003, VERDICT_NONE },
		{ 0.08, 0.01, VERDICT_HELPS },
		{ -0.08, 0.01, VERDICT_HURTS },
		{ 0.01, 0.04, VERDICT_INCONCLUSIVE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct synth s = synth_default();
		struct analysis a;

		s.seed = 11 + i;
		s.arms[1].ln_shift = log1p(rows[i].shift);
		s.block_sd = 0.01;
		s.trial_sd = rows[i].trial_sd;
		a = analyse(&s);
		assert_verdict(&a, rows[i].want);
		assert_int_equal(a.shifts[0].verdict, rows[i].want);
		assert_true(a.shifts[0].lo_frac <= a.shifts[0].shift_frac &&
			    a.shifts[0].shift_frac <= a.shifts[0].hi_frac);
		assert_true(a.shifts[0].smallest_visible_frac > 0);
		if (rows[i].want == VERDICT_INCONCLUSIVE) {
			assert_true(a.shifts[0].blocks_needed > 8);
			assert_true(has_reason(&a, "would decide"));
		} else {
			assert_int_equal(a.n_reasons, 0);
		}
		analysis_done(&a);
	}
}

static void test_bounds(void **state)
{
	struct synth s = synth_default();
	struct analysis a;

	(void)state;
	s.arms[1].center = 0.6; /* its whole grid is below its knee */
	a = analyse(&s);
	assert_verdict(&a, VERDICT_NO_KNEE);
	assert_int_equal(a.arms[0].bound, HINGE_EXACT);
	assert_int_equal(a.arms[1].bound, HINGE_ABOVE_MAX);
	assert_int_equal(a.arms[1].n_above_max, 8);
	assert_true(isnan(a.arms[1].knee_pps) && isnan(a.arms[1].hi_pps));
	assert_true(a.arms[1].lo_pps <= 300e3 && a.arms[1].lo_pps > 200e3);
	assert_int_equal(a.shifts[0].verdict, VERDICT_NO_KNEE);
	assert_true(isnan(a.shifts[0].shift_frac) && isnan(a.shifts[0].lo_frac));
	assert_true(has_reason(&a, "arm sample@997: the knee is above"));
	analysis_done(&a);

	s = synth_default();
	s.n_arms = 1;
	s.arms[0].center = 2;
	a = analyse(&s);
	assert_verdict(&a, VERDICT_NO_KNEE);
	assert_int_equal(a.arms[0].bound, HINGE_BELOW_MIN);
	assert_true(isnan(a.arms[0].knee_pps) && isnan(a.arms[0].lo_pps));
	assert_true(a.arms[0].hi_pps >= 300e3);
	assert_int_equal(a.arms[0].limited_by, LIMITED_SUT);
	assert_true(has_reason(&a, "the knee is below"));
	analysis_done(&a);
}

static void test_one_arm(void **state)
{
	struct synth s = synth_default();
	struct analysis a;

	(void)state;
	s.n_arms = 1;
	a = analyse(&s);
	assert_verdict(&a, VERDICT_MEASURED);
	assert_int_equal(a.n_shifts, 0);
	assert_near(a.arms[0].knee_pps, 300e3, 5);
	analysis_done(&a);
}

static void test_generator_limited(void **state)
{
	static const char *const who[] = { "generator", "receiver" };
	int i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct synth s = synth_default();
		struct analysis a;

		*(i == 0 ? &s.arms[1].generator_pps : &s.arms[1].receiver_pps) = 290e3;
		a = analyse(&s);
		assert_verdict(&a, VERDICT_BROKEN);
		assert_int_equal(a.arms[0].n_blocks, 8);
		assert_int_equal(a.arms[1].n_blocks, 0);
		assert_int_equal(a.arms[1].n_spoiled, 8);
		assert_int_equal(a.arms[1].spoiled_by,
			i == 0 ? LIMITED_GENERATOR : LIMITED_RECEIVER);
		assert_true(isnan(a.arms[1].knee_pps));
		assert_int_equal(a.shifts[0].verdict, VERDICT_BROKEN);
		assert_true(has_reason(&a, who[i]));
		analysis_done(&a);
	}
}

/* Only the top rate is out of the generator's reach: the knee stands. */
static void test_generator_just_enough(void **state)
{
	struct synth s = synth_default();
	struct analysis a;

	(void)state;
	/* Centred a little high, so that two more points lie above the knee. */
	s.arms[0].center = s.arms[1].center = 1.05;
	s.arms[0].generator_pps = s.arms[1].generator_pps = 370e3;
	a = analyse(&s);
	assert_verdict(&a, VERDICT_NONE);
	assert_near(a.arms[0].knee_pps, 300e3, 5);
	assert_int_equal(a.arms[0].limited_by, LIMITED_SUT);
	analysis_done(&a);
}

static void test_too_few_blocks(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;

	(void)state;
	s.n_blocks = 5;
	run = synth_run(&s);
	analysis_make(run, &a);
	assert_verdict(&a, VERDICT_BROKEN);
	assert_true(has_reason(&a, "5 valid blocks, 6 are needed"));
	assert_false(has_reason(&a, "before its plan did"));
	assert_near(a.arms[0].knee_pps, 300e3, 5); /* shown, without an interval */
	assert_true(isnan(a.arms[0].lo_pps) && isnan(a.arms[0].level));
	assert_true(isnan(a.shifts[0].lo_frac));
	analysis_done(&a);
	run->finished = false;
	analysis_make(run, &a);
	assert_true(has_reason(&a, "before its plan did"));
	analysis_done(&a);
	run_free(run);

	run = run_new(); /* nothing at all */
	analysis_make(run, &a);
	assert_verdict(&a, VERDICT_BROKEN);
	analysis_done(&a);
	run_free(run);
}

/* A block that was cut short after its lower rates is no bound. */
static void test_cut_short(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;

	(void)state;
	run->finished = false;
	run->n_trials -= 2; /* still owned: give them back before freeing */
	analysis_make(run, &a);
	assert_verdict(&a, VERDICT_NONE);
	assert_int_equal(a.arms[0].n_above_max + a.arms[1].n_above_max, 0);
	assert_int_equal(a.arms[0].n_blocks + a.arms[1].n_blocks, 15);
	assert_int_equal(a.shifts[0].n_blocks, 7);
	assert_true(has_reason(&a, "before its plan did"));
	analysis_done(&a);
	run->n_trials += 2;
	run_free(run);
}

/* Trials that are not valid: the block is lost, the reason is told. */
static void test_invalid_trials(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;
	size_t i;

	(void)state;
	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.block <= 3 && run->trials[i].spec.arm == 1)
			trial_invalidate(&run->trials[i], "the link went down");
	analysis_make(run, &a);
	assert_verdict(&a, VERDICT_BROKEN);
	assert_int_equal(a.arms[1].n_blocks, 5);
	assert_int_equal(a.arms[1].n_invalid, 3);
	assert_int_equal(a.shifts[0].n_blocks, 5);
	assert_true(has_reason(&a, "the link went down"));
	analysis_done(&a);
	run_free(run);
}

static void test_ladder(void **state)
{
	struct synth s = synth_default();
	struct analysis a;

	(void)state;
	s.n_blocks = 2; /* no knee is asked for, so two are enough */
	s.rates_pps[0] = 100e3;
	s.rates_pps[1] = 400e3;
	a = analyse(&s);
	assert_verdict(&a, VERDICT_MEASURED);
	assert_int_equal(a.arms[0].n_rates, 2);
	assert_near(a.arms[0].rates[0].goodput_pps, 100e3, 1);
	assert_near(a.arms[0].rates[1].goodput_pps, 300e3, 1);
	assert_near(a.arms[0].rates[1].loss_frac, 0.25, 1e-4);
	assert_true(isnan(a.arms[0].rates[0].rel_rate));
	assert_true(isnan(a.arms[0].knee_pps));
	analysis_done(&a);
	s.arms[0].generator_pps = 350e3;
	a = analyse(&s);
	assert_verdict(&a, VERDICT_BROKEN);
	assert_true(has_reason(&a, "generator"));
	analysis_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_verdict_rule),
		cmocka_unit_test(test_planted_shift_without_noise),
		cmocka_unit_test(test_verdicts_in_noise),
		cmocka_unit_test(test_bounds),
		cmocka_unit_test(test_one_arm),
		cmocka_unit_test(test_generator_limited),
		cmocka_unit_test(test_generator_just_enough),
		cmocka_unit_test(test_too_few_blocks),
		cmocka_unit_test(test_cut_short),
		cmocka_unit_test(test_invalid_trials),
		cmocka_unit_test(test_ladder),
	};

	return cmocka_run_group_tests_name("analysis", tests, NULL, NULL);
}
