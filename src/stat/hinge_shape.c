/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sweeps have in common, and the fit with it: background loss, rounded knee. */
#include "config.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/hinge.h"
#include "stat/hinge_private.h"
#include "stat/values.h"

/* Widths tried; the first stands for a sharp corner. */
static const double widths[] = { 0.001, 0.005, 0.01, 0.015, 0.02, 0.03, 0.04, 0.05,
	0.065, 0.08, 0.1, 0.13 };

#define N_WIDTHS      (sizeof(widths) / sizeof(widths[0]))
#define SD_FLOOR_FRAC 0.001
/* The knee is looked for this far from the sharp one; from one width to the next it
 * moves by much less. */
#define SEARCH_FRAC    0.15
#define SEARCH_END     1e-6
#define NEXT_FRAC      0.03
#define NEXT_END       1e-4
#define SEARCH_STEPS   4
#define GOLDEN         0.6180339887498949
#define WIDTH_MAX_FRAC 0.5
#define N_SOFT_PARAMS  3 /* x, s, b of each sweep */
#define SURE           0.95
/* A rounded knee that is none makes every knee of the run less precise, and many
 * widths are tried: it takes much. A doubt takes less. */
#define ROUNDED_LEVEL 0.995
#define DOUBT_LEVEL   0.9
#define DF_MIN        8 /* four sweeps of five points */

#define LOSS_MAX_FRAC      0.01
#define LOSS_SEEN_MAX_FRAC 0.10
#define LOSS_AGREE_FRAC    0.01
#define LOSS_POINTS_MIN    4
#define DOUBT_N_MIN        4
#define MEDIAN_TO_MEAN_SE  1.2533

struct soft {
	double x, keep, slope, sse;
};

#define FAR_WIDTHS 30.0 /* where the corner is straight, to 13 digits */

/* a ln(1 + e^((r - x) / a)): how far r is beyond a corner of width a. */
static double excess(double r, double x, double a)
{
	double far = fabs(r - x);

	return fmax(0, r - x) + (far < FAR_WIDTHS * a ? a * log1p(exp(-far / a)) : 0);
}

/*
 * With h the excess, goodput = keep (r - h) + s h: least squares in keep = 1 - b and s,
 * keep within its bounds, s at most keep.
 */
static struct soft soft_at(const struct hinge_points *p, double x, double width_frac)
{
	struct soft f = { .x = x };
	double uu = 0, uh = 0, hh = 0, ug = 0, hg = 0, gg = 0, det, h, u, g;
	size_t i;

	for (i = 0; i < p->n; i++) {
		h = excess(p->rate[i], x, width_frac * x);
		u = p->rate[i] - h;
		g = p->goodput[i];
		uu += u * u;
		uh += u * h;
		hh += h * h;
		ug += u * g;
		hg += h * g;
		gg += g * g;
	}
	det = uu * hh - uh * uh;
	f.keep = det > 0 ? (ug * hh - hg * uh) / det : 1;
	f.keep = fmin(1, fmax(f.keep, 1 - p->loss_max_frac));
	f.slope = hh > 0 ? fmin(f.keep, (hg - f.keep * uh) / hh) : 0;
	f.sse = fmax(0, gg - 2 * (f.keep * ug + f.slope * hg) +
				(f.keep * uu + 2 * f.slope * uh) * f.keep +
				f.slope * f.slope * hh);
	return f;
}

/* The best corner of that width within a range of x, relative: the best of some steps,
 * then golden section down to end. */
static struct soft best_soft(const struct hinge_points *p, double x, double width_frac,
	double range, double end)
{
	double step = range * x / SEARCH_STEPS, lo, hi;
	struct soft a, b, best = soft_at(p, x, width_frac);
	int i;

	for (i = -SEARCH_STEPS; i <= SEARCH_STEPS; i++) {
		a = soft_at(p, x + i * step, width_frac);
		if (a.sse < best.sse)
			best = a;
	}
	lo = best.x - step;
	hi = best.x + step;
	a = soft_at(p, hi - GOLDEN * (hi - lo), width_frac);
	b = soft_at(p, lo + GOLDEN * (hi - lo), width_frac);
	while (hi - lo > end * x) {
		if (a.sse <= b.sse) {
			hi = b.x;
			b = a;
			a = soft_at(p, hi - GOLDEN * (hi - lo), width_frac);
		} else {
			lo = a.x;
			a = b;
			b = soft_at(p, lo + GOLDEN * (hi - lo), width_frac);
		}
	}
	return a.sse <= b.sse ? a : b;
}

static double corner_of(const struct hinge_fit *f)
{
	return f->knee_pps / (1 - f->loss_frac);
}

/* The sweeps that have a knee, each with where its corner was found last. */
struct pool {
	size_t n, n_points;
	struct knee {
		struct hinge_points points;
		double knee_pps, x;
	} * knees;
};

static void pool_make(const struct hinge_sweep *sweeps, size_t n, double loss_max_frac,
	struct pool *ret_pool)
{
	struct pool pool = { .knees = xcalloc(n, sizeof(*pool.knees)) };
	size_t i;

	for (i = 0; i < n; i++) {
		struct knee *k = &pool.knees[pool.n];
		struct hinge_fit f;

		k->points = hinge_points_usable(sweeps[i].points, sweeps[i].n);
		k->points.loss_max_frac = loss_max_frac;
		hinge_fit_sharp(&k->points, &f);
		if (f.kind == HINGE_EXACT) {
			k->knee_pps = f.knee_pps;
			k->x = corner_of(&f);
			pool.n++;
			pool.n_points += k->points.n;
		} else {
			hinge_points_done(&k->points);
		}
	}
	*ret_pool = pool;
}

static void pool_done(struct pool *pool)
{
	size_t i;

	for (i = 0; i < pool->n; i++)
		hinge_points_done(&pool->knees[i].points);
	free(pool->knees);
}

/* Squared relative residuals of all. */
static double pool_sse(struct pool *pool, double width_frac)
{
	double sse = 0;
	size_t i;

	for (i = 0; i < pool->n; i++) {
		struct knee *k = &pool->knees[i];
		struct soft s =
			best_soft(&k->points, k->x, width_frac, NEXT_FRAC, NEXT_END);

		k->x = s.x;
		sse += s.sse / (k->knee_pps * k->knee_pps);
	}
	return sse;
}

/* Of F with 1 and df degrees: the square of t, whose inverse always converges; that of
 * GSL's F does not with thousands of points, and ends the program then. */
static double f_of_one(double level, double df)
{
	return pow(gsl_cdf_tdist_Pinv((1 + level) / 2, df), 2);
}

/*
 * Does a width leave significantly less than the sharp corner? F with one degree for
 * the width.
 */
static bool is_rounded(
	double sharp, double rounded, double df, size_t n_points, double level)
{
	double floor = (double)n_points * SD_FLOOR_FRAC * SD_FLOOR_FRAC;
	double ratio = fmax(sharp, floor) / fmax(rounded, floor);

	return (ratio - 1) * df >= f_of_one(level, df);
}

static void width_make(struct pool *pool, struct hinge_shape *shape)
{
	double df = (double)pool->n_points - N_SOFT_PARAMS * (double)pool->n;
	double sse[N_WIDTHS], limit;
	size_t best = 0, n, lo, hi;

	if (df < DF_MIN)
		return;
	limit = 1 + f_of_one(SURE, df) / df;
	/* It falls to the best width and rises from there. */
	for (n = 0; n < N_WIDTHS && (n < 2 || sse[n - 1] <= sse[best] * limit); n++) {
		sse[n] = pool_sse(pool, widths[n]);
		if (sse[n] < sse[best])
			best = n;
	}
	if (!is_rounded(sse[0], sse[best], df, pool->n_points, DOUBT_LEVEL))
		return;
	for (lo = best; lo > 0 && sse[lo - 1] <= sse[best] * limit; lo--)
		;
	for (hi = best; hi + 1 < n && sse[hi + 1] <= sse[best] * limit; hi++)
		;
	shape->softness_hi_frac = widths[hi];
	if (!is_rounded(sse[0], sse[best], df, pool->n_points, ROUNDED_LEVEL))
		return; /* sharp, with a doubt */
	shape->softness_frac = widths[best];
	shape->softness_lo_frac = widths[lo];
}

/* How far a median of differences can be off by chance: 2 standard errors, by their
 * median absolute deviation; 0 where they are too few to tell. */
static double doubt_of_median(const struct values *d)
{
	double *work, mad;

	if (d->n < DOUBT_N_MIN)
		return 0;
	work = xcalloc(d->n, sizeof(*work));
	mad = gsl_stats_mad(d->v, 1, d->n, work);
	free(work);
	return 2 * MEDIAN_TO_MEAN_SE * mad / sqrt((double)d->n);
}

/* The bound of the background loss: see the top of the header. */
static double loss_max(const struct hinge_sweep *sweeps, size_t n)
{
	struct values first = { 0 }, second = { 0 }, differences = { 0 };
	double a, b, agree;
	size_t i;

	for (i = 0; i < n; i++) {
		struct hinge_points p =
			hinge_points_usable(sweeps[i].points, sweeps[i].n);

		if (p.n >= LOSS_POINTS_MIN) {
			a = 1 - p.goodput[0] / p.rate[0];
			b = 1 - p.goodput[1] / p.rate[1];
			values_add(&first, a);
			values_add(&second, b);
			values_add(&differences, b - a);
		}
		hinge_points_done(&p);
	}
	agree = LOSS_AGREE_FRAC + doubt_of_median(&differences);
	a = values_median(&first);
	b = values_median(&second);
	values_done(&first);
	values_done(&second);
	values_done(&differences);
	if (!(fabs(a - b) <= agree) || fmax(a, b) > LOSS_SEEN_MAX_FRAC)
		return LOSS_MAX_FRAC;
	return LOSS_MAX_FRAC + fmax(0, fmax(a, b));
}

double hinge_goodput(const struct hinge_fit *fit, double rate_pps)
{
	double x = corner_of(fit), keep = 1 - fit->loss_frac, h = rate_pps - x;

	h = fit->softness_frac > 0 ? excess(rate_pps, x, fit->softness_frac * x)
				   : fmax(0, h);
	return keep * (rate_pps - h) + fit->slope_above * h;
}

void hinge_shape_make(
	const struct hinge_sweep *sweeps, size_t n, struct hinge_shape *ret_shape)
{
	struct hinge_shape shape = { .loss_max_frac = loss_max(sweeps, n) };
	struct pool pool;

	pool_make(sweeps, n, shape.loss_max_frac, &pool);
	width_make(&pool, &shape);
	pool_done(&pool);
	*ret_shape = shape;
}

void hinge_fit_shaped(const struct hinge_point *points, size_t n,
	const struct hinge_shape *shape, struct hinge_fit *ret_fit)
{
	double width = fmin(shape->softness_frac, WIDTH_MAX_FRAC);
	struct hinge_points p = hinge_points_usable(points, n);
	struct hinge_fit f;
	struct soft s;

	p.loss_max_frac = shape->loss_max_frac;
	hinge_fit_sharp(&p, &f);
	if (f.kind == HINGE_EXACT && width > 0) {
		s = best_soft(&p, corner_of(&f), width, SEARCH_FRAC, SEARCH_END);
		f.loss_frac = 1 - s.keep;
		f.knee_pps = f.center_pps = s.keep * s.x;
		f.slope_above = s.slope;
		f.softness_frac = width;
		f.residual_frac = sqrt(s.sse / (double)p.n) / f.knee_pps;
	}
	hinge_points_done(&p);
	*ret_fit = f;
}

void hinge_fit(const struct hinge_point *points, size_t n, struct hinge_fit *ret_fit)
{
	const struct hinge_sweep sweep = { points, n };
	const struct hinge_shape shape = { .loss_max_frac = loss_max(&sweep, 1) };

	hinge_fit_shaped(points, n, &shape, ret_fit);
}
