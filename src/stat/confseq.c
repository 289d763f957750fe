/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The confidence sequence of a mean. */
#include "config.h"

#include "stat/confseq.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>

#define RHO_SQUARED 0.15

void confseq_interval(
	const double *x, size_t n, double level, double *ret_lo, double *ret_hi)
{
	double t = (double)n, tr = t * RHO_SQUARED, mean, half;

	*ret_lo = -(double)INFINITY;
	*ret_hi = (double)INFINITY;
	if (n < CONFSEQ_N_MIN)
		return;
	mean = gsl_stats_mean(x, 1, n);
	half = gsl_stats_sd_m(x, 1, n, mean) *
	       sqrt(2 * (tr + 1) / (t * tr) * log(sqrt(tr + 1) / (1 - level)));
	*ret_lo = mean - half;
	*ret_hi = mean + half;
}
