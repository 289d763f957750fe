/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Hinge fit of goodput over scheduled rate. */
#include "config.h"

#include "stat/hinge.h"

#include <gsl/gsl_fit.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/hinge_private.h"

#define GRID_STEP_FRAC     0.001
#define N_REFINEMENTS      3 /* each ten times finer */
#define MIN_PER_SIDE       2
#define SLOPE_ABOVE_MAX    0.75
#define BIC_GAIN_MIN       2.0
#define SD_FLOOR_FRAC      0.001
#define LINE_SLOPE_FOLLOWS 0.9
#define LINE_SLOPE_FLAT    0.5
#define N_HINGE_PARAMS     3 /* x, s, b */
#define N_LINE_PARAMS      2

/* The hinge with its kink at x. */
struct candidate {
	double x, slope, loss_frac, sse;
	size_t n_below;
};

/*
 * Sums over the points on either side of a kink that lies between the same two of
 * them. With u = r - x and y = g - (1 - b) x over those above, all that least squares
 * needs is a polynomial in x, so that a candidate costs no loop.
 */
struct sides {
	size_t n_below;
	double keep, sse_below;     /* 1 - b; what is left below */
	double n, r, rr, g, gg, rg; /* above */
};

static struct sides sides_make(const struct hinge_points *p, size_t n_below)
{
	struct sides s = { .n_below = n_below, .keep = 1 };
	double rr = 0, rg = 0, e;
	size_t i;

	for (i = 0; i < n_below; i++) {
		rr += p->rate[i] * p->rate[i];
		rg += p->rate[i] * p->goodput[i];
	}
	if (rr > 0)
		s.keep = 1 - fmin(fmax(1 - rg / rr, 0), p->loss_max_frac);
	for (i = 0; i < n_below; i++) {
		e = p->goodput[i] - s.keep * p->rate[i];
		s.sse_below += e * e;
	}
	for (i = n_below; i < p->n; i++) {
		s.n++;
		s.r += p->rate[i];
		s.rr += p->rate[i] * p->rate[i];
		s.g += p->goodput[i];
		s.gg += p->goodput[i] * p->goodput[i];
		s.rg += p->rate[i] * p->goodput[i];
	}
	return s;
}

static struct candidate candidate_at(const struct sides *s, double x)
{
	double level = s->keep * x;
	double uu = s->rr - 2 * x * s->r + s->n * x * x;
	double uy = s->rg - x * s->g - level * s->r + s->n * level * x;
	double yy = s->gg - 2 * level * s->g + s->n * level * level;
	double slope = uu > 0 ? fmin(uy / uu, s->keep) : 0;

	return (struct candidate){ .x = x,
		.slope = slope,
		.loss_frac = 1 - s->keep,
		.sse = s->sse_below + fmax(0, yy - 2 * slope * uy + slope * slope * uu),
		.n_below = s->n_below };
}

/* The best of x = from, from * step, ... up to and with to. */
static struct candidate grid_search(
	const struct hinge_points *p, double from, double to, double step)
{
	struct sides s = sides_make(p, 0);
	struct candidate best = { .sse = (double)INFINITY }, c;
	double x = from;
	bool is_last;

	do {
		is_last = x >= to;
		x = is_last ? to : x;
		if (s.n_below < p->n && p->rate[s.n_below] < x) {
			size_t n = s.n_below;

			while (n < p->n && p->rate[n] < x)
				n++;
			s = sides_make(p, n);
		}
		c = candidate_at(&s, x);
		if (c.sse < best.sse)
			best = c;
		x *= step;
	} while (!is_last);
	return best;
}

static struct candidate best_hinge(const struct hinge_points *p)
{
	double lo = p->rate[0], hi = p->rate[p->n - 1], step = GRID_STEP_FRAC;
	struct candidate best = grid_search(p, lo, hi, 1 + step);
	int i;

	for (i = 0; i < N_REFINEMENTS; i++) {
		struct candidate finer = grid_search(p, fmax(lo, best.x * (1 - step)),
			fmin(hi, best.x * (1 + step)), 1 + step / 10);

		if (finer.sse < best.sse)
			best = finer;
		step /= 10;
	}
	return best;
}

static double bic(double sse, const struct hinge_points *p, double n_params)
{
	double n = (double)p->n;
	double floor_sd = SD_FLOOR_FRAC * gsl_stats_mean(p->rate, 1, p->n);

	return n * log(fmax(sse / n, floor_sd * floor_sd)) + n_params * log(n);
}

struct hinge_points hinge_points_usable(const struct hinge_point *points, size_t n)
{
	struct hinge_points p = {
		.rate = xcalloc(n, sizeof(double)),
		.goodput = xcalloc(n, sizeof(double)),
	};
	size_t i;

	for (i = 0; i < n; i++) {
		if (!points[i].is_usable || !(points[i].rate_pps > 0) ||
			!isfinite(points[i].rate_pps) ||
			!isfinite(points[i].goodput_pps))
			continue;
		p.rate[p.n] = points[i].rate_pps;
		p.goodput[p.n++] = points[i].goodput_pps;
	}
	gsl_sort2(p.rate, 1, p.goodput, 1, p.n);
	return p;
}

void hinge_points_done(struct hinge_points *p)
{
	free(p->rate);
	free(p->goodput);
}

/* What can be said without a kink: see enum hinge_kind. */
static void bound_from_line(const struct hinge_points *p, struct hinge_fit *f)
{
	double seen = 0;
	size_t i;

	for (i = 0; i < p->n; i++)
		seen = fmax(seen, fmin(p->goodput[i], p->rate[i]));
	if (f->line_slope >= LINE_SLOPE_FOLLOWS) {
		f->kind = HINGE_ABOVE_MAX;
		f->lo_pps = seen;
		f->center_pps = p->rate[p->n - 1];
	} else if (f->line_slope <= LINE_SLOPE_FLAT) {
		f->kind = HINGE_BELOW_MIN;
		f->hi_pps = fmax(p->rate[1], seen);
		f->center_pps = seen;
	}
}

/* True when the best hinge is a knee. */
static bool fit_kink(const struct hinge_points *p, double line_sse, struct hinge_fit *f)
{
	struct candidate best = best_hinge(p);

	f->center_pps = (1 - best.loss_frac) * best.x;
	f->n_below = best.n_below;
	f->n_above = p->n - best.n_below;
	if (p->n < 2 * (size_t)MIN_PER_SIDE)
		return false;
	f->bic_gain =
		bic(line_sse, p, N_LINE_PARAMS) - bic(best.sse, p, N_HINGE_PARAMS);
	if (f->n_below < MIN_PER_SIDE || f->n_above < MIN_PER_SIDE ||
		f->bic_gain < BIC_GAIN_MIN || best.slope > SLOPE_ABOVE_MAX)
		return false;
	f->kind = HINGE_EXACT;
	f->knee_pps = f->center_pps;
	f->slope_above = best.slope;
	f->loss_frac = best.loss_frac;
	f->softness_frac = 0;
	f->residual_frac = sqrt(best.sse / (double)p->n) / f->knee_pps;
	return true;
}

void hinge_fit_sharp(const struct hinge_points *p, struct hinge_fit *ret_fit)
{
	const double nan = (double)NAN;
	struct hinge_fit f = {
		.kind = HINGE_INVALID,
		.knee_pps = nan,
		.lo_pps = nan,
		.hi_pps = nan,
		.center_pps = nan,
		.slope_above = nan,
		.loss_frac = nan,
		.softness_frac = nan,
		.residual_frac = nan,
		.line_slope = nan,
		.bic_gain = nan,
	};
	double c0, c1, cov00, cov01, cov11, line_sse = 0;

	f.n_used = p->n;
	if (p->n >= 2 && p->rate[p->n - 1] > p->rate[0]) {
		(void)gsl_fit_linear(p->rate, 1, p->goodput, 1, p->n, &c0, &c1, &cov00,
			&cov01, &cov11, &line_sse); /* cannot fail: rates differ */
		f.line_slope = c1;
		if (!fit_kink(p, line_sse, &f))
			bound_from_line(p, &f);
	}
	*ret_fit = f;
}

const char *hinge_kind_name(enum hinge_kind kind)
{
	switch (kind) {
	case HINGE_INVALID:
		return "invalid";
	case HINGE_EXACT:
		return "exact";
	case HINGE_ABOVE_MAX:
		return "above-max";
	case HINGE_BELOW_MIN:
		return "below-min";
	}
	return "?";
}
