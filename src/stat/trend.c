/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Theil-Sen slope and Mann-Kendall test. */
#include "config.h"

#include "stat/trend.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/values.h"

/*
 * Probabilities of 0 .. n (n - 1) / 2 inversions: the i-th element of a permutation
 * stands before 0 .. i - 1 of the earlier ones with the same chance.
 */
static double *inversions_pmf(size_t n)
{
	size_t max = n * (n - 1) / 2, i, k, top = 0;
	double *p = xcalloc(max + 1, sizeof(*p)), *next = xcalloc(max + 1, sizeof(*p));
	double *swap;

	p[0] = 1;
	for (i = 2; i <= n; i++) {
		double run = 0;

		top += i - 1;
		for (k = 0; k <= top; k++) {
			run += p[k];
			if (k >= i)
				run -= p[k - i];
			next[k] = run / (double)i;
		}
		swap = p;
		p = next;
		next = swap;
	}
	free(next);
	return p;
}

double trend_inversions_cdf(size_t n, size_t k)
{
	double *p, sum = 0;
	size_t i;

	if (n < 2)
		return 1;
	p = inversions_pmf(n);
	for (i = 0; i <= k && i <= n * (n - 1) / 2; i++)
		sum += p[i];
	free(p);
	return fmin(sum, 1);
}

/* Pairs in falling and in rising order. */
struct pairs {
	size_t n_falling, n_rising;
};

static double p_normal(const double *x, size_t n, struct pairs c)
{
	double *v = xcalloc(n, sizeof(*v)), m = (double)n, var, s;
	size_t i, j;

	for (i = 0; i < n; i++)
		v[i] = x[i];
	gsl_sort(v, 1, n);
	var = m * (m - 1) * (2 * m + 5);
	for (i = 0; i < n; i = j) {
		double t;

		for (j = i + 1; j < n && !(v[j] > v[i]); j++)
			;
		t = (double)(j - i);
		var -= t * (t - 1) * (2 * t + 5);
	}
	free(v);
	s = fabs((double)c.n_rising - (double)c.n_falling);
	if (!(var > 0) || !(s > 0))
		return 1;
	return fmin(1, 2 * gsl_cdf_ugaussian_Q((s - 1) / sqrt(var / 18)));
}

void trend_make(const double *t, const double *x, size_t n, struct trend *ret_trend)
{
	struct values slopes = { 0 };
	struct trend r = { (double)NAN, 1 };
	struct pairs c = { 0, 0 };
	size_t i, j;
	bool has_ties;

	for (i = 0; i < n; i++)
		for (j = i + 1; j < n; j++) {
			values_add(&slopes, (x[j] - x[i]) / (t[j] - t[i]));
			c.n_falling += x[j] < x[i];
			c.n_rising += x[j] > x[i];
		}
	r.slope = values_median(&slopes);
	values_done(&slopes);
	has_ties = c.n_falling + c.n_rising < n * (n > 0 ? n - 1 : 0) / 2;
	if (n < 3)
		r.p = 1;
	else if (has_ties || n > TREND_EXACT_MAX)
		r.p = p_normal(x, n, c);
	else
		r.p = fmin(1, 2 * trend_inversions_cdf(n, c.n_falling < c.n_rising
								  ? c.n_falling
								  : c.n_rising));
	*ret_trend = r;
}
