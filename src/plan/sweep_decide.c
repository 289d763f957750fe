/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the finished mini-sweeps are worth: which blocks are good, and for
 * --until-decided: are the intervals narrow enough? The rule looks at widths only: an
 * interval no wider than the margin lies within +-margin or leaves out 0, so that there
 * is a verdict whichever it is. Stopping by what an interval says instead would find a
 * shift in 17 % of sweeps that have none (method of statistics, b7).
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/analysis.h"
#include "plan/minisweep.h"
#include "plan/sweep_plan_private.h"
#include "stat/ranktest.h"
#include "stat/values.h"

void sweep_decide_keep(struct sweep_plan *p, uint32_t arm, double knee_pps,
	const struct trial *const *trials, size_t n_trials)
{
	struct sweep_record *r;

	p->records =
		xgrow(p->records, p->n_records, &p->cap_records, sizeof(*p->records));
	r = &p->records[p->n_records++];
	*r = (struct sweep_record){ .block = p->block,
		.arm = arm,
		.ln_knee = log(knee_pps),
		.wait_frac = p->wait_sum_frac / (double)n_trials };
	if (p->config->until_decided) {
		r->n = n_trials;
		r->points = minisweep_points(trials, n_trials);
	}
}

/* How long the arm may wait for a CPU, see minisweep_wait_limit(). */
static double wait_limit(const struct sweep_plan *p, uint32_t arm)
{
	double *waits = xcalloc(p->n_records, sizeof(*waits)), limit;
	size_t i, n = 0;

	for (i = 0; i < p->n_records; i++)
		if (p->records[i].arm == arm)
			waits[n++] = p->records[i].wait_frac;
	limit = minisweep_wait_limit(waits, n);
	free(waits);
	return limit;
}

static bool is_crowded(const struct sweep_plan *p, const struct sweep_record *r)
{
	return r->wait_frac > wait_limit(p, r->arm);
}

uint32_t sweep_decide_good_blocks(const struct sweep_plan *p)
{
	uint32_t *n_good = xcalloc(p->n_blocks + 1, sizeof(*n_good)), n = 0;
	size_t i;

	for (i = 0; i < p->n_records; i++)
		n_good[p->records[i].block] += isfinite(p->records[i].ln_knee) &&
					       !is_crowded(p, &p->records[i]);
	for (i = 1; i <= p->n_blocks; i++)
		n += n_good[i] == p->n_arms;
	free(n_good);
	return n;
}

void sweep_decide_done(struct sweep_plan *p)
{
	size_t i;

	for (i = 0; i < p->n_records; i++)
		free(p->records[i].points);
	free(p->records);
}

/* ln knee of each mini-sweep, NAN where it is not exact: as the plan fitted them, or,
 * which costs more the more there are, with what they have in common. The caller frees
 * it. */
static double *ln_knees(const struct sweep_plan *p, bool is_shaped)
{
	struct hinge_sweep *sweeps;
	double *ln = xcalloc(p->n_records, sizeof(*ln));
	struct hinge_shape shape;
	struct hinge_fit f;
	size_t i;

	for (i = 0; i < p->n_records; i++)
		ln[i] = is_crowded(p, &p->records[i]) ? (double)NAN
						      : p->records[i].ln_knee;
	if (!is_shaped)
		return ln;
	sweeps = xcalloc(p->n_records, sizeof(*sweeps));
	for (i = 0; i < p->n_records; i++)
		sweeps[i] = (struct hinge_sweep){ p->records[i].points,
			is_crowded(p, &p->records[i]) ? 0 : p->records[i].n };
	hinge_shape_make(sweeps, p->n_records, &shape);
	for (i = 0; i < p->n_records; i++) {
		hinge_fit_shaped(sweeps[i].points, sweeps[i].n, &shape, &f);
		ln[i] = log(f.knee_pps);
	}
	free(sweeps);
	return ln;
}

/* The differences of the arm from the reference within blocks; for the reference its
 * own knees. */
static void differences_take(
	const struct sweep_plan *p, const double *ln, uint32_t arm, struct values *ret)
{
	size_t i, k;

	for (i = 0; i < p->n_records; i++) {
		if (p->records[i].arm != arm)
			continue;
		if (arm == 0)
			values_add(ret, ln[i]);
		for (k = 0; k < p->n_records && arm > 0; k++)
			if (p->records[k].arm == 0 &&
				p->records[k].block == p->records[i].block)
				values_add(ret, ln[i] - ln[k]);
	}
}

static bool is_narrow(const struct sweep_plan *p, const double *ln, uint32_t arm)
{
	struct values d = { 0 };
	struct ranktest_interval r;
	bool is_enough;

	differences_take(p, ln, arm, &d);
	ranktest_interval(d.v, d.n, p->config->level, RANKTEST_TWO_SIDED, &r);
	is_enough = d.n >= ANALYSIS_BLOCKS_MIN && r.is_finite;
	values_done(&d);
	return is_enough && r.hi - r.lo <= log1p(p->config->margin_frac);
}

static bool are_narrow(const struct sweep_plan *p, bool is_shaped)
{
	double *ln = ln_knees(p, is_shaped);
	uint32_t arm = p->n_arms > 1 ? 1 : 0;
	bool are = true;

	for (; arm < p->n_arms; arm++)
		are = are && is_narrow(p, ln, arm);
	free(ln);
	return are;
}

bool sweep_decide_is_done(const struct sweep_plan *p)
{
	return are_narrow(p, false) && are_narrow(p, true);
}
