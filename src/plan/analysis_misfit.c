/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is goodput over rate a hinge at all? A fit always gives a number; a SUT that loses
 * more at half its capacity than near it (loss inversion), or that has two knees, has
 * none to give. Blocks tell the difference: noise leaves residuals that change sign
 * from block to block, a wrong shape leaves the same ones at the same rate. What lies
 * off at and above the knee only is no reason to have none: a SUT whose goodput falls,
 * recovers or wavers there has its knee all the same, known less well.
 */
#include "config.h"

#include <math.h>

#include "plan/analysis_private.h"
#include "plan/minisweep.h"
#include "stat/ranktest.h"

/* Residuals smaller than this part of the knee move no knee by more than that. */
#define MISFIT_MIN_FRAC 0.025
/* More than this above the knee is another shape altogether. */
#define BEND_MAX_FRAC 0.10
/* The center of the grid is where the knee is expected: from here on is above. */
#define ABOVE_REL_RATE 0.95

/* Residuals at one rate of the grid over the blocks of an arm, of the knee; what a
 * mini-sweep tried beyond its grid is left out. */
static void residuals_take(const struct analysis *a, uint32_t arm, double rel_rate,
	struct values *ret_residuals)
{
	size_t i, k;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		for (k = 0; k < m->n_trials && m->arm == arm; k++) {
			const struct trial *t = a->grid[m->first_trial + k];

			if (m->fit.kind != HINGE_EXACT || !minisweep_is_usable(t) ||
				fabs(t->spec.rel_rate / rel_rate - 1) > SAME_RATE_FRAC)
				continue;
			values_add(ret_residuals,
				(t->window_pps -
					hinge_goodput(&m->fit, t->spec.rate_pps)) /
					m->fit.knee_pps);
			break; /* one of a block, also where it was repeated */
		}
	}
}

static void rate_judge(const struct analysis *a, struct analysis_arm *arm,
	uint32_t index, double rel_rate)
{
	struct values residuals = { 0 };
	struct ranktest_interval r;

	residuals_take(a, index, rel_rate, &residuals);
	ranktest_interval(residuals.v, residuals.n, a->level, RANKTEST_TWO_SIDED, &r);
	values_done(&residuals);
	if (!r.is_finite || fabs(r.estimate) < MISFIT_MIN_FRAC ||
		!(r.lo > 0 || r.hi < 0))
		return;
	if (rel_rate >= ABOVE_REL_RATE && fabs(r.estimate) <= BEND_MAX_FRAC) {
		arm->bend_frac = fmax(arm->bend_frac, fabs(r.estimate));
	} else if (!(fabs(r.estimate) <= fabs(arm->misfit_frac))) {
		arm->misfit_frac = r.estimate;
		arm->misfit_rel_rate = rel_rate;
	}
}

void analysis_misfit_make(const struct run *run, struct analysis *a)
{
	uint32_t i;
	size_t k;

	for (i = 0; i < a->n_arms; i++) {
		struct analysis_arm *arm = &a->arms[i];

		arm->misfit_frac = arm->misfit_rel_rate = (double)NAN;
		for (k = 0; k < run->config.n_rel_rates; k++)
			rate_judge(a, arm, i, run->config.rel_rates[k]);
		if (arm->bound != HINGE_EXACT)
			continue;
		if (!isfinite(arm->misfit_frac)) {
			arm->lo_pps /= 1 + arm->bend_frac;
			arm->hi_pps *= 1 + arm->bend_frac;
			continue;
		}
		arm->bound = HINGE_INVALID;
		arm->knee_pps = arm->lo_pps = arm->hi_pps = (double)NAN;
		arm->level = (double)NAN;
	}
}
