/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sweep_plan.c (blocks, the machine), sweep_pilot.c and sweep_ndr.c share. */
#ifndef SATPROF_PLAN_SWEEP_PLAN_PRIVATE_H
#define SATPROF_PLAN_SWEEP_PLAN_PRIVATE_H

#include <gsl/gsl_rng.h>

#include "base/clock.h"
#include "plan/coarse.h"
#include "plan/mlrsearch.h"
#include "plan/sweep_plan.h"

#define SWEEP_PILOT_TRIAL_NS    (200 * NS_PER_MS)
#define SWEEP_TRIAL_OVERHEAD_NS (150 * NS_PER_MS)
#define SWEEP_MAX_QUEUE         24
#define SWEEP_MAX_NOTES         4

enum stage {
	ST_PILOT_BEGIN,
	ST_PILOT_WARMUP,
	ST_PILOT_COARSE,
	ST_PILOT_GENCHECK,
	ST_PILOT_END,
	ST_BLOCK_BEGIN,
	ST_ARM_BEGIN,
	ST_ARM_TRIALS,
	ST_ARM_END,
	ST_NDR_BEGIN,
	ST_NDR_WARMUP,
	ST_NDR_SEARCH,
	ST_NDR_END,
	ST_DONE,
};

/* What is known of one arm's knee: the pilot's, then one a mini-sweep. */
struct arm_state {
	double *knees_pps;
	size_t n, cap;
};

/* The highest rate at this burst that the generator sent, but for what is no limit yet;
 * that it sent to the last frame; and the highest that it did not reach; 0: none. */
struct generator_reach {
	uint32_t burst;
	double sent_pps, whole_pps, limited_pps;
};

struct sweep_plan {
	const struct sweep_config *config;
	const struct arm *arms;
	size_t n_arms;
	uint32_t phase;
	const uint32_t *arm_of; /* NULL: the plan's numbers are the run's */
	gsl_rng *rng;
	enum stage stage;
	uint32_t next_id;
	uint32_t arm; /* pilot: the arm itself; blocks: position in order */
	size_t burst_pos;
	unsigned n_checks; /* of the generator at this burst */
	uint32_t burst;
	struct coarse coarse;
	struct arm_state *states;
	uint32_t *order;
	uint32_t block, n_blocks, n_repeated;
	uint64_t spent_ns; /* on trials, with their overhead */
	bool finish_early;
	double dither;
	struct trial_spec queue[SWEEP_MAX_QUEUE];
	size_t n_queue, queue_pos;
	unsigned n_again; /* trials of this mini-sweep that were repeated */
	bool is_extended; /* it has rates beyond the grid */
	struct trial grid[SWEEP_MAX_QUEUE]; /* this mini-sweep's results, for the fit */
	size_t n_grid;
	struct trial_spec last;
	const char *notes[SWEEP_MAX_NOTES];
	size_t n_notes;
	struct generator_reach reach;
	struct mlrsearch *search; /* --ndr, once it has begun */
	double search_max_pps, search_knee_pps;
	struct run *seen; /* all grid trials so far */
};

/* Shared parts of the machine. */
bool sweep_is_ladder(const struct sweep_plan *p);
void sweep_knee_push(struct arm_state *s, double knee_pps);
/* The median of the arm's knees so far, the pilot's counting as one; 0: none. */
double sweep_centre_pps(const struct arm_state *s);
/* A text of static storage for the answer. */
void sweep_note(struct sweep_plan *p, const char *text);
void sweep_emit_trial(struct sweep_plan *p, struct plan_action *a, uint32_t arm,
	const struct trial_spec *spec);
void sweep_emit_edge(const struct sweep_plan *p, struct plan_action *a,
	enum plan_action_kind kind, uint32_t arm);

/* The pilot's stages. True when an action was made, false: only the stage changed. */
bool sweep_pilot_next(struct sweep_plan *p, struct plan_action *a);
/* The result of a pilot trial. */
void sweep_pilot_feed(struct sweep_plan *p, const struct trial *t);

/* The search of NDR and PDR, after the blocks; as the pilot's. */
bool sweep_ndr_next(struct sweep_plan *p, struct plan_action *a);
void sweep_ndr_feed(struct sweep_plan *p, const struct trial *t);
/* Every trial of the sweep tells what the generator can do. */
void sweep_ndr_note_generator(struct sweep_plan *p, const struct trial *t);

/* What the blocks take, without pilot and search. */
uint64_t sweep_blocks_ns(
	const struct sweep_config *config, const struct arm *arms, size_t n_arms);

/* Memory of the grid trials. */
void sweep_decide_init(struct sweep_plan *p);
void sweep_decide_keep(struct sweep_plan *p, const struct trial *trial);
struct sweep_decision {
	uint32_t n_good_blocks; /* in which each arm has a knee that nobody disturbed */
	bool is_decided;        /* every shift is; of one arm, its knee */
};
void sweep_decide_make(const struct sweep_plan *p, struct sweep_decision *ret_decision);

#endif
