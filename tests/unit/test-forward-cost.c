/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The calibration against a clock whose machine is known: one that runs the work
 * at a given speed and is disturbed most of the time.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sut/forward_cost.h"

/*
 * A pair of readings is one run. The clock cannot know how much work lies between, so
 * the machine runs the true loop and lets as much time pass as its speed says, learnt
 * by how the calibration doubles: the n-th run of the search has 10,000 * 2^n.
 */
struct fake_machine {
	uint64_t now_ns;
	uint64_t n_reads;
	uint64_t iterations; /* of the run at hand */
	uint64_t seed;
	double ns_per_iteration;
	double steady_frac;  /* what interrupts take, always */
	unsigned calm_in_10; /* runs of ten that nothing else disturbs */
};

static uint64_t fake_rand(struct fake_machine *m)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return m->seed >> 33;
}

static uint64_t fake_now_ns(void *ctx)
{
	struct fake_machine *m = ctx;
	double took_ns;

	if (m->n_reads++ % 2 == 0)
		return m->now_ns;
	took_ns = (double)m->iterations * m->ns_per_iteration * (1 + m->steady_frac);
	m->now_ns += (uint64_t)(took_ns + 0.5);
	if (took_ns < 5e6)
		m->iterations *= 2; /* and the search goes on */
	else if (fake_rand(m) % 10 >= m->calm_in_10)
		m->now_ns += 1000000 + fake_rand(m) % 30000000;
	return m->now_ns;
}

/* What is steady counts, what comes now and then does not. */
static void calibration_finds_speed_despite_trouble(void **state)
{
	static const double speeds[] = { 0.8, 1.16, 2.5 };
	size_t i, k;

	(void)state;
	for (i = 0; i < 3; i++)
		for (k = 0; k < 2; k++) {
			struct fake_machine m = { .seed = 5,
				.iterations = 10000,
				.ns_per_iteration = speeds[i],
				.steady_frac = k == 0 ? 0 : 0.07,
				.calm_in_10 = k == 0 ? 10 : 7 };
			const struct clock_src clk = { .now_ns = fake_now_ns,
				.ctx = &m };
			double want = 1e6 / speeds[i] / (1 + m.steady_frac);
			double got = (double)forward_cost_calibrate(&clk, 1000000);

			assert_true(got > want * 0.999);
			assert_true(got < want * 1.001);
		}
}

static void calibration_has_bounds(void **state)
{
	struct fake_machine m = {
		.seed = 1, .iterations = 10000, .ns_per_iteration = 2, .calm_in_10 = 10
	};
	const struct clock_src clk = { .now_ns = fake_now_ns, .ctx = &m };

	(void)state;
	assert_int_equal(forward_cost_calibrate(&clk, 0), 0);
	assert_int_equal(forward_cost_calibrate(&clk, 1), 1);
	m = (struct fake_machine){
		.seed = 1, .iterations = 10000, .ns_per_iteration = 2, .calm_in_10 = 10
	};
	assert_int_equal(
		forward_cost_calibrate(&clk, UINT64_MAX), FORWARD_COST_MAX_ITERATIONS);
}

static uint64_t best_of_ns(uint64_t iterations)
{
	uint64_t best = UINT64_MAX;
	int i;

	for (i = 0; i < 300; i++) {
		uint64_t t0 = clock_now_ns(&clock_monotonic), t;

		forward_cost(iterations);
		t = clock_now_ns(&clock_monotonic) - t0;
		best = t < best ? t : best;
	}
	return best;
}

/* It is work: twice as much takes twice as long, and none takes next to none. */
static void cost_is_proportional_to_iterations(void **state)
{
	uint64_t one = best_of_ns(20000), two = best_of_ns(40000);

	(void)state;
	assert_true(two > one * 17 / 10);
	assert_true(two < one * 23 / 10);
	assert_true(best_of_ns(0) < one / 4);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calibration_finds_speed_despite_trouble),
		cmocka_unit_test(calibration_has_bounds),
		cmocka_unit_test(cost_is_proportional_to_iterations),
	};

	return cmocka_run_group_tests_name("forward_cost", tests, NULL, NULL);
}
