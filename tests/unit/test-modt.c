/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moderated t: what it is for equal variances, its error rate, its odd cases. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "stat/modt.h"

#define SEED   20241130
#define N_ROWS 28

#define N_LIMITS 3
static const double limits[N_LIMITS] = { 0.05, 0.01, 0.002 };

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* A row whose variance is the prior's has an ordinary t on 15 degrees: 2.131 is the
 * printed 5 % point, and 0.9319 the median of F with 5 and 10 degrees. */
static void test_against_the_table(void **state)
{
	struct modt_row r = { .var = 0.9319, .df = 5, .scale = 1.0 / 6 };
	double s;

	(void)state;
	s = sqrt((10 * 1.0 + 5 * 0.9319) / 15 / 6);
	r.diff = 2.131 * s;
	assert_near(modt_make(&r, 1), 1, 1e-4);
	assert_near(r.t, 2.131, 1e-3);
	assert_near(r.p, 0.05, 1e-4);
	r.diff = -2.947 * s;
	(void)modt_make(&r, 1);
	assert_near(r.t, -2.947, 1e-3);
	assert_near(r.p, 0.01, 1e-4);
}

static void test_rows(void **state)
{
	static const double x[] = { 1, 2, 3, 4 }, y[] = { 2, 2, 5 };
	struct modt_row r = modt_row_paired(x, 4);

	(void)state;
	assert_near(r.diff, 2.5, 1e-12);
	assert_near(r.var, 5.0 / 3, 1e-12);
	assert_near(r.df, 3, 0);
	assert_near(r.scale, 0.25, 1e-15);
	r = modt_row_two(x, 4, y, 3);
	assert_near(r.diff, -0.5, 1e-12);
	assert_near(r.var, (5.0 + 6.0) / 5, 1e-12);
	assert_near(r.df, 5, 0);
	assert_near(r.scale, 0.25 + 1.0 / 3, 1e-15);
	/* Too few values are no row. */
	r = modt_row_paired(x, 1);
	assert_true(isnan(modt_make(&r, 1)) && isnan(r.p));
	r = modt_row_two(x, 4, y, 1);
	assert_true(isnan(modt_make(&r, 1)) && isnan(r.p));
	assert_true(isnan(modt_make(&r, 0)));
}

/* Six equal differences prove something about a row among noisy ones, but not
 * everything; where no row varies nothing can be said. */
static void test_no_variance(void **state)
{
	struct modt_row rows[3] = {
		{ .diff = 0.3, .var = 0, .df = 5, .scale = 1.0 / 6 },
		{ .diff = 0.3, .var = 1, .df = 5, .scale = 1.0 / 6 },
		{ .diff = 0.3, .var = 4, .df = 5, .scale = 1.0 / 6 },
	};
	size_t i;

	(void)state;
	(void)modt_make(rows, 3);
	assert_true(rows[0].p > 0.1 && rows[0].p < rows[1].p);
	assert_true(rows[1].p < rows[2].p && rows[2].p < 1);
	for (i = 0; i < 3; i++)
		rows[i].var = 0;
	(void)modt_make(rows, 3);
	assert_true(isnan(rows[0].p) && isnan(rows[0].t));
}

/* How often p of 6 values a row is small, in units of what it says. */
static void small_p(bool rows_differ, gsl_rng *rng, double ret_ratio[N_LIMITS])
{
	double d[6], n = 0, sd;
	struct modt_row rows[N_ROWS];
	int t, i, k;

	for (k = 0; k < N_LIMITS; k++)
		ret_ratio[k] = 0;
	for (t = 0; t < 4000; t++) {
		for (i = 0; i < N_ROWS; i++) {
			sd = rows_differ ? 0.02 * sqrt(10 / gsl_ran_chisq(rng, 10))
					 : 0.02;
			for (k = 0; k < 6; k++)
				d[k] = gsl_ran_gaussian(rng, sd);
			rows[i] = modt_row_paired(d, 6);
		}
		(void)modt_make(rows, N_ROWS);
		for (i = 0; i < N_ROWS; i++) {
			n++;
			for (k = 0; k < N_LIMITS; k++)
				ret_ratio[k] += (rows[i].p <= limits[k]) / limits[k];
		}
	}
	for (k = 0; k < N_LIMITS; k++)
		ret_ratio[k] /= n;
}

/* p is uniform where the rows differ as the prior supposes, too large where they are
 * alike. */
static void test_error_rate(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double ratio[N_LIMITS];
	int k;

	(void)state;
	gsl_rng_set(rng, SEED);
	small_p(true, rng, ratio);
	for (k = 0; k < N_LIMITS; k++)
		assert_near(ratio[k], 1, 0.2);
	small_p(false, rng, ratio);
	for (k = 0; k < N_LIMITS; k++)
		assert_true(ratio[k] > 0.3 && ratio[k] < 1);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_against_the_table),
		cmocka_unit_test(test_rows),
		cmocka_unit_test(test_no_variance),
		cmocka_unit_test(test_error_rate),
	};

	return cmocka_run_group_tests_name("modt", tests, NULL, NULL);
}
