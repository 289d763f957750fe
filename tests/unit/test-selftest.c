/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same against itself: what is said of quiet, noisy and biased machines. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plan/selftest.h"
#include "synthrun.h"

#define SEED     20251111
#define N_BLOCKS 20

static struct synth alike(uint64_t seed)
{
	struct synth s = synth_default();

	s.arms[1].name = "again";
	s.n_blocks = N_BLOCKS;
	s.seed = seed;
	return s;
}

/* What runs second in its block has so much less of a knee. */
static void later_slow_down(struct run *run, double frac)
{
	uint32_t first_arm = 0, block = 0;
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		if (t->spec.block != block) {
			block = t->spec.block;
			first_arm = t->spec.arm;
		}
		if (t->spec.arm == first_arm)
			continue;
		t->spec.rate_pps *= 1 - frac;
		t->window_pps *= 1 - frac;
	}
}

/* shift, where not NULL: the analysis's, copied. */
static struct selftest selftest_of(
	const struct synth *s, double later_frac, struct analysis_shift *shift)
{
	struct run *run = synth_run(s);
	struct analysis a;
	struct selftest t;

	later_slow_down(run, later_frac);
	analysis_make(run, &a);
	selftest_make(run, &a, &t);
	if (shift != NULL)
		*shift = a.shifts[0];
	analysis_done(&a);
	run_free(run);
	return t;
}

static void test_quiet(void **state)
{
	struct synth s = alike(SEED);
	struct analysis_shift shift;
	struct selftest t;

	(void)state;
	s.sweep_sd = 0.01;
	t = selftest_of(&s, 0, &shift);
	assert_int_equal(t.verdict, VERDICT_OK);
	assert_string_equal(t.reason, "");
	assert_int_equal(shift.n_blocks, N_BLOCKS);
	/* sqrt(2) % between the two; 3 % is seen by (2.8 x 1.41 / 2.96)^2 / 0.955 = 2
	 * blocks, and 6 are the least; a trial a second and two between starts. */
	assert_int_equal(t.blocks_needed, 6);
	assert_true(t.block_ns > 0);
	assert_true(t.needed_ns == 6 * t.block_ns);
	/* 2.487 x 1.41 % / sqrt(0.955 x 20) = 0.8 %, rounded up */
	assert_true(fabs(t.tolerance_frac - 0.01) < 1e-12);
	/* None of 2,000: 1 - 0.05^(1 / 2000), the "rule of three". */
	assert_true(fabs(t.false_alarm_frac - 0.0014967) < 1e-6);
}

/* The interval of 20 blocks misses 0 in 4 to 5 % of noisy runs. */
static void test_noisy(void **state)
{
	struct synth s = alike(SEED);
	struct analysis_shift shift;
	struct selftest t;

	(void)state;
	s.sweep_sd = 0.06;
	t = selftest_of(&s, 0, &shift);
	assert_int_equal(t.verdict, VERDICT_NOISY);
	assert_non_null(strstr(t.reason, "blocks would do"));
	assert_true(shift.smallest_visible_frac > 0.03);
	assert_true(t.blocks_needed > N_BLOCKS);
	assert_true(t.false_alarm_frac > 0.02 && t.false_alarm_frac < 0.07);
}

static void test_order(void **state)
{
	struct synth s = alike(SEED);
	struct selftest t;

	(void)state;
	s.sweep_sd = 0.003;
	t = selftest_of(&s, 0.02, NULL);
	assert_int_equal(t.verdict, VERDICT_BIASED);
	assert_non_null(strstr(t.reason, "runs second"));
	assert_true(strstr(t.reason, "by -2.0 %") != NULL ||
		    strstr(t.reason, "by -1.9 %") != NULL ||
		    strstr(t.reason, "by -2.1 %") != NULL);
	/* Too little to matter. */
	t = selftest_of(&s, 0.005, NULL);
	assert_int_equal(t.verdict, VERDICT_OK);
}

/* Arms that are called alike and are not. */
static void test_shift(void **state)
{
	struct synth s = alike(SEED);
	struct selftest t;

	(void)state;
	s.sweep_sd = 0.005;
	s.arms[1].ln_shift = -0.05;
	t = selftest_of(&s, 0, NULL);
	assert_int_equal(t.verdict, VERDICT_BIASED);
	assert_non_null(strstr(t.reason, "differs from itself by -"));
}

static void test_nothing_to_compare(void **state)
{
	struct synth s = alike(SEED);
	struct selftest t;

	(void)state;
	s.n_blocks = 5;
	t = selftest_of(&s, 0, NULL);
	assert_int_equal(t.verdict, VERDICT_BROKEN);
	assert_true(isnan(t.tolerance_frac) && isnan(t.false_alarm_frac));
	assert_int_equal(t.blocks_needed, 0);
	s = alike(SEED);
	s.arms[0].center = s.arms[1].center = 0.5;
	t = selftest_of(&s, 0, NULL);
	assert_int_equal(t.verdict, VERDICT_NO_KNEE);
}

/* Of sound machines, too noisy to be ok, at most 5 % are called biased. */
static void test_error_rate(void **state)
{
	const int n = 150;
	double biased = 0, ok = 0;
	int k;

	(void)state;
	for (k = 0; k < n; k++) {
		struct synth s = alike(SEED + 1 + (uint64_t)k);
		struct selftest t;

		s.sweep_sd = 0.06;
		t = selftest_of(&s, 0, NULL);
		biased += t.verdict == VERDICT_BIASED;
		ok += t.verdict == VERDICT_OK;
	}
	print_message("# biased %.1f %%\n", 100 * biased / n);
	assert_true(biased / n <= 0.06);
	assert_int_equal((int)ok, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_noisy),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_shift),
		cmocka_unit_test(test_nothing_to_compare),
		cmocka_unit_test(test_error_rate),
	};

	return cmocka_run_group_tests_name("selftest", tests, NULL, NULL);
}
