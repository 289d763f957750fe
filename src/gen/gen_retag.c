/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Just enough of IPv4, IPv6 and what they carry to place a tag. */
#include "config.h"

#include "gen/gen_retag.h"

#include <linux/if_ether.h>
#include <netinet/in.h>
#include <stddef.h>

#include "gen/gen_frame.h"
#include "gen/gen_tag.h"

/* An IP packet within a frame; offsets from the frame's start. */
struct ip_view {
	bool is_v6, is_fragment;
	uint8_t protocol;
	uint32_t addrs_at, addrs_bytes;
	uint32_t l4_at, end_at;
	bool is_length_zero; /* a capture from before segmentation offload */
};

static uint32_t get16(const uint8_t *p)
{
	return (uint32_t)p[0] << 8 | p[1];
}

static bool is_vlan(uint32_t ethertype)
{
	return ethertype == ETH_P_8021Q || ethertype == ETH_P_8021AD;
}

static bool view_ipv4(
	struct ip_view *v, const uint8_t *frame, uint32_t len, uint32_t at)
{
	const uint8_t *ip = frame + at;
	uint32_t header_bytes, total;

	if (len < at + 20 || ip[0] >> 4 != 4)
		return false;
	header_bytes = (uint32_t)(ip[0] & 15) * 4;
	total = get16(ip + 2);
	v->is_length_zero = total == 0;
	v->protocol = ip[9];
	v->is_fragment = (get16(ip + 6) & 0x3fff) != 0;
	v->addrs_at = at + 12;
	v->addrs_bytes = 8;
	v->l4_at = at + header_bytes;
	v->end_at = at + total;
	return header_bytes >= 20 && total >= header_bytes && v->end_at <= len;
}

static bool view_ipv6(
	struct ip_view *v, const uint8_t *frame, uint32_t len, uint32_t at)
{
	const uint8_t *ip = frame + at;
	uint32_t payload;

	if (len < at + 40 || ip[0] >> 4 != 6)
		return false;
	payload = get16(ip + 4);
	v->is_v6 = true;
	v->protocol = ip[6];
	/* 0 is also right for "no next header" and for jumbograms. */
	v->is_length_zero = payload == 0 &&
			    (v->protocol == IPPROTO_TCP || v->protocol == IPPROTO_UDP);
	v->addrs_at = at + 8;
	v->addrs_bytes = 32;
	v->l4_at = at + 40;
	v->end_at = v->l4_at + payload;
	return v->end_at <= len;
}

/* False: not IP, or its lengths do not fit; is_length_zero may be set then. */
static bool view_ip(struct ip_view *v, const uint8_t *frame, uint32_t len)
{
	uint32_t at = ETH_HLEN, type, tags;

	*v = (struct ip_view){ 0 };
	if (len < ETH_HLEN)
		return false;
	type = get16(frame + 12);
	for (tags = 0; is_vlan(type) && tags < 2 && len >= at + 4; tags++, at += 4)
		type = get16(frame + at + 2);
	if (type == ETH_P_IP)
		return view_ipv4(v, frame, len, at);
	return type == ETH_P_IPV6 && view_ipv6(v, frame, len, at);
}

const char *gen_retag_refuse(const uint8_t *frame, uint32_t len)
{
	struct ip_view v;

	if (len < ETH_HLEN)
		return "shorter than an Ethernet header";
	(void)view_ip(&v, frame, len);
	if (v.is_length_zero)
		return "its IP length is 0: captured before segmentation offload cut it";
	return NULL;
}

uint32_t gen_retag_find(const uint8_t *frame, uint32_t len)
{
	struct ip_view v;

	if (!view_ip(&v, frame, len) || v.end_at < v.l4_at + GEN_TAG_BYTES)
		return 0;
	return v.end_at - GEN_TAG_BYTES;
}

/* Bytes of the header behind which a tag may stand, and the checksum's place in
 * it; 0: a protocol that cannot be tagged. */
static uint32_t l4_header(
	const struct ip_view *v, const uint8_t *frame, uint32_t *ret_csum_off)
{
	uint32_t l4_bytes = v->end_at - v->l4_at, header_bytes = 0;

	if (v->protocol == IPPROTO_UDP) {
		*ret_csum_off = 6;
		/* Bytes behind the UDP length would not be summed. */
		return l4_bytes >= 8 && get16(frame + v->l4_at + 4) == l4_bytes ? 8 : 0;
	}
	if (v->protocol == IPPROTO_TCP) {
		*ret_csum_off = 16;
		if (l4_bytes >= 20)
			header_bytes = (uint32_t)(frame[v->l4_at + 12] >> 4) * 4;
		return header_bytes >= 20 ? header_bytes : 0;
	}
	*ret_csum_off = 2;
	return v->protocol == (v->is_v6 ? IPPROTO_ICMPV6 : IPPROTO_ICMP) ? 8 : 0;
}

void gen_retag_plan(struct gen_retag *plan, const uint8_t *frame, uint32_t len)
{
	uint32_t header_bytes, csum_off, l4_bytes, sum = 0;
	struct ip_view v;

	*plan = (struct gen_retag){ 0 };
	if (!view_ip(&v, frame, len) || v.is_fragment)
		return;
	l4_bytes = v.end_at - v.l4_at;
	header_bytes = l4_header(&v, frame, &csum_off);
	if (header_bytes == 0 || l4_bytes < header_bytes + GEN_TAG_BYTES)
		return;
	plan->tag_at = v.end_at - GEN_TAG_BYTES;
	plan->is_udp = v.protocol == IPPROTO_UDP;
	if (plan->is_udp && get16(frame + v.l4_at + csum_off) == 0)
		return; /* no checksum, and none wanted */
	plan->csum_at = v.l4_at + csum_off;
	plan->is_odd = (plan->tag_at - v.l4_at) % 2 != 0;
	if (v.protocol != IPPROTO_ICMP) { /* all others have a pseudo header */
		sum = gen_csum_add(v.protocol, frame + v.addrs_at, v.addrs_bytes);
		sum = gen_csum_add(sum + l4_bytes, NULL, 0);
	}
	sum = gen_csum_add(sum, frame + v.l4_at, csum_off);
	sum = gen_csum_add(sum, frame + plan->csum_at + 2,
		(plan->tag_at - plan->csum_at - 2) & ~1u);
	/* An odd byte before the tag pairs with the tag's first byte. */
	if (plan->is_odd)
		sum = gen_csum_add(sum, frame + plan->tag_at - 1, 1);
	plan->sum = sum;
}

void gen_retag_seal(const struct gen_retag *plan, uint8_t *frame)
{
	uint16_t tag, sum;

	if (plan->csum_at == 0)
		return;
	tag = gen_csum_fold(gen_csum_add(0, frame + plan->tag_at, GEN_TAG_BYTES));
	if (plan->is_odd)
		tag = (uint16_t)(tag << 8 | tag >> 8);
	sum = (uint16_t)~gen_csum_fold(plan->sum + tag);
	if (plan->is_udp && sum == 0)
		sum = 0xffff;
	frame[plan->csum_at] = (uint8_t)(sum >> 8);
	frame[plan->csum_at + 1] = (uint8_t)sum;
}
