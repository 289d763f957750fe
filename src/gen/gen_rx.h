/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receiving half of a trial in one direction: what each frame is, and the
 * counts. A frame of this run is unique the first time its sequence number comes
 * and a duplicate after; it is late when it belongs to another trial; anything
 * else is foreign. Frames of a capture that carry no tag are known by digest: as
 * many as were sent are unique, more are duplicates, and those stamped before the
 * trial's first slot are late. One thread, and nothing blocks.
 */
#ifndef SATPROF_GEN_GEN_RX_H
#define SATPROF_GEN_GEN_RX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "gen/gen_pcapfile.h"
#include "gen/generator.h"
#include "os/pktring_rx.h"
#include "stat/hist.h"

struct gen_rx_config {
	uint16_t run_tag, trial_tag;
	bool is_rev;
	uint64_t n_seq;          /* sequence numbers of the trial: 0 .. n_seq - 1 */
	uint32_t sent_bytes_max; /* the longest frame sent, without FCS */
	bool latency;            /* record it: burst 1 */
	const struct gen_pcapfile *file; /* NULL: own frames; borrowed */
	uint64_t n_rounds;               /* times the capture is sent, rounded up */
};

/* On the schedule's clock. */
struct gen_rx_times {
	uint64_t t0_ns;                        /* the first slot */
	uint64_t window_from_ns, window_to_ns; /* counted: from <= t < to */
	int64_t realtime_offset_ns;            /* ring time - schedule time */
};

struct gen_rx;

/* ring NULL: frames come through gen_rx_frame() only, as in tests. Borrowed. */
struct gen_rx *gen_rx_new(struct pktring_rx *ring);
void gen_rx_free(struct gen_rx *rx); /* NULL is a no-op */
/* Empties all counts; latency (borrowed) may be NULL. What is in the ring from
 * before may then be drained: it is late or foreign. */
void gen_rx_begin(
	struct gen_rx *rx, const struct gen_rx_config *cfg, struct hist *latency);
/* Then, before the first slot: when it is, and what is counted as goodput. */
void gen_rx_arm(struct gen_rx *rx, const struct gen_rx_times *times);
/* Classify one frame. */
void gen_rx_frame(struct gen_rx *rx, const struct pktring_frame *frame);
/* Drain the ring, at most max frames; returns how many there were. */
size_t gen_rx_step(struct gen_rx *rx, size_t max);
/* How many of this trial's own frames have come: stands still when it is quiet. */
uint64_t gen_rx_n_own(const struct gen_rx *rx);

struct gen_rx_result {
	uint64_t unique, duplicate, late, foreign, ring_drop;
	uint64_t window_pkts;
	/* Longer than any sent: of ours, or, where frames carry no tag to know them
	 * by, of anybody's. Checksums: of ours. */
	uint64_t n_oversize, n_csum_not_ready;
};

/* sent_kinds: gen_sender_sent_kinds(), NULL without a capture. Reads the ring's
 * own drops since gen_rx_begin. */
void gen_rx_end(struct gen_rx *rx, const uint32_t *sent_kinds,
	struct gen_rx_result *ret_result);

#endif
