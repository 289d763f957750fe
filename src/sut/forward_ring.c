/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The forwarder's receive ring. */
#include "config.h"

#include "sut/forward_ring.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"

/* Since Linux 5.18; not in every libc's copy of the header. */
#ifndef TP_STATUS_GSO_TCP
#define TP_STATUS_GSO_TCP (1u << 8)
#endif

/* The kernel aligns by TPACKET_ALIGNMENT; its own macro mixes signs. */
#define ALIGN16(x) (((x) + 15u) & ~15u)
/* Where the address of a slot's frame stands, right behind the slot's header. */
#define SLOT_ADDR_OFFSET ALIGN16((uint32_t)sizeof(struct tpacket2_hdr))
/* Header and address, then Ethernet header, two tags, virtio header, alignment. */
#define SLOT_EXTRA_BYTES (SLOT_ADDR_OFFSET + (uint32_t)sizeof(struct sockaddr_ll) + 64u)
#define BLOCK_BYTES      (UINT32_C(256) << 10)
/*
 * 4,096 slots hold 16 ms at 250 kpps, which outlasts a turn of another process on
 * the CPU; large frames get fewer, so that the ring stays small.
 */
#define PAGE_BYTES     4096u
#define RING_MAX_SLOTS 4096u
#define RING_MAX_BYTES (UINT32_C(16) << 20)

struct forward_ring {
	int fd;
	char ifname[IFNAMSIZ];
	uint8_t *map;
	size_t map_bytes;
	uint32_t n_blocks, slots_per_block, slot_bytes;
	uint32_t block, slot; /* the next one to look at */
	struct tpacket2_hdr *lent[FORWARD_BATCH];
	unsigned n_lent;
};

static int ring_fail(const struct forward_ring *r, const char *what, struct sp_err *err)
{
	return sp_err_errno(err, SP_EIO, errno, "%s: %s", r->ifname, what);
}

static int ring_set(const struct forward_ring *r, int option, const void *value,
	socklen_t len, const char *what, struct sp_err *err)
{
	if (setsockopt(r->fd, SOL_PACKET, option, value, len) != 0)
		return ring_fail(r, what, err);
	return 0;
}

/*
 * Look at every page once. Under shadow paging, as some hypervisors do it, the first
 * look at a page costs microseconds however it was mapped; over a whole ring that
 * was 20 ms in which the first frames of a run overflowed it.
 */
static void ring_touch(const struct forward_ring *r)
{
	const volatile uint8_t *p = r->map;
	size_t i;

	for (i = 0; i < r->map_bytes; i += PAGE_BYTES)
		(void)p[i];
}

static int ring_map(struct forward_ring *r, uint32_t mtu, struct sp_err *err)
{
	struct tpacket_req req = { .tp_block_size = BLOCK_BYTES };
	uint32_t n_slots;
	void *map;
	int rc;

	r->slot_bytes = ALIGN16(mtu + SLOT_EXTRA_BYTES);
	if (r->slot_bytes > BLOCK_BYTES)
		r->slot_bytes = BLOCK_BYTES; /* mtu of lo; longer frames: is_cut */
	r->slots_per_block = BLOCK_BYTES / r->slot_bytes;
	n_slots = RING_MAX_BYTES / r->slot_bytes;
	if (n_slots > RING_MAX_SLOTS)
		n_slots = RING_MAX_SLOTS;
	r->n_blocks = (n_slots + r->slots_per_block - 1) / r->slots_per_block;
	req.tp_block_nr = r->n_blocks;
	req.tp_frame_size = r->slot_bytes;
	req.tp_frame_nr = r->n_blocks * r->slots_per_block;
	rc = ring_set(r, PACKET_RX_RING, &req, sizeof(req),
		"cannot make a receive ring", err);
	if (rc != 0)
		return rc;
	r->map_bytes = (size_t)r->n_blocks * BLOCK_BYTES;
	map = mmap(NULL, r->map_bytes, PROT_READ | PROT_WRITE,
		MAP_SHARED | MAP_POPULATE, r->fd, 0);
	if (map == MAP_FAILED)
		return ring_fail(r, "cannot map the receive ring", err);
	r->map = map;
	ring_touch(r);
	return 0;
}

/* All but the binding: frames come from there on. */
static int ring_set_up(
	struct forward_ring *r, uint32_t mtu, int arrival_times, struct sp_err *err)
{
	const int one = 1, version = TPACKET_V2;
	struct packet_mreq promisc = { .mr_ifindex = (int)if_nametoindex(r->ifname),
		.mr_type = PACKET_MR_PROMISC };
	int rc;

	/* An older kernel shows what we send, marked; ring_lend() drops that too. */
	(void)setsockopt(r->fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	rc = ring_set(r, PACKET_VERSION, &version, sizeof(version),
		"no TPACKET_V2 rings in this kernel", err);
	if (rc == 0)
		rc = ring_set(r, PACKET_VNET_HDR, &one, sizeof(one),
			"cannot ask for checksum facts (PACKET_VNET_HDR)", err);
	if (rc == 0)
		rc = ring_map(r, mtu, err);
	if (rc == 0)
		rc = ring_set(r, PACKET_ADD_MEMBERSHIP, &promisc, sizeof(promisc),
			"cannot make it promiscuous", err);
	/* Stamps frames before they wait for this CPU; without it, when they are
	 * put into the ring, which still beats the time of reading them. */
	if (rc == 0 && arrival_times)
		(void)setsockopt(r->fd, SOL_SOCKET, SO_TIMESTAMPNS, &one, sizeof(one));
	return rc;
}

int forward_ring_open(const char *ifname, uint32_t mtu, int arrival_times,
	struct forward_ring **ret_ring, struct sp_err *err)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
		.sll_protocol = htons(ETH_P_ALL),
		.sll_ifindex = (int)if_nametoindex(ifname) };
	struct forward_ring *r = xcalloc(1, sizeof(*r));
	int rc;

	(void)snprintf(r->ifname, sizeof(r->ifname), "%s", ifname);
	/* Protocol 0: nothing arrives before the ring is there. */
	r->fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (r->fd < 0 && errno == EPERM)
		rc = sp_err_set(err, SP_EPERM,
			"%s: no right to a packet socket: needs CAP_NET_RAW (run as "
			"root)",
			ifname);
	else if (r->fd < 0)
		rc = ring_fail(r, "cannot open a packet socket", err);
	else
		rc = ring_set_up(r, mtu, arrival_times, err);
	if (rc == 0 && bind(r->fd, (const struct sockaddr *)&to, sizeof(to)) != 0)
		rc = ring_fail(r, "cannot bind a packet socket", err);
	if (rc != 0) {
		forward_ring_close(r);
		return rc;
	}
	*ret_ring = r;
	return 0;
}

void forward_ring_close(struct forward_ring *r)
{
	if (r == NULL)
		return;
	if (r->map != NULL)
		(void)munmap(r->map, r->map_bytes); /* cannot fail for all of it */
	if (r->fd >= 0)
		(void)close(r->fd);
	free(r);
}

int forward_ring_fd(const struct forward_ring *r)
{
	return r->fd;
}

/*
 * The status word, shared with the kernel: it fills a slot and then sets
 * TP_STATUS_USER; we are done with it and then set TP_STATUS_KERNEL.
 */
static uint32_t status_load(const struct tpacket2_hdr *h)
{
	return __atomic_load_n(&h->tp_status, __ATOMIC_ACQUIRE);
}

static void status_store(struct tpacket2_hdr *h, uint32_t status)
{
	__atomic_store_n(&h->tp_status, status, __ATOMIC_RELEASE);
}

/* What the kernel left undone, done; what cannot be undone, marked. */
static void frame_of_slot(
	struct forward_frame *f, struct tpacket2_hdr *h, uint32_t status)
{
	struct virtio_net_hdr vnet;

	f->data = (uint8_t *)h + h->tp_mac;
	f->len = h->tp_snaplen;
	f->arrival_ns = (uint64_t)h->tp_sec * NS_PER_S + h->tp_nsec;
	/* It stands right before the frame; its room is the tag's thereafter. */
	memcpy(&vnet, f->data - sizeof(vnet), sizeof(vnet));
	f->is_cut = h->tp_len > h->tp_snaplen || (status & TP_STATUS_GSO_TCP) != 0 ||
		    vnet.gso_type != VIRTIO_NET_HDR_GSO_NONE;
	f->was_partial = (vnet.flags & VIRTIO_NET_HDR_F_NEEDS_CSUM) != 0;
	f->is_bad = !f->is_cut && f->was_partial &&
		    !forward_frame_fill_csum(f, vnet.csum_start, vnet.csum_offset);
	if (status & TP_STATUS_VLAN_VALID)
		forward_frame_restore_vlan(f,
			status & TP_STATUS_VLAN_TPID_VALID ? h->tp_vlan_tpid
							   : ETH_P_8021Q,
			h->tp_vlan_tci);
}

static bool is_outgoing(const struct tpacket2_hdr *h)
{
	const struct sockaddr_ll *from =
		(const struct sockaddr_ll *)(const void *)((const uint8_t *)h +
							   SLOT_ADDR_OFFSET);

	return from->sll_pkttype == PACKET_OUTGOING;
}

unsigned forward_ring_take(
	struct forward_ring *r, struct forward_frame frames[FORWARD_BATCH])
{
	unsigned n = 0;

	for (r->n_lent = 0; r->n_lent < FORWARD_BATCH;) {
		struct tpacket2_hdr *h =
			(struct tpacket2_hdr *)(void *)(r->map +
							(size_t)r->block * BLOCK_BYTES +
							(size_t)r->slot *
								r->slot_bytes);
		uint32_t status = status_load(h);

		if ((status & TP_STATUS_USER) == 0)
			break;
		r->lent[r->n_lent++] = h;
		if (!is_outgoing(h))
			frame_of_slot(&frames[n++], h, status);
		if (++r->slot == r->slots_per_block) {
			r->slot = 0;
			r->block = r->block + 1 == r->n_blocks ? 0 : r->block + 1;
		}
	}
	return n;
}

void forward_ring_give_back(struct forward_ring *r)
{
	unsigned i;

	for (i = 0; i < r->n_lent; i++)
		status_store(r->lent[i], TP_STATUS_KERNEL);
	r->n_lent = 0;
}

void forward_ring_add_drops(struct forward_ring *r, uint64_t *drops)
{
	struct tpacket_stats st;
	socklen_t len = sizeof(st);

	/* Reading resets it. */
	if (getsockopt(r->fd, SOL_PACKET, PACKET_STATISTICS, &st, &len) == 0)
		*drops += st.tp_drops;
}

int forward_ring_check(struct forward_ring *r, struct sp_err *err)
{
	int so_error = 0;
	socklen_t len = sizeof(so_error);

	if (getsockopt(r->fd, SOL_SOCKET, SO_ERROR, &so_error, &len) != 0)
		so_error = errno;
	if (so_error == 0)
		return 0;
	if (if_nametoindex(r->ifname) == 0)
		return sp_err_set(err, SP_EBROKEN, "interface %s vanished", r->ifname);
	return sp_err_errno(err, SP_EBROKEN, so_error,
		"interface %s failed while forwarding", r->ifname);
}
