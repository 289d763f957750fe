/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Finding the tag's place in any frame, and putting a tag into a captured one.
 * The tag is the end of the IP packet as its header says, so padding behind it
 * does not matter. Pure.
 */
#ifndef SATPROF_GEN_GEN_RETAG_H
#define SATPROF_GEN_GEN_RETAG_H

#include <stdbool.h>
#include <stdint.h>

/* Why a captured frame cannot be sent, or NULL: it can. Static text. */
const char *gen_retag_refuse(const uint8_t *frame, uint32_t len);

/*
 * Where the tag of a frame would begin, from the destination MAC; 0: not an IP
 * packet, cut short, or too small. Up to two VLAN tags may stand in the frame.
 */
uint32_t gen_retag_find(const uint8_t *frame, uint32_t len);

/* How to tag one captured frame over and over. */
struct gen_retag {
	uint32_t tag_at;  /* 0: this frame cannot carry a tag */
	uint32_t csum_at; /* 0: there is no checksum to mend */
	uint32_t sum;     /* one's complement sum without tag and checksum */
	bool is_odd;      /* the tag begins at an odd byte of what is summed */
	bool is_udp;      /* a checksum of 0 is written as 0xffff */
};

/*
 * UDP, TCP, ICMP and ICMPv6 packets, not fragmented, without IPv6 extension
 * headers, and with 18 bytes or more behind their header can carry a tag. The
 * checksum will be right whatever the capture holds, but "none" stays "none".
 */
void gen_retag_plan(struct gen_retag *plan, const uint8_t *frame, uint32_t len);
/* Mend the checksum after a tag was packed at tag_at. */
void gen_retag_seal(const struct gen_retag *plan, uint8_t *frame);

#endif
