/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The load grid of MLRsearch: step i of n is min (max/min)^(i/n). Widths are whole
 * steps, so that expanding and halving are exactly reversible. Pure.
 */
#ifndef SATPROF_PLAN_MLRSEARCH_GRID_H
#define SATPROF_PLAN_MLRSEARCH_GRID_H

#include <stddef.h>
#include <stdint.h>

struct mlrsearch_grid {
	double min_pps, max_pps;
	int64_t n; /* steps from min to max */
};

/*
 * The coarsest grid on which each relative width, floored to steps, is within
 * [0.99, 0.999999] of itself: never wider than asked, hardly narrower. A width that
 * does not fit between min and max makes one step of all.
 */
void mlrsearch_grid_init(struct mlrsearch_grid *g, double min_pps, double max_pps,
	const double *width_fracs, size_t n_widths);
/* i is clamped to 0..n. */
double mlrsearch_grid_pps(const struct mlrsearch_grid *g, int64_t i);
/* The step at or below the rate, in 0..n. */
int64_t mlrsearch_grid_floor(const struct mlrsearch_grid *g, double pps);
/* The relative width in steps, floored; at least 1. */
int64_t mlrsearch_grid_width(const struct mlrsearch_grid *g, double width_frac);
/*
 * Where to split lo..hi (hi - lo >= 2): one part is width times a power of two, the
 * most even such split, the smaller part below. Between one and two widths: even.
 */
int64_t mlrsearch_grid_split(int64_t lo, int64_t hi, int64_t width);

#endif
