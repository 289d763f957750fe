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
 * Each pair of readings is one run: short and long in turn, as the calibration
 * asks. 30 ns for the call and the clock, then the work, then trouble.
 */
struct fake_machine {
	uint64_t now_ns;
	uint64_t n_reads;
	uint64_t seed;
	double ns_per_iteration;
	unsigned calm_one_in; /* runs that nothing disturbs */
};

static uint64_t fake_rand(struct fake_machine *m)
{
	m->seed = m->seed * UINT64_C(6364136223846793005) + 1442695040888963407;
	return m->seed >> 33;
}

static uint64_t fake_now_ns(void *ctx)
{
	struct fake_machine *m = ctx;
	uint64_t run = m->n_reads / 2;

	if (m->n_reads++ % 2 == 1) {
		double iterations = run % 2 == 0 ? 2000 : 22000;

		m->now_ns += 30 + (uint64_t)(iterations * m->ns_per_iteration + 0.5);
		if (fake_rand(m) % m->calm_one_in != 0)
			m->now_ns += 100 + fake_rand(m) % 3000000;
	}
	return m->now_ns;
}

static void calibration_finds_speed_despite_trouble(void **state)
{
	static const double speeds[] = { 0.8, 1.16, 2.5 };
	size_t i;
	unsigned calm;

	(void)state;
	for (i = 0; i < 3; i++)
		for (calm = 1; calm <= 20; calm += 19) {
			struct fake_machine m = { .seed = 5,
				.ns_per_iteration = speeds[i],
				.calm_one_in = calm };
			const struct clock_src clk = { .now_ns = fake_now_ns,
				.ctx = &m };
			double got = (double)forward_cost_calibrate(&clk, 1000000);

			assert_true(got > 1e6 / speeds[i] * 0.995);
			assert_true(got < 1e6 / speeds[i] * 1.005);
		}
}

static void calibration_has_bounds(void **state)
{
	struct fake_machine m = { .seed = 1, .ns_per_iteration = 2, .calm_one_in = 1 };
	const struct clock_src clk = { .now_ns = fake_now_ns, .ctx = &m };

	(void)state;
	assert_int_equal(forward_cost_calibrate(&clk, 0), 0);
	assert_int_equal(forward_cost_calibrate(&clk, 1), 1);
	assert_int_equal(
		forward_cost_calibrate(&clk, UINT64_MAX), FORWARD_COST_MAX_ITERATIONS);
	m.ns_per_iteration = 0; /* a clock that does not see it */
	assert_int_equal(forward_cost_calibrate(&clk, 10), 100);
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
