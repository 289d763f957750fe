/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The rank-sum test against enumeration, printed tables and a published example. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "stat/ranksum.h"

#define SEED 20241130

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* Share of all choices of n of the n + m values whose pairs x > y, ties as half, come
 * to at most (is_below) or at least u. */
static double share_by_enumeration(
	const double *v, size_t n, size_t m, double u, int is_below)
{
	double all = 0, hit = 0;
	unsigned pick;
	size_t i, j;

	for (pick = 0; pick < 1u << (n + m); pick++) {
		double pairs = 0;

		if ((size_t)__builtin_popcount(pick) != n)
			continue;
		for (i = 0; i < n + m; i++)
			for (j = 0; j < n + m; j++)
				if ((pick >> i & 1) && !(pick >> j & 1))
					pairs += v[i] > v[j]   ? 1
						 : v[i] < v[j] ? 0
							       : 0.5;
		all++;
		hit += is_below ? pairs <= u : pairs >= u;
	}
	return hit / all;
}

static void test_cdf_by_enumeration(void **state)
{
	double v[10];
	size_t n, m, u;

	(void)state;
	for (u = 0; u < 10; u++)
		v[u] = (double)u;
	for (n = 1; n <= 5; n++)
		for (m = 1; n + m <= 10; m++)
			for (u = 0; u <= n * m; u++)
				assert_near(ranksum_cdf(n, m, u),
					share_by_enumeration(v, n, m, (double)u, 1),
					1e-14);
}

/* Beyond what can be enumerated: by whole numbers of any length, in another language,
 * and by the recursion of Mann and Whitney. */
static void test_cdf_of_many(void **state)
{
	static const struct {
		size_t n, m, u;
		double p;
	} rows[] = {
		{ 12, 12, 37, 0.022450997649543888 },
		{ 20, 20, 127, 0.02454516259468622 },
		{ 15, 30, 142, 0.02306518786321999 },
		{ 40, 40, 600, 0.02728809428825018 },
		{ 40, 6, 50, 0.010257057385223308 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_near(
			ranksum_cdf(rows[i].n, rows[i].m, rows[i].u), rows[i].p, 1e-14);
}

/* Greatest U with a two-sided p of at most 0.05 for equal sizes: the usual printed
 * table (Mann and Whitney 1947, extended by Auble 1953). */
static void test_critical_values(void **state)
{
	static const size_t u05[] = { 0, 2, 5, 8, 13, 17, 23, 30, 37, 45, 55, 64, 75,
		87, 99, 113, 127 };
	size_t n;

	(void)state;
	for (n = 4; n <= 20; n++) {
		assert_true(ranksum_cdf(n, n, u05[n - 4]) <= 0.025);
		assert_true(ranksum_cdf(n, n, u05[n - 4] + 1) > 0.025);
	}
}

/* What n + n values can prove at best, as benchstat prints it. */
static void test_smallest_p(void **state)
{
	static const double want[] = { 0.1, 0.0286, 0.0079, 0.0022 };
	size_t n;

	(void)state;
	for (n = 3; n <= 6; n++)
		assert_near(ranksum_p_min(n, n), want[n - 3], 5e-5);
	assert_near(ranksum_p_min(2, 6), 2.0 / 28, 1e-12);
	assert_near(ranksum_p_min(1, 1), 1, 1e-12);
	assert_near(ranksum_p_min(0, 5), 1, 0);
}

/* Hollander and Wolfe 1999, example 4.1 (permeability of membranes at term and
 * before): U = 35, one-sided p 0.127, shift 0.305, 96 % interval (-0.15, 0.76). */
static void test_published_example(void **state)
{
	static const double x[] = { 0.80, 0.83, 1.89, 1.04, 1.45, 1.38, 1.91, 1.64,
		0.73, 1.46 };
	static const double y[] = { 1.15, 0.88, 0.90, 0.74, 1.21 };
	struct ranktest_interval r;

	(void)state;
	assert_near(ranksum_p(x, 10, y, 5, RANKTEST_LOWER), 0.1272, 5e-5);
	assert_near(ranksum_p(x, 10, y, 5, RANKTEST_TWO_SIDED), 0.2544, 5e-5);
	ranksum_interval(x, 10, y, 5, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_near(r.estimate, 0.305, 1e-9);
	assert_near(r.lo, -0.15, 1e-9);
	assert_near(r.hi, 0.76, 1e-9);
	assert_near(r.level, 0.96, 0.006);
}

static void test_p_with_ties(void **state)
{
	static const double v[] = { 1, 2, 2, 3, 3, 3, 4, 5, 5 };
	static const size_t picked[] = { 2, 4, 5, 8 }; /* x */
	double x[4], y[5], u = 0, below, above;
	size_t i, j, n = 0, m = 0;

	(void)state;
	for (i = 0; i < 9; i++) {
		if (n < 4 && picked[n] == i)
			x[n++] = v[i];
		else
			y[m++] = v[i];
	}
	for (i = 0; i < 4; i++)
		for (j = 0; j < 5; j++)
			u += x[i] > y[j] ? 1 : x[i] < y[j] ? 0 : 0.5;
	below = share_by_enumeration(v, 4, 5, u, 1);
	above = share_by_enumeration(v, 4, 5, u, 0);
	assert_near(ranksum_p(x, 4, y, 5, RANKTEST_UPPER), below, 1e-14);
	assert_near(ranksum_p(x, 4, y, 5, RANKTEST_LOWER), above, 1e-14);
	assert_near(ranksum_p(x, 4, y, 5, RANKTEST_TWO_SIDED),
		fmin(1, 2 * fmin(below, above)), 1e-14);
	/* All alike, and nothing at all. */
	assert_near(ranksum_p(&v[3], 1, &v[4], 2, RANKTEST_TWO_SIDED), 1, 0);
	assert_near(ranksum_p(v, 0, v, 3, RANKTEST_LOWER), 1, 0);
}

/* The interval is the set of shifts that the test does not reject. */
static void test_interval_inverts_test(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct ranktest_interval r;
	double x[7], y[9], moved[7];
	int t, side;
	size_t i;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (t = 0; t < 50; t++) {
		for (i = 0; i < 7; i++)
			x[i] = gsl_ran_gaussian(rng, 1) + 0.5;
		for (i = 0; i < 9; i++)
			y[i] = gsl_ran_gaussian(rng, 1);
		ranksum_interval(x, 7, y, 9, 0.95, RANKTEST_TWO_SIDED, &r);
		assert_true(r.is_finite && r.level >= 0.95 && r.level < 0.97);
		for (side = -1; side <= 1; side += 2) {
			double edge = side < 0 ? r.lo : r.hi;

			for (i = 0; i < 7; i++)
				moved[i] = x[i] - edge - side * 1e-9;
			assert_true(
				ranksum_p(moved, 7, y, 9, RANKTEST_TWO_SIDED) <= 0.05);
			for (i = 0; i < 7; i++)
				moved[i] = x[i] - edge + side * 1e-9;
			assert_true(
				ranksum_p(moved, 7, y, 9, RANKTEST_TWO_SIDED) > 0.05);
		}
	}
	gsl_rng_free(rng);
}

static void test_no_finite_interval(void **state)
{
	static const double x[] = { 1, 2, 3, 4, 5, 6, 7, 8 };
	struct ranktest_interval r;

	(void)state;
	ranksum_interval(x, 3, x, 4, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_false(r.is_finite);
	assert_true(isinf(r.lo) && isinf(r.hi) && r.level >= 1);
	assert_near(r.estimate, -0.5, 1e-12);
	ranksum_interval(x, 3, x, 5, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_true(r.is_finite);
	ranksum_interval(x, 2, x, 7, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_false(r.is_finite);
	ranksum_interval(x, 2, x, 8, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_true(r.is_finite);
	ranksum_interval(x, 0, x, 8, 0.95, RANKTEST_TWO_SIDED, &r);
	assert_true(isnan(r.estimate) && !r.is_finite);
	/* One-sided: one bound. */
	ranksum_interval(x, 5, x, 5, 0.95, RANKTEST_LOWER, &r);
	assert_true(isfinite(r.lo) && isinf(r.hi));
	ranksum_interval(x, 5, x, 5, 0.95, RANKTEST_UPPER, &r);
	assert_true(isinf(r.lo) && isfinite(r.hi));
}

/* Beyond the exact sizes the approximation goes on where the tables end. */
static void test_large_samples(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct ranktest_interval exact, normal;
	double x[41], y[41];
	size_t i;

	(void)state;
	gsl_rng_set(rng, SEED + 1);
	for (i = 0; i < 41; i++) {
		x[i] = round(gsl_ran_gaussian(rng, 10) + 3); /* with ties */
		y[i] = round(gsl_ran_gaussian(rng, 10));
	}
	assert_near(ranksum_p(x, 41, y, 40, RANKTEST_LOWER),
		ranksum_p(x, 40, y, 40, RANKTEST_LOWER), 0.02);
	ranksum_interval(x, 40, y, 40, 0.95, RANKTEST_TWO_SIDED, &exact);
	ranksum_interval(x, 41, y, 41, 0.95, RANKTEST_TWO_SIDED, &normal);
	assert_near(normal.lo, exact.lo, 1.01);
	assert_near(normal.hi, exact.hi, 1.01);
	for (i = 0; i < 41; i++)
		x[i] = y[i] = 5;
	assert_near(ranksum_p(x, 41, y, 41, RANKTEST_TWO_SIDED), 1, 0);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cdf_by_enumeration),
		cmocka_unit_test(test_critical_values),
		cmocka_unit_test(test_cdf_of_many),
		cmocka_unit_test(test_smallest_p),
		cmocka_unit_test(test_published_example),
		cmocka_unit_test(test_p_with_ties),
		cmocka_unit_test(test_interval_inverts_test),
		cmocka_unit_test(test_no_finite_interval),
		cmocka_unit_test(test_large_samples),
	};

	return cmocka_run_group_tests_name("ranksum", tests, NULL, NULL);
}
