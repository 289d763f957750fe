/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The best cut of values in two, and whether it is one. */
#include "config.h"

#include "stat/bands.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define N_SIDE_MIN 2

/* The 0.2 % quantile of the least share within, for n values of one normal
 * distribution: 400,000 samples each. */
static const struct critical {
	size_t n;
	double within_frac;
} table[] = {
	{ 6, 0.0145 },
	{ 7, 0.0257 },
	{ 8, 0.0379 },
	{ 9, 0.0528 },
	{ 10, 0.0623 },
	{ 11, 0.0739 },
	{ 12, 0.0829 },
	{ 14, 0.1019 },
	{ 16, 0.1159 },
	{ 20, 0.1417 },
	{ 24, 0.1594 },
	{ 30, 0.1789 },
	{ 40, 0.2034 },
	{ 60, 0.2333 },
};

#define N_TABLE (sizeof(table) / sizeof(table[0]))

/* Straight lines between; it goes on rising beyond the table, so the last is safe. */
static double critical_of(size_t n)
{
	const struct critical *lo, *hi;
	size_t i = 1;

	while (i < N_TABLE && table[i].n < n)
		i++;
	if (i == N_TABLE)
		return table[N_TABLE - 1].within_frac;
	lo = &table[i - 1];
	hi = &table[i];
	return lo->within_frac + (hi->within_frac - lo->within_frac) *
					 ((double)n - (double)lo->n) /
					 ((double)hi->n - (double)lo->n);
}

void bands_make(const double *x, size_t n, struct bands *ret_bands)
{
	const double nan = (double)NAN;
	struct bands r = { false, nan, nan, nan, nan, 0, 0 };
	size_t side = (n + 3) / 4 > N_SIDE_MIN ? (n + 3) / 4 : N_SIDE_MIN, k;
	double *v, mean, all, sum = 0, left, best = (double)INFINITY;

	if (n < BANDS_N_MIN) {
		*ret_bands = r;
		return;
	}
	v = xcalloc(n, sizeof(*v));
	memcpy(v, x, n * sizeof(*v));
	gsl_sort(v, 1, n);
	mean = gsl_stats_mean(v, 1, n);
	all = gsl_stats_tss_m(v, 1, n, mean);
	for (k = 1; k + side <= n; k++) { /* k values below the cut */
		sum += v[k - 1] - mean;
		left = all - sum * sum / (double)k - sum * sum / (double)(n - k);
		if (k < side || !(left < best))
			continue;
		best = left;
		r.n_lo = k;
		r.between = (v[k - 1] + v[k]) / 2;
	}
	r.n_hi = n - r.n_lo;
	r.lo = gsl_stats_mean(v, 1, r.n_lo);
	r.hi = gsl_stats_mean(v + r.n_lo, 1, r.n_hi);
	if (all > 0)
		r.within_frac = fmax(best, 0) / all;
	r.is_split = r.within_frac <= critical_of(n);
	free(v);
	*ret_bands = r;
}
