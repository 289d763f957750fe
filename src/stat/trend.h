/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Does a series drift? Slope by Theil (1950) and Sen (1968), test by Kendall's S
 * (Mann 1945): neither is moved by a few spikes. Exact without ties up to
 * TREND_EXACT_MAX values (S has the distribution of the inversions of a random
 * permutation); else the normal approximation with corrections for ties and
 * continuity. Pure.
 */
#ifndef SATPROF_STAT_TREND_H
#define SATPROF_STAT_TREND_H

#include <stddef.h>

#define TREND_EXACT_MAX 60

struct trend {
	double slope; /* of x by t; NAN below 2 values */
	double p;     /* two-sided; 1 below 3 values */
};

/* t ascending and all different; x finite. */
void trend_make(const double *t, const double *x, size_t n, struct trend *ret_trend);

/* P(at most k inversions in a random permutation of n). */
double trend_inversions_cdf(size_t n, size_t k);

#endif
