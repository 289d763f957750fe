/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Traffic description: parsing. */
#include "config.h"

#include "model/traffic.h"

#include <stdio.h>
#include <string.h>

#include "base/units.h"

/* 7:4:1 of 64, 594 and 1518, spread so that no size clusters. */
const uint16_t traffic_imix_bytes[TRAFFIC_IMIX_LEN] = { 64, 594, 64, 64, 594, 64,
	1518, 64, 594, 64, 594, 64 };

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

int traffic_mac_parse(const char *s, struct traffic *t, struct sp_err *err)
{
	unsigned b[6];
	int n = 0, i;

	if (strcmp(s, "sut") == 0) {
		t->dst_mac_sut = true;
		return 0;
	}
	if (sscanf(s, "%2x:%2x:%2x:%2x:%2x:%2x%n", &b[0], &b[1], &b[2], &b[3], &b[4],
		    &b[5], &n) != 6 ||
		s[n] != '\0')
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a MAC address: write aa:bb:cc:dd:ee:ff or sut", s);
	for (i = 0; i < 6; i++)
		t->dst_mac[i] = (uint8_t)b[i];
	t->dst_mac_sut = false;
	return 0;
}
