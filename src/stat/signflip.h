/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sign-flip test: paired differences whose sign a fair coin for the order chose
 * have, under no effect, every pattern of signs with the same chance (Fisher 1935).
 * So any statistic of them can be tested, whatever the drift. All 2^n patterns are
 * enumerated up to SIGNFLIP_EXACT_MAX differences, else SIGNFLIP_N_DRAWS are drawn.
 * Pure but for the generator it draws from.
 */
#ifndef SATPROF_STAT_SIGNFLIP_H
#define SATPROF_STAT_SIGNFLIP_H

#include <gsl/gsl_rng.h>
#include <stddef.h>

#include "stat/ranktest.h"

#define SIGNFLIP_EXACT_MAX 16
#define SIGNFLIP_N_DRAWS   9999

/* A statistic that is about 0 under no effect and greater for greater d; it may
 * reorder d. */
typedef double signflip_fn(double *d, size_t n, void *ctx);

/*
 * p of "the differences are symmetric about shift". RANKTEST_LOWER: the alternative
 * is that they are greater; two-sided compares absolute values. Exact: the share of
 * patterns at least as extreme, the one seen among them. Drawn: (b + 1) / (B + 1)
 * (Phipson and Smyth 2010), so never 0. rng is used only beyond SIGNFLIP_EXACT_MAX.
 * 1 for n = 0.
 */
double signflip_p(const double *d, size_t n, double shift, enum ranktest_side side,
	signflip_fn *statistic, void *ctx, gsl_rng *rng);

/* Statistics to give: the mean; the mean without the least and the greatest fifth. */
double signflip_mean(double *d, size_t n, void *ctx);
double signflip_trimmed_mean(double *d, size_t n, void *ctx);

#endif
