/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the fluid SUT: one thread on one of two CPUs, and what an observer changes.
 */
#include "config.h"

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

#include "base/clock.h"
#include "sim/fluid.h"

#define THREAD  "fwd"
#define CPU     "1"
#define CPU_OFF "0" /* where the thread runs before an observer moves it */

struct maker {
	const struct fluid_config *cfg;
	gsl_rng *rng;
	struct trial *t;
	double s; /* the trial's length */
};

bool fluid_has_facts(const struct fluid_config *cfg)
{
	return fabs(cfg->move_frac) > 0 || cfg->burn_frac > 0 ||
	       fabs(cfg->awake_frac) > 0 || cfg->facts_noise_frac > 0;
}

/* Counts are never twice the same. */
static void count(
	const struct maker *m, enum fact_key key, const char *of, double per_s)
{
	double noise = m->cfg->facts_noise_frac > 0 ? m->cfg->facts_noise_frac
						    : FLUID_FACTS_NOISE_FRAC;

	facts_add(&m->t->facts, key, of,
		per_s * m->s * exp(gsl_ran_gaussian(m->rng, noise)));
}

static void share(const struct maker *m, enum fact_key key, const char *of, double frac)
{
	count(m, key, of, frac * (double)NS_PER_S);
}

static void thread_facts(const struct maker *m, const struct arm *arm, double busy_frac)
{
	const struct fluid_config *c = m->cfg;
	struct facts *f = &m->t->facts;
	bool is_elsewhere =
		fabs(c->move_frac) > 0 && !fluid_arm_changes(arm, FACTOR_PLACEMENT);
	double burn = fluid_arm_changes(arm, FACTOR_CONTENTION) ? c->burn_frac : 0;

	facts_add(f, FACT_THREAD_CPU, THREAD, is_elsewhere ? 0 : 1);
	facts_add(f, FACT_THREAD_NODE, THREAD, 0);
	facts_add_text(f, FACT_CPUS_ALLOWED, THREAD, "0-1");
	count(m, FACT_VOLUNTARY, THREAD, 100 + 2000 * (1 - busy_frac));
	count(m, FACT_INVOLUNTARY, THREAD, 20 + 800 * burn);
	share(m, FACT_RUN_NS, THREAD, busy_frac * (1 - burn));
	share(m, FACT_WAIT_NS, THREAD, 0.01 + busy_frac * burn);
	count(m, FACT_MINOR_FAULTS, THREAD, 30);
}

static void others_facts(const struct maker *m, bool burns)
{
	double frac = burns ? 0.01 + m->cfg->burn_frac : 0.01;
	bool is_burnt = burns && m->cfg->burn_frac > 0;
	char top[64];

	share(m, FACT_OTHERS_NS, CPU, frac);
	(void)snprintf(top, sizeof(top), "%s %.0f %%", is_burnt ? "burn" : "sshd",
		100 * (is_burnt ? m->cfg->burn_frac : 0.01));
	facts_add_text(&m->t->facts, FACT_OTHERS_TOP, CPU, top);
}

static void cpu_facts(
	const struct maker *m, const struct arm *arm, double busy_frac, double pps)
{
	const struct fluid_config *c = m->cfg;
	/* A SUT that waits sleeps at its knee, too. */
	double deep = fabs(c->awake_frac) > 0 ? 0.3 : 0.02;

	share(m, FACT_BUSY_NS, CPU_OFF, 0.3);
	share(m, FACT_BUSY_NS, CPU, busy_frac);
	others_facts(m, fluid_arm_changes(arm, FACTOR_CONTENTION));
	count(m, FACT_IDLE_ENTRIES, CPU, 100 + 2000 * (1 - busy_frac));
	if (fluid_arm_changes(arm, FACTOR_IDLE) && fabs(c->awake_frac) > 0)
		deep = 0.001;
	share(m, FACT_IDLE_DEEP_NS, CPU, deep);
	count(m, FACT_IRQ_TIMER, CPU, 250 + (arm_is_sampling(arm) ? arm->hz : 0));
	count(m, FACT_IRQ_RESCHED, CPU, 40);
	count(m, FACT_SOFTIRQ_NET_RX, CPU, pps / 8);
	count(m, FACT_SOFTNET_PACKETS, CPU, pps);
	share(m, FACT_STEAL_NS, CPU, 0.001);
}

void fluid_facts_make(const struct fluid_config *cfg, const struct arm *arm,
	gsl_rng *rng, struct trial *t)
{
	struct maker m = { .cfg = cfg,
		.rng = rng,
		.t = t,
		.s = (double)t->spec.duration_ns / (double)NS_PER_S };
	double busy_frac = (double)t->cpus[0].busy_ns / (double)t->spec.duration_ns;

	thread_facts(&m, arm, busy_frac);
	facts_add_text(&t->facts, FACT_ENVIRONMENT, "", "HOME=1 PATH=2");
	cpu_facts(&m, arm, busy_frac, t->window_pps);
	facts_add_text(&t->facts, FACT_CLOCK_SOURCE, "", "tsc");
}
