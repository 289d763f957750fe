/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Exports of samples: folded stacks, speedscope, CSV and JSON, each read by another
 * program's rules, with names that are not kind.
 */
#include "config.h"

#include <csv.h>
#include <jansson.h>
#include <regex.h>
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
#include "exportrun.h"

static void a_format_is_found_by_name(void **state)
{
	const struct export_ops *ops = NULL;
	struct sp_err err;
	size_t i;

	(void)state;
	for (i = 0; i < export_list_len; i++) {
		assert_int_equal(export_find(export_list[i]->name, &ops, &err), 0);
		assert_ptr_equal(ops, export_list[i]);
	}
	assert_int_equal(export_find("perf", &ops, &err), -SP_EUSAGE);
	assert_string_equal(err.msg,
		"'perf' is not a format; there are json, csv, folded, pprof, "
		"speedscope, benchfmt, openmetrics, otava, gha");
	assert_int_equal(export_find(NULL, &ops, &err), -SP_EUSAGE);
}

static void the_main_event_is_taken(void **state)
{
	struct exportrun *e = *state;
	const bool none[5] = { true, false, false, false, false };
	uint32_t event = 9;
	size_t others = 9;
	struct sp_err err;

	assert_int_equal(
		export_event_choose(e->run, e->in, NULL, &event, &others, &err), 0);
	assert_string_equal(e->run->events[event].name, "cpu-clock");
	assert_int_equal(others, 1);
	run_set_fact(e->run, "event", "cycles", false);
	assert_int_equal(
		export_event_choose(e->run, e->in, NULL, &event, &others, &err), 0);
	assert_string_equal(e->run->events[event].name, "cycles");
	run_set_fact(e->run, "event", "cycle", false);
	assert_int_equal(
		export_event_choose(e->run, e->in, NULL, &event, &others, &err), 0);
	assert_string_equal(e->run->events[event].name, "cpu-clock");
	assert_int_equal(
		export_event_choose(e->run, e->in, "cycles", &event, &others, &err), 0);
	assert_string_equal(e->run->events[event].name, "cycles");
	assert_int_equal(
		export_event_choose(e->run, e->in, "faults", &event, &others, &err),
		-SP_EUSAGE);
	assert_string_equal(
		err.msg, "no samples of 'faults'; there are some of cpu-clock, cycles");
	assert_int_equal(export_event_choose(e->run, none, NULL, &event, &others, &err),
		-SP_EUSAGE);
	assert_non_null(strstr(err.msg, "no samples"));
}

static void totals_are_of_what_is_meant(void **state)
{
	struct exportrun *e = *state;
	struct export_totals t;

	export_totals_make(&e->input, &t);
	assert_int_equal(t.n_trials, 4);
	assert_int_equal(t.n_sampled, 3);
	assert_int_equal(t.n_samples, 26);
	assert_int_equal(t.weight, 2550);
	e->in[3] = true;
	export_totals_make(&e->input, &t);
	assert_int_equal(t.n_samples, 126);
	e->input.event = 1;
	export_totals_make(&e->input, &t);
	assert_int_equal(t.n_sampled, 1);
	assert_int_equal(t.weight, UINT64_C(7777777777));
}

static void folded_stacks_are_one_line_a_path(void **state)
{
	const struct exportrun *e = *state;
	size_t n;
	char *text = exportrun_write(&export_folded, &e->input, &n);

	assert_string_equal(text, "fwd_1;main;hot 1700\n"
				  "fwd_1;main;a<b>&\"?:_x\xef\xbf\xbd?, 300\n"
				  "fwd_1;main;[libx.so.1] 400\n"
				  "\xef\xbf\xbd:x 100\n"
				  "fwd_1;main 50\n");
	free(text);
}

/* What flamegraph.pl takes apart: a last blank, and a number behind it. */
static void folded_lines_have_no_other_blank(void **state)
{
	const struct run_fixture fixture = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 2e5, 1.9e5 },
		.n_blocks = 3,
		.seed = 7,
		.profile_trials = true,
		.hot_symbol = "operator new(unsigned long) 12 34",
	};
	struct run *run = run_fixture_make(&fixture);
	bool *in = xcalloc(run->n_trials, sizeof(*in));
	struct export_input input = { .run = run, .in = in, .has_samples = true };
	struct export_totals totals;
	uint64_t sum = 0;
	char *text, *line, *rest;
	regex_t re;
	size_t i, n;

	(void)state;
	for (i = 0; i < run->n_trials; i++)
		in[i] = true;
	assert_int_equal(
		regcomp(&re, "^[^ ;]+(;[^ ;]+)* [0-9]+$", REG_EXTENDED | REG_NOSUB), 0);
	text = exportrun_write(&export_folded, &input, &n);
	rest = text;
	while ((line = strsep(&rest, "\n")) != NULL && line[0] != '\0') {
		if (regexec(&re, line, 0, NULL, 0) != 0)
			fail_msg("'%s' is no folded line", line);
		sum += strtoull(strrchr(line, ' '), NULL, 10);
	}
	export_totals_make(&input, &totals);
	assert_true(totals.weight > 0);
	assert_int_equal(sum, totals.weight);
	regfree(&re);
	free(text);
	free(in);
	run_free(run);
}

static json_t *json_of(const char *text, size_t n)
{
	json_error_t e;
	json_t *v = json_loadb(text, n, JSON_REJECT_DUPLICATES, &e);

	if (v == NULL)
		fail_msg("line %d: %s", e.line, e.text);
	return v;
}

static const char *text_at(const json_t *o, const char *key)
{
	const char *s = json_string_value(json_object_get(o, key));

	if (s == NULL)
		fail_msg("no text %s", key);
	return s;
}

static json_int_t count_at(const json_t *o, const char *key)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v))
		fail_msg("no count %s", key);
	return json_integer_value(v);
}

/* What the published schema asks of a sampled profile. */
static void speedscope_profile_check(const json_t *p, size_t n_frames)
{
	const json_t *samples = json_object_get(p, "samples");
	const json_t *weights = json_object_get(p, "weights");
	json_int_t sum = 0;
	size_t i, k;

	assert_string_equal(text_at(p, "type"), "sampled");
	(void)text_at(p, "name");
	assert_true(strcmp(text_at(p, "unit"), "none") == 0 ||
		    strcmp(text_at(p, "unit"), "nanoseconds") == 0);
	assert_true(json_is_array(samples) && json_array_size(samples) > 0);
	assert_int_equal(json_array_size(samples), json_array_size(weights));
	for (i = 0; i < json_array_size(samples); i++) {
		const json_t *stack = json_array_get(samples, i);

		assert_true(json_array_size(stack) > 0);
		for (k = 0; k < json_array_size(stack); k++) {
			assert_true(json_is_integer(json_array_get(stack, k)));
			assert_in_range(json_integer_value(json_array_get(stack, k)), 0,
				n_frames - 1);
		}
		sum += json_integer_value(json_array_get(weights, i));
	}
	assert_int_equal(count_at(p, "startValue"), 0);
	assert_int_equal(count_at(p, "endValue"), sum);
}

/* "fwd 1>main>hot": the names of a stack. */
static char *stack_names(const json_t *frames, const json_t *stack)
{
	char *names = xstrdup("");
	size_t i;

	for (i = 0; i < json_array_size(stack); i++) {
		size_t at = (size_t)json_integer_value(json_array_get(stack, i));
		char *longer = xasprintf("%s%s%s", names, i > 0 ? ">" : "",
			text_at(json_array_get(frames, at), "name"));

		free(names);
		names = longer;
	}
	return names;
}

static void stack_check(const json_t *frames, const json_t *profile, size_t i,
	const char *names, json_int_t weight)
{
	char *got = stack_names(
		frames, json_array_get(json_object_get(profile, "samples"), i));

	assert_string_equal(got, names);
	assert_int_equal(json_integer_value(json_array_get(
				 json_object_get(profile, "weights"), i)),
		weight);
	free(got);
}

static void speedscope_has_a_profile_for_each_arm_and_rate(void **state)
{
	const struct exportrun *e = *state;
	static const char *const names[] = { "sample@997 at 0.85 of its knee",
		"sample@997 at 1.15 of its knee", "sample@997 at 100 kpps" };
	size_t i, n;
	char *text = exportrun_write(&export_speedscope, &e->input, &n);
	json_t *v = json_of(text, n);
	const json_t *frames = json_object_get(json_object_get(v, "shared"), "frames");
	const json_t *profiles = json_object_get(v, "profiles");

	assert_string_equal(text_at(v, "$schema"),
		"https://www.speedscope.app/file-format-schema.json");
	(void)text_at(v, "version");
	for (i = 0; i < json_array_size(frames); i++)
		(void)text_at(json_array_get(frames, i), "name");
	assert_int_equal(json_array_size(profiles), 3);
	for (i = 0; i < 3; i++) {
		const json_t *p = json_array_get(profiles, i);

		speedscope_profile_check(p, json_array_size(frames));
		assert_string_equal(text_at(p, "name"), names[i]);
		assert_string_equal(text_at(p, "unit"), "nanoseconds");
	}
	stack_check(frames, json_array_get(profiles, 0), 0, "fwd 1>main>hot", 1200);
	stack_check(frames, json_array_get(profiles, 0), 1,
		"fwd 1>main>" EXPORTRUN_ODD_CLEAN, 300);
	stack_check(frames, json_array_get(profiles, 0), 3, "\xef\xbf\xbd;x", 100);
	stack_check(frames, json_array_get(profiles, 1), 0, "fwd 1>main>hot", 500);
	stack_check(frames, json_array_get(profiles, 2), 0, "fwd 1>main", 50);
	json_decref(v);
	free(text);
}

static void speedscope_has_no_unit_for_cycles(void **state)
{
	struct exportrun *e = *state;
	size_t n;
	char *text;
	json_t *v;
	const json_t *profiles;

	e->input.event = 1;
	text = exportrun_write(&export_speedscope, &e->input, &n);
	v = json_of(text, n);
	profiles = json_object_get(v, "profiles");
	assert_int_equal(json_array_size(profiles), 1);
	assert_string_equal(text_at(json_array_get(profiles, 0), "unit"), "none");
	assert_int_equal(count_at(json_array_get(profiles, 0), "endValue"), 7777777777);
	json_decref(v);
	free(text);
}

#define CSV_MAX 100

struct csv_rows {
	size_t n, n_rows, width;
	char *fields[CSV_MAX];
};

static void csv_field(void *s, size_t n, void *data)
{
	struct csv_rows *rows = data;

	assert_true(rows->n < CSV_MAX);
	rows->fields[rows->n++] = xasprintf("%.*s", (int)n, (const char *)s);
}

static void csv_row(int c, void *data)
{
	struct csv_rows *rows = data;

	(void)c;
	if (rows->n_rows++ == 0)
		rows->width = rows->n;
	assert_int_equal(rows->n, rows->n_rows * rows->width);
}

static void csv_read(const char *text, size_t n, struct csv_rows *ret)
{
	struct csv_parser p;

	*ret = (struct csv_rows){ .n = 0 };
	assert_int_equal(csv_init(&p, CSV_STRICT | CSV_STRICT_FINI), 0);
	assert_int_equal(csv_parse(&p, text, n, csv_field, csv_row, ret), n);
	assert_int_equal(csv_fini(&p, csv_field, csv_row, ret), 0);
	csv_free(&p);
}

static void csv_rows_done(struct csv_rows *rows)
{
	while (rows->n > 0)
		free(rows->fields[--rows->n]);
}

static void csv_is_what_another_reader_reads(void **state)
{
	static const char *const want[] = { "function", "module", "build_id", "event",
		"unit", "samples", "weight", /* header */
		"hot", "/usr/bin/fwd", "00aa11", "cpu-clock", "ns", "17", "1700", /**/
		"[unknown]", "/usr/lib/libx.so.1", "", "cpu-clock", "ns", "4",
		"400", /**/
		EXPORTRUN_ODD_CLEAN, "[kernel.kallsyms]", "", "cpu-clock", "ns", "3",
		"300",                                                       /**/
		"[unknown]", "[unknown]", "", "cpu-clock", "ns", "1", "100", /**/
		"main", "/usr/bin/fwd", "00aa11", "cpu-clock", "ns", "1", "50" };
	const struct exportrun *e = *state;
	struct csv_rows rows;
	size_t i, n;
	char *text = exportrun_write(&export_csv, &e->input, &n);

	csv_read(text, n, &rows);
	assert_int_equal(rows.n_rows, 6);
	assert_int_equal(rows.n, sizeof(want) / sizeof(want[0]));
	for (i = 0; i < rows.n; i++)
		assert_string_equal(rows.fields[i], want[i]);
	csv_rows_done(&rows);
	free(text);
}

static void json_has_trials_and_functions(void **state)
{
	const struct exportrun *e = *state;
	size_t n;
	char *text = exportrun_write(&export_json, &e->input, &n);
	json_t *v = json_of(text, n);
	const json_t *functions = json_object_get(v, "functions");
	const json_t *trials = json_object_get(v, "trials");
	const json_t *event = json_object_get(v, "event");

	assert_int_equal(count_at(v, "schema"), 1);
	assert_string_equal(text_at(v, "run"), "odd \"run\"\xef\xbf\xbd.satprof");
	assert_int_equal(count_at(event, "samples"), 26);
	assert_int_equal(count_at(event, "weight"), 2550);
	assert_int_equal(count_at(event, "trials"), 3);
	assert_int_equal(json_array_size(functions), 5);
	assert_string_equal(
		text_at(json_array_get(functions, 2), "name"), EXPORTRUN_ODD_CLEAN);
	assert_int_equal(count_at(json_array_get(functions, 2), "weight"), 300);
	assert_int_equal(json_array_size(trials), 4);
	assert_int_equal(count_at(json_array_get(trials, 1), "id"), 2);
	assert_string_equal(text_at(json_array_get(trials, 1), "arm"), "sample@997");
	assert_string_equal(text_at(json_array_get(trials, 1), "kind"), "profile");
	assert_null(json_object_get(json_array_get(trials, 1), "loss_frac"));
	assert_int_equal(
		count_at(json_array_get(
				 json_object_get(json_array_get(trials, 1), "ledgers"),
				 0),
			"sut_in"),
		2000);
	json_decref(v);
	free(text);
}

static void json_does_without_samples(void **state)
{
	struct exportrun *e = *state;
	size_t n;
	char *text;
	json_t *v;

	e->input.has_samples = false;
	text = exportrun_write(&export_json, &e->input, &n);
	v = json_of(text, n);
	assert_null(json_object_get(v, "functions"));
	assert_null(json_object_get(v, "event"));
	assert_int_equal(json_array_size(json_object_get(v, "trials")), 4);
	json_decref(v);
	free(text);
}

/* A disk that is full: every format says so. */
static void a_full_disk_is_an_error(void **state)
{
	struct exportrun *e = *state;
	struct sp_err err;
	size_t i;

	for (i = 0; i < export_list_len; i++) {
		FILE *f = fopen("/dev/full", "w");

		if (export_list[i]->needs == EXPORT_NEEDS_ANALYSIS) {
			assert_int_equal(fclose(f), 0);
			continue;
		}
		assert_non_null(f);
		assert_int_equal(export_list[i]->write(f, &e->input, &err), -SP_EIO);
		assert_non_null(strstr(err.msg, "No space left"));
		(void)fclose(f);
	}
}

#define WITH_RUN(f) cmocka_unit_test_setup_teardown(f, exportrun_open, exportrun_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_format_is_found_by_name),
		WITH_RUN(the_main_event_is_taken),
		WITH_RUN(totals_are_of_what_is_meant),
		WITH_RUN(folded_stacks_are_one_line_a_path),
		cmocka_unit_test(folded_lines_have_no_other_blank),
		WITH_RUN(speedscope_has_a_profile_for_each_arm_and_rate),
		WITH_RUN(speedscope_has_no_unit_for_cycles),
		WITH_RUN(csv_is_what_another_reader_reads),
		WITH_RUN(json_has_trials_and_functions),
		WITH_RUN(json_does_without_samples),
		WITH_RUN(a_full_disk_is_an_error),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
