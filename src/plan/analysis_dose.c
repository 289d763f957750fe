/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of dose and response: what part of a shift grows with the rate. */
#include "config.h"

#include "plan/analysis_private.h"

#include <gsl/gsl_fit.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/ranktest.h"

#define HZ_PER_KHZ 1000.0
#define BENT_LEVEL 0.98

/* A sampling arm and its rate. */
struct dose {
	uint32_t arm;
	double khz;
};

/* The arms of one profiler after the reference, one a rate, by ascending rate. */
struct doses {
	size_t n, cap;
	struct dose *d;
};

static int dose_cmp(const void *x, const void *y)
{
	const struct dose *a = x, *b = y;

	return (a->khz > b->khz) - (a->khz < b->khz);
}

/* Two profilers' rates are not two doses of one: the kind with the most arms, the first
 * of these. */
static enum arm_kind dose_kind(const struct run *run)
{
	enum arm_kind kind = ARM_OFF;
	size_t most = 0, n;
	uint32_t i, k;

	for (i = 1; i < run->n_arms; i++) {
		for (k = 1, n = 0; k < run->n_arms; k++)
			n += run->arms[k].hz > 0 &&
			     run->arms[k].kind == run->arms[i].kind;
		if (n > most) {
			most = n;
			kind = run->arms[i].kind;
		}
	}
	return kind;
}

static struct doses doses_of(const struct run *run)
{
	struct doses l = { 0 };
	enum arm_kind kind = dose_kind(run);
	uint32_t i;

	for (i = 1; i < run->n_arms; i++) {
		if (!(run->arms[i].hz > 0) || run->arms[i].kind != kind)
			continue;
		l.d = xgrow(l.d, l.n, &l.cap, sizeof(*l.d));
		l.d[l.n++] = (struct dose){ i, run->arms[i].hz / HZ_PER_KHZ };
	}
	if (l.n > 0)
		qsort(l.d, l.n, sizeof(*l.d), dose_cmp);
	return l;
}

/* What one block says: the line, and how far the middle dose lies off the line
 * through the outer two. */
struct response {
	struct values fixed, slope, bend;
};

static void block_response(
	const double *khz, const double *shift, size_t n, struct response *r)
{
	double c0, c1, cov00, cov01, cov11, sse, at;
	size_t mid = n / 2;

	if (n < 2 || !(khz[n - 1] > khz[0]))
		return;
	(void)gsl_fit_linear(khz, 1, shift, 1, n, &c0, &c1, &cov00, &cov01, &cov11,
		&sse); /* cannot fail: the rates differ */
	values_add(&r->fixed, c0);
	values_add(&r->slope, c1);
	if (n < 3)
		return;
	at = (khz[mid] - khz[0]) / (khz[n - 1] - khz[0]);
	values_add(&r->bend, shift[mid] - (1 - at) * shift[0] - at * shift[n - 1]);
}

static void responses_take(
	const struct analysis *a, const struct doses *doses, struct response *r)
{
	double *khz = xcalloc(doses->n, sizeof(*khz));
	double *shift = xcalloc(doses->n, sizeof(*shift));
	size_t i, k, n;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *ref = &a->minisweeps[i], *m;

		if (ref->arm != 0 || ref->fit.kind != HINGE_EXACT)
			continue;
		for (k = n = 0; k < doses->n; k++) {
			m = analysis_exact_in(a, ref->block, doses->d[k].arm);
			if (m == NULL)
				continue;
			khz[n] = doses->d[k].khz;
			shift[n++] = m->fit.knee_pps / ref->fit.knee_pps - 1;
		}
		block_response(khz, shift, n, r);
	}
	free(khz);
	free(shift);
}

/* A straight response that is called bent has no numbers, so that takes more than the
 * usual level, where the blocks can give it: 1.6 % at 8 and 7, 3.1 % at 6. */
static bool is_bent(const struct values *bend, double level)
{
	struct ranktest_interval i;

	ranktest_interval(
		bend->v, bend->n, fmax(level, BENT_LEVEL), RANKTEST_TWO_SIDED, &i);
	if (!i.is_finite)
		ranktest_interval(bend->v, bend->n, level, RANKTEST_TWO_SIDED, &i);
	return i.is_finite && (i.lo > 0 || i.hi < 0);
}

/* Estimate and, where there is one, interval. */
static void estimate(const struct values *l, double level, double *ret_mid,
	double *ret_lo, double *ret_hi)
{
	struct ranktest_interval i;

	ranktest_interval(l->v, l->n, level, RANKTEST_TWO_SIDED, &i);
	*ret_mid = i.estimate;
	if (!i.is_finite || l->n < ANALYSIS_BLOCKS_MIN)
		return;
	*ret_lo = i.lo;
	*ret_hi = i.hi;
}

void analysis_dose_make(const struct run *run, struct analysis *a)
{
	const double nan = (double)NAN;
	struct doses doses = doses_of(run);
	struct response r = { { 0 }, { 0 }, { 0 } };
	struct analysis_dose d = { 0, 0, false, nan, nan, nan, nan, nan, nan, ARM_OFF };

	responses_take(a, &doses, &r);
	d.n_doses = doses.n;
	if (doses.n > 0)
		d.kind = run->arms[doses.d[0].arm].kind;
	d.n_blocks = r.slope.n;
	d.is_curved = is_bent(&r.bend, a->level);
	if (!d.is_curved) {
		estimate(&r.slope, a->level, &d.slope_frac_per_khz,
			&d.slope_lo_frac_per_khz, &d.slope_hi_frac_per_khz);
		estimate(&r.fixed, a->level, &d.fixed_frac, &d.fixed_lo_frac,
			&d.fixed_hi_frac);
	}
	a->dose = d;
	values_done(&r.fixed);
	values_done(&r.slope);
	values_done(&r.bend);
	free(doses.d);
}
