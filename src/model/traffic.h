/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the generator sends: equal in all arms of a run, recorded, and part of
 * its fingerprint. Frame sizes count the 4-byte FCS. Plain data.
 */
#ifndef SATPROF_MODEL_TRAFFIC_H
#define SATPROF_MODEL_TRAFFIC_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

#define TRAFFIC_FRAME_MIN_BYTES 64u
#define TRAFFIC_FRAME_MAX_BYTES 9216u
#define TRAFFIC_BURST_MAX       64u
#define TRAFFIC_FLOWS_MAX       1000000u

enum traffic_kind { TRAFFIC_FIXED, TRAFFIC_IMIX, TRAFFIC_PCAP };

/* How a capture is paced: at its own times, scaled, or at the trial's rate. */
enum pcap_pace { PCAP_AT_RATE, PCAP_AS_CAPTURED };

struct traffic {
	enum traffic_kind kind;
	uint32_t frame_bytes; /* TRAFFIC_FIXED: 64..9216 with FCS */
	uint32_t n_flows;     /* different 5-tuples, >= 1 */
	uint32_t burst;       /* frames a slot; 0: the pilot chooses */
	char pcap_path[4096]; /* TRAFFIC_PCAP */
	bool pcap_tag;        /* overwrite the last 18 payload bytes */
	enum pcap_pace pcap_pace;
	double pcap_speed; /* PCAP_AS_CAPTURED: 1 = as captured, 2 = twice */
	bool bidir;        /* also from the far side back */
	/* Destination MAC; all zero: the receiver's interface. */
	uint8_t dst_mac[6];
	bool dst_mac_sut;        /* use the SUT-side interface's MAC (routers) */
	double mean_frame_bytes; /* derived: with FCS, for bits/s */
};

/* "64".."9216" or "imix" (7 x 64, 4 x 594, 1 x 1518; mean 361.83). */
int traffic_frame_parse(const char *s, struct traffic *t, struct sp_err *err);
/* "aa:bb:cc:dd:ee:ff" or "sut". */
int traffic_mac_parse(const char *s, struct traffic *t, struct sp_err *err);

/* The repeating IMIX sequence: frame sizes with FCS, 12 long. */
#define TRAFFIC_IMIX_LEN 12
extern const uint16_t traffic_imix_bytes[TRAFFIC_IMIX_LEN];

#endif
