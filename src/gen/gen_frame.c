/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frame building; checksums after RFC 1071 and RFC 1624. */
#include "config.h"

#include "gen/gen_frame.h"

#include <endian.h>
#include <netinet/in.h>
#include <string.h>

#include "gen/gen_tag.h"

#define IP_AT       GEN_ETH_BYTES
#define IP_LEN_AT   (IP_AT + 2)
#define IP_CSUM_AT  (IP_AT + 10)
#define IP_ADDRS_AT (IP_AT + 12)
#define UDP_AT      (IP_AT + 20)
#define UDP_LEN_AT  (UDP_AT + 4)
#define UDP_CSUM_AT (UDP_AT + 6)
#define HOSTS       250u   /* a byte of an address: 1..250 */
#define PORTS       16384u /* source ports 1024..17407 */
#define FIRST_PORT  1024u

/* Version, length; identification and fragment word; TTL 64 and UDP. */
static const uint8_t ip_fixed[12] = { 0x45, 0, 0, 0, 0, 0, 0x40, 0, 64, IPPROTO_UDP };

static void put16(uint8_t *p, uint32_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)v;
}

uint32_t gen_csum_add(uint32_t sum, const uint8_t *p, size_t len)
{
	uint64_t wide = sum;

	for (; len >= 2; p += 2, len -= 2)
		wide += (uint32_t)p[0] << 8 | p[1];
	if (len > 0)
		wide += (uint32_t)p[0] << 8;
	return (uint32_t)(wide & 0xffff) + (uint32_t)(wide >> 16);
}

uint16_t gen_csum_fold(uint32_t sum)
{
	sum = (sum & 0xffff) + (sum >> 16);
	sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

void gen_flow_init(struct gen_flow *flow, uint32_t i, int is_rev)
{
	/* (source port, source host) alone tell all flows apart; the destination
	 * follows the host, so that a router or a hash has something to look at. */
	uint32_t host = i / PORTS % HOSTS + i % PORTS % HOSTS;
	uint32_t net = i / PORTS;
	const uint8_t near[4] = { 198, 18, (uint8_t)net, (uint8_t)(1 + host % HOSTS) };
	const uint8_t far[4] = { 198, 19, (uint8_t)net, (uint8_t)(1 + host % HOSTS) };
	uint8_t near_port[2], far_port[2];

	put16(near_port, FIRST_PORT + i % PORTS);
	put16(far_port, FIRST_PORT);
	memcpy(flow->addrs, is_rev ? far : near, 4);
	memcpy(flow->addrs + 4, is_rev ? near : far, 4);
	memcpy(flow->ports, is_rev ? far_port : near_port, 2);
	memcpy(flow->ports + 2, is_rev ? near_port : far_port, 2);
	flow->ip_sum = gen_csum_add(0, ip_fixed, sizeof(ip_fixed));
	flow->ip_sum = gen_csum_add(flow->ip_sum, flow->addrs, sizeof(flow->addrs));
	flow->udp_sum = gen_csum_add(IPPROTO_UDP, flow->addrs, sizeof(flow->addrs));
	flow->udp_sum = gen_csum_add(flow->udp_sum, flow->ports, sizeof(flow->ports));
}

void gen_frame_init(uint8_t *frame, const uint8_t dst_mac[6], const uint8_t src_mac[6])
{
	memcpy(frame, dst_mac, 6);
	memcpy(frame + 6, src_mac, 6);
	put16(frame + 12, 0x0800);
	memcpy(frame + IP_AT, ip_fixed, sizeof(ip_fixed));
}

/* All but the UDP checksum; returns the UDP length. */
static uint32_t seal_headers(uint8_t *frame, uint32_t len, const struct gen_flow *flow)
{
	uint32_t ip_bytes = len - GEN_ETH_BYTES, udp_bytes = ip_bytes - 20;

	put16(frame + IP_LEN_AT, ip_bytes);
	put16(frame + IP_CSUM_AT, (uint16_t)~gen_csum_fold(flow->ip_sum + ip_bytes));
	memcpy(frame + IP_ADDRS_AT, flow->addrs, sizeof(flow->addrs));
	memcpy(frame + UDP_AT, flow->ports, sizeof(flow->ports));
	put16(frame + UDP_LEN_AT, udp_bytes);
	return udp_bytes;
}

void gen_frame_seal(uint8_t *frame, uint32_t len, const struct gen_flow *flow)
{
	uint32_t udp_bytes = seal_headers(frame, len, flow);
	uint16_t tag = gen_csum_fold(
		gen_csum_add(0, frame + len - GEN_TAG_BYTES, GEN_TAG_BYTES));
	uint16_t sum;

	/* A tag that begins at an odd byte of the datagram lies across the words:
	 * its sum is byte-swapped (RFC 1071, 2(B)). */
	if (udp_bytes % 2 != 0)
		tag = (uint16_t)(tag << 8 | tag >> 8);
	sum = (uint16_t)~gen_csum_fold(flow->udp_sum + 2 * udp_bytes + tag);
	put16(frame + UDP_CSUM_AT, sum != 0 ? sum : 0xffff); /* 0 says "none" */
}

void gen_frame_seal_burst(uint8_t *frame, uint32_t len, const struct gen_flow *flow)
{
	uint32_t udp_bytes = seal_headers(frame, len, flow), pseudo = IPPROTO_UDP;

	pseudo = gen_csum_add(pseudo, flow->addrs, sizeof(flow->addrs));
	put16(frame + UDP_CSUM_AT, gen_csum_fold(pseudo + udp_bytes));
}
