/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frames, flows and tags: checksums against known vectors and a receiver's check. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "gen/gen_frame.h"
#include "gen/gen_tag.h"
#include "model/traffic.h"

/* A receiver's check (RFC 1122, 4.1.3.4), written another way than the code under
 * test: add words with end-around carry at once; right data give 0xffff. */
static uint16_t add_carry(uint16_t a, uint16_t b)
{
	uint32_t s = (uint32_t)a + b;

	return (uint16_t)(s > 0xffff ? s - 0xffff : s);
}

static uint16_t words_of(uint16_t s, const uint8_t *p, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		s = add_carry(s, (uint16_t)(i % 2 == 0 ? p[i] << 8 : p[i]));
	return s;
}

static uint16_t udp_check(const uint8_t *frame)
{
	const uint8_t *ip = frame + 14, *udp = ip + 20;
	uint16_t len = (uint16_t)(udp[4] << 8 | udp[5]), s = 17;

	s = words_of(add_carry(s, len), ip + 12, 8);
	return words_of(s, udp, len);
}

static void sums_match_known_vectors(void **state)
{
	/* RFC 1071, section 3. */
	static const uint8_t rfc[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7 };
	/* An IPv4 header whose checksum is known to be b861. */
	static const uint8_t ip[] = { 0x45, 0, 0, 0x73, 0, 0, 0x40, 0, 0x40, 0x11, 0, 0,
		0xc0, 0xa8, 0, 1, 0xc0, 0xa8, 0, 0xc7 };
	static const uint8_t odd[] = { 0x12, 0x34, 0x56 };

	(void)state;
	assert_int_equal(gen_csum_fold(gen_csum_add(0, rfc, sizeof(rfc))), 0xddf2);
	assert_int_equal(
		(uint16_t)~gen_csum_fold(gen_csum_add(0, ip, sizeof(ip))), 0xb861);
	assert_int_equal(gen_csum_fold(gen_csum_add(0, odd, sizeof(odd))), 0x6834);
	/* Two carries in a row. */
	assert_int_equal(gen_csum_fold(0xffffffff), 0xffff);
	assert_int_equal(gen_csum_fold(0x0001ffff), 0x0001);
}

static void tags_survive_packing(void **state)
{
	static const struct gen_tag tags[] = {
		{ .run = 0xffff,
			.trial = 1,
			.is_rev = true,
			.seq = (UINT64_C(1) << GEN_TAG_SEQ_BITS) - 1,
			.time_ns = GEN_TAG_TIME_NS },
		{ .run = 0x1234,
			.trial = 0xabcd,
			.seq = UINT64_C(0x123456789abc) >> 1,
			.time_ns = UINT64_C(0xfedcba987654) },
		{ .run = 0, .trial = 0, .seq = 0, .time_ns = 0 },
	};
	uint8_t b[GEN_TAG_BYTES];
	struct gen_tag got;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(tags) / sizeof(tags[0]); i++) {
		gen_tag_pack(b, &tags[i]);
		assert_true(gen_tag_unpack(b, &got));
		assert_int_equal(got.run, tags[i].run);
		assert_int_equal(got.trial, tags[i].trial);
		assert_int_equal(got.is_rev, tags[i].is_rev);
		assert_true(got.seq == tags[i].seq);
		assert_true(got.time_ns == tags[i].time_ns);
	}
}

static void tag_bytes_are_big_endian(void **state)
{
	const struct gen_tag tag = { .run = 0x0102,
		.trial = 0x0304,
		.is_rev = true,
		.seq = UINT64_C(0x05060708090a),
		.time_ns = UINT64_C(0x99990b0c0d0e0f10) };
	static const uint8_t want[GEN_TAG_BYTES] = { 0x53, 0x70, 1, 2, 3, 4, 0x85, 6, 7,
		8, 9, 10, 11, 12, 13, 14, 15, 16 };
	uint8_t b[GEN_TAG_BYTES];
	struct gen_tag got;

	(void)state;
	gen_tag_pack(b, &tag);
	assert_memory_equal(b, want, sizeof(want));
	b[1] ^= 1;
	assert_false(gen_tag_unpack(b, &got));
}

static const uint8_t mac_a[6] = { 2, 0, 0, 0, 0, 1 }, mac_b[6] = { 2, 0, 0, 0, 0, 2 };

static void frames_have_right_checksums(void **state)
{
	uint8_t *f = xcalloc(1, TRAFFIC_FRAME_MAX_BYTES);
	struct gen_tag tag = { .run = 77, .trial = 3 };
	struct gen_flow flow;
	uint32_t len, i;

	(void)state;
	gen_frame_init(f, mac_a, mac_b);
	/* Every length up to 300, odd ones too, then some up to the largest. */
	for (len = 60, i = 0; len <= TRAFFIC_FRAME_MAX_BYTES - 4;
		len += len < 300 ? 1 : 997, i += 31) {
		memset(f + GEN_HEADERS_BYTES, 0, len - GEN_HEADERS_BYTES);
		gen_flow_init(&flow, i, i % 2 == 1);
		tag.seq = i * UINT64_C(0x10001);
		tag.time_ns = i * UINT64_C(0x123456789);
		gen_tag_pack(f + len - GEN_TAG_BYTES, &tag);
		gen_frame_seal(f, len, &flow);
		assert_memory_equal(f, mac_a, 6);
		assert_memory_equal(f + 6, mac_b, 6);
		assert_int_equal(f[12] << 8 | f[13], 0x0800);
		assert_int_equal(f[16] << 8 | f[17], len - 14);
		assert_int_equal(f[38] << 8 | f[39], len - 34);
		assert_int_equal(words_of(0, f + 14, 20), 0xffff);
		assert_int_equal(udp_check(f), 0xffff);
	}
	free(f);
}

static void a_zero_checksum_is_sent_as_ffff(void **state)
{
	struct gen_tag tag = { .run = 1, .trial = 1 };
	uint8_t f[60] = { 0 };
	struct gen_flow flow;
	uint32_t i, zeros = 0;

	(void)state;
	gen_frame_init(f, mac_a, mac_b);
	gen_flow_init(&flow, 0, 0);
	/* The low 16 bits of the time go through all sums: one is 0. */
	for (i = 0; i < 0x10000; i++) {
		tag.time_ns = i;
		gen_tag_pack(f + 60 - GEN_TAG_BYTES, &tag);
		gen_frame_seal(f, 60, &flow);
		assert_true(f[40] != 0 || f[41] != 0);
		zeros += f[40] == 0xff && f[41] == 0xff;
		assert_int_equal(udp_check(f), 0xffff);
	}
	assert_int_equal(zeros, 1);
}

static void a_burst_carries_the_pseudo_header(void **state)
{
	uint8_t f[GEN_HEADERS_BYTES + 3 * 18] = { 0 };
	struct gen_flow flow;
	uint16_t len = 8 + 3 * 18, want;

	(void)state;
	gen_frame_init(f, mac_a, mac_b);
	gen_flow_init(&flow, 5, 0);
	gen_frame_seal_burst(f, sizeof(f), &flow);
	assert_int_equal(words_of(0, f + 14, 20), 0xffff);
	assert_int_equal(f[38] << 8 | f[39], len);
	want = words_of(add_carry(17, len), f + 26, 8);
	assert_int_equal(f[40] << 8 | f[41], want);
}

static int compare_tuples(const void *a, const void *b)
{
	return memcmp(a, b, 12);
}

static void flows_all_differ(void **state)
{
	uint8_t(*t)[12] = xcalloc(TRAFFIC_FLOWS_MAX, sizeof(*t));
	struct gen_flow flow, back;
	uint32_t i;

	(void)state;
	for (i = 0; i < TRAFFIC_FLOWS_MAX; i++) {
		gen_flow_init(&flow, i, 0);
		memcpy(t[i], flow.addrs, 8);
		memcpy(t[i] + 8, flow.ports, 4);
		if (flow.addrs[0] != 198 || flow.addrs[1] != 18 ||
			flow.addrs[4] != 198 || flow.addrs[5] != 19 ||
			flow.addrs[3] == 0 || flow.addrs[3] == 255)
			fail_msg("flow %u leaves 198.18/15", i);
	}
	qsort(t, TRAFFIC_FLOWS_MAX, sizeof(*t), compare_tuples);
	for (i = 1; i < TRAFFIC_FLOWS_MAX; i++)
		if (memcmp(t[i - 1], t[i], 12) == 0)
			fail_msg("two flows are one");
	free(t);
	gen_flow_init(&flow, 70000, 0);
	gen_flow_init(&back, 70000, 1);
	assert_memory_equal(flow.addrs, back.addrs + 4, 4);
	assert_memory_equal(flow.addrs + 4, back.addrs, 4);
	assert_memory_equal(flow.ports, back.ports + 2, 2);
	assert_memory_equal(flow.ports + 2, back.ports, 2);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(sums_match_known_vectors),
		cmocka_unit_test(tags_survive_packing),
		cmocka_unit_test(tag_bytes_are_big_endian),
		cmocka_unit_test(frames_have_right_checksums),
		cmocka_unit_test(a_zero_checksum_is_sent_as_ffff),
		cmocka_unit_test(a_burst_carries_the_pseudo_header),
		cmocka_unit_test(flows_all_differ),
	};

	return cmocka_run_group_tests_name("gen_frame", tests, NULL, NULL);
}
