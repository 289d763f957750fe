/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What perf_counts.c (open, read) and perf_resolve.c (names, rights) share. */
#ifndef SATPROF_OBSERVE_PERF_COUNTS_PRIVATE_H
#define SATPROF_OBSERVE_PERF_COUNTS_PRIVATE_H

#include <linux/perf_event.h>

#include "observe/perf_counts.h"
#include "observe/perf_events.h"
#include "os/pfm.h"

#define PERF_COUNTS_READ_FORMAT                                                        \
	(PERF_FORMAT_GROUP | PERF_FORMAT_ID | PERF_FORMAT_TOTAL_TIME_ENABLED |         \
		PERF_FORMAT_TOTAL_TIME_RUNNING)
/* Long enough for a counter to run, short beside an arm's edge. */
#define PERF_COUNTS_TRY_NS (2 * NS_PER_MS)

struct counted_event {
	struct pfm_event pfm;
	char name[PFM_NAME_MAX + 4]; /* with ":u" where only that is allowed */
	uint32_t row;                /* in run->events */
	enum counter_state state;    /* OK: opens here */
};

/* One open event at one place. */
struct counted_fd {
	int fd;
	size_t leader; /* index of its group's first */
	size_t event;
	struct perf_place place;
	uint64_t id;
	struct perf_reading begin, delta;
	bool failed; /* its group could not be read, or went backwards */
};

struct perf_counts {
	int root_fd;
	struct run *run;
	struct perf_rights rights;
	size_t n_events;
	struct counted_event *events;
	bool ungrouped;        /* groups opened but never ran: one event a group */
	bool no_inherit_group; /* an older kernel: inherited events read alone */
	/* While attached: */
	bool is_cpu_wide;
	size_t n_fds, cap_fds;
	struct counted_fd *fds;
};

/* Fill events from the list of names; see perf_counts_new(). */
int perf_counts_resolve(struct perf_counts *c, const char *list, struct sp_err *err);

#endif
