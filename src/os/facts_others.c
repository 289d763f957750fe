/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whose programs ran on a CPU besides the SUT and satprof. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/pidstat.h"
#include "os/proctree.h"

#define MAX_PROCESSES 4096
#define MAX_CHILDREN  (1u << 20) /* bytes of a list of kernel threads */
#define KTHREADD      2
#define TOP_FRAC      0.01

static int by_id(const void *a, const void *b)
{
	pid_t x = *(const pid_t *)a, y = *(const pid_t *)b;

	return (x > y) - (x < y);
}

/* Half of all processes, found by one file: not to be opened one by one. Those that are
 * missing in it are told by their flags. */
static void add_kernel_threads(
	int root_fd, struct facts_buf *buf, struct proctree_ids *skip)
{
	struct pidstat st;
	const char *p;
	char *end;
	long id;

	if (!proctree_stat(root_fd, KTHREADD, &st) || (st.flags & PIDSTAT_KTHREAD) == 0)
		return; /* in a PID namespace: another program, and no kernel threads */
	proctree_ids_add(skip, KTHREADD);
	if (facts_buf_read(buf, root_fd, "proc/2/task/2/children", MAX_CHILDREN) <= 0)
		return;
	for (p = buf->p;; p = end) {
		id = strtol(p, &end, 10);
		if (end == p)
			break;
		proctree_ids_add(skip, (pid_t)id);
	}
}

/* What its first thread ran, to the nanosecond; 0: not known. */
static uint64_t exact_read(int root_fd, pid_t pid)
{
	char path[64], buf[128];

	(void)snprintf(path, sizeof(path), "proc/%d/schedstat", (int)pid);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0)
		return 0;
	return strtoull(buf, NULL, 10);
}

static int by_pid(const void *a, const void *b)
{
	const struct facts_other *x = a, *y = b;

	return (x->pid > y->pid) - (x->pid < y->pid);
}

/* A program of one thread that has not run since it was read before is as it was, so
 * that of most only the short file is opened. */
static const struct facts_other *unchanged(
	const struct facts_snapshot *s, pid_t pid, uint64_t exact_ns)
{
	const struct facts_other key = { .pid = pid }, *old = NULL;

	if (s->n_old > 0)
		old = bsearch(&key, s->old, s->n_old, sizeof(key), by_pid);
	return old != NULL && exact_ns > 0 && old->exact_ns == exact_ns ? old : NULL;
}

static void other_read(int root_fd, pid_t pid, struct facts_snapshot *s)
{
	uint64_t exact_ns = exact_read(root_fd, pid);
	const struct facts_other *old = unchanged(s, pid, exact_ns);
	struct facts_other o = { .pid = pid };
	struct pidstat st;

	if (old != NULL) {
		o = *old;
	} else {
		if (!proctree_stat(root_fd, pid, &st) ||
			(st.flags & PIDSTAT_KTHREAD) != 0)
			return;
		o.cpu = st.cpu;
		o.start_ticks = st.start_ticks;
		o.ticks_ns = st.run_ns;
		o.exact_ns = st.n_threads == 1 ? exact_ns : 0;
		memcpy(o.comm, st.comm, sizeof(o.comm));
	}
	s->others = xgrow(s->others, s->n_others, &s->cap_others, sizeof(*s->others));
	s->others[s->n_others++] = o;
}

/* What was read before becomes old, and its memory the new list's. */
static void others_age(struct facts_snapshot *s)
{
	struct facts_other *spare = s->old;
	size_t cap = s->cap_old;

	s->old = s->others;
	s->n_old = s->n_others;
	s->cap_old = s->cap_others;
	s->others = spare;
	s->n_others = 0;
	s->cap_others = cap;
}

void facts_others_read(const struct facts_query *q, struct facts_snapshot *s)
{
	struct proctree_ids all = { 0 }, skip = { 0 };
	struct pidstat init;
	size_t i, n_read = 0;

	others_age(s);
	s->all_others = true;
	/* Where others' processes are hidden (hidepid) it would be 0, and wrong. */
	s->knows_others =
		proctree_stat(q->root_fd, 1, &init) && proctree_all(q->root_fd, &all);
	if (s->knows_others) {
		proctree_ids_add(&skip, q->self);
		for (i = 0; i < s->proc->n_threads; i++)
			proctree_ids_add(&skip, s->proc->threads[i].pid);
		add_kernel_threads(q->root_fd, &s->buf, &skip);
		qsort(skip.ids, skip.n, sizeof(*skip.ids), by_id);
	}
	for (i = 0; i < all.n; i++) {
		if (bsearch(&all.ids[i], skip.ids, skip.n, sizeof(*skip.ids), by_id))
			continue;
		if (n_read++ == MAX_PROCESSES) {
			s->all_others = false;
			break;
		}
		other_read(q->root_fd, all.ids[i], s);
	}
	if (s->n_others > 0)
		qsort(s->others, s->n_others, sizeof(*s->others), by_pid);
	proctree_ids_done(&all);
	proctree_ids_done(&skip);
}

static uint64_t ran_ns(const struct facts_snapshot *a, const struct facts_other *y)
{
	const struct facts_other *x = NULL;

	if (a->n_others > 0)
		x = bsearch(y, a->others, a->n_others, sizeof(*a->others), by_pid);
	if (x == NULL || x->start_ticks != y->start_ticks) {
		if (!a->all_others)
			return 0; /* born, or beyond the limit then: not known */
		return y->exact_ns > 0 ? y->exact_ns : y->ticks_ns;
	}
	if (x->exact_ns > 0 && y->exact_ns > 0)
		return y->exact_ns > x->exact_ns ? y->exact_ns - x->exact_ns : 0;
	return y->ticks_ns > x->ticks_ns ? y->ticks_ns - x->ticks_ns : 0;
}

/* What others can have run there at most: its time but for that of the SUT's threads
 * that stayed on it. */
static uint64_t room_ns(
	const struct facts_snapshot *a, const struct facts_snapshot *b, int cpu)
{
	struct cpu_use use;
	uint64_t sut_ns = 0;
	size_t i;

	if (!procstat_cpu_use(a->proc, b->proc, cpu, &use))
		return 0;
	for (i = 0; i < b->proc->n_threads; i++) {
		const struct procstat_thread *y = &b->proc->threads[i];
		const struct procstat_thread *x = procstat_same_thread(a->proc, y);

		if (x != NULL && x->cpu == cpu && y->cpu == cpu &&
			y->run_ns > x->run_ns)
			sut_ns += y->run_ns - x->run_ns;
	}
	return use.busy_ns > sut_ns ? use.busy_ns - sut_ns : 0;
}

static void cpu_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	const uint64_t *ran, int cpu, uint64_t wall_ns, struct facts *fs)
{
	uint64_t sum_ns = 0, top_ns, most_ns = room_ns(a, b, cpu);
	size_t top = 0, i;
	char of[FACT_OF_MAX], text[64];

	for (i = 0; i < b->n_others; i++) {
		if (b->others[i].cpu != cpu)
			continue;
		sum_ns += ran[i];
		if (b->others[top].cpu != cpu || ran[i] > ran[top])
			top = i;
	}
	/* A program of several threads ran elsewhere, too. Busy time is in ticks, so a
	 * sum that is over it by two may be right. */
	if (sum_ns > most_ns + 2 * pidstat_tick_ns())
		sum_ns = most_ns;
	(void)snprintf(of, sizeof(of), "%d", cpu);
	facts_add(fs, FACT_OTHERS_NS, of, (double)sum_ns);
	if (sum_ns == 0 || wall_ns == 0)
		return;
	top_ns = ran[top] < sum_ns ? ran[top] : sum_ns;
	if ((double)top_ns < TOP_FRAC * (double)wall_ns)
		return;
	(void)snprintf(text, sizeof(text), "%s %.0f %%", b->others[top].comm,
		100.0 * (double)top_ns / (double)wall_ns);
	facts_add_text(fs, FACT_OTHERS_TOP, of, text);
}

void facts_others_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs)
{
	uint64_t wall_ns =
		b->proc->t_ns > a->proc->t_ns ? b->proc->t_ns - a->proc->t_ns : 0;
	uint64_t *ran;
	size_t i;

	if (!a->knows_others || !b->knows_others)
		return;
	ran = xcalloc(b->n_others + 1, sizeof(*ran));
	for (i = 0; i < b->n_others; i++)
		ran[i] = ran_ns(a, &b->others[i]);
	for (i = 0; i < b->n_watched; i++)
		cpu_diff(a, b, ran, b->watched[i], wall_ns, fs);
	free(ran);
}
