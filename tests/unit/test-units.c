/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Times, rates, counts: what is accepted, what is refused, what is printed. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

/* Equal to the last digits of a double: decimal factors round. */
static void assert_close(double a, double b)
{
	if (!(fabs(a - b) <= fabs(b) * 1e-12))
		fail_msg("%.17g is not %.17g", a, b);
}

static void rate_accepts(void **state)
{
	static const struct {
		const char *s;
		double value;
		int is_bps;
	} rows[] = {
		{ "1", 1, 0 },
		{ "300000", 300e3, 0 },
		{ "300k", 300e3, 0 },
		{ "1.5M", 1.5e6, 0 },
		{ "300kpps", 300e3, 0 },
		{ "300KPPS", 300e3, 0 },
		{ "7pps", 7, 0 },
		{ "0.5", 0.5, 0 },
		{ ".5Mpps", 0.5e6, 0 },
		{ "2Gpps", 2e9, 0 },
		{ "1.2Gbps", 1.2e9, 1 },
		{ "20mbps", 20e6, 1 },
		{ "9600bps", 9600, 1 },
		{ "1e3", 1000, 0 },
		{ "10Gpps", 1e10, 0 },
		{ "1000000Gbps", 1e15, 1 },
		{ "0.001", 0.001, 0 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		struct units_rate r = { 0, -1 };
		struct sp_err err = { .code = SP_OK };

		if (units_rate_parse(rows[i].s, &r, &err) != 0)
			fail_msg("'%s' was refused: %s", rows[i].s, err.msg);
		assert_close(r.value, rows[i].value);
		assert_int_equal(r.is_bps, rows[i].is_bps);
	}
}

static void rate_refuses(void **state)
{
	static const char *const rows[] = { "", " 1", "1 ", "-1", "+1", "0", "0k",
		"inf", "nan", "1e999", "1e308Gpps", "0x10", "300K", "300m", "3m", "1G",
		"99999999999999999999", "11Gpps", "1000001Gbps", "0.0001", "1e-300",
		"k", ".", "1pp", "1.2.3", "1,5M", "300 kpps", "1e-400", "5%", "Mpps",
		"10Mbit" };
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		struct units_rate r = { 42, 7 };
		struct sp_err err = { .code = SP_OK };

		if (units_rate_parse(rows[i], &r, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken as %g", rows[i], r.value);
		assert_int_equal(err.code, SP_EUSAGE);
		assert_non_null(strstr(err.msg, rows[i]));
		assert_close(r.value, 42); /* untouched */
		assert_int_equal(r.is_bps, 7);
	}
}

/* 64-byte frames with FCS at 10 Gb/s L1 are 14,880,952 pps; at L2 19.53 Mpps. */
static void bits_count_the_fcs(void **state)
{
	struct units_rate l2 = { 10e9, 1 };
	struct units_rate pps = { 250e3, 0 };

	(void)state;
	assert_close(units_rate_pps(l2, 64), 19531250);
	assert_close(units_rate_pps(l2, 64 + UNITS_L1_EXTRA_BYTES),
		10e9 / (8 * 84)); /* 14.88 Mpps: RFC 2544's well-known figure */
	assert_close(units_rate_pps(pps, 1518), 250e3);
}

static void time_accepts(void **state)
{
	static const struct {
		const char *s;
		uint64_t ns;
	} rows[] = {
		{ "0", 0 },
		{ "1", 1000000000 },
		{ "250ns", 250 },
		{ "10us", 10000 },
		{ "0.5s", 500000000 },
		{ "500ms", 500000000 },
		{ "2m", 120000000000 },
		{ "2min", 120000000000 },
		{ "24h", 86400000000000 },
		{ "0.0000000015", 2 }, /* to the nearest */
		{ "1000000000s", 1000000000000000000 },
	};
	static const char *const bad[] = { "", "-1s", "1 s", "s", "1d", "1M", "0x1s",
		"inf", "1e300h", "1000000001s", "5ss", "nan" };
	struct sp_err err;
	uint64_t ns;
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		if (units_time_parse(rows[i].s, &ns, &err) != 0)
			fail_msg("'%s' was refused: %s", rows[i].s, err.msg);
		assert_int_equal(ns, rows[i].ns);
	}
	for (i = 0; i < N_OF(bad); i++) {
		ns = 77;
		if (units_time_parse(bad[i], &ns, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(ns, 77);
	}
}

static void whole_numbers(void **state)
{
	static const char *const bad[] = { "", "-1", "+1", " 1", "1 ", "1.0", "1e3",
		"0x1", "4", "101", "18446744073709551616", "99999999999999999999999" };
	struct sp_err err;
	uint64_t v = 0;
	size_t i;

	(void)state;
	assert_int_equal(units_u64_parse("5", 5, 100, &v, &err), 0);
	assert_int_equal(v, 5);
	assert_int_equal(units_u64_parse("100", 5, 100, &v, &err), 0);
	assert_int_equal(v, 100);
	assert_int_equal(
		units_u64_parse("18446744073709551615", 0, UINT64_MAX, &v, &err), 0);
	assert_true(v == UINT64_MAX);
	for (i = 0; i < N_OF(bad); i++) {
		v = 9;
		if (units_u64_parse(bad[i], 5, 100, &v, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken", bad[i]);
		assert_int_equal(v, 9);
	}
	assert_int_equal(
		units_u64_parse("18446744073709551616", 0, UINT64_MAX, &v, &err),
		-SP_EUSAGE);
}

static void fractions(void **state)
{
	static const char *const bad[] = { "", "%", "-3%", "3 %", "3%%", "x", "nan" };
	struct sp_err err;
	double f = 0;
	size_t i;

	(void)state;
	assert_int_equal(units_frac_parse("3%", &f, &err), 0);
	assert_close(f, 0.03);
	assert_int_equal(units_frac_parse("0.03", &f, &err), 0);
	assert_close(f, 0.03);
	assert_int_equal(units_frac_parse("0", &f, &err), 0);
	assert_close(f, 0);
	assert_int_equal(units_frac_parse("150%", &f, &err), 0);
	assert_close(f, 1.5);
	for (i = 0; i < N_OF(bad); i++)
		if (units_frac_parse(bad[i], &f, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken", bad[i]);
}

static void wide_arithmetic(void **state)
{
	(void)state;
	/* 14.88 Mpps for 30 days: packets x 1e9 would pass 2^64 after 21 minutes. */
	const uint64_t pkts = UINT64_C(14880952) * 86400 * 30;
	const uint64_t ns = UINT64_C(86400) * 30 * 1000000000;

	assert_close(units_per_s(pkts, ns), 14880952);
	assert_close(units_per_s(UINT64_MAX, 1), 18446744073709551615e9);
	assert_close(units_per_s(5, 0), 0);
	assert_close(units_per_s(0, 5), 0);
	assert_int_equal(units_muldiv(pkts, 1000000000, ns), 14880952);
	assert_int_equal(units_muldiv(7, 2, 3), 4); /* down */
	assert_true(units_muldiv(UINT64_MAX, UINT64_MAX, UINT64_MAX) == UINT64_MAX);
	assert_true(units_muldiv(UINT64_MAX, 2, 1) == UINT64_MAX); /* not wrapped */
	assert_int_equal(units_muldiv(0, UINT64_MAX, 1), 0);
}

static void prints_four_digits(void **state)
{
	static const struct {
		double v;
		const char *pps, *bps, *ns;
	} rows[] = {
		{ 0, "0 pps", "0 bit/s", "0 ns" },
		{ 7, "7 pps", "7 bit/s", "7 ns" },
		{ 999.94, "999.9 pps", "999.9 bit/s", "999.9 ns" },
		{ 999.96, "1 kpps", "1 kbit/s", "1 us" }, /* never "1000 pps" */
		{ 1274, "1.274 kpps", "1.274 kbit/s", "1.274 us" },
		{ 231449, "231.4 kpps", "231.4 kbit/s", "231.4 us" },
		{ 999960, "1 Mpps", "1 Mbit/s", "1 ms" },
		{ 118.51e6, "118.5 Mpps", "118.5 Mbit/s", "118.5 ms" },
		{ 4.21e9, "4.21 Gpps", "4.21 Gbit/s", "4.21 s" },
		{ -231449, "-231.4 kpps", "-231.4 kbit/s", "-231.4 us" },
	};
	char buf[32], small[5];
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		assert_string_equal(
			units_pps_format(buf, sizeof(buf), rows[i].v), rows[i].pps);
		assert_string_equal(
			units_bps_format(buf, sizeof(buf), rows[i].v), rows[i].bps);
		assert_string_equal(
			units_ns_format(buf, sizeof(buf), rows[i].v), rows[i].ns);
	}
	assert_string_equal(
		units_byte_rate_format(buf, sizeof(buf), 12.34e9), "12.34 GB/s");
	assert_string_equal(units_byte_rate_format(buf, sizeof(buf), 512), "512 B/s");
	assert_string_equal(units_pps_format(small, sizeof(small), 231449), "231.");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_accepts),
		cmocka_unit_test(rate_refuses),
		cmocka_unit_test(bits_count_the_fcs),
		cmocka_unit_test(time_accepts),
		cmocka_unit_test(whole_numbers),
		cmocka_unit_test(fractions),
		cmocka_unit_test(wide_arithmetic),
		cmocka_unit_test(prints_four_digits),
	};

	return cmocka_run_group_tests_name("units", tests, NULL, NULL);
}
