/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of each arm: knee or bound, and CPU time per packet. */
#include "config.h"

#include "plan/analysis_private.h"

#include <math.h>
#include <stdio.h>

#include "base/mem.h"
#include "plan/minisweep.h"
#include "stat/ranktest.h"

/* Counts one mini-sweep of the arm and takes its knee (as logarithm) or bound. */
static void arm_take(struct analysis_arm *arm, const struct analysis_minisweep *m,
	struct values *ln_knees, struct values *los, struct values *his)
{
	if (m->spoiled_by != LIMITED_NOT) {
		arm->n_spoiled++;
		return;
	}
	switch (m->fit.kind) {
	case HINGE_INVALID:
		arm->n_invalid++;
		break;
	case HINGE_EXACT:
		arm->n_exact++;
		values_add(ln_knees, log(m->fit.knee_pps));
		break;
	case HINGE_ABOVE_MAX:
		arm->n_above_max++;
		values_add(los, m->fit.lo_pps);
		break;
	case HINGE_BELOW_MIN:
		arm->n_below_min++;
		values_add(his, m->fit.hi_pps);
		break;
	}
}

/* Median of what counting could resolve in the exact mini-sweeps. */
static double arm_resolution(const struct analysis *a, uint32_t arm)
{
	struct values r = { 0 };
	double median;
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++)
		if (a->minisweeps[i].arm == arm &&
			a->minisweeps[i].fit.kind == HINGE_EXACT)
			values_add(&r, a->minisweeps[i].resolution_frac);
	median = values_median(&r);
	values_done(&r);
	return median;
}

/* How far the arm's knee moves when the corner is as narrow or as wide as may be: the
 * greatest fall (<= 0) and rise (>= 0) of its logarithm. */
static void corner_doubt(
	const struct analysis *a, uint32_t arm, double *ret_fall, double *ret_rise)
{
	struct values narrow = { 0 }, wide = { 0 };
	double n, w;
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		if (m->arm != arm || m->fit.kind != HINGE_EXACT)
			continue;
		values_add(&narrow, m->ln_narrow);
		values_add(&wide, m->ln_wide);
	}
	n = values_median(&narrow);
	w = values_median(&wide);
	*ret_fall = fmin(0, fmin(n, w));
	*ret_rise = fmax(0, fmax(n, w));
	values_done(&narrow);
	values_done(&wide);
}

/* Chance over the blocks and doubt about the corner are independent: their squares
 * add. */
static void arm_exact(struct analysis *a, uint32_t index, const struct values *ln_knees)
{
	struct analysis_arm *arm = &a->arms[index];
	double resolution = arm_resolution(a, index), fall, rise;
	struct ranktest_interval r;

	corner_doubt(a, index, &fall, &rise);
	ranktest_interval(ln_knees->v, ln_knees->n, a->level, RANKTEST_TWO_SIDED, &r);
	arm->bound = HINGE_EXACT;
	arm->knee_pps = exp(r.estimate);
	if (!r.is_finite)
		return;
	r.lo = r.estimate - hypot(fmax(r.estimate - r.lo, resolution), fall);
	r.hi = r.estimate + hypot(fmax(r.hi - r.estimate, resolution), rise);
	arm->lo_pps = exp(r.lo);
	arm->hi_pps = exp(r.hi);
	arm->level = r.level;
}

static enum limited_by most_spoiled(const struct analysis *a, uint32_t arm)
{
	size_t n[LIMITED_RECEIVER + 1] = { 0 }, i;

	for (i = 0; i < a->n_minisweeps; i++)
		if (a->minisweeps[i].arm == arm)
			n[a->minisweeps[i].spoiled_by]++;
	if (n[LIMITED_GENERATOR] + n[LIMITED_RECEIVER] == 0)
		return LIMITED_NOT;
	return n[LIMITED_GENERATOR] >= n[LIMITED_RECEIVER] ? LIMITED_GENERATOR
							   : LIMITED_RECEIVER;
}

static void arm_knee_make(struct analysis *a, uint32_t index)
{
	struct analysis_arm *arm = &a->arms[index];
	struct values ln_knees = { 0 }, los = { 0 }, his = { 0 };
	size_t i;

	arm->knee_pps = arm->lo_pps = arm->hi_pps = arm->level = (double)NAN;
	arm->cpu_ns_per_pkt = (double)NAN;
	for (i = 0; i < a->n_minisweeps; i++)
		if (a->minisweeps[i].arm == index)
			arm_take(arm, &a->minisweeps[i], &ln_knees, &los, &his);
	arm->spoiled_by = most_spoiled(a, index);
	arm->n_blocks = arm->n_exact + arm->n_above_max + arm->n_below_min;
	arm->bound = HINGE_INVALID;
	if (2 * arm->n_above_max > arm->n_blocks) {
		arm->bound = HINGE_ABOVE_MAX;
		arm->lo_pps = values_median(&los);
	} else if (2 * arm->n_below_min > arm->n_blocks) {
		arm->bound = HINGE_BELOW_MIN;
		arm->hi_pps = values_median(&his);
	} else if (arm->n_exact > 0) {
		arm_exact(a, index, &ln_knees);
	}
	values_done(&ln_knees);
	values_done(&los);
	values_done(&his);
}

void analysis_arms_make(const struct run *run, struct analysis *a)
{
	uint32_t i;
	size_t k;

	a->n_arms = run->n_arms;
	a->arms = xcalloc(run->n_arms, sizeof(*a->arms));
	for (i = 0; i < run->n_arms; i++) {
		(void)snprintf(a->arms[i].name, sizeof(a->arms[i].name), "%s",
			run->arms[i].name);
		arm_knee_make(a, i);
	}
	for (k = 0; k < run->n_trials; k++) {
		const struct trial *t = &run->trials[k];

		if (t->spec.arm >= run->n_arms || !t->sampling.sampled)
			continue;
		a->arms[t->spec.arm].n_samples += t->sampling.n_samples;
		a->arms[t->spec.arm].n_lost += t->sampling.n_lost;
		a->arms[t->spec.arm].n_throttled += t->sampling.n_throttled;
	}
}

/* Cost at a rate between two trials of the mini-sweep, by the straight line
 * through the nearest on either side; NAN when the rate is outside them. */
static double cost_at(
	const struct analysis *a, const struct analysis_minisweep *m, double rate_pps)
{
	const struct trial *lo = NULL, *hi = NULL;
	double frac;
	size_t i;

	for (i = 0; i < m->n_trials; i++) {
		const struct trial *t = a->grid[m->first_trial + i];

		if (!minisweep_is_usable(t) || !isfinite(t->cpu_ns_per_pkt))
			continue;
		if (t->spec.rate_pps <= rate_pps)
			lo = t;
		else if (hi == NULL)
			hi = t;
	}
	if (lo == NULL || hi == NULL)
		return (double)NAN;
	frac = (rate_pps - lo->spec.rate_pps) / (hi->spec.rate_pps - lo->spec.rate_pps);
	return lo->cpu_ns_per_pkt + frac * (hi->cpu_ns_per_pkt - lo->cpu_ns_per_pkt);
}

void analysis_cost_make(struct analysis *a)
{
	uint32_t arm;
	size_t i;

	for (arm = 0; arm < a->n_arms; arm++) {
		struct analysis_arm *r = &a->arms[arm];
		struct values costs = { 0 };

		for (i = 0; i < a->n_minisweeps; i++) {
			struct analysis_minisweep *m = &a->minisweeps[i];

			if (m->arm != arm || r->busy_polls || isnan(r->knee_pps))
				continue;
			m->cpu_ns_per_pkt =
				cost_at(a, m, ANALYSIS_COST_REL_RATE * r->knee_pps);
			values_add(&costs, m->cpu_ns_per_pkt);
		}
		r->cpu_ns_per_pkt = values_median(&costs);
		values_done(&costs);
	}
}
