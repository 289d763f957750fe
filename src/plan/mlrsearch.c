/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MLRsearch: the start trials, whose bid comes next, and the budget. */
#include "config.h"

#include "plan/mlrsearch.h"

#include <assert.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/mlrsearch_private.h"

enum stage {
	ST_AT_MAX,
	ST_AT_FORWARDED, /* at the rate that came through there */
	ST_NEARBY,       /* on its other side, as far as can be told */
	ST_GOALS,
	ST_DONE,
};

struct mlrsearch *mlrsearch_new(const struct mlrsearch_config *config)
{
	struct mlrsearch *s = xcalloc(1, sizeof(*s));
	double widths[MLRSEARCH_MAX_GOALS];
	size_t i;

	assert(config->min_pps > 0 && config->min_pps < config->max_pps);
	assert(config->n_goals > 0 && config->n_goals <= MLRSEARCH_MAX_GOALS);
	s->config = *config;
	for (i = 0; i < config->n_goals; i++)
		widths[i] = config->goals[i].width_frac;
	mlrsearch_grid_init(
		&s->grid, config->min_pps, config->max_pps, widths, config->n_goals);
	for (i = 0; i < config->n_goals; i++)
		mlrsearch_selector_init(&s->selectors[i], &s->grid, &config->goals[i]);
	s->stage = ST_AT_MAX;
	s->start_step = s->grid.n;
	return s;
}

void mlrsearch_free(struct mlrsearch *s)
{
	if (s == NULL)
		return;
	free(s->trials);
	free(s);
}

/* The coarsest width of all goals, their strictest loss, their longest start. */
static int64_t start_width(const struct mlrsearch *s)
{
	int64_t width = 0;
	size_t i;

	for (i = 0; i < s->config.n_goals; i++) {
		const struct mlrsearch_selector *sel = &s->selectors[i];

		if (sel->widths[sel->at] > width)
			width = sel->widths[sel->at];
	}
	return width;
}

static double start_loss_frac(const struct mlrsearch *s)
{
	double loss = 1;
	size_t i;

	for (i = 0; i < s->config.n_goals; i++)
		loss = fmin(loss, s->config.goals[i].loss_frac);
	return loss;
}

static uint64_t start_ns(const struct mlrsearch *s)
{
	uint64_t ns = 0;
	size_t i;

	for (i = 0; i < s->config.n_goals; i++)
		if (s->config.goals[i].initial_ns > ns)
			ns = s->config.goals[i].initial_ns;
	return ns;
}

/* The load whose goodput within the strictest goal is what this trial forwarded. */
static int64_t forwarded_step(
	const struct mlrsearch *s, const struct mlrsearch_trial *t)
{
	double forwarded_pps = t->load_pps * (1 - t->loss_frac);

	return mlrsearch_grid_floor(&s->grid, forwarded_pps / (1 - start_loss_frac(s)));
}

/* The start trials are over; the last two loads are the first interval. */
static void start_over(struct mlrsearch *s, int64_t a, int64_t b)
{
	int64_t lo = a < b ? a : b, hi = a < b ? b : a;
	size_t i;

	s->stage = ST_GOALS;
	s->shared_width = hi - lo;
	for (i = 0; i < s->config.n_goals; i++)
		mlrsearch_selector_start(&s->selectors[i], lo, hi);
}

static void start_fed(struct mlrsearch *s, const struct mlrsearch_trial *t)
{
	int64_t width = start_width(s), here = s->start_step, next;

	next = forwarded_step(s, t);
	if (s->stage == ST_AT_MAX) {
		if (next < here)
			next = mlrsearch_keep_away(
				&s->grid, next, width, MLRSEARCH_NO_STEP, here);
		s->stage = ST_AT_FORWARDED;
	} else if (s->stage == ST_AT_FORWARDED) {
		if (next < here)
			next = mlrsearch_keep_away(
				&s->grid, next, width, MLRSEARCH_NO_STEP, here);
		else
			next = mlrsearch_keep_away(
				&s->grid, here + width, width, here, s->grid.n);
		s->stage = ST_NEARBY;
	} else {
		/* The load before this one is in the trials. */
		start_over(s,
			mlrsearch_grid_floor(
				&s->grid, s->trials[s->n_trials - 2].load_pps),
			here);
		return;
	}
	if (next == here || next == MLRSEARCH_NO_STEP)
		start_over(s, here, here);
	else
		s->start_step = next;
}

static bool is_better(const struct mlrsearch_bid *a, const struct mlrsearch_bid *b)
{
	if (a->step != b->step)
		return a->step < b->step;
	if (a->asked_ns != b->asked_ns)
		return a->asked_ns > b->asked_ns;
	return a->width > b->width;
}

/* The lowest load first: what fails there makes higher ones needless. */
static bool goals_next(struct mlrsearch *s)
{
	bool any = false;
	size_t i;

	for (i = 0; i < s->config.n_goals; i++) {
		struct mlrsearch_bid bid = { .step = MLRSEARCH_NO_STEP };

		if (!mlrsearch_selector_bid(&s->selectors[i], s, &bid))
			continue;
		if (!any || is_better(&bid, &s->bid)) {
			s->bid = bid;
			s->asked_goal = i;
		}
		any = true;
	}
	return any;
}

bool mlrsearch_next(struct mlrsearch *s, double *ret_load_pps, uint64_t *ret_asked_ns)
{
	if (s->stage < ST_GOALS)
		s->bid = (struct mlrsearch_bid){
			.step = s->start_step,
			.asked_ns = start_ns(s),
		};
	else if (s->stage == ST_GOALS && !goals_next(s))
		s->stage = ST_DONE;
	if (s->n_fed >= s->config.max_trials || s->fed_ns >= s->config.max_ns)
		s->stage = ST_DONE;
	s->asked = s->stage != ST_DONE;
	if (!s->asked)
		return false;
	*ret_load_pps = mlrsearch_grid_pps(&s->grid, s->bid.step);
	*ret_asked_ns = s->bid.asked_ns;
	return true;
}

void mlrsearch_feed(struct mlrsearch *s, double loss_frac, uint64_t effective_ns)
{
	struct mlrsearch_trial t = {
		.load_pps = mlrsearch_grid_pps(&s->grid, s->bid.step),
		.asked_ns = s->bid.asked_ns,
		.effective_ns = effective_ns,
		.loss_frac = loss_frac,
	};

	if (!s->asked)
		return;
	s->asked = false;
	s->n_fed++;
	s->fed_ns += t.asked_ns;
	if (!isfinite(loss_frac))
		return;
	s->trials = xgrow(s->trials, s->n_trials, &s->cap_trials, sizeof(*s->trials));
	s->trials[s->n_trials++] = t;
	if (s->stage < ST_GOALS) {
		start_fed(s, &t);
		return;
	}
	s->shared_width = s->bid.width;
	mlrsearch_selector_won(&s->selectors[s->asked_goal], s);
}

void mlrsearch_result_of(
	const struct mlrsearch *s, size_t goal, struct mlrsearch_result *ret_result)
{
	mlrsearch_result_make(s->trials, s->n_trials, &s->config.goals[goal],
		s->config.min_pps, s->config.max_pps, ret_result);
}

const struct mlrsearch_trial *mlrsearch_trials(const struct mlrsearch *s, size_t *ret_n)
{
	*ret_n = s->n_trials;
	return s->trials;
}
