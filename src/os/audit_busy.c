/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How busy CPUs and threads are, and with what: two readings, some time apart. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/audit_private.h"
#include "os/pidstat.h"
#include "os/procstat.h"
#include "os/proctree.h"

/* What a process had run at a reading. */
struct task {
	pid_t pid;
	struct pidstat stat;
};

struct tasks {
	size_t n, cap;
	struct task *t;
};

static void tasks_read(int root_fd, struct tasks *l)
{
	struct proctree_ids pids = { 0 };
	size_t i;

	if (!proctree_all(root_fd, &pids))
		return; /* nobody is named then */
	for (i = 0; i < pids.n; i++) {
		struct task *t;

		l->t = xgrow(l->t, l->n, &l->cap, sizeof(*l->t));
		t = &l->t[l->n];
		t->pid = pids.ids[i];
		if (proctree_stat(root_fd, t->pid, &t->stat))
			l->n++;
	}
	proctree_ids_done(&pids);
}

static bool is_sut(const struct audit *a, pid_t pid)
{
	size_t i;

	for (i = 0; i < a->n_threads; i++)
		if (a->threads[i].pid == pid)
			return true;
	return false;
}

static int by_pid(const void *a, const void *b)
{
	const struct task *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* What it ran since; all of it where it was born in between. before: sorted. */
static uint64_t run_between(const struct tasks *before, const struct task *now)
{
	const struct task *then = NULL;

	if (before->n > 0)
		then = bsearch(now, before->t, before->n, sizeof(*before->t), by_pid);
	if (then == NULL || then->stat.start_ticks != now->stat.start_ticks)
		return now->stat.run_ns;
	return now->stat.run_ns - then->stat.run_ns;
}

/* Who ran most on each CPU, of those who are not the SUT and could be sent away. */
static void others_name(
	struct audit *a, const struct tasks *before, const struct tasks *after)
{
	uint64_t *most = xcalloc(a->n_cpus + 1, sizeof(*most)), ran;
	size_t k;

	if (before->n > 0)
		qsort(before->t, before->n, sizeof(*before->t), by_pid);
	for (k = 0; k < after->n; k++) {
		const struct task *t = &after->t[k];
		struct audit_cpu *c = audit_find_cpu(a, t->stat.cpu);

		if (c == NULL || (t->stat.flags & PIDSTAT_KTHREAD) != 0 ||
			is_sut(a, t->pid))
			continue;
		ran = run_between(before, t);
		if (ran <= most[c - a->cpus])
			continue;
		most[c - a->cpus] = ran;
		c->others_pid = (int)t->pid;
		(void)snprintf(c->others, sizeof(c->others), "%s", t->stat.comm);
	}
	free(most);
}

static void cpus_judge(struct audit *a, const struct trial *t)
{
	size_t i, k;

	for (i = 0; i < t->n_cpus; i++) {
		const struct cpu_use *use = &t->cpus[i];
		struct audit_cpu *c = audit_find_cpu(a, use->cpu);
		double ours_ns = 0;

		if (c == NULL || use->wall_ns == 0)
			continue;
		for (k = 0; k < t->n_threads; k++)
			if (t->threads[k].cpu == c->cpu)
				ours_ns += (double)t->threads[k].run_ns;
		c->busy_frac = (double)use->busy_ns / (double)use->wall_ns;
		c->others_frac =
			((double)use->busy_ns - ours_ns) / (double)use->wall_ns;
		if (c->others_frac < 0)
			c->others_frac = 0;
	}
}

static void threads_judge(struct audit *a, const struct trial *t, uint64_t wall_ns)
{
	size_t i, k;

	for (i = 0; i < a->n_threads; i++)
		for (k = 0; k < t->n_threads; k++)
			if (t->threads[k].tid == a->threads[i].tid) {
				a->threads[i].busy_frac =
					(double)t->threads[k].run_ns / (double)wall_ns;
				a->threads[i].cpu = t->threads[k].cpu;
				a->threads[i].node =
					audit_node_of_cpu(a, t->threads[k].cpu);
			}
}

void audit_busy_read(const struct audit_request *req, struct audit *a)
{
	struct procstat_snapshot x = { 0 }, y = { 0 };
	struct tasks before = { 0 }, after = { 0 };
	int *cpus = xcalloc(a->n_cpus + 1, sizeof(*cpus));
	struct sp_err err = { 0 };
	struct trial t = { 0 };
	size_t i;

	for (i = 0; i < a->n_cpus; i++)
		cpus[i] = a->cpus[i].cpu;
	if (!req->is_live || req->busy_ns == 0) {
		audit_add_gap(a, "how busy CPUs and threads are",
			"a recorded tree is one moment only");
	} else if (procstat_read(req->root_fd, req->pid, &x, &err) != 0) {
		audit_add_gap(a, "how busy CPUs and threads are", "%s", err.msg);
	} else {
		tasks_read(req->root_fd, &before);
		(void)usleep((useconds_t)(req->busy_ns / NS_PER_US)); /* or a signal */
		tasks_read(req->root_fd, &after);
		if (procstat_read(req->root_fd, req->pid, &y, &err) == 0 &&
			y.t_ns > x.t_ns) {
			procstat_diff(&x, &y, cpus, a->n_cpus, &t);
			cpus_judge(a, &t);
			threads_judge(a, &t, y.t_ns - x.t_ns);
			others_name(a, &before, &after);
			a->measured_busy = true;
		}
	}
	procstat_done(&x);
	procstat_done(&y);
	free(before.t);
	free(after.t);
	free(cpus);
	trial_done(&t);
}
