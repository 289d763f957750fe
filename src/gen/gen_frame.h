/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Building the generator's own frames: Ethernet, IPv4, UDP, zeros, tag. Checksums
 * are right in every frame and are not summed afresh: a flow's share is summed
 * once, a frame adds its length and its tag. Lengths here are without FCS. Pure.
 */
#ifndef SATPROF_GEN_GEN_FRAME_H
#define SATPROF_GEN_GEN_FRAME_H

#include <stddef.h>
#include <stdint.h>

#define GEN_ETH_BYTES     14u
#define GEN_HEADERS_BYTES 42u /* Ethernet, IPv4, UDP */

/* One 5-tuple, and the one's complement sums of what does not vary within it. */
struct gen_flow {
	uint8_t addrs[8]; /* IPv4 source and destination */
	uint8_t ports[4];
	uint32_t ip_sum;  /* IPv4 header but its total length and checksum */
	uint32_t udp_sum; /* addresses, protocol and ports: all but twice the length */
};

/* One's complement sum (RFC 1071) of len bytes as big-endian words, not folded;
 * an odd last byte counts as the high one. sum starts it. len <= 65535. */
uint32_t gen_csum_add(uint32_t sum, const uint8_t *p, size_t len);
/* Fold to 16 bits, not inverted. */
uint16_t gen_csum_fold(uint32_t sum);

/*
 * Flow number i, all different for i < TRAFFIC_FLOWS_MAX: sources in 198.18/16,
 * destinations in 198.19/16 (RFC 2544's two halves), ports from 1024 up. The way
 * back has source and destination exchanged.
 */
void gen_flow_init(struct gen_flow *flow, uint32_t i, int is_rev);

/* Ethernet header and the fixed part of IPv4; once for each buffer. */
void gen_frame_init(uint8_t *frame, const uint8_t dst_mac[6], const uint8_t src_mac[6]);
/*
 * The varying header fields of a frame of len bytes whose last GEN_TAG_BYTES are
 * the tag and whose payload is zero before it.
 */
void gen_frame_seal(uint8_t *frame, uint32_t len, const struct gen_flow *flow);
/*
 * The same for a burst that the kernel will cut: len counts the headers once and
 * all payloads; the UDP checksum field holds the folded sum of the pseudo header,
 * as pkttx_vnet_hdr() wants it.
 */
void gen_frame_seal_burst(uint8_t *frame, uint32_t len, const struct gen_flow *flow);

#endif
