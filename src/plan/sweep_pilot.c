/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep's pilot: warm-up, coarse knees, the burst; and what a sweep will take. */
#include "config.h"

#include <math.h>

#include "plan/ndr.h"
#include "plan/sweep_plan_private.h"

#define PILOT_START_PPS 20e3
#define PILOT_STEP      2.0
#define PILOT_NEAR_STEP 1.25
#define ARM_EDGE_NS     (300 * NS_PER_MS)
/* The grid's top with its dither is about 1.5, and a machine may be slower for a while.
 */
#define GENERATOR_HEADROOM 1.8
#define N_BURSTS           4
#define GENERATOR_CHECKS   2
/* A rate is reached when no more than this part of it was not sent. */
#define SHORT_OK_FRAC 0.01

static const uint32_t burst_candidates[N_BURSTS] = { 1, 4, 16, 64 };

static uint32_t burst_now(const struct sweep_plan *p)
{
	return p->config->burst != 0 ? p->config->burst
				     : burst_candidates[p->burst_pos];
}

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
		.duration_ns = SWEEP_PILOT_TRIAL_NS,
		.burst = burst_now(p),
	};

	sweep_emit_trial(p, a, p->arm, &spec);
}

static void coarse_start(struct sweep_plan *p)
{
	double known = p->arm == 0 ? 0 : sweep_centre_pps(&p->states[0]);

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
	if (!sweep_is_ladder(p))
		sweep_knee_push(&p->states[0], coarse_knee_pps(&p->coarse));
}

/* The coarse search of the current arm is over. */
static void coarse_over(struct sweep_plan *p)
{
	double knee = coarse_knee_pps(&p->coarse);

	if (knee <= 0) {
		sweep_note(p, "nothing came through the SUT at any rate");
		p->stage = ST_PILOT_END;
		p->finish_early = true;
	} else if (p->arm > 0) {
		sweep_knee_push(&p->states[p->arm], knee);
		p->stage = ST_PILOT_END;
	} else if (p->config->burst != 0) {
		burst_settle(p);
	} else {
		p->stage = ST_PILOT_GENCHECK;
	}
}

/* Where a SUT loses much, it is the limit of a trial that was not sent as a whole, too:
 * fine at the top of a grid, but no proof that the generator reaches the rate. */
static bool is_sent(const struct trial *t)
{
	double intended = 0, not_sent = 0;
	size_t i;

	for (i = 0; i < t->n_ledgers; i++) {
		const uint64_t *count = t->ledgers[i].count;

		intended += (double)count[LEDGER_INTENDED];
		not_sent += (double)(count[LEDGER_UNSENT] + count[LEDGER_REFUSED]);
	}
	return t->limited_by != LIMITED_GENERATOR &&
	       not_sent <= SHORT_OK_FRAC * intended;
}

/* Can the generator do 1.8 times the knee (or the ladder's top) at this burst? */
static void gencheck_fed(struct sweep_plan *p, const struct trial *t)
{
	if (is_sent(t)) {
		burst_settle(p);
	} else if (++p->n_checks < GENERATOR_CHECKS) {
		return; /* once more: it may have been a hiccup */
	} else if (p->burst_pos + 1 < N_BURSTS) {
		p->burst_pos++;
		p->n_checks = 0;
		if (sweep_is_ladder(p))
			return; /* the same check at the next burst */
		coarse_start(p);
		p->stage = ST_PILOT_COARSE;
	} else {
		sweep_note(p, "the generator does not reach the rates asked for with a "
			      "reserve, even in bursts of 64");
		burst_settle(p);
	}
}

static void pilot_end_next(struct sweep_plan *p, struct plan_action *a)
{
	sweep_emit_edge(p, a, PLAN_ARM_END, p->arm);
	if (p->finish_early) {
		p->stage = ST_DONE;
	} else if (sweep_is_ladder(p) || p->arm + 1 == p->n_arms) {
		p->stage = ST_BLOCK_BEGIN;
	} else {
		p->arm++;
		p->stage = ST_PILOT_BEGIN;
	}
}

bool sweep_pilot_next(struct sweep_plan *p, struct plan_action *a)
{
	double rate = 0;

	switch ((int)p->stage) {
	case ST_PILOT_BEGIN:
		sweep_emit_edge(p, a, PLAN_ARM_BEGIN, p->arm);
		p->stage = p->arm == 0 ? ST_PILOT_WARMUP : ST_PILOT_COARSE;
		if (!sweep_is_ladder(p))
			coarse_start(p);
		return true;
	case ST_PILOT_WARMUP:
		pilot_trial(p, a, TRIAL_WARMUP,
			sweep_is_ladder(p) ? ladder_max_pps(p) : PILOT_START_PPS);
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
			sweep_is_ladder(p)
				? ladder_max_pps(p)
				: coarse_knee_pps(&p->coarse) * GENERATOR_HEADROOM);
		return true;
	default:
		pilot_end_next(p, a);
		return true;
	}
}

void sweep_pilot_feed(struct sweep_plan *p, const struct trial *t)
{
	switch ((int)p->stage) {
	case ST_PILOT_WARMUP:
		p->stage = sweep_is_ladder(p) ? ST_PILOT_GENCHECK : ST_PILOT_COARSE;
		if (sweep_is_ladder(p) && p->config->burst != 0)
			burst_settle(p);
		break;
	case ST_PILOT_COARSE:
		coarse_feed(&p->coarse, t);
		break;
	case ST_PILOT_GENCHECK:
		gencheck_fed(p, t);
		break;
	default:
		break;
	}
}

uint64_t sweep_blocks_ns(
	const struct sweep_config *config, const struct arm *arms, size_t n_arms)
{
	uint64_t n_rates = config->n_rates > 0 ? config->n_rates : config->n_rel_rates;
	uint64_t trial = config->trial_ns + SWEEP_TRIAL_OVERHEAD_NS;
	uint64_t total = 0;
	size_t i;

	for (i = 0; i < n_arms; i++) {
		uint64_t arm_ns = n_rates * trial + ARM_EDGE_NS;

		if (config->latency_trials)
			arm_ns += 2 * trial;
		total += config->n_blocks * arm_ns;
		if (arm_is_sampling(&arms[i]) && config->profile_trial_ns > 0)
			total += (config->n_blocks + 1) / 2 * 2 *
				 (config->profile_trial_ns + SWEEP_TRIAL_OVERHEAD_NS);
	}
	return total;
}

uint64_t sweep_plan_estimate_ns(
	const struct sweep_config *config, const struct arm *arms, size_t n_arms)
{
	bool ladder = config->n_rates > 0;
	uint64_t total = sweep_blocks_ns(config, arms, n_arms);
	size_t i;

	/* The pilot: about a dozen short trials, half as many near a knee. */
	for (i = 0; i < n_arms; i++)
		total += (i == 0 ? 12u : 6u) * (ladder ? i == 0 : 1u) *
			 (SWEEP_PILOT_TRIAL_NS + SWEEP_TRIAL_OVERHEAD_NS);
	if (config->ndr != NDR_NONE)
		total += ARM_EDGE_NS +
			 ndr_estimate_ns(config->ndr, SWEEP_TRIAL_OVERHEAD_NS);
	return total;
}
