/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traffic description: parsing. */
#include "config.h"

#include "model/traffic.h"

#include <ctype.h>
#include <string.h>

#include "base/units.h"

/* 7:4:1 of 64, 594 and 1518, spread so that no size clusters. */
const uint16_t traffic_imix_bytes[TRAFFIC_IMIX_LEN] = { 64, 594, 64, 64, 594, 64, 1518,
	64, 594, 64, 594, 64 };

int traffic_frame_parse(const char *s, struct traffic *t, struct sp_err *err)
{
	uint64_t bytes = 0;
	size_t i;

	if (strcmp(s, "imix") == 0) {
		t->kind = TRAFFIC_IMIX;
		t->frame_bytes = 0;
		for (i = 0; i < TRAFFIC_IMIX_LEN; i++)
			bytes += traffic_imix_bytes[i];
		t->mean_frame_bytes = (double)bytes / TRAFFIC_IMIX_LEN;
		return 0;
	}
	if (units_u64_parse(s, TRAFFIC_FRAME_MIN_BYTES, TRAFFIC_FRAME_MAX_BYTES, &bytes,
		    err) != 0)
		return sp_err_push(err, "frame size (with the 4-byte FCS) or imix");
	t->kind = TRAFFIC_FIXED;
	t->frame_bytes = (uint32_t)bytes;
	t->mean_frame_bytes = (double)bytes;
	return 0;
}

/* Six bytes of one or two hex digits with colons between, nothing around. */
static bool mac_bytes_parse(const char *s, uint8_t *b)
{
	int i, n;

	for (i = 0; i < 6; i++) {
		if (i > 0 && *s++ != ':')
			return false;
		b[i] = 0;
		for (n = 0; n < 2 && isxdigit((unsigned char)*s); n++, s++) {
			const char *hex = "0123456789abcdef";
			int digit = tolower((unsigned char)*s);

			b[i] = (uint8_t)(b[i] * 16 + (strchr(hex, digit) - hex));
		}
		if (n == 0)
			return false;
	}
	return *s == '\0';
}

int traffic_mac_parse(const char *s, struct traffic *t, struct sp_err *err)
{
	static const uint8_t unset[6] = { 0 };
	uint8_t b[6];

	if (strcmp(s, "sut") == 0) {
		t->dst_mac_sut = true;
		return 0;
	}
	if (!mac_bytes_parse(s, b))
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a MAC address: write aa:bb:cc:dd:ee:ff", s);
	if (memcmp(b, unset, sizeof(b)) == 0)
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is no destination: leave the option out for the default",
			s);
	memcpy(t->dst_mac, b, sizeof(b));
	t->dst_mac_sut = false;
	return 0;
}
