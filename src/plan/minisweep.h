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

/* Its points for a fit; the caller frees them. */
struct hinge_point *minisweep_points(const struct trial *const *trials, size_t n);

/* Hinge fit of window_pps over the scheduled rate; trials in any order, borrowed;
 * those not usable are left out. */
void minisweep_fit(
	const struct trial *const *trials, size_t n, struct hinge_fit *ret_fit);

#endif
