/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Signed-rank distribution, Hodges-Lehmann estimate, interval and p value. */
#include "config.h"

#include "stat/ranktest.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* A cumulated probability is compared with the level as if it were exact. */
#define ROUNDING 1e-12

/*
 * Probabilities of the sum of those of n ranks that a fair coin picks; the array
 * covers 0 .. sum of the ranks. Each rank in turn: either it is in the sum or not.
 */
static double *rank_sum_pmf(const size_t *ranks, size_t n, size_t *ret_max)
{
	size_t max = 0, i, j;
	double *p;

	for (i = 0; i < n; i++)
		max += ranks[i];
	p = xcalloc(max + 1, sizeof(*p));
	p[0] = 1;
	for (i = 0; i < n; i++)
		for (j = max + 1; j-- > 0;)
			p[j] = (p[j] + (j >= ranks[i] ? p[j - ranks[i]] : 0)) / 2;
	*ret_max = max;
	return p;
}

static double *signed_rank_pmf(size_t n, size_t *ret_max)
{
	size_t *ranks = xcalloc(n, sizeof(*ranks)), i;
	double *p;

	for (i = 0; i < n; i++)
		ranks[i] = i + 1;
	p = rank_sum_pmf(ranks, n, ret_max);
	free(ranks);
	return p;
}

size_t ranktest_walsh(const double *x, size_t n, double **ret_walsh)
{
	double *walsh = xcalloc(n * (n + 1) / 2, sizeof(*walsh));
	size_t i, j, m = 0;

	for (i = 0; i < n; i++)
		for (j = i; j < n; j++)
			walsh[m++] = (x[i] + x[j]) / 2;
	gsl_sort(walsh, 1, m);
	*ret_walsh = walsh;
	return m;
}

double ranktest_hodges_lehmann(const double *x, size_t n)
{
	double *walsh, median = (double)NAN;
	size_t m = ranktest_walsh(x, n, &walsh);

	if (m > 0)
		median = gsl_stats_median_from_sorted_data(walsh, 1, m);
	free(walsh);
	return median;
}

double ranktest_signed_rank_cdf(size_t n, size_t w)
{
	size_t max, i;
	double *p = signed_rank_pmf(n, &max), sum = 0;

	for (i = 0; i <= w && i <= max; i++)
		sum += p[i];
	free(p);
	return fmin(sum, 1);
}

/*
 * How many Walsh averages lie outside the bound on one side: c + 1 of the header,
 * or 0 when even the outermost leaves too much. *ret_tail: P(W <= c).
 */
static size_t n_tail(size_t n, double tail_max, double *ret_tail)
{
	size_t max, c = 0;
	double *p = signed_rank_pmf(n, &max), sum = 0;

	while (c < max && sum + p[c] <= tail_max + ROUNDING)
		sum += p[c++];
	free(p);
	*ret_tail = sum;
	return c;
}

void ranktest_interval(const double *x, size_t n, double level, enum ranktest_side side,
	struct ranktest_interval *ret_interval)
{
	double n_sides = side == RANKTEST_TWO_SIDED ? 2 : 1;
	struct ranktest_interval r = {
		.lo = -(double)INFINITY,
		.hi = (double)INFINITY,
		.level = 1,
	};
	double *walsh, tail = 0;
	size_t m = ranktest_walsh(x, n, &walsh);
	size_t k = n_tail(n, (1 - level) / n_sides, &tail);

	r.estimate =
		m > 0 ? gsl_stats_median_from_sorted_data(walsh, 1, m) : (double)NAN;
	r.is_finite = k > 0;
	if (k > 0) {
		r.level = 1 - n_sides * tail;
		if (side != RANKTEST_UPPER)
			r.lo = walsh[k - 1];
		if (side != RANKTEST_LOWER)
			r.hi = walsh[m - k];
	}
	free(walsh);
	*ret_interval = r;
}

size_t ranktest_n_min(double level, enum ranktest_side side)
{
	double tail = (1 - level) / (side == RANKTEST_TWO_SIDED ? 2 : 1);
	double p = 1;
	size_t n = 0;

	do {
		p /= 2;
		n++;
	} while (p > tail + ROUNDING);
	return n;
}

/*
 * Twice the mid-ranks of |d|, so that they stay whole; *ret_positive is the sum of
 * those of the positive d. d is ordered by |d| on return.
 */
static size_t *doubled_ranks(double *d, size_t n, size_t *ret_positive)
{
	size_t *ranks = xcalloc(n, sizeof(*ranks)), i, j, k;
	double *size = xcalloc(n, sizeof(*size));

	for (i = 0; i < n; i++)
		size[i] = fabs(d[i]);
	gsl_sort2(size, 1, d, 1, n);
	*ret_positive = 0;
	for (i = 0; i < n; i = j) {
		for (j = i + 1; j < n && !(size[j] > size[i]); j++)
			;
		for (k = i; k < j; k++) {
			ranks[k] = i + 1 + j; /* 2 x mean of i + 1 .. j */
			if (d[k] > 0)
				*ret_positive += ranks[k];
		}
	}
	free(size);
	return ranks;
}

double ranktest_p_of_tails(double below, double above, enum ranktest_side side)
{
	switch (side) {
	case RANKTEST_LOWER:
		return fmin(above, 1);
	case RANKTEST_UPPER:
		return fmin(below, 1);
	case RANKTEST_TWO_SIDED:
		break;
	}
	return fmin(2 * fmin(below, above), 1);
}

double ranktest_signed_rank_p(
	const double *x, size_t n, double shift, enum ranktest_side side)
{
	double *d = xcalloc(n, sizeof(*d)), *p, below = 0, above = 0;
	size_t *ranks, n_left = 0, max, w, i;

	for (i = 0; i < n; i++)
		if (x[i] < shift || x[i] > shift)
			d[n_left++] = x[i] - shift;
	ranks = doubled_ranks(d, n_left, &w);
	p = rank_sum_pmf(ranks, n_left, &max);
	for (i = 0; i <= max; i++) {
		below += i <= w ? p[i] : 0;
		above += i >= w ? p[i] : 0;
	}
	free(d);
	free(ranks);
	free(p);
	return ranktest_p_of_tails(below, above, side);
}
