/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The policer: its rate to 0.2 % whatever the arrivals look like, its burst. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sut/forward_police.h"

#define T0_NS  UINT64_C(1700000000000000000)
#define FRAME  64u
#define PPS(v) ((struct units_rate){ .value = (v) })
#define BPS(v) ((struct units_rate){ .value = (v), .is_bps = 1 })

/* Frames that pass of those offered at a rate in bursts for 10 s. */
static uint64_t passed_in_10s(
	struct units_rate limit, double offered_pps, unsigned burst, uint32_t bytes)
{
	struct forward_police p;
	uint64_t n = (uint64_t)(offered_pps * 10), i, passed = 0;

	forward_police_init(&p, limit);
	for (i = 0; i < n; i++) {
		uint64_t at_burst = i / burst * burst;

		passed += forward_police_pass(&p,
			T0_NS + (uint64_t)((double)at_burst * 1e9 / offered_pps),
			bytes);
	}
	return passed;
}

static void assert_within(uint64_t got, double want, double frac)
{
	assert_true((double)got > want * (1 - frac));
	assert_true((double)got < want * (1 + frac));
}

static void rate_is_exact_in_frames(void **state)
{
	static const unsigned bursts[] = { 1, 4, 16 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		assert_within(passed_in_10s(PPS(100000), 130000, bursts[i], FRAME), 1e6,
			0.002);
		assert_within(passed_in_10s(PPS(123456.7), 900000, bursts[i], FRAME),
			1234567, 0.002);
	}
}

static void rate_is_exact_in_bits(void **state)
{
	(void)state;
	/* 51.2 Mbit/s of 64-byte frames are 100 kpps; FCS counts. */
	assert_within(passed_in_10s(BPS(51.2e6), 130000, 4, FRAME), 1e6, 0.002);
	assert_within(passed_in_10s(BPS(1e9), 100000, 16, 1518), 823451.9, 0.002);
}

static void below_limit_nothing_is_lost(void **state)
{
	(void)state;
	assert_int_equal(passed_in_10s(PPS(100000), 99000, 16, FRAME), 990000);
	assert_int_equal(passed_in_10s(PPS(100000), 99000, 32, FRAME), 990000);
}

static void burst_is_at_most_32(void **state)
{
	struct forward_police p;
	unsigned i, passed = 0;

	(void)state;
	forward_police_init(&p, PPS(1000));
	for (i = 0; i < 100; i++)
		passed += forward_police_pass(&p, T0_NS, FRAME);
	assert_int_equal(passed, FORWARD_POLICE_BURST);
	passed = 0;
	/* An hour of silence is not an hour of credit. */
	for (i = 0; i < 100; i++)
		passed += forward_police_pass(&p, T0_NS + 3600 * NS_PER_S, FRAME);
	assert_int_equal(passed, FORWARD_POLICE_BURST);
	assert_false(forward_police_pass(&p, T0_NS + 3600 * NS_PER_S, FRAME));
	assert_true(forward_police_pass(
		&p, T0_NS + 3600 * NS_PER_S + 1100 * NS_PER_US, FRAME));
}

static void small_frames_keep_credit_of_large(void **state)
{
	struct forward_police p;
	unsigned i, passed = 0;

	(void)state;
	forward_police_init(&p, BPS(8e6)); /* 1 byte a microsecond */
	assert_true(forward_police_pass(&p, T0_NS, 1518));
	for (i = 0; i < 2000; i++)
		passed += forward_police_pass(&p, T0_NS + NS_PER_S, 64);
	assert_int_equal(passed, 32 * 1518 / 64);
}

/* The wall clock, which stamps arrivals, may be set back. */
static void clock_step_back_starts_anew(void **state)
{
	struct forward_police p;
	unsigned i, passed = 0;

	(void)state;
	forward_police_init(&p, PPS(10));
	assert_true(forward_police_pass(&p, T0_NS, FRAME));
	for (i = 0; i < 100; i++)
		passed += forward_police_pass(&p, T0_NS - 3600 * NS_PER_S, FRAME);
	assert_int_equal(passed, FORWARD_POLICE_BURST);
	assert_true(forward_police_pass(
		&p, T0_NS - 3600 * NS_PER_S + 101 * NS_PER_MS, FRAME));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rate_is_exact_in_frames),
		cmocka_unit_test(rate_is_exact_in_bits),
		cmocka_unit_test(below_limit_nothing_is_lost),
		cmocka_unit_test(burst_is_at_most_32),
		cmocka_unit_test(small_frames_keep_credit_of_large),
		cmocka_unit_test(clock_step_back_starts_anew),
	};

	return cmocka_run_group_tests_name("forward_police", tests, NULL, NULL);
}
