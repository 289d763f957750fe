/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MLRsearch: the rate at which a loss goal is just met, for several goals at once
 * (draft-ietf-bmwg-mlrsearch-15; strategies as CSIT's library has them). A load is
 * judged by all its trials together, so that a SUT with hiccups has an answer. Pure
 * state machine: next() gives load and duration, feed() takes the trial; the same
 * trials give the same search. It always ends: the goals are met, a goal ends at a
 * limit, or the budget is spent.
 *
 * Loads live on a logarithmic grid of whole steps, so "the same load" is the same
 * number. Effective duration is time that counts as evidence: here the asked one.
 */
#ifndef SATPROF_PLAN_MLRSEARCH_H
#define SATPROF_PLAN_MLRSEARCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MLRSEARCH_MAX_GOALS 4

struct mlrsearch_goal {
	double loss_frac;     /* [0, 1): a trial with more is bad */
	double exceed_frac;   /* [0, 1): of the time, this much may be bad */
	double width_frac;    /* (0, 1): bounds this close, of the upper one */
	uint64_t trial_ns;    /* final trial duration; shorter trials count less */
	uint64_t sum_ns;      /* >= trial_ns: time at a load that decides */
	uint64_t initial_ns;  /* in 1..trial_ns: trials of the first target */
	unsigned n_preceding; /* coarser targets on the way; 1.. if initial < sum */
	unsigned expansion;   /* >= 2: growth of steps while a bound is missing */
};

struct mlrsearch_trial {
	double load_pps;
	uint64_t asked_ns;     /* against trial_ns: full-length or short */
	uint64_t effective_ns; /* what it adds to the sums */
	double loss_frac;
};

enum mlrsearch_class {
	MLRSEARCH_UNDECIDED, /* more trials at this load would tell */
	MLRSEARCH_LOWER,     /* meets the goal */
	MLRSEARCH_UPPER,     /* does not */
};

/* Class of the load by its trials among these; without any it is undecided. */
enum mlrsearch_class mlrsearch_classify(const struct mlrsearch_trial *trials, size_t n,
	double load_pps, const struct mlrsearch_goal *goal);

/*
 * Relevant bounds: upper is the smallest load that fails, lower the largest that
 * passes below it. So a good load above a bad one says nothing.
 */
struct mlrsearch_bounds {
	bool has_lower, has_upper;
	double lower_pps, upper_pps;
};
void mlrsearch_bounds_make(const struct mlrsearch_trial *trials, size_t n,
	const struct mlrsearch_goal *goal, struct mlrsearch_bounds *ret_bounds);

/*
 * Conditional throughput at the load: what it forwards in the exceed_frac quantile
 * of its time, full-length trials only. 0 where they do not fill the time. On a SUT
 * with a hard limit it is that limit, wherever in its width the bound lies.
 */
double mlrsearch_throughput_pps(const struct mlrsearch_trial *trials, size_t n,
	double load_pps, const struct mlrsearch_goal *goal);

enum mlrsearch_end {
	MLRSEARCH_REGULAR,   /* both bounds, close enough */
	MLRSEARCH_ABOVE_MAX, /* the highest load passes */
	MLRSEARCH_BELOW_MIN, /* the lowest load fails: no lower bound */
	MLRSEARCH_UNFINISHED /* the budget was spent first */
};

struct mlrsearch_result {
	enum mlrsearch_end end;
	double throughput_pps; /* conditional, at the lower bound; NAN: not regular */
	double lower_pps, upper_pps; /* relevant bounds; NAN where there is none */
};
void mlrsearch_result_make(const struct mlrsearch_trial *trials, size_t n,
	const struct mlrsearch_goal *goal, double min_pps, double max_pps,
	struct mlrsearch_result *ret_result);
const char *mlrsearch_end_name(enum mlrsearch_end e);

struct mlrsearch_config {
	double min_pps, max_pps; /* 0 < min < max */
	size_t n_goals;
	struct mlrsearch_goal goals[MLRSEARCH_MAX_GOALS];
	unsigned max_trials; /* > 0 */
	uint64_t max_ns;     /* of asked time; > 0 */
};

struct mlrsearch;

struct mlrsearch *mlrsearch_new(const struct mlrsearch_config *config);
void mlrsearch_free(struct mlrsearch *s);

/* The next trial; false when the search is over. Asking twice gives the same. */
bool mlrsearch_next(struct mlrsearch *s, double *ret_load_pps, uint64_t *ret_asked_ns);

/*
 * The trial that next() asked for; what is fed when it asked for none is ignored. A
 * loss that is not finite counts for the budget only, and its load is asked again.
 */
void mlrsearch_feed(struct mlrsearch *s, double loss_frac, uint64_t effective_ns);

/* How the goal of that number stands now. */
void mlrsearch_result_of(
	const struct mlrsearch *s, size_t goal, struct mlrsearch_result *ret_result);
/* The trials fed so far, in order; borrowed until the next feed(). */
const struct mlrsearch_trial *mlrsearch_trials(
	const struct mlrsearch *s, size_t *ret_n);

#endif
