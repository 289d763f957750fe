/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The fluid model gives what its keys say: each is measured by its trials. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "sim/fluid.h"

#define CAPACITY 100e3
#define N_MANY   2000

static const struct arm arms[] = {
	{ .name = "off", .kind = ARM_OFF },
	{ .name = "attach", .kind = ARM_ATTACH },
	{ .name = "sample@2000", .kind = ARM_SAMPLE, .hz = 2000 },
};

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

static struct fluid *model(const char *words)
{
	struct fluid_config c = { .seed = 20241130 };
	struct sp_err err = { .code = SP_OK };

	if (fluid_config_parse(words, &c, &err) != 0)
		fail_msg("%s: %s", words, err.msg);
	return fluid_new(&c, arms, 3);
}

static void begin(struct fluid *f, uint32_t arm, uint32_t block)
{
	struct sp_err err;

	assert_int_equal(fluid_measure.arm_begin(f, arm, block, &err), 0);
}

/* What it measured; its arrays are gone. */
static struct trial trial(struct fluid *f, double rate_pps, uint32_t burst)
{
	struct trial t = { .spec = { .rate_pps = rate_pps,
				   .burst = burst,
				   .duration_ns = 500 * NS_PER_MS } };
	struct trial copy;
	struct sp_err err;
	size_t i;

	assert_int_equal(fluid_measure.trial(f, &t, &err), 0);
	assert_true(t.valid);
	for (i = 0; i < t.n_ledgers; i++) {
		struct ledger_check check;

		ledger_check(&t.ledgers[i], &check);
		assert_int_equal(check.residual_line, -1);
	}
	copy = t;
	trial_done(&t);
	return copy;
}

/* Goodput of one trial in an arm of a new block. */
static double goodput(const char *words, uint32_t arm, double rate_pps, uint32_t burst)
{
	struct fluid *f = model(words);
	double g;

	begin(f, arm, 1);
	g = trial(f, rate_pps, burst).window_pps;
	fluid_free(f);
	return g;
}

static void test_shape(void **state)
{
	static const struct {
		const char *words;
		double rate, want;
	} rows[] = {
		{ "capacity=100k", 90e3, 90e3 },
		{ "capacity=100k", 130e3, 100e3 },
		{ "capacity=100k,collapse=-0.5", 130e3, 85e3 },
		{ "capacity=100k,loss=1%", 90e3, 89.1e3 },
		/* a ln 2 below the corner, the straight lines far from it */
		{ "capacity=100k,soft=2%", 100e3, 100e3 - 2e3 * M_LN2 },
		{ "capacity=100k,soft=2%", 60e3, 60e3 },
		{ "capacity=100k,soft=2%", 140e3, 100e3 },
		{ "capacity=100k,soft=2%,collapse=-1", 140e3, 60e3 },
		{ "capacity=100k,inversion=10%,inversion-from=60k,inversion-to=70k",
			65e3, 58.5e3 },
		{ "capacity=100k,inversion=10%,inversion-from=60k,inversion-to=70k",
			71e3, 71e3 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		assert_near(
			goodput(rows[i].words, 0, rows[i].rate, 1), rows[i].want, 1);
}

static void test_queues_and_rings(void **state)
{
	struct fluid *f = model("capacity=100k,queue=1000");
	struct trial t;

	(void)state;
	begin(f, 0, 1);
	t = trial(f, 101e3, 1);
	assert_near(t.window_pps, 100e3, 1); /* goodput shows what loss hides */
	assert_near(t.loss_frac, 0, 0);
	t = trial(f, 110e3, 1);
	assert_near(t.loss_frac, 4000.0 / 55000, 1e-9);
	fluid_free(f);
	assert_near(goodput("capacity=100k,ring=32", 0, 50e3, 32), 50e3, 1);
	assert_near(goodput("capacity=100k,ring=32", 0, 50e3, 64), 25e3, 1);
	assert_near(goodput("capacity=100k", 0, 50e3, 64), 50e3, 1);
}

static void test_observers_take_and_give(void **state)
{
	(void)state;
	assert_near(goodput("capacity=100k,attach=-4%", 0, 200e3, 1), 100e3, 1);
	assert_near(goodput("capacity=100k,attach=-4%", 1, 200e3, 1), 96e3, 1);
	assert_near(goodput("capacity=100k,attach=9%", 1, 200e3, 1), 109e3, 1);
	assert_near(goodput("capacity=100k,per-khz=-2%", 1, 200e3, 1), 100e3, 1);
	assert_near(goodput("capacity=100k,per-khz=-2%", 2, 200e3, 1), 96e3, 1);
	assert_near(
		goodput("capacity=100k,per-khz=2%,attach=1%", 2, 200e3, 1), 105e3, 1);
	assert_near(goodput("capacity=100k,khz-curve=-1%", 2, 200e3, 1), 96e3, 1);
	assert_near(goodput("capacity=100k,attach=-3%,later=-50%", 1, 200e3, 1), 97e3,
		1); /* the first of its block */
}

/* Whose fault it was stands in the trial and in the ledger. */
static void test_who_was_the_limit(void **state)
{
	struct fluid *f = model("capacity=100k,generator=60k");
	struct trial t;

	(void)state;
	begin(f, 0, 1);
	t = trial(f, 80e3, 1);
	assert_int_equal(t.limited_by, LIMITED_GENERATOR);
	assert_near(t.window_pps, 60e3, 1);
	assert_int_equal(t.ledgers[0].count[LEDGER_UNSENT], 10000);
	fluid_free(f);
	f = model("capacity=100k,receiver=60k");
	begin(f, 0, 1);
	t = trial(f, 80e3, 1);
	assert_int_equal(t.limited_by, LIMITED_RECEIVER);
	assert_near(t.window_pps, 60e3, 1);
	assert_int_equal(t.ledgers[0].count[LEDGER_RX_DROP], 10000);
	t = trial(f, 50e3, 1);
	assert_int_equal(t.limited_by, LIMITED_NOT);
	t = trial(f, 200e3, 1);
	assert_int_equal(t.limited_by, LIMITED_RECEIVER);
	fluid_free(f);
}

/* Goodput over the capacity, of many trials in mini-sweeps of one each. */
static double *many(const char *words)
{
	static double g[N_MANY];
	struct fluid *f = model(words);
	size_t i;

	for (i = 0; i < N_MANY; i++) {
		begin(f, 0, (uint32_t)i + 1);
		g[i] = trial(f, 2 * CAPACITY, 1).window_pps / CAPACITY;
	}
	fluid_free(f);
	return g;
}

static double share_at(const double *g, double value)
{
	double n = 0;
	size_t i;

	for (i = 0; i < N_MANY; i++)
		n += fabs(g[i] - value) < 0.001;
	return n / N_MANY;
}

static void test_luck(void **state)
{
	const double *g = many("capacity=100k,bands=6%,band-chance=25%");

	(void)state;
	assert_near(share_at(g, 0.94), 0.25, 0.03);
	assert_near(share_at(g, 1), 0.75, 0.03);
	g = many("capacity=100k,bands=6%");
	assert_near(share_at(g, 0.94), 0.5, 0.034);
	g = many("capacity=100k,spikes=10%,spike=20%");
	assert_near(share_at(g, 0.8), 0.1, 0.021);
	assert_near(share_at(g, 1), 0.9, 0.021);
	g = many("capacity=100k,spikes=10%");
	assert_near(share_at(g, 0.7), 0.1, 0.021);
	g = many("capacity=100k,hiccups=10%");
	assert_near(share_at(g, 1), 1, 0); /* the SUT is full all the same */
	g = many("capacity=100k,block-noise=2%");
	assert_near(gsl_stats_sd(g, 1, N_MANY), 0.02, 0.001);
	assert_near(gsl_stats_lag1_autocorrelation(g, 1, N_MANY), 0, 0.07);
	g = many("capacity=100k,wander=2%");
	assert_near(gsl_stats_sd(g, 1, N_MANY), 0.02, 0.002);
	assert_near(gsl_stats_lag1_autocorrelation(g, 1, N_MANY), 0.7, 0.05);
	g = many("capacity=100k,wander=2%,wander-memory=20%");
	assert_near(gsl_stats_sd(g, 1, N_MANY), 0.02, 0.002);
	assert_near(gsl_stats_lag1_autocorrelation(g, 1, N_MANY), 0.2, 0.07);
}

static void test_time(void **state)
{
	struct fluid *f = model("capacity=100k,step=-5%,step-at=100s");
	struct trial t;

	(void)state;
	begin(f, 0, 1);
	do {
		t = trial(f, 2 * CAPACITY, 1);
		assert_near(
			t.window_pps, t.t_start_ns < 101 * NS_PER_S ? 100e3 : 95e3, 1);
	} while (t.t_start_ns < 120 * NS_PER_S);
	fluid_free(f);
	f = model("capacity=100k,drift=-36%");
	begin(f, 0, 1);
	do
		t = trial(f, 2 * CAPACITY, 1);
	while (t.t_start_ns < 1000 * NS_PER_S);
	assert_near(t.window_pps, 90e3, 20);
	fluid_free(f);
}

static void test_later_arms(void **state)
{
	struct fluid *f = model("capacity=100k,later=-2%");
	uint32_t block;

	(void)state;
	for (block = 1; block < 4; block++) {
		begin(f, block % 2, block);
		assert_near(trial(f, 2 * CAPACITY, 1).window_pps, 100e3, 1);
		begin(f, 1 - block % 2, block);
		assert_near(trial(f, 2 * CAPACITY, 1).window_pps, 98e3, 1);
	}
	fluid_free(f);
}

/* A fact of one trial in an arm of a new block. */
static double fact(const char *words, uint32_t arm, enum fact_key key, const char *of)
{
	struct fluid *f = model(words);
	struct trial t = { .spec = { .rate_pps = CAPACITY / 2,
				   .burst = 1,
				   .duration_ns = 500 * NS_PER_MS } };
	const struct fact *x;
	struct sp_err err;
	double v;

	begin(f, arm, 1);
	assert_int_equal(fluid_measure.trial(f, &t, &err), 0);
	x = facts_find(&t.facts, key, of);
	v = x != NULL ? x->value : (double)NAN;
	trial_done(&t);
	fluid_free(f);
	return v;
}

/* Each reason has its facts, and facts change no result. */
static void test_facts(void **state)
{
	static const char *const quiet = "capacity=100k,noise=1%";
	double half_s = 0.5e9;

	(void)state;
	assert_true(isnan(fact(quiet, 0, FACT_THREAD_CPU, "fwd")));
	assert_near(fact("capacity=100k,move=9%", 0, FACT_THREAD_CPU, "fwd"), 0, 0);
	assert_near(fact("capacity=100k,move=9%", 1, FACT_THREAD_CPU, "fwd"), 1, 0);
	assert_near(fact("capacity=100k,burn=9%", 0, FACT_THREAD_CPU, "fwd"), 1, 0);
	assert_near(fact("capacity=100k,burn=40%", 1, FACT_OTHERS_NS, "1") / half_s,
		0.41, 0.1);
	assert_near(fact("capacity=100k,burn=40%", 0, FACT_OTHERS_NS, "1") / half_s,
		0.01, 0.005);
	assert_near(fact("capacity=100k,awake=5%", 0, FACT_IDLE_DEEP_NS, "1") / half_s,
		0.3, 0.1);
	assert_true(fact("capacity=100k,awake=5%", 1, FACT_IDLE_DEEP_NS, "1") <
		    0.01 * half_s);
	assert_near(goodput("capacity=100k,move=9%", 1, 2 * CAPACITY, 1), 109e3, 1);
	assert_near(goodput("capacity=100k,burn=40%", 1, 2 * CAPACITY, 1), 60e3, 1);
	assert_near(goodput("capacity=100k,awake=-5%", 1, 2 * CAPACITY, 1), 95e3, 1);
	assert_near(goodput("capacity=100k,noise=1%,facts-noise=50%", 0, CAPACITY, 1),
		goodput(quiet, 0, CAPACITY, 1), 0);
}

static void test_words(void **state)
{
	static const struct {
		const char *words, *want;
	} rows[] = {
		{ "noise=1%", "capacity" },
		{ "capacity", "KEY=VALUE" },
		{ "capacty=1k", "'capacty' is not a key" },
		{ "capacity=1Mbps", "bits/s" },
		{ "capacity=1k,noise=-1%", "noise" },
		{ "capacity=1k,step-at=soon", "step-at" },
		{ "capacity=1k,inversion=1%,inversion-from=9k", "go together" },
	};
	struct fluid_config c = { .seed = 7, .noise_frac = 0.5 };
	struct sp_err err = { .code = SP_OK };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		assert_int_equal(
			fluid_config_parse(rows[i].words, &c, &err), -SP_EUSAGE);
		assert_non_null(strstr(err.msg, rows[i].want));
		assert_near(c.noise_frac, 0.5, 0); /* untouched */
	}
	assert_int_equal(fluid_config_parse("capacity=1k,collapse=-30%", &c, &err), 0);
	assert_near(c.collapse, -0.3, 1e-12);
	assert_near(c.noise_frac, 0, 0);
	assert_int_equal(c.seed, 7);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_shape),
		cmocka_unit_test(test_queues_and_rings),
		cmocka_unit_test(test_observers_take_and_give),
		cmocka_unit_test(test_who_was_the_limit),
		cmocka_unit_test(test_luck),
		cmocka_unit_test(test_time),
		cmocka_unit_test(test_later_arms),
		cmocka_unit_test(test_facts),
		cmocka_unit_test(test_words),
	};

	return cmocka_run_group_tests_name("fluid", tests, NULL, NULL);
}
