/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * CPU and thread times from /proc, read through a descriptor of the root folder
 * so that recorded trees replay. Read at trial edges only.
 */
#ifndef SATPROF_OS_PROCSTAT_H
#define SATPROF_OS_PROCSTAT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/fact.h"
#include "model/trial.h"

/* Running totals of one CPU since boot, ns (from /proc/stat's ticks). */
struct procstat_cpu {
	int32_t cpu;
	uint64_t user_ns, nice_ns, system_ns, idle_ns, iowait_ns, irq_ns, softirq_ns,
		steal_ns;
};

/* Running totals of one thread. */
struct procstat_thread {
	int32_t pid, tid;
	char comm[16];
	int32_t cpu;
	uint64_t start_ticks; /* tells a reused tid from the same thread */
	uint64_t run_ns, wait_ns;
	uint64_t n_voluntary, n_involuntary;
	/* For os/facts.h, out of the same files. */
	bool has_schedstat,
		has_status; /* else run_ns has ticks, what follows nothing */
	uint64_t n_minor_faults, n_major_faults;
	int32_t nice;
	uint32_t policy, rt_priority;             /* SCHED_* */
	char cpus_allowed[128], mems_allowed[64]; /* lists, "" where not told */
	char signals_caught[24];                  /* a mask, in hexadecimal */
	int32_t tracer;                           /* a pid, or 0 */
	uint64_t rss_bytes;                       /* of its process */
};

struct procstat_snapshot {
	uint64_t t_ns; /* CLOCK_MONOTONIC when it was read */
	size_t n_cpus, cap_cpus;
	struct procstat_cpu *cpus; /* online ones, ascending */
	size_t n_threads, cap_threads;
	struct procstat_thread *threads; /* ascending by tid */
};

/*
 * Read all CPUs, and the threads of pid and of all its descendants (pid 0: none).
 * *s may be reused: its arrays grow and are kept. Threads that vanish meanwhile
 * are left out.
 */
int procstat_read(
	int root_fd, pid_t pid, struct procstat_snapshot *s, struct sp_err *err);
void procstat_done(struct procstat_snapshot *s);

/*
 * Read the times again, of the same CPUs and threads and no others: the array of
 * threads keeps its order. One that is gone meanwhile keeps what it had.
 */
int procstat_renew(int root_fd, struct procstat_snapshot *s, struct sp_err *err);

#define PROCSTAT_NAME_MAX FACT_OF_MAX
/* "worker" is the first of that name by tid, "worker#2" the second: what facts and what
 * is forced are called by (model/fact.h). */
void procstat_thread_name(
	const struct procstat_snapshot *s, size_t i, char name[PROCSTAT_NAME_MAX]);

/*
 * b - a for the CPUs in cpus[] and for all threads in b, into t->cpus and
 * t->threads (appended). Threads born in between count from 0.
 * busy_ns = wall - idle - iowait, never negative.
 */
void procstat_diff(const struct procstat_snapshot *a, const struct procstat_snapshot *b,
	const int *cpus, size_t n_cpus, struct trial *t);
/* One CPU of it; false where it was off at an edge. */
bool procstat_cpu_use(const struct procstat_snapshot *a,
	const struct procstat_snapshot *b, int cpu, struct cpu_use *ret_use);
/* The same thread at an earlier edge, and no other with its number; NULL: born since.
 * Borrowed from a. */
const struct procstat_thread *procstat_same_thread(
	const struct procstat_snapshot *a, const struct procstat_thread *y);

#endif
