/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Every report writer over made-up runs against recorded documents, and what holds
 * for all of them. UPDATE_GOLDEN=1 in the environment records anew.
 */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../fixture/run_fixture.h"
#include "base/clean.h"
#include "base/mem.h"
#include "plan/analysis.h"
#include "report/report.h"
#include "report_runs.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	const char *suffix, *writer;
	struct report_options o;
} looks[] = {
	{ "json", "json", { .width = 0 } },
	{ "txt", "text", { .width = 0 } },
	{ "utf8.txt", "text", { .utf8 = true, .color = true, .width = 80 } },
};

static char *report_make(const struct run *run, const struct analysis *a, size_t look)
{
	const struct report_ops *ops = report_find(looks[look].writer);
	char *text = NULL;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);
	struct sp_err err;

	assert_non_null(ops);
	assert_non_null(f);
	assert_int_equal(ops->write(f, run, a, &looks[look].o, &err), 0);
	assert_int_equal(fclose(f), 0);
	assert_int_equal(strlen(text), n); /* no NUL inside */
	return text;
}

static char *golden_path(const char *run, const char *suffix)
{
	const char *top = getenv("top_srcdir");

	return xasprintf(
		"%s/tests/golden/report/%s.%s", top != NULL ? top : ".", run, suffix);
}

static char *golden_read(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = NULL;
	size_t cap = 0;

	if (f == NULL)
		fail_msg("%s is missing: record it with UPDATE_GOLDEN=1", path);
	if (getdelim(&text, &cap, '\0', f) < 0)
		fail_msg("%s is empty", path);
	assert_int_equal(fclose(f), 0);
	return text;
}

static void golden_write(const char *path, const char *text)
{
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(text, f) >= 0);
	assert_int_equal(fclose(f), 0);
}

static json_t *json_parse(const char *text)
{
	json_error_t e;
	json_t *v = json_loads(text, JSON_REJECT_DUPLICATES, &e);

	if (v == NULL)
		fail_msg("line %d: %s", e.line, e.text);
	return v;
}

#define TRIALS_KEPT 2

/* One trial is like the other: two are recorded, in the writer's own format. */
static char *trials_cut(const char *text)
{
	json_t *v = json_parse(text), *trials = json_object_get(v, "trials");
	char *cut;

	assert_true(json_array_size(trials) > TRIALS_KEPT);
	while (json_array_size(trials) > TRIALS_KEPT)
		assert_int_equal(json_array_remove(trials, TRIALS_KEPT), 0);
	cut = json_dumps(v, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	json_decref(v);
	assert_non_null(cut);
	return cut;
}

static void json_same(const json_t *a, const json_t *b, const char *where);

static void object_same(const json_t *a, const json_t *b, const char *where)
{
	/* jansson's iterators take no const object */
	void *ia = json_object_iter((json_t *)(uintptr_t)a);
	const char *key;

	assert_int_equal(json_object_size(a), json_object_size(b));
	for (; ia != NULL; ia = json_object_iter_next((json_t *)(uintptr_t)a, ia)) {
		char *deeper;

		key = json_object_iter_key(ia);
		deeper = xasprintf("%s.%s", where, key);
		if (json_object_get(b, key) == NULL)
			fail_msg("%s is missing", deeper);
		json_same(json_object_get(a, key), json_object_get(b, key), deeper);
		free(deeper);
	}
}

/* The same document; numbers to 9 digits, since libm differs in the last ones. */
static void json_same(const json_t *a, const json_t *b, const char *where)
{
	size_t i;

	if (json_typeof(a) != json_typeof(b))
		fail_msg("%s: another type", where);
	switch (json_typeof(a)) {
	case JSON_OBJECT:
		object_same(a, b, where);
		return;
	case JSON_ARRAY:
		if (json_array_size(a) != json_array_size(b))
			fail_msg("%s: another length", where);
		for (i = 0; i < json_array_size(a); i++)
			json_same(json_array_get(a, i), json_array_get(b, i), where);
		return;
	case JSON_REAL:
		if (fabs(json_real_value(a) - json_real_value(b)) >
			1e-9 * fabs(json_real_value(a)))
			fail_msg("%s: %.17g, not %.17g", where, json_real_value(a),
				json_real_value(b));
		return;
	case JSON_STRING:
	case JSON_INTEGER:
	case JSON_TRUE:
	case JSON_FALSE:
	case JSON_NULL:
		if (!json_equal(a, b))
			fail_msg("%s: another value", where);
		return;
	}
}

static void document_compare(const char *got, const char *path, bool is_json)
{
	char *want;

	if (getenv("UPDATE_GOLDEN") != NULL)
		golden_write(path, got);
	want = golden_read(path);
	if (is_json) {
		json_t *a = json_parse(want), *b = json_parse(got);

		json_same(a, b, path);
		json_decref(a);
		json_decref(b);
	} else if (strcmp(want, got) != 0) {
		fail_msg("%s is not what is written now:\n%s", path, got);
	}
	free(want);
}

static void documents_are_as_recorded(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < REPORT_N_RUNS; i++) {
		struct run *run = report_runs[i].make();
		struct analysis a;

		analysis_make(run, &a);
		assert_string_equal(
			verdict_word(a.verdict), verdict_word(report_runs[i].verdict));
		for (k = 0; k < N_OF(looks); k++) {
			bool is_json = strcmp(looks[k].writer, "json") == 0;
			char *text = report_make(run, &a, k);
			char *again = report_make(run, &a, k);
			char *path = golden_path(report_runs[i].name, looks[k].suffix);
			char *cut = is_json ? trials_cut(text) : xstrdup(text);

			assert_string_equal(text, again);
			document_compare(cut, path, is_json);
			free(cut);
			free(path);
			free(again);
			free(text);
		}
		analysis_done(&a);
		run_free(run);
	}
}

/* Fits the terminal, cannot steer it, and ends in the verdict. */
static void text_checks(
	const char *text, const struct report_options *o, const char *verdict_line)
{
	size_t max = o->width != 0 ? o->width : REPORT_WIDTH_MAX;
	char *copy = xstrdup(text), *rest = copy, *line, *last = copy;

	while ((line = strsep(&rest, "\n")) != NULL) {
		const char *s = line;
		size_t columns = 0;

		while (*s != '\0') {
			if (o->color && strncmp(s, "\033[", 2) == 0) {
				s += strcspn(s, "m") + 1;
				continue;
			}
			assert_true((unsigned char)*s >= 0x20);
			assert_true(o->utf8 || (unsigned char)*s < 0x7f);
			columns += ((unsigned char)*s & 0xc0) != 0x80;
			s++;
		}
		if (columns > max)
			fail_msg("%zu columns: %s", columns, line);
		if (*line != '\0')
			last = line;
	}
	assert_string_equal(last, verdict_line);
	free(copy);
}

static void texts_fit_and_end_in_the_verdict(void **state)
{
	size_t i, k;

	(void)state;
	for (i = 0; i < REPORT_N_RUNS; i++) {
		struct run *run = report_runs[i].make();
		char *end =
			xasprintf("verdict=%s", verdict_word(report_runs[i].verdict));
		struct analysis a;

		analysis_make(run, &a);
		for (k = 0; k < N_OF(looks); k++) {
			char *text = report_make(run, &a, k);
			char *clean = clean_utf8(text);

			assert_string_equal(text, clean); /* it is UTF-8 */
			assert_null(strstr(text, "nan"));
			assert_null(strstr(text, "inf"));
			if (strcmp(looks[k].writer, "text") == 0)
				text_checks(text, &looks[k].o, end);
			free(clean);
			free(text);
		}
		free(end);
		analysis_done(&a);
		run_free(run);
	}
}

static json_t *document_of(struct run *(*make)(void))
{
	struct run *run = make();
	struct analysis a;
	json_t *v;
	char *text;

	analysis_make(run, &a);
	text = report_make(run, &a, 0);
	v = json_parse(text);
	free(text);
	analysis_done(&a);
	run_free(run);
	return v;
}

static const json_t *at(const json_t *v, const char *array, size_t i)
{
	const json_t *e = json_array_get(json_object_get(v, array), i);

	assert_non_null(e);
	return e;
}

static void a_bound_is_no_knee(void **state)
{
	json_t *v = document_of(report_run_bound);
	const json_t *arm = at(v, "arms", 0);

	(void)state;
	assert_string_equal(
		json_string_value(json_object_get(arm, "bound")), "above-max");
	assert_null(json_object_get(arm, "knee_pps"));
	assert_null(json_object_get(arm, "knee_hi_pps"));
	assert_true(json_number_value(json_object_get(arm, "knee_lo_pps")) > 240e3);
	assert_null(json_object_get(at(v, "observer", 0), "shift_frac"));
	json_decref(v);
}

static void ledgers_say_what_does_not_close(void **state)
{
	json_t *v = document_of(report_run_one_arm);
	const json_t *open = at(at(v, "trials", 0), "ledgers", 0);
	const json_t *absent = at(at(v, "trials", 1), "ledgers", 0);
	const json_t *sound = at(at(v, "trials", 2), "ledgers", 0);

	(void)state;
	assert_int_equal(json_integer_value(json_object_get(open, "residual")), 7);
	assert_string_equal(
		json_string_value(json_object_get(open, "residual_at")), "sut_out");
	assert_null(json_object_get(absent, "sut_in"));
	assert_int_equal(json_array_size(json_object_get(absent, "not_checkable")), 2);
	assert_int_equal(json_integer_value(json_object_get(sound, "residual")), 0);
	assert_true(json_is_integer(json_object_get(sound, "residual")));
	assert_null(json_object_get(sound, "residual_at"));
	json_decref(v);
}

static void facts_keep_their_types(void **state)
{
	json_t *v = document_of(report_run_hostile);
	const json_t *f = json_object_get(v, "fingerprint");

	(void)state;
	assert_true(json_is_true(json_object_get(f, "virtual")));
	assert_true(json_is_false(json_object_get(f, "bidir")));
	assert_int_equal(json_integer_value(json_object_get(f, "frame_bytes")), 64);
	assert_string_equal(json_string_value(json_object_get(f, "kernel")), "6.1.0");
	assert_string_equal(
		json_string_value(json_object_get(f, "not a number")), "1e");
	json_decref(v);
}

static void a_stored_verdict_is_json(void **state)
{
	struct run *run = report_run_hurts();
	struct analysis a;
	char *text;
	json_t *v;

	(void)state;
	analysis_make(run, &a);
	text = report_json_verdict(run, &a);
	v = json_parse(text);
	assert_string_equal(json_string_value(json_object_get(v, "verdict")), "hurts");
	assert_null(json_object_get(v, "trials"));
	assert_non_null(json_object_get(v, "observer"));
	json_decref(v);
	free(text);
	analysis_done(&a);
	run_free(run);
}

static void a_full_disk_is_an_error(void **state)
{
	struct run *run = report_run_hurts();
	struct analysis a;
	size_t i;

	(void)state;
	analysis_make(run, &a);
	for (i = 0; i < report_list_len; i++) {
		const struct report_options o = { .width = 0 };
		FILE *f = fopen("/dev/full", "w");
		struct sp_err err = { .code = SP_OK };

		assert_non_null(f);
		assert_ptr_equal(report_find(report_list[i]->name), report_list[i]);
		assert_true(strlen(report_list[i]->summary) > 0);
		assert_int_equal(report_list[i]->write(f, run, &a, &o, &err), -SP_EIO);
		(void)fclose(f);
	}
	assert_null(report_find("bogus"));
	analysis_done(&a);
	run_free(run);
}

/* A bare number would look like a finding. */
static void one_block_has_no_shift(void **state)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 200000, 190000 },
		.n_blocks = 1,
		.seed = 13,
		.noise_frac = 0.01,
	};
	struct run *run = run_fixture_make(&f);
	struct analysis a;
	char *text;

	(void)state;
	analysis_make(run, &a);
	text = report_make(run, &a, 1);
	assert_non_null(strstr(text,
		"  sample@997  broken: no interval from 1 block, 6 are needed\n"));
	assert_non_null(strstr(text, "arm off has 1 valid block, 6 are needed"));
	assert_null(strstr(text, "1 blocks"));
	assert_null(strstr(text, "smallest shift"));
	free(text);
	analysis_done(&a);
	run_free(run);
}

/* 0 bit/s would be a rate that nobody measured. */
static void frames_of_unknown_size_have_no_bits(void **state)
{
	struct run *run = report_run_hurts();
	struct analysis a;
	char *text, *no_bits, *line;
	size_t n;

	(void)state;
	analysis_make(run, &a);
	text = report_make(run, &a, 1);
	assert_non_null(strstr(text, "bits/s"));
	assert_non_null(strstr(text, "bit/s\n"));
	run->traffic.mean_frame_bytes = 0;
	no_bits = report_make(run, &a, 1);
	assert_null(strstr(no_bits, "bits/s"));
	assert_null(strstr(no_bits, "bit/s"));
	line = strstr(no_bits, "\n  off  ");
	assert_non_null(line);
	n = strcspn(line + 1, "\n");
	assert_int_equal(line[n], ')'); /* the interval ends it, no blank after */
	free(no_bits);
	free(text);
	analysis_done(&a);
	run_free(run);
}

static void a_selftest_is_as_recorded(void **state)
{
	const struct run_fixture fixture = { .arms = { "off", "again" },
		.capacity_pps = { 200000, 200000 },
		.n_blocks = 20,
		.seed = 15,
		.noise_frac = 0.05 };
	struct run *run = run_fixture_make(&fixture);
	char *path = golden_path("selftest", "txt"), *text = NULL, *golden;
	struct analysis a;
	struct selftest t;
	struct sp_err err;
	size_t n = 0;
	FILE *f = open_memstream(&text, &n);

	(void)state;
	analysis_make(run, &a);
	selftest_make(run, &a, &t);
	assert_int_equal(report_selftest_text(f, run, &a, &t, &looks[1].o, &err), 0);
	assert_int_equal(fclose(f), 0);
	if (getenv("UPDATE_GOLDEN") != NULL)
		golden_write(path, text);
	golden = golden_read(path);
	assert_string_equal(text, golden);
	free(golden);
	free(text);
	free(path);
	analysis_done(&a);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(documents_are_as_recorded),
		cmocka_unit_test(texts_fit_and_end_in_the_verdict),
		cmocka_unit_test(a_bound_is_no_knee),
		cmocka_unit_test(ledgers_say_what_does_not_close),
		cmocka_unit_test(facts_keep_their_types),
		cmocka_unit_test(a_stored_verdict_is_json),
		cmocka_unit_test(a_full_disk_is_an_error),
		cmocka_unit_test(one_block_has_no_shift),
		cmocka_unit_test(frames_of_unknown_size_have_no_bits),
		cmocka_unit_test(a_selftest_is_as_recorded),
	};

	return cmocka_run_group_tests_name("report", tests, NULL, NULL);
}
