/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which offloads falsify a measurement, by what an interface is for. Receive
 * offloads glue frames together, so that counters and rings no longer count what
 * was on the wire; transmit offloads leave frames that are too long or without a
 * checksum for the next in line.
 */
#ifndef SATPROF_OS_OFFLOAD_H
#define SATPROF_OS_OFFLOAD_H

#include "os/ethtool.h"

enum offload_role {
	OFFLOAD_ROLE_SENDER, /* splits bursts in software, before the wire */
	OFFLOAD_ROLE_OTHER,  /* the SUT's interfaces and the receiver */
	/* Hardware: what it checksums and tags is right on the wire, so only what
	 * glues frames together is wrong, and some drivers reset for the rest. */
	OFFLOAD_ROLE_NIC,
};

#define OFFLOAD_MAX 24

/* What an interface has on (or off) that its role does not want. */
struct offload_findings {
	size_t n;
	struct ethtool_change wanted[OFFLOAD_MAX]; /* names are static strings */
};

/* Features that can be changed and should be; those fixed on are passed over. */
int offload_check(int ethtool_fd, const char *ifname, enum offload_role role,
	struct offload_findings *ret_find, struct sp_err *err);
/* Make it as the role wants, and read back: SP_EENV names what would not change. */
int offload_apply(
	int ethtool_fd, const char *ifname, enum offload_role role, struct sp_err *err);
/* "rx-gro on, tx-udp-segmentation on": as found, cut to len. buf is returned. */
char *offload_format(const struct offload_findings *find, char *buf, size_t len);

#endif
