/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The planted cost per packet of `forward --cost`. It is work, not time: a fixed
 * number of dependent multiply-adds. A spin on the clock would hide what an
 * observer takes, since the time it spins through would count as its own. One run
 * calibrates once and gives all its forwarders the same number, or a drift of the
 * calibration would look like a shift between arms. Any thread.
 */
#ifndef SATPROF_SUT_FORWARD_COST_H
#define SATPROF_SUT_FORWARD_COST_H

#include <stdint.h>

#include "base/clock.h"

/* More than this is a minute a packet. */
#define FORWARD_COST_MAX_ITERATIONS UINT64_C(100000000000)

/*
 * Spend `iterations` steps. Touches no memory and is not inlined: a profiler sees
 * it by name and with a frame of its own.
 */
void forward_cost(uint64_t iterations);

/*
 * How many iterations take cost_ns on the CPU it runs on, as it runs now: with the
 * share that ticks, interrupts and a hypervisor take from everything there, for that is
 * also taken from a packet's work. By clk, which should be the thread's CPU time, so
 * that other tasks fall out. About 0.25 s. 0 for 0, else at least 1.
 */
uint64_t forward_cost_calibrate(const struct clock_src *clk, uint64_t cost_ns);

#endif
