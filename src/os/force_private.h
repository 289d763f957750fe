/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between force.c (satprof's side and the table), force_threads.c (what is done to the
 * SUT's threads) and force_companion.c (what runs beside them). */
#ifndef SATPROF_OS_FORCE_PRIVATE_H
#define SATPROF_OS_FORCE_PRIVATE_H

#include "os/force.h"
#include "os/procstat.h"

/* In the process that forces. */
struct force_child {
	const struct arm_force *f;
	const struct arm_force_part *part; /* of a companion: its own */
	struct force_target t;
	int sock; /* a byte: renew; its end: undo */
	struct procstat_snapshot threads;
	bool has_homes; /* taken once, before anything was forced */
	size_t n_homes, cap_homes;
	struct force_home *homes;
	bool holds_latency; /* the descriptor is open, and ends with the process */
};

struct force_ops {
	enum factor factor;
	/* Before anything is done, in satprof. */
	int (*check)(const struct arm_force *f, const struct force_target *t,
		struct sp_err *err);
	/* First and again before each trial. */
	int (*renew)(struct force_child *c, struct sp_err *err);
	/* Of a companion, a process for each part: until the socket can be read. NULL:
	 * there is nothing to do meanwhile. */
	void (*work)(struct force_child *c);
	void (*undo)(struct force_child *c); /* NULL: its end undoes it */
};

extern const struct force_ops force_placement, force_memory, force_launch; /* threads */
extern const struct force_ops force_contention, force_wakeups, force_idle;

#endif
