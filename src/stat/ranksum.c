/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rank-sum distribution, p value, shift and interval. */
#include "config.h"

#include "stat/ranksum.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sf_gamma.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

/* A cumulated probability is compared with the level as if it were exact. */
#define ROUNDING 1e-12

/*
 * Probabilities of the sum of n of the n_ranks whole ranks when every choice is as
 * likely; the array covers 0 .. *ret_max. ways[j][s] counts the choices of j ranks
 * with sum s; each rank in turn is in the choice or not. Only sums are formed, so
 * that a double is exact to its last bits.
 */
static double *choice_pmf(
	const size_t *ranks, size_t n_ranks, size_t n, size_t *ret_max)
{
	size_t max = 0, seen, i, j, s, width;
	double *ways, *p, all = 0;

	for (i = 0; i < n_ranks; i++)
		max += ranks[i];
	width = max + 1;
	ways = xcalloc((n + 1) * width, sizeof(*ways));
	ways[0] = 1;
	for (i = seen = 0; i < n_ranks; i++) {
		seen += ranks[i];
		for (j = i + 1 < n ? i + 1 : n; j > 0; j--)
			for (s = ranks[i]; s <= seen; s++)
				ways[j * width + s] +=
					ways[(j - 1) * width + s - ranks[i]];
	}
	p = xcalloc(width, sizeof(*p));
	for (s = 0; s <= max; s++)
		all += ways[n * width + s];
	for (s = 0; s <= max; s++)
		p[s] = ways[n * width + s] / all;
	free(ways);
	*ret_max = max;
	return p;
}

/* Of U without ties: the rank sum of x less its smallest value. */
static double *u_pmf(size_t n, size_t m)
{
	size_t *ranks = xcalloc(n + m, sizeof(*ranks)), i, max;
	size_t lowest = n * (n + 1) / 2;
	double *p, *u = xcalloc(n * m + 1, sizeof(*u));

	for (i = 0; i < n + m; i++)
		ranks[i] = i + 1;
	p = choice_pmf(ranks, n + m, n, &max);
	for (i = 0; i <= n * m; i++)
		u[i] = p[i + lowest];
	free(ranks);
	free(p);
	return u;
}

double ranksum_cdf(size_t n, size_t m, size_t u)
{
	double *p = u_pmf(n, m), sum = 0;
	size_t i;

	for (i = 0; i <= u && i <= n * m; i++)
		sum += p[i];
	free(p);
	return fmin(sum, 1);
}

/* Both samples ordered, with twice the mid-ranks so that they stay whole. */
struct pooled {
	size_t n, m, w; /* w: doubled rank sum of x */
	size_t *ranks;
	double ties; /* sum of t^3 - t over groups of t equal values */
};

static void pool(
	const double *x, size_t n, const double *y, size_t m, struct pooled *ret)
{
	double *v = xcalloc(n + m, sizeof(*v)), *is_x = xcalloc(n + m, sizeof(*is_x));
	struct pooled p = { n, m, 0, xcalloc(n + m, sizeof(size_t)), 0 };
	size_t i, j, k;

	for (i = 0; i < n + m; i++) {
		v[i] = i < n ? x[i] : y[i - n];
		is_x[i] = i < n;
	}
	gsl_sort2(v, 1, is_x, 1, n + m);
	for (i = 0; i < n + m; i = j) {
		double t;

		for (j = i + 1; j < n + m && !(v[j] > v[i]); j++)
			;
		t = (double)(j - i);
		p.ties += t * t * t - t;
		for (k = i; k < j; k++) {
			p.ranks[k] = i + 1 + j; /* 2 x mean of i + 1 .. j */
			if (is_x[k] > 0)
				p.w += p.ranks[k];
		}
	}
	free(v);
	free(is_x);
	*ret = p;
}

static bool is_exact(size_t n, size_t m)
{
	return n <= RANKSUM_EXACT_MAX && m <= RANKSUM_EXACT_MAX;
}

/* P(W <= w) and P(W >= w). */
static void tails_exact(const struct pooled *p, double *ret_below, double *ret_above)
{
	size_t max, i;
	double *pmf = choice_pmf(p->ranks, p->n + p->m, p->n, &max);
	double below = 0, above = 0;

	for (i = 0; i <= max; i++) {
		below += i <= p->w ? pmf[i] : 0;
		above += i >= p->w ? pmf[i] : 0;
	}
	free(pmf);
	*ret_below = below;
	*ret_above = above;
}

static void tails_normal(const struct pooled *p, double *ret_below, double *ret_above)
{
	double n = (double)p->n, m = (double)p->m, all = n + m;
	double u = (double)p->w / 2 - n * (n + 1) / 2 - n * m / 2;
	double sd = sqrt(n * m / 12 * (all + 1 - p->ties / (all * (all - 1))));

	*ret_below = *ret_above = 1;
	if (!(sd > 0))
		return;
	*ret_below = gsl_cdf_ugaussian_P((u + 0.5) / sd);
	*ret_above = gsl_cdf_ugaussian_Q((u - 0.5) / sd);
}

double ranksum_p(
	const double *x, size_t n, const double *y, size_t m, enum ranktest_side side)
{
	double below, above;
	struct pooled p;

	if (n == 0 || m == 0)
		return 1;
	pool(x, n, y, m, &p);
	if (is_exact(n, m))
		tails_exact(&p, &below, &above);
	else
		tails_normal(&p, &below, &above);
	free(p.ranks);
	return ranktest_p_of_tails(below, above, side);
}

/*
 * How many differences lie outside the bound on one side: as in the signed-rank
 * interval, c + 1 with c the greatest u for which P(U <= u) is at most tail_max.
 */
static size_t n_tail(size_t n, size_t m, double tail_max, double *ret_tail)
{
	double mean = (double)n * (double)m / 2, sd, sum = 0, *p;
	size_t c = 0;

	if (!is_exact(n, m)) {
		sd = sqrt(mean * (double)(n + m + 1) / 6);
		mean += gsl_cdf_ugaussian_Pinv(tail_max) * sd - 0.5;
		*ret_tail = tail_max;
		return mean < 0 ? 0 : (size_t)mean + 1;
	}
	p = u_pmf(n, m);
	while (c < n * m && sum + p[c] <= tail_max + ROUNDING)
		sum += p[c++];
	free(p);
	*ret_tail = sum;
	return c;
}

void ranksum_interval(const double *x, size_t n, const double *y, size_t m,
	double level, enum ranktest_side side, struct ranktest_interval *ret_interval)
{
	double n_sides = side == RANKTEST_TWO_SIDED ? 2 : 1, tail = 0;
	struct ranktest_interval r = {
		.estimate = (double)NAN,
		.lo = -(double)INFINITY,
		.hi = (double)INFINITY,
		.level = 1,
	};
	double *d = xcalloc(n * m, sizeof(*d));
	size_t i, j, k = 0;

	for (i = 0; i < n; i++)
		for (j = 0; j < m; j++)
			d[i * m + j] = x[i] - y[j];
	if (n > 0 && m > 0) {
		gsl_sort(d, 1, n * m);
		r.estimate = gsl_stats_median_from_sorted_data(d, 1, n * m);
		k = n_tail(n, m, (1 - level) / n_sides, &tail);
	}
	r.is_finite = k > 0;
	if (k > 0) {
		r.level = 1 - n_sides * tail;
		if (side != RANKTEST_UPPER)
			r.lo = d[k - 1];
		if (side != RANKTEST_LOWER)
			r.hi = d[n * m - k];
	}
	free(d);
	*ret_interval = r;
}

double ranksum_p_min(size_t n, size_t m)
{
	return fmin(1, 2 * exp(-gsl_sf_lnchoose((unsigned)(n + m), (unsigned)n)));
}
