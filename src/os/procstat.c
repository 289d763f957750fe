/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/stat and /proc/PID/task, as proc(5) describes them. */
#include "config.h"

#include "os/procstat.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/pidstat.h"
#include "os/proctree.h"

#define PATH_LEN 96

static bool parse_cpu_line(const char *line, struct procstat_cpu *ret_cpu)
{
	uint64_t v[8] = { 0 }, tick_ns = pidstat_tick_ns();
	char *end;
	int cpu, at = 0;
	size_t i;

	/* "cpu  ..." is the sum of all, and scanf would skip the blanks */
	if (line[3] < '0' || line[3] > '9' || sscanf(line, "cpu%d%n", &cpu, &at) != 1 ||
		line[at] != ' ')
		return false;
	line += at;
	for (i = 0; i < 8; i++, line = end) {
		v[i] = strtoull(line, &end, 10) * tick_ns;
		if (end == line) /* an old kernel with fewer columns */
			break;
	}
	if (i < 4)
		return false;
	/* guest time, the columns after steal, is part of user already */
	*ret_cpu = (struct procstat_cpu){ .cpu = cpu,
		.user_ns = v[0],
		.nice_ns = v[1],
		.system_ns = v[2],
		.idle_ns = v[3],
		.iowait_ns = v[4],
		.irq_ns = v[5],
		.softirq_ns = v[6],
		.steal_ns = v[7] };
	return true;
}

static int read_cpus(int root_fd, struct procstat_snapshot *s, struct sp_err *err)
{
	int fd = openat(root_fd, "proc/stat", O_RDONLY | O_CLOEXEC);
	FILE *f = fd < 0 ? NULL : fdopen(fd, "r");
	struct procstat_cpu cpu;
	char line[512];

	if (f == NULL) {
		(void)sp_err_errno(err, SP_EIO, errno, "cannot read /proc/stat");
		if (fd >= 0)
			(void)close(fd); /* read only */
		return -(int)err->code;
	}
	s->n_cpus = 0;
	/* The CPUs come first; the interrupt line behind them may be huge. */
	while (fgets(line, sizeof(line), f) != NULL && strncmp(line, "cpu", 3) == 0) {
		if (!parse_cpu_line(line, &cpu))
			continue;
		s->cpus = xgrow(s->cpus, s->n_cpus, &s->cap_cpus, sizeof(*s->cpus));
		s->cpus[s->n_cpus++] = cpu;
	}
	(void)fclose(f); /* read only */
	if (s->n_cpus == 0)
		return sp_err_set(err, SP_EIO, "/proc/stat names no CPU");
	return 0;
}

/* The value behind a key of /proc/PID/status, blanks skipped; NULL: there is none. */
static const char *status_value(const char *status, const char *key)
{
	const char *p = strstr(status, key);

	return p == NULL ? NULL : p + strlen(key) + strspn(p + strlen(key), " \t");
}

static uint64_t status_number(const char *status, const char *key, int base)
{
	const char *p = status_value(status, key);

	return p == NULL ? 0 : strtoull(p, NULL, base);
}

static void status_line(const char *status, const char *key, char *buf, size_t len)
{
	const char *p = status_value(status, key);
	size_t n = p == NULL ? 0 : strcspn(p, "\n");

	n = n < len - 1 ? n : len - 1;
	if (n > 0)
		memcpy(buf, p, n);
	buf[n] = '\0';
}

static void parse_status(const char *buf, struct procstat_thread *t)
{
	t->n_voluntary = status_number(buf, "\nvoluntary_ctxt_switches:", 10);
	t->n_involuntary = status_number(buf, "\nnonvoluntary_ctxt_switches:", 10);
	status_line(
		buf, "\nCpus_allowed_list:", t->cpus_allowed, sizeof(t->cpus_allowed));
	status_line(
		buf, "\nMems_allowed_list:", t->mems_allowed, sizeof(t->mems_allowed));
	status_line(buf, "\nSigCgt:", t->signals_caught, sizeof(t->signals_caught));
	t->tracer = (int32_t)status_number(buf, "\nTracerPid:", 10);
	t->rss_bytes = 1024 * status_number(buf, "\nVmRSS:", 10);
	t->has_status = true;
}

/* False when the thread has vanished. */
static bool read_thread(int root_fd, pid_t pid, pid_t tid, struct procstat_thread *t)
{
	char path[PATH_LEN], buf[8192];
	uint64_t run_ns, wait_ns;
	struct pidstat st;
	int len;

	*t = (struct procstat_thread){ .pid = pid, .tid = tid };
	len = snprintf(path, sizeof(path), "proc/%d/task/%d/stat", (int)pid, (int)tid);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0 ||
		!pidstat_parse(buf, &st))
		return false;
	memcpy(t->comm, st.comm, sizeof(t->comm));
	t->cpu = st.cpu;
	t->start_ticks = st.start_ticks;
	t->run_ns = st.run_ns;
	t->n_minor_faults = st.n_minor_faults;
	t->n_major_faults = st.n_major_faults;
	t->nice = st.nice;
	t->policy = st.policy;
	t->rt_priority = st.rt_priority;
	len -= (int)strlen("stat");
	(void)snprintf(path + len, sizeof(path) - (size_t)len, "schedstat");
	/* Absent without CONFIG_SCHED_INFO: then ticks have to do. */
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) > 0 &&
		sscanf(buf, "%" SCNu64 " %" SCNu64, &run_ns, &wait_ns) == 2) {
		t->run_ns = run_ns;
		t->wait_ns = wait_ns;
		t->has_schedstat = true;
	}
	(void)snprintf(path + len, sizeof(path) - (size_t)len, "status");
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) > 0)
		parse_status(buf, t);
	return true;
}

static void read_process(
	int root_fd, pid_t pid, struct proctree_ids *tids, struct procstat_snapshot *s)
{
	struct procstat_thread t;
	size_t i;

	proctree_threads(root_fd, pid, tids);
	for (i = 0; i < tids->n; i++) {
		if (!read_thread(root_fd, pid, tids->ids[i], &t))
			continue;
		s->threads = xgrow(
			s->threads, s->n_threads, &s->cap_threads, sizeof(*s->threads));
		s->threads[s->n_threads++] = t;
	}
}

static int by_tid(const void *a, const void *b)
{
	const struct procstat_thread *x = a, *y = b;

	return (x->tid > y->tid) - (x->tid < y->tid);
}

static void read_threads(int root_fd, pid_t pid, struct procstat_snapshot *s)
{
	struct proctree_ids pids = { 0 }, tids = { 0 };
	size_t i, n = 0;

	proctree_descendants(root_fd, pid, &pids);
	read_process(root_fd, pid, &tids, s);
	for (i = 0; i < pids.n; i++)
		read_process(root_fd, pids.ids[i], &tids, s);
	proctree_ids_done(&pids);
	proctree_ids_done(&tids);
	if (s->n_threads == 0)
		return;
	qsort(s->threads, s->n_threads, sizeof(*s->threads), by_tid);
	/* A process that got a new parent meanwhile was met twice. */
	for (i = 0; i < s->n_threads; i++)
		if (n == 0 || s->threads[i].tid != s->threads[n - 1].tid)
			s->threads[n++] = s->threads[i];
	s->n_threads = n;
}

static int read_timed_cpus(int root_fd, struct procstat_snapshot *s, struct sp_err *err)
{
	uint64_t before_ns = clock_now_ns(&clock_monotonic);
	int rc = read_cpus(root_fd, s, err);

	if (rc == 0)
		s->t_ns = before_ns + (clock_now_ns(&clock_monotonic) - before_ns) / 2;
	return rc;
}

int procstat_read(
	int root_fd, pid_t pid, struct procstat_snapshot *s, struct sp_err *err)
{
	int rc = read_timed_cpus(root_fd, s, err);

	if (rc != 0)
		return rc;
	s->n_threads = 0;
	if (pid > 0)
		read_threads(root_fd, pid, s);
	return 0;
}

int procstat_renew(int root_fd, struct procstat_snapshot *s, struct sp_err *err)
{
	struct procstat_thread now;
	size_t i;
	int rc = read_timed_cpus(root_fd, s, err);

	for (i = 0; rc == 0 && i < s->n_threads; i++) {
		struct procstat_thread *t = &s->threads[i];

		if (read_thread(root_fd, t->pid, t->tid, &now) &&
			now.start_ticks == t->start_ticks)
			*t = now;
	}
	return rc;
}

void procstat_thread_name(
	const struct procstat_snapshot *s, size_t i, char name[PROCSTAT_NAME_MAX])
{
	const char *comm = s->threads[i].comm;
	size_t nth = 1, k;

	for (k = 0; k < i; k++)
		nth += strcmp(s->threads[k].comm, comm) == 0;
	if (nth == 1)
		(void)snprintf(name, PROCSTAT_NAME_MAX, "%s", comm);
	else
		(void)snprintf(name, PROCSTAT_NAME_MAX, "%s#%zu", comm, nth);
}

void procstat_done(struct procstat_snapshot *s)
{
	free(s->cpus);
	free(s->threads);
	*s = (struct procstat_snapshot){ 0 };
}

/* The kernel's idle time may step back a little on some machines. */
static uint64_t minus(uint64_t b, uint64_t a)
{
	return b > a ? b - a : 0;
}

static const struct procstat_cpu *find_cpu(const struct procstat_snapshot *s, int cpu)
{
	size_t i;

	for (i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].cpu == cpu)
			return &s->cpus[i];
	return NULL;
}

bool procstat_cpu_use(const struct procstat_snapshot *a,
	const struct procstat_snapshot *b, int cpu, struct cpu_use *ret_use)
{
	const struct procstat_cpu *x = find_cpu(a, cpu), *y = find_cpu(b, cpu);
	uint64_t idle_ns;

	if (x == NULL || y == NULL) /* was off at an edge: nothing is known */
		return false;
	*ret_use = (struct cpu_use){ .cpu = cpu,
		.wall_ns = minus(b->t_ns, a->t_ns),
		.user_ns =
			minus(y->user_ns, x->user_ns) + minus(y->nice_ns, x->nice_ns),
		.system_ns = minus(y->system_ns, x->system_ns),
		.softirq_ns = minus(y->softirq_ns, x->softirq_ns),
		.irq_ns = minus(y->irq_ns, x->irq_ns),
		.steal_ns = minus(y->steal_ns, x->steal_ns) };
	idle_ns = minus(y->idle_ns, x->idle_ns) + minus(y->iowait_ns, x->iowait_ns);
	ret_use->busy_ns = minus(ret_use->wall_ns, idle_ns);
	return true;
}

const struct procstat_thread *procstat_same_thread(
	const struct procstat_snapshot *a, const struct procstat_thread *y)
{
	const struct procstat_thread *x = NULL;

	if (a->n_threads > 0)
		x = bsearch(y, a->threads, a->n_threads, sizeof(*a->threads), by_tid);
	return x != NULL && x->start_ticks == y->start_ticks ? x : NULL;
}

static void diff_thread(const struct procstat_snapshot *a,
	const struct procstat_thread *y, struct trial *t)
{
	static const struct procstat_thread born = { 0 };
	const struct procstat_thread *x = procstat_same_thread(a, y);
	struct thread_use *u;

	if (x == NULL)
		x = &born;
	t->threads =
		xgrow(t->threads, t->n_threads, &t->cap_threads, sizeof(*t->threads));
	u = &t->threads[t->n_threads++];
	*u = (struct thread_use){ .pid = y->pid,
		.tid = y->tid,
		.cpu = y->cpu,
		.run_ns = minus(y->run_ns, x->run_ns),
		.wait_ns = minus(y->wait_ns, x->wait_ns),
		.n_voluntary = minus(y->n_voluntary, x->n_voluntary),
		.n_involuntary = minus(y->n_involuntary, x->n_involuntary) };
	memcpy(u->comm, y->comm, sizeof(u->comm));
}

void procstat_diff(const struct procstat_snapshot *a, const struct procstat_snapshot *b,
	const int *cpus, size_t n_cpus, struct trial *t)
{
	struct cpu_use use;
	size_t i;

	for (i = 0; i < n_cpus; i++) {
		if (!procstat_cpu_use(a, b, cpus[i], &use))
			continue;
		t->cpus = xgrow(t->cpus, t->n_cpus, &t->cap_cpus, sizeof(*t->cpus));
		t->cpus[t->n_cpus++] = use;
	}
	for (i = 0; i < b->n_threads; i++)
		diff_thread(a, &b->threads[i], t);
}
