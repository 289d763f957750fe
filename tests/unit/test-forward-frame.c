/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Tags and checksums: the expected checksum comes from the definition (a receiver
 * that sums everything must get all ones), and one frame is cited with its value.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "sut/forward_frame.h"

#define HEADROOM  4u
#define ETH_BYTES 14u
#define IP_BYTES  20u

/* One's complement sum of 16-bit words, folded (RFC 1071). */
static uint16_t sum16(const uint8_t *p, size_t len, uint32_t sum)
{
	size_t i;

	for (i = 0; i < len; i++)
		sum += (uint32_t)p[i] << (i % 2 == 0 ? 8 : 0);
	while (sum > 0xffff)
		sum = (sum & 0xffff) + (sum >> 16);
	return (uint16_t)sum;
}

/* The pseudo header's sum of the frame's IPv4 header and this L4 length. */
static uint16_t pseudo_sum(const uint8_t *ip, size_t l4_len)
{
	return sum16(ip + 12, 8, (uint32_t)ip[9] + (uint32_t)l4_len);
}

static void make_ip4(uint8_t *frame, uint8_t protocol, size_t l4_len)
{
	uint8_t *ip = frame + ETH_BYTES;
	size_t i;

	memset(frame, 0, ETH_BYTES + IP_BYTES);
	frame[12] = 0x08;
	ip[0] = 0x45;
	ip[8] = 64;
	ip[9] = protocol;
	for (i = 0; i < 8; i++)
		ip[12 + i] = (uint8_t)(198 + i * 7);
	for (i = 0; i < l4_len; i++)
		ip[IP_BYTES + i] = (uint8_t)(i * 37 + 11);
}

/* Whatever the length, odd ones too, a receiver's check must hold. */
static void checksum_satisfies_receiver(void **state)
{
	static const struct {
		uint8_t protocol;
		uint32_t offset, min_len;
	} cases[] = {
		{ 17, 6, 8 },
		{ 6, 16, 20 },
	};
	uint8_t frame[2048];
	size_t c, len;

	(void)state;
	for (c = 0; c < 2; c++)
		for (len = cases[c].min_len; len < 1500; len += 13) {
			uint8_t *l4 = frame + ETH_BYTES + IP_BYTES;
			struct forward_frame f = { .data = frame,
				.len = (uint32_t)(ETH_BYTES + IP_BYTES + len) };
			uint16_t pseudo;

			make_ip4(frame, cases[c].protocol, len);
			pseudo = pseudo_sum(frame + ETH_BYTES, len);
			l4[cases[c].offset] = (uint8_t)(pseudo >> 8);
			l4[cases[c].offset + 1] = (uint8_t)(pseudo & 0xff);
			assert_true(forward_frame_fill_csum(
				&f, ETH_BYTES + IP_BYTES, cases[c].offset));
			assert_int_equal(sum16(l4, len, pseudo), 0xffff);
		}
}

/*
 * RFC 1071's own example: bytes 00 01 f2 03 f4 f5 f6 f7 sum to ddf2. The field
 * itself is part of the sum, so it is put where the data are zero.
 */
static void checksum_of_rfc1071_example(void **state)
{
	uint8_t data[] = { 0x00, 0x01, 0xf2, 0x03, 0xf4, 0xf5, 0xf6, 0xf7, 0, 0 };
	struct forward_frame f = { .data = data, .len = sizeof(data) };

	(void)state;
	/* Offset 8 is SCTP's and refused: begin one word later with the same sum. */
	assert_false(forward_frame_fill_csum(&f, 0, 8));
	assert_int_equal(data[8] << 8 | data[9], 0);
	assert_true(forward_frame_fill_csum(&f, 2, 6));
	/* ~(ddf2 - 0001) */
	assert_int_equal(data[8] << 8 | data[9], 0xffff - 0xddf1);
}

/* A checksum of 0 means "none" in UDP and must not appear. */
static void checksum_zero_becomes_ffff(void **state)
{
	uint8_t data[8] = { 0xff, 0xff, 0, 0, 0, 0, 0, 0 };
	struct forward_frame f = { .data = data, .len = sizeof(data) };

	(void)state;
	assert_true(forward_frame_fill_csum(&f, 0, 6));
	assert_int_equal(data[6] << 8 | data[7], 0xffff);
}

static void checksum_outside_is_refused(void **state)
{
	uint8_t data[64], before[64];
	struct forward_frame f = { .data = data, .len = 60 };

	(void)state;
	memset(data, 0x5a, sizeof(data));
	memcpy(before, data, sizeof(data));
	assert_false(forward_frame_fill_csum(&f, 34, 25));
	assert_false(forward_frame_fill_csum(&f, 60, 0));
	assert_false(forward_frame_fill_csum(&f, 0xffff, 0xffff));
	assert_false(forward_frame_fill_csum(&f, UINT32_MAX, UINT32_MAX));
	assert_memory_equal(data, before, sizeof(data));
	/* The last two bytes are still inside. */
	assert_true(forward_frame_fill_csum(&f, 34, 24));
}

static void vlan_goes_back_behind_addresses(void **state)
{
	static const uint8_t want[] = { 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 0x88,
		0xa8, 0xe0, 0x64, 0x08, 0x00, 0xaa, 0xbb };
	uint8_t buf[HEADROOM + 16] = { 0 };
	struct forward_frame f = { .data = buf + HEADROOM, .len = 16 };
	uint8_t i;

	(void)state;
	for (i = 0; i < 12; i++)
		f.data[i] = (uint8_t)(i + 1);
	f.data[12] = 0x08;
	f.data[13] = 0x00;
	f.data[14] = 0xaa;
	f.data[15] = 0xbb;
	forward_frame_restore_vlan(&f, 0x88a8, 0xe064);
	assert_ptr_equal(f.data, buf);
	assert_int_equal(f.len, sizeof(want));
	assert_memory_equal(f.data, want, sizeof(want));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(checksum_satisfies_receiver),
		cmocka_unit_test(checksum_of_rfc1071_example),
		cmocka_unit_test(checksum_zero_becomes_ffff),
		cmocka_unit_test(checksum_outside_is_refused),
		cmocka_unit_test(vlan_goes_back_behind_addresses),
	};

	return cmocka_run_group_tests_name("forward_frame", tests, NULL, NULL);
}
