/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The open-loop schedule of one trial. A slot is a burst; slot n is due when frame
 * n * burst is, so the last slot may be short and the number of frames is exact.
 * The rules when the sender is late:
 *   - a late slot goes out at once, back to back with the others that are late;
 *   - slots more than GEN_PACE_CAP_NS late are skipped and counted unsent, but the
 *     newest that is due is always kept (at least one burst);
 *   - the trial is never stretched: what has not gone GEN_PACE_GRACE_NS after the
 *     schedule's end stays unsent.
 * Pure; one thread.
 */
#ifndef SATPROF_GEN_GEN_PACE_H
#define SATPROF_GEN_GEN_PACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/pacing.h"

/* The burst cap: as much schedule as may be caught up with. */
#define GEN_PACE_CAP_NS   UINT64_C(10000000)
#define GEN_PACE_GRACE_NS UINT64_C(1000000)
#define GEN_PACE_NEVER    UINT64_MAX

struct gen_pace_config {
	uint64_t t0_ns, duration_ns;
	double rate_pps; /* INFINITY: a slot is always due, none is ever unsent */
	uint32_t burst;  /* >= 1 */
	/* A capture's own times: offset of each frame from the first, ascending;
	 * n_offsets 0: at rate_pps. Borrowed for the life of the pace. One frame a
	 * slot; after the last comes the first again, cycle_ns after itself. */
	const uint64_t *offsets_ns;
	size_t n_offsets;
	uint64_t cycle_ns;
	double speed; /* of the offsets: 2 = twice as fast */
};

struct gen_pace {
	struct gen_pace_config cfg;
	struct pacing clock;
	uint64_t n_frames; /* of the whole schedule; UINT64_MAX: flat out */
	uint64_t n_slots;
	uint64_t next_slot;
	/* Results: frames that were due and not sent, slots skipped for lateness. */
	uint64_t unsent, n_late_slots;
};

struct gen_pace_slot {
	uint64_t first_frame;
	uint32_t n_frames;
	uint64_t due_ns;
};

void gen_pace_init(struct gen_pace *p, const struct gen_pace_config *cfg);
/*
 * Take up to max slots that are due at now_ns, after skipping what is too late;
 * returns how many were written. A slot taken is a slot offered.
 */
size_t gen_pace_take(struct gen_pace *p, uint64_t now_ns,
	struct gen_pace_slot *ret_slots, size_t max);
/* When the next slot is due; GEN_PACE_NEVER: the trial is over (all is counted). */
uint64_t gen_pace_next_ns(struct gen_pace *p, uint64_t now_ns);
/* End now: what is not yet due was never intended. */
void gen_pace_stop(struct gen_pace *p, uint64_t now_ns);
/* Frames that were to be sent: offered + unsent, once it is over or stopped. */
uint64_t gen_pace_intended(const struct gen_pace *p);

#endif
