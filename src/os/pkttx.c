/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Packet sockets that send; see the header for the two paths. */
#include "config.h"

#include "os/pkttx.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/netns.h"

/* Linux 6.2; older headers lack the name. */
#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

#define SEND_BUFFER_BYTES (64 * 1024 * 1024)
#define MAX_SOCKETS       32
#define DEFAULT_BACKLOG   1000 /* net.core.netdev_max_backlog, unless read */
#define UDP_HEADERS_BYTES 42   /* Ethernet, IPv4, UDP */
#define UDP_CSUM_START    34
#define UDP_CSUM_OFFSET   6

struct pkttx {
	int fds[MAX_SOCKETS];
	size_t n_fds, turn;
	struct iface iface;
	bool closed_loop;
	struct iovec iovs[PKTTX_MAX_MSGS];
	struct mmsghdr hdrs[PKTTX_MAX_MSGS];
};

static int set_opt(int fd, int name, int value)
{
	return setsockopt(fd, SOL_PACKET, name, &value, sizeof(value));
}

/* Protocol 0: this socket receives nothing. */
static int open_socket(struct sp_err *err)
{
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);

	if (fd >= 0)
		return fd;
	if (errno == EPERM || errno == EACCES)
		return sp_err_errno(err, SP_EPERM, errno,
			"packet socket: needs CAP_NET_RAW in the interface's namespace");
	return sp_err_errno(err, SP_EIO, errno, "packet socket");
}

static int bind_socket(int fd, int ifindex, const char *ifname, struct sp_err *err)
{
	struct sockaddr_ll sll = {
		.sll_family = AF_PACKET,
		.sll_ifindex = ifindex,
	};

	if (bind(fd, (const struct sockaddr *)&sll, sizeof(sll)) != 0)
		return sp_err_errno(err, SP_EIO, errno,
			"cannot bind a packet socket to %s", ifname);
	return 0;
}

/* A refusal leaves the way through the queueing discipline: slower, still right. */
static int mode_socket(int fd, const char *ifname, bool offload, struct sp_err *err)
{
	if (!offload)
		(void)set_opt(fd, PACKET_QDISC_BYPASS, 1);
	else if (set_opt(fd, PACKET_VNET_HDR, 1) != 0)
		return sp_err_errno(err, SP_EENV, errno,
			"segmentation offload on %s: PACKET_VNET_HDR", ifname);
	return 0;
}

void pkttx_vnet_hdr(uint8_t hdr[PKTTX_VNET_HDR_BYTES], uint16_t gso_bytes)
{
	/* hdr_len says how much the kernel lays out flat: the headers alone leave
	 * the payload in pages, of which each frame then takes a reference. */
	const struct virtio_net_hdr h = {
		.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4,
		.hdr_len = UDP_HEADERS_BYTES,
		.gso_size = gso_bytes,
		.csum_start = UDP_CSUM_START,
		.csum_offset = UDP_CSUM_OFFSET,
	};

	memcpy(hdr, &h, sizeof(h));
}

/*
 * Ask the kernel by a burst of two that cannot leave: with the queueing discipline
 * bypassed, a burst that has to be cut is dropped (ENOBUFS). EINVAL is a kernel
 * that does not know the header; success an interface that takes bursts whole, so
 * that they would arrive as one oversize frame on a virtual link.
 */
static int probe_offload(
	const struct iface *iface, const char *ifname, struct sp_err *err)
{
	enum { PAYLOAD = 18, UDP_BYTES = 8 + 2 * PAYLOAD };
	uint8_t msg[PKTTX_VNET_HDR_BYTES + UDP_HEADERS_BYTES + 2 * PAYLOAD] = { 0 };
	uint8_t *eth = msg + PKTTX_VNET_HDR_BYTES, *ip = eth + ETH_HLEN, *udp = ip + 20;
	int rc, fd;
	ssize_t n;

	pkttx_vnet_hdr(msg, PAYLOAD);
	memcpy(eth, iface->mac, ETH_ALEN); /* to itself: nobody else is bothered */
	memcpy(eth + ETH_ALEN, iface->mac, ETH_ALEN);
	eth[12] = ETH_P_IP >> 8;
	ip[0] = 0x45;
	ip[3] = 20 + UDP_BYTES;
	ip[8] = 1;
	ip[9] = IPPROTO_UDP;
	udp[5] = UDP_BYTES;
	if (!iface->running)
		return sp_err_set(err, SP_EENV,
			"segmentation offload on %s: not tried, the link is down",
			ifname);
	if ((fd = open_socket(err)) < 0)
		return fd;
	(void)set_opt(fd, PACKET_QDISC_BYPASS, 1);
	if ((rc = mode_socket(fd, ifname, true, err)) != 0 ||
		(rc = bind_socket(fd, iface->ifindex, ifname, err)) != 0) {
		(void)close(fd);
		return rc;
	}
	n = send(fd, msg, sizeof(msg), MSG_DONTWAIT);
	rc = n < 0 ? errno : 0;
	(void)close(fd);
	if (rc == ENOBUFS)
		return 0;
	if (rc == 0)
		return sp_err_set(err, SP_EENV,
			"segmentation offload on %s: the interface takes bursts whole; "
			"ethtool -K %s tx-udp-segmentation off lets the kernel cut them",
			ifname, ifname);
	return sp_err_errno(err, SP_EENV, rc,
		"segmentation offload on %s: this kernel does not cut bursts of a packet "
		"socket (Linux 6.2 does)",
		ifname);
}

static uint64_t read_backlog(void)
{
	unsigned long long n = DEFAULT_BACKLOG;
	FILE *f = fopen("/proc/sys/net/core/netdev_max_backlog", "re");

	/* Absent inside a network namespace: the kernel's default is assumed. */
	if (f != NULL) {
		if (fscanf(f, "%llu", &n) != 1)
			n = DEFAULT_BACKLOG;
		(void)fclose(f);
	}
	return n;
}

/* What a frame is charged in the send buffer: the sk_buff and its data, which the
 * allocator rounds up to a power of two. */
static uint64_t frame_truesize(uint32_t frame_bytes)
{
	const uint32_t skb_bytes = 256, room_bytes = 64 + 320;
	uint32_t need = frame_bytes + room_bytes, size = 512;

	while (size < need)
		size *= 2;
	return skb_bytes + size;
}

/* 0 when the size could be forced, else the bytes that one socket got. */
static uint64_t grow_send_buffer(int fd)
{
	int want = SEND_BUFFER_BYTES, got = 0;
	socklen_t len = sizeof(got);

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &want, sizeof(want)) == 0)
		return 0;
	(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &want, sizeof(want));
	if (getsockopt(fd, SOL_SOCKET, SO_SNDBUF, &got, &len) != 0 || got < 1)
		got = 1;
	return (uint64_t)got;
}

static int add_socket(
	struct pkttx *tx, const struct pkttx_config *cfg, struct sp_err *err)
{
	int rc, fd = open_socket(err);

	if (fd < 0)
		return fd;
	tx->fds[tx->n_fds++] = fd;
	if (tx->n_fds == 1 && (rc = iface_get(fd, cfg->ifname, &tx->iface, err)) != 0)
		return rc;
	if ((rc = mode_socket(fd, cfg->ifname, cfg->offload, err)) != 0)
		return rc;
	return bind_socket(fd, tx->iface.ifindex, cfg->ifname, err);
}

/* Two input queues stand between the sender and the far receiver. */
static int open_all(
	struct pkttx *tx, const struct pkttx_config *cfg, struct sp_err *err)
{
	uint64_t one_bytes, need_bytes, have_bytes;
	int rc;

	if ((rc = add_socket(tx, cfg, err)) != 0)
		return rc;
	if (cfg->offload && (rc = probe_offload(&tx->iface, cfg->ifname, err)) != 0)
		return rc;
	one_bytes = grow_send_buffer(tx->fds[0]);
	if (one_bytes == 0)
		return 0;
	need_bytes = 2 * read_backlog() * frame_truesize(cfg->frame_bytes_max);
	for (have_bytes = one_bytes; have_bytes < need_bytes && tx->n_fds < MAX_SOCKETS;
		have_bytes += one_bytes) {
		if ((rc = add_socket(tx, cfg, err)) != 0)
			return rc;
		(void)grow_send_buffer(tx->fds[tx->n_fds - 1]);
	}
	tx->closed_loop = have_bytes < need_bytes;
	return 0;
}

int pkttx_open(
	const struct pkttx_config *cfg, struct pkttx **ret_tx, struct sp_err *err)
{
	struct pkttx *tx = xcalloc(1, sizeof(*tx));
	int back = -1, rc;
	size_t i;

	for (i = 0; i < PKTTX_MAX_MSGS; i++) {
		tx->hdrs[i].msg_hdr.msg_iov = &tx->iovs[i];
		tx->hdrs[i].msg_hdr.msg_iovlen = 1;
	}
	if ((rc = netns_enter(cfg->netns_fd, &back, err)) == 0) {
		rc = open_all(tx, cfg, err);
		netns_leave(back);
	}
	if (rc != 0) {
		pkttx_close(tx);
		return rc;
	}
	*ret_tx = tx;
	return 0;
}

const struct iface *pkttx_iface(const struct pkttx *tx)
{
	return &tx->iface;
}

int pkttx_fd(const struct pkttx *tx)
{
	return tx->fds[0];
}

bool pkttx_is_closed_loop(const struct pkttx *tx)
{
	return tx->closed_loop;
}

/* Down, gone, or unbound: no later frame can leave either. */
static bool is_fatal(int e)
{
	return e == ENETDOWN || e == ENXIO || e == ENODEV || e == EBADF;
}

static void refuse(struct pkttx_msg *m, struct pkttx_count *count, int e)
{
	m->accepted = false;
	count->refused += m->n_frames;
	if (e == EAGAIN)
		count->refused_full += m->n_frames;
}

/*
 * sendmmsg() stops at the message that failed and, unless it is the first, keeps
 * its errno to itself. The kernel has then tried that message and dropped it: it
 * is refused, and the next call begins behind it.
 */
int pkttx_send(
	struct pkttx *tx, struct pkttx_msg *msgs, size_t n, struct pkttx_count *count)
{
	int fd = tx->fds[tx->turn], e = 0;
	size_t i, done = 0;

	tx->turn = tx->turn + 1 < tx->n_fds ? tx->turn + 1 : 0;
	for (i = 0; i < n; i++) {
		tx->iovs[i].iov_base = (void *)(uintptr_t)msgs[i].data;
		tx->iovs[i].iov_len = msgs[i].len;
	}
	while (done < n && !is_fatal(e)) {
		int k = sendmmsg(
			fd, &tx->hdrs[done], (unsigned)(n - done), MSG_DONTWAIT);

		e = k < 0 ? errno : 0;
		for (i = 0; k > 0 && i < (size_t)k; i++, done++) {
			msgs[done].accepted = true;
			count->accepted += msgs[done].n_frames;
		}
		if (done < n)
			refuse(&msgs[done++], count, e);
	}
	for (; done < n; done++)
		refuse(&msgs[done], count, e);
	return is_fatal(e) ? e : 0;
}

void pkttx_close(struct pkttx *tx)
{
	size_t i;

	if (tx == NULL)
		return;
	for (i = 0; i < tx->n_fds; i++)
		(void)close(tx->fds[i]);
	free(tx);
}
