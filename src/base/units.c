/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times, rates and counts: parse, print, convert. */
#include "config.h"

#include "base/units.h"

#include <errno.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/clock.h"

#define RATE_MAX_PPS 1e10
#define RATE_MAX_BPS 1e15
#define RATE_MIN     1e-3

struct units_suffix {
	const char *name;
	double factor;
	int is_bps;
};

/* k, M, G as SI writes them; a lone letter is packets/s. */
static const struct units_suffix rate_suffixes[] = {
	{ "", 1, 0 },
	{ "k", 1e3, 0 },
	{ "M", 1e6, 0 },
	{ "pps", 1, 0 },
	{ "kpps", 1e3, 0 },
	{ "Mpps", 1e6, 0 },
	{ "Gpps", 1e9, 0 },
	{ "bps", 1, 1 },
	{ "kbps", 1e3, 1 },
	{ "Mbps", 1e6, 1 },
	{ "Gbps", 1e9, 1 },
};

static const struct units_suffix time_suffixes[] = {
	{ "", 1e9, 0 },
	{ "ns", 1, 0 },
	{ "us", 1e3, 0 },
	{ "ms", 1e6, 0 },
	{ "s", 1e9, 0 },
	{ "m", 60e9, 0 },
	{ "min", 60e9, 0 },
	{ "h", 3600e9, 0 },
};

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* A finite decimal number >= 0 followed by a suffix of the table, else NULL. */
static const struct units_suffix *suffixed_parse(
	const char *s, const struct units_suffix *table, size_t n, double *ret)
{
	char *end;
	double v;
	size_t i;

	if (s[0] == '\0' || strchr("0123456789.", s[0]) == NULL)
		return NULL; /* no sign, no blank, no "inf" */
	if (s[0] == '0' && (s[1] == 'x' || s[1] == 'X'))
		return NULL;
	errno = 0;
	v = strtod(s, &end);
	if (end == s || errno != 0 || !isfinite(v))
		return NULL;
	for (i = 0; i < n; i++) {
		if (!isfinite(v * table[i].factor))
			continue;
		/* Case matters for M and m; the rest is forgiving. */
		if (strcmp(end, table[i].name) == 0 ||
			(strlen(end) > 2 && strcasecmp(end, table[i].name) == 0)) {
			*ret = v * table[i].factor;
			return &table[i];
		}
	}
	return NULL;
}

int units_rate_parse(const char *s, struct units_rate *ret_rate, struct sp_err *err)
{
	const struct units_suffix *u;
	double v = 0;

	u = suffixed_parse(s, rate_suffixes, N_OF(rate_suffixes), &v);
	if (u == NULL || !(v > 0))
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a rate: write 300000, 300k, 1.5Mpps or 1.2Gbps",
			s);
	if (v > (u->is_bps ? RATE_MAX_BPS : RATE_MAX_PPS) || v < RATE_MIN)
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is out of range: 0.001 to 10 thousand million packets/s, "
			"or up to 1000 Tbit/s",
			s);
	ret_rate->value = v;
	ret_rate->is_bps = u->is_bps;
	return 0;
}

double units_rate_pps(struct units_rate rate, double frame_bytes)
{
	return rate.is_bps ? rate.value / (8.0 * frame_bytes) : rate.value;
}

int units_time_parse(const char *s, uint64_t *ret_ns, struct sp_err *err)
{
	double v = 0;

	if (suffixed_parse(s, time_suffixes, N_OF(time_suffixes), &v) == NULL ||
		v > 1e18)
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a time: write 0.5s, 500ms, 2m or seconds", s);
	*ret_ns = (uint64_t)llround(v);
	return 0;
}

int units_u64_parse(
	const char *s, uint64_t lo, uint64_t hi, uint64_t *ret, struct sp_err *err)
{
	unsigned long long v;
	char *end;

	errno = 0;
	v = strtoull(s, &end, 10);
	if (s[0] < '0' || s[0] > '9' || *end != '\0' || errno != 0 || v < lo || v > hi)
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a whole number from %llu to %llu", s,
			(unsigned long long)lo, (unsigned long long)hi);
	*ret = v;
	return 0;
}

int units_frac_parse(const char *s, double *ret_frac, struct sp_err *err)
{
	static const struct units_suffix suffixes[] = { { "", 1, 0 },
		{ "%", 0.01, 0 } };
	double v = 0;

	if (suffixed_parse(s, suffixes, N_OF(suffixes), &v) == NULL)
		return sp_err_set(
			err, SP_EUSAGE, "'%s' is not a fraction: write 3%% or 0.03", s);
	*ret_frac = v;
	return 0;
}

double units_per_s(uint64_t count, uint64_t elapsed_ns)
{
	if (elapsed_ns == 0)
		return 0;
	return (double)count * (double)NS_PER_S / (double)elapsed_ns;
}

uint64_t units_muldiv(uint64_t a, uint64_t b, uint64_t c)
{
	unsigned __int128 q = (unsigned __int128)a * b / c;

	return q > UINT64_MAX ? UINT64_MAX : (uint64_t)q;
}

const char *units_s(uint64_t n)
{
	return n == 1 ? "" : "s";
}

/* Four significant digits with the largest prefix that keeps the value >= 1; what
 * would be printed as 1000 goes to the next prefix. */
static char *si_format(
	char *buf, size_t len, double v, const char *const *names, size_t n)
{
	size_t i = 0;

	while (i + 1 < n && fabs(v) >= 999.95) {
		v /= 1000;
		i++;
	}
	(void)snprintf(buf, len, "%.4g %s", v, names[i]);
	return buf;
}

char *units_pps_format(char *buf, size_t len, double pps)
{
	static const char *const names[] = { "pps", "kpps", "Mpps", "Gpps" };

	return si_format(buf, len, pps, names, N_OF(names));
}

char *units_byte_rate_format(char *buf, size_t len, double bytes_per_s)
{
	static const char *const names[] = { "B/s", "kB/s", "MB/s", "GB/s" };

	return si_format(buf, len, bytes_per_s, names, N_OF(names));
}

char *units_bps_format(char *buf, size_t len, double bps)
{
	static const char *const names[] = { "bit/s", "kbit/s", "Mbit/s", "Gbit/s" };

	return si_format(buf, len, bps, names, N_OF(names));
}

char *units_ns_format(char *buf, size_t len, double ns)
{
	static const char *const names[] = { "ns", "us", "ms", "s" };

	return si_format(buf, len, ns, names, N_OF(names));
}
