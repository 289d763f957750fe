/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Counting, for the arm count: events in groups, read with their enabled and
 * running times at the edges of a trial. What an event cannot do is a state of
 * its own, never a count of 0. Main thread only.
 */
#ifndef SATPROF_OBSERVE_PERF_COUNTS_H
#define SATPROF_OBSERVE_PERF_COUNTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/run.h"
#include "model/trial.h"
#include "observe/perf_places.h"

struct perf_counts;

struct perf_counts_config {
	int root_fd;
	struct run *run;    /* events are interned there; borrowed */
	const char *events; /* comma list; NULL: the default set; borrowed */
	struct perf_rights rights;
};

/*
 * Resolves the names (SP_EUSAGE for one that is not known) and tries each event:
 * what does not open becomes a note and a state. SP_EENV or SP_EPERM when none of
 * them opens.
 */
int perf_counts_new(const struct perf_counts_config *cfg,
	struct perf_counts **ret_counts, struct sp_err *err);
void perf_counts_free(struct perf_counts *c); /* NULL is a no-op */

/* The hooks of observer.h, in its order; there is nothing to collect. */
int perf_counts_attach(struct perf_counts *c, const struct observer_target *target,
	struct sp_err *err);
int perf_counts_begin(struct perf_counts *c, struct sp_err *err);
int perf_counts_end(struct perf_counts *c, struct trial *t, struct sp_err *err);
void perf_counts_detach(struct perf_counts *c);

/* One event as a group's read gives it. */
struct perf_group_value {
	uint64_t id, value;
};

/*
 * What read(2) gave for a group (GROUP|ID|TOTAL_TIME_ENABLED|TOTAL_TIME_RUNNING).
 * len is its result. False: nothing came (0 bytes: the group is in error state)
 * or it is shorter than it says. At most max values. Pure.
 */
bool perf_group_parse(const uint64_t *buf, ssize_t len, uint64_t *ret_enabled_ns,
	uint64_t *ret_running_ns, struct perf_group_value *values, size_t max,
	size_t *ret_n);

#endif
