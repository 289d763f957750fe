/* SPDX-License-Identifier: GPL-3.0-or-later */
/* TPACKET_V3 receive ring. */
#include "config.h"

#include "os/pktring_rx.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/netns.h"

#define BLOCK_BYTES (256u * 1024u) /* above any frame, 64 KiB ones of GRO too */
#define MIN_BLOCKS  64u
#define MAX_BLOCKS  512u
#define RING_FRAMES 50000u /* 25 ms at 2 Mpps */
#define FRAME_EXTRA 112u   /* ring headers and alignment beside a frame's bytes */
/* The address stands behind the header, aligned (TPACKET_ALIGN mixes signs). */
#define SLL_AT                                                                         \
	((sizeof(struct tpacket3_hdr) + TPACKET_ALIGNMENT - 1) / TPACKET_ALIGNMENT *   \
		TPACKET_ALIGNMENT)
#define RETIRE_MS 1u

/* Linux 4.20; older headers lack the name. */
#ifndef PACKET_IGNORE_OUTGOING
#define PACKET_IGNORE_OUTGOING 23
#endif

struct pktring_rx {
	int fd;
	struct iface iface;
	uint8_t *map;
	size_t map_bytes;
	uint32_t n_blocks, block; /* the block that is read, or is waited for */
	bool is_inside;           /* of that block */
	uint32_t n_left;          /* frames left in it */
	const uint8_t *at;        /* the next frame in it */
};

static int socket_option(int fd, int name, const void *value, socklen_t len,
	const char *what, struct sp_err *err)
{
	if (setsockopt(fd, SOL_PACKET, name, value, len) != 0)
		return sp_err_errno(err, SP_EIO, errno, "packet ring: %s", what);
	return 0;
}

static int configure(
	struct pktring_rx *r, const struct pktring_rx_config *cfg, struct sp_err *err)
{
	const int version = TPACKET_V3, on = 1;
	uint64_t bytes = (uint64_t)RING_FRAMES * (cfg->frame_bytes + FRAME_EXTRA);
	struct tpacket_req3 req = {
		.tp_block_size = BLOCK_BYTES,
		.tp_frame_size = TPACKET_ALIGNMENT << 7,
		.tp_retire_blk_tov = RETIRE_MS,
	};
	int rc;

	r->n_blocks = (uint32_t)(bytes / BLOCK_BYTES) + 1;
	r->n_blocks = r->n_blocks < MIN_BLOCKS ? MIN_BLOCKS : r->n_blocks;
	r->n_blocks = r->n_blocks > MAX_BLOCKS ? MAX_BLOCKS : r->n_blocks;
	req.tp_block_nr = r->n_blocks;
	req.tp_frame_nr = (BLOCK_BYTES / req.tp_frame_size) * req.tp_block_nr;
	rc = socket_option(
		r->fd, PACKET_VERSION, &version, sizeof(version), "TPACKET_V3", err);
	if (rc != 0)
		return rc;
	/* Without it (before 4.20) frames of this host are passed over one by one. */
	(void)setsockopt(r->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &on, sizeof(on));
	return socket_option(r->fd, PACKET_RX_RING, &req, sizeof(req),
		"cannot set up the receive ring (memory)", err);
}

static int map_ring(struct pktring_rx *r, struct sp_err *err)
{
	void *map;

	r->map_bytes = (size_t)r->n_blocks * BLOCK_BYTES;
	map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, r->fd, 0);
	if (map == MAP_FAILED)
		return sp_err_errno(err, SP_EIO, errno,
			"packet ring: mmap of %zu bytes", r->map_bytes);
	r->map = map;
	return 0;
}

/* Binding starts reception: it comes last. */
static int bind_ring(
	struct pktring_rx *r, const struct pktring_rx_config *cfg, struct sp_err *err)
{
	const struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = r->iface.ifindex,
	};
	const struct packet_mreq mreq = {
		.mr_ifindex = r->iface.ifindex,
		.mr_type = PACKET_MR_PROMISC,
	};

	if (cfg->promiscuous && setsockopt(r->fd, SOL_PACKET, PACKET_ADD_MEMBERSHIP,
					&mreq, sizeof(mreq)) != 0)
		return sp_err_errno(err, SP_EIO, errno,
			"cannot make %s receive frames to other addresses",
			cfg->ifname);
	if (bind(r->fd, (const struct sockaddr *)&sll, sizeof(sll)) != 0)
		return sp_err_errno(
			err, SP_EIO, errno, "cannot receive on %s: bind", cfg->ifname);
	return 0;
}

static int open_ring(
	struct pktring_rx *r, const struct pktring_rx_config *cfg, struct sp_err *err)
{
	int rc;

	r->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	if (r->fd < 0 && (errno == EPERM || errno == EACCES))
		return sp_err_errno(err, SP_EPERM, errno,
			"packet socket: needs CAP_NET_RAW in the interface's namespace");
	if (r->fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "packet socket");
	if ((rc = iface_get(r->fd, cfg->ifname, &r->iface, err)) != 0)
		return rc;
	if ((rc = configure(r, cfg, err)) != 0)
		return rc;
	if ((rc = map_ring(r, err)) != 0)
		return rc;
	return bind_ring(r, cfg, err);
}

int pktring_rx_open(const struct pktring_rx_config *cfg, struct pktring_rx **ret_ring,
	struct sp_err *err)
{
	struct pktring_rx *r = xcalloc(1, sizeof(*r));
	int back = -1, rc;

	r->fd = -1;
	if ((rc = netns_enter(cfg->netns_fd, &back, err)) == 0) {
		rc = open_ring(r, cfg, err);
		netns_leave(back);
	}
	if (rc != 0) {
		pktring_rx_close(r);
		return rc;
	}
	*ret_ring = r;
	return 0;
}

const struct iface *pktring_rx_iface(const struct pktring_rx *ring)
{
	return &ring->iface;
}

int pktring_rx_fd(const struct pktring_rx *ring)
{
	return ring->fd;
}

/* The kernel writes block_status; acquire before reading what it covers, release
 * before giving it back. */
static _Atomic uint32_t *block_status(struct pktring_rx *r)
{
	struct tpacket_block_desc *d =
		(void *)(r->map + (size_t)r->block * BLOCK_BYTES);

	return (_Atomic uint32_t *)&d->hdr.bh1.block_status;
}

static bool enter_block(struct pktring_rx *r)
{
	const struct tpacket_block_desc *d;

	if ((atomic_load_explicit(block_status(r), memory_order_acquire) &
		    TP_STATUS_USER) == 0)
		return false;
	d = (const void *)(r->map + (size_t)r->block * BLOCK_BYTES);
	r->is_inside = true;
	r->n_left = d->hdr.bh1.num_pkts;
	r->at = (const uint8_t *)d + d->hdr.bh1.offset_to_first_pkt;
	return true;
}

static void leave_block(struct pktring_rx *r)
{
	atomic_store_explicit(block_status(r), TP_STATUS_KERNEL, memory_order_release);
	r->is_inside = false;
	r->block = r->block + 1 < r->n_blocks ? r->block + 1 : 0;
}

/* False: the frame is one this host sent. */
static bool read_frame(const uint8_t *at, struct pktring_frame *ret_frame)
{
	const struct tpacket3_hdr *h = (const void *)at;
	const struct sockaddr_ll *sll = (const void *)(at + SLL_AT);

	if (sll->sll_pkttype == PACKET_OUTGOING)
		return false;
	ret_frame->data = at + h->tp_mac;
	ret_frame->len = h->tp_len;
	ret_frame->cap_bytes = h->tp_snaplen;
	ret_frame->realtime_ns = (uint64_t)h->tp_sec * NS_PER_S + h->tp_nsec;
	ret_frame->has_vlan = (h->tp_status & TP_STATUS_VLAN_VALID) != 0;
	ret_frame->vlan_tci = (uint16_t)h->hv1.tp_vlan_tci;
	ret_frame->vlan_tpid = (h->tp_status & TP_STATUS_VLAN_TPID_VALID) != 0
				       ? h->hv1.tp_vlan_tpid
				       : ETH_P_8021Q;
	ret_frame->is_csum_not_ready = (h->tp_status & TP_STATUS_CSUMNOTREADY) != 0;
	return true;
}

bool pktring_rx_next(struct pktring_rx *ring, struct pktring_frame *ret_frame)
{
	for (;;) {
		const uint8_t *at = ring->at;

		if (ring->is_inside && ring->n_left == 0)
			leave_block(ring);
		if (!ring->is_inside) {
			if (!enter_block(ring))
				return false;
			continue;
		}
		ring->n_left--;
		ring->at =
			at +
			((const struct tpacket3_hdr *)(const void *)at)->tp_next_offset;
		if (read_frame(at, ret_frame))
			return true;
	}
}

uint64_t pktring_rx_drops(struct pktring_rx *ring)
{
	struct tpacket_stats_v3 s = { 0 };
	socklen_t len = sizeof(s);

	if (getsockopt(ring->fd, SOL_PACKET, PACKET_STATISTICS, &s, &len) != 0)
		return 0; /* cannot fail on a packet socket */
	return s.tp_drops;
}

void pktring_rx_close(struct pktring_rx *ring)
{
	if (ring == NULL)
		return;
	if (ring->map != NULL)
		(void)munmap(ring->map, ring->map_bytes);
	if (ring->fd >= 0)
		(void)close(ring->fd);
	free(ring);
}
