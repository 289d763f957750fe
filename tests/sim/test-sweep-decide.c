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

#define N_MOST 30 /* blocks */
#define SEED   7000

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

static struct tally tally_of(const char *model, int n_sweeps, uint64_t seed)
{
	const struct simsweep s = { .model = model, .until_decided = true };
	struct tally t = { .mean_blocks = 0 };
	int i;

	for (i = 0; i < n_sweeps; i++) {
		struct run *run = simsweep_run(&s, seed + (uint64_t)i);
		struct analysis a;

		analysis_make(run, &a);
		t.verdict[a.verdict] += 1.0 / n_sweeps;
		t.mean_blocks += n_blocks(run) / (double)n_sweeps;
		assert_true(n_blocks(run) >= 8 && n_blocks(run) <= N_MOST);
		/* What stopped it is what it says. */
		assert_true(n_blocks(run) == N_MOST ||
			    verdict_exit_code(a.verdict) == EXIT_DONE);
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
	struct tally t = tally_of("capacity=300k,noise=0.5%", 50, SEED);

	(void)state;
	assert_true(t.mean_blocks < 8.2);
	assert_true(t.verdict[VERDICT_NONE] >= 0.99);
}

/* Eight blocks leave most of these sweeps undecided. */
static void test_noisy(void **state)
{
	struct tally none =
		tally_of("capacity=300k,noise=1.5%,block-noise=1.5%", 200, 11000);
	struct tally hurts = tally_of(
		"capacity=300k,noise=1.5%,block-noise=1.5%,attach=-5%", 60, 12000);
	struct tally much = tally_of("capacity=300k,block-noise=3%", 100, 13000);

	(void)state;
	assert_true(none.mean_blocks > 10 && none.mean_blocks < 18);
	assert_true(none.verdict[VERDICT_NONE] >= 0.93);
	assert_true(hurts.verdict[VERDICT_HURTS] >= 0.98);
	assert_true(hurts.mean_blocks < 10);
	/* Of 300 sweeps without a shift. */
	assert_true((2 * (none.verdict[VERDICT_HELPS] + none.verdict[VERDICT_HURTS]) +
			    much.verdict[VERDICT_HELPS] + much.verdict[VERDICT_HURTS]) /
			    3 <=
		    0.05);
}

/* A shift of exactly the margin is not none. */
static void test_at_the_boundary(void **state)
{
	struct tally hurts = tally_of(
		"capacity=300k,noise=1.5%,block-noise=1.5%,attach=-3%", 200, 14000);
	struct tally helps =
		tally_of("capacity=300k,block-noise=3%,attach=3%", 100, 15000);

	(void)state;
	/* Of 200 and 100 sweeps. */
	assert_true(
		(2 * hurts.verdict[VERDICT_NONE] + helps.verdict[VERDICT_NONE]) / 3 <=
		0.05);
}

/* Few frames a window: the interval has a least width, whatever the blocks; a rule by
 * the knees alone would stop and then say inconclusive. */
static void test_coarse_counts(void **state)
{
	struct tally t = tally_of("capacity=1500,noise=0.3%,attach=-2%", 20, 16000);

	(void)state;
	assert_true(t.verdict[VERDICT_INCONCLUSIVE] >= 0.9);
	assert_true(t.mean_blocks > 25);
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
	assert_int_equal(n_blocks(run), N_MOST);
	assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
	assert_int_equal(run->n_notes, 1);
	assert_non_null(strstr(run->notes[0], "did not decide"));
	analysis_done(&a);
	run_free(run);
}

/* Added blocks are a note. */
static void test_says_so(void **state)
{
	const struct simsweep s = { .model =
					    "capacity=300k,noise=1.5%,block-noise=1.5%",
		.until_decided = true };
	struct run *run = simsweep_run(&s, SEED);

	(void)state;
	assert_true(n_blocks(run) > 8 && n_blocks(run) < N_MOST);
	assert_int_equal(run->n_notes, 1);
	assert_non_null(strstr(run->notes[0], "until it was decided"));
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
		cmocka_unit_test(test_at_the_boundary),
		cmocka_unit_test(test_coarse_counts),
		cmocka_unit_test(test_never_decided),
		cmocka_unit_test(test_says_so),
		cmocka_unit_test(test_one_arm),
	};

	return cmocka_run_group_tests_name("sweep-decide", tests, NULL, NULL);
}
