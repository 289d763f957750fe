/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the live test programs share: a lab, a CPU, a socket, a frame. */
#include "config.h"

#include "live.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_packet.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include "os/netns.h"

_Noreturn void live_die(const struct sp_err *err, const char *what)
{
	(void)fprintf(stderr, "lab-live: %s: %s\n", what,
		err != NULL ? err->msg : strerror(errno));
	exit(1);
}

void live_pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		live_die(NULL, "sched_setaffinity");
}

struct lab live_lab_up(const struct lab_config *cfg)
{
	struct sp_err err = { .code = SP_OK };
	struct lab lab;

	if (!netns_may_create() && netns_become_userns_root(&err) != 0)
		live_die(&err, "user namespace");
	if (lab_up(cfg, &lab, &err) != 0)
		live_die(&err, "lab_up");
	return lab;
}

int live_packet_open(int netns_fd, const char *ifname, int protocol)
{
	struct sockaddr_ll sll = { .sll_family = AF_PACKET };
	struct sp_err err = { .code = SP_OK };
	int size = 8 << 20, one = 1, back = -1;
	int fd;

	if (netns_enter(netns_fd, &back, &err) != 0)
		live_die(&err, "netns_enter");
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	sll.sll_ifindex = (int)if_nametoindex(ifname);
	sll.sll_protocol = htons((uint16_t)protocol);
	if (fd < 0 || sll.sll_ifindex == 0 ||
		bind(fd, (struct sockaddr *)&sll, sizeof(sll)) != 0)
		live_die(NULL, ifname);
	/* The larger one needs root; the default is enough for what is counted. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) != 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) != 0)
		live_die(NULL, "PACKET_IGNORE_OUTGOING");
	netns_leave(back);
	return fd;
}

uint32_t live_sum16(const uint8_t *p, size_t len, uint32_t sum)
{
	size_t i;

	for (i = 0; i + 1 < len; i += 2)
		sum += (uint32_t)(p[i] << 8 | p[i + 1]);
	if (len % 2 != 0)
		sum += (uint32_t)(p[len - 1] << 8);
	while (sum >> 16 != 0)
		sum = (sum & 0xffff) + (sum >> 16);
	return sum;
}

void live_frame_build(uint8_t *f, size_t len, const uint8_t *src, const uint8_t *dst)
{
	struct iphdr ip = {
		.version = 4, .ihl = 5, .ttl = 64, .protocol = IPPROTO_UDP
	};
	struct udphdr udp = { .source = htons(1024), .dest = htons(1025) };
	size_t i;

	memcpy(f, dst, ETH_ALEN);
	memcpy(f + ETH_ALEN, src, ETH_ALEN);
	f[12] = ETH_P_IP >> 8;
	f[13] = ETH_P_IP & 0xff;
	ip.tot_len = htons((uint16_t)(len - ETH_HLEN));
	ip.saddr = htonl(0xc6120001); /* 198.18.0.1 */
	ip.daddr = htonl(0xc6130001);
	ip.check = htons((uint16_t)~live_sum16((const uint8_t *)&ip, sizeof(ip), 0));
	udp.len = htons((uint16_t)(len - ETH_HLEN - sizeof(ip)));
	memcpy(f + ETH_HLEN, &ip, sizeof(ip));
	memcpy(f + ETH_HLEN + sizeof(ip), &udp, sizeof(udp));
	for (i = LIVE_HEADER_BYTES; i < len; i++)
		f[i] = (uint8_t)(i * 7);
}
