/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * MLRsearch: classes, bounds and conditional throughput of one load, against the table
 * of draft-ietf-bmwg-mlrsearch-15.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "base/clock.h"
#include "plan/mlrsearch.h"

#define LOAD_PPS 1e6

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

static const struct mlrsearch_goal table_goals[] = {
	{ .trial_ns = 60 * NS_PER_S, .sum_ns = 60 * NS_PER_S },
	{ .trial_ns = 60 * NS_PER_S, .sum_ns = 120 * NS_PER_S, .exceed_frac = 0.5 },
	{ .trial_ns = NS_PER_S,
		.sum_ns = 120 * NS_PER_S,
		.loss_frac = 0.005,
		.exceed_frac = 0.5 },
	{ .trial_ns = 60 * NS_PER_S,
		.sum_ns = 60 * NS_PER_S,
		.loss_frac = 0.005,
		.exceed_frac = 0.2 },
};

static size_t add_trials(struct mlrsearch_trial *trials, size_t n, size_t count,
	uint64_t seconds, double loss)
{
	size_t i;

	for (i = 0; i < count; i++)
		trials[n + i] = (struct mlrsearch_trial){ LOAD_PPS, seconds * NS_PER_S,
			seconds * NS_PER_S, loss };
	return n + count;
}

/* Two cells of the last column differ from the draft's print on purpose: there it
 * says lower bound, against its own numbers (42.857 % and 27.273 % over 20 %) and
 * its own code. */
static void test_classes_of_the_draft(void **state)
{
	static const struct {
		size_t count;
		uint64_t seconds;
		double loss;
		const char *want; /* U, L or ? by goal */
	} rows[] = {
		{ 59, 1, 0, "????" },
		{ 1, 1, 0.01, "U???" },
		{ 59, 1, 0.01, "U??U" },
		{ 1, 1, 0, "U?LU" },
		{ 1, 60, 0.001, "U?LU" },
		{ 1, 60, 0, "ULLU" },
	};
	struct mlrsearch_trial trials[256];
	size_t i, g, n = 0;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		char got[5] = "";

		n = add_trials(trials, n, rows[i].count, rows[i].seconds, rows[i].loss);
		for (g = 0; g < 4; g++)
			got[g] = "?LU"[mlrsearch_classify(
				trials, n, LOAD_PPS, &table_goals[g])];
		assert_string_equal(got, rows[i].want);
	}
	/* Bit for bit. */
	assert_near(
		mlrsearch_throughput_pps(trials, n, LOAD_PPS, &table_goals[1]), 1e6, 0);
	assert_near(
		mlrsearch_throughput_pps(trials, n, LOAD_PPS, &table_goals[2]), 1e6, 0);
	assert_near(mlrsearch_throughput_pps(trials, n, LOAD_PPS, &table_goals[3]),
		LOAD_PPS * (1 - 0.001), 0);
	assert_int_equal(mlrsearch_classify(trials, n, 2e6, &table_goals[2]),
		MLRSEARCH_UNDECIDED);
}

/* Good results above a bad load count for nothing. */
static void test_loss_inversion(void **state)
{
	const struct mlrsearch_goal goal = { .trial_ns = NS_PER_S,
		.sum_ns = NS_PER_S,
		.width_frac = 0.5,
		.exceed_frac = 0.5 };
	const struct mlrsearch_trial trials[] = {
		{ 100, NS_PER_S, NS_PER_S, 0 },
		{ 400, NS_PER_S, NS_PER_S, 0 },
		{ 200, NS_PER_S, NS_PER_S, 0.1 },
		{ 300, NS_PER_S, NS_PER_S, 0 },
		{ 500, NS_PER_S, NS_PER_S, 0.2 },
	};
	struct mlrsearch_bounds b;
	struct mlrsearch_result r;

	(void)state;
	mlrsearch_bounds_make(trials, 5, &goal, &b);
	assert_true(b.has_lower && b.has_upper);
	assert_near(b.lower_pps, 100, 0);
	assert_near(b.upper_pps, 200, 0);
	mlrsearch_result_make(trials, 5, &goal, 10, 1000, &r);
	assert_int_equal(r.end, MLRSEARCH_REGULAR);
	assert_near(r.throughput_pps, 100, 0);
	/* Without the good load below there is no lower bound at all. */
	mlrsearch_bounds_make(&trials[1], 4, &goal, &b);
	assert_true(!b.has_lower && b.has_upper);
}

/* Time that was not measured counts as lost: no throughput from half the trials. */
static void test_throughput_needs_its_time(void **state)
{
	struct mlrsearch_trial trials[64];
	size_t n = add_trials(trials, 0, 59, 1, 0);

	(void)state;
	/* 59 of 120 s: more than the half that may be missing is missing. */
	assert_near(
		mlrsearch_throughput_pps(trials, n, LOAD_PPS, &table_goals[2]), 0, 0);
	/* 60 of 120 s: exactly the half. */
	n = add_trials(trials, n, 1, 1, 0.004);
	assert_near(mlrsearch_throughput_pps(trials, n, LOAD_PPS, &table_goals[2]),
		LOAD_PPS * (1 - 0.004), 0);
	/* One more without loss, and the worst one no longer counts. */
	n = add_trials(trials, n, 1, 1, 0);
	assert_near(mlrsearch_throughput_pps(trials, n, LOAD_PPS, &table_goals[2]),
		LOAD_PPS, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_classes_of_the_draft),
		cmocka_unit_test(test_loss_inversion),
		cmocka_unit_test(test_throughput_needs_its_time),
	};

	return cmocka_run_group_tests_name("mlrsearch-class", tests, NULL, NULL);
}
