/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Parsing and printing of times, rates and counts, and the few conversions that
 * overflow 64 bits when written by hand. Frame sizes count the 4-byte FCS;
 * bits/s are L2 with FCS (L1 adds 20 bytes a frame: preamble and gap).
 */
#ifndef SATPROF_BASE_UNITS_H
#define SATPROF_BASE_UNITS_H

#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define UNITS_L1_EXTRA_BYTES 20u
#define UNITS_FCS_BYTES      4u

/* A rate as typed: packets/s or bits/s; what it means in pps depends on the frame. */
struct units_rate {
	double value;
	int is_bps;
};

/* "300000", "300k", "1.5M", "300kpps", "1.2Gbps", "20Mbps"; from 0.001
 * to 1e10 packets/s or 1e15 bits/s. */
int units_rate_parse(const char *s, struct units_rate *ret_rate, struct sp_err *err);

/* Packets/s of a rate at a frame size (with FCS). */
double units_rate_pps(struct units_rate rate, double frame_bytes);

/* "250ns", "10us", "0.5s", "500ms", "2m"; a bare number is seconds. */
int units_time_parse(const char *s, uint64_t *ret_ns, struct sp_err *err);

/* A whole number in [lo, hi], decimal, nothing after it. */
int units_u64_parse(
	const char *s, uint64_t lo, uint64_t hi, uint64_t *ret, struct sp_err *err);

/* "3%" or "0.03" as a fraction >= 0. */
int units_frac_parse(const char *s, double *ret_frac, struct sp_err *err);

/* count per elapsed, 0 when elapsed is 0; no overflow. */
double units_per_s(uint64_t count, uint64_t elapsed_ns);

/* a * b / c rounded down, 128 bits inside; UINT64_MAX when larger. c > 0. */
uint64_t units_muldiv(uint64_t a, uint64_t b, uint64_t c);

/* "s" for what has a plural, "" for 1: "%zu block%s". */
const char *units_s(uint64_t n);

/* "231.4 kpps", "4.21 Mpps"; "118.5 Mbit/s"; "12.3 GB/s"; "1.27 us". buf is
 * returned. */
char *units_pps_format(char *buf, size_t len, double pps);
char *units_byte_rate_format(char *buf, size_t len, double bytes_per_s);
char *units_bps_format(char *buf, size_t len, double bps);
char *units_ns_format(char *buf, size_t len, double ns);

#endif
