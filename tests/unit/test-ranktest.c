/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signed-rank tables, estimate, interval and p against enumeration and print. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>

#include "stat/ranktest.h"

#define SEED  20240603
#define N_MAX 12

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* Number of the 2^n sign patterns whose positive ranks sum to at most w. */
static unsigned count_at_most(size_t n, size_t w)
{
	unsigned count = 0, signs;
	size_t sum, i;

	for (signs = 0; signs < 1u << n; signs++) {
		sum = 0;
		for (i = 0; i < n; i++)
			sum += signs >> i & 1 ? i + 1 : 0;
		count += sum <= w;
	}
	return count;
}

static void test_cdf_by_enumeration(void **state)
{
	size_t n, w;

	(void)state;
	for (n = 0; n <= 10; n++)
		for (w = 0; w <= n * (n + 1) / 2 + 1; w++)
			assert_near(ranktest_signed_rank_cdf(n, w),
				count_at_most(n, w) / exp2((double)n), 1e-15);
}

/* Greatest W with a two-sided p of at most 0.05 and 0.01: the usual printed table
 * (Wilcoxon and Wilcox 1964). 0 stands for none. */
static void test_critical_values(void **state)
{
	static const struct {
		size_t n, w05, w01;
	} table[] = {
		{ 6, 0, 0 },
		{ 7, 2, 0 },
		{ 8, 3, 0 },
		{ 9, 5, 1 },
		{ 10, 8, 3 },
		{ 11, 10, 5 },
		{ 12, 13, 7 },
		{ 13, 17, 9 },
		{ 14, 21, 12 },
		{ 15, 25, 15 },
		{ 16, 29, 19 },
		{ 17, 34, 23 },
		{ 18, 40, 27 },
		{ 19, 46, 32 },
		{ 20, 52, 37 },
		{ 25, 89, 68 },
		{ 30, 137, 109 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
		size_t n = table[i].n;

		assert_true(ranktest_signed_rank_cdf(n, table[i].w05) <= 0.025);
		assert_true(ranktest_signed_rank_cdf(n, table[i].w05 + 1) > 0.025);
		if (n >= 8) {
			assert_true(ranktest_signed_rank_cdf(n, table[i].w01) <= 0.005);
			assert_true(
				ranktest_signed_rank_cdf(n, table[i].w01 + 1) > 0.005);
		}
	}
}

/* Beyond what can be enumerated: by whole numbers of any length, in another language.
 */
static void test_cdf_of_many(void **state)
{
	static const struct {
		size_t n, w;
		double p;
	} rows[] = {
		{ 20, 52, 0.02422046661376953 },
		{ 30, 137, 0.024855060502886772 },
		{ 40, 264, 0.024880283909624268 },
		{ 50, 434, 0.024723203400300875 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_near(ranktest_signed_rank_cdf(rows[i].n, rows[i].w), rows[i].p,
			1e-14);
}

/* Hollander and Wolfe 1999, example 3.1 (depression factor of nine patients):
 * T+ = 5, one-sided p 0.020, estimate -0.46, 96 % interval (-0.786, -0.010). */
static void test_published_example(void **state)
{
	static const double before[] = { 1.83, 0.50, 1.62, 2.48, 1.68, 1.88, 1.55, 3.06,
		1.30 };
	static const double after[] = { 0.878, 0.647, 0.598, 2.05, 1.06, 1.29, 1.06,
		3.14, 1.29 };
	struct ranktest_interval r;
	double d[9];
	int i;

	(void)state;
	for (i = 0; i < 9; i++)
		d[i] = after[i] - before[i];
	assert_near(ranktest_signed_rank_p(d, 9, 0, RANKTEST_UPPER), 10.0 / 512, 1e-12);
	assert_near(
		ranktest_signed_rank_p(d, 9, 0, RANKTEST_TWO_SIDED), 20.0 / 512, 1e-12);
	ranktest_interval(d, 9, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_near(r.estimate, -0.46, 1e-9);
	assert_near(r.lo, -0.786, 1e-9);
	assert_near(r.hi, -0.010, 1e-9);
	assert_near(r.level, 0.961, 5e-4);
}

static void test_hodges_lehmann(void **state)
{
	static const double x[] = { 1, 5, 2 };
	static const double want[] = { 1, 1.5, 2, 3, 3.5, 5 };
	double *walsh;
	size_t i;

	(void)state;
	assert_int_equal(ranktest_walsh(x, 3, &walsh), 6);
	for (i = 0; i < 6; i++)
		assert_near(walsh[i], want[i], 0);
	free(walsh);
	assert_near(ranktest_hodges_lehmann(x, 3), 2.5, 0);
	assert_near(ranktest_hodges_lehmann(x, 1), 1, 0);
	assert_true(isnan(ranktest_hodges_lehmann(x, 0)));
}

static void test_achieved_levels(void **state)
{
	static const struct {
		size_t n;
		double level;
	} want[] = {
		{ 6, 1 - 2 * 1.0 / 64 },     /* 96.9 % */
		{ 8, 1 - 2 * 5.0 / 256 },    /* 96.1 % */
		{ 12, 1 - 2 * 87.0 / 4096 }, /* 95.8 % */
	};
	double x[N_MAX];
	struct ranktest_interval r;
	size_t i;

	(void)state;
	for (i = 0; i < N_MAX; i++)
		x[i] = (double)i;
	for (i = 0; i < 3; i++) {
		ranktest_interval(x, want[i].n, 0.95, RANKTEST_TWO_SIDED, &r);
		assert_true(r.is_finite);
		assert_near(r.level, want[i].level, 1e-12);
	}
	ranktest_interval(x, 6, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_near(r.lo, 0, 0); /* at 6 the interval is the range */
	assert_near(r.hi, 5, 0);
}

static void test_no_finite_interval(void **state)
{
	static const double x[] = { 1, 2, 3, 4, 5 };
	struct ranktest_interval r;

	(void)state;
	ranktest_interval(x, 5, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_false(r.is_finite);
	assert_true(isinf(r.lo) && r.lo < 0 && isinf(r.hi) && r.hi > 0);
	assert_near(r.estimate, 3, 0);
	assert_near(r.level, 1, 0);
	ranktest_interval(x, 5, 0.90, RANKTEST_TWO_SIDED, &r);
	assert_true(r.is_finite);
	assert_near(r.level, 1 - 2.0 / 32, 1e-12);
	ranktest_interval(x, 0, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_false(r.is_finite);
	assert_true(isnan(r.estimate));
	assert_int_equal(ranktest_n_min(0.95, RANKTEST_TWO_SIDED), 6);
	assert_int_equal(ranktest_n_min(0.95, RANKTEST_LOWER), 5);
	assert_int_equal(ranktest_n_min(0.90, RANKTEST_TWO_SIDED), 5);
	assert_int_equal(ranktest_n_min(0.99, RANKTEST_TWO_SIDED), 8);
}

static void test_one_sided(void **state)
{
	static const double x[] = { 0.3, -0.1, 0.8, 0.2, 0.5, 0.9, 0.4 };
	struct ranktest_interval both, lower, upper;

	(void)state;
	ranktest_interval(x, 7, 0.90, RANKTEST_TWO_SIDED, &both);
	ranktest_interval(x, 7, 0.95, RANKTEST_LOWER, &lower);
	ranktest_interval(x, 7, 0.95, RANKTEST_UPPER, &upper);
	assert_near(lower.lo, both.lo, 0);
	assert_near(upper.hi, both.hi, 0);
	assert_true(isinf(lower.hi) && isinf(upper.lo));
	assert_near(1 - both.level, 2 * (1 - lower.level), 1e-12);
}

/* A shift is inside the interval exactly when the test at that shift accepts. */
static void test_interval_inverts_test(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct ranktest_interval r;
	double x[N_MAX], shift;
	size_t n, i;
	int t;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (t = 0; t < 300; t++) {
		n = 6 + gsl_rng_uniform_int(rng, N_MAX - 5);
		for (i = 0; i < n; i++)
			x[i] = gsl_ran_gaussian(rng, 1);
		ranktest_interval(x, n, 0.95, RANKTEST_TWO_SIDED, &r);
		for (i = 0; i < 20; i++) {
			shift = gsl_ran_gaussian(rng, 1);
			assert_int_equal(shift > r.lo &&
					 shift<r.hi, ranktest_signed_rank_p(x, n, shift,
							     RANKTEST_TWO_SIDED)> 0.05);
		}
	}
	gsl_rng_free(rng);
}

/* p given the ties, against all sign patterns of the same sizes. */
static void test_p_with_ties(void **state)
{
	static const double x[] = { 1, -1, 2, 2, -3, 0, 2, 4 };
	static const double ranks[] = { 1.5, 1.5, 4, 4, 6, 4, 7 };
	const double w = 1.5 + 4 + 4 + 4 + 7;
	double sum, lower = 0;
	unsigned signs;
	int i;

	(void)state;
	for (signs = 0; signs < 128; signs++) {
		sum = 0;
		for (i = 0; i < 7; i++)
			sum += signs >> i & 1 ? ranks[i] : 0;
		lower += sum >= w;
	}
	assert_near(
		ranktest_signed_rank_p(x, 8, 0, RANKTEST_LOWER), lower / 128, 1e-15);
	assert_near(ranktest_signed_rank_p(x, 8, 0, RANKTEST_TWO_SIDED),
		2 * lower / 128, 1e-15);
	assert_near(ranktest_signed_rank_p(x, 0, 0, RANKTEST_TWO_SIDED), 1, 0);
	assert_near(ranktest_signed_rank_p(&x[5], 1, 0, RANKTEST_LOWER), 1, 0);
}

/* Coverage of symmetric, heavy-tailed differences. */
static void test_coverage(void **state)
{
	static const size_t ns[] = { 6, 8, 12 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct ranktest_interval r;
	double x[N_MAX], covered;
	size_t k, i;
	int t;

	(void)state;
	gsl_rng_set(rng, SEED + 1);
	for (k = 0; k < 3; k++) {
		covered = 0;
		for (t = 0; t < 5000; t++) {
			for (i = 0; i < ns[k]; i++)
				x[i] = -0.04 +
				       gsl_ran_gaussian(rng,
					       gsl_rng_uniform(rng) < 0.1 ? 0.1 : 0.02);
			ranktest_interval(x, ns[k], 0.95, RANKTEST_TWO_SIDED, &r);
			covered += r.lo <= -0.04 && -0.04 <= r.hi;
		}
		assert_near(covered / 5000, r.level, 0.009); /* 3 sd */
	}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cdf_by_enumeration),
		cmocka_unit_test(test_critical_values),
		cmocka_unit_test(test_cdf_of_many),
		cmocka_unit_test(test_published_example),
		cmocka_unit_test(test_hodges_lehmann),
		cmocka_unit_test(test_achieved_levels),
		cmocka_unit_test(test_no_finite_interval),
		cmocka_unit_test(test_one_sided),
		cmocka_unit_test(test_interval_inverts_test),
		cmocka_unit_test(test_p_with_ties),
		cmocka_unit_test(test_coverage),
	};

	return cmocka_run_group_tests_name("ranktest", tests, NULL, NULL);
}
