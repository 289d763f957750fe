/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What mlrsearch.c (the controller) and mlrsearch_select.c (one goal) share. */
#ifndef SATPROF_PLAN_MLRSEARCH_PRIVATE_H
#define SATPROF_PLAN_MLRSEARCH_PRIVATE_H

#include "plan/mlrsearch.h"
#include "plan/mlrsearch_grid.h"

#define MLRSEARCH_MAX_TARGETS 9
#define MLRSEARCH_NO_STEP     (-1)

/* When a step that was taken grows the next one: its load became that bound. */
enum mlrsearch_grow { GROW_NEVER, GROW_IF_LOWER, GROW_IF_UPPER };

/* What a goal wants to be measured. */
struct mlrsearch_bid {
	int64_t step;
	uint64_t asked_ns;
	int64_t width; /* what the shared width becomes when this is measured */
	enum mlrsearch_grow grow;
};

/* One goal's search: from its coarsest target to the goal itself. */
struct mlrsearch_selector {
	struct mlrsearch_goal targets[MLRSEARCH_MAX_TARGETS]; /* 0: the goal */
	int64_t widths[MLRSEARCH_MAX_TARGETS];
	size_t at; /* the target that is worked on */
	/* The interval that the target before it left, or the start trials. */
	int64_t initial_lo, initial_hi;
	int64_t next_width;
};

struct mlrsearch {
	struct mlrsearch_config config;
	struct mlrsearch_grid grid;
	size_t n_trials, cap_trials;
	struct mlrsearch_trial *trials;
	unsigned n_fed;
	uint64_t fed_ns;
	unsigned stage;
	int64_t start_step; /* load of the start trial that comes */
	/* Steps of the extensions of all goals keep pace. */
	int64_t shared_width;
	struct mlrsearch_selector selectors[MLRSEARCH_MAX_GOALS];
	bool asked; /* next() asked for this one: */
	size_t asked_goal;
	struct mlrsearch_bid bid;
};

/*
 * A load to measure near step: at least width away from the bounds lo and hi
 * (MLRSEARCH_NO_STEP: none; then the grid's end, which may be measured itself).
 * MLRSEARCH_NO_STEP when nothing between them is worth it.
 */
int64_t mlrsearch_keep_away(const struct mlrsearch_grid *g, int64_t step, int64_t width,
	int64_t lo, int64_t hi);

/* The targets of the goal, on the grid. */
void mlrsearch_selector_init(struct mlrsearch_selector *sel,
	const struct mlrsearch_grid *g, const struct mlrsearch_goal *goal);
/* The start trials are over: this is the first interval. */
void mlrsearch_selector_start(struct mlrsearch_selector *sel, int64_t lo, int64_t hi);
/* False when the goal is reached or ended at a limit. Moves on to the next target
 * when one is reached. */
bool mlrsearch_selector_bid(struct mlrsearch_selector *sel, const struct mlrsearch *s,
	struct mlrsearch_bid *ret_bid);
/* Its bid was measured. */
void mlrsearch_selector_won(struct mlrsearch_selector *sel, struct mlrsearch *s);

#endif
