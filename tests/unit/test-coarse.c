/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pilot's coarse search against SUTs of known capacity. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "plan/coarse.h"

struct sut {
	double capacity_pps, collapse, generator_pps, loss_frac;
	unsigned hiccup_at; /* this trial (from 1) delivers half; 0: none */
	unsigned n;
};

static void feed(struct coarse *c, struct sut *s, double rate)
{
	double sent = s->generator_pps > 0 ? fmin(rate, s->generator_pps) : rate;
	double good = sent <= s->capacity_pps
			      ? sent
			      : fmax(0, s->capacity_pps +
						s->collapse * (sent - s->capacity_pps));
	struct trial t = { .spec.rate_pps = rate };

	good *= 1 - s->loss_frac;
	if (++s->n == s->hiccup_at)
		good /= 2;
	t.window_pps = good;
	if (sent < 0.995 * rate)
		t.limited_by = LIMITED_GENERATOR;
	coarse_feed(c, &t);
}

static double search(struct sut *s, double start, double step, struct coarse *c)
{
	double rate = 0;

	coarse_init(c, start, step);
	while (coarse_next(c, &rate)) {
		assert_true(rate > 0 && rate < 1e9);
		feed(c, s, rate);
		assert_true(c->n_trials < 40);
	}
	return coarse_knee_pps(c);
}

static void test_capacities_over_six_decades(void **state)
{
	static const double caps[] = { 100, 1.9e3, 16.7e3, 20e3, 231e3, 5e6, 60e6 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(caps) / sizeof(caps[0]); i++) {
		struct sut s = { .capacity_pps = caps[i] };
		struct coarse c;
		double k = search(&s, 20e3, 2, &c);

		assert_true(k > 0.9 * caps[i] && k < 1.01 * caps[i]);
		assert_false(c.gen_limited);
	}
}

/* Goodput falls beyond the knee: overload trials say little about capacity. */
static void test_collapse(void **state)
{
	struct sut s = { .capacity_pps = 330e3, .collapse = -0.4 };
	struct coarse c;
	double k = search(&s, 20e3, 2, &c);

	(void)state;
	assert_true(k > 0.85 * 330e3 && k < 1.01 * 330e3);
}

/* One bad trial on the way up is not saturation. */
static void test_a_hiccup_on_the_way_up(void **state)
{
	unsigned at;

	(void)state;
	for (at = 1; at <= 4; at++) {
		struct sut s = { .capacity_pps = 231e3, .hiccup_at = at };
		struct coarse c;

		assert_true(search(&s, 20e3, 2, &c) > 0.9 * 231e3);
	}
}

static void test_generator_is_the_ceiling(void **state)
{
	struct sut s = { .capacity_pps = 1e6, .generator_pps = 400e3 };
	struct coarse c;
	double k = search(&s, 20e3, 2, &c);

	(void)state;
	assert_true(c.gen_limited);
	assert_true(k > 0.9 * 400e3 && k <= 400e3);
}

/* A SUT that loses some at any rate saturates where its loss grows. */
static void test_background_loss(void **state)
{
	static const double losses[] = { 0.02, 0.05, 0.1 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct sut s = { .capacity_pps = 231e3, .loss_frac = losses[i] };
		struct coarse c;
		double k = search(&s, 20e3, 2, &c) / (231e3 * (1 - losses[i]));

		assert_true(k > 0.9 && k < 1.01);
		/* From near below and from above a known knee as well. */
		s.n = 0;
		k = search(&s, 231e3 * 0.9, 1.25, &c) / (231e3 * (1 - losses[i]));
		assert_true(k > 0.9 && k < 1.01);
		k = search(&s, 231e3 * 1.3, 1.25, &c) / (231e3 * (1 - losses[i]));
		assert_true(k > 0.9 && k < 1.01);
	}
}

static void test_nothing_comes_through(void **state)
{
	struct sut s = { .capacity_pps = 0 };
	struct coarse c;

	(void)state;
	assert_true(search(&s, 20e3, 2, &c) < 1e-9);
}

static void test_near_a_known_knee_takes_few_trials(void **state)
{
	struct sut s = { .capacity_pps = 210e3 };
	struct coarse c;
	double k = search(&s, 231e3 * 0.9, 1.25, &c);

	(void)state;
	assert_true(k > 0.9 * 210e3 && k < 1.01 * 210e3);
	assert_true(c.n_trials <= 6);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_capacities_over_six_decades),
		cmocka_unit_test(test_collapse),
		cmocka_unit_test(test_a_hiccup_on_the_way_up),
		cmocka_unit_test(test_generator_is_the_ceiling),
		cmocka_unit_test(test_background_loss),
		cmocka_unit_test(test_nothing_comes_through),
		cmocka_unit_test(test_near_a_known_knee_takes_few_trials),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
