/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The analysis of limits: which CPU or thread of the SUT ran out at the knee, who
 * limited the trials there, and where frames were lost.
 */
#include "config.h"

#include "plan/analysis_private.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/minisweep.h"

/* Trials within this factor of the lowest rate show the SUT at low load. */
#define LOW_RATE_FACTOR 1.05

/* A CPU (cpu >= 0) or the threads of one name, and its use in two sets of trials. */
struct resource {
	int32_t cpu;
	char comm[16];
	struct values saturated, low;
};

struct resource_list {
	struct resource *r;
	size_t n, cap;
};

double analysis_busy_frac(uint64_t busy_ns, const struct trial *t)
{
	if (t->spec.duration_ns == 0)
		return (double)NAN;
	return fmin(1, (double)busy_ns / (double)t->spec.duration_ns);
}

static struct resource *resource_get(
	struct resource_list *l, int32_t cpu, const char *comm)
{
	size_t i;

	for (i = 0; i < l->n; i++)
		if (l->r[i].cpu == cpu && strcmp(l->r[i].comm, comm) == 0)
			return &l->r[i];
	l->r = xgrow(l->r, l->n, &l->cap, sizeof(*l->r));
	l->r[l->n].cpu = cpu;
	(void)snprintf(l->r[l->n].comm, sizeof(l->r[l->n].comm), "%s", comm);
	return &l->r[l->n++];
}

static void resources_done(struct resource_list *l)
{
	size_t i;

	for (i = 0; i < l->n; i++) {
		values_done(&l->r[i].saturated);
		values_done(&l->r[i].low);
	}
	free(l->r);
}

/* A thread counts by the busiest of its name: tids change as the SUT restarts. */
static double thread_use_max(const struct trial *t, const char *comm)
{
	uint64_t max = 0;
	size_t i;

	for (i = 0; i < t->n_threads; i++)
		if (strcmp(t->threads[i].comm, comm) == 0 && t->threads[i].run_ns > max)
			max = t->threads[i].run_ns;
	return analysis_busy_frac(max, t);
}

static bool is_first_of_name(const struct trial *t, size_t thread)
{
	size_t i;

	for (i = 0; i < thread; i++)
		if (strcmp(t->threads[i].comm, t->threads[thread].comm) == 0)
			return false;
	return true;
}

static void resources_take(struct resource_list *l, const struct trial *t, bool is_low)
{
	struct resource *r;
	size_t i;

	for (i = 0; i < t->n_cpus; i++) {
		r = resource_get(l, t->cpus[i].cpu, "");
		values_add(is_low ? &r->low : &r->saturated,
			analysis_busy_frac(t->cpus[i].busy_ns, t));
	}
	for (i = 0; i < t->n_threads; i++) {
		if (!is_first_of_name(t, i))
			continue;
		r = resource_get(l, -1, t->threads[i].comm);
		values_add(is_low ? &r->low : &r->saturated,
			thread_use_max(t, t->threads[i].comm));
	}
}

static bool shows_load(const struct trial *t)
{
	switch (t->spec.kind) {
	case TRIAL_PILOT:
	case TRIAL_GRID:
	case TRIAL_LADDER:
	case TRIAL_LATENCY:
		return t->valid;
	case TRIAL_WARMUP:
	case TRIAL_PROFILE:
	case TRIAL_NDR: /* in one arm only: arms are judged alike */
		break;
	}
	return false;
}

/* The arm's trials at its lowest rate, whatever they were for. */
static void low_rates_take(const struct run *run, uint32_t arm, struct resource_list *l)
{
	double min = (double)INFINITY;
	size_t i;

	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.arm == arm && shows_load(&run->trials[i]))
			min = fmin(min, run->trials[i].spec.rate_pps);
	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.arm == arm && shows_load(&run->trials[i]) &&
			run->trials[i].spec.rate_pps <= LOW_RATE_FACTOR * min)
			resources_take(l, &run->trials[i], true);
}

static int exhausted_cmp(const void *x, const void *y)
{
	const struct analysis_exhausted *a = x, *b = y;

	return (a->busy_frac < b->busy_frac) - (a->busy_frac > b->busy_frac);
}

static bool is_busy_at_low(struct resource *r)
{
	return values_median(&r->low) >= ANALYSIS_EXHAUSTED_FRAC;
}

/* A CPU that is busy at the lowest rate is a polling SUT's only if a thread of the SUT
 * is, too: one pilot trial can have a CPU full of interrupts. Without threads to look
 * at, the CPU has to do. */
static bool may_poll(struct resource_list *l)
{
	size_t i, n_threads = 0;

	for (i = 0; i < l->n; i++) {
		if (l->r[i].cpu >= 0)
			continue;
		n_threads++;
		if (is_busy_at_low(&l->r[i]))
			return true;
	}
	return n_threads == 0;
}

static void exhausted_make(struct resource_list *l, struct analysis_arm *arm)
{
	bool some_poll = may_poll(l);
	size_t i, cap = 0;

	for (i = 0; i < l->n; i++) {
		struct resource *r = &l->r[i];
		double busy = values_median(&r->saturated);
		bool polls = some_poll && is_busy_at_low(r);
		struct analysis_exhausted *e;

		arm->busy_polls |= polls && r->cpu >= 0;
		if (!(busy >= ANALYSIS_EXHAUSTED_FRAC))
			continue;
		arm->exhausted = xgrow(arm->exhausted, arm->n_exhausted, &cap,
			sizeof(*arm->exhausted));
		e = &arm->exhausted[arm->n_exhausted++];
		e->cpu = r->cpu;
		e->busy_frac = busy;
		e->busy_polls = polls;
		if (r->cpu >= 0)
			(void)snprintf(e->what, sizeof(e->what), "cpu %d", (int)r->cpu);
		else
			(void)snprintf(e->what, sizeof(e->what), "thread %s", r->comm);
	}
	if (arm->n_exhausted > 0)
		qsort(arm->exhausted, arm->n_exhausted, sizeof(*arm->exhausted),
			exhausted_cmp);
}

static void drop_add(struct analysis_arm *arm, size_t *cap, enum ledger_point point,
	const char *place, double frac)
{
	size_t i;

	for (i = 0; i < arm->n_drops; i++)
		if (arm->drops[i].point == point &&
			strcmp(arm->drops[i].place, place) == 0)
			break;
	if (i == arm->n_drops) {
		arm->drops = xgrow(arm->drops, i, cap, sizeof(*arm->drops));
		arm->drops[i].point = point;
		(void)snprintf(
			arm->drops[i].place, sizeof(arm->drops[i].place), "%s", place);
		arm->n_drops++;
	}
	arm->drops[i].frac += frac;
}

/* What one ledger lost: the known places, then the rest of each point. */
static void drops_take(
	struct analysis_arm *arm, size_t *cap, const struct ledger *l, double intended)
{
	static const enum ledger_point lost[] = { LEDGER_UNSENT, LEDGER_REFUSED,
		LEDGER_EGRESS_DROP, LEDGER_SUT_DROP, LEDGER_RX_DROP };
	size_t i, k;

	for (i = 0; i < sizeof(lost) / sizeof(lost[0]); i++) {
		uint64_t rest = l->count[lost[i]];

		if (l->source[lost[i]] == LEDGER_ABSENT)
			continue;
		for (k = 0; k < l->n_places; k++) {
			const struct ledger_place *p = &l->places[k];

			if (p->point != lost[i] || p->count > rest)
				continue;
			rest -= p->count;
			drop_add(arm, cap, lost[i], p->name,
				(double)p->count / intended);
		}
		if (rest > 0)
			drop_add(arm, cap, lost[i], ledger_point_name(lost[i]),
				(double)rest / intended);
	}
}

static int drop_cmp(const void *x, const void *y)
{
	const struct analysis_drop *a = x, *b = y;

	return (a->frac < b->frac) - (a->frac > b->frac);
}

/* Over the trials at the knee and above that say something about the SUT. */
static void drops_make(
	struct analysis_arm *arm, const struct trial *const *trials, size_t n)
{
	size_t i, k, cap = 0, n_counted = 0;

	for (i = 0; i < n; i++) {
		double intended = 0;

		for (k = 0; k < trials[i]->n_ledgers; k++)
			intended +=
				(double)trials[i]->ledgers[k].count[LEDGER_INTENDED];
		if (!(intended > 0))
			continue;
		n_counted++;
		for (k = 0; k < trials[i]->n_ledgers; k++)
			drops_take(arm, &cap, &trials[i]->ledgers[k], intended);
	}
	for (i = 0; i < arm->n_drops; i++)
		arm->drops[i].frac /= (double)n_counted;
	if (arm->n_drops > 0)
		qsort(arm->drops, arm->n_drops, sizeof(*arm->drops), drop_cmp);
}

static void arm_limits(const struct run *run, struct analysis *a, uint32_t index)
{
	struct analysis_arm *arm = &a->arms[index];
	const struct trial **saturated = xcalloc(a->n_grid, sizeof(*saturated));
	size_t n_by[LIMITED_RECEIVER + 1] = { 0 }, n = 0, i, k;
	struct resource_list l = { 0 };

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		for (k = 0; k < m->n_trials && m->arm == index; k++) {
			const struct trial *t = a->grid[m->first_trial + k];

			if (!analysis_is_saturated(a, m, t))
				continue;
			n_by[t->limited_by]++;
			if (!minisweep_is_usable(t))
				continue;
			saturated[n++] = t;
			resources_take(&l, t, false);
		}
	}
	n_by[LIMITED_NOT] = 0;
	for (i = LIMITED_SUT; i <= LIMITED_RECEIVER; i++)
		if (n_by[i] > n_by[arm->limited_by])
			arm->limited_by = (enum limited_by)i;
	low_rates_take(run, index, &l);
	exhausted_make(&l, arm);
	drops_make(arm, saturated, n);
	resources_done(&l);
	free(saturated);
}

void analysis_limits_make(const struct run *run, struct analysis *a)
{
	uint32_t i;

	for (i = 0; i < a->n_arms; i++)
		arm_limits(run, a, i);
}
