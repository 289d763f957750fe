/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A confidence sequence: an interval of a mean that may be looked at after every new
 * value, and acted on, since the chance that it ever misses is what an ordinary
 * interval spends on one look. From Robbins's mixture of normals (1970), with the
 * standard deviation estimated: Waudby-Smith, Arbour, Sinha, Kennedy and Ramdas,
 * "Time-uniform central limit theory" (2021), theorem 2.2:
 *
 *   mean +- sd sqrt(2 (t r + 1) / (t^2 r) ln(sqrt(t r + 1) / alpha)),  r = rho^2
 *
 * It is narrowest about t = 1 / r times a small number; r = 0.15 suits 8 to 30 blocks.
 * The mean is moved by outliers, which widen it: it errs to the late side. Pure.
 */
#ifndef SATPROF_STAT_CONFSEQ_H
#define SATPROF_STAT_CONFSEQ_H

#include <stddef.h>

/* Before that the standard deviation is too poor a guess. */
#define CONFSEQ_N_MIN 8

/* After n independent values, all finite; level in (0, 1), both sides together.
 * -INFINITY and INFINITY below CONFSEQ_N_MIN. */
void confseq_interval(
	const double *x, size_t n, double level, double *ret_lo, double *ret_hi);

#endif
