/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampling periods: fixed, so that the profiler behaves alike at every load, and
 * prime, so that samples do not fall in step with periodic work. Pure.
 */
#ifndef SATPROF_OS_PERF_PERIOD_H
#define SATPROF_OS_PERF_PERIOD_H

#include <stdint.h>

/*
 * The prime nearest to ticks_per_s / hz (the lower of two equally near), at least
 * 2. ticks_per_s: 1e9 for a clock in ns, the CPU's cycles/s for cycles.
 */
uint64_t perf_period_choose(double ticks_per_s, double hz);

#endif
