/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The test bed: two anonymous network namespaces, the generator's and the SUT's,
 * joined by two veth pairs:
 *   gen0 (send) --- sut0 {in}   SUT   {out} sut1 --- gen1 (receive)
 * Addresses from 198.18.0.0/15 and neighbours are static, IPv6 is off, offloads
 * are off but the sender's software segmentation. Receive work is steered as two
 * machines would have it. Descriptors hold it all: closing them ends it.
 */
#ifndef SATPROF_OS_LAB_H
#define SATPROF_OS_LAB_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/units.h"

#define LAB_GEN_TX  "gen0"
#define LAB_GEN_RX  "gen1"
#define LAB_SUT_IN  "sut0"
#define LAB_SUT_OUT "sut1"

struct lab_config {
	const int *sut_cpus; /* receive work of sut0 and sut1 */
	size_t n_sut_cpus;
	int recv_cpu; /* receive work of gen0 and gen1; -1: leave */
	uint32_t mtu; /* of all four, >= 1500 */
	bool has_limit;
	struct units_rate limit; /* tbf on sut1 (and sut0 with bidir) */
	double frame_bytes;      /* with FCS, for the limit; 0: mixed sizes */
	uint32_t burst;          /* largest burst sent, frames; 0: 64 */
	bool bidir;
};

enum lab_steering { LAB_STEER_NONE, LAB_STEER_DEFAULT_MASK, LAB_STEER_SYSFS };

struct lab {
	int gen_ns, sut_ns; /* -1 when down */
	uint8_t gen_tx_mac[6], gen_rx_mac[6], sut_in_mac[6], sut_out_mac[6];
	enum lab_steering steering;
	char steering_note[120]; /* why not steered; "" else */
};

/* All or nothing. SP_EPERM: no CAP_NET_ADMIN (see netns_become_userns_root). */
int lab_up(const struct lab_config *cfg, struct lab *ret_lab, struct sp_err *err);
/* Set, change or (has_limit false) take away the tbf limit of a lab that is up. */
int lab_set_limit(struct lab *lab, const struct lab_config *cfg, struct sp_err *err);
void lab_down(struct lab *lab); /* a lab that is down is a no-op */

#endif
