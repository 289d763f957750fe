/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The planted limit of `forward --limit`: a policer on the token clock. Judged by
 * the time a frame *arrived*, not by when the loop came to it: a forwarder that
 * was off its CPU for a while then polices what waited in the ring as if it had
 * been there, and the planted rate holds. Pure; one thread.
 */
#ifndef SATPROF_SUT_FORWARD_POLICE_H
#define SATPROF_SUT_FORWARD_POLICE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/pacing.h"
#include "base/units.h"

/* Credit that can pile up while nothing comes, in frames (design 4). */
#define FORWARD_POLICE_BURST 32u

struct forward_police {
	struct units_rate rate;
	struct pacing clock; /* a slot is a frame, or with bits/s a byte */
	uint64_t credit;     /* slots given at the start */
	uint64_t used;       /* slots spent or forfeited */
	uint64_t last_ns;
	uint32_t max_bytes; /* largest frame so far, with FCS */
	bool started;
};

/* rate.value > 0. Starts with the first frame. */
void forward_police_init(struct forward_police *p, struct units_rate rate);

/*
 * May this frame pass? arrival_ns from any one clock; a step back of more than a
 * second starts anew. frame_bytes counts the FCS.
 */
bool forward_police_pass(
	struct forward_police *p, uint64_t arrival_ns, uint32_t frame_bytes);

#endif
