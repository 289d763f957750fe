/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tags put into captured frames: found again, checksums right, or not put at all. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/gen_retag.h"
#include "gen/gen_tag.h"

/* Eth + IPv4 + UDP of n bytes in all, zero payload but a marker, no checksum. */
static void udp_frame(uint8_t *f, uint32_t n, uint8_t marker)
{
	memset(f, 0, n);
	memset(f, 2, 12);
	f[12] = 8;
	f[14] = 0x45;
	f[16] = (uint8_t)((n - 14) >> 8);
	f[17] = (uint8_t)(n - 14);
	f[22] = 64;
	f[23] = 17;
	f[26] = 10;
	f[30] = 10;
	f[29] = 1;
	f[33] = 2;
	f[38] = (uint8_t)((n - 34) >> 8);
	f[39] = (uint8_t)(n - 34);
	f[42] = marker;
}

/* End-around sum of a whole packet's layer 4, pseudo header and all. */
static uint16_t l4_sum(const uint8_t *f, size_t addrs_at, size_t addrs, size_t l4_at,
	size_t l4_bytes, uint8_t protocol)
{
	uint32_t s = protocol == 1 ? 0 : protocol + (uint32_t)l4_bytes;
	size_t i;

	for (i = 0; protocol != 1 && i < addrs; i += 2)
		s += (uint32_t)f[addrs_at + i] << 8 | f[addrs_at + i + 1];
	for (i = 0; i < l4_bytes; i++)
		s += i % 2 == 0 ? (uint32_t)f[l4_at + i] << 8 : f[l4_at + i];
	while (s > 0xffff)
		s = (s & 0xffff) + (s >> 16);
	return (uint16_t)s;
}

static bool tag_and_read_back(uint8_t *f, uint32_t len)
{
	const struct gen_tag tag = { .run = 9,
		.trial = 8,
		.seq = UINT64_C(0x123456789),
		.time_ns = UINT64_C(0xa1b2c3d4e5f6) };
	struct gen_retag plan;
	struct gen_tag got;
	uint32_t at;

	gen_retag_plan(&plan, f, len);
	if (plan.tag_at == 0)
		return false;
	gen_tag_pack(f + plan.tag_at, &tag);
	gen_retag_seal(&plan, f);
	at = gen_retag_find(f, len);
	assert_int_equal(at, plan.tag_at);
	assert_true(gen_tag_unpack(f + at, &got));
	assert_true(got.seq == tag.seq);
	return true;
}

static void tags_keep_ipv4_checksums_right(void **state)
{
	uint8_t f[200];
	uint32_t n;

	(void)state;
	for (n = 60; n < 160; n++) { /* odd and even places of the tag */
		udp_frame(f, n, 0x5a);
		f[40] = f[41] = 0xee; /* wrong, as captured before offload */
		assert_true(tag_and_read_back(f, n));
		assert_int_equal(l4_sum(f, 26, 8, 34, n - 34, 17), 0xffff);
	}
	udp_frame(f, 100, 1); /* "no checksum" stays so */
	assert_true(tag_and_read_back(f, 100));
	assert_int_equal(f[40] | f[41], 0);
	for (n = 72; n < 120; n++) {
		udp_frame(f, n, 0x5a);
		f[23] = 6;
		f[46] = 0x50; /* data offset 5 */
		assert_true(tag_and_read_back(f, n));
		assert_int_equal(l4_sum(f, 26, 8, 34, n - 34, 6), 0xffff);
		f[23] = 1;
		assert_true(tag_and_read_back(f, n));
		assert_int_equal(l4_sum(f, 26, 8, 34, n - 34, 1), 0xffff);
	}
}

static void tags_keep_ipv6_checksums_right(void **state)
{
	static const uint8_t protocols[] = { 6, 17, 58 };
	uint8_t f[200];
	uint32_t n, i, k;

	(void)state;
	for (k = 0; k < 3; k++) {
		for (n = 94; n < 160; n++) {
			memset(f, 0, sizeof(f));
			f[12] = 0x86;
			f[13] = 0xdd;
			f[14] = 0x60;
			f[19] = (uint8_t)(n - 54);
			f[20] = protocols[k];
			for (i = 22; i < 54; i++)
				f[i] = (uint8_t)(i * 13);
			if (protocols[k] == 6)
				f[54 + 12] = 0x50;
			if (protocols[k] == 17) {
				f[54 + 5] = (uint8_t)(n - 54);
				f[54 + 6] = 1;
			}
			assert_true(tag_and_read_back(f, n));
			assert_int_equal(
				l4_sum(f, 22, 32, 54, n - 54, protocols[k]), 0xffff);
		}
	}
}

static void frames_without_room_stay_untagged(void **state)
{
	static const uint8_t arp[60] = { [12] = 0x08, [13] = 0x06 };
	uint8_t f[100], copy[100];

	(void)state;
	memcpy(copy, arp, 60);
	assert_false(tag_and_read_back(copy, 60));
	udp_frame(f, 59, 1); /* 17 bytes of payload */
	assert_false(tag_and_read_back(f, 59));
	udp_frame(f, 100, 1);
	f[20] = 0x20; /* more fragments */
	assert_false(tag_and_read_back(f, 100));
	udp_frame(f, 100, 1);
	f[23] = 132; /* SCTP: a CRC */
	assert_false(tag_and_read_back(f, 100));
	udp_frame(f, 100, 1);
	f[39] = 40; /* bytes behind the UDP length */
	assert_false(tag_and_read_back(f, 100));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(tags_keep_ipv4_checksums_right),
		cmocka_unit_test(tags_keep_ipv6_checksums_right),
		cmocka_unit_test(frames_without_room_stay_untagged),
	};

	return cmocka_run_group_tests_name("gen_retag", tests, NULL, NULL);
}
