/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MLRsearch: loads and widths as whole steps of a logarithmic grid. */
#include "config.h"

#include "plan/mlrsearch_grid.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#define QUALITY_LO 0.99
#define QUALITY_HI 0.999999
#define MAX_STEPS  (INT64_C(1) << 40)
/* A rate made from a step must come back to it, whatever log() rounds. */
#define STEP_SLACK 1e-6

static double log_span(const struct mlrsearch_grid *g)
{
	return log(g->max_pps) - log(g->min_pps);
}

static double width_steps(const struct mlrsearch_grid *g, double width_frac)
{
	return -log1p(-width_frac) / log_span(g) * (double)g->n;
}

/* The grid if this width fits; else how many steps to try next for its sake. */
static bool width_fits(const struct mlrsearch_grid *g, double width_frac, int64_t *next)
{
	double steps = width_steps(g, width_frac), whole = floor(steps);
	double quality = whole / steps;

	if (quality >= QUALITY_LO && quality <= QUALITY_HI)
		return true;
	*next = (int64_t)ceil((whole + 1) / QUALITY_HI / steps * (double)g->n);
	return false;
}

void mlrsearch_grid_init(struct mlrsearch_grid *g, double min_pps, double max_pps,
	const double *width_fracs, size_t n_widths)
{
	bool fits = false;
	size_t i;

	*g = (struct mlrsearch_grid){ min_pps, max_pps, 1 };
	while (!fits && g->n < MAX_STEPS) {
		int64_t best = g->n;

		fits = true;
		for (i = 0; i < n_widths; i++) {
			int64_t next = g->n;

			if (width_fits(g, width_fracs[i], &next))
				continue;
			fits = false;
			if (next > best)
				best = next;
		}
		if (!fits)
			g->n = best > g->n ? best : g->n + 1;
	}
}

double mlrsearch_grid_pps(const struct mlrsearch_grid *g, int64_t i)
{
	if (i <= 0)
		return g->min_pps;
	if (i >= g->n)
		return g->max_pps;
	return g->min_pps * exp(log_span(g) * (double)i / (double)g->n);
}

int64_t mlrsearch_grid_floor(const struct mlrsearch_grid *g, double pps)
{
	double steps;

	if (!(pps > g->min_pps))
		return 0;
	if (pps >= g->max_pps)
		return g->n;
	steps = (log(pps) - log(g->min_pps)) / log_span(g) * (double)g->n;
	return (int64_t)floor(steps + STEP_SLACK);
}

int64_t mlrsearch_grid_width(const struct mlrsearch_grid *g, double width_frac)
{
	int64_t steps = (int64_t)floor(width_steps(g, width_frac));

	return steps > 0 ? steps : 1;
}

int64_t mlrsearch_grid_split(int64_t lo, int64_t hi, int64_t width)
{
	int64_t whole = hi - lo, part = width, other;

	/* Less than two widths: split as if the next, finer target were here. */
	while (whole < 2 * part && part % 2 == 0)
		part /= 2;
	if (whole < 2 * part)
		return lo + whole / 2;
	/* Doubling the part helps while it stays nearer to the half. */
	while (llabs(whole - 4 * part) < llabs(whole - 2 * part))
		part *= 2;
	other = whole - part;
	return lo + (part < other ? part : other);
}
