/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the SUT's threads. */
#include "config.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/proctree.h"

#define NOT_KNOWN UINT64_MAX

static uint64_t migrations_read(int root_fd, const struct procstat_thread *t)
{
	char path[96], buf[4096];
	const char *p;

	(void)snprintf(
		path, sizeof(path), "proc/%d/task/%d/sched", (int)t->pid, (int)t->tid);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0)
		return NOT_KNOWN;
	p = strstr(buf, "se.nr_migrations");
	p = p != NULL ? strchr(p, ':') : NULL;
	return p != NULL ? strtoull(p + 1, NULL, 10) : NOT_KNOWN;
}

void facts_thread_read(int root_fd, struct facts_snapshot *s)
{
	const struct procstat_snapshot *proc = s->proc;
	size_t i;

	for (i = 0; i < proc->n_threads; i++) {
		s->migrations = xgrow(
			s->migrations, i, &s->cap_migrations, sizeof(*s->migrations));
		s->migrations[i] = migrations_read(root_fd, &proc->threads[i]);
	}
}

static uint64_t minus(uint64_t b, uint64_t a)
{
	return b > a ? b - a : 0;
}

static uint64_t ran_ns(
	const struct facts_snapshot *begin, const struct procstat_thread *y)
{
	const struct procstat_thread *x =
		begin != NULL ? procstat_same_thread(begin->proc, y) : NULL;

	return x != NULL ? minus(y->run_ns, x->run_ns) : y->run_ns;
}

/* Threads before at that ran more, or as much. */
static size_t rank_of(const uint64_t *ran, size_t n, size_t at)
{
	size_t rank = 0, i;

	for (i = 0; i < n; i++)
		rank += ran[i] > ran[at] || (ran[i] == ran[at] && i < at);
	return rank;
}

static void threads_choose(const struct facts_snapshot *begin, struct facts_snapshot *s)
{
	const struct procstat_snapshot *proc = s->proc;
	uint64_t *ran = xcalloc(proc->n_threads + 1, sizeof(*ran));
	size_t i;

	s->n_kept = 0;
	for (i = 0; i < proc->n_threads; i++)
		ran[i] = ran_ns(begin, &proc->threads[i]);
	for (i = 0; i < proc->n_threads; i++) {
		struct facts_thread *k;

		if (proc->n_threads > FACTS_MAX_THREADS &&
			rank_of(ran, proc->n_threads, i) >= FACTS_MAX_THREADS)
			continue;
		s->kept = xgrow(s->kept, s->n_kept, &s->cap_kept, sizeof(*s->kept));
		k = &s->kept[s->n_kept++];
		k->at = i;
		procstat_thread_name(proc, i, k->name);
	}
	free(ran);
}

static void policy_add(
	const struct procstat_thread *t, const char *of, struct facts *fs)
{
	static const char *const names[] = {
		[SCHED_OTHER] = "other",
		[SCHED_FIFO] = "fifo",
		[SCHED_RR] = "rr",
		[SCHED_BATCH] = "batch",
		[SCHED_IDLE] = "idle",
		[SCHED_DEADLINE] = "deadline",
	};
	char text[32];

	if (t->policy >= sizeof(names) / sizeof(names[0]) || names[t->policy] == NULL)
		(void)snprintf(text, sizeof(text), "policy %u", t->policy);
	else if (t->policy == SCHED_FIFO || t->policy == SCHED_RR)
		(void)snprintf(
			text, sizeof(text), "%s %u", names[t->policy], t->rt_priority);
	else
		(void)snprintf(text, sizeof(text), "%s", names[t->policy]);
	facts_add_text(fs, FACT_THREAD_POLICY, of, text);
}

void facts_thread_levels(
	int root_fd, const struct facts_snapshot *begin, struct facts_snapshot *s)
{
	struct facts *fs = &s->levels;
	int nodes[FACTS_MAX_THREADS];
	size_t i, j;

	threads_choose(begin, s);
	for (i = 0; i < s->n_kept; i++) {
		const struct procstat_thread *t = &s->proc->threads[s->kept[i].at];
		const char *of = s->kept[i].name;

		facts_add(fs, FACT_THREAD_CPU, of, t->cpu);
		/* Many threads are on few CPUs: look each one up once. */
		for (j = 0; j < i; j++)
			if (s->proc->threads[s->kept[j].at].cpu == t->cpu)
				break;
		nodes[i] = j < i ? nodes[j] : facts_node_of(root_fd, t->cpu);
		if (nodes[i] >= 0)
			facts_add(fs, FACT_THREAD_NODE, of, nodes[i]);
		if (t->cpus_allowed[0] != '\0')
			facts_add_text(fs, FACT_CPUS_ALLOWED, of, t->cpus_allowed);
		if (t->mems_allowed[0] != '\0')
			facts_add_text(fs, FACT_MEMS_ALLOWED, of, t->mems_allowed);
		policy_add(t, of, fs);
		facts_add(fs, FACT_THREAD_NICE, of, t->nice);
	}
}

/* x: NULL for a thread that was born since. */
static void thread_diff(const struct procstat_thread *x,
	const struct procstat_thread *y, const char *of, struct facts *fs)
{
	static const struct procstat_thread born = {
		.has_schedstat = true,
		.has_status = true,
	};

	if (x == NULL)
		x = &born;
	if (x->has_status && y->has_status) {
		facts_add(fs, FACT_VOLUNTARY, of,
			(double)minus(y->n_voluntary, x->n_voluntary));
		facts_add(fs, FACT_INVOLUNTARY, of,
			(double)minus(y->n_involuntary, x->n_involuntary));
	}
	facts_add(fs, FACT_RUN_NS, of, (double)minus(y->run_ns, x->run_ns));
	if (x->has_schedstat && y->has_schedstat)
		facts_add(fs, FACT_WAIT_NS, of, (double)minus(y->wait_ns, x->wait_ns));
	facts_add(fs, FACT_MINOR_FAULTS, of,
		(double)minus(y->n_minor_faults, x->n_minor_faults));
	facts_add(fs, FACT_MAJOR_FAULTS, of,
		(double)minus(y->n_major_faults, x->n_major_faults));
}

void facts_thread_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs)
{
	size_t i;

	for (i = 0; i < b->n_kept; i++) {
		const struct facts_thread *k = &b->kept[i];
		const struct procstat_thread *y = &b->proc->threads[k->at];
		const struct procstat_thread *x = procstat_same_thread(a->proc, y);
		uint64_t from = 0, to = b->migrations[k->at];

		if (x != NULL)
			from = a->migrations[x - a->proc->threads];
		if (from != NOT_KNOWN && to != NOT_KNOWN)
			facts_add(
				fs, FACT_MIGRATIONS, k->name, (double)minus(to, from));
		thread_diff(x, y, k->name, fs);
	}
}
