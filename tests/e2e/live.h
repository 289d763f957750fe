/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the live test programs share. They end with a message on any error. */
#ifndef SATPROF_TESTS_E2E_LIVE_H
#define SATPROF_TESTS_E2E_LIVE_H

#include <linux/if_ether.h>
#include <netinet/ip.h>
#include <netinet/udp.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "os/lab.h"

#define LIVE_HEADER_BYTES (ETH_HLEN + sizeof(struct iphdr) + sizeof(struct udphdr))

/* err NULL: errno tells why. */
_Noreturn void live_die(const struct sp_err *err, const char *what);
void live_pin(int cpu);
/* In a user namespace where the rights for more are missing. */
struct lab live_lab_up(const struct lab_config *cfg);
/* A non-blocking packet socket on an interface; protocol 0 only sends. */
int live_packet_open(int netns_fd, const char *ifname, int protocol);
/* The ones' complement sum of bytes, on top of sum. */
uint32_t live_sum16(const uint8_t *p, size_t len, uint32_t sum);
/* An IPv4 UDP frame of len bytes without FCS; its UDP checksum is 0. */
void live_frame_build(uint8_t *f, size_t len, const uint8_t *src, const uint8_t *dst);
/* Overload a planted limit and print what it lets through. */
int live_limit(const char *rate, double frame_bytes, double seconds);

#endif
