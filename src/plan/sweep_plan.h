/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The plan of a sweep: pilot, then blocks of mini-sweeps in random order with a
 * common dither, each on a grid around its own arm's centre; with --ndr the search of
 * NDR and PDR on the reference arm comes last. A confirmation is such a plan without a
 * pilot (plan/confirm.h). A pure state machine:
 * next() says what to do, feed() takes the result. It draws only from its own
 * seeded generator, so feeding the same results gives the same plan: --resume
 * replays the stored trials and goes on. Not thread safe.
 */
#ifndef SATPROF_PLAN_SWEEP_PLAN_H
#define SATPROF_PLAN_SWEEP_PLAN_H

#include <stdint.h>

#include "model/arm.h"
#include "model/run.h"
#include "model/trial.h"

enum plan_action_kind { PLAN_ARM_BEGIN, PLAN_TRIAL, PLAN_ARM_END, PLAN_DONE };

struct plan_action {
	enum plan_action_kind kind;
	uint32_t arm;
	uint32_t block;         /* 0: none, in the pilot and with --ndr */
	struct trial_spec spec; /* PLAN_TRIAL */
};

struct sweep_plan;

/* What a plan without a pilot begins from: a confirmation follows a sweep. */
struct sweep_start {
	uint32_t phase;            /* its trials carry this */
	uint32_t first_id;         /* of its first trial */
	uint32_t burst;            /* as it was found or asked for */
	const double *centres_pps; /* the arms' knees, as far as believed; > 0 */
	/* What the actions and trials call the plan's arms: the run's numbers. */
	const uint32_t *arm_of;
};

/* config and arms are borrowed and must outlive the plan. */
struct sweep_plan *sweep_plan_new(
	const struct sweep_config *config, const struct arm *arms, size_t n_arms);
/* start is borrowed for the call but for arm_of, which must outlive the plan. */
struct sweep_plan *sweep_plan_new_from(const struct sweep_config *config,
	const struct arm *arms, size_t n_arms, const struct sweep_start *start);
void sweep_plan_free(struct sweep_plan *p);

/* After PLAN_TRIAL, feed() must come before the next next(). */
void sweep_plan_next(struct sweep_plan *p, struct plan_action *ret_action);
void sweep_plan_feed(struct sweep_plan *p, const struct trial *t);

/* End after the block that runs now (time is up). */
void sweep_plan_finish_early(struct sweep_plan *p);

/* The burst in force: the config's, or the pilot's choice (0 before that). */
uint32_t sweep_plan_burst(const struct sweep_plan *p);
/* The i-th thing that the answer should say about the plan; NULL: no more. */
const char *sweep_plan_note(const struct sweep_plan *p, size_t i);
/* Blocks planned in all, with those that were added so far. */
uint32_t sweep_plan_n_blocks(const struct sweep_plan *p);

/* What the whole sweep will take, for the line printed first (design 4). */
uint64_t sweep_plan_estimate_ns(
	const struct sweep_config *config, const struct arm *arms, size_t n_arms);

#endif
