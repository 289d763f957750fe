/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tag to bytes and back. */
#include "config.h"

#include "gen/gen_tag.h"

#include <endian.h>
#include <string.h>

#define TAG_MAGIC 0x5370u

void gen_tag_pack(uint8_t at[GEN_TAG_BYTES], const struct gen_tag *tag)
{
	uint64_t seq = tag->seq | (uint64_t)tag->is_rev << GEN_TAG_SEQ_BITS;
	/* 48 bits of sequence, then 48 of time: as 64 + 32. */
	uint64_t head = htobe64((uint64_t)TAG_MAGIC << 48 | (uint64_t)tag->run << 32 |
				(uint64_t)tag->trial << 16 | (seq >> 32 & 0xffff));
	uint64_t tail = htobe64(
		(seq & 0xffffffff) << 32 | (tag->time_ns & GEN_TAG_TIME_NS) >> 16);
	uint16_t last = htobe16((uint16_t)tag->time_ns);

	memcpy(at, &head, sizeof(head));
	memcpy(at + 8, &tail, sizeof(tail));
	memcpy(at + 16, &last, sizeof(last));
}

bool gen_tag_unpack(const uint8_t at[GEN_TAG_BYTES], struct gen_tag *ret_tag)
{
	uint64_t head, tail, seq;
	uint16_t last;

	memcpy(&head, at, sizeof(head));
	memcpy(&tail, at + 8, sizeof(tail));
	memcpy(&last, at + 16, sizeof(last));
	head = be64toh(head);
	tail = be64toh(tail);
	if (head >> 48 != TAG_MAGIC)
		return false;
	seq = (head & 0xffff) << 32 | tail >> 32;
	ret_tag->run = (uint16_t)(head >> 32);
	ret_tag->trial = (uint16_t)(head >> 16);
	ret_tag->is_rev = seq >> GEN_TAG_SEQ_BITS != 0;
	ret_tag->seq = seq & ((UINT64_C(1) << GEN_TAG_SEQ_BITS) - 1);
	ret_tag->time_ns = (tail & 0xffffffff) << 16 | be16toh(last);
	return true;
}
