/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Made-up /proc trees for tests of facts, and the two edges of a trial over one.
 * Everything here fails the cmocka test that calls it when it does not work.
 */
#ifndef SATPROF_TESTS_FACTTREE_H
#define SATPROF_TESTS_FACTTREE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/fact.h"
#include "os/facts.h"
#include "roottree.h"

/* A thread's files; 0 and NULL where a test does not care. */
struct facttree_thread {
	int pid, tid, ppid;
	const char *comm; /* NULL: "fwd" */
	const char *children;
	unsigned flags, policy, rt_priority;
	int n_threads, nice, cpu, start;
	int minor_faults, major_faults, user_ticks;
	bool no_schedstat, no_sched, no_status;
	uint64_t run_ns, wait_ns;
	int migrations, voluntary, involuntary, tracer, rss_kb;
	const char *cpus_allowed, *mems_allowed; /* NULL: "0-3", "0" */
};

void facttree_put_thread(const struct roottree *t, const struct facttree_thread *th);
void facttree_drop_thread(const struct roottree *t, int pid, int tid);
void facttree_put_link(const struct roottree *t, const char *path, const char *target);
/* With a /proc/stat of CPUs 0, 1 and 3, and an init; to be removed by
 * roottree_teardown(). */
int facttree_setup(void **state);

struct facttree_edges {
	struct facts_query q;
	struct procstat_snapshot proc[2];
	struct facts_snapshot *s[2];
	struct facts facts;
};

/* q.self is 99, q.cpus is CPU 1 where it is NULL. */
void facttree_begin(const struct roottree *t, struct facttree_edges *e);
/* wall_ns after the first edge. */
void facttree_end(struct facttree_edges *e, uint64_t wall_ns);
void facttree_done(struct facttree_edges *e);

double facttree_value(
	const struct facttree_edges *e, enum fact_key key, const char *of);
const char *facttree_text(
	const struct facttree_edges *e, enum fact_key key, const char *of);
bool facttree_has(const struct facttree_edges *e, enum fact_key key, const char *of);

#endif
