/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Frame sizes and destination addresses as typed. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "model/traffic.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void frame_sizes(void **state)
{
	static const char *const bad[] = { "", "63", "9217", "0", "-64", "64.0", "64b",
		"IMIX", "imix ", "0x40", "jumbo" };
	static const struct {
		const char *s;
		uint32_t bytes;
	} good[] = { { "64", 64 }, { "1518", 1518 }, { "9216", 9216 } };
	struct sp_err err;
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(good); i++) {
		struct traffic t = { .kind = TRAFFIC_PCAP, .n_flows = 3 };

		assert_int_equal(traffic_frame_parse(good[i].s, &t, &err), 0);
		assert_int_equal(t.kind, TRAFFIC_FIXED);
		assert_int_equal(t.frame_bytes, good[i].bytes);
		assert_int_equal((int)t.mean_frame_bytes, good[i].bytes);
		assert_int_equal(t.n_flows, 3); /* the rest is left alone */
	}
	for (i = 0; i < N_OF(bad); i++) {
		struct traffic t = { .kind = TRAFFIC_FIXED, .frame_bytes = 128 };

		if (traffic_frame_parse(bad[i], &t, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(t.frame_bytes, 128);
		assert_non_null(strstr(err.msg, "FCS"));
	}
}

/* Simple IMIX: 7 x 64, 4 x 594, 1 x 1518 with FCS, 361.83 bytes on average. */
static void imix_is_the_usual_mix(void **state)
{
	struct traffic t = { .kind = TRAFFIC_FIXED };
	struct sp_err err;
	int n64 = 0, n594 = 0, n1518 = 0;
	size_t i;

	(void)state;
	assert_int_equal(traffic_frame_parse("imix", &t, &err), 0);
	assert_int_equal(t.kind, TRAFFIC_IMIX);
	assert_true(fabs(t.mean_frame_bytes - 361.83) < 0.005);
	for (i = 0; i < TRAFFIC_IMIX_LEN; i++) {
		n64 += traffic_imix_bytes[i] == 64;
		n594 += traffic_imix_bytes[i] == 594;
		n1518 += traffic_imix_bytes[i] == 1518;
	}
	assert_int_equal(n64, 7);
	assert_int_equal(n594, 4);
	assert_int_equal(n1518, 1);
}

static void addresses(void **state)
{
	static const uint8_t want[6] = { 0xaa, 0x0b, 0xcc, 0xdd, 0xee, 0xff };
	static const char *const bad[] = { "", "aa:bb:cc:dd:ee", "aa:bb:cc:dd:ee:ff:00",
		"aa:bb:cc:dd:ee:fff", "aa: b:cc:dd:ee:ff", "aa:-1:cc:dd:ee:ff",
		"aa:+1:cc:dd:ee:ff", "0xa:bb:cc:dd:ee:ff", "aabbccddeeff",
		"aa-bb-cc-dd-ee-ff", "aa:bb:cc:dd:ee:gg", ":bb:cc:dd:ee:ff",
		"aa:bb:cc:dd:ee:", " aa:bb:cc:dd:ee:ff", "aa:bb:cc:dd:ee:ff ", "SUT",
		"00:00:00:00:00:00" };
	struct traffic t = { .kind = TRAFFIC_FIXED };
	struct sp_err err;
	size_t i;

	(void)state;
	assert_int_equal(traffic_mac_parse("sut", &t, &err), 0);
	assert_true(t.dst_mac_sut);
	assert_int_equal(traffic_mac_parse("aA:b:cc:DD:ee:ff", &t, &err), 0);
	assert_false(t.dst_mac_sut); /* the last one counts */
	assert_memory_equal(t.dst_mac, want, sizeof(want));
	for (i = 0; i < N_OF(bad); i++) {
		if (traffic_mac_parse(bad[i], &t, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken", bad[i]);
		assert_memory_equal(t.dst_mac, want, sizeof(want));
		assert_false(t.dst_mac_sut);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frame_sizes),
		cmocka_unit_test(imix_is_the_usual_mix),
		cmocka_unit_test(addresses),
	};

	return cmocka_run_group_tests_name("traffic", tests, NULL, NULL);
}
