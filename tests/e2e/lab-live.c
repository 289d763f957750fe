/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lab.bats cannot do in shell: bring a lab up through the library and look
 * at real frames in it. Prints key=value lines and judges nothing.
 *   lab-live hold                     the namespaces' inodes, then sleep
 *   lab-live steer default|sysfs|none which CPU did the receive work of 200 frames
 *   lab-live gso N_SEGS               what arrives of 50 segmented sends
 *   lab-live limit RATE FRAME_BYTES SECONDS   (live-limit.c)
 *   lab-live quiet SECONDS            frames that nobody sent
 */
#include "config.h"

#include <arpa/inet.h>
#include <errno.h>
#include <linux/if_ether.h>
#include <linux/if_packet.h>
#include <linux/virtio_net.h>
#include <net/if.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <poll.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#include "live.h"
#include "os/lab.h"
#include "os/lab_steer.h"
#include "os/netns.h"
#include "os/nl.h"

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 /* in the kernel since 6.2, in headers later */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

#define CPUS_MAX 64
#define N_STEER  200
#define N_GSO    50

static uint32_t pseudo_sum(const struct iphdr *ip, size_t udp_len)
{
	return live_sum16(
		(const uint8_t *)&ip->saddr, 8, IPPROTO_UDP + (uint32_t)udp_len);
}

static bool frame_sums_are_right(const uint8_t *f, size_t len)
{
	struct iphdr ip;
	size_t udp_len = len - ETH_HLEN - sizeof(ip);
	uint32_t sum;

	memcpy(&ip, f + ETH_HLEN, sizeof(ip));
	if (live_sum16(f + ETH_HLEN, sizeof(ip), 0) != 0xffff ||
		ntohs(ip.tot_len) != len - ETH_HLEN)
		return false;
	sum = live_sum16(f + ETH_HLEN + sizeof(ip), udp_len, pseudo_sum(&ip, udp_len));
	return sum == 0xffff;
}

static int hold(void)
{
	struct lab_config cfg = { .recv_cpu = -1, .mtu = 1500 };
	struct lab lab = live_lab_up(&cfg);
	struct stat gen, sut;

	if (fstat(lab.gen_ns, &gen) != 0 || fstat(lab.sut_ns, &sut) != 0)
		live_die(NULL, "fstat");
	(void)printf("gen=%lu\nsut=%lu\n", (unsigned long)gen.st_ino,
		(unsigned long)sut.st_ino);
	(void)fflush(stdout);
	(void)pause();
	return 0;
}

/*
 * One socket a CPU in a fanout group by CPU: what socket k gets was received on
 * CPU k. That is exact, whatever else the machine does.
 */
static void fanout_open(int *fds, int n_cpus, int netns_fd, const char *ifname)
{
	int arg = PACKET_FANOUT_CPU << 16 | (getpid() & 0x7fff);
	int i;

	for (i = 0; i < n_cpus; i++) {
		fds[i] = live_packet_open(netns_fd, ifname, ETH_P_ALL);
		if (setsockopt(fds[i], SOL_PACKET, PACKET_FANOUT, &arg, sizeof(arg)) !=
			0)
			live_die(NULL, "PACKET_FANOUT");
	}
}

static void steer_report(
	const char *name, int netns_tx, const char *tx, int netns_rx, const char *rx)
{
	uint8_t frame[60], mac[ETH_ALEN] = { 0x02, 0, 0, 0, 0, 9 };
	int n_cpus = (int)sysconf(_SC_NPROCESSORS_ONLN);
	int fds[CPUS_MAX];
	int i, n, fd;

	n_cpus = n_cpus > CPUS_MAX ? CPUS_MAX : n_cpus;
	fanout_open(fds, n_cpus, netns_rx, rx);
	fd = live_packet_open(netns_tx, tx, 0);
	live_frame_build(frame, sizeof(frame), mac, mac);
	for (i = 0; i < N_STEER; i++)
		if (send(fd, frame, sizeof(frame), 0) < 0)
			live_die(NULL, "send");
	(void)usleep(300000);
	for (i = 0; i < n_cpus; i++) {
		for (n = 0; recv(fds[i], frame, sizeof(frame), 0) > 0; n++)
			;
		(void)printf("%s_cpu%d=%d\n", name, i, n);
	}
}

static int steer(const char *how)
{
	int last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct lab_config cfg = { .sut_cpus = &last, .n_sut_cpus = 1, .mtu = 1500 };
	struct sp_err err = { .code = SP_OK };
	struct lab lab;
	char mask[64];

	if (strcmp(how, "default") != 0) {
		cfg.n_sut_cpus = 0;
		cfg.recv_cpu = -1;
	}
	lab = live_lab_up(&cfg);
	(void)lab_steer_mask(&last, 1, mask, sizeof(mask));
	if (strcmp(how, "sysfs") == 0 &&
		(lab_steer_sysfs(lab.sut_ns, LAB_SUT_IN, mask, &err) != 0 ||
			lab_steer_sysfs(lab.gen_ns, LAB_GEN_RX, "1", &err) != 0))
		live_die(&err, "lab_steer_sysfs");
	(void)printf("steering=%d\nlast_cpu=%d\n", (int)lab.steering, last);
	live_pin(0); /* the generator's CPU sends, the SUT's must receive */
	steer_report("sut", lab.gen_ns, LAB_GEN_TX, lab.sut_ns, LAB_SUT_IN);
	live_pin(last);
	steer_report("gen", lab.sut_ns, LAB_SUT_OUT, lab.gen_ns, LAB_GEN_RX);
	lab_down(&lab);
	return 0;
}

/* One datagram that the kernel is to cut into n_segs frames of 60 + 4 bytes. */
static void gso_send(int fd, const struct lab *lab, size_t n_segs)
{
	uint8_t f[LIVE_HEADER_BYTES + 64 * 18];
	struct virtio_net_hdr vh = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4,
		.hdr_len = LIVE_HEADER_BYTES,
		.gso_size = 18,
		.csum_start = ETH_HLEN + sizeof(struct iphdr),
		.csum_offset = offsetof(struct udphdr, check) };
	size_t len = LIVE_HEADER_BYTES + n_segs * 18;
	struct iovec iov[2] = { { &vh, sizeof(vh) }, { f, len } };
	struct iphdr ip;
	uint16_t check;

	live_frame_build(f, len, lab->gen_tx_mac, lab->gen_rx_mac);
	memcpy(&ip, f + ETH_HLEN, sizeof(ip));
	check = htons((uint16_t)pseudo_sum(&ip, len - ETH_HLEN - sizeof(ip)));
	memcpy(f + ETH_HLEN + sizeof(ip) + vh.csum_offset, &check, sizeof(check));
	if (writev(fd, iov, 2) < 0)
		live_die(NULL, "writev");
}

static uint64_t rx_packets(int netns_fd, const char *ifname)
{
	struct sp_err err = { .code = SP_OK };
	struct nl_handle *nl = NULL;
	struct nl_link link;

	if (nl_handle_open(netns_fd, &nl, &err) != 0 ||
		nl_link_get(nl, ifname, &link, &err) != 0)
		live_die(&err, ifname);
	nl_handle_close(nl);
	return link.rx_packets;
}

static int gso(size_t n_segs)
{
	struct lab_config cfg = { .recv_cpu = -1, .mtu = 1500 };
	struct lab lab = live_lab_up(&cfg);
	int tx = live_packet_open(lab.gen_ns, LAB_GEN_TX, 0);
	int rx = live_packet_open(lab.sut_ns, LAB_SUT_IN, ETH_P_ALL);
	uint8_t frame[2048];
	int one = 1, n_frames = 0, n_length = 0, n_right = 0;
	ssize_t len;
	size_t i;

	if (setsockopt(tx, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) != 0)
		live_die(NULL, "PACKET_VNET_HDR");
	for (i = 0; i < N_GSO; i++) {
		gso_send(tx, &lab, n_segs);
		(void)usleep(1000);
		while ((len = recv(rx, frame, sizeof(frame), 0)) > 0) {
			n_frames++;
			n_length += len == LIVE_HEADER_BYTES + 18;
			n_right += frame_sums_are_right(frame, (size_t)len);
		}
	}
	(void)printf("sent=%zu\nrx_packets=%lu\nframes=%d\nright_length=%d\n"
		     "right_checksum=%d\n",
		N_GSO * n_segs, (unsigned long)rx_packets(lab.sut_ns, LAB_SUT_IN),
		n_frames, n_length, n_right);
	lab_down(&lab);
	return 0;
}

static int quiet(double seconds)
{
	struct lab_config cfg = { .recv_cpu = -1, .mtu = 1500 };
	struct lab lab = live_lab_up(&cfg);
	static const char *const names[] = { LAB_GEN_TX, LAB_SUT_IN, LAB_SUT_OUT,
		LAB_GEN_RX };
	size_t i;

	(void)usleep((useconds_t)(seconds * 1e6));
	for (i = 0; i < 4; i++)
		(void)printf("%s=%lu\n", names[i],
			(unsigned long)rx_packets(
				i == 1 || i == 2 ? lab.sut_ns : lab.gen_ns, names[i]));
	lab_down(&lab);
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 2 && strcmp(argv[1], "hold") == 0)
		return hold();
	if (argc == 3 && strcmp(argv[1], "steer") == 0)
		return steer(argv[2]);
	if (argc == 3 && strcmp(argv[1], "gso") == 0)
		return gso((size_t)strtoul(argv[2], NULL, 10));
	if (argc == 3 && strcmp(argv[1], "quiet") == 0)
		return quiet(strtod(argv[2], NULL));
	if (argc == 5 && strcmp(argv[1], "limit") == 0)
		return live_limit(
			argv[2], strtod(argv[3], NULL), strtod(argv[4], NULL));
	(void)fprintf(stderr, "lab-live: see the comment atop its source\n");
	return 2;
}
