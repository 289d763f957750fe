/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What others did on the SUT's CPUs: background load, and a hypervisor that steals. */
#include "config.h"

#include <math.h>

#include "plan/analysis_noise_private.h"
#include "plan/analysis_private.h"
#include "plan/minisweep.h"

/* Less is what interrupts, kernel threads and sampling by ticks leave unexplained. */
#define OTHERS_MIN_FRAC 0.10
#define WAIT_MIN_FRAC   0.05
#define STEAL_MIN_FRAC  0.02

static double of_duration(double ns, const struct trial *t)
{
	return ns / (double)t->spec.duration_ns;
}

/*
 * Time on the SUT's CPUs that neither its threads nor interrupts nor satprof itself
 * account for, per CPU.
 * Work in softirq that hits a running SUT thread counts as both, so this is rather too
 * little.
 */
static double others_frac(const struct trial *t)
{
	double busy = 0;
	size_t i;

	for (i = 0; i < t->n_cpus; i++)
		busy += (double)t->cpus[i].busy_ns - (double)t->cpus[i].softirq_ns -
			(double)t->cpus[i].irq_ns;
	for (i = 0; i < t->n_threads; i++)
		busy -= (double)t->threads[i].run_ns;
	for (i = 0; i < t->facts.n; i++)
		if (t->facts.f[i].key == FACT_BENCH_NS)
			busy -= t->facts.f[i].value;
	return of_duration(busy, t) / (double)t->n_cpus;
}

static double steal_frac(const struct trial *t)
{
	double max = 0;
	size_t i;

	for (i = 0; i < t->n_cpus; i++)
		max = fmax(max, (double)t->cpus[i].steal_ns);
	return of_duration(max, t);
}

/* Medians over the arm's trials at the knee and above, where it needs its CPUs. */
void analysis_load_find(struct analysis *a, uint32_t arm)
{
	struct values others = { 0 }, wait = { 0 }, steal = { 0 };
	double o, w, s;
	size_t i, k;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		for (k = 0; k < m->n_trials && m->arm == arm; k++) {
			const struct trial *t = a->grid[m->first_trial + k];

			if (!analysis_is_saturated(a, m, t) || t->n_cpus == 0 ||
				t->spec.duration_ns == 0)
				continue;
			values_add(&steal, steal_frac(t));
			if (t->n_threads == 0)
				continue;
			values_add(&others, others_frac(t));
			values_add(&wait, minisweep_wait_frac(t));
		}
	}
	o = values_median(&others);
	w = values_median(&wait);
	s = values_median(&steal);
	if (o >= OTHERS_MIN_FRAC && w >= WAIT_MIN_FRAC)
		analysis_noise_add(a, NOISE_LOAD, o)->arm = arm;
	if (s >= STEAL_MIN_FRAC)
		analysis_noise_add(a, NOISE_STEAL, s)->arm = arm;
	values_done(&others);
	values_done(&wait);
	values_done(&steal);
}
