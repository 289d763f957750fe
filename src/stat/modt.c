/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The moderated t. */
#include "config.h"

#include "stat/modt.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>

#include "stat/values.h"

struct modt_row modt_row_paired(const double *d, size_t n)
{
	struct modt_row r = { .t = (double)NAN, .p = (double)NAN };

	if (n < 2)
		return r;
	r.diff = gsl_stats_mean(d, 1, n);
	r.var = gsl_stats_variance_m(d, 1, n, r.diff);
	r.df = (double)n - 1;
	r.scale = 1 / (double)n;
	return r;
}

struct modt_row modt_row_two(const double *x, size_t n, const double *y, size_t m)
{
	struct modt_row r = { .t = (double)NAN, .p = (double)NAN };

	if (n < 2 || m < 2)
		return r;
	r.diff = gsl_stats_mean(x, 1, n) - gsl_stats_mean(y, 1, m);
	r.var = gsl_stats_pvariance(x, 1, n, y, 1, m);
	r.df = (double)(n + m) - 2;
	r.scale = 1 / (double)n + 1 / (double)m;
	return r;
}

static bool is_usable(const struct modt_row *r)
{
	return r->df > 0 && isfinite(r->var) && isfinite(r->diff);
}

/* Median over rows of a variance on df degrees of freedom, in units of s0^2. */
static double median_of_variance(double df)
{
	return gsl_cdf_fdist_Pinv(0.5, df, MODT_PRIOR_DF);
}

double modt_make(struct modt_row *rows, size_t n)
{
	struct values vars = { 0 };
	double prior;
	size_t i;

	for (i = 0; i < n; i++)
		if (is_usable(&rows[i]))
			values_add(&vars, rows[i].var / median_of_variance(rows[i].df));
	prior = values_median(&vars);
	values_done(&vars);
	for (i = 0; i < n; i++) {
		struct modt_row *r = &rows[i];
		double df = MODT_PRIOR_DF + r->df, se;

		r->t = r->p = (double)NAN;
		if (!is_usable(r))
			continue;
		se = sqrt((MODT_PRIOR_DF * prior + r->df * r->var) / df * r->scale);
		if (!(se > 0))
			continue;
		r->t = r->diff / se;
		r->p = 2 * gsl_cdf_tdist_Q(fabs(r->t), df);
	}
	return prior;
}
