/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often the verdict rule is right and wrong, and what rules of stopping do to
 * that: the operating curve of the margin rule, and the error at its boundary.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "stat/confseq.h"
#include "stat/ranktest.h"
#include "statsim.h"

#define SEED  20250303
#define THETA 0.03
#define N_MAX 30
/* Times the spread, of one in ten. The method says "10 % outliers"; of 2, 2.5, 3 and 5
 * this is what gives all numbers of its table. */
#define OUTLIERS 2.5
#define LEVEL    0.90 /* 5 % on each side, as a gate's bounds are */

static enum statsim_gate gate_of(const double *d, size_t n, double level)
{
	struct ranktest_interval r;

	ranktest_interval(d, n, level, RANKTEST_TWO_SIDED, &r);
	return statsim_gate_of(r.lo, r.hi, THETA);
}

/* V3: pairs with a spread of 2 %, and outliers. */
static void test_operating_curve(void **state)
{
	static const struct {
		double truth;
		enum statsim_gate gate;
		size_t n;
		double lo, hi; /* the share that says so; method b6 */
	} rows[] = {
		{ 0, STATSIM_PASS, 6, 0.80, 0.86 },
		{ 0, STATSIM_PASS, 8, 0.86, 0.92 },
		{ 0, STATSIM_PASS, 12, 0.97, 1 },
		{ 0, STATSIM_FAIL, 6, 0, 0.001 },
		{ 0, STATSIM_FAIL, 8, 0, 0.001 },
		{ 0, STATSIM_FAIL, 12, 0, 0.001 },
		{ 0.05, STATSIM_FAIL, 6, 0.55, 0.61 },
		{ 0.05, STATSIM_FAIL, 8, 0.63, 0.69 },
		{ 0.05, STATSIM_FAIL, 12, 0.83, 0.89 },
		{ 0.08, STATSIM_FAIL, 6, 0.95, 0.99 },
		{ 0.08, STATSIM_FAIL, 8, 0.97, 1 },
		{ 0.08, STATSIM_FAIL, 12, 0.99, 1 },
		{ THETA, STATSIM_FAIL, 6, 0.03, 0.055 },
		{ THETA, STATSIM_FAIL, 8, 0.03, 0.055 },
		{ THETA, STATSIM_FAIL, 12, 0.03, 0.055 },
	};
	const int n = 4000;
	gsl_rng *rng = statsim_rng(SEED);
	char what[64];
	size_t r, i;
	int k;

	(void)state;
	for (r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		double count = 0, d[12];

		for (k = 0; k < n; k++) {
			for (i = 0; i < rows[r].n; i++)
				d[i] = rows[r].truth +
				       statsim_draw(rng, 0.02, OUTLIERS);
			count += gate_of(d, rows[r].n, LEVEL) == rows[r].gate;
		}
		(void)snprintf(what, sizeof(what), "true %.0f %%, n = %zu, %s",
			100 * rows[r].truth, rows[r].n,
			rows[r].gate == STATSIM_PASS ? "pass" : "fail");
		statsim_assert_share(what, count / n, rows[r].lo, rows[r].hi);
	}
	gsl_rng_free(rng);
}

/* The naive rule beside it: the mean of five, no interval, pairs of 4 %. */
static void test_naive_point(void **state)
{
	const int n = 20000;
	gsl_rng *rng = statsim_rng(SEED + 1);
	double none = 0, harmless = 0, d[5];
	size_t i;
	int k;

	(void)state;
	for (k = 0; k < n; k++) {
		double mean;

		for (i = 0; i < 5; i++)
			d[i] = statsim_draw(rng, 0.04, OUTLIERS);
		mean = gsl_stats_mean(d, 1, 5);
		none += mean > THETA;
		harmless += mean + 0.015 > THETA;
	}
	statsim_assert_share("a mean of 5 above 3 %, true 0", none / n, 0.075, 0.09);
	statsim_assert_share("true +1.5 %", harmless / n, 0.22, 0.26);
	gsl_rng_free(rng);
}

/* When to stop, from 6 pairs on; the gate says what the rule came to. */
typedef bool stop_fn(const double *d, size_t n, enum statsim_gate *ret_gate);

static bool stop_precise(const double *d, size_t n, enum statsim_gate *ret_gate)
{
	struct ranktest_interval r;

	ranktest_interval(d, n, LEVEL, RANKTEST_TWO_SIDED, &r);
	*ret_gate = statsim_gate_of(r.lo, r.hi, THETA);
	return r.hi - r.lo <= THETA;
}

static bool stop_at_looks(const double *d, size_t n, enum statsim_gate *ret_gate)
{
	if (n != 8 && n != 16 && n != N_MAX)
		return false;
	*ret_gate = gate_of(d, n, 1 - (1 - LEVEL) / 3);
	return *ret_gate != STATSIM_UNSURE;
}

static bool stop_by_sequence(const double *d, size_t n, enum statsim_gate *ret_gate)
{
	double lo, hi;

	confseq_interval(d, n, LEVEL, &lo, &hi);
	*ret_gate = statsim_gate_of(lo, hi, THETA);
	return *ret_gate != STATSIM_UNSURE;
}

static bool stop_by_peeking(const double *d, size_t n, enum statsim_gate *ret_gate)
{
	*ret_gate = gate_of(d, n, LEVEL);
	return *ret_gate != STATSIM_UNSURE;
}

/* "p < 0.05" after every pair; a fail is any finding. */
static bool stop_at_p(const double *d, size_t n, enum statsim_gate *ret_gate)
{
	bool found = ranktest_signed_rank_p(d, n, 0, RANKTEST_TWO_SIDED) < 0.05;

	*ret_gate = found ? STATSIM_FAIL : STATSIM_UNSURE;
	return found;
}

struct stopped {
	double share[STATSIM_N_GATES], mean_n;
};

static struct stopped stopped_by(stop_fn *stop, double truth, unsigned long seed)
{
	const int n = 4000;
	gsl_rng *rng = statsim_rng(seed);
	struct stopped s = { .mean_n = 0 };
	int k;

	for (k = 0; k < n; k++) {
		enum statsim_gate gate = STATSIM_UNSURE;
		double d[N_MAX];
		size_t t = 0;
		bool is_over = false;

		while (!is_over && t < N_MAX) {
			d[t++] = truth + gsl_ran_gaussian(rng, 0.03);
			is_over = t >= 6 && stop(d, t, &gate);
		}
		s.share[gate]++;
		s.mean_n += (double)t / n;
	}
	for (k = 0; k < STATSIM_N_GATES; k++)
		s.share[k] /= n;
	gsl_rng_free(rng);
	return s;
}

/* V4: pairs with a spread of 3 %, a truth of exactly the tolerance. */
static void test_stopping_at_the_boundary(void **state)
{
	static const struct {
		stop_fn *stop;
		const char *name;
		double truth;
		double lo, hi;     /* share of fails; method b7 */
		double n_lo, n_hi; /* mean pairs */
	} rows[] = {
		{ stop_precise, "width", THETA, 0.055, 0.075, 12.5, 13.1 },
		{ stop_at_looks, "looks", THETA, 0.025, 0.043, 0, N_MAX },
		{ stop_at_looks, "looks", 0, 0, 0.002, 12, 14 },
		{ stop_by_sequence, "sequence", THETA, 0.020, 0.036, 0, N_MAX },
		{ stop_by_sequence, "sequence", 0, 0, 0.002, 10, 12 },
		{ stop_by_sequence, "sequence", 0.05, 0.82, 0.90, 16, 18 },
		/* known to be bad */
		{ stop_by_peeking, "peeking", THETA, 0.160, 0.190, 0, N_MAX },
		{ stop_at_p, "p < 0.05", 0, 0.195, 0.225, 0, N_MAX },
	};
	char what[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct stopped s =
			stopped_by(rows[i].stop, rows[i].truth, SEED + 10 + i);

		(void)snprintf(what, sizeof(what), "by %s, true %.0f %%, %.1f pairs",
			rows[i].name, 100 * rows[i].truth, s.mean_n);
		statsim_assert_share(
			what, s.share[STATSIM_FAIL], rows[i].lo, rows[i].hi);
		assert_true(s.mean_n >= rows[i].n_lo && s.mean_n <= rows[i].n_hi);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_operating_curve),
		cmocka_unit_test(test_naive_point),
		cmocka_unit_test(test_stopping_at_the_boundary),
	};

	return cmocka_run_group_tests_name("stat-verdicts", tests, NULL, NULL);
}
