/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One step of sending. */
#include "config.h"

#include "gen/gen_tx.h"

void gen_tx_begin(struct gen_tx *tx, const struct gen_pace_config *pace,
	const struct gen_tx_sink *sink, struct hist *lateness)
{
	*tx = (struct gen_tx){ .sink = *sink, .lateness = lateness };
	gen_pace_init(&tx->pace, pace);
}

void gen_tx_stop(struct gen_tx *tx, uint64_t now_ns)
{
	gen_pace_stop(&tx->pace, now_ns);
}

/* The slots were taken, so all their frames were offered: what a lost link kept
 * from being tried is refused. */
static void refuse_rest(struct gen_tx *tx, const struct gen_pace_slot *slots, size_t n,
	const struct pkttx_count *before)
{
	uint64_t tried = tx->count.accepted + tx->count.refused - before->accepted -
			 before->refused;
	uint64_t taken = 0;
	size_t i;

	for (i = 0; i < n; i++)
		taken += slots[i].n_frames;
	tx->count.refused += taken - tried;
}

uint64_t gen_tx_step(struct gen_tx *tx, uint64_t now_ns)
{
	struct gen_pace_slot slots[GEN_TX_MAX_SLOTS];
	struct pkttx_count before = tx->count;
	uint32_t burst = tx->pace.cfg.burst;
	size_t max = burst < GEN_TX_MAX_FRAMES ? GEN_TX_MAX_FRAMES / burst : 1;
	size_t i, n;

	if (tx->link_errno != 0)
		return GEN_PACE_NEVER;
	n = gen_pace_take(&tx->pace, now_ns, slots, max);
	for (i = 0; i < n; i++)
		hist_record(tx->lateness, now_ns - slots[i].due_ns);
	if (n > 0)
		tx->link_errno = tx->sink.send(tx->sink.ctx, slots, n, &tx->count);
	if (tx->link_errno != 0) {
		refuse_rest(tx, slots, n, &before);
		gen_tx_stop(tx, now_ns);
		return GEN_PACE_NEVER;
	}
	return gen_pace_next_ns(&tx->pace, now_ns);
}
