/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The receiving packet ring: TPACKET_V3, since its blocks hold small frames tight
 * (16 MiB is 100,000 64-byte frames) and wake nobody for each frame; a frame is
 * seen when its block is full or a millisecond old, its time stamp is taken by the
 * kernel all the same. Frames that this host sends are not seen. The owner looks
 * into the ring when it likes and never blocks. One thread at a time.
 */
#ifndef SATPROF_OS_PKTRING_RX_H
#define SATPROF_OS_PKTRING_RX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "os/iface.h"

struct pktring_rx;

struct pktring_rx_config {
	int netns_fd; /* -1: the caller's; borrowed for the call */
	const char *ifname;
	uint32_t frame_bytes; /* the mean, without FCS: sizes the ring */
	bool promiscuous;     /* for frames to other stations' addresses */
};

/* A frame in the ring, valid until the next call. */
struct pktring_frame {
	const uint8_t *data; /* from the destination MAC; any VLAN tag is beside it */
	uint32_t len;        /* bytes on the wire, without FCS and VLAN tag */
	uint32_t cap_bytes;  /* bytes at data */
	uint64_t realtime_ns;
	bool has_vlan;
	uint16_t vlan_tci, vlan_tpid;
	bool is_csum_not_ready; /* a partial checksum: offload on a virtual link */
};

int pktring_rx_open(const struct pktring_rx_config *cfg, struct pktring_rx **ret_ring,
	struct sp_err *err);
const struct iface *pktring_rx_iface(const struct pktring_rx *ring);
int pktring_rx_fd(const struct pktring_rx *ring); /* for iface_*(); borrowed */
/* The next frame, or false: nothing there now. Gives finished blocks back. */
bool pktring_rx_next(struct pktring_rx *ring, struct pktring_frame *ret_frame);
/* Frames the kernel dropped since the last call because the ring was full. */
uint64_t pktring_rx_drops(struct pktring_rx *ring);
void pktring_rx_close(struct pktring_rx *ring); /* NULL is a no-op */

#endif
