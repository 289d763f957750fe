/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What disturbed a run: order, bands, drift, steps, mini-sweeps that stick out. Found
 * in the knees alone; what others did on the CPUs is in analysis_load.c.
 */
#include "config.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/analysis_noise_private.h"
#include "plan/analysis_private.h"
#include "stat/bands.h"
#include "stat/trend.h"

#define DRIFT_P_MAX      0.005
#define DRIFT_N_MIN      3
#define DISTURBED_SIGMAS 8.0
#define DISTURBED_N_MIN  6
#define MAD_TO_SD        1.4826

/* Knees in the order of time, each as ln of its part of its arm's knee. */
struct series {
	size_t n;
	double *t_s, *ln;
	const struct analysis_minisweep **m;
};

struct analysis_noise *analysis_noise_add(
	struct analysis *a, enum analysis_noise_kind kind, double size_frac)
{
	struct analysis_noise *x;

	a->noise = xgrow(a->noise, a->n_noise, &a->cap_noise, sizeof(*a->noise));
	x = &a->noise[a->n_noise++];
	*x = (struct analysis_noise){ .kind = kind,
		.size_frac = size_frac,
		.lo_pps = (double)NAN,
		.hi_pps = (double)NAN };
	return x;
}

/* Of one arm, or of all where arm is n_arms. */
static struct series series_make(const struct analysis *a, uint32_t arm)
{
	struct series s = { .n = 0 };
	double *t = xcalloc(a->n_minisweeps, sizeof(*t));
	size_t *order = xcalloc(a->n_minisweeps, sizeof(*order)), i;
	const struct analysis_minisweep **m = xcalloc(a->n_minisweeps, sizeof(*m));

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *k = &a->minisweeps[i];

		if (k->fit.kind != HINGE_EXACT || !isfinite(a->arms[k->arm].knee_pps) ||
			(arm < a->n_arms && k->arm != arm))
			continue;
		t[s.n] = (double)analysis_began_ns(a, k) / 1e9;
		m[s.n++] = k;
	}
	gsl_sort_index(order, t, 1, s.n);
	s.t_s = xcalloc(s.n, sizeof(*s.t_s));
	s.ln = xcalloc(s.n, sizeof(*s.ln));
	s.m = xcalloc(s.n, sizeof(*s.m));
	for (i = 0; i < s.n; i++) {
		s.m[i] = m[order[i]];
		s.t_s[i] = t[order[i]];
		s.ln[i] = log(s.m[i]->fit.knee_pps / a->arms[s.m[i]->arm].knee_pps);
	}
	free(t);
	free(order);
	free(m);
	return s;
}

static void series_done(struct series *s)
{
	free(s->t_s);
	free(s->ln);
	free(s->m);
}

/* What is too small to matter is not said: half the margin, as with the order. */
static double least_size(const struct analysis *a)
{
	return log1p(a->margin_frac) / 2;
}

/* Values below and above the cut change places in time only once: a step or a drift. */
static bool is_in_order(const struct series *s, double between)
{
	size_t i, changes = 0;

	for (i = 1; i < s->n; i++)
		changes += (s->ln[i] <= between) != (s->ln[i - 1] <= between);
	return changes < 2;
}

/* Two bands, one after the other; the first block of the second. */
static bool is_step(const struct series *s, double *ret_size, uint32_t *ret_block)
{
	struct bands b;
	size_t i;

	bands_make(s->ln, s->n, &b);
	if (!b.is_split || !is_in_order(s, b.between))
		return false;
	for (i = 1; (s->ln[i] <= b.between) == (s->ln[0] <= b.between);)
		i++;
	*ret_block = s->m[i]->block;
	*ret_size = (b.hi - b.lo) * (s->ln[i] > b.between ? 1 : -1);
	return true;
}

static void drift_find(struct analysis *a)
{
	struct series s = series_make(a, (uint32_t)a->n_arms);
	double drift = (double)NAN, step = 0;
	struct trend trend;
	uint32_t block = 0;

	trend_make(s.t_s, s.ln, s.n, &trend);
	if (s.n >= DRIFT_N_MIN)
		drift = trend.slope * (s.t_s[s.n - 1] - s.t_s[0]);
	a->drift_frac = expm1(drift);
	if (is_step(&s, &step, &block) && fabs(step) >= least_size(a))
		analysis_noise_add(a, NOISE_STEP, expm1(step))->block = block;
	else if (trend.p <= DRIFT_P_MAX && fabs(drift) >= least_size(a))
		(void)analysis_noise_add(a, NOISE_DRIFT, expm1(drift));
	series_done(&s);
}

static bool has_noise(
	const struct analysis *a, enum analysis_noise_kind kind, uint32_t arm)
{
	size_t i;

	for (i = 0; i < a->n_noise; i++)
		if (a->noise[i].kind == kind && a->noise[i].arm == arm)
			return true;
	return false;
}

/* Not the first of its block. */
static bool is_later(const struct analysis *a, const struct analysis_minisweep *m)
{
	uint64_t began_ns = analysis_began_ns(a, m);
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++)
		if (a->minisweeps[i].block == m->block &&
			analysis_began_ns(a, &a->minisweeps[i]) < began_ns)
			return true;
	return false;
}

/* One band is where the arm ran first in its block, the other where it did not. */
static bool is_by_order(
	const struct analysis *a, const struct series *s, double between)
{
	size_t i, n_lo_later = 0, n_lo = 0, n_later = 0;

	for (i = 0; i < s->n; i++) {
		bool later = is_later(a, s->m[i]), lo = s->ln[i] <= between;

		n_lo += lo;
		n_later += later;
		n_lo_later += lo && later;
	}
	return (n_lo_later == n_lo && n_later == n_lo) ||
	       (n_lo_later == 0 && n_later == s->n - n_lo);
}

static void bands_find(struct analysis *a, uint32_t arm)
{
	struct series s = series_make(a, arm);
	struct analysis_noise *x;
	struct bands b;

	bands_make(s.ln, s.n, &b);
	if (b.is_split && b.hi - b.lo >= least_size(a) && !is_in_order(&s, b.between) &&
		!is_by_order(a, &s, b.between)) {
		x = analysis_noise_add(a, NOISE_BANDS, expm1(b.hi - b.lo));
		x->arm = arm;
		x->lo_pps = a->arms[arm].knee_pps * exp(b.lo);
		x->hi_pps = a->arms[arm].knee_pps * exp(b.hi);
		x->n_lo = b.n_lo;
		x->n_hi = b.n_hi;
	}
	series_done(&s);
}

/* Far from the arm's median, by its own spread and by the margin. */
static void disturbed_find(struct analysis *a, uint32_t arm)
{
	struct series s = series_make(a, arm);
	double *work = xcalloc(s.n, sizeof(*work)), median, limit, worst = 0;
	uint32_t block = 0;
	size_t i, n = 0;

	for (i = 0; i < s.n; i++)
		work[i] = s.ln[i];
	if (s.n >= DISTURBED_N_MIN && !has_noise(a, NOISE_BANDS, arm)) {
		median = gsl_stats_median(work, 1, s.n);
		limit = DISTURBED_SIGMAS * MAD_TO_SD *
			gsl_stats_mad0(s.ln, 1, s.n, work);
		limit = fmax(limit, log1p(a->margin_frac));
		for (i = 0; i < s.n; i++) {
			double off = s.ln[i] - median;

			n += fabs(off) > limit;
			if (fabs(off) > fmax(limit, fabs(worst))) {
				worst = off;
				block = s.m[i]->block;
			}
		}
	}
	if (n > 0) {
		struct analysis_noise *x =
			analysis_noise_add(a, NOISE_DISTURBED, expm1(worst));

		x->arm = arm;
		x->block = block;
		x->n = n;
	}
	free(work);
	series_done(&s);
}

static void order_find(struct analysis *a, const struct analysis_shift *s)
{
	if (fabs(log1p(s->order_frac)) < least_size(a) || !isfinite(s->order_lo_frac) ||
		!(s->order_lo_frac > 0 || s->order_hi_frac < 0))
		return;
	analysis_noise_add(a, NOISE_ORDER, s->order_frac)->arm = s->arm;
}

/* Whichever band holds, the shift has this sign. */
static bool is_beyond(const struct analysis_shift *s, double gap_frac)
{
	return log1p(s->lo_frac) > log1p(gap_frac) ||
	       log1p(s->hi_frac) < -log1p(gap_frac);
}

/* Bands of its arms wider than the margin can make or hide a shift. */
static bool spoils_shift(const struct analysis *a, const struct analysis_noise *x,
	const struct analysis_shift *s)
{
	return x->kind == NOISE_BANDS && (x->arm == s->arm || x->arm == s->ref) &&
	       x->size_frac > a->margin_frac && !is_beyond(s, x->size_frac);
}

/* Alone, the knee has nothing beside it that drifted along. */
static bool spoils_knee(const struct analysis *a, const struct analysis_noise *x)
{
	return a->n_shifts == 0 &&
	       (x->kind == NOISE_BANDS || x->kind == NOISE_DRIFT ||
		       x->kind == NOISE_STEP) &&
	       fabs(log1p(x->size_frac)) > log1p(a->margin_frac);
}

bool analysis_noise_decides(const struct analysis *a, const struct analysis_noise *x)
{
	return spoils_knee(a, x) || (a->n_shifts > 0 && a->shifts[0].is_spoilt &&
					    spoils_shift(a, x, &a->shifts[0]));
}

static void shifts_spoil(struct analysis *a)
{
	size_t i, k;

	for (i = 0; i < a->n_shifts; i++) {
		struct analysis_shift *s = &a->shifts[i];

		if (verdict_exit_code(s->verdict) != EXIT_DONE)
			continue; /* no answer there that could be wrong */
		for (k = 0; k < a->n_noise; k++)
			s->is_spoilt |= spoils_shift(a, &a->noise[k], s);
		if (s->is_spoilt)
			s->verdict = VERDICT_INCONCLUSIVE;
	}
}

void analysis_noise_make(const struct run *run, struct analysis *a)
{
	uint32_t i;

	a->drift_frac = (double)NAN;
	if (run->config.n_rates > 0)
		return;
	for (i = 0; i < a->n_shifts; i++)
		order_find(a, &a->shifts[i]);
	for (i = 0; i < a->n_arms; i++)
		bands_find(a, i);
	drift_find(a);
	for (i = 0; i < a->n_arms; i++)
		disturbed_find(a, i);
	for (i = 0; i < a->n_arms; i++)
		analysis_load_find(a, i);
	shifts_spoil(a);
}

bool analysis_noise_spoils_knee(const struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->n_noise; i++)
		if (spoils_knee(a, &a->noise[i]))
			return true;
	return false;
}
