/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Time as a value that is passed in: the real monotonic clock, or a virtual one
 * in tests and the simulator. All times are nanoseconds.
 */
#ifndef SATPROF_BASE_CLOCK_H
#define SATPROF_BASE_CLOCK_H

#include <stdint.h>

#define NS_PER_S  UINT64_C(1000000000)
#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_US UINT64_C(1000)

struct clock_src {
	uint64_t (*now_ns)(void *ctx);
	/* Returns at or after deadline_ns, or early when a signal came. */
	void (*sleep_until_ns)(void *ctx, uint64_t deadline_ns);
	void *ctx;
};

/* CLOCK_MONOTONIC, and clock_nanosleep(TIMER_ABSTIME). */
extern const struct clock_src clock_monotonic;
/* CPU time of the calling thread; it cannot be slept on. */
extern const struct clock_src clock_thread_cpu;

uint64_t clock_now_ns(const struct clock_src *clk);
void clock_sleep_until_ns(const struct clock_src *clk, uint64_t deadline_ns);

/*
 * CLOCK_REALTIME - CLOCK_MONOTONIC in ns, read as a sandwich (best of several):
 * what turns a packet ring's timestamps into the schedule's clock.
 */
int64_t clock_realtime_offset_ns(void);

#endif
