/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs made in memory from known truths. */
#include "config.h"

#include "synthrun.h"

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define TRIAL_NS   500000000u
#define WINDOW_NS  375000000u
#define SUT_CPU    1
#define BURST      4
#define DITHER     0.04
#define LATENCY_NS 20000

static const double default_grid[] = { 0.72, 0.88, 1.00, 1.12, 1.25 };

struct synth synth_default(void)
{
	return (struct synth){
		.knee_pps = 300e3,
		.n_blocks = 8,
		.n_arms = 2,
		.arms = { { .name = "off" }, { .name = "sample@997" } },
		.seed = 1,
	};
}

static uint64_t frames(double pps)
{
	return (uint64_t)llround(pps * TRIAL_NS / 1e9);
}

/* All that is offered and the SUT does not carry is dropped at its input, a third
 * of it at a known place. */
static void ledger_make(struct trial *t, double offered_pps, double carried_pps)
{
	struct ledger *l = &t->ledgers[0];
	uint64_t intended = frames(t->spec.rate_pps), offered = frames(offered_pps);
	uint64_t unique = frames(carried_pps);

	t->n_ledgers = 1;
	ledger_set(l, LEDGER_INTENDED, intended, LEDGER_MEASURED);
	ledger_set(l, LEDGER_OFFERED, offered, LEDGER_MEASURED);
	ledger_set(l, LEDGER_REFUSED, 0, LEDGER_MEASURED);
	ledger_set(l, LEDGER_SUT_IN, offered, LEDGER_MEASURED);
	ledger_set(l, LEDGER_SUT_DROP, offered - unique, LEDGER_MEASURED);
	ledger_set(l, LEDGER_UNIQUE, unique, LEDGER_MEASURED);
	ledger_set(l, LEDGER_DUPLICATE, 0, LEDGER_MEASURED);
	ledger_set(l, LEDGER_RX_DROP, 0, LEDGER_MEASURED);
	ledger_derive(l);
	ledger_add_place(l, LEDGER_SUT_DROP, "sut-input", (offered - unique) / 3);
	t->loss_frac = ledger_loss_frac(l);
}

static void cpu_make(struct trial *t, const struct synth_arm *arm, double ns_per_pkt,
	double offered_pps)
{
	double busy = fmin(1, offered_pps * ns_per_pkt / 1e9);

	if (arm->polls)
		busy = 1;
	t->cpus = xgrow(t->cpus, 0, &t->cap_cpus, sizeof(*t->cpus));
	t->n_cpus = 1;
	t->cpus[0].cpu = SUT_CPU;
	t->cpus[0].wall_ns = TRIAL_NS + TRIAL_NS / 10; /* with the drain */
	t->cpus[0].busy_ns = (uint64_t)(busy * TRIAL_NS);
	t->threads = xgrow(t->threads, 0, &t->cap_threads, sizeof(*t->threads));
	t->n_threads = 1;
	t->threads[0].tid = (int32_t)t->spec.id; /* restarted all the time */
	t->threads[0].cpu = SUT_CPU;
	t->threads[0].run_ns = (uint64_t)(0.97 * busy * TRIAL_NS);
	(void)snprintf(t->threads[0].comm, sizeof(t->threads[0].comm), "fwd");
	t->cpu_ns_per_pkt = (double)t->cpus[0].busy_ns / (double)frames(offered_pps);
}

/* What a trial of spec gives when the SUT's capacity is capacity_pps. */
static void trial_make(const struct synth *s, const struct trial_spec *spec,
	double capacity_pps, struct trial *t)
{
	const struct synth_arm *arm = &s->arms[spec->arm];
	double rate = spec->rate_pps, offered = rate, carried;
	double ns = arm->ns_per_pkt > 0 ? arm->ns_per_pkt
					: 1e9 / s->knee_pps * exp(-arm->ln_shift);

	*t = (struct trial){ .spec = *spec, .segment = 1, .valid = true };
	if (arm->generator_pps > 0)
		offered = fmin(offered, arm->generator_pps);
	carried = offered < capacity_pps
			  ? offered
			  : capacity_pps + arm->slope * (offered - capacity_pps);
	carried *= 1 - s->loss_frac;
	if (offered < rate)
		t->limited_by = LIMITED_GENERATOR;
	else if (arm->receiver_pps > 0 && carried > arm->receiver_pps)
		t->limited_by = LIMITED_RECEIVER;
	else if (carried < 0.995 * rate)
		t->limited_by = LIMITED_SUT;
	if (arm->receiver_pps > 0)
		carried = fmin(carried, arm->receiver_pps);
	t->t_start_ns = (uint64_t)spec->id * 2 * TRIAL_NS;
	t->t_end_ns = t->t_start_ns + TRIAL_NS;
	t->window_ns = WINDOW_NS;
	t->window_pps = carried;
	t->window_pkts = (uint64_t)llround(carried * WINDOW_NS / 1e9);
	ledger_make(t, offered, carried);
	cpu_make(t, arm, ns, offered);
	t->has_latency = true;
	t->latency = (struct latency_summary){ 1000, LATENCY_NS, 2 * LATENCY_NS,
		3 * LATENCY_NS, 4 * LATENCY_NS };
	t->sampling.sampled = strncmp(arm->name, "sample", 6) == 0;
	t->sampling.n_samples = t->sampling.sampled ? 500 : 0;
}

static void add(struct run *run, const struct synth *s, struct trial_spec *spec,
	double capacity_pps)
{
	struct trial t;

	spec->id = (uint32_t)run->n_trials + 1;
	spec->duration_ns = TRIAL_NS;
	spec->burst = BURST;
	trial_make(s, spec, capacity_pps, &t);
	run_add_trial(run, &t);
}

void synth_add_trial(struct run *run, const struct synth *s, enum trial_kind kind,
	uint32_t block, uint32_t arm, double rel_rate)
{
	double knee = s->knee_pps * exp(s->arms[arm].ln_shift);
	struct trial_spec spec = { .block = block,
		.arm = arm,
		.kind = kind,
		.rate_pps = rel_rate * knee,
		.rel_rate = rel_rate };

	add(run, s, &spec, knee);
}

static void mini_sweep(struct run *run, const struct synth *s, gsl_rng *rng,
	uint32_t block, uint32_t arm, double ln_block, double dither)
{
	const struct sweep_config *c = &run->config;
	double knee = s->knee_pps * exp(s->arms[arm].ln_shift);
	double center = knee * (s->arms[arm].center > 0 ? s->arms[arm].center : 1);
	double capacity = knee * exp(ln_block + gsl_ran_gaussian(rng, s->sweep_sd));
	bool is_ladder = c->n_rates > 0;
	size_t n = is_ladder ? c->n_rates : c->n_rel_rates, i;

	for (i = 0; i < n; i++) {
		struct trial_spec spec = {
			.block = block,
			.arm = arm,
			.kind = is_ladder ? TRIAL_LADDER : TRIAL_GRID,
			.rel_rate = is_ladder ? 0 : c->rel_rates[i],
			.rate_pps = is_ladder ? c->rates_pps[i]
					      : center * dither * c->rel_rates[i],
		};

		add(run, s, &spec, capacity * exp(gsl_ran_gaussian(rng, s->trial_sd)));
	}
}

static void config_make(struct run *run, const struct synth *s)
{
	struct sweep_config *c = &run->config;
	size_t i;

	c->seed = s->seed;
	c->n_blocks = s->n_blocks;
	c->trial_ns = TRIAL_NS;
	c->margin_frac = 0.03;
	c->level = 0.95;
	c->burst = BURST;
	c->dither_frac = DITHER;
	while (c->n_rates < 8 && s->rates_pps[c->n_rates] > 0)
		c->n_rates++;
	if (c->n_rates > 0) {
		c->rates_pps = xcalloc(c->n_rates, sizeof(double));
		memcpy(c->rates_pps, s->rates_pps, c->n_rates * sizeof(double));
	}
	c->n_rel_rates = sizeof(default_grid) / sizeof(default_grid[0]);
	for (i = 0; i < c->n_rel_rates; i++)
		c->rel_rates[i] = default_grid[i];
}

struct run *synth_run(const struct synth *s)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct run *run = run_new();
	uint32_t order[SYNTH_ARMS_MAX], block, i;
	size_t k;

	gsl_rng_set(rng, (unsigned long)s->seed);
	config_make(run, s);
	for (k = 0; k < s->n_arms; k++) {
		struct sp_err err = { 0 };

		run->arms = xgrow(run->arms, k, &run->cap_arms, sizeof(*run->arms));
		if (arm_parse(s->arms[k].name, &run->arms[run->n_arms++], &err) != 0)
			abort();
		order[k] = (uint32_t)k;
	}
	for (block = 1; block <= s->n_blocks; block++) {
		double ln_block = gsl_ran_gaussian(rng, s->block_sd);
		double dither = exp(gsl_ran_flat(rng, -DITHER, DITHER));

		gsl_ran_shuffle(rng, order, s->n_arms, sizeof(order[0]));
		for (i = 0; i < s->n_arms; i++) {
			/* Drift goes on between the arms of a block. */
			double at = (block - 1 + (double)i / (double)s->n_arms) /
				    s->n_blocks;

			mini_sweep(run, s, rng, block, order[i],
				ln_block + s->drift * at, dither);
		}
	}
	run->finished = true;
	gsl_rng_free(rng);
	return run;
}
