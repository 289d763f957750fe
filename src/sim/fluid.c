/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fluid SUT in virtual time. */
#include "config.h"

#include "sim/fluid.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"

#define FLUID_OVERHEAD_NS (150 * NS_PER_MS)
#define FLUID_ARM_EDGE_NS (300 * NS_PER_MS)
#define WINDOW_FROM_FRAC  0.25
#define LIMIT_FRAC        0.005
#define OUTAGE_NS         (5 * NS_PER_MS)

struct fluid {
	struct fluid_config cfg;
	const struct arm *arms;
	size_t n_arms;
	gsl_rng *rng;
	uint64_t now_ns;
	uint32_t arm;
	double mini_factor; /* this mini-sweep's luck */
};

static const struct {
	const char *key;
	size_t offset;
	bool is_rate;
	bool may_be_negative;
} fluid_keys[] = {
	{ "capacity", offsetof(struct fluid_config, capacity_pps), true, false },
	{ "collapse", offsetof(struct fluid_config, collapse), false, true },
	{ "loss", offsetof(struct fluid_config, loss_frac), false, false },
	{ "noise", offsetof(struct fluid_config, noise_frac), false, false },
	{ "block-noise", offsetof(struct fluid_config, block_noise_frac), false,
		false },
	{ "cut", offsetof(struct fluid_config, cut_frac), false, false },
	{ "outages", offsetof(struct fluid_config, outages_per_s), true, false },
	{ "drift", offsetof(struct fluid_config, drift_frac_per_h), false, true },
	{ "attach", offsetof(struct fluid_config, attach_frac), false, true },
	{ "per-khz", offsetof(struct fluid_config, per_khz_frac), false, true },
	{ "generator", offsetof(struct fluid_config, generator_pps), true, false },
	{ "queue", offsetof(struct fluid_config, queue_pkts), true, false },
	{ "cost-ns", offsetof(struct fluid_config, cost_ns), true, false },
};

#define N_KEYS (sizeof(fluid_keys) / sizeof(fluid_keys[0]))

/* The value of the i-th key, as a rate or a signed fraction. */
static int value_parse(size_t i, const char *s, double *ret, struct sp_err *err)
{
	struct units_rate rate = { 0 };
	double frac = 0;
	bool negative = s[0] == '-' && fluid_keys[i].may_be_negative;
	int rc;

	if (fluid_keys[i].is_rate) {
		rc = units_rate_parse(s, &rate, err);
		if (rc == 0 && rate.is_bps)
			rc = sp_err_set(
				err, SP_EUSAGE, "'%s' is in bits/s, not packets/s", s);
		*ret = rate.value;
	} else {
		rc = units_frac_parse(negative ? s + 1 : s, &frac, err);
		*ret = negative ? -frac : frac;
	}
	return rc;
}

static int pair_parse(char *pair, struct fluid_config *cfg, struct sp_err *err)
{
	char *eq = strchr(pair, '=');
	double v = 0;
	size_t i;

	if (eq == NULL)
		return sp_err_set(err, SP_EUSAGE, "'%s' is not KEY=VALUE", pair);
	*eq = '\0';
	for (i = 0; i < N_KEYS; i++)
		if (strcmp(fluid_keys[i].key, pair) == 0)
			break;
	if (i == N_KEYS)
		return sp_err_set(
			err, SP_EUSAGE, "'%s' is not a key of the model", pair);
	if (value_parse(i, eq + 1, &v, err) != 0)
		return sp_err_push(err, "%s", pair);
	memcpy((char *)cfg + fluid_keys[i].offset, &v, sizeof(v));
	return 0;
}

int fluid_config_parse(const char *s, struct fluid_config *ret_cfg, struct sp_err *err)
{
	struct fluid_config cfg = { .seed = ret_cfg->seed };
	char *copy = xstrdup(s), *rest = copy, *pair;
	int rc = 0;

	while (rc == 0 && (pair = strsep(&rest, ",")) != NULL)
		rc = pair_parse(pair, &cfg, err);
	free(copy);
	if (rc == 0 && cfg.capacity_pps <= 0)
		rc = sp_err_set(err, SP_EUSAGE, "the model needs capacity=RATE");
	if (rc == 0)
		*ret_cfg = cfg;
	return rc != 0 ? sp_err_push(err, "--sim") : 0;
}

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
	f->now_ns = NS_PER_S;
	return f;
}

void fluid_free(struct fluid *f)
{
	if (f == NULL)
		return;
	gsl_rng_free(f->rng);
	free(f);
}

double fluid_capacity_pps(const struct fluid_config *cfg, const struct arm *arm)
{
	double change = 0;

	if (arm->kind != ARM_OFF)
		change += cfg->attach_frac;
	if (arm_is_sampling(arm))
		change += cfg->per_khz_frac * arm->hz / 1000.0;
	return cfg->capacity_pps * (1.0 + change);
}

static int fluid_arm_begin(void *ctx, uint32_t arm, uint32_t block, struct sp_err *err)
{
	struct fluid *f = ctx;

	(void)block;
	if (arm >= f->n_arms)
		return sp_err_set(err, SP_EUSAGE, "no arm %u", arm);
	f->arm = arm;
	f->now_ns += FLUID_ARM_EDGE_NS;
	f->mini_factor = exp(gsl_ran_gaussian(f->rng, f->cfg.block_noise_frac));
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

/* The capacity here and now. */
static double capacity_now(const struct fluid *f)
{
	double hours = (double)f->now_ns / 3600e9;

	return fluid_capacity_pps(&f->cfg, &f->arms[f->arm]) * f->mini_factor *
	       (1.0 + f->cfg.drift_frac_per_h * hours);
}

/* What leaves the SUT at an offered rate, before the trial's noise. */
static double goodput_pps(const struct fluid *f, double offered_pps, double capacity)
{
	double g = offered_pps;

	if (offered_pps > capacity)
		g = fmax(0, capacity + f->cfg.collapse * (offered_pps - capacity));
	return g * (1.0 - f->cfg.loss_frac);
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
	ledger_set(l, LEDGER_RX_DROP, 0, LEDGER_MEASURED);
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

static int fluid_trial(void *ctx, struct trial *ret_trial, struct sp_err *err)
{
	struct fluid *f = ctx;
	struct trial *t = ret_trial;
	double rate = t->spec.rate_pps;
	double sent =
		f->cfg.generator_pps > 0 ? fmin(rate, f->cfg.generator_pps) : rate;
	double capacity = capacity_now(f), good;

	(void)err;
	if (f->cfg.cut_frac > 0)
		capacity *= 1 - fabs(gsl_ran_gaussian(f->rng, f->cfg.cut_frac));
	good = goodput_pps(f, sent, capacity) * alive_frac(f, t->spec.duration_ns);
	good *= exp(gsl_ran_gaussian(f->rng, f->cfg.noise_frac));
	good = fmin(good, sent);
	t->t_start_ns = f->now_ns;
	f->now_ns += t->spec.duration_ns;
	t->t_end_ns = f->now_ns;
	f->now_ns += FLUID_OVERHEAD_NS;
	t->window_ns = (uint64_t)((double)t->spec.duration_ns * (1 - WINDOW_FROM_FRAC));
	t->window_pkts = frames(good * (double)t->window_ns / (double)NS_PER_S);
	t->window_pps = good;
	t->valid = true;
	fill_ledger(f, t, sent, good);
	fill_cpu(f, t, good);
	if (sent < rate * (1 - LIMIT_FRAC))
		t->limited_by = LIMITED_GENERATOR;
	else if (t->loss_frac > LIMIT_FRAC)
		t->limited_by = LIMITED_SUT;
	return 0;
}

const struct measure_ops fluid_measure = {
	.arm_begin = fluid_arm_begin,
	.trial = fluid_trial,
	.arm_end = fluid_arm_end,
};
