/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Many tests at once: adjusted p values. A p that is not finite is of a test that
 * could not be made: it counts for nothing and its result is NAN. Pure; ret_* have n
 * elements and may be p itself.
 */
#ifndef SATPROF_STAT_MULTIPLE_H
#define SATPROF_STAT_MULTIPLE_H

#include <stddef.h>

/*
 * Benjamini and Hochberg 1995: q_(k) = min over j >= k of p_(j) m / j. Calling all
 * with q <= 0.05 keeps the expected share of false ones among them at most 0.05
 * (independent or positively dependent tests).
 */
void multiple_bh(const double *p, size_t n, double *ret_q);

/*
 * Holm 1979: max over j <= k of (m - j + 1) p_(j), at most 1. Calling all with a
 * result <= 0.05 keeps the chance of a single false one at most 0.05, whatever the
 * dependence.
 */
void multiple_holm(const double *p, size_t n, double *ret_p);

#endif
