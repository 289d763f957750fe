/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The real clock behind the clock seam. */
#include "config.h"

#include "base/clock.h"

#include <time.h>

static uint64_t clock_read_ns(clockid_t id)
{
	struct timespec ts;

	(void)clock_gettime(id, &ts); /* cannot fail for these clocks */
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

static uint64_t monotonic_now_ns(void *ctx)
{
	(void)ctx;
	return clock_read_ns(CLOCK_MONOTONIC);
}

static void monotonic_sleep_until_ns(void *ctx, uint64_t deadline_ns)
{
	struct timespec ts = {
		.tv_sec = (time_t)(deadline_ns / NS_PER_S),
		.tv_nsec = (long)(deadline_ns % NS_PER_S),
	};

	(void)ctx;
	/* A signal ends the sleep early: the caller looks at the time again. */
	(void)clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &ts, NULL);
}

const struct clock_src clock_monotonic = {
	.now_ns = monotonic_now_ns,
	.sleep_until_ns = monotonic_sleep_until_ns,
};

static uint64_t thread_cpu_now_ns(void *ctx)
{
	(void)ctx;
	return clock_read_ns(CLOCK_THREAD_CPUTIME_ID);
}

const struct clock_src clock_thread_cpu = { .now_ns = thread_cpu_now_ns };

uint64_t clock_now_ns(const struct clock_src *clk)
{
	return clk->now_ns(clk->ctx);
}

void clock_sleep_until_ns(const struct clock_src *clk, uint64_t deadline_ns)
{
	clk->sleep_until_ns(clk->ctx, deadline_ns);
}

int64_t clock_realtime_offset_ns(void)
{
	uint64_t best_gap_ns = UINT64_MAX;
	int64_t best_ns = 0;
	int i;

	for (i = 0; i < 9; i++) {
		uint64_t a = clock_read_ns(CLOCK_MONOTONIC);
		uint64_t r = clock_read_ns(CLOCK_REALTIME);
		uint64_t b = clock_read_ns(CLOCK_MONOTONIC);

		if (b - a < best_gap_ns) {
			best_gap_ns = b - a;
			best_ns = (int64_t)r - (int64_t)(a + (b - a) / 2);
		}
	}
	return best_ns;
}
