/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Links through libnl: state, counters, queueing-discipline drops. A handle
 * belongs to the namespace it was opened in and to one thread.
 */
#ifndef SATPROF_OS_NL_H
#define SATPROF_OS_NL_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct nl_handle;

struct nl_link {
	int ifindex;
	char name[16];
	char kind[16]; /* "veth", "" for hardware */
	uint8_t mac[6];
	uint32_t mtu;
	bool up, carrier;
	/* Packets since the link exists. */
	uint64_t rx_packets, tx_packets, rx_dropped, tx_dropped, rx_errors, tx_errors,
		rx_missed, tx_carrier_errors;
};

/* netns_fd -1: the caller's namespace. */
int nl_open(int netns_fd, struct nl_handle **ret_nl, struct sp_err *err);
void nl_close(struct nl_handle *nl); /* NULL is a no-op */
/* SP_EENV when there is no such interface. */
int nl_link_get(struct nl_handle *nl, const char *ifname, struct nl_link *ret_link,
	struct sp_err *err);
/* Drops of all queueing disciplines on the interface, root and below. */
int nl_qdisc_drops(struct nl_handle *nl, const char *ifname, uint64_t *ret_drops,
	struct sp_err *err);

#endif
