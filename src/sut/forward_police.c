/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Policing by arrival time on the token clock. */
#include "config.h"

#include "sut/forward_police.h"

#include "base/clock.h"

void forward_police_init(struct forward_police *p, struct units_rate rate)
{
	*p = (struct forward_police){ .rate = rate };
}

static void police_start(struct forward_police *p, uint64_t now_ns, uint64_t need)
{
	double slots_per_s = p->rate.is_bps ? p->rate.value / 8 : p->rate.value;

	pacing_init(&p->clock, now_ns, slots_per_s);
	p->used = 0;
	p->credit = FORWARD_POLICE_BURST * need;
	p->started = true;
}

bool forward_police_pass(
	struct forward_police *p, uint64_t arrival_ns, uint32_t frame_bytes)
{
	uint64_t need = p->rate.is_bps ? frame_bytes : 1;
	uint64_t burst, due;

	if (!p->started || arrival_ns + NS_PER_S < p->last_ns)
		police_start(p, arrival_ns, need);
	p->last_ns = arrival_ns;
	if (frame_bytes > p->max_bytes)
		p->max_bytes = frame_bytes;
	burst = FORWARD_POLICE_BURST * (uint64_t)(p->rate.is_bps ? p->max_bytes : 1);
	/* All credit at the start; a slot is due at once, hence the - 1. */
	due = pacing_slots_due(&p->clock, arrival_ns) + p->credit - 1;
	if (due > p->used + burst)
		p->used = due - burst;
	if (due < p->used + need)
		return false;
	p->used += need;
	return true;
}
