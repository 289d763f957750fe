/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The same SUT against itself. */
#include "config.h"

#include "plan/selftest.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/analysis_private.h"
#include "stat/ranksum.h"
#include "stat/ranktest.h"

#define LIMIT_LEVEL      0.95
#define GATE_TAIL        0.05
#define TOLERANCE_STEP   0.005
#define ALARM_BLOCKS_MAX 60
#define AGAIN            1 /* the arm that is compared with the reference */

/* ln differences of the two arms' knees, block by block. */
struct differences {
	struct values all, after, before; /* the arm ran after, before the reference */
};

static void differences_take(const struct analysis *a, struct differences *d)
{
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];
		const struct analysis_minisweep *ref =
			analysis_exact_in(a, m->block, 0);
		double ln;

		if (m->arm != AGAIN || m->fit.kind != HINGE_EXACT || ref == NULL)
			continue;
		ln = log(m->fit.knee_pps / ref->fit.knee_pps);
		values_add(&d->all, ln);
		values_add(analysis_began_ns(a, m) > analysis_began_ns(a, ref)
				   ? &d->after
				   : &d->before,
			ln);
	}
}

static bool is_alarm(double ln_lo, double ln_hi, double margin_frac)
{
	enum verdict v =
		analysis_shift_verdict(expm1(ln_lo), expm1(ln_hi), margin_frac);

	return v == VERDICT_HELPS || v == VERDICT_HURTS;
}

/* The two ways of being biased, each with half of the chance of error. */
static bool find_bias(
	const struct analysis *a, const struct differences *d, struct selftest *t)
{
	double level = 1 - (1 - a->level) / 2;
	struct ranktest_interval r;

	ranktest_interval(d->all.v, d->all.n, level, RANKTEST_TWO_SIDED, &r);
	if (r.is_finite && is_alarm(r.lo, r.hi, a->margin_frac)) {
		(void)snprintf(t->reason, sizeof(t->reason),
			"the SUT differs from itself by %+.1f %% (%+.1f to %+.1f %%)",
			100 * expm1(r.estimate), 100 * expm1(r.lo), 100 * expm1(r.hi));
		return true;
	}
	ranksum_interval(d->after.v, d->after.n, d->before.v, d->before.n, level,
		RANKTEST_TWO_SIDED, &r);
	if (!r.is_finite || (r.lo <= 0 && r.hi >= 0) ||
		fabs(r.estimate) < log1p(a->margin_frac) / 2)
		return false;
	(void)snprintf(t->reason, sizeof(t->reason),
		"what runs second in a block does otherwise by %+.1f %% (%+.1f to "
		"%+.1f %%): a fixed order would take that for a difference",
		100 * expm1(r.estimate / 2), 100 * expm1(r.lo / 2),
		100 * expm1(r.hi / 2));
	return true;
}

static bool find_noise(const struct analysis *a, struct selftest *t)
{
	const struct analysis_shift *s = &a->shifts[0];
	size_t i;

	for (i = 0; i < a->n_noise; i++)
		if (a->noise[i].kind == NOISE_BANDS &&
			a->noise[i].size_frac > a->margin_frac) {
			(void)snprintf(t->reason, sizeof(t->reason),
				"the knees fall into two bands, %.1f %% apart",
				100 * a->noise[i].size_frac);
			return true;
		}
	if (s->smallest_visible_frac <= a->margin_frac)
		return false;
	(void)snprintf(t->reason, sizeof(t->reason),
		"a shift must be %.1f %% for these %zu blocks to see it, and %.1f %% is "
		"asked for: %zu blocks would do",
		100 * s->smallest_visible_frac, s->n_blocks, 100 * a->margin_frac,
		t->blocks_needed);
	return true;
}

/* The share at which at most k of n would come with a chance of only 5 %. By halves:
 * GSL's inverse does not converge everywhere, and ends the program then. */
static double share_limit(double k, double n)
{
	double lo = 0, hi = 1, mid = 0.5;

	while (hi - lo > 1e-9) {
		mid = (lo + hi) / 2;
		if (gsl_cdf_beta_P(mid, k + 1, n - k) < LIMIT_LEVEL)
			lo = mid;
		else
			hi = mid;
	}
	return mid;
}

static double false_alarm_limit(
	const struct run *run, const struct analysis *a, const struct values *d)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	size_t n = d->n < ALARM_BLOCKS_MAX ? d->n : ALARM_BLOCKS_MAX, i;
	double *x = xcalloc(n, sizeof(*x)), n_alarms = 0;
	struct ranktest_interval r;
	int k;

	gsl_rng_set(rng, (unsigned long)(run->config.seed & UINT32_MAX));
	for (k = 0; k < SELFTEST_N_DRAWS; k++) {
		for (i = 0; i < n; i++)
			x[i] = gsl_rng_uniform(rng) < 0.5 ? -d->v[i] : d->v[i];
		ranktest_interval(x, n, a->level, RANKTEST_TWO_SIDED, &r);
		n_alarms += r.is_finite && is_alarm(r.lo, r.hi, a->margin_frac);
	}
	gsl_rng_free(rng);
	free(x);
	return share_limit(n_alarms, SELFTEST_N_DRAWS);
}

/* From the first block's begin to the last one's end, of so many. */
static uint64_t block_time(const struct run *run)
{
	uint64_t begin_ns = 0, end_ns = 0;
	uint32_t last = 0;
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.block == 0)
			continue;
		if (last == 0)
			begin_ns = t->t_start_ns;
		last = t->spec.block;
		end_ns = t->t_end_ns;
	}
	return last > 0 && end_ns > begin_ns ? (end_ns - begin_ns) / last : 0;
}

static void plan_ahead(
	const struct run *run, const struct analysis *a, struct selftest *t)
{
	const struct analysis_shift *s = &a->shifts[0];
	double sd = log1p(s->sd_frac), goal = log1p(a->margin_frac);
	double n = pow(analysis_visible(sd, (1 - a->level) / 2, 1) / goal, 2);

	t->blocks_needed = (size_t)fmax(ANALYSIS_BLOCKS_MIN, ceil(n));
	t->block_ns = block_time(run);
	t->needed_ns = t->block_ns * t->blocks_needed;
	t->tolerance_frac = TOLERANCE_STEP *
			    ceil(expm1(analysis_visible(sd, GATE_TAIL, s->n_blocks)) /
				    TOLERANCE_STEP);
}

void selftest_make(
	const struct run *run, const struct analysis *a, struct selftest *ret_selftest)
{
	struct selftest t = { .verdict = a->verdict,
		.false_alarm_frac = (double)NAN,
		.tolerance_frac = (double)NAN };
	struct differences d = { .all = { 0 } };

	if (a->verdict != VERDICT_BROKEN && a->verdict != VERDICT_NO_KNEE &&
		a->n_shifts > 0 && a->shifts[0].n_blocks >= ANALYSIS_BLOCKS_MIN) {
		differences_take(a, &d);
		plan_ahead(run, a, &t);
		t.false_alarm_frac = false_alarm_limit(run, a, &d.all);
		t.verdict = find_bias(a, &d, &t) ? VERDICT_BIASED
			    : find_noise(a, &t)  ? VERDICT_NOISY
						 : VERDICT_OK;
	} else if (a->verdict != VERDICT_NO_KNEE) {
		t.verdict = VERDICT_BROKEN;
	}
	values_done(&d.all);
	values_done(&d.after);
	values_done(&d.before);
	*ret_selftest = t;
}
