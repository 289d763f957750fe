/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The rank-sum test of two independent samples (Mann and Whitney 1947) with the
 * estimate and interval that belong to it (Hollander and Wolfe 1999, 4.1 to 4.3).
 * For what is not paired: blocks where an arm came first against those where it came
 * second, runs of two builds. Exact, given the ties, while both samples have at most
 * RANKSUM_EXACT_MAX values; beyond that the normal approximation with corrections for
 * ties and continuity. GSL has none of it. Pure; x and y are not changed; finite
 * values only.
 */
#ifndef SATPROF_STAT_RANKSUM_H
#define SATPROF_STAT_RANKSUM_H

#include <stddef.h>

#include "stat/ranktest.h"

#define RANKSUM_EXACT_MAX 40

/* P(U <= u) under no shift and without ties; U counts the pairs with x > y. n and m
 * at most RANKSUM_EXACT_MAX. */
double ranksum_cdf(size_t n, size_t m, size_t u);

/*
 * p of "x and y have the same distribution". RANKTEST_LOWER: the alternative is that
 * x is greater. Two-sided: twice the smaller tail, at most 1. 1 when n or m is 0.
 */
double ranksum_p(
	const double *x, size_t n, const double *y, size_t m, enum ranktest_side side);

/*
 * Estimate (median of the n m differences x_i - y_j) and interval of the shift of x
 * against y. No finite bound at 95 % two-sided below 4 + 4, 3 + 5 or 2 + 8 values.
 */
void ranksum_interval(const double *x, size_t n, const double *y, size_t m,
	double level, enum ranktest_side side, struct ranktest_interval *ret_interval);

/* The smallest two-sided p that n and m values can give, 2 / C(n + m, n), at most 1:
 * what no effect, however large, can go below. */
double ranksum_p_min(size_t n, size_t m);

#endif
