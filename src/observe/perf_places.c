/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPUs or threads to observe. */
#include "config.h"

#include "observe/perf_places.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/proctree.h"

static void places_add(struct perf_places *p, pid_t tid, int cpu)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].tid == tid && p->v[i].cpu == cpu)
			return;
	p->v = xgrow(p->v, p->n, &p->cap, sizeof(*p->v));
	p->v[p->n++] = (struct perf_place){ .tid = tid, .cpu = cpu };
}

void perf_places_done(struct perf_places *p)
{
	free(p->v);
	*p = (struct perf_places){ 0 };
}

/* All threads of pid and of what it started. */
static void sut_threads(int root_fd, pid_t pid, struct proctree_ids *ret_tids)
{
	struct proctree_ids pids = { 0 }, tids = { 0 };
	size_t i, j;

	proctree_descendants(root_fd, pid, &pids);
	proctree_ids_add(&pids, pid);
	for (i = 0; i < pids.n; i++) {
		tids.n = 0;
		proctree_threads(root_fd, pids.ids[i], &tids);
		for (j = 0; j < tids.n; j++)
			proctree_ids_add(ret_tids, tids.ids[j]);
	}
	proctree_ids_done(&pids);
	proctree_ids_done(&tids);
}

/* The CPUs a thread may run on; false when it is gone. */
static bool thread_cpus(pid_t tid, cpu_set_t *ret_set)
{
	CPU_ZERO(ret_set);
	return sched_getaffinity(tid, sizeof(*ret_set), ret_set) == 0;
}

static bool is_target_cpu(const struct observer_target *t, int cpu)
{
	size_t i;

	for (i = 0; i < t->n_cpus; i++)
		if (t->cpus[i] == cpu)
			return true;
	return false;
}

/*
 * A program may bind its threads itself, past the plan. Those CPUs are observed
 * too; a thread that may run anywhere adds none, or the generator's CPU would be
 * in the SUT's profile.
 */
static void add_bound_cpus(
	int root_fd, const struct observer_target *t, struct perf_places *p)
{
	struct proctree_ids tids = { 0 };
	cpu_set_t set;
	size_t i;
	int cpu;

	sut_threads(root_fd, t->pid, &tids);
	for (i = 0; i < tids.n; i++) {
		bool touches_plan = false;

		if (!thread_cpus(tids.ids[i], &set))
			continue;
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			touches_plan |=
				CPU_ISSET((size_t)cpu, &set) && is_target_cpu(t, cpu);
		if (touches_plan)
			continue;
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET((size_t)cpu, &set))
				places_add(p, -1, cpu);
	}
	proctree_ids_done(&tids);
}

static int find_threads(int root_fd, const struct observer_target *t, bool per_cpu,
	struct perf_places *p, struct sp_err *err)
{
	struct proctree_ids tids = { 0 };
	cpu_set_t set;
	size_t i;
	int cpu;

	sut_threads(root_fd, t->pid, &tids);
	for (i = 0; i < tids.n; i++) {
		if (!per_cpu) {
			places_add(p, tids.ids[i], -1);
			continue;
		}
		if (!thread_cpus(tids.ids[i], &set))
			continue;
		for (cpu = 0; cpu < CPU_SETSIZE; cpu++)
			if (CPU_ISSET((size_t)cpu, &set))
				places_add(p, tids.ids[i], cpu);
	}
	proctree_ids_done(&tids);
	if (p->n == 0)
		return sp_err_set(err, SP_EBROKEN,
			"the SUT (process %d) has no threads left to observe",
			(int)t->pid);
	return 0;
}

int perf_places_find(int root_fd, const struct perf_rights *rights,
	const struct observer_target *target, bool per_cpu,
	struct perf_places *ret_places, struct sp_err *err)
{
	struct perf_places p = { .is_cpu_wide =
					 rights->cpu_wide && target->n_cpus > 0 };
	size_t i;
	int rc = 0;

	if (p.is_cpu_wide) {
		for (i = 0; i < target->n_cpus; i++)
			places_add(&p, -1, target->cpus[i]);
		if (target->pid > 0)
			add_bound_cpus(root_fd, target, &p);
	} else if (target->pid > 0) {
		rc = find_threads(root_fd, target, per_cpu, &p, err);
	} else {
		rc = sp_err_set(err, SP_EPERM,
			"there is no SUT process, and this user may not observe whole "
			"CPUs: run as root, or set kernel.perf_event_paranoid=0");
	}
	if (rc) {
		perf_places_done(&p);
		return rc;
	}
	*ret_places = p;
	return 0;
}

static bool has_tid(const struct perf_places *p, pid_t tid)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		if (p->v[i].tid == tid)
			return true;
	return false;
}

bool perf_places_still(
	int root_fd, const struct observer_target *target, const struct perf_places *p)
{
	struct proctree_ids tids = { 0 };
	bool same = true;
	size_t i;

	if (p->is_cpu_wide)
		return true;
	sut_threads(root_fd, target->pid, &tids);
	for (i = 0; i < tids.n; i++)
		same &= has_tid(p, tids.ids[i]);
	proctree_ids_done(&tids);
	return same;
}
