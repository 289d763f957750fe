/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of an arm against the reference: shift, interval, verdict. */
#include "config.h"

#include "plan/analysis_private.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "base/mem.h"
#include "stat/confseq.h"
#include "stat/ranksum.h"
#include "stat/ranktest.h"

/* Efficiency of the signed rank against the mean, 3 / pi (Lehmann 1975). */
#define RANK_EFFICIENCY   0.955
#define Z_TWO_SIDED_95    1.96 /* as the noise floor is defined (design 5) */
#define POWER             0.8
#define BLOCKS_NEEDED_MAX 100000

enum verdict analysis_shift_verdict(double lo_frac, double hi_frac, double margin_frac)
{
	if (!(lo_frac <= hi_frac))
		return VERDICT_INCONCLUSIVE;
	if (lo_frac >= -margin_frac && hi_frac <= margin_frac)
		return VERDICT_NONE;
	if (lo_frac > 0)
		return VERDICT_HELPS;
	if (hi_frac < 0)
		return VERDICT_HURTS;
	return VERDICT_INCONCLUSIVE;
}

/* Half-width of the interval that n blocks with this sd would give. */
static double half_width(double sd, double level, size_t n)
{
	double t = gsl_cdf_tdist_Pinv((1 + level) / 2, (double)n - 1);

	return t * sd / sqrt(RANK_EFFICIENCY * (double)n);
}

/* Smallest n >= the minimum whose half-width is at most goal; it falls with n. */
static size_t blocks_needed(double sd, double level, double goal)
{
	size_t lo = ANALYSIS_BLOCKS_MIN, hi = BLOCKS_NEEDED_MAX, mid;

	if (half_width(sd, level, hi) > goal)
		return hi;
	while (lo < hi) {
		mid = lo + (hi - lo) / 2;
		if (half_width(sd, level, mid) <= goal)
			hi = mid;
		else
			lo = mid + 1;
	}
	return lo;
}

double analysis_visible(double ln_sd, double tail, size_t n)
{
	double z = gsl_cdf_ugaussian_Qinv(tail) + gsl_cdf_ugaussian_Pinv(POWER);

	return z * ln_sd / sqrt(RANK_EFFICIENCY * (double)n);
}

static void shift_spread(
	const struct analysis *a, const struct values *d, struct analysis_shift *s)
{
	double level = a->level, sd;

	if (d->n < 2)
		return;
	sd = gsl_stats_sd(d->v, 1, d->n);
	s->sd_frac = expm1(sd);
	s->smallest_visible_frac = expm1(analysis_visible(sd, (1 - level) / 2, d->n));
	s->blocks_needed = blocks_needed(sd, level, log1p(a->margin_frac));
}

/* resolution: the interval is never narrower than what counting can resolve; bend: what
 * is not known of the shapes comes on top. */
static void shift_interval(const struct analysis *a, const struct values *d,
	double resolution, double bend, struct analysis_shift *s)
{
	struct ranktest_interval r;

	ranktest_interval(d->v, d->n, a->level, RANKTEST_TWO_SIDED, &r);
	s->shift_frac = expm1(r.estimate);
	if (!r.is_finite || d->n < ANALYSIS_BLOCKS_MIN)
		return;
	s->lo_frac = expm1(fmin(r.lo, r.estimate - resolution) - bend);
	s->hi_frac = expm1(fmax(r.hi, r.estimate + resolution) + bend);
	s->level = r.level;
	if (d->n < CONFSEQ_N_MIN)
		return;
	/* The other half of the chance of error is for stopping by the width. */
	confseq_interval(d->v, d->n, (1 + a->level) / 2, &r.lo, &r.hi);
	s->seq_lo_frac = expm1(r.lo);
	s->seq_hi_frac = expm1(r.hi);
}

static void shift_consistency(
	const struct analysis *a, const struct values *r, struct analysis_shift *s)
{
	double margin = log1p(a->margin_frac);
	struct ranktest_interval i;

	if (r->n == 0)
		return;
	ranktest_interval(r->v, r->n, a->level, RANKTEST_TWO_SIDED, &i);
	s->r = i.estimate;
	s->consistency = CONSISTENCY_UNRESOLVED;
	if (!i.is_finite)
		return;
	s->r_lo = i.lo;
	s->r_hi = i.hi;
	if (i.lo >= -margin && i.hi <= margin)
		s->consistency = CONSISTENCY_COST;
	else if (i.hi < -margin)
		s->consistency = CONSISTENCY_MOVED;
	else if (i.lo > margin)
		s->consistency = CONSISTENCY_GAINED;
}

/* The shift where the arm came after the reference against where it came before. */
static void shift_order(const struct analysis *a, const struct values *after,
	const struct values *before, struct analysis_shift *s)
{
	struct ranktest_interval r;

	ranksum_interval(after->v, after->n, before->v, before->n, a->level,
		RANKTEST_TWO_SIDED, &r);
	s->order_frac = expm1(r.estimate);
	if (!r.is_finite)
		return;
	s->order_lo_frac = expm1(r.lo);
	s->order_hi_frac = expm1(r.hi);
}

/*
 * What the interval says after one look, planned beforehand, is a verdict. A run that
 * was looked at after each block has one where the interval is no wider than the
 * margin, which looks at the width and not at what it says (such an interval lies
 * within the margin or leaves out 0), or where the confidence sequence, which may be
 * looked at so often, says the same. To take what the interval alone says at the first
 * look at which it says something would find a shift in 17 % of runs without one.
 */
static enum verdict sequential_verdict(
	const struct analysis *a, const struct analysis_shift *s, enum verdict once)
{
	double width = log1p(s->hi_frac) - log1p(s->lo_frac);

	if (width <= log1p(a->margin_frac) ||
		once == analysis_shift_verdict(
				s->seq_lo_frac, s->seq_hi_frac, a->margin_frac))
		return once;
	return VERDICT_INCONCLUSIVE;
}

static enum verdict shift_verdict(
	const struct analysis *a, const struct analysis_shift *s)
{
	const struct analysis_arm *arm = &a->arms[s->arm], *ref = &a->arms[s->ref];
	enum verdict once;

	if (arm->n_blocks < ANALYSIS_BLOCKS_MIN || ref->n_blocks < ANALYSIS_BLOCKS_MIN)
		return VERDICT_BROKEN;
	if (arm->bound != HINGE_EXACT || ref->bound != HINGE_EXACT)
		return VERDICT_NO_KNEE;
	once = analysis_shift_verdict(s->lo_frac, s->hi_frac, a->margin_frac);
	return a->is_sequential ? sequential_verdict(a, s, once) : once;
}

void analysis_shift_make(const struct analysis *a, uint32_t arm, uint32_t ref_arm,
	struct analysis_shift *s)
{
	const double nan = (double)NAN;
	struct values d = { 0 }, r = { 0 }, resolutions = { 0 };
	struct values after = { 0 }, before = { 0 };
	double bend;
	size_t i;

	*s = (struct analysis_shift){ .arm = arm,
		.ref = ref_arm,
		.shift_frac = nan,
		.lo_frac = nan,
		.hi_frac = nan,
		.seq_lo_frac = nan,
		.seq_hi_frac = nan,
		.level = nan,
		.sd_frac = nan,
		.smallest_visible_frac = nan,
		.r = nan,
		.r_lo = nan,
		.r_hi = nan,
		.order_frac = nan,
		.order_lo_frac = nan,
		.order_hi_frac = nan };
	s->verdict = shift_verdict(a, s);
	if (isfinite(a->arms[arm].misfit_frac) || isfinite(a->arms[s->ref].misfit_frac))
		return; /* the fits are no knees */
	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i], *ref;
		double ln;

		if (m->arm != arm || m->fit.kind != HINGE_EXACT)
			continue;
		ref = analysis_exact_in(a, m->block, s->ref);
		if (ref == NULL)
			continue;
		ln = log(m->fit.knee_pps / ref->fit.knee_pps);
		values_add(&d, ln);
		values_add(analysis_began_ns(a, m) > analysis_began_ns(a, ref)
				   ? &after
				   : &before,
			ln);
		values_add(&r, ln + log(m->cpu_ns_per_pkt / ref->cpu_ns_per_pkt));
		values_add(&resolutions, m->resolution_frac + ref->resolution_frac);
	}
	s->n_blocks = d.n;
	shift_spread(a, &d, s);
	bend = log1p(a->arms[arm].bend_frac) + log1p(a->arms[s->ref].bend_frac);
	shift_interval(a, &d, values_median(&resolutions), bend, s);
	shift_consistency(a, &r, s);
	shift_order(a, &after, &before, s);
	s->verdict = shift_verdict(a, s);
	values_done(&d);
	values_done(&r);
	values_done(&resolutions);
	values_done(&after);
	values_done(&before);
}

static double noise_floor(const struct analysis *a)
{
	struct values d = { 0 };
	double last = (double)NAN, ln, sd = (double)NAN, n;
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		if (m->arm != 0 || m->fit.kind != HINGE_EXACT)
			continue;
		ln = log(m->fit.knee_pps);
		values_add(&d, ln - last); /* the first is NAN and left out */
		last = ln;
	}
	if (d.n >= 2)
		sd = gsl_stats_sd(d.v, 1, d.n);
	n = (double)d.n + 1;
	values_done(&d);
	return expm1(Z_TWO_SIDED_95 * sd / sqrt(RANK_EFFICIENCY * n));
}

void analysis_shifts_make(struct analysis *a)
{
	uint32_t arm;

	a->noise_floor_frac = noise_floor(a);
	if (a->n_arms < 2)
		return;
	a->n_shifts = a->n_arms - 1;
	a->shifts = xcalloc(a->n_shifts, sizeof(*a->shifts));
	for (arm = 1; arm < a->n_arms; arm++)
		analysis_shift_make(a, arm, 0, &a->shifts[arm - 1]);
}

const char *analysis_consistency_name(enum analysis_consistency c)
{
	switch (c) {
	case CONSISTENCY_UNDEFINED:
		return "undefined";
	case CONSISTENCY_COST:
		return "cost";
	case CONSISTENCY_MOVED:
		return "moved";
	case CONSISTENCY_GAINED:
		return "gained";
	case CONSISTENCY_UNRESOLVED:
		return "unresolved";
	}
	return "?";
}
