/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sending batches and deciding on what is refused. */
#include "config.h"

#include "sut/forward_tx.h"

#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/mem.h"
#include "sut/forward_ring.h"

/*
 * A frame stays charged to this socket until the far CPU has taken it; the buffer
 * must not be what limits. Without the right to force it, what the system allows.
 */
#define TX_BUFFER_BYTES (32 << 20)
#define TX_WAIT_MS      1

struct forward_tx {
	int fd;
	char ifname[IFNAMSIZ];
	uint32_t max_bytes; /* of a frame without a tag */
	unsigned n;
	struct mmsghdr msgs[FORWARD_BATCH];
	struct iovec iov[FORWARD_BATCH];
};

static void tx_set_buffer(int fd)
{
	const int bytes = TX_BUFFER_BYTES;

	if (setsockopt(fd, SOL_SOCKET, SO_SNDBUFFORCE, &bytes, sizeof(bytes)) != 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_SNDBUF, &bytes, sizeof(bytes));
}

int forward_tx_open(const char *ifname, uint32_t mtu, bool qdisc_bypass,
	struct forward_tx **ret_tx, struct sp_err *err)
{
	/* Protocol 0: this socket receives nothing. */
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
		.sll_ifindex = (int)if_nametoindex(ifname) };
	const int bypass = qdisc_bypass;
	struct forward_tx *tx;
	unsigned i;
	int fd;

	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0);
	if (fd < 0)
		return sp_err_errno(err, errno == EPERM ? SP_EPERM : SP_EIO, errno,
			"%s: cannot open a packet socket", ifname);
	if (bind(fd, (const struct sockaddr *)&to, sizeof(to)) != 0 ||
		setsockopt(fd, SOL_PACKET, PACKET_QDISC_BYPASS, &bypass,
			sizeof(bypass)) != 0) {
		int rc = sp_err_errno(err, SP_EIO, errno,
			"%s: cannot set up a packet socket for sending", ifname);

		(void)close(fd);
		return rc;
	}
	tx_set_buffer(fd);
	tx = xcalloc(1, sizeof(*tx));
	tx->fd = fd;
	tx->max_bytes = mtu + ETH_HLEN;
	(void)snprintf(tx->ifname, sizeof(tx->ifname), "%s", ifname);
	for (i = 0; i < FORWARD_BATCH; i++) {
		tx->msgs[i].msg_hdr.msg_iov = &tx->iov[i];
		tx->msgs[i].msg_hdr.msg_iovlen = 1;
	}
	*ret_tx = tx;
	return 0;
}

void forward_tx_close(struct forward_tx *tx)
{
	if (tx == NULL)
		return;
	(void)close(tx->fd);
	free(tx);
}

/* The kernel's own rule (net/packet): an 802.1Q tag may exceed the MTU, no other. */
bool forward_tx_fits(const struct forward_tx *tx, const struct forward_frame *f)
{
	if (f->len <= tx->max_bytes)
		return true;
	return f->len <= tx->max_bytes + FORWARD_VLAN_BYTES &&
	       f->data[2 * ETH_ALEN] == (ETH_P_8021Q >> 8) &&
	       f->data[2 * ETH_ALEN + 1] == (ETH_P_8021Q & 0xff);
}

void forward_tx_add(struct forward_tx *tx, const struct forward_frame *f)
{
	struct iovec *iov = &tx->iov[tx->n++];

	iov->iov_base = f->data;
	iov->iov_len = f->len;
}

static int tx_broken(struct forward_tx *tx, int sys_errno, struct sp_err *err)
{
	if (sys_errno != ENETDOWN)
		return sp_err_set(err, SP_EBROKEN, "interface %s vanished", tx->ifname);
	return sp_err_set(
		err, SP_EBROKEN, "interface %s went down while forwarding", tx->ifname);
}

/* One frame was not taken, for this reason. False: nor will any be. */
static bool tx_judge(int sys_errno, struct forward_tx_counts *counts)
{
	switch (sys_errno) {
	case ENETDOWN:
	case ENXIO:
	case ENODEV:
		return false;
	case EMSGSIZE: /* the MTU has been lowered meanwhile */
		counts->oversize++;
		return true;
	default: /* ENOBUFS: dropped by queue or driver; EINVAL: a runt */
		counts->refused++;
		return true;
	}
}

/*
 * sendmmsg() stops behind a frame that it tried and keeps the errno to itself. With
 * room in the buffer it was dropped by queue or driver: to send it again would make
 * two drops, or a late copy, of it. Without, it was not tried yet.
 */
static bool tx_was_dropped(const struct forward_tx *tx)
{
	struct pollfd pfd = { .fd = tx->fd, .events = POLLOUT };

	return poll(&pfd, 1, 0) > 0;
}

int forward_tx_flush(
	struct forward_tx *tx, struct forward_tx_counts *counts, struct sp_err *err)
{
	struct pollfd pfd = { .fd = tx->fd, .events = POLLOUT };
	unsigned done = 0;
	bool has_waited = false;
	int n, rc = 0;

	while (done < tx->n) {
		n = sendmmsg(tx->fd, tx->msgs + done, tx->n - done, MSG_DONTWAIT);
		if (n > 0) {
			counts->sent += (unsigned)n;
			done += (unsigned)n;
			if (done < tx->n && tx_was_dropped(tx)) {
				counts->refused++;
				done++;
			}
		} else if (errno == EINTR) {
			continue;
		} else if (errno == EAGAIN) {
			/* The buffer is full: once a batch, let it drain. */
			if (has_waited || poll(&pfd, 1, TX_WAIT_MS) <= 0)
				break;
			has_waited = true;
		} else if (tx_judge(errno, counts)) {
			done++;
		} else {
			rc = tx_broken(tx, errno, err);
			break;
		}
	}
	counts->refused += tx->n - done;
	tx->n = 0;
	return rc;
}
