/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --until-decided: when it stops, what it costs, and that it finds no more than is
 * there. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plan/analysis.h"
#include "simsweep.h"

#define N_SWEEPS 200
#define SEED     7000

struct tally {
	double verdict[VERDICT_BROKEN + 1];
	double mean_blocks;
};

static uint32_t n_blocks(const struct run *run)
{
	uint32_t max = 0;
	size_t i;

	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.block > max)
			max = run->trials[i].spec.block;
	return max;
}

static struct tally tally_of(const char *model)
{
	const struct simsweep s = { .model = model, .until_decided = true };
	struct tally t = { .mean_blocks = 0 };
	int i;

	for (i = 0; i < N_SWEEPS; i++) {
		struct run *run = simsweep_run(&s, SEED + (uint64_t)i);
		struct analysis a;

		analysis_make(run, &a);
		t.verdict[a.verdict] += 1.0 / N_SWEEPS;
		t.mean_blocks += n_blocks(run) / (double)N_SWEEPS;
		assert_true(n_blocks(run) >= 8 && n_blocks(run) <= 30);
		analysis_done(&a);
		run_free(run);
	}
	print_message("# %s: %.1f blocks, none %.1f %%, helps %.1f %%, hurts %.1f %%\n",
		model, t.mean_blocks, 100 * t.verdict[VERDICT_NONE],
		100 * t.verdict[VERDICT_HELPS], 100 * t.verdict[VERDICT_HURTS]);
	return t;
}

/* Where the planned blocks decide, no more are measured. */
static void test_quiet(void **state)
{
	struct tally t = tally_of("capacity=300k,noise=0.5%");

	(void)state;
	assert_true(t.mean_blocks < 8.2);
	assert_true(t.verdict[VERDICT_NONE] >= 0.99);
}

/* Eight blocks leave most of these sweeps undecided. */
static void test_noisy(void **state)
{
	struct tally none = tally_of("capacity=300k,noise=1.5%,block-noise=1.5%");
	struct tally hurts =
		tally_of("capacity=300k,noise=1.5%,block-noise=1.5%,attach=-5%");

	(void)state;
	assert_true(none.mean_blocks > 10 && none.mean_blocks < 24);
	assert_true(none.verdict[VERDICT_NONE] + none.verdict[VERDICT_HELPS] +
			    none.verdict[VERDICT_HURTS] >=
		    0.97);
	/* 3.7 and 5.1 % of 1,000 each; the rest is chance. */
	assert_true(none.verdict[VERDICT_HELPS] + none.verdict[VERDICT_HURTS] <= 0.095);
	assert_true(hurts.verdict[VERDICT_HURTS] >= 0.97);
}

/* It ends, and says that it gave up. */
static void test_never_decided(void **state)
{
	const struct simsweep s = { .model = "capacity=300k,block-noise=8%",
		.until_decided = true };
	struct run *run = simsweep_run(&s, SEED);
	struct analysis a;

	(void)state;
	analysis_make(run, &a);
	assert_int_equal(n_blocks(run), 30);
	assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(run->n_notes, 1);
	assert_non_null(strstr(run->notes[0], "until-decided"));
	analysis_done(&a);
	run_free(run);
}

/* One arm: its knee's own interval. */
static void test_one_arm(void **state)
{
	const struct simsweep s = { .model = "capacity=300k,noise=1%,block-noise=3%",
		.arms = "off",
		.until_decided = true };
	struct analysis a = simsweep_answer(&s, SEED);

	(void)state;
	assert_int_equal(a.verdict, VERDICT_MEASURED);
	assert_true(a.arms[0].n_blocks > 8);
	assert_true(log(a.arms[0].hi_pps / a.arms[0].lo_pps) <= log1p(0.03) + 1e-3);
	analysis_done(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_noisy),
		cmocka_unit_test(test_never_decided),
		cmocka_unit_test(test_one_arm),
	};

	return cmocka_run_group_tests_name("sweep-decide", tests, NULL, NULL);
}
