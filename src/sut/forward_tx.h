/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The transmit side of the forwarder: batches of frames handed to one interface
 * with sendmmsg(2). Never blocks for longer than a millisecond a batch, never tries
 * a refused frame again: what does not leave is counted. One thread.
 *
 * Past the queueing discipline (PACKET_QDISC_BYPASS) unless someone put one there
 * (its handle is not 0; the kernel's own defaults have none): a shaper on OUT must
 * shape.
 */
#ifndef SATPROF_SUT_FORWARD_TX_H
#define SATPROF_SUT_FORWARD_TX_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "sut/forward_frame.h"

struct forward_tx;

struct forward_tx_counts {
	uint64_t sent, refused, oversize;
};

/* mtu: the interface's now. */
int forward_tx_open(const char *ifname, uint32_t mtu, bool qdisc_bypass,
	struct forward_tx **ret_tx, struct sp_err *err);
void forward_tx_close(struct forward_tx *tx); /* NULL is a no-op */

/* Is the frame short enough for the interface? Its first 14 bytes are there. */
bool forward_tx_fits(const struct forward_tx *tx, const struct forward_frame *f);

/* Queue one of at most FORWARD_BATCH frames; its bytes are borrowed until flush. */
void forward_tx_add(struct forward_tx *tx, const struct forward_frame *f);

/*
 * Send what was queued, adding to *counts. SP_EBROKEN: the interface is down or
 * gone; what was not sent by then is counted as refused.
 */
int forward_tx_flush(
	struct forward_tx *tx, struct forward_tx_counts *counts, struct sp_err *err);

#endif
