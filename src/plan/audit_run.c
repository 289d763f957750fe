/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What a run file can be judged by, and all its arms judged. */
#include "config.h"

#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/audit_private.h"

/* The trial that speaks for an arm: the last of its grid with facts, else the last. */
static const struct trial *trial_of(const struct run *run, size_t arm)
{
	const struct trial *any = NULL, *grid = NULL;
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.arm != arm || t->facts.n == 0)
			continue;
		any = t;
		if (t->spec.kind == TRIAL_GRID && t->valid)
			grid = t;
	}
	return grid != NULL ? grid : any;
}

/* A CPU's or a node's number, of a file that may say anything. */
static int small(double v)
{
	return v >= 0 && v < CPULIST_MAX ? (int)v : AUDIT_UNKNOWN;
}

/* A number at the front of a text. */
static int number_of(const char *text, long max)
{
	char *end;
	long v = strtol(text, &end, 10);

	return end != text && v >= 0 && v <= max ? (int)v : AUDIT_UNKNOWN;
}

static uint64_t count_of(double v)
{
	return v >= 0 && v < 1e18 ? (uint64_t)v : 0;
}

static double wall_ns_of(const struct trial *t)
{
	return t->t_end_ns > t->t_start_ns ? (double)(t->t_end_ns - t->t_start_ns) : 0;
}

static struct audit_cpu *cpu_of(struct audit *a, int cpu)
{
	struct audit_cpu *c = audit_find_cpu(a, cpu);

	return c != NULL ? c : audit_add_cpu(a, cpu);
}

static void add_thread(
	struct audit *a, const struct trial *t, const char *of, double cpu)
{
	const struct fact *node = facts_find(&t->facts, FACT_THREAD_NODE, of);
	const struct fact *allowed = facts_find(&t->facts, FACT_CPUS_ALLOWED, of);
	const struct fact *run_ns = facts_find(&t->facts, FACT_RUN_NS, of);
	struct audit_thread *thread = audit_add_thread(a, 0, 0);

	(void)snprintf(thread->comm, sizeof(thread->comm), "%s", of);
	thread->cpu = small(cpu);
	if (node != NULL)
		thread->node = small(node->value);
	if (allowed != NULL)
		thread->has_allowed = cpulist_parse(allowed->text, &thread->allowed);
	if (run_ns != NULL && wall_ns_of(t) > 0)
		thread->busy_frac = run_ns->value / wall_ns_of(t);
	if (thread->cpu >= 0)
		cpu_of(a, thread->cpu)->node = thread->node;
}

/* "irq 24: 0-3; irq 25: 1" */
static void add_irqs(struct audit_nic *nic, const char *text)
{
	char *copy = xstrdup(text), *rest = NULL, *word, *colon;

	for (word = strtok_r(copy, ";", &rest); word != NULL;
		word = strtok_r(NULL, ";", &rest)) {
		const char *digits = strstr(word, "irq ");
		struct audit_irq *irq;
		int number;

		colon = strchr(word, ':');
		if (digits == NULL || colon == NULL)
			continue;
		number = number_of(digits + strlen("irq "), INT_MAX);
		if (number < 0)
			continue;
		irq = audit_add_irq(nic, number, "");
		irq->is_queue = true; /* nobody says otherwise */
		irq->has_cpus =
			cpulist_parse(colon + 1 + strspn(colon + 1, " "), &irq->cpus);
	}
	free(copy);
}

/* "rx-0: 3; rx-1: 0", or "off" */
static void add_rps(struct audit_nic *nic, const char *text)
{
	char *copy = xstrdup(text), *rest = NULL, *word, *colon;

	nic->has_rps = true;
	for (word = strtok_r(copy, ";", &rest); word != NULL;
		word = strtok_r(NULL, ";", &rest)) {
		colon = strchr(word, ':');
		if (colon != NULL &&
			!cpulist_parse_mask(
				colon + 1 + strspn(colon + 1, " "), &nic->rps))
			nic->has_rps = false;
	}
	free(copy);
}

static struct audit_nic *nic_of(struct audit *a, const char *name)
{
	struct audit_nic *nic = audit_find_nic(a, name);

	if (nic == NULL) {
		nic = audit_add_nic(a, name);
		nic->up = true;
		nic->used = true; /* facts are of the SUT's links only */
	}
	return nic;
}

static void add_fact(struct audit *a, const struct trial *t, const struct fact *f)
{
	const enum fact_scope scope = fact_info(f->key)->scope;
	double wall_ns = wall_ns_of(t);
	int id = AUDIT_UNKNOWN; /* of a CPU or a node */

	if (scope == FACT_CPU || scope == FACT_NODE) {
		id = number_of(f->of, CPULIST_MAX - 1);
		if (id < 0)
			return;
	}
	/* Only some facts concern an audit. */
	if (f->key == FACT_THREAD_CPU) {
		add_thread(a, t, f->of, f->value);
	} else if (f->key == FACT_MEMORY_BYTES) {
		audit_add_memory(a, 0, "the SUT", id, f->value);
	} else if (f->key == FACT_BUSY_NS && wall_ns > 0) {
		cpu_of(a, id)->busy_frac = fmin(1, f->value / wall_ns);
	} else if (f->key == FACT_OTHERS_NS && wall_ns > 0) {
		cpu_of(a, id)->others_frac = fmin(1, f->value / wall_ns);
	} else if (f->key == FACT_OTHERS_TOP) {
		struct audit_cpu *c = cpu_of(a, id);

		(void)snprintf(c->others, sizeof(c->others), "%s", f->text);
	} else if (f->key == FACT_LINK_NODE) {
		nic_of(a, f->of)->node = f->value < 0 ? AUDIT_NONE : small(f->value);
	} else if (f->key == FACT_LINK_RPS) {
		add_rps(nic_of(a, f->of), f->text);
	} else if (f->key == FACT_LINK_IRQS) {
		add_irqs(nic_of(a, f->of), f->text);
	} else if (f->key == FACT_NUMA_BALANCING) {
		a->host.numa_balancing = f->value > 0;
	} else if (f->key == FACT_THROTTLED) {
		a->host.has_throttled = true;
		a->host.n_throttled = count_of(f->value);
	} else if (f->key == FACT_THROTTLED_NS) {
		a->host.throttled_ns = count_of(f->value);
	} else if (f->key == FACT_CLOCK_SOURCE) {
		(void)snprintf(a->host.clock_source, sizeof(a->host.clock_source), "%s",
			f->text);
	} else if (f->key == FACT_IDLE_GOVERNOR) {
		(void)snprintf(a->host.idle_governor, sizeof(a->host.idle_governor),
			"%s", f->text);
	}
}

/* A fact of the run, unless one of the trial said it already. */
static void copy_fact(const struct run *run, const char *key, char *to, size_t len)
{
	const char *value = run_fact(run, key);

	if (value != NULL && to[0] == '\0')
		(void)snprintf(to, len, "%s", value); /* cut is fine */
}

static void add_fingerprint(const struct run *run, struct audit *a)
{
	struct audit_host *h = &a->host;
	const char *nodes = run_fact(run, "numa_nodes");

	copy_fact(run, "clocksource", h->clock_source, sizeof(h->clock_source));
	copy_fact(run, "thp", h->thp, sizeof(h->thp));
	copy_fact(run, "idle_driver", h->idle_driver, sizeof(h->idle_driver));
	copy_fact(run, "mitigations", h->mitigations, sizeof(h->mitigations));
	if (nodes != NULL)
		h->n_nodes = number_of(nodes, CPULIST_MAX);
}

static void add_governor(const struct run *run, const struct trial *t, struct audit *a)
{
	const struct fact *f = facts_find(&t->facts, FACT_GOVERNOR, "");
	const char *governor = f != NULL ? f->text : run_fact(run, "governor");
	size_t i;

	for (i = 0; governor != NULL && i < a->n_cpus; i++)
		(void)snprintf(a->cpus[i].governor, sizeof(a->cpus[i].governor), "%s",
			governor);
}

/* What no run file has, and what this one lacks. */
static void add_gaps(const struct trial *t, struct audit *a)
{
	static const enum fact_key wanted[] = { FACT_THREAD_CPU, FACT_THREAD_NODE,
		FACT_CPUS_ALLOWED, FACT_MEMORY_BYTES, FACT_OTHERS_NS, FACT_LINK_NODE,
		FACT_LINK_IRQS, FACT_NUMA_BALANCING, FACT_THROTTLED };
	static const char *const never[] = { "the node of each CPU and interrupt",
		"hardware threads of a core",
		"queues, offloads, rings and drops of NICs", "isolated CPUs",
		"idle states", "control group quota", "irqbalance" };
	static const char why[] = "no run file has it: try satprof audit --pid while "
				  "the SUT runs";
	size_t i, k;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++) {
		for (k = 0; k < t->facts.n && t->facts.f[k].key != wanted[i]; k++)
			;
		if (k == t->facts.n)
			audit_add_gap(a, fact_info(wanted[i])->name,
				"this run has no such fact (%s)",
				fact_info(wanted[i])->source);
	}
	for (i = 0; i < sizeof(never) / sizeof(never[0]); i++)
		audit_add_gap(a, never[i], "%s", why);
}

bool audit_of_run(const struct run *run, size_t arm, struct audit *ret)
{
	const struct trial *t = trial_of(run, arm);
	size_t i;

	audit_init(ret);
	if (t == NULL)
		return false;
	ret->has_sut = true;
	ret->measured_busy = true;
	for (i = 0; i < t->facts.n; i++)
		add_fact(ret, t, &t->facts.f[i]);
	add_fingerprint(run, ret);
	add_governor(run, t, ret);
	add_gaps(t, ret);
	return true;
}

/* A finding and the arms that have it. */
struct merged {
	struct audit_finding f;
	size_t n_arms;
	char arms[160];
};

static void merge(struct merged **list, size_t *n, size_t *cap,
	struct audit_findings *from, const char *arm)
{
	size_t i, k, at;

	for (i = 0; i < from->n; i++) {
		struct audit_finding *f = &from->f[i];

		for (k = 0; k < *n; k++)
			if ((*list)[k].f.id == f->id &&
				strcmp((*list)[k].f.what, f->what) == 0)
				break;
		if (k == *n) {
			*list = xgrow(*list, *n, cap, sizeof(**list));
			(*list)[(*n)++].f = *f;
		} else {
			free(f->what);
			free(f->mend);
		}
		at = strlen((*list)[k].arms);
		(void)snprintf((*list)[k].arms + at, sizeof((*list)[k].arms) - at,
			"%s%s", at > 0 ? ", " : "", arm); /* cut is fine */
		(*list)[k].n_arms++;
	}
	free(from->f);
	*from = (struct audit_findings){ 0 };
}

void audit_judge_run(
	const struct run *run, struct audit_findings *ret, struct audit *gaps)
{
	struct merged *list = NULL;
	size_t n = 0, cap = 0, n_arms = 0, i, k;
	struct audit_findings found = { 0 };
	struct audit a;

	for (i = 0; i < run->n_arms; i++) {
		if (audit_of_run(run, i, &a)) {
			audit_judge(&a, &found);
			merge(&list, &n, &cap, &found, run->arms[i].name);
			n_arms++;
		}
		for (k = 0; gaps != NULL && k < a.n_gaps; k++)
			audit_add_gap(gaps, a.gaps[k].what, "%s", a.gaps[k].why);
		audit_done(&a);
	}
	for (i = 0; i < n; i++) {
		ret->f = xgrow(ret->f, ret->n, &ret->cap, sizeof(*ret->f));
		if (list[i].n_arms < n_arms) {
			char *what =
				xasprintf("%s (with %s)", list[i].f.what, list[i].arms);

			free(list[i].f.what);
			list[i].f.what = what;
		}
		ret->f[ret->n++] = list[i].f;
	}
	free(list);
	audit_sort(ret);
}
