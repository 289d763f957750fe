/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the e2e tests of `satprof forward` put on the wire and look for at the far
 * end. Both interfaces are in the caller's namespace:
 *   forward-live exact TX RX TAGS MIN MAX N   N frames of MIN..MAX bytes with TAGS
 *       VLAN tags, random inside; each must arrive as it was sent
 *   forward-live csum TX RX N      UDP frames whose checksum is left to hardware
 *   forward-live gso TX N          N TCP frames of 9,054 bytes to be cut by hardware,
 *       N UDP frames of 242 bytes alike
 *   forward-live flood TX PPS SECONDS         64-byte frames, evenly paced
 * Prints "sent N exact N wrong N" or "sent N"; exits 1 on trouble.
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <poll.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#define FRAME_MAX 9300
#define GROUP     16
#define ETH_BYTES 14
#define L4_AT     (ETH_BYTES + 20)

struct frame {
	size_t len;
	uint8_t data[FRAME_MAX];
};

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static uint64_t now_ns(void)
{
	struct timespec ts;

	(void)clock_gettime(CLOCK_MONOTONIC, &ts);
	return (uint64_t)ts.tv_sec * 1000000000u + (uint64_t)ts.tv_nsec;
}

static int packet_socket(const char *ifname, uint16_t protocol, int vnet_hdr)
{
	struct sockaddr_ll at = { .sll_family = AF_PACKET,
		.sll_protocol = htons(protocol),
		.sll_ifindex = (int)if_nametoindex(ifname) };
	const int one = 1, bytes = 16 << 20;
	int fd = socket(AF_PACKET, SOCK_RAW, 0);

	if (fd < 0 ||
		setsockopt(fd, SOL_PACKET, PACKET_AUXDATA, &one, sizeof(one)) != 0)
		die("socket");
	(void)setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one));
	(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof(bytes));
	if (vnet_hdr &&
		setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) != 0)
		die("PACKET_VNET_HDR");
	if (bind(fd, (const struct sockaddr *)&at, sizeof(at)) != 0)
		die(ifname);
	return fd;
}

/* A frame as it was on the wire: with the tag that the kernel took off. */
static int receive(int fd, struct frame *f, int timeout_ms)
{
	union {
		struct cmsghdr align;
		uint8_t bytes[CMSG_SPACE(sizeof(struct tpacket_auxdata))];
	} control;
	struct iovec iov = { f->data, sizeof(f->data) };
	struct msghdr msg = { .msg_iov = &iov,
		.msg_iovlen = 1,
		.msg_control = &control,
		.msg_controllen = sizeof(control) };
	struct pollfd pfd = { .fd = fd, .events = POLLIN };
	struct cmsghdr *c;
	struct tpacket_auxdata aux;
	ssize_t n;

	if (poll(&pfd, 1, timeout_ms) <= 0)
		return 0;
	n = recvmsg(fd, &msg, 0);
	if (n < 0)
		die("recvmsg");
	f->len = (size_t)n;
	for (c = CMSG_FIRSTHDR(&msg); c != NULL; c = CMSG_NXTHDR(&msg, c)) {
		if (c->cmsg_level != SOL_PACKET || c->cmsg_type != PACKET_AUXDATA)
			continue;
		memcpy(&aux, CMSG_DATA(c), sizeof(aux));
		if ((aux.tp_status & TP_STATUS_VLAN_VALID) != 0) {
			uint16_t tag[2] = { htons(aux.tp_vlan_tpid),
				htons(aux.tp_vlan_tci) };

			memmove(f->data + 16, f->data + 12, f->len - 12);
			memcpy(f->data + 12, tag, 4);
			f->len += 4;
		}
	}
	return 1;
}

static void fill(struct frame *f, size_t len, unsigned tags, uint32_t serial)
{
	static const uint8_t tag[2][4] = { { 0x88, 0xa8, 0x20, 0x0a },
		{ 0x81, 0x00, 0xe1, 0x23 } };
	size_t i;

	f->len = len;
	for (i = 0; i < len; i++)
		f->data[i] = (uint8_t)random();
	f->data[0] = 0x02; /* unicast, for nobody here */
	f->data[6] = 0x02;
	for (i = 0; i < tags; i++)
		memcpy(f->data + 12 + 4 * i, tag[i + (tags == 1)], 4);
	f->data[12 + 4 * tags] = 0x88; /* for experiments: no protocol takes it */
	f->data[13 + 4 * tags] = 0xb5;
	memcpy(f->data + 14 + 4 * tags, &serial, sizeof(serial));
}

static int exact(char **argv)
{
	int tx = packet_socket(argv[2], 0, 0);
	int rx = packet_socket(argv[3], ETH_P_ALL, 0);
	unsigned tags = (unsigned)atoi(argv[4]);
	size_t min = (size_t)atoi(argv[5]), max = (size_t)atoi(argv[6]);
	long n = atol(argv[7]), sent = 0, good = 0, wrong = 0, k;
	static struct frame want[GROUP], got;

	srandom(42);
	while (sent < n) {
		for (k = 0; k < GROUP && sent < n; k++, sent++) {
			size_t len = min + (size_t)sent % (max - min + 1);

			fill(&want[k], len, tags, (uint32_t)sent);
			if (send(tx, want[k].data, len, 0) != (ssize_t)len)
				die("send");
		}
		/* In order, one to one. */
		for (long i = 0; i < k; i++) {
			if (!receive(rx, &got, 2000))
				break;
			if (got.len == want[i].len &&
				memcmp(got.data, want[i].data, got.len) == 0)
				good++;
			else
				wrong++;
		}
	}
	while (receive(rx, &got, 100))
		wrong++;
	(void)printf("sent %ld exact %ld wrong %ld\n", sent, good, wrong);
	return 0;
}

static uint16_t sum16(const uint8_t *p, size_t len, uint32_t sum)
{
	size_t i;

	for (i = 0; i < len; i++)
		sum += (uint32_t)p[i] << (i % 2 == 0 ? 8 : 0);
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

static void put16(uint8_t *p, size_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)(v & 0xff);
}

/* IPv4 with its checksum, and the pseudo header's sum where L4's belongs. */
static void fill_ip(struct frame *f, uint8_t protocol, size_t l4_len, size_t csum_at)
{
	uint8_t *ip = f->data + ETH_BYTES;
	size_t i;

	memset(f->data, 0, L4_AT);
	f->data[0] = f->data[6] = 0x02;
	f->data[12] = 0x08;
	ip[0] = 0x45;
	put16(ip + 2, 20 + l4_len);
	ip[8] = 64;
	ip[9] = protocol;
	memcpy(ip + 12, (const uint8_t[]){ 198, 18, 0, 1, 198, 19, 0, 1 }, 8);
	put16(ip + 10, (uint16_t)~sum16(ip, 20, 0));
	for (i = 0; i < l4_len; i++)
		f->data[L4_AT + i] = (uint8_t)random();
	put16(f->data + L4_AT + csum_at,
		sum16(ip + 12, 8, protocol + (uint32_t)l4_len));
	f->len = L4_AT + l4_len;
}

static void send_vnet(int fd, const struct virtio_net_hdr *h, const struct frame *f)
{
	struct iovec iov[2] = { { (void *)(uintptr_t)h, sizeof(*h) },
		{ (void *)(uintptr_t)f->data, f->len } };
	struct msghdr msg = { .msg_iov = iov, .msg_iovlen = 2 };

	if (sendmsg(fd, &msg, 0) < 0)
		die("send with a virtio header");
}

static int csum(char **argv)
{
	int tx = packet_socket(argv[2], 0, 1);
	int rx = packet_socket(argv[3], ETH_P_ALL, 0);
	const struct virtio_net_hdr h = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.csum_start = L4_AT,
		.csum_offset = 6 };
	long n = atol(argv[4]), i, good = 0, wrong = 0;
	static struct frame want, got;

	for (i = 0; i < n; i++) {
		size_t l4_len = 26 + (size_t)i % 1400;

		fill_ip(&want, 17, l4_len, 6);
		put16(want.data + L4_AT + 4, l4_len);
		send_vnet(tx, &h, &want);
		if (!receive(rx, &got, 2000))
			continue;
		/* A receiver's sum over all must give all ones; the rest is as sent. */
		if (got.len == want.len &&
			sum16(got.data + L4_AT, l4_len,
				sum16(got.data + ETH_BYTES + 12, 8,
					17 + (uint32_t)l4_len)) == 0xffff &&
			memcmp(got.data, want.data, L4_AT + 6) == 0 &&
			memcmp(got.data + L4_AT + 8, want.data + L4_AT + 8,
				l4_len - 8) == 0)
			good++;
		else
			wrong++;
	}
	(void)printf("sent %ld exact %ld wrong %ld\n", n, good, wrong);
	return 0;
}

static int gso(char **argv)
{
	int tx = packet_socket(argv[2], 0, 1);
	struct virtio_net_hdr h = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.csum_start = L4_AT };
	static struct frame f;
	long n = atol(argv[3]), i;

	for (i = 0; i < n; i++) {
		h.gso_type = VIRTIO_NET_HDR_GSO_TCPV4;
		h.gso_size = 1448;
		h.csum_offset = 16;
		h.hdr_len = L4_AT + 20;
		fill_ip(&f, 6, 20 + 9000, 16);
		f.data[L4_AT + 12] = 0x50; /* no options */
		f.data[L4_AT + 13] = 0x10; /* ACK */
		send_vnet(tx, &h, &f);
		h.gso_type = 5; /* VIRTIO_NET_HDR_GSO_UDP_L4, Linux 6.2's header */
		h.gso_size = 100;
		h.csum_offset = 6;
		h.hdr_len = L4_AT + 8;
		fill_ip(&f, 17, 8 + 200, 6);
		put16(f.data + L4_AT + 4, 208);
		send_vnet(tx, &h, &f);
	}
	(void)printf("sent %ld\n", 2 * n);
	return 0;
}

static int flood(char **argv)
{
	int tx = packet_socket(argv[2], 0, 0);
	double gap_ns = 1e9 / atof(argv[3]);
	uint64_t start = now_ns(), end = start + (uint64_t)(atof(argv[4]) * 1e9);
	static struct frame f;
	long sent = 0;

	fill_ip(&f, 17, 26, 6);
	while (now_ns() < end) {
		uint64_t due = start + (uint64_t)((double)sent * gap_ns);

		if (now_ns() < due) {
			const struct timespec nap = { 0, 100000 };

			(void)nanosleep(&nap, NULL);
		} else if (send(tx, f.data, f.len, 0) < 0 && errno != ENOBUFS) {
			die("send");
		} else {
			sent++;
		}
	}
	(void)printf("sent %ld\n", sent);
	return 0;
}

int main(int argc, char **argv)
{
	static const struct {
		const char *name;
		int n_args;
		int (*run)(char **argv);
	} modes[] = {
		{ "exact", 8, exact },
		{ "csum", 5, csum },
		{ "gso", 4, gso },
		{ "flood", 5, flood },
	};
	size_t i;

	for (i = 0; argc > 1 && i < sizeof(modes) / sizeof(modes[0]); i++)
		if (strcmp(argv[1], modes[i].name) == 0 && argc == modes[i].n_args)
			return modes[i].run(argv);
	(void)fprintf(stderr, "see the top of forward-live.c\n");
	return 1;
}
