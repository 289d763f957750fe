/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How often a function is named that did not change, and one that did: the moderated
 * t of runs with Benjamini-Hochberg, and the pooled test of samples, which is known to
 * be bad: it takes each sample for a run.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/modt.h"
#include "stat/multiple.h"
#include "stat/ranksum.h"
#include "statsim.h"

#define SEED       20250606
#define N_SYMBOLS  300
#define N_SAMPLES  8000
#define N_RUNS_MAX 12
#define ZIPF       1.1 /* 28 symbols have 0.5 % and more */
#define CHANGED    7
#define FROM_SHARE 0.021
#define TO_SHARE   0.027
#define MIN_SHARE  0.005
#define Q          0.05

/* One arm's runs: samples by symbol. */
struct profile_arm {
	unsigned k[N_RUNS_MAX][N_SYMBOLS];
};

static void shares_make(double *p, double share_of_changed)
{
	double rest = 0;
	size_t i;

	for (i = 0; i < N_SYMBOLS; i++) {
		p[i] = pow((double)i + 1, -ZIPF);
		rest += i != CHANGED ? p[i] : 0;
	}
	for (i = 0; i < N_SYMBOLS; i++)
		p[i] *= (1 - share_of_changed) / rest;
	p[CHANGED] = share_of_changed;
}

/* Shares differ from run to run: Dirichlet; samples from those: multinomial. */
static void arm_draw(
	gsl_rng *rng, const double *p, double kappa, size_t n, struct profile_arm *arm)
{
	double alpha[N_SYMBOLS], theta[N_SYMBOLS];
	size_t i, r;

	for (i = 0; i < N_SYMBOLS; i++)
		alpha[i] = kappa * p[i];
	for (r = 0; r < n; r++) {
		gsl_ran_dirichlet(rng, N_SYMBOLS, alpha, theta);
		gsl_ran_multinomial(rng, N_SYMBOLS, N_SAMPLES, theta, arm->k[r]);
	}
}

static double pooled(const struct profile_arm *arm, size_t n, size_t symbol)
{
	double sum = 0;
	size_t r;

	for (r = 0; r < n; r++)
		sum += arm->k[r][symbol];
	return sum / ((double)n * N_SAMPLES);
}

static double arcsine(unsigned k)
{
	return asin(sqrt((k + 0.375) / (N_SAMPLES + 0.75)));
}

/* Two-sided p of two proportions, as if each sample were independent. */
static double naive_p(double a, double b, size_t n)
{
	double mean = (a + b) / 2, m = (double)n * N_SAMPLES;

	return 2 * gsl_cdf_ugaussian_Q(fabs(a - b) / sqrt(2 * mean * (1 - mean) / m));
}

/* Which are called, of those kept: the changed one, and any other. */
struct called {
	double changed, other;
	double n_kept;
};

static void called_add(struct called *c, const double *p, const size_t *symbol,
	size_t n, int n_repeats)
{
	double q[N_SYMBOLS];
	bool changed = false, other = false;
	size_t i;

	multiple_bh(p, n, q);
	for (i = 0; i < n; i++) {
		changed |= q[i] <= Q && symbol[i] == CHANGED;
		other |= q[i] <= Q && symbol[i] != CHANGED;
	}
	c->changed += changed / (double)n_repeats;
	c->other += other / (double)n_repeats;
	c->n_kept += (double)n / n_repeats;
}

struct methods {
	struct called moderated, rank, naive;
};

/* Too large for a frame. */
struct work {
	struct modt_row rows[N_SYMBOLS];
	double moderated[N_SYMBOLS], rank[N_SYMBOLS], naive[N_SYMBOLS];
	size_t symbol[N_SYMBOLS];
};

static void compare(const struct profile_arm *a, const struct profile_arm *b, size_t n,
	int n_repeats, struct methods *m)
{
	struct work *w = xcalloc(1, sizeof(*w));
	size_t n_kept = 0, i, r;

	for (i = 0; i < N_SYMBOLS; i++) {
		double x[N_RUNS_MAX], y[N_RUNS_MAX];
		double share_a = pooled(a, n, i), share_b = pooled(b, n, i);

		if ((share_a + share_b) / 2 < MIN_SHARE)
			continue;
		for (r = 0; r < n; r++) {
			x[r] = arcsine(b->k[r][i]);
			y[r] = arcsine(a->k[r][i]);
		}
		w->rows[n_kept] = modt_row_two(x, n, y, n);
		w->rank[n_kept] = ranksum_p(x, n, y, n, RANKTEST_TWO_SIDED);
		w->naive[n_kept] = naive_p(share_a, share_b, n);
		w->symbol[n_kept++] = i;
	}
	(void)modt_make(w->rows, n_kept);
	for (i = 0; i < n_kept; i++)
		w->moderated[i] = w->rows[i].p;
	called_add(&m->moderated, w->moderated, w->symbol, n_kept, n_repeats);
	called_add(&m->rank, w->rank, w->symbol, n_kept, n_repeats);
	called_add(&m->naive, w->naive, w->symbol, n_kept, n_repeats);
	free(w);
}

static struct methods called_of(
	double kappa, size_t n, bool is_changed, int n_repeats, unsigned long seed)
{
	gsl_rng *rng = statsim_rng(seed);
	double p_a[N_SYMBOLS], p_b[N_SYMBOLS];
	struct methods m = { .moderated = { 0 } };
	struct profile_arm *a = xcalloc(2, sizeof(*a));
	int k;

	shares_make(p_a, FROM_SHARE);
	shares_make(p_b, is_changed ? TO_SHARE : FROM_SHARE);
	for (k = 0; k < n_repeats; k++) {
		arm_draw(rng, p_a, kappa, n, &a[0]);
		arm_draw(rng, p_b, kappa, n, &a[1]);
		compare(&a[0], &a[1], n, n_repeats, &m);
	}
	free(a);
	gsl_rng_free(rng);
	return m;
}

/* V6, nothing changed: any symbol called is a false one. */
static void test_nothing_changed(void **state)
{
	static const struct {
		double kappa, naive_lo, naive_hi; /* method b5 */
	} rows[] = { { 2000, 0.985, 1 }, { 20000, 0.15, 0.29 } };
	size_t i, n;

	(void)state;
	for (i = 0; i < 2; i++)
		for (n = 6; n <= 12; n += 6) {
			struct methods m = called_of(
				rows[i].kappa, n, false, 300, SEED + 10 * i + n);
			char what[64];

			assert_true(m.moderated.n_kept > 26 && m.moderated.n_kept < 31);
			(void)snprintf(what, sizeof(what), "null, kappa %.0f, n = %zu",
				rows[i].kappa, n);
			statsim_assert_share(what,
				m.moderated.other + m.moderated.changed, 0, 0.065);
			statsim_assert_share("naive", m.naive.other, rows[i].naive_lo,
				rows[i].naive_hi);
		}
}

/* V6, one symbol from 2.1 to 2.7 %. */
static void test_one_changed(void **state)
{
	static const struct {
		double kappa;
		size_t n;
		double lo, hi; /* method b5 */
		double rank_hi;
	} rows[] = {
		{ 2000, 6, 0.18, 0.30, 0.03 },
		{ 2000, 8, 0.33, 0.47, 1 },
		{ 2000, 12, 0.66, 0.78, 1 },
		{ 20000, 6, 0.90, 0.98, 0.07 },
		{ 20000, 8, 0.96, 1, 1 },
		{ 20000, 12, 0.99, 1, 1 },
	};
	char what[64];
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct methods m =
			called_of(rows[i].kappa, rows[i].n, true, 300, SEED + 100 + i);

		(void)snprintf(what, sizeof(what), "changed, kappa %.0f, n = %zu",
			rows[i].kappa, rows[i].n);
		statsim_assert_share(what, m.moderated.changed, rows[i].lo, rows[i].hi);
		/* At n = 6 the smallest p of ranks, 0.0022, is above 0.05 / 28. */
		statsim_assert_share("ranks", m.rank.changed, 0, rows[i].rank_hi);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_nothing_changed),
		cmocka_unit_test(test_one_changed),
	};

	return cmocka_run_group_tests_name("stat-symbols", tests, NULL, NULL);
}
