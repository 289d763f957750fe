/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign-flip test against published and enumerated values, and its error rate. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <string.h>

#include "stat/signflip.h"

#define SEED 20241130

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* Fisher 1935, section 21: Darwin's 15 pairs of maize. 863 of the 32,768 patterns
 * have a sum of at least the one seen in one direction, so p = 1726 / 32768. */
static const double darwin[] = { 49, -67, 8, 16, 6, 23, 28, 41, 14, 29, 56, 24, 75, 60,
	-48 };

static void test_fisher_on_darwin(void **state)
{
	(void)state;
	assert_near(signflip_p(darwin, 15, 0, RANKTEST_TWO_SIDED, signflip_mean, NULL,
			    NULL),
		1726.0 / 32768, 1e-12);
	assert_near(
		signflip_p(darwin, 15, 0, RANKTEST_LOWER, signflip_mean, NULL, NULL),
		863.0 / 32768, 1e-12);
	assert_near(
		signflip_p(darwin, 15, 0, RANKTEST_UPPER, signflip_mean, NULL, NULL),
		1 - 835.0 / 32768, 0.002);
}

static void test_smallest_p(void **state)
{
	static const double d[] = { 1, 2, 3, 4, 5, 6 };

	(void)state;
	assert_near(signflip_p(d, 6, 0, RANKTEST_LOWER, signflip_mean, NULL, NULL),
		1.0 / 64, 1e-15);
	assert_near(signflip_p(d, 6, 0, RANKTEST_TWO_SIDED, signflip_mean, NULL, NULL),
		2.0 / 64, 1e-15);
	/* About a shift that is theirs they are symmetric. */
	assert_true(signflip_p(d, 6, 3.5, RANKTEST_TWO_SIDED, signflip_mean, NULL,
			    NULL) > 0.9);
	assert_near(
		signflip_p(d, 0, 0, RANKTEST_LOWER, signflip_mean, NULL, NULL), 1, 0);
}

/* Drawn and enumerated p agree, and a drawn one is never 0. */
static void test_drawn(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double d[30];
	size_t i;

	(void)state;
	gsl_rng_set(rng, SEED);
	memcpy(d, darwin, sizeof(darwin));
	d[15] = d[16] = 0; /* no pattern is changed by them */
	assert_near(signflip_p(d, 17, 0, RANKTEST_TWO_SIDED, signflip_mean, NULL, rng),
		1726.0 / 32768, 0.007); /* 3 sd */
	for (i = 0; i < 30; i++)
		d[i] = 1 + (double)i;
	assert_near(signflip_p(d, 30, 0, RANKTEST_LOWER, signflip_mean, NULL, rng),
		1e-4, 1e-15);
	gsl_rng_free(rng);
}

/* A spike hides the others from the mean, not from the trimmed mean. */
static void test_statistics(void **state)
{
	double d[] = { 1, 1.2, 0.9, 1.1, 0.8, 1.3, 1.05, 0.95, 1.15, 1, 1.02, -30 };

	(void)state;
	assert_true(signflip_p(d, 12, 0, RANKTEST_TWO_SIDED, signflip_mean, NULL,
			    NULL) > 0.5);
	assert_true(signflip_p(d, 12, 0, RANKTEST_TWO_SIDED, signflip_trimmed_mean,
			    NULL, NULL) < 0.05);
	assert_near(signflip_trimmed_mean(d, 12, NULL), 8.17 / 8, 1e-9);
}

/* Under no effect p <= 0.05 comes at most that often, whatever the spread of each. */
static void test_error_rate(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double d[8], alarms = 0;
	size_t i;
	int t;

	(void)state;
	gsl_rng_set(rng, SEED + 1);
	for (t = 0; t < 4000; t++) {
		for (i = 0; i < 8; i++)
			d[i] = gsl_ran_gaussian(rng, 1 + (double)i);
		alarms += signflip_p(d, 8, 0, RANKTEST_TWO_SIDED, signflip_trimmed_mean,
				  NULL, NULL) <= 0.05;
	}
	assert_true(alarms / 4000 <= 0.05 + 0.0104); /* 3 sd */
	assert_true(alarms / 4000 >= 0.03);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_fisher_on_darwin),
		cmocka_unit_test(test_smallest_p),
		cmocka_unit_test(test_drawn),
		cmocka_unit_test(test_statistics),
		cmocka_unit_test(test_error_rate),
	};

	return cmocka_run_group_tests_name("signflip", tests, NULL, NULL);
}
