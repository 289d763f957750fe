/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The moderated t of many rows measured alike, such as the functions of a profile:
 * with few runs each row's variance is a poor guess, so it is drawn towards what the
 * rows have in common (empirical Bayes; Smyth 2004):
 *
 *   s_m^2 = (d0 s0^2 + df s^2) / (d0 + df),  t = diff / (s_m sqrt(scale))
 *
 * on d0 + df degrees of freedom. The prior is s0^2 = the median variance of the rows
 * with d0 = 10 degrees: the median is not moved by the few rows that are noisy for a
 * reason, and a fixed d0 does not need the hundreds of rows that estimating it would.
 * Each variance is taken relative to the median it has under that prior, that of F
 * with df and d0 degrees, 0.93 for df = 5; so small p come as often as they say where
 * the rows differ as the prior supposes, and more rarely where they are all alike.
 * Values on a scale on which rows have about the same variance: logarithms of costs,
 * arcsines of shares. Pure.
 */
#ifndef SATPROF_STAT_MODT_H
#define SATPROF_STAT_MODT_H

#include <stddef.h>

#define MODT_PRIOR_DF 10.0

struct modt_row {
	double diff;  /* the estimate */
	double var;   /* of one value, on df degrees of freedom */
	double df;    /* > 0; else the row is left out */
	double scale; /* the variance of diff is scale x that of a value */
	double t, p;  /* filled by modt_make: two-sided; NAN where left out */
};

/* Paired: the mean of n differences; df = n - 1, scale = 1 / n. */
struct modt_row modt_row_paired(const double *d, size_t n);
/* Two arms: mean(x) - mean(y), pooled variance; df = n + m - 2, scale 1/n + 1/m. */
struct modt_row modt_row_two(const double *x, size_t n, const double *y, size_t m);

/*
 * t and p of each row. Returns s0^2, NAN without a usable row. Where s_m is 0, which
 * takes a majority of rows that never vary, there is no t: p is NAN, not 0.
 */
double modt_make(struct modt_row *rows, size_t n);

#endif
