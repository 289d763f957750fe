/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs and trials in memory: words, reasons, facts, notes, ownership. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"
#include "model/run.h"
#include "model/trial.h"

static void words_round_trip(void **state)
{
	static const char *const kinds[] = { "warmup", "pilot", "grid", "profile",
		"latency", "ladder" };
	static const char *const limits[] = { "none", "sut", "generator", "receiver" };
	static const char *const states[] = { "ok", "estimated", "not-counted",
		"not-supported", "not-permitted", "error" };
	int i;

	(void)state;
	for (i = 0; i < 6; i++) {
		assert_string_equal(trial_kind_name((enum trial_kind)i), kinds[i]);
		assert_int_equal(trial_kind_parse(kinds[i]), i);
		assert_string_equal(
			counter_state_name((enum counter_state)i), states[i]);
		assert_int_equal(counter_state_parse(states[i]), i);
	}
	for (i = 0; i < 4; i++) {
		assert_string_equal(limited_by_name((enum limited_by)i), limits[i]);
		assert_int_equal(limited_by_parse(limits[i]), i);
	}
	assert_int_equal(trial_kind_parse(""), -1);
	assert_int_equal(trial_kind_parse("GRID"), -1);
	assert_int_equal(limited_by_parse("gen"), -1);
	assert_int_equal(counter_state_parse("ok "), -1);
}

static void reasons_are_kept_to_a_few(void **state)
{
	struct trial t = { .valid = true };
	char longish[300];
	int i;

	(void)state;
	trial_add_reason(&t, "worth %s", "knowing");
	assert_true(t.valid);
	trial_invalidate(&t, "wrong: %d", 7);
	assert_false(t.valid);
	assert_int_equal(t.n_reasons, 2);
	assert_string_equal(t.reasons[0], "worth knowing");
	assert_string_equal(t.reasons[1], "wrong: 7");
	memset(longish, 'x', sizeof(longish) - 1);
	longish[sizeof(longish) - 1] = '\0';
	for (i = 0; i < 10; i++)
		trial_add_reason(&t, "%d %s", i, longish);
	assert_int_equal(t.n_reasons, TRIAL_MAX_REASONS);
	assert_int_equal(t.reasons[TRIAL_MAX_REASONS - 1][0], '9');
	assert_int_equal(strlen(t.reasons[2]), sizeof(t.reasons[2]) - 1);
	assert_string_equal(t.reasons[0], "worth knowing");
}

static void facts_are_replaced(void **state)
{
	struct run *r = run_new();

	(void)state;
	assert_null(run_fact(r, "cpu"));
	run_set_fact(r, "cpu", "old", false);
	run_set_fact(r, "burst", "4", true);
	run_set_fact(r, "cpu", "new", false);
	run_set_fact(r, "burst", run_fact(r, "burst"), false); /* its own value */
	assert_int_equal(r->n_fingerprint, 2);
	assert_string_equal(run_fact(r, "cpu"), "new");
	assert_string_equal(run_fact(r, "burst"), "4");
	assert_false(r->fingerprint[1].is_number);
	run_free(r);
}

static void notes_and_events_come_once(void **state)
{
	struct run *r = run_new();

	(void)state;
	run_add_note(r, "%d %% of CPU time", 31);
	run_add_note(r, "%d %% of CPU time", 31);
	run_add_note(r, "%d %% of CPU time", 32);
	assert_int_equal(r->n_notes, 2);
	assert_string_equal(r->notes[1], "32 % of CPU time");
	run_set_note(r, "took ", "took %d s", 1);
	run_set_note(r, "took ", "took %d s", 2);
	assert_int_equal(r->n_notes, 3);
	assert_string_equal(r->notes[2], "took 2 s");
	assert_int_equal(run_event_intern(r, "cycles", "cycles", COUNTER_OK), 0);
	assert_int_equal(run_event_intern(r, "clock", "ns", COUNTER_ERROR), 1);
	assert_int_equal(run_event_intern(r, "cycles", "", COUNTER_ERROR), 0);
	assert_int_equal(r->n_events, 2);
	assert_int_equal(r->events[0].state, COUNTER_OK);
	run_free(r);
}

static void a_trial_moves_into_the_run(void **state)
{
	struct run *r = run_new();
	struct trial t = { .spec = { .id = 3 }, .n_bins = 1 };
	struct hist_bin *bins;
	uint32_t i;

	(void)state;
	t.bins = bins = xgrow(NULL, 0, &t.cap_bins, sizeof(*t.bins));
	run_add_trial(r, &t);
	assert_null(t.bins);
	assert_int_equal(t.spec.id, 0);
	assert_ptr_equal(r->trials[0].bins, bins);
	for (i = 4; i < 40; i++) {
		t.spec.id = i;
		run_add_trial(r, &t);
	}
	assert_int_equal(r->n_trials, 37);
	assert_int_equal(r->trials[36].spec.id, 39);
	assert_ptr_equal(r->trials[0].bins, bins);
	run_free(r);
	run_free(NULL);
	trial_done(&t); /* a zeroed one is nothing to free */
}

static void a_new_run_has_texts(void **state)
{
	struct run *r = run_new();

	(void)state;
	assert_string_equal(r->path, "");
	assert_string_equal(r->config_json, "{}");
	assert_null(r->sut_output);
	assert_null(r->profile);
	r->profile = profile_new();
	r->config.rates_pps = xcalloc(3, sizeof(double));
	r->config.n_rates = 3;
	run_free(r); /* the sanitizer sees what stays */
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_round_trip),
		cmocka_unit_test(reasons_are_kept_to_a_few),
		cmocka_unit_test(facts_are_replaced),
		cmocka_unit_test(notes_and_events_come_once),
		cmocka_unit_test(a_trial_moves_into_the_run),
		cmocka_unit_test(a_new_run_has_texts),
	};

	return cmocka_run_group_tests_name("run-model", tests, NULL, NULL);
}
