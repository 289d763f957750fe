/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The built-in observer on real work, for observer.bats. Prints KEY=VALUE lines:
 *   observer-live sample HZ SECONDS [RING-BYTES]   a busy process on one CPU
 *   observer-live lost                             a ring that is too small
 *   observer-live count                            threads, some born meanwhile
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "observe/perf_counts.h"
#include "observe/perf_events.h"
#include "observe/perf_sampler.h"
#include "os/perf_decode.h"
#include "os/perf_open.h"

#define N_THREADS 4
#define BUSY_NAME "observer_live_busy"

/* Not static and never inlined: the samples have to say its name. */
void observer_live_busy(void);
__attribute__((noinline)) void observer_live_busy(void)
{
	volatile unsigned int x = 0;

	for (;;)
		x++;
}

static int die(const char *what, const struct sp_err *err)
{
	fprintf(stderr, "%s: %s\n", what, err ? err->msg : strerror(errno));
	return 1;
}

static void sleep_s(double s)
{
	clock_sleep_until_ns(
		&clock_monotonic, clock_now_ns(&clock_monotonic) + (uint64_t)(s * 1e9));
}

/* The highest CPU we may use, and a child that keeps it busy. */
static pid_t start_pinned(int *ret_cpu)
{
	cpu_set_t set;
	pid_t pid;
	int cpu;

	if (sched_getaffinity(0, sizeof(set), &set))
		return -1;
	for (cpu = CPU_SETSIZE - 1; cpu > 0 && !CPU_ISSET((size_t)cpu, &set); cpu--)
		;
	*ret_cpu = cpu;
	pid = fork();
	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		_exit(1);
	observer_live_busy();
	_exit(0);
}

/* Samples of the child, and those of them whose leaf is the busy function. */
static void print_profile(const struct profile *p, pid_t pid)
{
	uint64_t all = 0, child = 0, in_busy = 0;
	size_t i;

	for (i = 0; i < p->n_cells; i++) {
		const struct profile_cell *c = &p->cells[i];
		const struct profile_frame *f = &p->frames[p->nodes[c->node].frame];

		all += c->n_samples;
		if (p->threads[c->thread].pid != pid)
			continue;
		child += c->n_samples;
		if (strcmp(p->symbols[f->symbol].name, BUSY_NAME) == 0)
			in_busy += c->n_samples;
	}
	printf("in_cells=%llu\nchild=%llu\nin_busy=%llu\n", (unsigned long long)all,
		(unsigned long long)child, (unsigned long long)in_busy);
}

static void print_trial(const struct trial *t, const struct profile *p, pid_t pid)
{
	const struct sampling_use *u = &t->sampling;
	uint64_t weight = 0;
	size_t i;

	for (i = 0; i < p->n_cells; i++)
		weight += p->cells[i].weight;
	printf("samples=%llu\nlost=%llu\nthrottled=%llu\n",
		(unsigned long long)u->n_samples, (unsigned long long)u->n_lost,
		(unsigned long long)u->n_throttled);
	if (t->n_counters > 0)
		printf("counted_ns=%llu\n", (unsigned long long)t->counters[0].value);
	printf("weight=%llu\n", (unsigned long long)weight);
	print_profile(p, pid);
}

static int sample_trial(struct perf_sampler *s, const struct observer_target *target,
	double seconds, struct sp_err *err)
{
	struct profile *p = profile_new();
	struct trial t = { .spec = { .id = 1 } };
	int rc = perf_sampler_attach(s, target, err);

	if (rc == 0)
		rc = perf_sampler_begin(s, err);
	if (rc == 0) {
		sleep_s(seconds);
		rc = perf_sampler_end(s, &t, err);
	}
	if (rc == 0)
		rc = perf_sampler_collect(s, &t, p, err);
	if (rc == 0)
		print_trial(&t, p, target->pid);
	trial_done(&t);
	profile_free(p);
	return rc;
}

static int cmd_sample(double hz, double seconds, size_t ring_bytes)
{
	struct run *run = run_new();
	struct perf_sampler_config cfg = {
		.run = run,
		.hz = hz,
		.longest_trial_ns = (uint64_t)(seconds * 1e9),
		.ring_bytes = ring_bytes,
	};
	struct observer_target target = { .n_cpus = 1, .self = getpid() };
	struct perf_sampler *s = NULL;
	struct sp_err err;
	int cpu = 0, rc;

	target.cpus = &cpu;
	target.pid = start_pinned(&cpu);
	if (target.pid < 0)
		return die("fork", NULL);
	cfg.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	perf_rights_probe(cfg.root_fd, &cfg.rights);
	rc = perf_sampler_new(&cfg, &s, &err);
	if (rc == 0)
		rc = sample_trial(s, &target, seconds, &err);
	perf_sampler_free(s);
	(void)kill(target.pid, SIGKILL);
	(void)waitpid(target.pid, NULL, 0);
	(void)close(cfg.root_fd);
	run_free(run);
	return rc ? die("sample", &err) : 0;
}

/* Touch so many new pages: each is one fault, which is one sample. */
static int fault_pages(size_t n)
{
	size_t page = (size_t)sysconf(_SC_PAGESIZE), i;
	volatile char *p = mmap(NULL, n * page, PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (p == MAP_FAILED || madvise((void *)(uintptr_t)p, n * page, MADV_NOHUGEPAGE))
		return -1;
	for (i = 0; i < n; i++)
		p[i * page] = 1;
	return munmap((void *)(uintptr_t)p, n * page);
}

static uint64_t samples_in(const struct perf_ring *r)
{
	static uint8_t scratch[PERF_RECORD_MAX_BYTES];
	struct perf_span span = perf_ring_span(r);
	struct perf_rec rec;
	uint64_t n = 0;
	const void *p;
	size_t size;

	while ((p = perf_span_next(&span, scratch, &size)) != NULL)
		n += perf_decode_record(p, size, &rec) && rec.kind == PERF_REC_SAMPLE;
	return n;
}

/* An event of which it is known how many samples there are: page faults of our
 * own, each of them one, into a ring of a page. */
static int cmd_lost(void)
{
	struct perf_place at = { .tid = getpid(), .cpu = sched_getcpu() };
	struct perf_places places = { .n = 1, .v = &at };
	struct perf_events ev = { .name = "page-faults" };
	struct sp_err err;
	cpu_set_t set;
	int rc;

	CPU_ZERO(&set);
	CPU_SET((size_t)at.cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set))
		return die("sched_setaffinity", NULL);
	perf_attr_init(&ev.attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS);
	ev.attr.exclude_kernel = 1;
	ev.attr.sample_period = 1;
	ev.attr.sample_type = PERF_DECODE_SAMPLE_TYPE;
	ev.attr.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED |
			      PERF_FORMAT_TOTAL_TIME_RUNNING | PERF_FORMAT_LOST;
	rc = perf_events_open(&ev, -1, &places, 4096, &err);
	if (rc == 0)
		rc = perf_events_begin(&ev, &err);
	if (rc == 0 && fault_pages(5000))
		return die("mmap", NULL);
	if (rc == 0)
		rc = perf_events_end(&ev, &err);
	if (rc)
		return die("lost", &err);
	printf("knows_lost=%d\nproduced=%llu\nreceived=%llu\nlost=%llu\n",
		ev.knows_lost, (unsigned long long)ev.v[0].delta.value,
		(unsigned long long)samples_in(&ev.rings[0].ring),
		(unsigned long long)ev.v[0].delta.n_lost);
	perf_events_close(&ev);
	return 0;
}

static void *thread_busy(void *arg)
{
	(void)arg;
	observer_live_busy();
	return NULL;
}

static void start_threads(void)
{
	pthread_t th;
	int i;

	for (i = 0; i < N_THREADS; i++)
		(void)pthread_create(&th, NULL, thread_busy, NULL);
}

/* Four threads at once, four more when the pipe says so. */
static pid_t start_threaded(int *ret_pipe)
{
	int p[2];
	pid_t pid;
	char c;

	if (pipe(p))
		return -1;
	pid = fork();
	if (pid != 0) {
		(void)close(p[0]);
		*ret_pipe = p[1];
		return pid;
	}
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	start_threads();
	if (read(p[0], &c, 1) == 1)
		start_threads();
	for (;;)
		(void)pause();
}

/* CPU time of a process, all its threads, ns. */
static uint64_t cpu_time_ns(pid_t pid)
{
	struct timespec ts = { 0 };
	clockid_t clock;

	if (clock_getcpuclockid(pid, &clock) || clock_gettime(clock, &ts))
		return 0;
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static int count_trial(struct perf_counts *c, const struct observer_target *target,
	int go, struct sp_err *err)
{
	struct trial t = { .spec = { .id = 1 } };
	uint64_t before_ns, truth_ns = 0, counted_ns = 0;
	size_t i;
	int rc = perf_counts_attach(c, target, err);

	before_ns = cpu_time_ns(target->pid);
	if (rc == 0)
		rc = perf_counts_begin(c, err);
	if (rc == 0) {
		sleep_s(0.5);
		if (write(go, "x", 1) != 1)
			return die("write", NULL);
		sleep_s(0.5);
		rc = perf_counts_end(c, &t, err);
		truth_ns = cpu_time_ns(target->pid) - before_ns;
	}
	for (i = 0; i < t.n_counters; i++)
		counted_ns += t.counters[i].value;
	if (rc == 0)
		printf("rows=%zu\ntask_clock_ns=%llu\ncpu_time_ns=%llu\n", t.n_counters,
			(unsigned long long)counted_ns, (unsigned long long)truth_ns);
	trial_done(&t);
	return rc;
}

static int cmd_count(void)
{
	struct run *run = run_new();
	struct perf_counts_config cfg = { .run = run, .events = "task-clock" };
	struct observer_target target = { .self = getpid() };
	struct perf_counts *c = NULL;
	struct sp_err err;
	int go = -1, rc;

	target.pid = start_threaded(&go);
	if (target.pid < 0)
		return die("fork", NULL);
	sleep_s(0.1);
	cfg.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	perf_rights_probe(cfg.root_fd, &cfg.rights);
	cfg.rights.cpu_wide = false; /* follow the threads, also as root */
	rc = perf_counts_new(&cfg, &c, &err);
	if (rc == 0)
		rc = count_trial(c, &target, go, &err);
	perf_counts_free(c);
	(void)kill(target.pid, SIGKILL);
	(void)waitpid(target.pid, NULL, 0);
	(void)close(cfg.root_fd);
	run_free(run);
	return rc ? die("count", &err) : 0;
}

int main(int argc, char **argv)
{
	if (argc >= 4 && strcmp(argv[1], "sample") == 0)
		return cmd_sample(atof(argv[2]), atof(argv[3]),
			argc > 4 ? (size_t)atol(argv[4]) : 0);
	if (argc == 2 && strcmp(argv[1], "count") == 0)
		return cmd_count();
	if (argc == 2 && strcmp(argv[1], "lost") == 0)
		return cmd_lost();
	fprintf(stderr,
		"usage: observer-live sample HZ SECONDS [RING-BYTES] | lost | count\n");
	return 2;
}
