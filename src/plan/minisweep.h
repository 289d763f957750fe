/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A mini-sweep: one arm's grid trials of one block, reduced to a knee. The plan
 * asks while it runs (where to centre the next grid), the analysis afterwards;
 * both get the same answer. Pure.
 */
#ifndef SATPROF_PLAN_MINISWEEP_H
#define SATPROF_PLAN_MINISWEEP_H

#include <stddef.h>

#include "model/trial.h"
#include "stat/hinge.h"

/* False for a trial that says nothing about the SUT's capacity: not valid, or its
 * generator or receiver was the limit. */
bool minisweep_is_usable(const struct trial *t);

/*
 * Part of the trial's time that the SUT's thread that waited longest for a CPU waited
 * for others: less what ksoftirqd, which is the packets' own work and grows with the
 * rate, and satprof itself ran there, as far as the facts tell. 0 where no thread was
 * seen.
 */
double minisweep_wait_frac(const struct trial *t);

/*
 * Others disturbed a mini-sweep when the SUT waited longer for a CPU than this: the
 * median over the arm's mini-sweeps (each the mean of its trials) and a twentieth of
 * the time. Relative to the arm, since an observer that takes the SUT's CPU in each
 * block is what a sweep is to measure. Measured: undisturbed mini-sweeps of one arm
 * differ by 0.01, one with a busy loop beside the SUT for a part of it has 0.05 to 0.3
 * more. waits is left in another order; NAN for none.
 */
double minisweep_wait_limit(double *waits_frac, size_t n);

/* Its points for a fit; the caller frees them. */
struct hinge_point *minisweep_points(const struct trial *const *trials, size_t n);

/* Hinge fit of window_pps over the scheduled rate; trials in any order, borrowed;
 * those not usable are left out. */
void minisweep_fit(
	const struct trial *const *trials, size_t n, struct hinge_fit *ret_fit);

#endif
