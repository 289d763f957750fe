/* SPDX-License-Identifier: GPL-3.0-or-later */
/* MLRsearch: from trials to classes, bounds, throughput and results. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/mlrsearch.h"

/* Effective time at one load: good or bad, full-length or short. */
struct sums {
	double good_ns, bad_ns, good_short_ns, bad_short_ns;
};

static bool is_at(const struct mlrsearch_trial *t, double load_pps)
{
	/* Loads come from one grid, so the same load is the same number. */
	return !(t->load_pps < load_pps) && !(t->load_pps > load_pps);
}

static bool is_full_length(
	const struct mlrsearch_trial *t, const struct mlrsearch_goal *goal)
{
	return t->asked_ns >= goal->trial_ns;
}

/* False when there is no trial at that load. */
static bool sums_make(const struct mlrsearch_trial *trials, size_t n, double load_pps,
	const struct mlrsearch_goal *goal, struct sums *ret)
{
	bool any = false;
	size_t i;

	*ret = (struct sums){ .good_ns = 0 };
	for (i = 0; i < n; i++) {
		const struct mlrsearch_trial *t = &trials[i];
		bool good = t->loss_frac <= goal->loss_frac;
		double e = (double)t->effective_ns;

		if (!is_at(t, load_pps))
			continue;
		any = true;
		if (is_full_length(t, goal))
			*(good ? &ret->good_ns : &ret->bad_ns) += e;
		else
			*(good ? &ret->good_short_ns : &ret->bad_short_ns) += e;
	}
	return any;
}

enum mlrsearch_class mlrsearch_classify(const struct mlrsearch_trial *trials, size_t n,
	double load_pps, const struct mlrsearch_goal *goal)
{
	double exceed = goal->exceed_frac, bad, whole;
	bool optimistic, pessimistic;
	struct sums s;

	if (!sums_make(trials, n, load_pps, goal, &s))
		return MLRSEARCH_UNDECIDED;
	/* Short trials only ever count against a load. */
	bad = s.bad_ns +
	      fmax(0, s.bad_short_ns - s.good_short_ns * exceed / (1 - exceed));
	whole = fmax(s.good_ns + bad, (double)goal->sum_ns);
	/* Were the rest of the time all good; were it all bad. */
	optimistic = bad <= exceed * whole;
	pessimistic = whole - s.good_ns <= exceed * whole;
	if (optimistic && pessimistic)
		return MLRSEARCH_LOWER;
	return optimistic ? MLRSEARCH_UNDECIDED : MLRSEARCH_UPPER;
}

void mlrsearch_bounds_make(const struct mlrsearch_trial *trials, size_t n,
	const struct mlrsearch_goal *goal, struct mlrsearch_bounds *ret_bounds)
{
	struct mlrsearch_bounds b = { .has_lower = false };
	enum mlrsearch_class *classes = xcalloc(n, sizeof(*classes));
	size_t i;

	for (i = 0; i < n; i++) {
		double load = trials[i].load_pps;

		classes[i] = mlrsearch_classify(trials, n, load, goal);
		if (classes[i] == MLRSEARCH_UPPER &&
			(!b.has_upper || load < b.upper_pps)) {
			b.has_upper = true;
			b.upper_pps = load;
		}
	}
	for (i = 0; i < n; i++) {
		double load = trials[i].load_pps;

		if (classes[i] == MLRSEARCH_LOWER &&
			(!b.has_upper || load < b.upper_pps) &&
			(!b.has_lower || load > b.lower_pps)) {
			b.has_lower = true;
			b.lower_pps = load;
		}
	}
	free(classes);
	*ret_bounds = b;
}

static int loss_cmp(const void *x, const void *y)
{
	const struct mlrsearch_trial *a = x, *b = y;

	return (a->loss_frac > b->loss_frac) - (a->loss_frac < b->loss_frac);
}

double mlrsearch_throughput_pps(const struct mlrsearch_trial *trials, size_t n,
	double load_pps, const struct mlrsearch_goal *goal)
{
	struct mlrsearch_trial *at = xcalloc(n, sizeof(*at));
	double sum_ns = 0, left_ns, loss = 1;
	size_t i, n_at = 0;

	for (i = 0; i < n; i++)
		if (is_at(&trials[i], load_pps) && is_full_length(&trials[i], goal)) {
			at[n_at++] = trials[i];
			sum_ns += (double)trials[i].effective_ns;
		}
	if (n_at > 0)
		qsort(at, n_at, sizeof(*at), loss_cmp);
	left_ns = fmax((double)goal->sum_ns, sum_ns) * (1 - goal->exceed_frac);
	for (i = 0; i < n_at && left_ns > 0; i++) {
		left_ns -= (double)at[i].effective_ns;
		loss = at[i].loss_frac;
	}
	free(at);
	return left_ns > 0 ? 0 : load_pps * (1 - loss);
}

void mlrsearch_result_make(const struct mlrsearch_trial *trials, size_t n,
	const struct mlrsearch_goal *goal, double min_pps, double max_pps,
	struct mlrsearch_result *ret_result)
{
	struct mlrsearch_bounds b;
	struct mlrsearch_result r = { .throughput_pps = (double)NAN,
		.lower_pps = (double)NAN,
		.upper_pps = (double)NAN };

	mlrsearch_bounds_make(trials, n, goal, &b);
	if (b.has_lower)
		r.lower_pps = b.lower_pps;
	if (b.has_upper)
		r.upper_pps = b.upper_pps;
	if (b.has_lower && !b.has_upper && b.lower_pps >= max_pps)
		r.end = MLRSEARCH_ABOVE_MAX;
	else if (b.has_upper && !b.has_lower && b.upper_pps <= min_pps)
		r.end = MLRSEARCH_BELOW_MIN;
	else if (b.has_lower && b.has_upper &&
		 b.upper_pps - b.lower_pps <= goal->width_frac * b.upper_pps)
		r.end = MLRSEARCH_REGULAR;
	else
		r.end = MLRSEARCH_UNFINISHED;
	if (r.end == MLRSEARCH_REGULAR)
		r.throughput_pps =
			mlrsearch_throughput_pps(trials, n, b.lower_pps, goal);
	*ret_result = r;
}

const char *mlrsearch_end_name(enum mlrsearch_end e)
{
	switch (e) {
	case MLRSEARCH_REGULAR:
		return "exact";
	case MLRSEARCH_ABOVE_MAX:
		return "above-max";
	case MLRSEARCH_BELOW_MIN:
		return "below-min";
	case MLRSEARCH_UNFINISHED:
		return "unfinished";
	}
	return "?";
}
