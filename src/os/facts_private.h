/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of os/facts*.c share; for these only. */
#ifndef SATPROF_OS_FACTS_PRIVATE_H
#define SATPROF_OS_FACTS_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "os/facts.h"

/* Memory for whole files, grown and kept. */
struct facts_buf {
	char *p;
	size_t cap;
};

/* What the kernel counts on each CPU, in 32 bits. */
enum facts_tally {
	TALLY_IRQS,
	TALLY_IRQ_TIMER,
	TALLY_IRQ_NMI,
	TALLY_IRQ_PMI,
	TALLY_IRQ_RESCHED,
	TALLY_IRQ_CALL,
	TALLY_NET_RX,
	TALLY_NET_TX,
	TALLY_TIMER,
	TALLY_SCHED,
	TALLY_SOFTNET_PACKETS,
	TALLY_SOFTNET_DROPPED,
	TALLY_SOFTNET_SQUEEZED,
	TALLY_SOFTNET_RPS,
	N_TALLIES,
};

struct facts_cpu {
	int cpu;
	uint32_t has; /* a bit a tally */
	uint32_t n[N_TALLIES];
	bool has_idle, has_thermal;
	uint64_t idle_entries, idle_deep_ns, thermal;
};

/* A thread whose facts are kept. */
struct facts_thread {
	size_t at; /* in proc->threads */
	char name[PROCSTAT_NAME_MAX];
};

/* A program that is neither the SUT nor satprof nor a kernel thread. */
struct facts_other {
	pid_t pid;
	int32_t cpu;
	uint64_t start_ticks;
	uint64_t ticks_ns; /* all its threads, in ticks */
	uint64_t exact_ns; /* where it has just one; else 0 */
	char comm[16];
};

/* A task that the measurement brings with it: ksoftirqd, a thread of satprof. */
struct facts_served {
	pid_t pid, tid;
	int32_t cpu; /* where it is bound to, or last ran */
	bool is_softirqd;
	uint64_t run_ns;
};

/* One that facts_counters has, at an edge. */
struct facts_count {
	bool is_known;
	uint64_t value, enabled_ns, running_ns; /* the latter of events only */
};

struct facts_snapshot {
	const struct procstat_snapshot *proc; /* borrowed */
	struct facts_buf buf;
	size_t n_watched, cap_watched;
	int *watched; /* planned CPUs, and those of threads; ascending */
	size_t n_cpus, cap_cpus;
	struct facts_cpu *cpus; /* all that some file names */
	size_t cap_migrations;
	uint64_t *migrations;          /* as proc->threads; UINT64_MAX: not known */
	bool knows_others, all_others; /* all: none was beyond the limit */
	size_t n_others, cap_others;
	struct facts_other *others; /* by pid */
	size_t n_old, cap_old;
	struct facts_other *old; /* what others was when it was read before */
	bool has_softirqds; /* they were looked for: they are the first n_softirqds */
	size_t n_softirqds, n_served, cap_served;
	struct facts_served *served;
	char *cgroup; /* whose throttling this is, or NULL */
	bool has_throttled;
	uint64_t throttled, throttled_ns;
	bool has_numa_migrated, has_thp_faults;
	uint64_t numa_migrated, thp_faults;
	const struct facts_counters *counters; /* borrowed */
	size_t n_counts, cap_counts;
	struct facts_count *counts; /* as in counters */
	/* At the end only. */
	size_t n_kept, cap_kept;
	struct facts_thread *kept;
	struct facts levels;
};

/* The whole of a file of at most max bytes, with a NUL behind it. Bytes, or -errno. */
ssize_t facts_buf_read(struct facts_buf *b, int root_fd, const char *path, size_t max);
/* What a count grew by: 0 where it fell, as when a part of it is gone. */
double facts_grown(uint64_t from, uint64_t to);
/* A file that begins with a number. */
bool facts_number_read(int root_fd, const char *path, uint64_t *ret_value);
/* "key 12" at a line's start. */
bool facts_keyed_number(const char *text, const char *key, uint64_t *ret_value);

/* The CPU's entry, added when there is none. The pointer holds until the next call. */
struct facts_cpu *facts_cpu_entry(struct facts_snapshot *s, int cpu);
void facts_cpu_tally(struct facts_cpu *c, enum facts_tally t, uint32_t n);
/* Interrupts, softirqs, softnet_stat: every CPU. */
void facts_irq_read(int root_fd, struct facts_snapshot *s);
/* Idle states and thermal events of the watched CPUs. */
void facts_cpu_read(int root_fd, struct facts_snapshot *s);
void facts_cpu_levels(int root_fd, struct facts_snapshot *s);
void facts_cpu_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs);

void facts_others_read(const struct facts_query *q, struct facts_snapshot *s);
/* For the CPUs that b watched. */
void facts_others_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs);

/* ksoftirqd and satprof's own threads. */
void facts_served_read(const struct facts_query *q, struct facts_snapshot *s);
void facts_served_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	int cpu, struct facts *fs);

void facts_thread_read(int root_fd, struct facts_snapshot *s);
/* Chooses the threads to keep. */
void facts_thread_levels(
	int root_fd, const struct facts_snapshot *begin, struct facts_snapshot *s);
void facts_thread_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs);

void facts_process_levels(int root_fd, pid_t pid, struct facts_snapshot *s);
void facts_cgroup_read(int root_fd, pid_t pid, struct facts_snapshot *s);
void facts_cgroup_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs);
/* Of the process its huge pages, of all the SUT's processes the nodes. */
void facts_memory_levels(int root_fd, pid_t pid, struct facts_snapshot *s);

void facts_host_read(int root_fd, struct facts_snapshot *s);
void facts_host_levels(int root_fd, struct facts_snapshot *s);
void facts_host_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs);
void facts_link_levels(const struct facts_query *q, struct facts_snapshot *s);

/* Adds a counter whose count is scale of the fact's unit: an open event, which it owns
 * from now on, or where fd is -1 a file with a number. Those of the same fact add up.
 */
void facts_counters_add(struct facts_counters *cs, enum fact_key key, const char *of,
	double scale, int fd, const char *path);
/* All of that key. */
void facts_counters_drop(struct facts_counters *cs, enum fact_key key);
/* Memory and PCIe. */
void facts_traffic_open(int root_fd, struct facts_counters *cs, struct run *run);
void facts_counters_read(const struct facts_query *q, struct facts_snapshot *s);
void facts_counters_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs);

#define FACTS_NODES "sys/devices/system/node/online"
/* The node of a CPU; -1: not known. */
int facts_node_of(int root_fd, int cpu);

#endif
