/* SPDX-License-Identifier: GPL-3.0-or-later */
/* VLAN tags and partial checksums. */
#include "config.h"

#include "sut/forward_frame.h"

#include <string.h>

#define MACS_BYTES 12u
/* Where the checksum stands in SCTP's header, and in no other protocol's. */
#define SCTP_CSUM_OFFSET 8u

static void put_be16(uint8_t *p, uint16_t v)
{
	p[0] = (uint8_t)(v >> 8);
	p[1] = (uint8_t)(v & 0xff);
}

void forward_frame_restore_vlan(struct forward_frame *f, uint16_t tpid, uint16_t tci)
{
	uint8_t *start = f->data - FORWARD_VLAN_BYTES;

	memmove(start, f->data, MACS_BYTES);
	put_be16(start + MACS_BYTES, tpid);
	put_be16(start + MACS_BYTES + 2, tci);
	f->data = start;
	f->len += FORWARD_VLAN_BYTES;
}

/* One's complement sum of big-endian 16-bit words, an odd byte padded (RFC 1071). */
static uint16_t csum_sum(const uint8_t *p, uint32_t len)
{
	uint64_t sum = 0;
	uint32_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += (uint64_t)p[i] << 8 | p[i + 1];
	if (i < len)
		sum += (uint64_t)p[i] << 8;
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

bool forward_frame_fill_csum(struct forward_frame *f, uint32_t start, uint32_t offset)
{
	uint64_t place = (uint64_t)start + offset;
	uint16_t csum;

	if (place + 2 > f->len || offset == SCTP_CSUM_OFFSET)
		return false;
	csum = (uint16_t)~csum_sum(f->data + start, f->len - start);
	/* 0 would say "no checksum" in UDP; 0xffff is the same number. */
	put_be16(f->data + place, csum == 0 ? 0xffff : csum);
	return true;
}
