/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Slots due, skipped and left over. */
#include "config.h"

#include "gen/gen_pace.h"

#include <math.h>

static bool is_flat_out(const struct gen_pace *p)
{
	return isinf(p->cfg.rate_pps) && p->cfg.n_offsets == 0;
}

static uint64_t end_ns(const struct gen_pace *p)
{
	return p->cfg.t0_ns + p->cfg.duration_ns;
}

static uint64_t offset_due_ns(const struct gen_pace *p, uint64_t n)
{
	uint64_t round = n / p->cfg.n_offsets;
	/* Doubles hold a trial's ns exactly up to 104 days. */
	double ns = (double)(round * p->cfg.cycle_ns +
			     p->cfg.offsets_ns[n % p->cfg.n_offsets]);

	return p->cfg.t0_ns + (uint64_t)(ns / p->cfg.speed);
}

static uint64_t slot_due_ns(const struct gen_pace *p, uint64_t slot)
{
	if (p->cfg.n_offsets > 0)
		return offset_due_ns(p, slot);
	return pacing_due_ns(&p->clock, slot * p->cfg.burst);
}

/* How many frames of the captured times are due at or before now: all whole
 * rounds, then a binary search in the round that is on. */
static uint64_t offset_frames_due(const struct gen_pace *p, uint64_t now_ns)
{
	uint64_t lo, hi;
	double span;

	if (now_ns < p->cfg.t0_ns)
		return 0;
	span = (double)(now_ns - p->cfg.t0_ns + 1) * p->cfg.speed;
	hi = ((uint64_t)(span / (double)p->cfg.cycle_ns) + 2) * p->cfg.n_offsets;
	for (lo = 0; lo < hi;) {
		uint64_t mid = lo + (hi - lo) / 2;

		if (offset_due_ns(p, mid) <= now_ns)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

/* Slots with due <= now, of the whole schedule at most. */
static uint64_t slots_due(const struct gen_pace *p, uint64_t now_ns)
{
	uint64_t n;

	if (p->cfg.n_offsets > 0)
		n = offset_frames_due(p, now_ns);
	else
		n = (pacing_slots_due(&p->clock, now_ns) + p->cfg.burst - 1) /
		    p->cfg.burst;
	return n < p->n_slots ? n : p->n_slots;
}

void gen_pace_init(struct gen_pace *p, const struct gen_pace_config *cfg)
{
	*p = (struct gen_pace){ .cfg = *cfg };
	if (is_flat_out(p)) {
		p->n_frames = UINT64_MAX;
		p->n_slots = UINT64_MAX;
		return;
	}
	p->n_slots = UINT64_MAX;
	if (cfg->n_offsets > 0) {
		p->cfg.burst = 1;
		p->n_frames =
			cfg->duration_ns == 0 ? 0 : offset_frames_due(p, end_ns(p) - 1);
	} else {
		pacing_init(&p->clock, cfg->t0_ns, cfg->rate_pps);
		p->n_frames = pacing_slots_total(&p->clock, cfg->duration_ns);
	}
	p->n_slots = (p->n_frames + p->cfg.burst - 1) / p->cfg.burst;
}

static uint64_t frames_before(const struct gen_pace *p, uint64_t slot)
{
	uint64_t n = slot * p->cfg.burst;

	return n < p->n_frames ? n : p->n_frames;
}

static void skip_to(struct gen_pace *p, uint64_t slot)
{
	p->unsent += frames_before(p, slot) - frames_before(p, p->next_slot);
	p->n_late_slots += slot - p->next_slot;
	p->next_slot = slot;
}

/* Skip what is beyond the cap; returns how many slots are due from next on. */
static uint64_t due_after_skip(struct gen_pace *p, uint64_t now_ns)
{
	uint64_t due = slots_due(p, now_ns), old = 0;

	if (now_ns > p->cfg.t0_ns + GEN_PACE_CAP_NS)
		old = slots_due(p, now_ns - GEN_PACE_CAP_NS - 1);
	if (due > 0 && old > due - 1)
		old = due - 1;
	if (old > p->next_slot)
		skip_to(p, old);
	return due - p->next_slot;
}

size_t gen_pace_take(struct gen_pace *p, uint64_t now_ns,
	struct gen_pace_slot *ret_slots, size_t max)
{
	uint64_t n;
	size_t i;

	if (now_ns < p->cfg.t0_ns)
		return 0;
	if (is_flat_out(p))
		n = now_ns < end_ns(p) ? max : 0;
	else if (now_ns >= end_ns(p) + GEN_PACE_GRACE_NS)
		n = 0;
	else
		n = due_after_skip(p, now_ns);
	n = n < max ? n : max;
	for (i = 0; i < n; i++, p->next_slot++) {
		struct gen_pace_slot *s = &ret_slots[i];

		s->first_frame = frames_before(p, p->next_slot);
		s->n_frames =
			(uint32_t)(frames_before(p, p->next_slot + 1) - s->first_frame);
		s->due_ns = is_flat_out(p) ? now_ns : slot_due_ns(p, p->next_slot);
	}
	return i;
}

uint64_t gen_pace_next_ns(struct gen_pace *p, uint64_t now_ns)
{
	if (is_flat_out(p)) {
		if (now_ns < p->cfg.t0_ns)
			return p->cfg.t0_ns;
		return now_ns < end_ns(p) ? now_ns : GEN_PACE_NEVER;
	}
	if (now_ns >= end_ns(p) + GEN_PACE_GRACE_NS)
		skip_to(p, p->n_slots);
	if (p->next_slot >= p->n_slots)
		return now_ns < end_ns(p) ? end_ns(p) : GEN_PACE_NEVER;
	return slot_due_ns(p, p->next_slot);
}

void gen_pace_stop(struct gen_pace *p, uint64_t now_ns)
{
	uint64_t due;

	if (is_flat_out(p))
		return;
	due = slots_due(p, now_ns);
	if (due < p->next_slot)
		due = p->next_slot;
	skip_to(p, due);
	p->n_frames = frames_before(p, due);
	p->n_slots = due;
}

uint64_t gen_pace_intended(const struct gen_pace *p)
{
	return is_flat_out(p) ? p->next_slot * p->cfg.burst : p->n_frames;
}
