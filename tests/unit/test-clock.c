/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The clock seam: the real clock's promises, and a virtual one behind it. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"

static void monotonic_never_goes_back(void **state)
{
	uint64_t last_ns = clock_now_ns(&clock_monotonic);
	int i;

	(void)state;
	assert_true(last_ns > 0);
	for (i = 0; i < 100000; i++) {
		uint64_t now_ns = clock_now_ns(&clock_monotonic);

		assert_true(now_ns >= last_ns);
		last_ns = now_ns;
	}
}

static void sleep_ends_at_or_after_the_deadline(void **state)
{
	int i;

	(void)state;
	for (i = 0; i < 5; i++) {
		uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + 2 * NS_PER_MS;

		clock_sleep_until_ns(&clock_monotonic, deadline_ns);
		assert_true(clock_now_ns(&clock_monotonic) >= deadline_ns);
	}
}

static void a_deadline_in_the_past_is_no_sleep(void **state)
{
	uint64_t a_ns = clock_now_ns(&clock_monotonic);
	int i;

	(void)state;
	for (i = 0; i < 100; i++)
		clock_sleep_until_ns(&clock_monotonic, a_ns - NS_PER_S);
	clock_sleep_until_ns(&clock_monotonic, 0);
	assert_true(clock_now_ns(&clock_monotonic) - a_ns < 60 * NS_PER_S);
}

/* Against the libc's own seconds; loose, since a loaded machine may stall us. */
static void realtime_offset_matches_time(void **state)
{
	int64_t real_ns =
		clock_realtime_offset_ns() + (int64_t)clock_now_ns(&clock_monotonic);

	(void)state;
	assert_true(llabs(real_ns / (int64_t)NS_PER_S - (int64_t)time(NULL)) <= 5);
}

struct virtual_clock {
	uint64_t now_ns;
};

static uint64_t virtual_now_ns(void *ctx)
{
	return ((struct virtual_clock *)ctx)->now_ns;
}

static void virtual_sleep_until_ns(void *ctx, uint64_t deadline_ns)
{
	struct virtual_clock *v = ctx;

	if (deadline_ns > v->now_ns)
		v->now_ns = deadline_ns;
}

static void a_virtual_clock_fits_the_seam(void **state)
{
	struct virtual_clock v = { .now_ns = 10 };
	const struct clock_src clk = { virtual_now_ns, virtual_sleep_until_ns, &v };

	(void)state;
	assert_int_equal(clock_now_ns(&clk), 10);
	clock_sleep_until_ns(&clk, 86400 * NS_PER_S); /* a day in no time */
	assert_int_equal(clock_now_ns(&clk), 86400 * NS_PER_S);
	clock_sleep_until_ns(&clk, 5);
	assert_int_equal(clock_now_ns(&clk), 86400 * NS_PER_S);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(monotonic_never_goes_back),
		cmocka_unit_test(sleep_ends_at_or_after_the_deadline),
		cmocka_unit_test(a_deadline_in_the_past_is_no_sleep),
		cmocka_unit_test(realtime_offset_matches_time),
		cmocka_unit_test(a_virtual_clock_fits_the_seam),
	};

	return cmocka_run_group_tests_name("clock", tests, NULL, NULL);
}
