/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planted cost per packet and its calibration. */
#include "config.h"

#include <stdlib.h>

#include "sut/forward_cost.h"

/* Knuth's MMIX multiplier and increment: full period, so no step is a no-op. */
#define COST_MUL UINT64_C(6364136223846793005)
#define COST_ADD UINT64_C(1442695040888963407)

/*
 * A chunk is about 10 ms, so that each has its share of what interrupts all day (the
 * tick, a hypervisor), and the median of the chunks leaves out what comes once.
 */
#define CAL_CHUNK_NS (10 * NS_PER_MS)
#define CAL_CHUNKS   21
#define CAL_START    UINT64_C(10000)

__attribute__((noinline)) void forward_cost(uint64_t iterations)
{
	uint64_t x = iterations;
	uint64_t i;

	for (i = 0; i < iterations; i++) {
		x = x * COST_MUL + COST_ADD;
		/* Each step must be done, and one after the other. */
		__asm__ volatile("" : "+r"(x));
	}
}

static uint64_t cost_time_ns(const struct clock_src *clk, uint64_t iterations)
{
	uint64_t t0_ns = clock_now_ns(clk);

	forward_cost(iterations);
	return clock_now_ns(clk) - t0_ns;
}

static int compare_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* Iterations that take about a chunk; never more than the bound of a cost. */
static uint64_t chunk_iterations(const struct clock_src *clk)
{
	uint64_t n = CAL_START;

	while (n < FORWARD_COST_MAX_ITERATIONS / 2 &&
		cost_time_ns(clk, n) < CAL_CHUNK_NS / 2)
		n *= 2;
	return n;
}

uint64_t forward_cost_calibrate(const struct clock_src *clk, uint64_t cost_ns)
{
	uint64_t took_ns[CAL_CHUNKS], n;
	double iterations;
	size_t i;

	if (cost_ns == 0)
		return 0;
	n = chunk_iterations(clk);
	for (i = 0; i < CAL_CHUNKS; i++)
		took_ns[i] = cost_time_ns(clk, n);
	qsort(took_ns, CAL_CHUNKS, sizeof(took_ns[0]), compare_u64);
	iterations =
		(double)cost_ns * (double)n / (double)took_ns[CAL_CHUNKS / 2] + 0.5;
	if (iterations >= (double)FORWARD_COST_MAX_ITERATIONS)
		return FORWARD_COST_MAX_ITERATIONS;
	return iterations < 1 ? 1 : (uint64_t)iterations;
}
