/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What lab.bats cannot do in shell: bring a lab up through the library and look
 * at real frames in it. Prints key=value lines and judges nothing.
 *   lab-live hold                     the namespaces' inodes, then sleep
 *   lab-live steer default|sysfs|none which CPU did the receive work of 200 frames
 *   lab-live gso N_SEGS               what arrives of 50 segmented sends
 *   lab-live limit RATE FRAME_BYTES SECONDS   what a planted limit lets through
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

#include "base/clock.h"
#include "base/units.h"
#include "os/lab.h"
#include "os/lab_steer.h"
#include "os/netns.h"
#include "os/nl.h"

#ifndef VIRTIO_NET_HDR_GSO_UDP_L4 /* in the kernel since 6.2, in headers later */
#define VIRTIO_NET_HDR_GSO_UDP_L4 5
#endif

#define CPUS_MAX     64
#define FRAME_MAX    9212 /* without FCS */
#define HEADER_BYTES (ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr))
#define N_STEER      200
#define N_GSO        50

static _Noreturn void die(const struct sp_err *err, const char *what)
{
	(void)fprintf(stderr, "lab-live: %s: %s\n", what,
		err != NULL ? err->msg : strerror(errno));
	exit(1);
}

static void pin(int cpu)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		die(NULL, "sched_setaffinity");
}

static struct lab up(struct lab_config *cfg)
{
	struct sp_err err = { .code = SP_OK };
	struct lab lab;

	if (!netns_may_create() && netns_become_userns_root(&err) != 0)
		die(&err, "user namespace");
	if (lab_up(cfg, &lab, &err) != 0)
		die(&err, "lab_up");
	return lab;
}

/* A packet socket on an interface; protocol 0 sends only. */
static int packet_open(int netns_fd, const char *ifname, int protocol)
{
	struct sockaddr_ll sll = { .sll_family = AF_PACKET };
	struct sp_err err = { .code = SP_OK };
	int size = 8 << 20, one = 1, back = -1;
	int fd;

	if (netns_enter(netns_fd, &back, &err) != 0)
		die(&err, "netns_enter");
	fd = socket(AF_PACKET, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	sll.sll_ifindex = (int)if_nametoindex(ifname);
	sll.sll_protocol = htons((uint16_t)protocol);
	if (fd < 0 || sll.sll_ifindex == 0 ||
		bind(fd, (struct sockaddr *)&sll, sizeof(sll)) != 0)
		die(NULL, ifname);
	/* The larger one needs root; the default is enough for what is counted. */
	if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &size, sizeof(size)) != 0)
		(void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &size, sizeof(size));
	if (setsockopt(fd, SOL_PACKET, PACKET_IGNORE_OUTGOING, &one, sizeof(one)) != 0)
		die(NULL, "PACKET_IGNORE_OUTGOING");
	netns_leave(back);
	return fd;
}

static uint32_t sum16(const uint8_t *p, size_t len, uint32_t sum)
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

static uint32_t pseudo_sum(const struct iphdr *ip, size_t udp_len)
{
	return sum16((const uint8_t *)&ip->saddr, 8, IPPROTO_UDP + (uint32_t)udp_len);
}

/* An IPv4 UDP frame of len bytes without FCS; its UDP checksum is 0. */
static void frame_build(uint8_t *f, size_t len, const uint8_t *src, const uint8_t *dst)
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
	ip.check = htons((uint16_t)~sum16((const uint8_t *)&ip, sizeof(ip), 0));
	udp.len = htons((uint16_t)(len - ETH_HLEN - sizeof(ip)));
	memcpy(f + ETH_HLEN, &ip, sizeof(ip));
	memcpy(f + ETH_HLEN + sizeof(ip), &udp, sizeof(udp));
	for (i = HEADER_BYTES; i < len; i++)
		f[i] = (uint8_t)(i * 7);
}

static bool frame_sums_are_right(const uint8_t *f, size_t len)
{
	struct iphdr ip;
	size_t udp_len = len - ETH_HLEN - sizeof(ip);
	uint32_t sum;

	memcpy(&ip, f + ETH_HLEN, sizeof(ip));
	if (sum16(f + ETH_HLEN, sizeof(ip), 0) != 0xffff ||
		ntohs(ip.tot_len) != len - ETH_HLEN)
		return false;
	sum = sum16(f + ETH_HLEN + sizeof(ip), udp_len, pseudo_sum(&ip, udp_len));
	return sum == 0xffff;
}

static int hold(void)
{
	struct lab_config cfg = { .recv_cpu = -1, .mtu = 1500 };
	struct lab lab = up(&cfg);
	struct stat gen, sut;

	if (fstat(lab.gen_ns, &gen) != 0 || fstat(lab.sut_ns, &sut) != 0)
		die(NULL, "fstat");
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
		fds[i] = packet_open(netns_fd, ifname, ETH_P_ALL);
		if (setsockopt(fds[i], SOL_PACKET, PACKET_FANOUT, &arg, sizeof(arg)) !=
			0)
			die(NULL, "PACKET_FANOUT");
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
	fd = packet_open(netns_tx, tx, 0);
	frame_build(frame, sizeof(frame), mac, mac);
	for (i = 0; i < N_STEER; i++)
		if (send(fd, frame, sizeof(frame), 0) < 0)
			die(NULL, "send");
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
	lab = up(&cfg);
	(void)lab_steer_mask(&last, 1, mask, sizeof(mask));
	if (strcmp(how, "sysfs") == 0 &&
		(lab_steer_sysfs(lab.sut_ns, LAB_SUT_IN, mask, &err) != 0 ||
			lab_steer_sysfs(lab.gen_ns, LAB_GEN_RX, "1", &err) != 0))
		die(&err, "lab_steer_sysfs");
	(void)printf("steering=%d\nlast_cpu=%d\n", (int)lab.steering, last);
	pin(0); /* the generator's CPU sends, the SUT's must receive */
	steer_report("sut", lab.gen_ns, LAB_GEN_TX, lab.sut_ns, LAB_SUT_IN);
	pin(last);
	steer_report("gen", lab.sut_ns, LAB_SUT_OUT, lab.gen_ns, LAB_GEN_RX);
	lab_down(&lab);
	return 0;
}

/* One datagram that the kernel is to cut into n_segs frames of 60 + 4 bytes. */
static void gso_send(int fd, const struct lab *lab, size_t n_segs)
{
	uint8_t f[HEADER_BYTES + 64 * 18];
	struct virtio_net_hdr vh = { .flags = VIRTIO_NET_HDR_F_NEEDS_CSUM,
		.gso_type = VIRTIO_NET_HDR_GSO_UDP_L4,
		.hdr_len = HEADER_BYTES,
		.gso_size = 18,
		.csum_start = ETH_HLEN + sizeof(struct iphdr),
		.csum_offset = offsetof(struct udphdr, check) };
	size_t len = HEADER_BYTES + n_segs * 18;
	struct iovec iov[2] = { { &vh, sizeof(vh) }, { f, len } };
	struct iphdr ip;
	uint16_t check;

	frame_build(f, len, lab->gen_tx_mac, lab->gen_rx_mac);
	memcpy(&ip, f + ETH_HLEN, sizeof(ip));
	check = htons((uint16_t)pseudo_sum(&ip, len - ETH_HLEN - sizeof(ip)));
	memcpy(f + ETH_HLEN + sizeof(ip) + vh.csum_offset, &check, sizeof(check));
	if (writev(fd, iov, 2) < 0)
		die(NULL, "writev");
}

static uint64_t rx_packets(int netns_fd, const char *ifname)
{
	struct sp_err err = { .code = SP_OK };
	struct nl_handle *nl = NULL;
	struct nl_link link;

	if (nl_handle_open(netns_fd, &nl, &err) != 0 ||
		nl_link_get(nl, ifname, &link, &err) != 0)
		die(&err, ifname);
	nl_handle_close(nl);
	return link.rx_packets;
}

static int gso(size_t n_segs)
{
	struct lab_config cfg = { .recv_cpu = -1, .mtu = 1500 };
	struct lab lab = up(&cfg);
	int tx = packet_open(lab.gen_ns, LAB_GEN_TX, 0);
	int rx = packet_open(lab.sut_ns, LAB_SUT_IN, ETH_P_ALL);
	uint8_t frame[2048];
	int one = 1, n_frames = 0, n_length = 0, n_right = 0;
	ssize_t len;
	size_t i;

	if (setsockopt(tx, SOL_PACKET, PACKET_VNET_HDR, &one, sizeof(one)) != 0)
		die(NULL, "PACKET_VNET_HDR");
	for (i = 0; i < N_GSO; i++) {
		gso_send(tx, &lab, n_segs);
		(void)usleep(1000);
		while ((len = recv(rx, frame, sizeof(frame), 0)) > 0) {
			n_frames++;
			n_length += len == HEADER_BYTES + 18;
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

#define TICK_NS  (200 * NS_PER_US)
#define OVERLOAD 1.3

/*
 * Offer rate_pps until end_ns, a batch a tick; how many the system call took. A
 * real-time thread that sleeps: busy neighbors then do not starve the sender,
 * which would look like a limit that is too low.
 */
static uint64_t offer(
	int fd, const uint8_t *frame, size_t len, double rate_pps, uint64_t end_ns)
{
	uint64_t t0_ns = clock_now_ns(&clock_monotonic), now_ns = t0_ns;
	uint64_t n_offered = 0, n_sent = 0, due;

	while (now_ns < end_ns) {
		due = (uint64_t)(rate_pps * (double)(now_ns - t0_ns) / 1e9);
		for (; n_offered < due; n_offered++) {
			if (send(fd, frame, len, 0) >= 0)
				n_sent++;
			else if (errno != ENOBUFS && errno != EAGAIN)
				die(NULL, "send");
		}
		clock_sleep_until_ns(&clock_monotonic, now_ns + TICK_NS);
		now_ns = clock_now_ns(&clock_monotonic);
	}
	return n_sent;
}

static int limit(const char *rate, double frame_bytes, double seconds)
{
	int last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct lab_config cfg = { .sut_cpus = &last,
		.n_sut_cpus = 1,
		.mtu = frame_bytes > 1518 ? (uint32_t)frame_bytes - 18 : 1500,
		.has_limit = true,
		.frame_bytes = frame_bytes };
	const struct sched_param fifo = { .sched_priority = 1 };
	struct sp_err err = { .code = SP_OK };
	uint64_t t0_ns, t1_ns, a, b, sent;
	static uint8_t frame[FRAME_MAX];
	size_t len = (size_t)frame_bytes - UNITS_FCS_BYTES;
	double want, got;
	struct lab lab;
	int fd;

	if (units_rate_parse(rate, &cfg.limit, &err) != 0)
		die(&err, rate);
	lab = up(&cfg);
	pin(last);
	(void)sched_setscheduler(0, SCHED_FIFO, &fifo); /* refused without root */
	fd = packet_open(lab.sut_ns, LAB_SUT_OUT, 0);
	frame_build(frame, len, lab.sut_out_mac, lab.gen_rx_mac);
	t0_ns = clock_now_ns(&clock_monotonic);
	want = units_rate_pps(cfg.limit, frame_bytes);
	sent = offer(
		fd, frame, len, OVERLOAD * want, t0_ns + (uint64_t)(seconds / 4 * 1e9));
	a = rx_packets(lab.gen_ns, LAB_GEN_RX);
	t0_ns = clock_now_ns(&clock_monotonic);
	sent += offer(fd, frame, len, OVERLOAD * want,
		t0_ns + (uint64_t)(seconds * 0.75 * 1e9));
	b = rx_packets(lab.gen_ns, LAB_GEN_RX);
	t1_ns = clock_now_ns(&clock_monotonic);
	got = units_per_s(b - a, t1_ns - t0_ns);
	(void)printf("want_pps=%.1f\ngot_pps=%.1f\nerror_ppm=%.0f\nsent=%lu\n", want,
		got, (got / want - 1) * 1e6, (unsigned long)sent);
	lab_down(&lab);
	return 0;
}

static int quiet(double seconds)
{
	struct lab_config cfg = { .recv_cpu = -1, .mtu = 1500 };
	struct lab lab = up(&cfg);
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
		return limit(argv[2], strtod(argv[3], NULL), strtod(argv[4], NULL));
	(void)fprintf(stderr, "lab-live: see the comment atop its source\n");
	return 2;
}
