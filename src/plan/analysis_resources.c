/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The analysis of resources: how much of each was used at the knee and above, whether
 * it ran out or not.
 */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "plan/analysis_private.h"
#include "plan/minisweep.h"

/* The trials at the knee and above that say something about the SUT. */
struct saturated {
	const struct trial **t;
	size_t n;
};

static void saturated_make(
	const struct analysis *a, uint32_t arm, struct saturated *ret_saturated)
{
	struct saturated s = { xcalloc(a->n_grid, sizeof(*s.t)), 0 };
	size_t i, k;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		for (k = 0; k < m->n_trials && m->arm == arm; k++) {
			const struct trial *t = a->grid[m->first_trial + k];

			if (minisweep_is_usable(t) && analysis_is_saturated(a, m, t))
				s.t[s.n++] = t;
		}
	}
	*ret_saturated = s;
}

double analysis_packets(const struct trial *t)
{
	double n = 0;
	size_t i;

	for (i = 0; i < t->n_ledgers; i++)
		if (t->ledgers[i].source[LEDGER_SUT_IN] != LEDGER_ABSENT)
			n += (double)t->ledgers[i].count[LEDGER_SUT_IN];
	if (n > 0)
		return n;
	return t->window_pps * (double)t->spec.duration_ns / (double)NS_PER_S;
}

/* Median of a fact over the trials; counts per second, of ns per ns. */
static double fact_median(const struct saturated *s, enum fact_key key, const char *of)
{
	const struct fact_info *info = fact_info(key);
	double unit = strcmp(info->unit, "ns") == 0 ? 1 : (double)NS_PER_S, median;
	struct values v = { 0 };
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct fact *f = facts_find(&s->t[i]->facts, key, of);

		if (f != NULL && info->kind == FACT_COUNT)
			values_add(&v,
				f->value * unit / (double)s->t[i]->spec.duration_ns);
		else if (f != NULL)
			values_add(&v, f->value);
	}
	median = values_median(&v);
	values_done(&v);
	return median;
}

/*
 * Busy is a median as in `exhausted`. Its parts are sampled by ticks, of which one
 * trial has few, so these are the sums over all trials; and since they are read over
 * the drain, too, only their proportions count.
 */
static void cpu_make(
	const struct saturated *s, int32_t cpu, struct analysis_cpu_use *ret_use)
{
	struct analysis_cpu_use u = { .cpu = cpu };
	struct values busy = { 0 };
	double sum, scale;
	char of[FACT_OF_MAX];
	size_t i, k;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->t[i]->n_cpus; k++) {
			const struct cpu_use *c = &s->t[i]->cpus[k];

			if (c->cpu != cpu)
				continue;
			values_add(&busy, analysis_busy_frac(c->busy_ns, s->t[i]));
			u.user_frac += (double)c->user_ns;
			u.system_frac += (double)c->system_ns;
			u.softirq_frac += (double)c->softirq_ns;
			u.irq_frac += (double)c->irq_ns;
			u.steal_frac += (double)c->steal_ns;
		}
	u.busy_frac = values_median(&busy);
	values_done(&busy);
	sum = u.user_frac + u.system_frac + u.softirq_frac + u.irq_frac + u.steal_frac;
	scale = sum > 0 ? u.busy_frac / sum : 0;
	u.user_frac *= scale;
	u.system_frac *= scale;
	u.softirq_frac *= scale;
	u.irq_frac *= scale;
	u.steal_frac *= scale;
	(void)snprintf(of, sizeof(of), "%d", (int)cpu);
	u.frequency_hz = fact_median(s, FACT_FREQUENCY_HZ, of);
	u.thermal_per_s = fact_median(s, FACT_THERMAL, of);
	*ret_use = u;
}

static bool has_cpu(const struct analysis_resources *r, int32_t cpu)
{
	size_t i;

	for (i = 0; i < r->n_cpus; i++)
		if (r->cpus[i].cpu == cpu)
			return true;
	return false;
}

static int cpu_cmp(const void *x, const void *y)
{
	const struct analysis_cpu_use *a = x, *b = y;

	return (a->cpu > b->cpu) - (a->cpu < b->cpu);
}

static void cpus_make(const struct saturated *s, struct analysis_resources *r)
{
	size_t i, k, cap = 0;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->t[i]->n_cpus; k++) {
			int32_t cpu = s->t[i]->cpus[k].cpu;

			if (has_cpu(r, cpu))
				continue;
			r->cpus = xgrow(r->cpus, r->n_cpus, &cap, sizeof(*r->cpus));
			cpu_make(s, cpu, &r->cpus[r->n_cpus++]);
		}
	if (r->n_cpus > 0)
		qsort(r->cpus, r->n_cpus, sizeof(*r->cpus), cpu_cmp);
}

/* The busiest of its name: tids change as the SUT restarts. NULL: none. */
static const struct thread_use *busiest(const struct trial *t, const char *comm)
{
	const struct thread_use *best = NULL;
	size_t i;

	for (i = 0; i < t->n_threads; i++)
		if (strcmp(t->threads[i].comm, comm) == 0 &&
			(best == NULL || t->threads[i].run_ns > best->run_ns))
			best = &t->threads[i];
	return best;
}

static void thread_make(const struct saturated *s, const char *comm,
	struct analysis_thread_use *ret_use)
{
	struct values run = { 0 }, wait = { 0 }, wakes = { 0 };
	size_t i;

	for (i = 0; i < s->n; i++) {
		const struct thread_use *u = busiest(s->t[i], comm);

		if (u == NULL)
			continue;
		values_add(&run, analysis_busy_frac(u->run_ns, s->t[i]));
		values_add(&wait, analysis_busy_frac(u->wait_ns, s->t[i]));
		values_add(
			&wakes, units_per_s(u->n_voluntary, s->t[i]->spec.duration_ns));
	}
	(void)snprintf(ret_use->name, sizeof(ret_use->name), "%s", comm);
	ret_use->run_frac = values_median(&run);
	ret_use->wait_frac = values_median(&wait);
	ret_use->off_frac = fmax(0, 1 - ret_use->run_frac - ret_use->wait_frac);
	ret_use->wakes_per_s = values_median(&wakes);
	values_done(&run);
	values_done(&wait);
	values_done(&wakes);
}

static bool has_thread(const struct analysis_resources *r, const char *comm)
{
	size_t i;

	for (i = 0; i < r->n_threads; i++)
		if (strcmp(r->threads[i].name, comm) == 0)
			return true;
	return false;
}

static int thread_cmp(const void *x, const void *y)
{
	const struct analysis_thread_use *a = x, *b = y;

	if (a->run_frac < b->run_frac || a->run_frac > b->run_frac)
		return a->run_frac > b->run_frac ? -1 : 1;
	return strcmp(a->name, b->name);
}

static void threads_make(const struct saturated *s, struct analysis_resources *r)
{
	size_t i, k, cap = 0;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->t[i]->n_threads; k++) {
			const char *comm = s->t[i]->threads[k].comm;

			if (has_thread(r, comm))
				continue;
			r->threads = xgrow(
				r->threads, r->n_threads, &cap, sizeof(*r->threads));
			thread_make(s, comm, &r->threads[r->n_threads++]);
		}
	if (r->n_threads > 0)
		qsort(r->threads, r->n_threads, sizeof(*r->threads), thread_cmp);
}

/* The knee on the wire, with preamble and gap, and what the wire carries. */
static void link_make(const struct run *run, const struct analysis_arm *arm,
	struct analysis_resources *r)
{
	const char *line = run_fact(run, ANALYSIS_LINE_FACT);
	double bytes = run->traffic.mean_frame_bytes;

	r->link_bps = bytes > 0 ? arm->knee_pps * 8 * (bytes + UNITS_L1_EXTRA_BYTES)
				: (double)NAN;
	r->line_bps = line != NULL ? strtod(line, NULL) : (double)NAN;
	if (!(r->line_bps > 0))
		r->line_bps = (double)NAN;
}

/* Full, it is one of what ran out. */
static void link_exhausted(struct analysis_arm *arm, const struct analysis_resources *r)
{
	size_t cap = arm->n_exhausted;
	struct analysis_exhausted *e;

	if (!(r->link_bps >= ANALYSIS_LINK_FULL_FRAC * r->line_bps))
		return;
	arm->exhausted =
		xgrow(arm->exhausted, arm->n_exhausted, &cap, sizeof(*arm->exhausted));
	e = &arm->exhausted[arm->n_exhausted++];
	*e = (struct analysis_exhausted){ .what = "link",
		.cpu = -1,
		.busy_frac = fmin(1, r->link_bps / r->line_bps) };
}

/* Over all of the SUT's CPUs: who waits there waits for what happens anywhere. */
static void locks_make(const struct saturated *s, struct analysis_resources *r)
{
	struct values per_pkt = { 0 }, per_s = { 0 };
	size_t i, k;

	for (i = 0; i < s->n; i++) {
		const struct trial *t = s->t[i];
		double n = (double)NAN;

		for (k = 0; k < t->facts.n; k++)
			if (t->facts.f[k].key == FACT_LOCK_WAITS)
				n = (isnan(n) ? 0 : n) + t->facts.f[k].value;
		if (isnan(n))
			continue;
		values_add(&per_s, n * (double)NS_PER_S / (double)t->spec.duration_ns);
		if (analysis_packets(t) > 0)
			values_add(&per_pkt, n / analysis_packets(t));
	}
	r->lock_waits_per_pkt = values_median(&per_pkt);
	r->lock_waits_per_s = values_median(&per_s);
	values_done(&per_pkt);
	values_done(&per_s);
}

static void package_make(
	const struct saturated *s, const char *of, struct analysis_package_use *ret_use)
{
	*ret_use = (struct analysis_package_use){
		.package = (int32_t)strtol(of, NULL, 10),
		.memory_read_bytes_per_s = fact_median(s, FACT_MEMORY_READ_BYTES, of),
		.memory_write_bytes_per_s = fact_median(s, FACT_MEMORY_WRITE_BYTES, of),
		.memory_traffic_bytes_per_s =
			fact_median(s, FACT_MEMORY_TRAFFIC_BYTES, of),
		.memory_local_bytes_per_s = fact_median(s, FACT_MEMORY_LOCAL_BYTES, of),
		.llc_bytes = fact_median(s, FACT_LLC_BYTES, of),
		.pcie_in_bytes_per_s = fact_median(s, FACT_PCIE_IN_BYTES, of),
		.pcie_out_bytes_per_s = fact_median(s, FACT_PCIE_OUT_BYTES, of),
	};
}

static int package_cmp(const void *x, const void *y)
{
	const struct analysis_package_use *a = x, *b = y;

	return (a->package > b->package) - (a->package < b->package);
}

static bool has_package(const struct analysis_resources *r, const char *of)
{
	size_t i;

	for (i = 0; i < r->n_packages; i++)
		if (r->packages[i].package == (int32_t)strtol(of, NULL, 10))
			return true;
	return false;
}

static void packages_make(const struct saturated *s, struct analysis_resources *r)
{
	size_t i, k, cap = 0;

	for (i = 0; i < s->n; i++)
		for (k = 0; k < s->t[i]->facts.n; k++) {
			const struct fact *f = &s->t[i]->facts.f[k];

			if (fact_info(f->key)->scope != FACT_PACKAGE ||
				has_package(r, f->of))
				continue;
			r->packages = xgrow(
				r->packages, r->n_packages, &cap, sizeof(*r->packages));
			package_make(s, f->of, &r->packages[r->n_packages++]);
		}
	if (r->n_packages > 0)
		qsort(r->packages, r->n_packages, sizeof(*r->packages), package_cmp);
}

/* Nothing that is measured ran out, so what limits is not the use of a resource. */
static bool waits(const struct analysis_arm *arm, const struct analysis_resources *r)
{
	size_t i;

	if (arm->bound != HINGE_EXACT || arm->n_exhausted > 0 || r->n_cpus == 0 ||
		arm->limited_by == LIMITED_GENERATOR ||
		arm->limited_by == LIMITED_RECEIVER ||
		r->throttled_frac >= ANALYSIS_THROTTLED_FRAC)
		return false;
	for (i = 0; i < r->n_cpus; i++)
		if (r->cpus[i].thermal_per_s > 0)
			return false;
	return true;
}

void analysis_resources_make(const struct run *run, struct analysis *a)
{
	uint32_t i;

	for (i = 0; i < a->n_arms; i++) {
		struct analysis_resources *r = &a->arms[i].resources;
		struct saturated s;

		saturated_make(a, i, &s);
		cpus_make(&s, r);
		threads_make(&s, r);
		link_make(run, &a->arms[i], r);
		link_exhausted(&a->arms[i], r);
		locks_make(&s, r);
		packages_make(&s, r);
		r->throttled_frac = fact_median(&s, FACT_THROTTLED_NS, "");
		r->waits = waits(&a->arms[i], r);
		free(s.t);
	}
}
