/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The confidence sequence: its width, and how often it ever misses. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "stat/confseq.h"

#define SEED  20250404
#define N_MAX 60

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

/* Eight values -1, 1, ...: mean 0, sd sqrt(8 / 7) = 1.06904; by hand: 2 x 2.2 / 9.6 =
 * 0.458333, ln(sqrt(2.2) / 0.05) = 3.389961, sqrt of the product 1.246490. */
static void test_by_hand(void **state)
{
	double x[8], lo, hi;
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++)
		x[i] = i % 2 == 0 ? -1 : 1;
	confseq_interval(x, 8, 0.95, &lo, &hi);
	assert_near(hi, 1.069045 * 1.246490, 1e-4);
	assert_near(lo, -hi, 1e-12);
	confseq_interval(x, 7, 0.95, &lo, &hi);
	assert_true(isinf(lo) && lo < 0 && isinf(hi) && hi > 0);
}

/* In all of 60 looks together it misses the mean in at most 5 % of series, and an
 * interval made for one look, mean +- 2 sd / sqrt(n), in far more. */
static void test_ever_misses(void **state)
{
	const int n_series = 4000;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double x[N_MAX], lo, hi, misses = 0, misses_each = 0, sum, squares;
	size_t n;
	int k;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (k = 0; k < n_series; k++) {
		int missed = 0, missed_each = 0;

		sum = squares = 0;
		for (n = 1; n <= N_MAX; n++) {
			x[n - 1] = gsl_ran_gaussian(rng, 1);
			sum += x[n - 1];
			squares += x[n - 1] * x[n - 1];
			confseq_interval(x, n, 0.95, &lo, &hi);
			missed |= lo > 0 || hi < 0;
			missed_each |= n >= 8 && fabs(sum) > 2 * sqrt(squares);
		}
		misses += missed;
		misses_each += missed_each;
	}
	print_message("# ever misses: %.2f %%, one look at a time %.1f %%\n",
		100 * misses / n_series, 100 * misses_each / n_series);
	assert_true(misses <= 0.05 * n_series);
	assert_true(misses >= 0.01 * n_series); /* else it is too wide to be of use */
	assert_true(misses_each >= 0.12 * n_series);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_by_hand),
		cmocka_unit_test(test_ever_misses),
	};

	return cmocka_run_group_tests_name("confseq", tests, NULL, NULL);
}
