/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about where the SUT's threads and their memory are. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "plan/audit_private.h"

#define LIST_MAX 200
#define MIB      (1024.0 * 1024)

/* Less than this on another node is chance: stacks, what was touched at the start. */
#define REMOTE_MIN_BYTES MIB
#define REMOTE_MIN_FRAC  0.2
/* A run file's bytes hold what is shared by files, too, which lies anywhere. */
#define REMOTE_MIN_RUN_BYTES (8 * MIB)

/* Threads of one process on one node that share a fault. */
struct group {
	const struct audit_thread *first;
	size_t n;
	struct cpulist cpus; /* where they ran */
	char *tids;          /* "101 102" */
};

static void group_done(struct group *g)
{
	cpulist_done(&g->cpus);
	free(g->tids);
}

static void group_make(const struct audit_judge *j, const struct audit_thread *first,
	bool (*is_faulty)(const struct audit_judge *, const struct audit_thread *),
	struct group *g)
{
	size_t i;
	char *tids;

	*g = (struct group){ .first = first, .tids = xstrdup("") };
	for (i = 0; i < j->a->n_threads; i++) {
		const struct audit_thread *t = &j->a->threads[i];

		if (t->pid != first->pid || t->node != first->node || !is_faulty(j, t))
			continue;
		if (t->tid == 0 && t != first) /* of a run: no process is known */
			continue;
		if (t < first) { /* told with an earlier one */
			g->n = 0;
			return;
		}
		g->n++;
		cpulist_add(&g->cpus, t->cpu);
		tids = xasprintf("%s%s%d", g->tids, g->n > 1 ? " " : "", t->tid);
		free(g->tids);
		g->tids = tids;
	}
}

/* "thread fwd (tid 101)", "3 threads of fwd (tids 101 102 103)". */
static char *group_name(const struct group *g)
{
	if (g->first->tid == 0) /* a run file has names only */
		return xasprintf("thread %s", g->first->comm);
	if (g->n == 1)
		return xasprintf("thread %s (tid %s)", g->first->comm, g->tids);
	return xasprintf("%zu threads of %s (tids %s)", g->n, g->first->comm, g->tids);
}

/* The command that pins them there; "" where nobody knows the CPUs or the threads. */
static char *group_pin(const struct group *g, const struct cpulist *cpus)
{
	char *list, *pin;

	if (cpus->n == 0 || g->first->tid == 0)
		return xstrdup("");
	list = cpulist_text(cpus);
	pin = g->n == 1 ? xasprintf("sudo taskset -pc %s %s", list, g->tids)
			: xasprintf("for t in %s; do sudo taskset -pc %s $t; done",
				  g->tids, list);
	free(list);
	return pin;
}

/* The nodes of the interfaces that count. */
static void nic_nodes(const struct audit_judge *j, struct cpulist *ret)
{
	size_t i;

	for (i = 0; i < j->a->n_nics; i++)
		if (audit_nic_counts(j, &j->a->nics[i]))
			cpulist_add(
				ret, j->a->nics[i].node); /* none: changes nothing */
}

static bool is_off_nic(const struct audit_judge *j, const struct audit_thread *t)
{
	struct cpulist nodes = { 0 };
	bool is_off;
	size_t i;

	if (t->node < 0 || !audit_thread_counts(j, t))
		return false;
	nic_nodes(j, &nodes);
	is_off = nodes.n > 0;
	for (i = 0; i < nodes.n; i++)
		is_off &= !audit_is_home(j->a, nodes.ids[i], t->node);
	cpulist_done(&nodes);
	return is_off;
}

/* "nic0 is on node 1", "nic0, nic1 are on nodes 1-2". */
static char *nics_where(const struct audit_judge *j, const struct cpulist *nodes)
{
	char list[LIST_MAX], names[LIST_MAX] = "";
	size_t i, n = 0, at = 0;

	for (i = 0; i < j->a->n_nics; i++) {
		const struct audit_nic *nic = &j->a->nics[i];

		if (!audit_nic_counts(j, nic) || nic->node < 0)
			continue;
		if (at < sizeof(names))
			at += (size_t)snprintf(names + at, sizeof(names) - at, "%s%s",
				n > 0 ? ", " : "", nic->name);
		n++;
	}
	return xasprintf("%s %s on node%s %s", names, n == 1 ? "is" : "are",
		units_s(nodes->n), cpulist_format(nodes, list, sizeof(list)));
}

/* Bytes of a process on a node. */
static double bytes_on(const struct audit *a, int pid, int node)
{
	size_t i;

	for (i = 0; i < a->n_memory; i++)
		if (a->memory[i].pid == pid && a->memory[i].node == node)
			return a->memory[i].bytes;
	return 0;
}

/* Adds the node or, where it has no memory, the nearest that have. */
static void memory_near(const struct audit *a, int at, struct cpulist *ret)
{
	const struct audit_node *node = audit_find_node(a, at);
	uint64_t least = UINT64_MAX;
	size_t k;

	/* NAN is not known: most nodes have some. */
	if (node == NULL || !(node->memory_bytes <= 0)) {
		cpulist_add(ret, at);
		return;
	}
	for (k = 0; node->distances != NULL && k < a->n_nodes; k++)
		if (!(a->nodes[k].memory_bytes <= 0) && node->distances[k] < least)
			least = node->distances[k];
	for (k = 0; k < a->n_nodes; k++)
		if (!(a->nodes[k].memory_bytes <= 0) &&
			(node->distances == NULL || node->distances[k] == least))
			cpulist_add(ret, a->nodes[k].node);
}

/* To the NIC's node, and what memory lies where the threads were with them. */
static char *move_command(const struct audit_judge *j, const struct group *g, int to)
{
	struct cpulist home = { 0 }, memory = { 0 };
	char *pin, *both;
	size_t i;
	int from = g->first->node, near = from;

	/* Of nodes that are equally near one is chosen: the first with CPUs. */
	for (i = 0; i < j->a->n_nodes && home.n == 0; i++)
		if (audit_is_home(j->a, to, j->a->nodes[i].node)) {
			cpulist_add_all(&home, &j->a->nodes[i].cpus);
			if (home.n > 0)
				memory_near(j->a, j->a->nodes[i].node, &memory);
		}
	if (memory.n > 0)
		near = memory.ids[0];
	pin = group_pin(g, &home);
	cpulist_done(&home);
	cpulist_done(&memory);
	if (pin[0] == '\0' || g->first->pid == 0 || near == from ||
		bytes_on(j->a, g->first->pid, from) < REMOTE_MIN_BYTES)
		return pin;
	both = xasprintf(
		"%s; sudo migratepages %d %d %d", pin, g->first->pid, from, near);
	free(pin);
	return both;
}

static void off_nic_found(struct audit_judge *j, struct group *g)
{
	struct cpulist nodes = { 0 };
	char list[LIST_MAX], *name = group_name(g), *where;

	nic_nodes(j, &nodes);
	where = nics_where(j, &nodes);
	(void)cpulist_format(&g->cpus, list, sizeof(list));
	audit_found(j, AUDIT_RULE_THREAD_NODE, g->first->comm,
		move_command(j, g, nodes.ids[0]),
		"%s %s on CPU%s %s of node %d, but %s", name,
		g->n == 1 ? "runs" : "run", units_s(g->cpus.n), list, g->first->node,
		where);
	free(name);
	free(where);
	cpulist_done(&nodes);
}

/* May run on another node than the one where it is well. */
static bool roams(const struct audit_judge *j, const struct audit_thread *t)
{
	size_t i;

	if (!audit_thread_counts(j, t) || is_off_nic(j, t) || t->node < 0)
		return false;
	for (i = 0; i < t->allowed.n; i++) {
		int node = audit_node_of_cpu(j->a, t->allowed.ids[i]);

		if (node >= 0 && node != t->node)
			return true;
	}
	return false;
}

static void roaming_found(struct audit_judge *j, struct group *g)
{
	const struct audit_node *node = audit_find_node(j->a, g->first->node);
	char list[LIST_MAX], *name = group_name(g);

	(void)cpulist_format(&g->first->allowed, list, sizeof(list));
	audit_found(j, AUDIT_RULE_THREAD_ROAMS, g->first->comm,
		node != NULL ? group_pin(g, &node->cpus) : xstrdup(""),
		"%s may run on CPUs %s, which are on several nodes", name, list);
	free(name);
}

static bool is_off_isolated(const struct audit_judge *j, const struct audit_thread *t)
{
	return t->cpu >= 0 && audit_thread_counts(j, t) &&
	       !cpulist_has(&j->a->host.isolated, t->cpu);
}

/* The isolated CPUs beside the NIC; all of them where none is. */
static void isolated_near(const struct audit_judge *j, struct cpulist *ret)
{
	const struct cpulist *isolated = &j->a->host.isolated;
	struct cpulist nodes = { 0 };
	size_t i, k;

	nic_nodes(j, &nodes);
	for (i = 0; i < isolated->n; i++)
		for (k = 0; k < nodes.n; k++)
			if (audit_is_home(j->a, nodes.ids[k],
				    audit_node_of_cpu(j->a, isolated->ids[i])))
				cpulist_add(ret, isolated->ids[i]);
	if (ret->n == 0)
		cpulist_add_all(ret, isolated);
	cpulist_done(&nodes);
}

static void off_isolated_found(struct audit_judge *j, struct group *g)
{
	char cpus[LIST_MAX], isolated[LIST_MAX], *name = group_name(g);
	struct cpulist near = { 0 };

	isolated_near(j, &near);
	(void)cpulist_format(&g->cpus, cpus, sizeof(cpus));
	(void)cpulist_format(&j->a->host.isolated, isolated, sizeof(isolated));
	audit_found(j, AUDIT_RULE_ISOLATED_UNUSED, g->first->comm, group_pin(g, &near),
		"%s %s on CPU%s %s, but CPU%s %s %s isolated", name,
		g->n == 1 ? "runs" : "run", units_s(g->cpus.n), cpus,
		units_s(j->a->host.isolated.n), isolated,
		j->a->host.isolated.n == 1 ? "is" : "are");
	free(name);
	cpulist_done(&near);
}

static void each_group(struct audit_judge *j,
	bool (*is_faulty)(const struct audit_judge *, const struct audit_thread *),
	void (*found)(struct audit_judge *, struct group *))
{
	struct group g;
	size_t i;

	for (i = 0; i < j->a->n_threads; i++) {
		if (!is_faulty(j, &j->a->threads[i]))
			continue;
		group_make(j, &j->a->threads[i], is_faulty, &g);
		if (g.n > 0)
			found(j, &g);
		group_done(&g);
	}
}

void audit_judge_threads(struct audit_judge *j)
{
	each_group(j, is_off_nic, off_nic_found);
	each_group(j, roams, roaming_found);
	if (j->a->host.isolated.n > 0)
		each_group(j, is_off_isolated, off_isolated_found);
}

/* The nodes where a process runs, and where its memory should be: the same ones, or the
 * nearest that have any. */
static void memory_home(const struct audit_judge *j, int pid, struct cpulist *ret_runs,
	struct cpulist *ret_home)
{
	const struct audit *a = j->a;
	size_t i;

	for (i = 0; i < a->n_threads; i++) {
		const struct audit_thread *t = &a->threads[i];

		if (t->pid != pid || t->node < 0 || !audit_thread_counts(j, t))
			continue;
		cpulist_add(ret_runs, t->node);
		memory_near(a, t->node, ret_home);
	}
}

static void remote_found(struct audit_judge *j, const struct audit_memory *of,
	double pct, const struct cpulist *runs, const struct cpulist *home,
	const struct cpulist *away)
{
	char at[LIST_MAX], here[LIST_MAX], there[LIST_MAX], *nearest, *mend;

	(void)cpulist_format(runs, at, sizeof(at));
	(void)cpulist_format(home, here, sizeof(here));
	(void)cpulist_format(away, there, sizeof(there));
	nearest = strcmp(at, here) == 0
			  ? xstrdup("")
			  : xasprintf(", whose nearest memory is on node%s %s",
				    units_s(home->n), here);
	mend = of->pid == 0
		       ? xstrdup("") /* of a run: it is over */
		       : xasprintf("sudo migratepages %d %s %s", of->pid, there, here);
	audit_found(j, AUDIT_RULE_MEMORY_NODE, of->comm, mend,
		"%.0f %% of the memory of %s is on node%s %s, but it runs on node%s "
		"%s%s",
		pct, of->comm, units_s(away->n), there, units_s(runs->n), at, nearest);
	free(nearest);
}

static void memory_of(struct audit_judge *j, const struct audit_memory *of)
{
	struct cpulist runs = { 0 }, home = { 0 }, away = { 0 };
	double all = 0, remote = 0;
	size_t i;

	memory_home(j, of->pid, &runs, &home);
	for (i = 0; i < j->a->n_memory; i++) {
		const struct audit_memory *m = &j->a->memory[i];

		if (m->pid != of->pid)
			continue;
		all += m->bytes;
		if (cpulist_has(&home, m->node) || m->bytes <= 0)
			continue;
		remote += m->bytes;
		cpulist_add(&away, m->node);
	}
	if (home.n > 0 && remote >= REMOTE_MIN_FRAC * all &&
		remote >= (of->pid == 0 ? REMOTE_MIN_RUN_BYTES : REMOTE_MIN_BYTES))
		remote_found(j, of, 100 * remote / all, &runs, &home, &away);
	cpulist_done(&runs);
	cpulist_done(&home);
	cpulist_done(&away);
}

void audit_judge_memory(struct audit_judge *j)
{
	size_t i, k;

	for (i = 0; i < j->a->n_memory; i++) {
		for (k = 0; k < i && j->a->memory[k].pid != j->a->memory[i].pid; k++)
			;
		if (k == i) /* each process once */
			memory_of(j, &j->a->memory[i]);
	}
}
