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
struct nl_sock;

struct nl_link {
	int ifindex;
	char name[16];
	char kind[16]; /* "veth", "" for hardware */
	uint8_t mac[6];
	uint32_t mtu;
	bool up, carrier, loopback;
	bool running;             /* up, and its transmit queue has been started */
	uint32_t carrier_changes; /* since the link exists; 0 where not told */
	/* Packets since the link exists. */
	uint64_t rx_packets, tx_packets, rx_dropped, tx_dropped, rx_errors, tx_errors,
		rx_missed, tx_carrier_errors;
};

/* netns_fd -1: the caller's namespace. (libnl itself owns the name nl_close.) */
int nl_handle_open(int netns_fd, struct nl_handle **ret_nl, struct sp_err *err);
void nl_handle_close(struct nl_handle *nl); /* NULL is a no-op */
/* SP_EENV when there is no such interface. */
int nl_link_get(struct nl_handle *nl, const char *ifname, struct nl_link *ret_link,
	struct sp_err *err);
/*
 * Drops of the egress queueing disciplines: the root's count, which holds those
 * of the disciplines below it. 32 bits wide in the kernel: take differences
 * modulo 2^32. 0 for an interface without one (noqueue).
 */
int nl_qdisc_drops(struct nl_handle *nl, const char *ifname, uint64_t *ret_drops,
	struct sp_err *err);
/*
 * Did someone put a queueing discipline on the egress? Those have a handle; the
 * ones a kernel gives to each interface unasked (noqueue, mq, fq_codel) have none.
 */
int nl_qdisc_is_set(
	struct nl_handle *nl, const char *ifname, bool *ret_is_set, struct sp_err *err);

/* The libnl socket, for the messages of os/lab; borrowed. */
struct nl_sock *nl_handle_sock(struct nl_handle *nl);
/* SP_EPERM for a refusal, SP_EIO for the rest; nl_err as libnl returned it. */
int nl_err_set(struct sp_err *err, int nl_err, const char *what, const char *ifname);

#endif
