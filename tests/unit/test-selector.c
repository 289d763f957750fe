/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selectors: which words parse, which trials they mean, and where the file's name ends.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../fixture/run_fixture.h"
#include "base/mem.h"
#include "plan/selector.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void other_words_are_refused(void **state)
{
	static const char *const rows[] = { "", "@", "belo", "Below", "below ",
		"below,", ",below", "@@below", "arm", "arm=", "rate=", "rate=x",
		"rate=0", "rate=1..", "rate=..2", "trial=", "trial=0", "trial=1.5",
		"trial=3..2", "trial=4294967296", "trial=1..2..3", "off=1",
		"below;above",
		"arm=a name that is too long for any arm of a run to have it" };
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		struct selector sel = { .n_arms = 7 };
		struct sp_err err;

		if (selector_parse(rows[i], &sel, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken", rows[i]);
		assert_int_equal(sel.n_arms, 7);
	}
}

static void no_more_terms_than_there_is_room_for(void **state)
{
	char text[SELECTOR_MAX * 16 + 32] = "trial=1";
	struct selector sel;
	struct sp_err err;
	int i;

	(void)state;
	for (i = 1; i < SELECTOR_MAX; i++)
		strcat(text, ",trial=1");
	assert_int_equal(selector_parse(text, &sel, &err), 0);
	assert_int_equal(sel.n_trials, SELECTOR_MAX);
	strcat(text, ",trial=1");
	assert_int_equal(selector_parse(text, &sel, &err), -SP_EUSAGE);
}

/*
 * Two blocks of off, sample@997, sample@97 at 100 kpps and its fractions. In each block
 * five grid trials an arm, in the first the profile trials of both that sample, too:
 * off 1-5, sample@997 6-10 and 11 (below) 12 (above), sample@97 13-17 and 18, 19; then
 * off 20-24, sample@997 25-29, sample@97 30-34.
 */
static struct run *make_run(void)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997", "sample@97" },
		.capacity_pps = { 1e5, 1e5, 1e5 },
		.n_blocks = 2,
		.seed = 1,
		.profile_trials = true,
	};
	struct run *r = run_fixture_make(&f);

	assert_int_equal(r->n_trials, 34);
	return r;
}

/* "1-5,7": the ids that are meant, or the error. */
static char *meant(const struct run *r, const char *text)
{
	bool *in = xcalloc(r->n_trials, sizeof(*in));
	struct selector sel;
	struct sp_err err;
	char *out = xstrdup("");
	size_t i, k;

	assert_int_equal(selector_parse(text, &sel, &err), 0);
	if (selector_trials(r, &sel, in, &err) != 0) {
		free(in);
		free(out);
		return xasprintf("%s", err.msg);
	}
	for (i = 0; i < r->n_trials; i = k) {
		char *longer;

		for (k = i; k < r->n_trials && in[k]; k++)
			;
		if (k == i) {
			k++;
			continue;
		}
		longer = xasprintf(
			"%s%s%u", out, out[0] != '\0' ? "," : "", r->trials[i].spec.id);
		free(out);
		out = longer;
		if (k - i > 1) {
			longer = xasprintf("%s-%u", out, r->trials[k - 1].spec.id);
			free(out);
			out = longer;
		}
	}
	free(in);
	return out;
}

static void check(const struct run *r, const char *text, const char *expected)
{
	char *got = meant(r, text);

	if (strcmp(got, expected) != 0)
		fail_msg("'%s' means %s, not %s", text != NULL ? text : "(nothing)",
			got, expected);
	free(got);
}

static void trials_are_those_of_the_words(void **state)
{
	struct run *r = make_run();

	(void)state;
	check(r, NULL, "1-34");
	check(r, "below", "11");
	check(r, "@above", "12");
	check(r, "below,above", "11-12");
	check(r, "below,@arm=sample@97", "18");
	check(r, "arm=sample@97,arm=sample@997,above", "12,19");
	check(r, "off", "1-5,20-24");
	check(r, "on", "6-12,25-29");
	check(r, "@on,@off,trial=5..6", "5-6");
	check(r, "trial=3,trial=30..99", "3,30-34");
	/* 0.72, 0.88, 1, 1.12, 1.25 of 100 kpps; profile trials at 0.85 and 1.15 */
	check(r, "rate=72k", "1,6,13,20,25,30");
	check(r, "rate=72.05k,off", "1,20");
	check(r, "rate=80k..100k,arm=off", "2-3,21-22");
	check(r, "rate=85kpps", "11,18");
	/* 64 byte frames: 512 bits each */
	check(r, "rate=51.2Mbps,off", "3,22");
	run_free(r);
}

static void what_no_trial_fits_is_an_error(void **state)
{
	struct run *r = make_run();

	(void)state;
	check(r, "arm=perf@97",
		"the run has no arm for 'perf@97', only off, sample@997, sample@97");
	check(r, "trial=35", "no valid trial of the run is meant by this selector");
	check(r, "off,below,rate=85k",
		"no valid trial of the run is meant by this selector");
	r->n_arms = 1;
	check(r, "below", "the run has no arm for 'below', only off");
	check(r, "on", "the run has no arm for 'on', only off");
	run_free(r);
}

/* Without profile trials the grid's speak for the sides, but not the middle one. */
static void the_grid_stands_in(void **state)
{
	struct run *r = make_run();

	(void)state;
	check(r, "below,arm=off", "1-2,20-21");
	check(r, "above,off", "4-5,23-24");
	r->trials[10].valid = false;
	r->trials[11].valid = false;
	check(r, "below", "6-7,25-26");
	run_free(r);
}

static void what_is_not_valid_counts_only_by_its_number(void **state)
{
	struct run *r = make_run();

	(void)state;
	r->trials[2].valid = false;
	r->trials[19].spec.kind = TRIAL_WARMUP;
	check(r, "off", "1-2,4-5,21-24");
	check(r, "off,trial=3..4", "3-4");
	check(r, NULL, "1-2,4-19,21-34");
	run_free(r);
}

/* The observed arm's trials of a confirmation are not the sweep's. */
static void a_confirmation_is_apart(void **state)
{
	struct run *r = make_run();
	struct arm forced = arm_force_make(&r->arms[0], FACTOR_PLACEMENT);
	struct trial t = { .spec = { .id = 35,
				   .phase = 1,
				   .block = 1,
				   .arm = 1,
				   .kind = TRIAL_GRID },
		.valid = true };

	(void)state;
	forced.force.phase = 1;
	forced.force.arm = 1;
	run_add_arm(r, &forced);
	run_add_trial(r, &t);
	t = (struct trial){ .spec = { .id = 36,
				    .phase = 1,
				    .block = 1,
				    .arm = 3,
				    .kind = TRIAL_GRID },
		.valid = true };
	run_add_trial(r, &t);
	check(r, "on", "6-12,25-29");
	check(r, "arm=off+placement", "36");
	check(r, "trial=35", "35");
	run_free(r);
}

static bool is_always_on(const struct run *r, const char *text)
{
	struct selector sel;
	struct sp_err err;

	assert_int_equal(selector_parse(text, &sel, &err), 0);
	assert_int_equal(selector_functions_check(r, &sel, "x", &err),
		selector_wants_always_on(r, &sel) ? -SP_EUSAGE : 0);
	return selector_wants_always_on(r, &sel);
}

static void off_has_no_functions(void **state)
{
	struct run *r = make_run();

	(void)state;
	assert_true(is_always_on(r, "off"));
	assert_true(is_always_on(r, "below,arm=off"));
	assert_false(is_always_on(r, "off,on"));
	assert_false(is_always_on(r, "below"));
	assert_false(is_always_on(r, "trial=1"));
	assert_false(is_always_on(r, NULL));
	assert_false(is_always_on(r, "arm=none"));
	/* Samples of another program that were read in count as well. */
	r->profile->cells[0].trial = 1;
	assert_false(is_always_on(r, "off"));
	run_free(r);
}

static bool file_of_test(const char *path)
{
	static const char *const files[] = { "run", "odd@below", "a@b/run" };
	size_t i;

	for (i = 0; i < N_OF(files); i++)
		if (strcmp(files[i], path) == 0)
			return true;
	return false;
}

static void a_file_of_that_name_wins(void **state)
{
	static const struct {
		const char *word, *path, *selector;
	} rows[] = {
		{ "run", "run", NULL },
		{ "run@below", "run", "below" },
		{ "run@arm=sample@997,@above", "run", "arm=sample@997,@above" },
		{ "run@", "run", "" },
		{ "run@bleow", "run", "bleow" },
		{ "odd@below", "odd@below", NULL },
		{ "odd@below@above", "odd@below", "above" },
		{ "a@b/run", "a@b/run", NULL },
		{ "a@b/run@off", "a@b/run", "off" },
		/* What is not there: for the message, the file's name without the rest.
		 */
		{ "none", "none", NULL },
		{ "none@below", "none", "below" },
		{ "x@y/none@arm=sample@997", "x@y/none", "arm=sample@997" },
		{ "x@y/none", "x@y/none", NULL },
		{ "@below", "@below", NULL },
		{ "", "", NULL },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		char *path, *selector;

		selector_split(rows[i].word, file_of_test, &path, &selector);
		assert_string_equal(path, rows[i].path);
		assert_int_equal(selector == NULL, rows[i].selector == NULL);
		if (selector != NULL)
			assert_string_equal(selector, rows[i].selector);
		free(path);
		free(selector);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(other_words_are_refused),
		cmocka_unit_test(no_more_terms_than_there_is_room_for),
		cmocka_unit_test(trials_are_those_of_the_words),
		cmocka_unit_test(what_no_trial_fits_is_an_error),
		cmocka_unit_test(the_grid_stands_in),
		cmocka_unit_test(what_is_not_valid_counts_only_by_its_number),
		cmocka_unit_test(a_confirmation_is_apart),
		cmocka_unit_test(off_has_no_functions),
		cmocka_unit_test(a_file_of_that_name_wins),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
