/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One UDP datagram with a segment size, about Linux 6.2 and later. */
#include "config.h"

#include "os/caps_gso.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/lab.h"
#include "os/nl.h"

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4
#define VIRTIO_NET_HDR_GSO_UDP_L4 5 /* linux/virtio_net.h of 6.2 */
#endif

#define N_FRAMES      4
#define SEGMENT_BYTES 100
/* Frames that take their time to be seen at the other end. */
#define ARRIVE_LIMIT_NS (500 * NS_PER_MS)

struct burst {
	struct virtio_net_hdr vnet;
	struct ether_header eth;
	struct iphdr ip;
	struct udphdr udp;
	uint8_t payload[N_FRAMES * SEGMENT_BYTES];
} __attribute__((packed));

/* RFC 1071, of n bytes (even) on top of sum. */
static uint32_t sum16(const void *data, size_t n, uint32_t sum)
{
	const uint8_t *p = data;
	size_t i;

	for (i = 0; i < n; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	return sum;
}

static uint16_t fold(uint32_t sum)
{
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return htons((uint16_t)sum);
}

static void make_burst(const struct lab *lab, struct burst *b)
{
	uint16_t udp_len = sizeof(b->udp) + sizeof(b->payload);

	memset(b, 0, sizeof(*b));
	b->vnet.flags = VIRTIO_NET_HDR_F_NEEDS_CSUM;
	b->vnet.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4;
	b->vnet.gso_size = SEGMENT_BYTES;
	b->vnet.hdr_len = sizeof(b->eth) + sizeof(b->ip) + sizeof(b->udp);
	b->vnet.csum_start = sizeof(b->eth) + sizeof(b->ip);
	b->vnet.csum_offset = offsetof(struct udphdr, check);
	memcpy(b->eth.ether_dhost, lab->sut_in_mac, 6);
	memcpy(b->eth.ether_shost, lab->gen_tx_mac, 6);
	b->eth.ether_type = htons(ETHERTYPE_IP);
	b->ip.version = 4;
	b->ip.ihl = sizeof(b->ip) / 4;
	b->ip.ttl = 1; /* nobody forwards it */
	b->ip.protocol = IPPROTO_UDP;
	b->ip.tot_len = htons((uint16_t)(sizeof(b->ip) + udp_len));
	b->ip.saddr = htonl(0xc6120001); /* 198.18.0.1, RFC 2544 */
	b->ip.daddr = htonl(0xc6130001);
	b->ip.check = (uint16_t)~fold(sum16(&b->ip, sizeof(b->ip), 0));
	b->udp.source = htons(9);
	b->udp.dest = htons(9);
	b->udp.len = htons(udp_len);
	/* the pseudo header's part; the kernel adds the rest, frame by frame */
	b->udp.check = fold(sum16(&b->ip.saddr, 8, (uint32_t)IPPROTO_UDP + udp_len));
}

/* A socket of its own: one with a ring takes no such header any more. */
static int send_burst(const struct burst *b, struct sp_err *err)
{
	struct sockaddr_ll to = { .sll_family = AF_PACKET,
		.sll_protocol = htons(ETHERTYPE_IP),
		.sll_ifindex = (int)if_nametoindex(LAB_GEN_TX),
		.sll_halen = 6 };
	int fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC, 0), rc = 0;
	const int one = 1;

	if (fd < 0)
		return sp_err_errno(err, SP_EENV, errno, "AF_PACKET");
	memcpy(to.sll_addr, b->eth.ether_dhost, 6);
	if (setsockopt(fd, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) != 0)
		rc = sp_err_errno(err, SP_EENV, errno, "PACKET_VNET_HDR");
	else if (sendto(fd, b, sizeof(*b), 0, (struct sockaddr *)&to, sizeof(to)) !=
		 (ssize_t)sizeof(*b))
		rc = sp_err_errno(err, SP_EENV, errno,
			"the kernel takes no UDP segmentation on a packet socket");
	(void)close(fd); /* what was sent is on its way */
	return rc;
}

int caps_gso_try(const struct lab *lab, struct sp_err *err)
{
	uint64_t deadline_ns, want, got = 0;
	struct nl_handle *nl = NULL;
	struct nl_link link;
	struct burst b;
	int rc;

	rc = nl_handle_open(lab->sut_ns, &nl, err);
	if (rc == 0)
		rc = nl_link_get(nl, LAB_SUT_IN, &link, err);
	if (rc != 0)
		goto out;
	want = link.rx_packets + N_FRAMES;
	make_burst(lab, &b);
	rc = send_burst(&b, err);
	deadline_ns = clock_now_ns(&clock_monotonic) + ARRIVE_LIMIT_NS;
	while (rc == 0 && got < want && clock_now_ns(&clock_monotonic) < deadline_ns) {
		rc = nl_link_get(nl, LAB_SUT_IN, &link, err);
		got = link.rx_packets;
		clock_sleep_until_ns(
			&clock_monotonic, clock_now_ns(&clock_monotonic) + NS_PER_MS);
	}
	if (rc == 0 && got < want)
		rc = sp_err_set(err, SP_EENV, "of a burst of %d frames %d arrived",
			N_FRAMES, N_FRAMES - (int)(want - got));
out:
	nl_handle_close(nl);
	return rc;
}
