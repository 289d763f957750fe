/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Do the values fall into two bands? A SUT that comes up in one of two states, by
 * placement or by luck, has no one capacity, and the mean of its two is a number it
 * never shows. The values are cut in two where the sum of squares within the parts
 * is least (Engelman and Hartigan 1969), at least a quarter of them and 2 on either
 * side, so that a spike is no band. It is a split when the share of the sum of
 * squares that is left within is smaller than in 0.2 % of samples of one normal
 * distribution (table in the .c, by simulation). Spikes do not make it more frequent
 * (one value in ten with 5 times the spread: 0.25 % at 8 values, less beyond); a
 * drift does, so look at the order in time as well. Pure.
 */
#ifndef SATPROF_STAT_BANDS_H
#define SATPROF_STAT_BANDS_H

#include <stdbool.h>
#include <stddef.h>

/* Below this many values nothing is said. */
#define BANDS_N_MIN 6

struct bands {
	bool is_split;
	double lo, hi;      /* means of the two parts; NAN below BANDS_N_MIN values */
	double between;     /* a value at most this is in the lower part */
	double within_frac; /* of the sum of squares */
	size_t n_lo, n_hi;
};

/* x finite, in any order, not changed. */
void bands_make(const double *x, size_t n, struct bands *ret_bands);

#endif
