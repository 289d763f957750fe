/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep's state machine: blocks of mini-sweeps, after the pilot. */
#include "config.h"

#include "plan/sweep_plan.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/minisweep.h"
#include "plan/sweep_plan_private.h"

#define MAX_REPEATED_BLOCKS 3
#define ENOUGH_BLOCKS       6 /* for an interval at 95 %; more is not worth more time */
/* What blocks in place of others may take beyond the estimate: this, or a quarter of
 * it. With it the default sweep keeps its 90 s. */
#define REPEAT_MAX_NS    (18 * NS_PER_S)
#define ABOVE_MAX_STEP   1.1
#define ENOUGH_KNEES     4
#define LATENCY_BURST    1
#define UNTIL_BLOCKS_MAX 30
#define MAX_AGAIN        2 /* trials of a mini-sweep */
#define REACH_TOLERANCE  1.02

/* Where a profile is taken, as fractions of the arm's own knee. */
static const double profile_rel[] = { 0.85, 1.15 };
static const double latency_rel[] = { 0.5, 0.9 };
/* Of what the missed knee is believed to be above or below. */
static const double rel_beyond[] = { 1.4, 1.8 };
static const double rel_below[] = { 0.65, 0.85 };

struct sweep_plan *sweep_plan_new(
	const struct sweep_config *config, const struct arm *arms, size_t n_arms)
{
	struct sweep_plan *p = xcalloc(1, sizeof(*p));
	uint32_t i;

	p->config = config;
	p->arms = arms;
	p->n_arms = n_arms;
	p->rng = gsl_rng_alloc(gsl_rng_mt19937);
	/* mt19937 takes 32 bits; fold, so that all of a 64-bit seed counts. */
	gsl_rng_set(p->rng,
		(unsigned long)((config->seed ^ (config->seed >> 32)) & UINT32_MAX));
	p->next_id = 1;
	p->n_blocks = config->n_blocks;
	p->burst = config->burst;
	p->states = xcalloc(n_arms, sizeof(*p->states));
	p->order = xcalloc(n_arms, sizeof(*p->order));
	for (i = 0; i < n_arms; i++)
		p->order[i] = i;
	sweep_decide_init(p);
	return p;
}

struct sweep_plan *sweep_plan_new_from(const struct sweep_config *config,
	const struct arm *arms, size_t n_arms, const struct sweep_start *start)
{
	struct sweep_plan *p = sweep_plan_new(config, arms, n_arms);
	size_t i;

	p->phase = start->phase;
	p->next_id = start->first_id;
	p->burst = start->burst;
	p->arm_of = start->arm_of;
	for (i = 0; i < n_arms; i++)
		sweep_knee_push(&p->states[i], start->centres_pps[i]);
	p->stage = ST_BLOCK_BEGIN;
	return p;
}

void sweep_plan_free(struct sweep_plan *p)
{
	size_t i;

	if (p == NULL)
		return;
	for (i = 0; i < p->n_arms; i++)
		free(p->states[i].knees_pps);
	free(p->states);
	free(p->order);
	mlrsearch_free(p->search);
	run_free(p->seen);
	gsl_rng_free(p->rng);
	free(p);
}

bool sweep_is_ladder(const struct sweep_plan *p)
{
	return p->config->n_rates > 0;
}

void sweep_knee_push(struct arm_state *s, double knee_pps)
{
	s->knees_pps = xgrow(s->knees_pps, s->n, &s->cap, sizeof(*s->knees_pps));
	s->knees_pps[s->n++] = knee_pps;
}

double sweep_centre_pps(const struct arm_state *s)
{
	double *copy, m;

	if (s->n == 0)
		return 0;
	copy = xcalloc(s->n, sizeof(*copy));
	memcpy(copy, s->knees_pps, s->n * sizeof(*copy));
	m = gsl_stats_median(copy, 1, s->n);
	free(copy);
	return m;
}

static uint32_t run_arm(const struct sweep_plan *p, uint32_t arm)
{
	return p->arm_of != NULL ? p->arm_of[arm] : arm;
}

static uint32_t own_arm(const struct sweep_plan *p, uint32_t run_arm)
{
	uint32_t i;

	for (i = 0; p->arm_of != NULL && i < p->n_arms; i++)
		if (p->arm_of[i] == run_arm)
			return i;
	return run_arm;
}

void sweep_emit_trial(struct sweep_plan *p, struct plan_action *a, uint32_t arm,
	const struct trial_spec *spec)
{
	a->kind = PLAN_TRIAL;
	a->arm = run_arm(p, arm);
	a->block = p->block;
	a->spec = *spec;
	a->spec.id = p->next_id++;
	a->spec.arm = a->arm;
	a->spec.phase = p->phase;
	a->spec.block = p->block;
	p->last = a->spec;
}

void sweep_emit_edge(const struct sweep_plan *p, struct plan_action *a,
	enum plan_action_kind kind, uint32_t arm)
{
	*a = (struct plan_action){
		.kind = kind, .arm = run_arm(p, arm), .block = p->block
	};
}

static void queue_push(struct sweep_plan *p, enum trial_kind kind, double rate_pps,
	double rel, uint64_t duration_ns, uint32_t burst)
{
	if (p->n_queue == SWEEP_MAX_QUEUE || rate_pps <= 0)
		return;
	p->queue[p->n_queue++] = (struct trial_spec){
		.kind = kind,
		.rate_pps = rate_pps,
		.rel_rate = rel,
		.duration_ns = duration_ns,
		.burst = burst,
	};
}

/* Is there time for a block more than was announced? */
static bool may_repeat(const struct sweep_plan *p)
{
	struct sweep_config blocks = *p->config;
	uint64_t planned_ns, more_ns;

	blocks.ndr = NDR_NONE;
	planned_ns = sweep_plan_estimate_ns(&blocks, p->arms, p->n_arms);
	more_ns = planned_ns / 4 > REPEAT_MAX_NS ? planned_ns / 4 : REPEAT_MAX_NS;
	return p->spent_ns + planned_ns / blocks.n_blocks <= planned_ns + more_ns;
}

/* Is a block in place of one that is worth nothing worth its time? */
static bool too_few_blocks(const struct sweep_plan *p, uint32_t n_good)
{
	return p->n_repeated < MAX_REPEATED_BLOCKS && n_good < p->config->n_blocks &&
	       n_good < ENOUGH_BLOCKS && may_repeat(p);
}

/* --until-decided, after the last block: go on? */
static bool is_undecided(struct sweep_plan *p, bool is_decided)
{
	if (!p->config->until_decided)
		return false;
	if (!is_decided && p->n_blocks < UNTIL_BLOCKS_MAX)
		return true;
	if (!is_decided)
		sweep_note(p, "--until-decided: as many blocks as there may be did not "
			      "decide");
	else if (p->n_blocks > p->config->n_blocks + p->n_repeated)
		sweep_note(
			p, "--until-decided: blocks were added until it was decided");
	return false;
}

/* After the last block: one more? */
static bool needs_block(struct sweep_plan *p)
{
	struct sweep_decision d;

	if (sweep_is_ladder(p) || p->finish_early)
		return false;
	sweep_decide_make(p, &d);
	if (too_few_blocks(p, d.n_good_blocks)) {
		p->n_repeated++;
		return true;
	}
	return is_undecided(p, d.is_decided);
}

static bool block_begin(struct sweep_plan *p)
{
	if (p->block == p->n_blocks && needs_block(p))
		p->n_blocks++;
	if (p->block == p->n_blocks || p->finish_early) {
		p->stage = p->config->ndr != NDR_NONE ? ST_NDR_BEGIN : ST_DONE;
		return false;
	}
	p->block++;
	p->arm = 0;
	gsl_ran_shuffle(p->rng, p->order, p->n_arms, sizeof(*p->order));
	p->dither = exp(
		gsl_ran_flat(p->rng, -p->config->dither_frac, p->config->dither_frac));
	p->stage = ST_ARM_BEGIN;
	return true;
}

static void queue_mini_sweep(struct sweep_plan *p, uint32_t arm)
{
	const struct sweep_config *c = p->config;
	double centre = sweep_centre_pps(&p->states[arm]);
	size_t i;

	p->n_queue = p->queue_pos = p->n_grid = p->n_again = 0;
	p->is_extended = false;
	for (i = 0; i < c->n_rates && i < SWEEP_MAX_QUEUE; i++)
		queue_push(p, TRIAL_LADDER, c->rates_pps[i], 0, c->trial_ns, p->burst);
	for (i = 0; !sweep_is_ladder(p) && i < c->n_rel_rates; i++)
		queue_push(p, TRIAL_GRID, centre * c->rel_rates[i] * p->dither,
			c->rel_rates[i], c->trial_ns, p->burst);
}

/* After a mini-sweep: the trials that need its knee. */
static void queue_extra(struct sweep_plan *p, uint32_t arm, double knee_pps)
{
	const struct sweep_config *c = p->config;
	size_t i;

	if (c->profile_trial_ns > 0 && arm_is_sampling(&p->arms[arm]) &&
		p->block % 2 == 1)
		for (i = 0; i < sizeof(profile_rel) / sizeof(profile_rel[0]); i++)
			queue_push(p, TRIAL_PROFILE, knee_pps * profile_rel[i],
				profile_rel[i], c->profile_trial_ns, p->burst);
	for (i = 0; c->latency_trials && i < 2; i++)
		queue_push(p, TRIAL_LATENCY, knee_pps * latency_rel[i], latency_rel[i],
			c->trial_ns, LATENCY_BURST);
}

/*
 * The grid missed the knee: what was believed of it is wrong, so the next grid goes
 * where this mini-sweep points.
 */
static void recentre(struct sweep_plan *p, uint32_t arm, double centre)
{
	if (!(centre > 0) || p->states[arm].n >= ENOUGH_KNEES)
		return; /* one bad mini-sweep among good ones is noise */
	p->states[arm].n = 0;
	sweep_knee_push(&p->states[arm], centre);
}

/*
 * Once a mini-sweep: where the grid missed the knee, two rates beyond its end, so that
 * there is one after all. A machine's speed can change by half in seconds.
 */
static bool grid_extend(struct sweep_plan *p, uint32_t arm, const struct hinge_fit *fit)
{
	const double *rel = fit->kind == HINGE_ABOVE_MAX ? rel_beyond : rel_below;
	double centre = sweep_centre_pps(&p->states[arm]) * p->dither;
	size_t i;

	if (fit->kind == HINGE_ABOVE_MAX && p->reach.limited_pps > p->reach.sent_pps)
		return false; /* nobody can offer more */
	if (p->is_extended || !(fit->center_pps > 0) || !(centre > 0) ||
		(fit->kind != HINGE_ABOVE_MAX && fit->kind != HINGE_BELOW_MIN))
		return false;
	p->is_extended = true;
	for (i = 0; i < 2; i++)
		queue_push(p, TRIAL_GRID, rel[i] * fit->center_pps,
			rel[i] * fit->center_pps / centre, p->config->trial_ns,
			p->burst);
	return true;
}

/* Fit the finished mini-sweep; the arm's centre follows its knees. */
static void mini_sweep_over(struct sweep_plan *p, uint32_t arm)
{
	const struct trial *trials[SWEEP_MAX_QUEUE];
	struct hinge_fit fit;
	double knee = sweep_centre_pps(&p->states[arm]);
	size_t i;

	for (i = 0; i < p->n_grid; i++)
		trials[i] = &p->grid[i];
	minisweep_fit(trials, p->n_grid, &fit);
	if (grid_extend(p, arm, &fit))
		return;
	switch (fit.kind) {
	case HINGE_EXACT:
		knee = fit.knee_pps;
		sweep_knee_push(&p->states[arm], knee);
		break;
	case HINGE_ABOVE_MAX:
		recentre(p, arm, fit.center_pps * ABOVE_MAX_STEP);
		break;
	case HINGE_BELOW_MIN:
	case HINGE_INVALID:
		recentre(p, arm, fit.center_pps);
		break;
	}
	queue_extra(p, arm, knee);
}

static void arm_end_next(struct sweep_plan *p, struct plan_action *a)
{
	sweep_emit_edge(p, a, PLAN_ARM_END, p->order[p->arm]);
	p->arm++;
	p->stage = p->arm < p->n_arms ? ST_ARM_BEGIN : ST_BLOCK_BEGIN;
}

static bool block_next(struct sweep_plan *p, struct plan_action *a)
{
	uint32_t arm = p->arm < p->n_arms ? p->order[p->arm] : 0;

	switch ((int)p->stage) {
	case ST_BLOCK_BEGIN:
		(void)block_begin(p); /* the stage says what comes */
		return false;
	case ST_ARM_BEGIN:
		sweep_emit_edge(p, a, PLAN_ARM_BEGIN, arm);
		queue_mini_sweep(p, arm);
		p->stage = ST_ARM_TRIALS;
		return true;
	case ST_ARM_TRIALS:
		if (p->queue_pos == p->n_queue) {
			p->stage = ST_ARM_END;
			return false;
		}
		sweep_emit_trial(p, a, arm, &p->queue[p->queue_pos++]);
		return true;
	default:
		arm_end_next(p, a);
		return true;
	}
}

void sweep_plan_next(struct sweep_plan *p, struct plan_action *ret_action)
{
	for (;;) {
		if (p->stage == ST_DONE) {
			sweep_emit_edge(p, ret_action, PLAN_DONE, 0);
			return;
		}
		if (p->stage < ST_BLOCK_BEGIN     ? sweep_pilot_next(p, ret_action)
			: p->stage < ST_NDR_BEGIN ? block_next(p, ret_action)
						  : sweep_ndr_next(p, ret_action))
			return;
	}
}

/* A copy of what the fit needs; the trial's own arrays stay with their owner. */
static void grid_keep(struct sweep_plan *p, const struct trial *t)
{
	struct trial *g = &p->grid[p->n_grid++];

	*g = *t;
	g->spec.arm = own_arm(p, t->spec.arm);
	g->spec.phase = 0; /* to itself the plan is a sweep */
	sweep_decide_keep(p, g);
	g->bins = NULL;
	g->cpus = NULL;
	g->threads = NULL;
	g->counters = NULL;
	g->facts = (struct facts){ 0 };
	g->n_bins = g->n_cpus = g->n_threads = g->n_counters = 0;
}

/*
 * A trial that tells nothing of the SUT is taken once more at the end of its
 * mini-sweep, which needs two points on each side of the knee. Not where the generator
 * has never sent as much: there it would fall short again.
 */
static void queue_again(struct sweep_plan *p, const struct trial *t)
{
	if (minisweep_is_usable(t) || p->n_again == MAX_AGAIN ||
		t->spec.rate_pps > p->reach.sent_pps * REACH_TOLERANCE)
		return;
	p->n_again++;
	queue_push(p, TRIAL_GRID, t->spec.rate_pps, t->spec.rel_rate,
		t->spec.duration_ns, t->spec.burst);
}

void sweep_plan_feed(struct sweep_plan *p, const struct trial *t)
{
	p->spent_ns += t->spec.duration_ns + SWEEP_TRIAL_OVERHEAD_NS;
	sweep_ndr_note_generator(p, t);
	if (p->stage < ST_BLOCK_BEGIN) {
		sweep_pilot_feed(p, t);
		return;
	}
	if (p->stage >= ST_NDR_BEGIN) {
		sweep_ndr_feed(p, t);
		return;
	}
	if (t->spec.kind != TRIAL_GRID)
		return;
	if (p->n_grid < SWEEP_MAX_QUEUE)
		grid_keep(p, t);
	queue_again(p, t);
	if (p->queue_pos == p->n_queue)
		mini_sweep_over(p, own_arm(p, t->spec.arm));
}

void sweep_plan_finish_early(struct sweep_plan *p)
{
	p->finish_early = true;
}

uint32_t sweep_plan_burst(const struct sweep_plan *p)
{
	return p->burst;
}

void sweep_note(struct sweep_plan *p, const char *text)
{
	if (p->n_notes < SWEEP_MAX_NOTES)
		p->notes[p->n_notes++] = text;
}

const char *sweep_plan_note(const struct sweep_plan *p, size_t i)
{
	return i < p->n_notes ? p->notes[i] : NULL;
}

uint32_t sweep_plan_n_blocks(const struct sweep_plan *p)
{
	return p->n_blocks;
}
