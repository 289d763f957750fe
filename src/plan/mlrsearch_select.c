/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MLRsearch: what one goal wants to be measured next. */
#include "config.h"

#include <assert.h>
#include <math.h>

#include "plan/mlrsearch_private.h"

/* Where one target stands, in steps of the grid. */
struct standing {
	const struct mlrsearch_grid *grid;
	int64_t lo, hi; /* relevant bounds or MLRSEARCH_NO_STEP */
	int64_t width;
	int64_t stride; /* of an extension */
};

static bool is_step(int64_t step)
{
	return step != MLRSEARCH_NO_STEP;
}

static int64_t max_step(int64_t a, int64_t b)
{
	return a > b ? a : b;
}

static int64_t min_step(int64_t a, int64_t b)
{
	return a < b ? a : b;
}

int64_t mlrsearch_keep_away(const struct mlrsearch_grid *g, int64_t step, int64_t width,
	int64_t lo, int64_t hi)
{
	int64_t floor = is_step(lo) ? lo : 0;
	int64_t ceiling = is_step(hi) ? hi : g->n;
	int64_t soft_floor = floor + width, soft_ceiling = ceiling - width;

	if (ceiling - floor <= width) {
		if (!is_step(lo) && floor < ceiling)
			return floor;
		return !is_step(hi) && floor < ceiling ? ceiling : MLRSEARCH_NO_STEP;
	}
	if (soft_floor > soft_ceiling)
		soft_floor = soft_ceiling = mlrsearch_grid_split(floor, ceiling, width);
	if (step < soft_floor)
		return is_step(lo) ? soft_floor : floor;
	if (step > soft_ceiling)
		return is_step(hi) ? soft_ceiling : ceiling;
	return step;
}

void mlrsearch_selector_init(struct mlrsearch_selector *sel,
	const struct mlrsearch_grid *g, const struct mlrsearch_goal *goal)
{
	unsigned k, n = goal->n_preceding;

	assert(n < MLRSEARCH_MAX_TARGETS);
	assert(n > 0 || goal->initial_ns >= goal->sum_ns);
	*sel = (struct mlrsearch_selector){ .at = n };
	for (k = 0; k <= n; k++) {
		struct mlrsearch_goal *t = &sel->targets[k];

		*t = *goal;
		if (k > 0 && k < n)
			t->sum_ns = (uint64_t)((double)goal->sum_ns *
					       pow((double)goal->initial_ns /
							       (double)goal->sum_ns,
						       (double)k / n));
		else if (k > 0)
			t->sum_ns = goal->initial_ns;
		if (t->trial_ns > t->sum_ns)
			t->trial_ns = t->sum_ns;
		sel->widths[k] = mlrsearch_grid_width(g, goal->width_frac) << k;
	}
}

static void enter_target(struct mlrsearch_selector *sel, int64_t lo, int64_t hi)
{
	int64_t width = sel->widths[sel->at];

	sel->initial_lo = lo;
	sel->initial_hi = hi;
	if (is_step(lo) && is_step(hi))
		width = max_step(width, hi - lo);
	sel->next_width = width * sel->targets[0].expansion;
}

void mlrsearch_selector_start(struct mlrsearch_selector *sel, int64_t lo, int64_t hi)
{
	enter_target(sel, lo, hi);
}

/* True when a trial there can make or improve a bound that is still needed. */
static bool is_worth(const struct standing *st, int64_t step)
{
	if (!is_step(step))
		return false;
	if (is_step(st->lo) && step <= st->lo)
		return false;
	if (is_step(st->hi) && step >= st->hi)
		return false;
	return !is_step(st->lo) || !is_step(st->hi) || st->hi - st->lo > st->width;
}

/* The first interval, when it is one to two widths: its middle. */
static bool bid_halve(const struct mlrsearch_selector *sel, const struct standing *st,
	struct mlrsearch_bid *bid)
{
	int64_t lo = sel->initial_lo, hi = sel->initial_hi;

	if (!is_step(lo) || !is_step(hi) || hi - lo <= st->width ||
		hi - lo > 2 * st->width)
		return false;
	bid->step = mlrsearch_grid_split(lo, hi, st->width);
	return is_worth(st, bid->step);
}

static bool bid_recheck(
	const struct standing *st, int64_t initial, struct mlrsearch_bid *bid)
{
	bid->step = initial;
	return is_worth(st, initial);
}

/* Only one bound is there: look for the other one. */
static bool bid_extend(const struct standing *st, struct mlrsearch_bid *bid)
{
	bool down = is_step(st->hi);
	int64_t step;

	if (is_step(st->lo) == down)
		return false;
	if (down ? st->hi <= 0 : st->lo >= st->grid->n)
		return false;
	step = down ? max_step(st->hi - st->stride, 0)
		    : min_step(st->lo + st->stride, st->grid->n);
	bid->step = mlrsearch_keep_away(st->grid, step, st->width, st->lo, st->hi);
	bid->width = st->stride;
	bid->grow = down ? GROW_IF_UPPER : GROW_IF_LOWER;
	return is_worth(st, bid->step);
}

/*
 * Both bounds are known. When one of them has run away from the first interval, the
 * truth is rather near the other: a step from there, if it lands nearer than the
 * middle.
 */
static bool bid_bisect(struct mlrsearch_selector *sel, const struct standing *st,
	struct mlrsearch_bid *bid)
{
	int64_t middle, near;

	if (!is_step(st->lo) || !is_step(st->hi) || st->hi - st->lo <= st->width)
		return false;
	middle = mlrsearch_grid_split(st->lo, st->hi, st->width);
	bid->width = st->stride;
	near = mlrsearch_keep_away(
		st->grid, st->hi - st->stride, st->width, st->lo, st->hi);
	if (is_step(sel->initial_hi) && middle < sel->initial_hi && near > middle &&
		near < sel->initial_hi) {
		bid->step = near;
		bid->grow = GROW_IF_UPPER;
		return true;
	}
	near = mlrsearch_keep_away(
		st->grid, st->lo + st->stride, st->width, st->lo, st->hi);
	if (is_step(sel->initial_lo) && middle > sel->initial_lo && is_step(near) &&
		near < middle && near > sel->initial_lo) {
		bid->step = near;
		bid->grow = GROW_IF_LOWER;
		return true;
	}
	bid->step = middle;
	bid->width = min_step(middle - st->lo, st->hi - middle);
	sel->next_width = max_step(bid->width, st->width) * sel->targets[0].expansion;
	return true;
}

static int64_t step_of(const struct mlrsearch *s, bool known, double pps)
{
	return known ? mlrsearch_grid_floor(&s->grid, pps) : MLRSEARCH_NO_STEP;
}

static struct standing stand(
	const struct mlrsearch_selector *sel, const struct mlrsearch *s)
{
	struct mlrsearch_bounds b;

	mlrsearch_bounds_make(s->trials, s->n_trials, &sel->targets[sel->at], &b);
	return (struct standing){
		.grid = &s->grid,
		.lo = step_of(s, b.has_lower, b.lower_pps),
		.hi = step_of(s, b.has_upper, b.upper_pps),
		.width = sel->widths[sel->at],
		.stride = max_step(sel->next_width, s->shared_width),
	};
}

static bool bid_for_target(struct mlrsearch_selector *sel, const struct standing *st,
	struct mlrsearch_bid *bid)
{
	bid->width = st->width;
	bid->grow = GROW_NEVER;
	return bid_halve(sel, st, bid) || bid_recheck(st, sel->initial_lo, bid) ||
	       bid_recheck(st, sel->initial_hi, bid) || bid_extend(st, bid) ||
	       bid_bisect(sel, st, bid);
}

bool mlrsearch_selector_bid(struct mlrsearch_selector *sel, const struct mlrsearch *s,
	struct mlrsearch_bid *ret_bid)
{
	for (;;) {
		struct standing st = stand(sel, s);

		ret_bid->asked_ns = sel->targets[sel->at].trial_ns;
		if (bid_for_target(sel, &st, ret_bid))
			return true;
		if (sel->at == 0)
			return false;
		sel->at--;
		enter_target(sel, st.lo, st.hi);
	}
}

void mlrsearch_selector_won(struct mlrsearch_selector *sel, struct mlrsearch *s)
{
	struct standing st = stand(sel, s);
	const struct mlrsearch_bid *bid = &s->bid;

	if ((bid->grow == GROW_IF_UPPER && st.hi == bid->step) ||
		(bid->grow == GROW_IF_LOWER && st.lo == bid->step)) {
		sel->next_width *= sel->targets[0].expansion;
		s->shared_width = sel->next_width;
	}
}
