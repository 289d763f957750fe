/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Two bands: the cut, and how often it is seen where there is one and where not. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "stat/bands.h"

#define SEED     20241130
#define N_TRIALS 20000

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

static void test_the_cut(void **state)
{
	static const double x[] = { 48.1, 44.0, 48.0, 44.1, 43.9, 47.9, 44.0, 48.0 };
	struct bands b;

	(void)state;
	bands_make(x, 8, &b);
	assert_true(b.is_split);
	assert_int_equal(b.n_lo, 4);
	assert_int_equal(b.n_hi, 4);
	assert_near(b.lo, 44, 1e-9);
	assert_near(b.hi, 48, 1e-9);
	assert_near(b.between, 46, 1e-9);
	assert_near(b.within_frac, 0.00125, 0.0002);
}

static void test_no_bands(void **state)
{
	static const double spike[] = { 1, 1, 1, 1, 1, 1, 1, 9 };
	static const double same[] = { 2, 2, 2, 2, 2, 2 };
	struct bands b;

	(void)state;
	bands_make(spike, 8, &b);
	assert_false(b.is_split);
	assert_int_equal(b.n_hi, 2); /* a band is two at least */
	bands_make(same, 6, &b);
	assert_false(b.is_split);
	bands_make(spike + 3, 5, &b); /* too few to tell */
	assert_false(b.is_split);
	assert_true(isnan(b.lo) && isnan(b.hi) && isnan(b.within_frac));
	bands_make(spike, 0, &b);
	assert_false(b.is_split);
}

/* Share of samples that are called two bands; in_ten: values in ten that have 5 times
 * the spread; gap: of two bands, in units of the spread. */
static double rate(size_t n, double in_ten, double gap, gsl_rng *rng)
{
	double x[60], hits = 0;
	struct bands b;
	size_t i;
	int t;

	for (t = 0; t < N_TRIALS; t++) {
		for (i = 0; i < n; i++) {
			double sd = gsl_rng_uniform(rng) < in_ten / 10 ? 5 : 1;

			x[i] = gsl_ran_gaussian(rng, sd) +
			       (gsl_rng_uniform(rng) < 0.5 ? gap : 0);
		}
		bands_make(x, n, &b);
		hits += b.is_split;
	}
	return hits / N_TRIALS;
}

static void test_rates(void **state)
{
	static const size_t ns[] = { 6, 8, 9, 12, 13, 18, 24, 30, 50 };
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t i;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (i = 0; i < sizeof(ns) / sizeof(ns[0]); i++) {
		assert_near(rate(ns[i], 0, 0, rng), 0.002, 0.0012);
		assert_true(rate(ns[i], 1, 0, rng) < 0.004);
	}
	/* What is missed at 8 is mostly a lone value in one band. */
	assert_true(rate(8, 0, 12, rng) > 0.75);
	assert_true(rate(12, 0, 8, rng) > 0.8);
	assert_true(rate(24, 0, 6, rng) > 0.9);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_the_cut),
		cmocka_unit_test(test_no_bands),
		cmocka_unit_test(test_rates),
	};

	return cmocka_run_group_tests_name("bands", tests, NULL, NULL);
}
