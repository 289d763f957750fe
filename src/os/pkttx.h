/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sending whole Ethernet frames through packet sockets, without ever blocking and
 * without ever trying a frame twice. Two paths:
 *   plain    one message a frame, sendmmsg; PACKET_QDISC_BYPASS where allowed
 *   offload  one message a burst of equal UDP frames, which the kernel cuts
 *            (PACKET_VNET_HDR, VIRTIO_NET_HDR_GSO_UDP_L4; Linux 6.2 and later)
 * A TX ring was measured too and left out: on veth it reached 0.92 of sendmmsg,
 * and a closed ring discards what it had already taken.
 * The send buffer is made large, since on veth a frame stays charged to the sender
 * until the far CPU has freed it; with a small one a slow receiver throttles the
 * sender and the loop is no longer open. Without the right to force its size,
 * several sockets take turns. One thread at a time.
 */
#ifndef SATPROF_OS_PKTTX_H
#define SATPROF_OS_PKTTX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "os/iface.h"

/* Before the frame in every message of an offload socket: struct virtio_net_hdr. */
#define PKTTX_VNET_HDR_BYTES 10u
/* The kernel's limit on frames a burst, and on the burst as one IP packet. */
#define PKTTX_OFFLOAD_MAX_FRAMES 64u
#define PKTTX_OFFLOAD_MAX_BYTES  65000u
#define PKTTX_MAX_MSGS           64u

struct pkttx;

struct pkttx_config {
	int netns_fd; /* -1: the caller's; borrowed for the call */
	const char *ifname;
	bool offload;             /* else plain */
	uint32_t frame_bytes_max; /* without FCS: sizes the send buffer */
};

/* One message: a frame (plain) or a vnet header and a burst (offload). */
struct pkttx_msg {
	const void *data; /* borrowed for the call */
	uint32_t len;     /* bytes, with the vnet header */
	uint32_t n_frames;
	bool accepted; /* set by pkttx_send */
};

/* Frames; only ever added to. */
struct pkttx_count {
	uint64_t accepted;
	uint64_t refused;
	/* Send buffer full (EAGAIN): part of refused, the part seen for sure. */
	uint64_t refused_full;
};

/*
 * SP_EPERM: no CAP_NET_RAW. SP_EENV: no such interface, or (offload only) the
 * kernel cannot cut bursts on this one; the message says why.
 */
int pkttx_open(
	const struct pkttx_config *cfg, struct pkttx **ret_tx, struct sp_err *err);
/* As it was when opened. */
const struct iface *pkttx_iface(const struct pkttx *tx);
/* Any of its sockets, for iface_*(); borrowed. */
int pkttx_fd(const struct pkttx *tx);
/* True when the send buffers hold less than the kernel's input queue can. */
bool pkttx_is_closed_loop(const struct pkttx *tx);
/*
 * Offer n <= PKTTX_MAX_MSGS messages, each once. Sets accepted in each and adds to
 * *count. 0, or the errno that says the interface is gone or down (then the
 * messages not tried are counted refused).
 */
int pkttx_send(
	struct pkttx *tx, struct pkttx_msg *msgs, size_t n, struct pkttx_count *count);
void pkttx_close(struct pkttx *tx); /* NULL is a no-op */

/*
 * Fill the vnet header for a burst: the IPv4 header follows a 14-byte Ethernet
 * header; gso_bytes is the UDP payload of each frame. The UDP checksum field must
 * hold the folded, not inverted, sum of addresses, protocol and length.
 */
void pkttx_vnet_hdr(uint8_t hdr[PKTTX_VNET_HDR_BYTES], uint16_t gso_bytes);

#endif
