/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Wilcoxon's signed-rank test and the estimate and interval that belong to it
 * (Hodges and Lehmann 1963; Hollander and Wolfe 1999, 3.1 to 3.3): exact, for the
 * small numbers of blocks a campaign can afford. GSL has none of it. x are n
 * independent differences, symmetric about the shift that is asked for; a fair
 * coin for the order inside each block makes that hold whatever the drift. Pure;
 * nothing is kept; x is not changed. Finite x only.
 */
#ifndef SATPROF_STAT_RANKTEST_H
#define SATPROF_STAT_RANKTEST_H

#include <stdbool.h>
#include <stddef.h>

enum ranktest_side {
	RANKTEST_TWO_SIDED,
	RANKTEST_LOWER, /* interval [lo, inf); alternative: the shift is greater */
	RANKTEST_UPPER, /* interval (-inf, hi]; alternative: the shift is smaller */
};

struct ranktest_interval {
	double estimate; /* Hodges-Lehmann; NAN for n = 0 */
	double lo, hi;   /* +-INFINITY where there is no finite bound */
	double level;    /* achieved, >= the one asked; 1 where none is finite */
	bool is_finite;
};

/* The n (n + 1) / 2 means (x_i + x_j) / 2, i <= j, ascending; the caller frees
 * *ret_walsh. Returns how many. */
size_t ranktest_walsh(const double *x, size_t n, double **ret_walsh);

/* Median of the Walsh averages; NAN for n = 0. */
double ranktest_hodges_lehmann(const double *x, size_t n);

/* P(W <= w) of the sum W of the positive ranks under no shift, no ties. */
double ranktest_signed_rank_cdf(size_t n, size_t w);

/*
 * Estimate and interval of the shift, level in (0, 1). With c the greatest w for
 * which P(W <= w) is at most 1 - level (half of that when two-sided), the bounds
 * are the (c + 1)-th Walsh averages from either end. Achieved at 0.95 two-sided:
 * 96.9 % at n = 6, 96.1 % at 8, 95.8 % at 12. No finite bound below n = 6 (0.95,
 * two-sided) or n = 5 (0.90 two-sided, 0.95 one-sided).
 */
void ranktest_interval(const double *x, size_t n, double level, enum ranktest_side side,
	struct ranktest_interval *ret_interval);

/* The smallest n with a finite interval at that level. */
size_t ranktest_n_min(double level, enum ranktest_side side);

/*
 * Exact p of "the shift is shift". Differences equal to it are dropped (Wilcoxon),
 * ties get mid-ranks and p is exact given the ties. 1 when nothing is left.
 */
double ranktest_signed_rank_p(
	const double *x, size_t n, double shift, enum ranktest_side side);

/* p from the chances of a statistic as low, and as high, as the one seen. */
double ranktest_p_of_tails(double below, double above, enum ranktest_side side);

#endif
