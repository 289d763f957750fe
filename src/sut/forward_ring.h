/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receive side of the forwarder: a TPACKET_V2 ring on one interface,
 * promiscuous, without copies of what leaves there. Frames are lent in place, a
 * batch at a time. One thread.
 *
 * Why this ring (2-CPU KVM guest, Linux 6.18, veth, 64-byte frames in bursts of 16,
 * prototypes side by side, best goodput of 5 interleaved rounds of 5 rates): V2 and
 * V3 take the same load, but a V3 block is handed over when full or after a
 * millisecond, which is latency at low rates. The virtio header, which tells exactly
 * what a frame still lacks, costs nothing that could be seen.
 */
#ifndef SATPROF_SUT_FORWARD_RING_H
#define SATPROF_SUT_FORWARD_RING_H

#include <stdint.h>

#include "base/err.h"
#include "sut/forward_frame.h"

/* Frames lent at a time: bounds how long one direction keeps the loop. */
#define FORWARD_BATCH 64u

struct forward_ring;

/*
 * mtu: of the interface, sizes the slots. arrival_times: have frames stamped as
 * early as the kernel can, for the policer. SP_EPERM without CAP_NET_RAW.
 */
int forward_ring_open(const char *ifname, uint32_t mtu, int arrival_times,
	struct forward_ring **ret_ring, struct sp_err *err);
void forward_ring_close(struct forward_ring *r); /* NULL is a no-op */

/* For poll(2); readable when a frame is there. */
int forward_ring_fd(const struct forward_ring *r);

/*
 * Up to FORWARD_BATCH frames that are there now, oldest first, made whole (tag,
 * checksum). They stay ours until forward_ring_give_back(), to be called before the
 * next take. Returns how many; never blocks.
 */
unsigned forward_ring_take(
	struct forward_ring *r, struct forward_frame frames[FORWARD_BATCH]);
void forward_ring_give_back(struct forward_ring *r);

/* Adds to *drops what the full ring has dropped since the last call. */
void forward_ring_add_drops(struct forward_ring *r, uint64_t *drops);

/* SP_EBROKEN when the interface went down or away since the last call. */
int forward_ring_check(struct forward_ring *r, struct sp_err *err);

#endif
