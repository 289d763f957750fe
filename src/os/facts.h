/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The facts of a trial (model/fact.h) from /proc and /sys, through a descriptor of the
 * root folder so that recorded trees replay. Read at the trial's edges, alike in all
 * arms; what this kernel or this user cannot read is left out.
 *
 * Main thread. No file it reads waits for anything, but for the frequency on some
 * kernels before 5.18: a look at it may sleep 10 ms a CPU, so it is read at the end
 * only, and no more of it after 20 ms. Sizes are bounded: the SUT's memory is not
 * walked where 2 GiB of it are resident, a list of other processes ends at 4096.
 *
 * What no file counts, counters do that count from before the first trial on: waits for
 * kernel locks (a software event, which costs only who waits), and the bytes that pass
 * memory and PCIe (PMUs outside of the cores, which cost nobody). They run alike in all
 * arms.
 *
 * CPU time of the first edge on a virtual machine of two CPUs, kernel 6.18: 1.2 ms with
 * 110 processes, 2.8 ms with 225, three quarters of it for the 165 that are others; of
 * the last edge 0.2 ms more. Those that have not run since the trial before cost least.
 */
#ifndef SATPROF_OS_FACTS_H
#define SATPROF_OS_FACTS_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "model/run.h"
#include "os/procstat.h"

#define FACTS_MAX_LINKS   2
#define FACTS_MAX_THREADS 32 /* those that ran most, where there are more */

struct facts_link {
	const char *name; /* NULL: none; borrowed */
	int ifindex;      /* a namesake in another namespace is not looked at */
};

/* Counters that run all the time. */
struct facts_counters;

/* Opens what there is of them on these CPUs and on all packages: what there is none of
 * stays absent, and what is refused is a note in the run. Never NULL. */
struct facts_counters *facts_counters_open(
	int root_fd, const int *cpus, size_t n_cpus, struct run *run);
void facts_counters_close(struct facts_counters *c); /* NULL is a no-op */

struct facts_query {
	int root_fd;
	pid_t pid;       /* root of the SUT's tree; 0: none */
	pid_t self;      /* satprof, whose time is nobody else's */
	const int *cpus; /* that the SUT is to run on; borrowed */
	size_t n_cpus;
	struct facts_link links[FACTS_MAX_LINKS]; /* the SUT's */
	const struct facts_counters *counters;    /* NULL: none; borrowed */
};

/* One edge; its buffers are kept when it is read again. */
struct facts_snapshot;

struct facts_snapshot *facts_snapshot_new(void);
void facts_snapshot_free(struct facts_snapshot *s); /* NULL is a no-op */

/*
 * Read one edge. proc: the same edge, with the threads of q->pid; borrowed until
 * facts_diff() has returned. begin: the first edge of the trial, or NULL where this is
 * the first: levels and texts are read at the end only.
 */
void facts_snapshot_read(const struct facts_query *q,
	const struct procstat_snapshot *proc, const struct facts_snapshot *begin,
	struct facts_snapshot *s);

/*
 * The facts between two edges, appended to fs: counts are the difference, levels and
 * texts as at the end. CPUs are the planned ones and those where a SUT thread last ran
 * at either edge. Threads born meanwhile count from 0; of those that ended, and of
 * other programs that ended, nothing is known. A program of others with several
 * threads counts where its first one last ran, but no more than was used of that CPU
 * and not by the SUT. Kernel threads are not others.
 */
void facts_diff(const struct facts_snapshot *begin, const struct facts_snapshot *end,
	struct facts *fs);

/* The process of the SUT that ran most since begin (NULL: since its birth), so that a
 * wrapper is not taken for it; root where none ran. 0: there is no process. */
pid_t facts_process_main(const struct procstat_snapshot *begin,
	const struct procstat_snapshot *s, pid_t root);

/*
 * A note a scope that names what this trial's facts lack, with the file it would be
 * in. has_sut: there is a process whose facts could be known.
 */
void facts_absent_note(const struct facts *fs, bool has_sut, struct run *run);

#endif
