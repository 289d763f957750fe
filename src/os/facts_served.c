/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What ran on a CPU for the measurement itself: ksoftirqd and satprof's own threads. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/pidstat.h"
#include "os/proctree.h"

#define MAX_CHILDREN (1u << 20) /* bytes of a list of kernel threads */

static bool task_read(int root_fd, struct facts_served *t, char *comm, size_t len)
{
	struct pidstat st;
	char path[96], buf[1024];

	(void)snprintf(
		path, sizeof(path), "proc/%d/task/%d/stat", (int)t->pid, (int)t->tid);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0 ||
		!pidstat_parse(buf, &st))
		return false;
	(void)snprintf(comm, len, "%s", st.comm);
	t->cpu = st.cpu;
	t->run_ns = st.run_ns;
	(void)snprintf(path, sizeof(path), "proc/%d/task/%d/schedstat", (int)t->pid,
		(int)t->tid);
	/* Without it ticks have to do. */
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) > 0)
		(void)sscanf(buf, "%" SCNu64, &t->run_ns);
	return true;
}

static void add(struct facts_snapshot *s, const struct facts_served *t)
{
	s->served = xgrow(s->served, s->n_served, &s->cap_served, sizeof(*s->served));
	s->served[s->n_served++] = *t;
}

/* Once: they stay as long as the machine runs. */
static void softirqds_find(int root_fd, struct facts_snapshot *s)
{
	struct facts_served t = { .is_softirqd = true };
	char comm[16], *end;
	const char *p;

	s->has_softirqds = true;
	if (facts_buf_read(&s->buf, root_fd, "proc/2/task/2/children", MAX_CHILDREN) <=
		0)
		return;
	for (p = s->buf.p;; p = end) {
		t.pid = t.tid = (pid_t)strtol(p, &end, 10);
		if (end == p)
			break;
		if (task_read(root_fd, &t, comm, sizeof(comm)) &&
			strncmp(comm, "ksoftirqd/", strlen("ksoftirqd/")) == 0)
			add(s, &t);
	}
	s->n_softirqds = s->n_served;
}

void facts_served_read(const struct facts_query *q, struct facts_snapshot *s)
{
	struct proctree_ids tids = { 0 };
	char comm[16];
	size_t i;

	if (!s->has_softirqds)
		softirqds_find(q->root_fd, s);
	s->n_served = s->n_softirqds;
	for (i = 0; i < s->n_softirqds; i++)
		(void)task_read(q->root_fd, &s->served[i], comm, sizeof(comm));
	proctree_threads(q->root_fd, q->self, &tids);
	for (i = 0; i < tids.n; i++) {
		struct facts_served t = { .pid = q->self, .tid = tids.ids[i] };

		if (task_read(q->root_fd, &t, comm, sizeof(comm)))
			add(s, &t);
	}
	proctree_ids_done(&tids);
}

static uint64_t ran_ns(const struct facts_snapshot *a, const struct facts_served *y)
{
	size_t i;

	for (i = 0; i < a->n_served; i++)
		if (a->served[i].tid == y->tid)
			return y->run_ns > a->served[i].run_ns
				       ? y->run_ns - a->served[i].run_ns
				       : 0;
	return y->is_softirqd ? 0 : y->run_ns; /* a thread of ours, born meanwhile */
}

void facts_served_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	int cpu, struct facts *fs)
{
	uint64_t bench_ns = 0, softirqd_ns = 0;
	bool has_softirqd = false;
	char of[FACT_OF_MAX];
	size_t i;

	(void)snprintf(of, sizeof(of), "%d", cpu);
	for (i = 0; i < b->n_served; i++) {
		const struct facts_served *t = &b->served[i];

		if (t->cpu != cpu)
			continue;
		has_softirqd |= t->is_softirqd;
		*(t->is_softirqd ? &softirqd_ns : &bench_ns) += ran_ns(a, t);
	}
	if (b->n_served > b->n_softirqds)
		facts_add(fs, FACT_BENCH_NS, of, (double)bench_ns);
	if (has_softirqd)
		facts_add(fs, FACT_SOFTIRQD_NS, of, (double)softirqd_ns);
}
