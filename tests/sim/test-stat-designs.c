/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often designs of an experiment find a difference between a program and itself:
 * the product's own pairs in random order, and designs that are known to be bad, which
 * must fail as stated or this test shows nothing.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>

#include "stat/ranksum.h"
#include "stat/ranktest.h"
#include "statsim.h"

#define SEED    20250101
#define ALPHA   0.05
#define N_PAIRS 12
#define N_RUNS  (2 * N_PAIRS)
#define RUN_SD  0.01
#define AR      0.7

enum noise { IID, DRIFT, AR1, STEP, SPIKES };

/* ln speed of a machine that runs the same thing N_RUNS times. */
static void campaign_draw(gsl_rng *rng, enum noise noise, double *x)
{
	bool has_step = gsl_rng_uniform(rng) < 0.3;
	/* In the middle 70 %: near the ends it is hardly a step. The method does not
	 * say where; anywhere would be 19 %. */
	size_t at = 4 + gsl_rng_uniform_int(rng, N_RUNS - 7), i;
	double ar = gsl_ran_gaussian(rng, RUN_SD);

	for (i = 0; i < N_RUNS; i++) {
		x[i] = statsim_draw(rng, RUN_SD, noise == SPIKES ? 5 : 1);
		if (noise == DRIFT)
			x[i] += 0.03 * (double)i / (N_RUNS - 1);
		if (noise == STEP && has_step && i >= at)
			x[i] += 0.05;
		if (noise != AR1)
			continue;
		x[i] = ar;
		ar = AR * ar + gsl_ran_gaussian(rng, RUN_SD * sqrt(1 - AR * AR));
	}
}

static bool blocked_alarms(const double *x)
{
	return ranksum_p(x, N_PAIRS, x + N_PAIRS, N_PAIRS, RANKTEST_TWO_SIDED) <= ALPHA;
}

/* rng NULL: always A first. The second of a pair is slower by `later`. */
static bool pairs_alarm(const double *x, double later, gsl_rng *rng)
{
	double d[N_PAIRS];
	size_t i;

	for (i = 0; i < N_PAIRS; i++) {
		d[i] = x[2 * i + 1] - later - x[2 * i];
		if (rng != NULL && gsl_rng_uniform(rng) < 0.5)
			d[i] = -d[i];
	}
	return ranktest_signed_rank_p(d, N_PAIRS, 0, RANKTEST_TWO_SIDED) <= ALPHA;
}

/* V1. The signed rank of 12 has an exact size of 4.25 %. */
static void test_order_of_runs(void **state)
{
	static const struct {
		enum noise noise;
		const char *name;
		double blocked_lo, blocked_hi; /* method b8: 90, 36 and 26 % */
	} rows[] = {
		{ IID, "iid", 0.035, 0.06 },
		{ DRIFT, "3 % drift", 0.88, 0.92 },
		{ AR1, "AR(0.7)", 0.34, 0.39 },
		{ STEP, "5 % step in 30 %", 0.24, 0.28 },
		{ SPIKES, "spikes", 0.035, 0.06 },
	};
	const int n = 6000;
	gsl_rng *rng = statsim_rng(SEED);
	char what[64];
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		double blocked = 0, random = 0, alternating = 0, later = 0;
		double x[N_RUNS];

		for (k = 0; k < n; k++) {
			campaign_draw(rng, rows[i].noise, x);
			blocked += blocked_alarms(x);
			random += pairs_alarm(x, 0, rng);
			later += pairs_alarm(x, 0.01, rng);
			alternating += pairs_alarm(x, 0.01, NULL);
		}
		(void)snprintf(
			what, sizeof(what), "%s, all A then all B", rows[i].name);
		statsim_assert_share(
			what, blocked / n, rows[i].blocked_lo, rows[i].blocked_hi);
		(void)snprintf(what, sizeof(what), "%s, random pairs", rows[i].name);
		statsim_assert_share(what, random / n, 0.035, 0.06);
		(void)snprintf(
			what, sizeof(what), "%s, random, second slower", rows[i].name);
		statsim_assert_share(what, later / n, 0.035, 0.06);
		(void)snprintf(
			what, sizeof(what), "%s, ABAB, second slower", rows[i].name);
		/* 55 % where the runs are independent */
		statsim_assert_share(what, alternating / n,
			rows[i].noise == IID ? 0.53 : 0.2,
			rows[i].noise == IID ? 0.58 : 1);
	}
	gsl_rng_free(rng);
}

/* V2: windows of a run share its luck; here half of the variance is the run's. */
static void test_pseudo_replication(void **state)
{
	enum { N = 6, WINDOWS_MAX = 32 };
	static const struct {
		size_t n_windows;
		double lo, hi; /* method b7: 36 and 64 % */
	} rows[] = { { 8, 0.33, 0.39 }, { WINDOWS_MAX, 0.61, 0.67 } };
	const int n = 2500;
	gsl_rng *rng = statsim_rng(SEED + 2);
	char what[64];
	size_t r, i, w;
	int k;

	(void)state;
	for (r = 0; r < 2; r++) {
		const size_t m = rows[r].n_windows;
		double pooled = 0, by_run = 0, x[2 * N * WINDOWS_MAX], mean[2 * N];

		for (k = 0; k < n; k++) {
			for (i = 0; i < 2 * N; i++) {
				double luck = gsl_ran_gaussian(rng, RUN_SD);

				for (w = 0; w < m; w++)
					x[i * m + w] =
						luck + gsl_ran_gaussian(rng, RUN_SD);
				mean[i] = gsl_stats_mean(x + i * m, 1, m);
			}
			pooled += ranksum_p(x, N * m, x + N * m, N * m,
					  RANKTEST_TWO_SIDED) <= ALPHA;
			by_run += ranksum_p(mean, N, mean + N, N, RANKTEST_TWO_SIDED) <=
				  ALPHA;
		}
		(void)snprintf(what, sizeof(what), "%zu windows a run, pooled", m);
		statsim_assert_share(what, pooled / n, rows[r].lo, rows[r].hi);
		statsim_assert_share("means of runs", by_run / n, 0.025, 0.055);
	}
	gsl_rng_free(rng);
}

#define THETA       0.03
#define N_BASELINES 5

/* A campaign of 12 runs: its mean has luck of its own. */
static void campaign_runs(gsl_rng *rng, double campaign_sd, double *x)
{
	double luck = gsl_ran_gaussian(rng, campaign_sd);
	size_t i;

	for (i = 0; i < N_PAIRS; i++)
		x[i] = luck + gsl_ran_gaussian(rng, RUN_SD);
}

/* Prediction interval of one campaign from the means of several before. */
static enum statsim_gate predicted(const double *base_means, double cur_mean)
{
	double t = gsl_cdf_tdist_Pinv(1 - ALPHA, N_BASELINES - 1);
	double d = cur_mean - gsl_stats_mean(base_means, 1, N_BASELINES);
	double half = t * gsl_stats_sd(base_means, 1, N_BASELINES) *
		      sqrt(1 + 1.0 / N_BASELINES);

	return statsim_gate_of(d - half, d + half, THETA);
}

/* V7: a stored baseline is all A, then all B. No change; the share that fails. */
static void test_campaigns(void **state)
{
	static const struct {
		double campaign_sd, lo, hi; /* method b8: 9, 19 and 29 % */
		double five_hi;             /* 0.3, 0.7 and 1.6 % */
	} rows[] = {
		{ 0.02, 0.080, 0.105, 0.005 },
		{ 0.03, 0.175, 0.210, 0.011 },
		{ 0.05, 0.275, 0.310, 0.021 },
	};
	const int n = 5000;
	gsl_rng *rng = statsim_rng(SEED + 7);
	char what[64];
	size_t r, i;
	int k;

	(void)state;
	for (r = 0; r < sizeof(rows) / sizeof(rows[0]); r++) {
		double one = 0, five = 0, unsure = 0;

		for (k = 0; k < n; k++) {
			double base[N_PAIRS], cur[N_PAIRS], means[N_BASELINES];
			struct ranktest_interval d;
			enum statsim_gate gate;

			for (i = 0; i < N_BASELINES; i++) {
				campaign_runs(rng, rows[r].campaign_sd, base);
				means[i] = gsl_stats_mean(base, 1, N_PAIRS);
			}
			campaign_runs(rng, rows[r].campaign_sd, cur);
			ranksum_interval(cur, N_PAIRS, base, N_PAIRS, 1 - 2 * ALPHA,
				RANKTEST_TWO_SIDED, &d);
			one += statsim_gate_of(d.lo, d.hi, THETA) == STATSIM_FAIL;
			gate = predicted(means, gsl_stats_mean(cur, 1, N_PAIRS));
			five += gate == STATSIM_FAIL;
			unsure += gate == STATSIM_UNSURE;
		}
		(void)snprintf(what, sizeof(what), "campaign sd %.0f %%, one baseline",
			100 * rows[r].campaign_sd);
		statsim_assert_share(what, one / n, rows[r].lo, rows[r].hi);
		statsim_assert_share("five baselines", five / n, 0, rows[r].five_hi);
		statsim_assert_share("five, undecided", unsure / n, 0.67, 0.90);
	}
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_order_of_runs),
		cmocka_unit_test(test_pseudo_replication),
		cmocka_unit_test(test_campaigns),
	};

	return cmocka_run_group_tests_name("stat-designs", tests, NULL, NULL);
}
