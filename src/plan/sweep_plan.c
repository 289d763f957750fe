/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep's state machine: pilot, then blocks of mini-sweeps. */
#include "config.h"

#include "plan/sweep_plan.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "plan/coarse.h"
#include "plan/minisweep.h"

#define PILOT_TRIAL_NS      (200 * NS_PER_MS)
#define PILOT_START_PPS     20e3
#define PILOT_STEP          2.0
#define PILOT_NEAR_STEP     1.25
#define TRIAL_OVERHEAD_NS   (150 * NS_PER_MS)
#define ARM_EDGE_NS         (300 * NS_PER_MS)
#define GENERATOR_HEADROOM  1.5
#define MAX_REPEATED_BLOCKS 2
#define MAX_QUEUE           24
#define N_BURSTS            4
#define LATENCY_BURST       1

/* Where a profile is taken, as fractions of the arm's own knee. */
static const double profile_rel[] = { 0.85, 1.15 };
static const double latency_rel[] = { 0.5, 0.9 };
static const uint32_t burst_candidates[N_BURSTS] = { 1, 4, 16, 64 };

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
	ST_DONE,
};

/* What is known of one arm's knee: the pilot's, then one a mini-sweep. */
struct arm_state {
	double *knees_pps;
	size_t n, cap;
};

struct sweep_plan {
	const struct sweep_config *config;
	const struct arm *arms;
	size_t n_arms;
	gsl_rng *rng;
	enum stage stage;
	uint32_t next_id;
	uint32_t arm; /* pilot: the arm itself; blocks: position in order */
	size_t burst_pos;
	uint32_t burst;
	struct coarse coarse;
	struct arm_state *states;
	uint32_t *order;
	uint32_t block, n_blocks, n_repeated;
	bool block_failed, finish_early;
	double dither;
	struct trial_spec queue[MAX_QUEUE];
	size_t n_queue, queue_pos;
	struct trial grid[MAX_QUEUE]; /* this mini-sweep's results, for the fit */
	size_t n_grid;
	struct trial_spec last;
	const char *note;
};

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
	gsl_rng_free(p->rng);
	free(p);
}

static bool is_ladder(const struct sweep_plan *p)
{
	return p->config->n_rates > 0;
}

static uint32_t burst_now(const struct sweep_plan *p)
{
	return p->config->burst != 0 ? p->config->burst
				     : burst_candidates[p->burst_pos];
}

static void knee_push(struct arm_state *s, double knee_pps)
{
	s->knees_pps = xgrow(s->knees_pps, s->n, &s->cap, sizeof(*s->knees_pps));
	s->knees_pps[s->n++] = knee_pps;
}

/* The median of the arm's knees so far, the pilot's counting as one. */
static double centre_pps(const struct arm_state *s)
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

static void emit_trial(struct sweep_plan *p, struct plan_action *a, uint32_t arm,
	const struct trial_spec *spec)
{
	a->kind = PLAN_TRIAL;
	a->arm = arm;
	a->block = p->block;
	a->spec = *spec;
	a->spec.id = p->next_id++;
	a->spec.arm = arm;
	a->spec.block = p->block;
	p->last = a->spec;
}

static void emit_edge(const struct sweep_plan *p, struct plan_action *a,
	enum plan_action_kind kind, uint32_t arm)
{
	*a = (struct plan_action){ .kind = kind, .arm = arm, .block = p->block };
}

static void queue_push(struct sweep_plan *p, enum trial_kind kind, double rate_pps,
	double rel, uint64_t duration_ns, uint32_t burst)
{
	if (p->n_queue == MAX_QUEUE || rate_pps <= 0)
		return;
	p->queue[p->n_queue++] = (struct trial_spec){
		.kind = kind,
		.rate_pps = rate_pps,
		.rel_rate = rel,
		.duration_ns = duration_ns,
		.burst = burst,
	};
}

/* --- pilot ------------------------------------------------------------- */

static double ladder_max_pps(const struct sweep_plan *p)
{
	double max = 0;
	size_t i;

	for (i = 0; i < p->config->n_rates; i++)
		max = fmax(max, p->config->rates_pps[i]);
	return max;
}

static void pilot_trial(struct sweep_plan *p, struct plan_action *a,
	enum trial_kind kind, double rate_pps)
{
	struct trial_spec spec = {
		.kind = kind,
		.rate_pps = rate_pps,
		.duration_ns = PILOT_TRIAL_NS,
		.burst = burst_now(p),
	};

	emit_trial(p, a, p->arm, &spec);
}

static void coarse_start(struct sweep_plan *p)
{
	double known = p->arm == 0 ? 0 : centre_pps(&p->states[0]);

	if (p->arm == 0 && p->burst_pos > 0)
		known = coarse_knee_pps(&p->coarse);
	if (known > 0)
		coarse_init(&p->coarse, known * 0.9, PILOT_NEAR_STEP);
	else
		coarse_init(&p->coarse, PILOT_START_PPS, PILOT_STEP);
}

/* The burst is settled: keep it and the reference arm's knee at it. */
static void burst_settle(struct sweep_plan *p)
{
	p->burst = burst_now(p);
	p->stage = ST_PILOT_END;
	if (!is_ladder(p))
		knee_push(&p->states[0], coarse_knee_pps(&p->coarse));
}

/* The coarse search of the current arm is over. */
static void coarse_over(struct sweep_plan *p)
{
	double knee = coarse_knee_pps(&p->coarse);

	if (knee <= 0) {
		p->note = "nothing came through the SUT at any rate";
		p->stage = ST_PILOT_END;
		p->finish_early = true;
	} else if (p->arm > 0) {
		knee_push(&p->states[p->arm], knee);
		p->stage = ST_PILOT_END;
	} else if (p->config->burst != 0) {
		burst_settle(p);
	} else {
		p->stage = ST_PILOT_GENCHECK;
	}
}

/* Can the generator do 1.5 times the knee (or the ladder's top) at this burst? */
static void gencheck_fed(struct sweep_plan *p, const struct trial *t)
{
	if (t->limited_by != LIMITED_GENERATOR) {
		burst_settle(p);
	} else if (p->burst_pos + 1 < N_BURSTS) {
		p->burst_pos++;
		if (is_ladder(p))
			return; /* the same check at the next burst */
		coarse_start(p);
		p->stage = ST_PILOT_COARSE;
	} else {
		p->note = "the generator does not reach the rates asked for with a "
			  "reserve, even in bursts of 64";
		burst_settle(p);
	}
}

static void pilot_end_next(struct sweep_plan *p, struct plan_action *a)
{
	emit_edge(p, a, PLAN_ARM_END, p->arm);
	if (p->finish_early) {
		p->stage = ST_DONE;
	} else if (is_ladder(p) || p->arm + 1 == p->n_arms) {
		p->stage = ST_BLOCK_BEGIN;
	} else {
		p->arm++;
		p->stage = ST_PILOT_BEGIN;
	}
}

/* --- blocks ------------------------------------------------------------ */

static bool block_begin(struct sweep_plan *p)
{
	bool more = p->block < p->n_blocks;

	if (p->block > 0 && p->block_failed && p->n_repeated < MAX_REPEATED_BLOCKS &&
		!is_ladder(p)) {
		p->n_repeated++;
		p->n_blocks++;
		more = true;
	}
	if (!more || p->finish_early) {
		p->stage = ST_DONE;
		return false;
	}
	p->block++;
	p->block_failed = false;
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
	double centre = centre_pps(&p->states[arm]);
	size_t i;

	p->n_queue = p->queue_pos = p->n_grid = 0;
	for (i = 0; i < c->n_rates && i < MAX_QUEUE; i++)
		queue_push(p, TRIAL_LADDER, c->rates_pps[i], 0, c->trial_ns, p->burst);
	for (i = 0; !is_ladder(p) && i < c->n_rel_rates; i++)
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

/* Fit the finished mini-sweep; the arm's centre follows its knees. */
static void mini_sweep_over(struct sweep_plan *p, uint32_t arm)
{
	const struct trial *trials[MAX_QUEUE];
	struct hinge_fit fit;
	double knee = centre_pps(&p->states[arm]);
	size_t i;

	for (i = 0; i < p->n_grid; i++)
		trials[i] = &p->grid[i];
	minisweep_fit(trials, p->n_grid, &fit);
	switch (fit.kind) {
	case HINGE_EXACT:
		knee = fit.knee_pps;
		knee_push(&p->states[arm], knee);
		break;
	case HINGE_ABOVE_MAX:
	case HINGE_BELOW_MIN:
		/* Out of the grid: move the centre there; it is no measurement. */
		if (fit.center_pps > 0)
			knee_push(&p->states[arm], fit.center_pps);
		p->block_failed = true;
		break;
	case HINGE_INVALID:
		p->block_failed = true;
		break;
	}
	queue_extra(p, arm, knee);
}

static void arm_end_next(struct sweep_plan *p, struct plan_action *a)
{
	emit_edge(p, a, PLAN_ARM_END, p->order[p->arm]);
	p->arm++;
	p->stage = p->arm < p->n_arms ? ST_ARM_BEGIN : ST_BLOCK_BEGIN;
}

/* --- the machine ------------------------------------------------------- */

/* True when an action was made, false when only the stage changed. */
static bool pilot_next(struct sweep_plan *p, struct plan_action *a)
{
	double rate = 0;

	switch ((int)p->stage) {
	case ST_PILOT_BEGIN:
		emit_edge(p, a, PLAN_ARM_BEGIN, p->arm);
		p->stage = p->arm == 0 ? ST_PILOT_WARMUP : ST_PILOT_COARSE;
		if (!is_ladder(p))
			coarse_start(p);
		return true;
	case ST_PILOT_WARMUP:
		pilot_trial(p, a, TRIAL_WARMUP,
			is_ladder(p) ? ladder_max_pps(p) : PILOT_START_PPS);
		return true;
	case ST_PILOT_COARSE:
		if (!coarse_next(&p->coarse, &rate)) {
			coarse_over(p);
			return false;
		}
		pilot_trial(p, a, TRIAL_PILOT, rate);
		return true;
	case ST_PILOT_GENCHECK:
		pilot_trial(p, a, TRIAL_PILOT,
			is_ladder(p)
				? ladder_max_pps(p)
				: coarse_knee_pps(&p->coarse) * GENERATOR_HEADROOM);
		return true;
	default:
		pilot_end_next(p, a);
		return true;
	}
}

static bool block_next(struct sweep_plan *p, struct plan_action *a)
{
	uint32_t arm = p->arm < p->n_arms ? p->order[p->arm] : 0;

	switch ((int)p->stage) {
	case ST_BLOCK_BEGIN:
		(void)block_begin(p); /* the stage says what comes */
		return false;
	case ST_ARM_BEGIN:
		emit_edge(p, a, PLAN_ARM_BEGIN, arm);
		queue_mini_sweep(p, arm);
		p->stage = ST_ARM_TRIALS;
		return true;
	case ST_ARM_TRIALS:
		if (p->queue_pos == p->n_queue) {
			p->stage = ST_ARM_END;
			return false;
		}
		emit_trial(p, a, arm, &p->queue[p->queue_pos++]);
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
			emit_edge(p, ret_action, PLAN_DONE, 0);
			return;
		}
		if (p->stage < ST_BLOCK_BEGIN ? pilot_next(p, ret_action)
					      : block_next(p, ret_action))
			return;
	}
}

/* A copy of what the fit needs; the trial's own arrays stay with their owner. */
static void grid_keep(struct sweep_plan *p, const struct trial *t)
{
	struct trial *g = &p->grid[p->n_grid++];

	*g = *t;
	g->bins = NULL;
	g->cpus = NULL;
	g->threads = NULL;
	g->counters = NULL;
	g->n_bins = g->n_cpus = g->n_threads = g->n_counters = 0;
}

void sweep_plan_feed(struct sweep_plan *p, const struct trial *t)
{
	switch ((int)p->stage) {
	case ST_PILOT_WARMUP:
		p->stage = is_ladder(p) ? ST_PILOT_GENCHECK : ST_PILOT_COARSE;
		if (is_ladder(p) && p->config->burst != 0)
			burst_settle(p);
		break;
	case ST_PILOT_COARSE:
		coarse_feed(&p->coarse, t);
		break;
	case ST_PILOT_GENCHECK:
		gencheck_fed(p, t);
		break;
	case ST_ARM_TRIALS:
		if (t->spec.kind == TRIAL_GRID && p->n_grid < MAX_QUEUE)
			grid_keep(p, t);
		if (t->spec.kind == TRIAL_GRID && p->queue_pos == p->n_queue)
			mini_sweep_over(p, t->spec.arm);
		break;
	default:
		break;
	}
}

void sweep_plan_finish_early(struct sweep_plan *p)
{
	p->finish_early = true;
}

uint32_t sweep_plan_burst(const struct sweep_plan *p)
{
	return p->burst;
}

const char *sweep_plan_note(const struct sweep_plan *p)
{
	return p->note;
}

uint32_t sweep_plan_n_blocks(const struct sweep_plan *p)
{
	return p->n_blocks;
}

uint64_t sweep_plan_estimate_ns(
	const struct sweep_config *config, const struct arm *arms, size_t n_arms)
{
	bool ladder = config->n_rates > 0;
	uint64_t n_rates = ladder ? config->n_rates : config->n_rel_rates;
	uint64_t trial = config->trial_ns + TRIAL_OVERHEAD_NS;
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < n_arms; i++) {
		uint64_t arm_ns = n_rates * trial + ARM_EDGE_NS;

		if (config->latency_trials)
			arm_ns += 2 * trial;
		total += config->n_blocks * arm_ns;
		if (arm_is_sampling(&arms[i]) && config->profile_trial_ns > 0)
			total += (config->n_blocks + 1) / 2 * 2 *
				 (config->profile_trial_ns + TRIAL_OVERHEAD_NS);
		/* The pilot: about a dozen short trials, half as many near a knee. */
		total += (i == 0 ? 12u : 6u) * (ladder ? i == 0 : 1u) *
			 (PILOT_TRIAL_NS + TRIAL_OVERHEAD_NS);
	}
	return total;
}
