/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planted cost per packet and its calibration. */
#include "config.h"

#include "sut/forward_cost.h"

/* Knuth's MMIX multiplier and increment: full period, so no step is a no-op. */
#define COST_MUL UINT64_C(6364136223846793005)
#define COST_ADD UINT64_C(1442695040888963407)

/*
 * Runs of two lengths; their difference takes out the call and the clock. About
 * 2 us and 22 us: far below a scheduler's slice, so that most are undisturbed.
 */
#define CAL_SHORT  UINT64_C(2000)
#define CAL_LONG   UINT64_C(22000)
#define CAL_ROUNDS 2000

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

static uint64_t min_u64(uint64_t a, uint64_t b)
{
	return a < b ? a : b;
}

uint64_t forward_cost_calibrate(const struct clock_src *clk, uint64_t cost_ns)
{
	uint64_t short_ns = UINT64_MAX, long_ns = UINT64_MAX;
	double ns_per_iteration, iterations;
	int i;

	if (cost_ns == 0)
		return 0;
	for (i = 0; i < CAL_ROUNDS; i++) {
		short_ns = min_u64(short_ns, cost_time_ns(clk, CAL_SHORT));
		long_ns = min_u64(long_ns, cost_time_ns(clk, CAL_LONG));
	}
	/* A clock too coarse to tell them apart: one step is never under 0.1 ns. */
	ns_per_iteration = long_ns <= short_ns ? 0.1
					       : (double)(long_ns - short_ns) /
							 (double)(CAL_LONG - CAL_SHORT);
	iterations = (double)cost_ns / ns_per_iteration + 0.5;
	if (iterations >= (double)FORWARD_COST_MAX_ITERATIONS)
		return FORWARD_COST_MAX_ITERATIONS;
	return iterations < 1 ? 1 : (uint64_t)iterations;
}
