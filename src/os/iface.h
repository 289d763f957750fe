/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a packet socket's owner has to know of its interface, asked through the
 * socket itself, so in the socket's own namespace whatever thread asks.
 */
#ifndef SATPROF_OS_IFACE_H
#define SATPROF_OS_IFACE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"

struct iface {
	int ifindex;
	uint8_t mac[6];
	uint32_t mtu; /* bytes after the Ethernet header */
	bool up;      /* administratively */
	bool running; /* and with a carrier */
	bool is_loopback;
};

/* fd: any socket. SP_EENV: no such interface, or not one with Ethernet frames. */
int iface_get(int fd, const char *ifname, struct iface *ret_iface, struct sp_err *err);
/* Carrier and up; false also when the interface is gone. Cheap: one ioctl. */
bool iface_is_running(int fd, const char *ifname);

#endif
