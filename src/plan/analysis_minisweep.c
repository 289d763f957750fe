/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis, first step: grid trials into mini-sweeps, each with its fit. */
#include "config.h"

#include "plan/analysis_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/minisweep.h"

const struct analysis_minisweep *analysis_exact_in(
	const struct analysis *a, uint32_t block, uint32_t arm)
{
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		if (m->block == block && m->arm == arm)
			return m->fit.kind == HINGE_EXACT ? m : NULL;
	}
	return NULL;
}

/* Rates go up in time, so the first by rate began first; but to be sure. */
uint64_t analysis_began_ns(const struct analysis *a, const struct analysis_minisweep *m)
{
	uint64_t first = UINT64_MAX;
	size_t i;

	for (i = 0; i < m->n_trials; i++)
		if (a->grid[m->first_trial + i]->t_start_ns < first)
			first = a->grid[m->first_trial + i]->t_start_ns;
	return first;
}

bool analysis_is_saturated(const struct analysis *a, const struct analysis_minisweep *m,
	const struct trial *t)
{
	if (m->fit.kind == HINGE_EXACT)
		return t->spec.rate_pps >= ANALYSIS_AT_KNEE_FRAC * m->fit.knee_pps;
	return m->fit.kind == HINGE_BELOW_MIN &&
	       a->arms[m->arm].bound == HINGE_BELOW_MIN;
}

static int grid_cmp(const void *x, const void *y)
{
	const struct trial_spec *a = &(*(const struct trial *const *)x)->spec;
	const struct trial_spec *b = &(*(const struct trial *const *)y)->spec;

	if (a->block != b->block)
		return a->block < b->block ? -1 : 1;
	if (a->arm != b->arm)
		return a->arm < b->arm ? -1 : 1;
	if (a->rate_pps < b->rate_pps || a->rate_pps > b->rate_pps)
		return a->rate_pps < b->rate_pps ? -1 : 1;
	return (a->id > b->id) - (a->id < b->id);
}

static void grid_make(const struct run *run, struct analysis *a)
{
	size_t i, cap = 0;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.kind != TRIAL_GRID || t->spec.arm >= run->n_arms)
			continue;
		a->grid = xgrow(a->grid, a->n_grid, &cap, sizeof(*a->grid));
		a->grid[a->n_grid++] = t;
	}
	if (a->n_grid > 0)
		qsort(a->grid, a->n_grid, sizeof(*a->grid), grid_cmp);
}

/* One burst more or less at the edge of the window, in the shortest count. */
static double resolution(const struct trial *const *trials, size_t n)
{
	double r = 0;
	size_t i;

	for (i = 0; i < n; i++)
		if (minisweep_is_usable(trials[i]) && trials[i]->window_pkts > 0)
			r = fmax(r, fmax(1, trials[i]->spec.burst) /
					    (double)trials[i]->window_pkts);
	return r;
}

static void minisweep_make(const struct analysis *a, struct analysis_minisweep *m)
{
	const struct trial **trials = &a->grid[m->first_trial];
	const struct trial *top = trials[m->n_trials - 1];
	size_t i;

	m->block = top->spec.block;
	m->arm = top->spec.arm;
	m->cpu_ns_per_pkt = (double)NAN;
	m->resolution_frac = resolution(trials, m->n_trials);
	for (i = 0; i < m->n_trials; i++)
		m->wait_frac += minisweep_wait_frac(trials[i]) / (double)m->n_trials;
}

static void crowded_mark(struct analysis *a, uint32_t arm)
{
	double *waits = xcalloc(a->n_minisweeps, sizeof(*waits)), limit;
	size_t i, n = 0;

	for (i = 0; i < a->n_minisweeps; i++)
		if (a->minisweeps[i].arm == arm)
			waits[n++] = a->minisweeps[i].wait_frac;
	limit = minisweep_wait_limit(waits, n);
	free(waits);
	for (i = 0; i < a->n_minisweeps; i++)
		a->minisweeps[i].is_crowded |= a->minisweeps[i].arm == arm &&
					       a->minisweeps[i].wait_frac > limit;
}

/* Rates that were tried; a repeated trial has its first one's. Rates go up. */
static size_t n_rates(const struct analysis *a, const struct analysis_minisweep *m)
{
	const struct trial **trials = &a->grid[m->first_trial];
	size_t i, n = m->n_trials > 0;

	for (i = 1; i < m->n_trials; i++)
		n += trials[i]->spec.rate_pps > trials[i - 1]->spec.rate_pps;
	return n;
}

/* What a fit is worth: not all that looks like a bound is one. */
static void judge(
	const struct run *run, const struct analysis *a, struct analysis_minisweep *m)
{
	const struct trial *top = a->grid[m->first_trial + m->n_trials - 1];

	/* Rates go up, so what was cut short looks like a knee above the grid. */
	if (n_rates(a, m) < run->config.n_rel_rates && m->fit.kind != HINGE_EXACT)
		hinge_fit(NULL, 0, &m->fit);
	if ((m->fit.kind == HINGE_ABOVE_MAX || m->fit.kind == HINGE_INVALID) &&
		(top->limited_by == LIMITED_GENERATOR ||
			top->limited_by == LIMITED_RECEIVER))
		m->spoiled_by = top->limited_by;
}

static double ln_knee(const struct hinge_sweep *sweep, const struct hinge_shape *shape,
	double softness_frac)
{
	struct hinge_shape other = *shape;
	struct hinge_fit f;

	other.softness_frac = softness_frac;
	hinge_fit_shaped(sweep->points, sweep->n, &other, &f);
	return log(f.knee_pps);
}

/* Fit anew with the shape that the sweeps of the run have in common. */
static void refit(const struct run *run, const struct analysis *a,
	const struct hinge_sweep *sweep, struct analysis_minisweep *m)
{
	const struct hinge_shape *shape = &a->shape;

	hinge_fit_shaped(sweep->points, sweep->n, shape, &m->fit);
	judge(run, a, m);
	if (m->fit.kind != HINGE_EXACT || !(shape->softness_hi_frac > 0))
		return;
	m->ln_narrow =
		ln_knee(sweep, shape, shape->softness_lo_frac) - log(m->fit.knee_pps);
	m->ln_wide =
		ln_knee(sweep, shape, shape->softness_hi_frac) - log(m->fit.knee_pps);
}

static void fits_make(const struct run *run, struct analysis *a)
{
	struct hinge_sweep *sweeps = xcalloc(a->n_minisweeps, sizeof(*sweeps));
	struct hinge_point **points = xcalloc(a->n_minisweeps, sizeof(*points));
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		points[i] = minisweep_points(&a->grid[m->first_trial], m->n_trials);
		/* No points, no fit. */
		sweeps[i] = (struct hinge_sweep){ points[i],
			m->is_crowded ? 0 : m->n_trials };
	}
	hinge_shape_make(sweeps, a->n_minisweeps, &a->shape);
	for (i = 0; i < a->n_minisweeps; i++) {
		refit(run, a, &sweeps[i], &a->minisweeps[i]);
		free(points[i]);
	}
	free(points);
	free(sweeps);
}

void analysis_minisweeps_make(const struct run *run, struct analysis *a)
{
	size_t first, end, cap = 0;
	uint32_t arm;

	grid_make(run, a);
	for (first = 0; first < a->n_grid; first = end) {
		const struct trial_spec *spec = &a->grid[first]->spec;
		struct analysis_minisweep *m;

		for (end = first + 1; end < a->n_grid; end++)
			if (a->grid[end]->spec.block != spec->block ||
				a->grid[end]->spec.arm != spec->arm)
				break;
		a->minisweeps = xgrow(
			a->minisweeps, a->n_minisweeps, &cap, sizeof(*a->minisweeps));
		m = &a->minisweeps[a->n_minisweeps++];
		m->first_trial = first;
		m->n_trials = end - first;
		minisweep_make(a, m);
	}
	for (arm = 0; arm < run->n_arms; arm++)
		crowded_mark(a, arm);
	fits_make(run, a);
}
