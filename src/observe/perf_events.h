/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A set of open events that are switched and read together: one a place, all of
 * the same attributes. Used by the sampler. Main thread only.
 */
#ifndef SATPROF_OBSERVE_PERF_EVENTS_H
#define SATPROF_OBSERVE_PERF_EVENTS_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/trial.h"
#include "observe/perf_places.h"
#include "os/perf_ring.h"

/* A reading of one event. */
struct perf_reading {
	uint64_t value, enabled_ns, running_ns, n_lost;
};

struct perf_event {
	int fd;
	struct perf_place place;
	struct perf_reading begin, delta; /* delta: of the last trial */
};

struct perf_event_ring {
	int cpu;
	struct perf_ring ring;
};

struct perf_events {
	struct perf_event_attr attr; /* as the kernel took it */
	const char *name;            /* for messages; borrowed */
	int paranoid;                /* for messages */
	bool knows_lost;             /* the kernel counts what it dropped */
	size_t n, cap;
	struct perf_event *v;
	size_t n_rings, cap_rings;
	struct perf_event_ring *rings; /* one a CPU; none when ring_bytes was 0 */
	size_t ring_bytes_asked;
	bool ring_refused; /* no locked memory at all: it only counts */
};

/*
 * Open attr at every place, disabled, and map a ring of ring_bytes for each CPU
 * (0: none). On failure everything is closed again.
 */
int perf_events_open(struct perf_events *ev, int root_fd,
	const struct perf_places *places, size_t ring_bytes, struct sp_err *err);
void perf_events_close(struct perf_events *ev); /* a zeroed one is a no-op */

/* Empty the rings, note the readings, switch on. */
int perf_events_begin(struct perf_events *ev, struct sp_err *err);
/* Switch off and read: delta of each event. */
int perf_events_end(struct perf_events *ev, struct sp_err *err);

/* The state that enabled and running times stand for; a value must not be read
 * as a count unless it is OK or ESTIMATED. Pure. */
enum counter_state perf_reading_state(const struct perf_reading *delta);
/* end - begin; false when a counter went backwards. Pure. */
bool perf_reading_diff(const struct perf_reading *begin, const struct perf_reading *end,
	struct perf_reading *ret_delta);

#endif
