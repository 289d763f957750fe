/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is goodput over rate a hinge at all? A fit always gives a number; a SUT that loses
 * more at half its capacity than near it (loss inversion), or that has two knees, has
 * none to give. Blocks tell the difference: noise leaves residuals that change sign
 * from block to block, a wrong shape leaves the same ones at the same rate.
 */
#include "config.h"

#include <math.h>

#include "plan/analysis_private.h"
#include "plan/minisweep.h"
#include "stat/ranktest.h"

/* Residuals smaller than this part of the knee move no knee by more than that. */
#define MISFIT_MIN_FRAC 0.025

/* Residuals at one position of the grid over the blocks of an arm, of the knee. */
static void residuals_take(const struct analysis *a, uint32_t arm, size_t position,
	struct values *ret_residuals, struct values *ret_rel_rates)
{
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];
		const struct trial *t;

		if (m->arm != arm || m->fit.kind != HINGE_EXACT ||
			position >= m->n_trials)
			continue;
		t = a->grid[m->first_trial + position];
		if (!minisweep_is_usable(t))
			continue;
		values_add(ret_residuals,
			(t->window_pps - hinge_goodput(&m->fit, t->spec.rate_pps)) /
				m->fit.knee_pps);
		values_add(ret_rel_rates, t->spec.rel_rate);
	}
}

/* False when there is no such position. */
static bool position_judge(const struct analysis *a, struct analysis_arm *arm,
	uint32_t index, size_t position)
{
	struct values residuals = { 0 }, rel_rates = { 0 };
	struct ranktest_interval r;
	bool is_there;

	residuals_take(a, index, position, &residuals, &rel_rates);
	ranktest_interval(residuals.v, residuals.n, a->level, RANKTEST_TWO_SIDED, &r);
	is_there = residuals.n > 0;
	if (r.is_finite && fabs(r.estimate) >= MISFIT_MIN_FRAC &&
		(r.lo > 0 || r.hi < 0) &&
		!(fabs(r.estimate) <= fabs(arm->misfit_frac))) {
		arm->misfit_frac = r.estimate;
		arm->misfit_rel_rate = values_median(&rel_rates);
	}
	values_done(&residuals);
	values_done(&rel_rates);
	return is_there;
}

void analysis_misfit_make(struct analysis *a)
{
	uint32_t i;
	size_t position;

	for (i = 0; i < a->n_arms; i++) {
		struct analysis_arm *arm = &a->arms[i];

		arm->misfit_frac = arm->misfit_rel_rate = (double)NAN;
		for (position = 0; position_judge(a, arm, i, position); position++)
			;
		if (arm->bound != HINGE_EXACT || !isfinite(arm->misfit_frac))
			continue;
		arm->bound = HINGE_INVALID;
		arm->knee_pps = arm->lo_pps = arm->hi_pps = (double)NAN;
		arm->level = (double)NAN;
	}
}
