/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Benjamini-Hochberg and Holm on a published example and on what cannot be tested. */
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

#include "stat/multiple.h"

#define SEED 20241130

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* Benjamini and Hochberg 1995, section 3.2: 15 endpoints of a heart attack trial. */
static const double endpoints[] = { 0.3240, 0.0001, 0.0004, 0.0344, 0.0019, 0.0095,
	0.0201, 1.0000, 0.0278, 0.0298, 0.0459, 0.4262, 0.5719, 0.6528, 0.7590 };

static size_t n_at_most(const double *v, size_t n, double limit)
{
	size_t i, count = 0;

	for (i = 0; i < n; i++)
		count += v[i] <= limit;
	return count;
}

/* "four hypotheses ... are rejected" by theirs, three by Bonferroni and Hochberg. */
static void test_published_example(void **state)
{
	double q[15], h[15];

	(void)state;
	multiple_bh(endpoints, 15, q);
	assert_int_equal(n_at_most(q, 15, 0.05), 4);
	assert_near(q[1], 0.0015, 1e-12);
	assert_near(q[5], 0.035625, 1e-12);
	assert_near(q[6], 0.0603, 1e-12);
	assert_near(q[8], 0.0638571428571, 1e-9); /* of the next two */
	assert_near(q[7], 1, 0);
	multiple_holm(endpoints, 15, h);
	assert_int_equal(n_at_most(h, 15, 0.05), 3);
	assert_near(h[1], 0.0015, 1e-12);
	assert_near(h[2], 0.0056, 1e-12);
	assert_near(h[4], 0.0247, 1e-12);
	assert_near(h[5], 0.114, 1e-12);
	assert_near(h[7], 1, 0);
}

static void test_unknown_and_none(void **state)
{
	double p[] = { 0.01, (double)NAN, 0.02 }, q[3];

	(void)state;
	multiple_bh(p, 3, q);
	assert_near(q[0], 0.02, 1e-15);
	assert_true(isnan(q[1]));
	assert_near(q[2], 0.02, 1e-15);
	multiple_holm(p, 3, p); /* in place */
	assert_near(p[0], 0.02, 1e-15);
	assert_true(isnan(p[1]));
	assert_near(p[2], 0.02, 1e-15);
	multiple_bh(p, 0, q);
	multiple_holm(p, 0, q);
	p[0] = 0.04;
	multiple_holm(p, 1, q);
	assert_near(q[0], 0.04, 0);
}

/* With all hypotheses true both call one with a chance of 5 %; with a tenth false the
 * share of false ones among the called is below 5 % for Benjamini-Hochberg. */
static void test_error_rates(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double p[50], q[50], h[50], any_q = 0, any_h = 0, share = 0;
	int t, i;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (t = 0; t < 4000; t++) {
		for (i = 0; i < 50; i++)
			p[i] = gsl_rng_uniform_pos(rng);
		multiple_bh(p, 50, q);
		multiple_holm(p, 50, h);
		any_q += n_at_most(q, 50, 0.05) > 0;
		any_h += n_at_most(h, 50, 0.05) > 0;
		for (i = 0; i < 5; i++)
			p[i] *= 1e-3;
		multiple_bh(p, 50, q);
		if (n_at_most(q, 50, 0.05) > 0)
			share += (double)n_at_most(q + 5, 45, 0.05) /
				 (double)n_at_most(q, 50, 0.05);
	}
	assert_near(any_q / 4000, 0.05, 0.0104); /* 3 sd */
	assert_near(any_h / 4000, 0.05, 0.0104);
	assert_true(share / 4000 < 0.05);
	assert_true(share / 4000 > 0.03); /* 0.045 is what theory says */
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_published_example),
		cmocka_unit_test(test_unknown_and_none),
		cmocka_unit_test(test_error_rates),
	};

	return cmocka_run_group_tests_name("multiple", tests, NULL, NULL);
}
