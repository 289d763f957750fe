/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tag that makes a frame known again: the last 18 bytes of its IP payload,
 * which is all that a 64-byte UDP frame leaves. Big endian:
 *   magic 16, run 16, trial 16, direction and sequence 48, planned send time 48
 * The sequence is the frame's place in the schedule, so a frame that was never
 * sent leaves a gap; its top bit is the direction. The time is CLOCK_MONOTONIC ns
 * modulo 2^48 (78 hours). Pure.
 */
#ifndef SATPROF_GEN_GEN_TAG_H
#define SATPROF_GEN_GEN_TAG_H

#include <stdbool.h>
#include <stdint.h>

#define GEN_TAG_BYTES    18u
#define GEN_TAG_SEQ_BITS 47
#define GEN_TAG_TIME_NS  ((UINT64_C(1) << 48) - 1) /* mask of the time */

struct gen_tag {
	uint16_t run, trial;
	bool is_rev;
	uint64_t seq;     /* < 2^47 */
	uint64_t time_ns; /* modulo 2^48 */
};

void gen_tag_pack(uint8_t at[GEN_TAG_BYTES], const struct gen_tag *tag);
/* False: no tag there (*ret_tag untouched). */
bool gen_tag_unpack(const uint8_t at[GEN_TAG_BYTES], struct gen_tag *ret_tag);

#endif
