/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trend test against enumeration and printed values; its error rate and power. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_permutation.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "stat/trend.h"

#define SEED 20241130

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

static void test_inversions_by_enumeration(void **state)
{
	size_t n, k;

	(void)state;
	for (n = 2; n <= 8; n++) {
		gsl_permutation *p = gsl_permutation_calloc(n);
		double count[29] = { 0 }, all = 0, sum = 0;

		do {
			count[gsl_permutation_inversions(p)]++;
			all++;
		} while (gsl_permutation_next(p) == GSL_SUCCESS);
		for (k = 0; k <= n * (n - 1) / 2; k++) {
			sum += count[k];
			assert_near(trend_inversions_cdf(n, k), sum / all, 1e-14);
		}
		gsl_permutation_free(p);
	}
	assert_near(trend_inversions_cdf(1, 0), 1, 0);
}

/* Kendall 1970, table 1: the least S with a one-sided p of at most 0.05. */
static void test_critical_values(void **state)
{
	static const size_t s05[] = { 6, 8, 11, 13, 16, 18, 21, 23, 26 }; /* n = 4.. */
	size_t n;

	(void)state;
	for (n = 4; n <= 12; n++) {
		size_t pairs = n * (n - 1) / 2, k = (pairs - s05[n - 4]) / 2;

		assert_true(trend_inversions_cdf(n, k) <= 0.05);
		assert_true(trend_inversions_cdf(n, k + 1) > 0.05);
	}
}

static void test_slope(void **state)
{
	static const double t[] = { 0, 1, 2, 4, 8, 9 };
	double x[] = { 1, 3, 5, 9, 17, 19 };
	struct trend r;

	(void)state;
	trend_make(t, x, 6, &r);
	assert_near(r.slope, 2, 1e-12);
	assert_near(r.p, 2.0 / 720, 1e-15);
	x[3] = 900; /* a spike */
	trend_make(t, x, 6, &r);
	assert_near(r.slope, 2, 0.5);
	trend_make(t, x, 2, &r);
	assert_near(r.slope, 2, 1e-12);
	assert_near(r.p, 1, 0);
	trend_make(t, x, 0, &r);
	assert_true(isnan(r.slope) && r.p >= 1);
}

static void test_ties(void **state)
{
	double t[20], x[20];
	struct trend r;
	int i;

	(void)state;
	for (i = 0; i < 20; i++) {
		t[i] = i;
		x[i] = 5;
	}
	trend_make(t, x, 20, &r);
	assert_near(r.p, 1, 0);
	assert_near(r.slope, 0, 0);
	for (i = 0; i < 20; i++)
		x[i] = i / 2; /* pairs of equals, rising */
	trend_make(t, x, 20, &r);
	assert_true(r.p < 1e-6);
}

/* How often noise is called a drift, and a drift of 5 sd over the series is found. */
static void test_rates(void **state)
{
	static const size_t ns[] = { 8, 16, 70 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double t[70], x[70];
	struct trend r;
	size_t i, k;
	int rep, drifts;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (k = 0; k < 3; k++)
		for (drifts = 0; drifts < 2; drifts++) {
			double hits = 0;

			for (rep = 0; rep < 4000; rep++) {
				for (i = 0; i < ns[k]; i++) {
					t[i] = (double)i;
					x[i] = gsl_ran_gaussian(rng, 1) +
					       drifts * 5 * t[i] / (double)ns[k];
				}
				trend_make(t, x, ns[k], &r);
				hits += r.p <= 0.05;
			}
			if (drifts)
				assert_true(hits / 4000 > (ns[k] < 10 ? 0.5 : 0.9));
			else
				assert_true(hits / 4000 < 0.05 + 0.0104);
		}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_inversions_by_enumeration),
		cmocka_unit_test(test_critical_values),
		cmocka_unit_test(test_slope),
		cmocka_unit_test(test_ties),
		cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests_name("trend", tests, NULL, NULL);
}
