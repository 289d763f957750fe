/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fluid SUT in virtual time. */
#include "config.h"

#include "sim/fluid.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"

#define FLUID_OVERHEAD_NS (150 * NS_PER_MS)
#define FLUID_ARM_EDGE_NS (300 * NS_PER_MS)
#define WINDOW_FROM_FRAC  0.25
#define LIMIT_FRAC        0.005
#define OUTAGE_NS         (5 * NS_PER_MS)
#define HICCUP_FRAC       0.1
#define START_NS          NS_PER_S
#define FACTS_SEED        0x66616374ul /* a stream of its own */

struct fluid {
	struct fluid_config cfg;
	const struct arm *arms;
	size_t n_arms;
	gsl_rng *rng, *facts_rng;
	uint64_t now_ns;
	uint32_t arm, block;
	bool is_later;      /* not the first arm of its block */
	double wander;      /* ln, now */
	double mini_factor; /* this mini-sweep's luck */
};

struct fluid *fluid_new(
	const struct fluid_config *cfg, const struct arm *arms, size_t n_arms)
{
	struct fluid *f = xcalloc(1, sizeof(*f));

	f->cfg = *cfg;
	f->arms = arms;
	f->n_arms = n_arms;
	f->rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(
		f->rng, (unsigned long)((cfg->seed ^ (cfg->seed >> 32)) & UINT32_MAX));
	f->facts_rng = gsl_rng_alloc(gsl_rng_mt19937);
	gsl_rng_set(f->facts_rng, (unsigned long)(cfg->seed & UINT32_MAX) ^ FACTS_SEED);
	f->now_ns = START_NS;
	f->block = UINT32_MAX;
	return f;
}

void fluid_free(struct fluid *f)
{
	if (f == NULL)
		return;
	gsl_rng_free(f->rng);
	gsl_rng_free(f->facts_rng);
	free(f);
}

bool fluid_arm_changes(const struct arm *arm, enum factor factor)
{
	return arm->kind != ARM_OFF ||
	       (arm->force.is_forced && arm->force.factor == factor);
}

double fluid_capacity_pps(const struct fluid_config *cfg, const struct arm *arm)
{
	double change = 0, left = 1;

	if (arm->kind != ARM_OFF)
		change += cfg->attach_frac;
	if (fluid_arm_changes(arm, FACTOR_PLACEMENT))
		change += cfg->move_frac;
	if (fluid_arm_changes(arm, FACTOR_IDLE))
		change += cfg->awake_frac;
	if (fluid_arm_changes(arm, FACTOR_CONTENTION))
		left -= cfg->burn_frac;
	if (arm->hz > 0) {
		double khz = arm->hz / 1000.0;

		change += cfg->per_khz_frac * khz + cfg->khz_curve * khz * khz;
	}
	return cfg->capacity_pps * (1.0 + change) * left;
}

/* True in that share of the calls; nothing is drawn where it is 0. */
static bool chance(struct fluid *f, double share)
{
	return share > 0 && gsl_rng_uniform(f->rng) < share;
}

static double or_default(double v, double fallback)
{
	return v > 0 ? v : fallback;
}

/* The factor on the capacity that this mini-sweep comes up with. */
static double mini_luck(struct fluid *f)
{
	const struct fluid_config *c = &f->cfg;
	double luck = exp(gsl_ran_gaussian(f->rng, c->block_noise_frac));

	if (c->wander_frac > 0) {
		double m = or_default(c->wander_memory_frac, FLUID_WANDER_MEMORY_FRAC);

		f->wander = m * f->wander +
			    gsl_ran_gaussian(f->rng, c->wander_frac * sqrt(1 - m * m));
		luck *= exp(f->wander);
	}
	if (c->bands_frac > 0 &&
		chance(f, or_default(c->band_chance_frac, FLUID_BAND_CHANCE)))
		luck *= 1 - c->bands_frac;
	if (f->is_later)
		luck *= 1 + c->later_frac;
	return luck;
}

static int fluid_arm_begin(void *ctx, uint32_t arm, uint32_t block, struct sp_err *err)
{
	struct fluid *f = ctx;

	if (arm >= f->n_arms)
		return sp_err_set(err, SP_EUSAGE, "no arm %u", arm);
	f->arm = arm;
	f->is_later = block > 0 && block == f->block;
	f->block = block;
	f->now_ns += FLUID_ARM_EDGE_NS;
	f->mini_factor = mini_luck(f);
	return 0;
}

static int fluid_arm_end(void *ctx, struct sp_err *err)
{
	(void)ctx;
	(void)err;
	return 0;
}

static uint64_t frames(double x)
{
	return x <= 0 ? 0 : (uint64_t)llround(x);
}

/* The capacity in this trial. */
static double capacity_now(struct fluid *f)
{
	const struct fluid_config *c = &f->cfg;
	double since_s = (double)(f->now_ns - START_NS) / (double)NS_PER_S;
	double hours = (double)f->now_ns / 3600e9;
	double capacity = fluid_capacity_pps(c, &f->arms[f->arm]) * f->mini_factor *
			  (1.0 + c->drift_frac_per_h * hours);

	if (since_s >= c->step_at_s)
		capacity *= 1.0 + c->step_frac;
	if (c->cut_frac > 0)
		capacity *= 1 - fabs(gsl_ran_gaussian(f->rng, c->cut_frac));
	if (chance(f, c->spikes_frac))
		capacity *= 1 - or_default(c->spike_frac, FLUID_SPIKE_FRAC);
	return capacity;
}

/* How far the rate is beyond the capacity; with a rounded corner of width a (as the
 * loss of PLRsearch): a ln(1 + e^((r - c) / a)). */
static double excess_pps(double rate_pps, double capacity_pps, double width_pps)
{
	double x = rate_pps - capacity_pps;

	if (!(width_pps > 0))
		return fmax(0, x);
	return fmax(0, x) + width_pps * log1p(exp(-fabs(x) / width_pps));
}

/* What leaves the SUT at an offered rate, before the trial's noise. */
static double goodput_pps(const struct fluid *f, double offered_pps, double capacity,
	const struct trial_spec *spec)
{
	const struct fluid_config *c = &f->cfg;
	double over = excess_pps(offered_pps, capacity, c->soft_frac * capacity);
	double g = fmax(0, offered_pps - (1 - c->collapse) * over);

	if (spec->rate_pps >= c->inversion_from_pps &&
		spec->rate_pps < c->inversion_to_pps)
		g *= 1 - c->inversion_frac;
	/* A burst is there at once: what the ring has no room for is lost. */
	if (c->ring_pkts > 0 && spec->burst > c->ring_pkts)
		g = fmin(g, offered_pps * c->ring_pkts / spec->burst);
	return g * (1.0 - c->loss_frac);
}

/* The part of the trial in which the SUT forwarded. */
static double alive_frac(struct fluid *f, uint64_t duration_ns)
{
	double d = (double)duration_ns, n;

	if (!(f->cfg.outages_per_s > 0))
		return 1;
	n = gsl_ran_poisson(f->rng, f->cfg.outages_per_s * d / (double)NS_PER_S);
	return fmax(0, 1 - n * (double)OUTAGE_NS / d);
}

static void fill_ledger(
	const struct fluid *f, struct trial *t, double sent_pps, double good_pps)
{
	double s = (double)t->spec.duration_ns / (double)NS_PER_S;
	struct ledger *l = &t->ledgers[0];
	uint64_t intended = frames(t->spec.rate_pps * s);
	uint64_t offered = frames(fmin(sent_pps, t->spec.rate_pps) * s);
	uint64_t unique = frames(good_pps * s + f->cfg.queue_pkts);

	if (unique > offered)
		unique = offered;
	t->n_ledgers = 1;
	ledger_set(l, LEDGER_INTENDED, intended, LEDGER_MEASURED);
	ledger_set(l, LEDGER_UNSENT, intended - offered, LEDGER_MEASURED);
	ledger_set(l, LEDGER_REFUSED, 0, LEDGER_MEASURED);
	ledger_set(l, LEDGER_ACCEPTED, offered, LEDGER_MEASURED);
	ledger_set(l, LEDGER_EGRESS_DROP, 0, LEDGER_MEASURED);
	ledger_set(l, LEDGER_SUT_IN, offered, LEDGER_MEASURED);
	ledger_set(l, LEDGER_SUT_OUT, unique, LEDGER_MEASURED);
	if (f->cfg.receiver_pps > 0 && unique > frames(f->cfg.receiver_pps * s))
		unique = frames(f->cfg.receiver_pps * s);
	ledger_set(
		l, LEDGER_RX_DROP, l->count[LEDGER_SUT_OUT] - unique, LEDGER_MEASURED);
	ledger_set(l, LEDGER_UNIQUE, unique, LEDGER_MEASURED);
	ledger_set(l, LEDGER_DUPLICATE, 0, LEDGER_MEASURED);
	ledger_derive(l);
	ledger_add_place(l, LEDGER_SUT_DROP, "sut", l->count[LEDGER_SUT_DROP]);
	t->loss_frac = ledger_loss_frac(l);
}

static void fill_cpu(const struct fluid *f, struct trial *t, double good_pps)
{
	double cost = f->cfg.cost_ns > 0
			      ? f->cfg.cost_ns
			      : 1e9 / fluid_capacity_pps(&f->cfg, &f->arms[f->arm]);
	double busy_frac = fmin(1.0, good_pps * cost / 1e9);
	double wall = (double)t->spec.duration_ns;

	t->cpus = xgrow(t->cpus, t->n_cpus, &t->cap_cpus, sizeof(*t->cpus));
	t->cpus[t->n_cpus++] = (struct cpu_use){
		.cpu = 1,
		.wall_ns = t->spec.duration_ns,
		.busy_ns = frames(wall * busy_frac),
		.user_ns = frames(wall * busy_frac),
	};
	t->cpu_ns_per_pkt = good_pps > 0 ? busy_frac * 1e9 / good_pps : (double)NAN;
}

static double sent_pps(struct fluid *f, double rate_pps)
{
	double sent = rate_pps;

	if (f->cfg.generator_pps > 0)
		sent = fmin(sent, f->cfg.generator_pps);
	if (chance(f, f->cfg.hiccups_frac))
		sent *= 1 - HICCUP_FRAC;
	return sent;
}

static void time_pass(struct fluid *f, struct trial *t)
{
	t->t_start_ns = f->now_ns;
	f->now_ns += t->spec.duration_ns;
	t->t_end_ns = f->now_ns;
	f->now_ns += FLUID_OVERHEAD_NS;
	t->window_ns = (uint64_t)((double)t->spec.duration_ns * (1 - WINDOW_FROM_FRAC));
}

static int fluid_trial(void *ctx, struct trial *ret_trial, struct sp_err *err)
{
	struct fluid *f = ctx;
	struct trial *t = ret_trial;
	double rate = t->spec.rate_pps, sent = sent_pps(f, rate);
	double capacity = capacity_now(f), good, arrived;

	(void)err;
	good = goodput_pps(f, sent, capacity, &t->spec) *
	       alive_frac(f, t->spec.duration_ns);
	good *= exp(gsl_ran_gaussian(f->rng, f->cfg.noise_frac));
	good = fmin(good, sent);
	arrived = good;
	if (f->cfg.receiver_pps > 0)
		arrived = fmin(arrived, f->cfg.receiver_pps);
	time_pass(f, t);
	t->window_pkts = frames(arrived * (double)t->window_ns / (double)NS_PER_S);
	t->window_pps = arrived;
	t->valid = true;
	fill_ledger(f, t, sent, good);
	fill_cpu(f, t, good);
	if (fluid_has_facts(&f->cfg))
		fluid_facts_make(&f->cfg, &f->arms[f->arm], f->facts_rng, t);
	if (sent < rate * (1 - LIMIT_FRAC))
		t->limited_by = LIMITED_GENERATOR;
	else if (arrived < good * (1 - LIMIT_FRAC))
		t->limited_by = LIMITED_RECEIVER;
	else if (t->loss_frac > LIMIT_FRAC)
		t->limited_by = LIMITED_SUT;
	return 0;
}

static int fluid_arm_add(void *ctx, const struct run *run, struct sp_err *err)
{
	struct fluid *f = ctx;

	(void)err;
	f->arms = run->arms;
	f->n_arms = run->n_arms;
	return 0;
}

const struct measure_ops fluid_measure = {
	.arm_begin = fluid_arm_begin,
	.trial = fluid_trial,
	.arm_end = fluid_arm_end,
	.arm_add = fluid_arm_add,
};
