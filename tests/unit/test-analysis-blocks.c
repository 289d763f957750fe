/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which blocks do not count, and why: told for every arm, whatever the verdict is. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "plan/analysis.h"
#include "synthrun.h"

/* How many reasons there are, and how many are exactly this. */
static size_t count(const struct analysis *a, const char *whole)
{
	size_t i, n = 0;

	for (i = 0; i < a->n_reasons; i++)
		n += strcmp(a->reasons[i], whole) == 0;
	return n;
}

static void assert_told(const struct analysis *a, const char *whole)
{
	size_t i;

	if (count(a, whole) == 1)
		return;
	for (i = 0; i < a->n_reasons; i++)
		print_message("%s\n", a->reasons[i]);
	fail_msg("not told once: %s", whole);
}

/* Trials of one mini-sweep, from the lowest rate. */
static struct trial *grid_trial(
	struct run *run, uint32_t block, uint32_t arm, size_t rate)
{
	double last = 0;
	struct trial *found = NULL;
	size_t i, k;

	for (k = 0; k <= rate; k++) {
		found = NULL;
		for (i = 0; i < run->n_trials; i++) {
			struct trial *t = &run->trials[i];

			if (t->spec.kind == TRIAL_GRID && t->spec.block == block &&
				t->spec.arm == arm && t->spec.rate_pps > last &&
				(found == NULL ||
					t->spec.rate_pps < found->spec.rate_pps))
				found = t;
		}
		if (found == NULL)
			fail_msg("no rate %zu in block %u", k, (unsigned)block);
		else
			last = found->spec.rate_pps;
	}
	return found;
}

static void invalidate(struct run *run, uint32_t block, uint32_t arm, const char *why)
{
	size_t rate;

	for (rate = 0; rate < run->config.n_rel_rates; rate++)
		trial_invalidate(grid_trial(run, block, arm, rate), "%s", why);
}

static void nothing_is_told_where_all_count(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;

	(void)state;
	analysis_make(run, &a);
	assert_int_equal(a.n_reasons, 0);
	analysis_done(&a);
	run_free(run);
}

/* Enough blocks are left for a verdict; those that went are told all the same. */
static void blocks_are_named_under_a_verdict(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;
	size_t rate;

	(void)state;
	s.n_blocks = 10;
	run = synth_run(&s);
	invalidate(run, 3, 0, "the link went down");
	invalidate(run, 5, 0, "the link went down");
	invalidate(run, 7, 1, "the SUT died");
	for (rate = 2; rate < run->config.n_rel_rates; rate++)
		grid_trial(run, 9, 1, rate)->limited_by = LIMITED_GENERATOR;
	analysis_make(run, &a);
	assert_int_equal(a.verdict, VERDICT_NONE);
	assert_true(a.valid);
	assert_told(&a, "arm off: blocks 3, 5 do not count: a trial was not valid: the "
			"link went down");
	assert_told(&a,
		"arm sample@997: block 7 does not count: a trial was not valid: "
		"the SUT died");
	assert_told(&a, "arm sample@997: block 9 does not count: the generator was the "
			"limit at the upper rates, so the SUT's knee was not reached "
			"(a larger --burst lets it send more)");
	assert_int_equal(a.n_reasons, 3);
	analysis_done(&a);
	run_free(run);
}

static void a_shape_without_a_knee_is_told(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;
	size_t rate;

	(void)state;
	/* Goodput of neither slope 1 nor 0 all the way. */
	for (rate = 0; rate < run->config.n_rel_rates; rate++) {
		struct trial *t = grid_trial(run, 2, 0, rate);

		t->window_pps = 150e3 + 0.7 * (t->spec.rate_pps - 200e3);
	}
	analysis_make(run, &a);
	assert_told(&a,
		"arm off: block 2 does not count: goodput over rate has neither "
		"a knee nor a clear slope");
	assert_int_equal(a.n_reasons, 1);
	analysis_done(&a);
	run_free(run);
}

/* One valid block in the singular; and no cause is told twice. */
static void too_few_blocks_and_why(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;
	uint32_t block;

	(void)state;
	s.n_blocks = 6;
	run = synth_run(&s);
	for (block = 2; block <= 6; block++)
		invalidate(run, block, 0, "the link went down");
	analysis_make(run, &a);
	assert_int_equal(a.verdict, VERDICT_BROKEN);
	assert_string_equal(a.reasons[0], "arm off has 1 valid block, 6 are needed");
	assert_told(&a, "arm off: blocks 2, 3, 4, 5, 6 do not count: a trial was not "
			"valid: the link went down");
	assert_int_equal(a.n_reasons, 2);
	analysis_done(&a);
	run_free(run);
}

/* Every block for a reason of its own, and more blocks than a line should name. */
static void many_causes_are_cut(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;
	uint32_t block;
	char why[40];

	(void)state;
	s.n_blocks = 30;
	run = synth_run(&s);
	for (block = 1; block <= 20; block++) {
		(void)snprintf(why, sizeof(why), "short by %u %%", (unsigned)block);
		invalidate(run, block, 0, why);
		invalidate(run, block, 1, "the link went down");
	}
	analysis_make(run, &a);
	assert_told(&a, "arm off: block 3 does not count: a trial was not valid: short "
			"by 3 %");
	assert_told(&a, "arm off: 17 more blocks do not count, for such reasons");
	assert_told(&a, "arm sample@997: blocks 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12 "
			"and 8 more do not count: a trial was not valid: the link went "
			"down");
	assert_int_equal(a.n_reasons, 5);
	analysis_done(&a);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(nothing_is_told_where_all_count),
		cmocka_unit_test(blocks_are_named_under_a_verdict),
		cmocka_unit_test(a_shape_without_a_knee_is_told),
		cmocka_unit_test(too_few_blocks_and_why),
		cmocka_unit_test(many_causes_are_cut),
	};

	return cmocka_run_group_tests_name("analysis-blocks", tests, NULL, NULL);
}
