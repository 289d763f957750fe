/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of the audit's rules, and what they have in common. */
#include "config.h"

#include "plan/audit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/audit_private.h"

/* Of one CPU, while the audit looked: less than this is waiting. */
#define ACTIVE_FRAC 0.01

#define ROW(rule, id, severity, why) [AUDIT_RULE_##rule] = { id, AUDIT_##severity, why }

static const struct {
	const char *id;
	enum audit_severity severity;
	const char *why;
} rules[N_AUDIT_RULES] = {
	ROW(THREAD_NODE, "thread-node", PROBLEM,
		"each frame and its descriptor cross between the nodes, so a packet "
		"costs more cycles and the knee comes earlier, while CPU, memory and link "
		"all look free"),
	ROW(MEMORY_NODE, "memory-node", PROBLEM,
		"each cache miss waits for the other node: more time per packet, and "
		"more the fuller the link between the nodes is"),
	ROW(IRQ_NODE, "irq-node", PROBLEM,
		"the kernel's receive work runs on the wrong node, and what it touches "
		"is cold where the packet is used"),
	ROW(RPS_NODE, "rps-node", PROBLEM,
		"received frames are handed to CPUs of another node and their data "
		"crosses between the nodes"),
	ROW(CPU_SHARED, "cpu-shared", PROBLEM,
		"what others take of the SUT's CPU it lacks at the knee, and while "
		"it waits for the CPU its queues overflow"),
	ROW(SMT_SIBLING, "smt-sibling", PROBLEM,
		"two busy hardware threads of one core share its units and caches: "
		"each may get little more than half of it"),
	ROW(CPU_THROTTLED, "cpu-throttled", PROBLEM,
		"the SUT is stopped for milliseconds once its quota is used up, which "
		"looks like saturation and loses frames in bursts"),
	ROW(CLOCK_SOURCE, "clock-source", PROBLEM,
		"reading this clock is a system call or a slow device access, hundreds "
		"of times what a counter costs, and packets are stamped with it"),
	ROW(NIC_NODES, "nic-nodes", ADVICE,
		"a frame that comes in on one and leaves by the other crosses between "
		"the nodes whatever the threads' placement"),
	ROW(IRQ_ON_THREAD, "irq-on-thread", ADVICE,
		"at the knee the interrupts and the thread take this CPU from each "
		"other"),
	ROW(IRQ_ONE_CPU, "irq-one-cpu", ADVICE,
		"the queues are served one after the other: that one CPU saturates "
		"first, whatever the number of queues"),
	ROW(ISOLATED_UNUSED, "isolated-unused", ADVICE,
		"CPUs are kept free of other work, but the SUT runs beside it"),
	ROW(RECEIVE_OFFLOAD, "receive-offload", ADVICE,
		"frames are glued together on receipt: a forwarder sees other packets "
		"than were sent, and packets per second mean nothing"),
	ROW(NIC_DROPS, "nic-drops", ADVICE,
		"frames were lost before any program saw them: at the knee this is "
		"where loss begins if bursts do not fit the ring"),
	ROW(CPU_QUOTA, "cpu-quota", ADVICE,
		"once the quota is used up the SUT is stopped until the next period, "
		"and a sweep would call that saturation"),
	ROW(GOVERNOR, "governor", ADVICE,
		"the clock follows the load with delay, so capacity depends on what ran "
		"just before, and a profiler that keeps the CPU busy seems to help"),
	ROW(IDLE_DEEP, "idle-deep", ADVICE,
		"below the knee a CPU falls asleep between packets and wakes up late: "
		"bursts are lost, and a profiler that keeps it awake seems to help"),
	ROW(NUMA_BALANCING, "numa-balancing", ADVICE,
		"the kernel unmaps pages to see who uses them and moves pages and "
		"threads between nodes during a run"),
	ROW(IRQBALANCE, "irqbalance", ADVICE,
		"it moves interrupts between CPUs every few seconds: two trials of one "
		"run need not have the same placement"),
	ROW(THREAD_ROAMS, "thread-roams", NOTE,
		"the scheduler may move it to another node at any time, and whatever "
		"wakes it (a profiler, too) has a say in where"),
	ROW(RING_SMALL, "ring-small", NOTE,
		"it holds less than a millisecond of frames at a million a second: a "
		"short stall loses frames"),
	ROW(ISOLATED_TICK, "isolated-tick", NOTE,
		"the timer tick still interrupts the isolated CPU some hundred times a "
		"second"),
	ROW(THP, "thp", NOTE,
		"the kernel may stop a thread to compact memory for a huge page, at a "
		"time of its own choosing"),
	ROW(NODE_EMPTY, "node-empty", NOTE,
		"nothing can be on this node with it: the nearest other node is the "
		"best there is"),
};

const char *audit_severity_name(enum audit_severity s)
{
	switch (s) {
	case AUDIT_PROBLEM:
		return "problem";
	case AUDIT_ADVICE:
		return "advice";
	case AUDIT_NOTE:
		break;
	}
	return "note";
}

bool audit_is_plain(const char *name)
{
	return name[0] != '-' &&
	       name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789_.:@/-")] == '\0';
}

void audit_found(struct audit_judge *j, enum audit_rule rule, const char *of,
	char *mend, const char *fmt, ...)
{
	struct audit_findings *out = j->out;
	struct audit_finding *f;
	va_list ap;

	out->f = xgrow(out->f, out->n, &out->cap, sizeof(*out->f));
	f = &out->f[out->n++];
	*f = (struct audit_finding){
		.id = rules[rule].id,
		.severity = rules[rule].severity,
		.why = rules[rule].why,
		.mend = mend,
	};
	if (of[0] != '\0' && !audit_is_plain(of) && strstr(mend, of) != NULL)
		mend[0] = '\0';
	(void)snprintf(f->of, sizeof(f->of), "%s", of); /* cut is fine */
	va_start(ap, fmt);
	f->what = xvasprintf(fmt, ap);
	va_end(ap);
}

void audit_findings_done(struct audit_findings *f)
{
	size_t i;

	for (i = 0; i < f->n; i++) {
		free(f->f[i].what);
		free(f->f[i].mend);
	}
	free(f->f);
	*f = (struct audit_findings){ 0 };
}

bool audit_thread_counts(const struct audit_judge *j, const struct audit_thread *t)
{
	return !j->some_active || !(t->busy_frac < ACTIVE_FRAC);
}

bool audit_nic_counts(const struct audit_judge *j, const struct audit_nic *nic)
{
	return j->some_used ? nic->used : nic->up && !nic->is_virtual;
}

/* Whether a node can do the work of a CPU. */
static bool has_cpus(const struct audit_node *n)
{
	return n->cpus.n > 0;
}

/* The distance to the nearest node with CPUs; UINT64_MAX: not known. */
static uint64_t nearest_distance(const struct audit *a, const struct audit_node *from)
{
	uint64_t least = UINT64_MAX;
	size_t i;

	for (i = 0; from->distances != NULL && i < a->n_nodes; i++)
		if (has_cpus(&a->nodes[i]) && from->distances[i] < least)
			least = from->distances[i];
	return least;
}

bool audit_is_home(const struct audit *a, int node, int at)
{
	const struct audit_node *from = audit_find_node(a, node);
	const struct audit_node *to = audit_find_node(a, at);

	if (node == at || from == NULL || to == NULL)
		return node == at;
	if (has_cpus(from))
		return false;
	/* Where distances are not told every node is as near as any other. */
	return from->distances == NULL ||
	       from->distances[to - a->nodes] <= nearest_distance(a, from);
}

void audit_home_cpus(const struct audit *a, int node, struct cpulist *ret)
{
	size_t i;

	for (i = 0; i < a->n_nodes; i++)
		if (audit_is_home(a, node, a->nodes[i].node))
			cpulist_add_all(ret, &a->nodes[i].cpus);
}

void audit_sut_cpus(const struct audit_judge *j, struct cpulist *ret)
{
	const struct audit *a = j->a;
	size_t i, k;

	for (i = 0; i < a->n_threads; i++) {
		const struct audit_thread *t = &a->threads[i];

		if (!audit_thread_counts(j, t))
			continue;
		if (t->cpu >= 0)
			cpulist_add(ret, t->cpu);
		/* What is allowed may name CPUs that are not there. */
		for (k = 0; k < t->allowed.n; k++)
			if (audit_find_cpu(a, t->allowed.ids[k]) != NULL)
				cpulist_add(ret, t->allowed.ids[k]);
	}
}

void audit_sort(struct audit_findings *f)
{
	struct audit_finding *sorted = xcalloc(f->n + 1, sizeof(*sorted));
	size_t i, n = 0;
	int r;

	for (r = 0; r < N_AUDIT_RULES; r++)
		for (i = 0; i < f->n; i++)
			if (f->f[i].id == rules[r].id)
				sorted[n++] = f->f[i];
	free(f->f);
	f->f = sorted;
	f->cap = f->n + 1;
}

void audit_judge(const struct audit *a, struct audit_findings *ret)
{
	struct audit_judge j = { .a = a, .out = ret };
	size_t i;

	for (i = 0; i < a->n_threads; i++)
		j.some_active |= a->threads[i].busy_frac >= ACTIVE_FRAC;
	for (i = 0; i < a->n_nics; i++)
		j.some_used |= a->nics[i].used;
	audit_judge_threads(&j);
	audit_judge_memory(&j);
	audit_judge_nics(&j);
	audit_judge_cpus(&j);
	audit_judge_host(&j);
	audit_sort(ret);
}
