/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The sending half of a trial in one direction, as a step function that never
 * blocks: what is due at `now` goes to a sink (the packet sockets, or a test's own
 * in virtual time), what came too late is counted. One thread.
 */
#ifndef SATPROF_GEN_GEN_TX_H
#define SATPROF_GEN_GEN_TX_H

#include <stddef.h>
#include <stdint.h>

#include "gen/gen_pace.h"
#include "os/pkttx.h"
#include "stat/hist.h"

/* Slots a step may take: bounds how long it runs. */
#define GEN_TX_MAX_SLOTS  64
#define GEN_TX_MAX_FRAMES 64

struct gen_tx_sink {
	/* Offer these slots' frames, each once; adds to *count. 0, or the errno that
	 * says that the interface is gone. */
	int (*send)(void *ctx, const struct gen_pace_slot *slots, size_t n_slots,
		struct pkttx_count *count);
	void *ctx;
};

struct gen_tx {
	struct gen_pace pace;
	struct gen_tx_sink sink;
	struct hist *lateness; /* borrowed: of every slot sent, against its due time */
	struct pkttx_count count;
	int link_errno; /* 0, or why sending ended early */
};

void gen_tx_begin(struct gen_tx *tx, const struct gen_pace_config *pace,
	const struct gen_tx_sink *sink, struct hist *lateness);
/*
 * Send what is due. Returns when to call again (at or before now: at once);
 * GEN_PACE_NEVER: it is over, by the schedule or by link_errno.
 */
uint64_t gen_tx_step(struct gen_tx *tx, uint64_t now_ns);
/* End now, as after a signal. */
void gen_tx_stop(struct gen_tx *tx, uint64_t now_ns);

#endif
