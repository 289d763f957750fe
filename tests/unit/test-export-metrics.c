/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Exports of numbers: what trend and benchmark tools read, and what they must not get.
 */
#include "config.h"

#include <jansson.h>
#include <math.h>
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
#include "codec/export_metrics.h"
#include "exportrun.h"

struct box {
	struct run *run;
	struct analysis analysis;
	struct export_input input;
};

/* Knees of 200 and 190 kpps, CPU time of 4650 and 4895 ns a packet. */
static void box_open(struct box *b, uint32_t n_blocks)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 200000, 190000 },
		.n_blocks = n_blocks,
		.seed = 3,
		.noise_frac = 0.005,
	};

	b->run = run_fixture_make(&f);
	analysis_make(b->run, &b->analysis);
	b->input = (struct export_input){ .run = b->run, .analysis = &b->analysis };
}

static void box_close(struct box *b)
{
	analysis_done(&b->analysis);
	run_free(b->run);
}

/* Latency of one block's two trials of an arm: p50 of 1000 and 9000 ns, and more. */
static void latency_add(struct run *r, uint32_t arm, uint32_t block, uint64_t ns)
{
	static const double loads[] = { 0.5, 0.9 };
	size_t i;

	for (i = 0; i < 2; i++) {
		struct trial t = { .spec = r->trials[0].spec, .segment = 1 };

		t.spec.id = (uint32_t)r->n_trials + 1;
		t.spec.block = block;
		t.spec.arm = arm;
		t.spec.kind = TRIAL_LATENCY;
		t.spec.rel_rate = loads[i];
		t.valid = true;
		t.has_latency = true;
		t.latency = (struct latency_summary){ 100, ns + i, 2 * ns + i,
			3 * ns + i, 4 * ns + i };
		t.loss_frac = t.window_pps = t.cpu_ns_per_pkt = (double)NAN;
		run_add_trial(r, &t);
	}
}

/* Each line matches, as a whole. */
static size_t lines_check(const char *text, const char *pattern)
{
	char *copy = xstrdup(text), *rest = copy, *line;
	regex_t re;
	size_t n = 0;

	assert_int_equal(regcomp(&re, pattern, REG_EXTENDED | REG_NOSUB), 0);
	while ((line = strsep(&rest, "\n")) != NULL) {
		if (line[0] == '\0') {
			assert_null(rest); /* only behind the last line end */
			break;
		}
		if (regexec(&re, line, 0, NULL, 0) != 0)
			fail_msg("'%s' is not what the format has", line);
		n++;
	}
	regfree(&re);
	free(copy);
	return n;
}

static size_t count_of(const char *text, const char *part)
{
	size_t n = 0;

	for (; (text = strstr(text, part)) != NULL; text += strlen(part))
		n++;
	return n;
}

/* The grammar of golang.org/design/14313-benchmark-format, and units of benchunit. */
static void benchfmt_has_a_line_an_arm_and_block(void **state)
{
	struct box b;
	size_t n;
	char *text;

	(void)state;
	box_open(&b, 8);
	text = exportrun_write(&export_benchfmt, &b.input, &n);
	(void)lines_check(text, "^([a-z][^[:space:][:upper:]]*: .+"
				"|Unit [^ ]+ better=(higher|lower) assume=nothing"
				"|Benchmark[A-Z][^[:space:]]* 1( [0-9.e+-]+ [^ ]+)+)$");
	assert_int_equal(count_of(text, "\nBenchmarkSaturation/arm=off 1 "), 8);
	assert_int_equal(count_of(text, "\nBenchmarkSaturation/arm=sample@997 1 "), 8);
	assert_int_equal(count_of(text, " knee-packets/s "), 16 + 1);
	assert_non_null(strstr(text, "\nUnit knee-packets/s better=higher "));
	assert_non_null(strstr(text, "\nUnit cpu-ns/packet better=lower "));
	assert_int_equal(count_of(text, "\nUnit "), 2);
	assert_non_null(strstr(text, "\ncpu: Made Up CPU @ 2.00GHz\n"));
	free(text);
	box_close(&b);
}

/* The value of a sample of an OpenMetrics text. */
static double sample_of(const char *text, const char *name)
{
	const char *at = strstr(text, name);
	char *end;
	double v;

	if (at == NULL)
		fail_msg("no sample %s", name);
	v = strtod(at + strlen(name), &end);
	assert_int_equal(*end, '\n');
	return v;
}

static void openmetrics_ends_and_its_names_have_units(void **state)
{
	const char *tail = "# EOF\n";
	struct box b;
	size_t n;
	char *text;

	(void)state;
	box_open(&b, 8);
	latency_add(b.run, 0, 1, 1000);
	latency_add(b.run, 0, 2, 3000);
	latency_add(b.run, 0, 3, 2000);
	text = exportrun_write(&export_openmetrics, &b.input, &n);
	assert_string_equal(text + n - strlen(tail), tail);
	(void)lines_check(text,
		"^(# TYPE [a-z_]+ gauge|# UNIT [a-z_]+_seconds seconds"
		"|# UNIT [a-z_]+_packets_per_second packets_per_second"
		"|# UNIT [a-z_]+_seconds_per_packet seconds_per_packet"
		"|# HELP [a-z_]+ .+|# EOF"
		"|[a-z_]+\\{arm=\"[^\"]+\"(,[a-z]+=\"[0-9.]+\")*\\} [0-9.]+)$");
	assert_true(
		fabs(sample_of(text, "satprof_knee_packets_per_second{arm=\"off\"} ") -
			200000) < 2000);
	assert_true(fabs(sample_of(text, "satprof_cpu_seconds_per_packet"
					 "{arm=\"sample@997\"} ") -
			    4.89e-6) < 0.02e-6);
	/* The median of 1, 3 and 2 us, and 1 ns more at the higher load. */
	assert_true(fabs(sample_of(text, "satprof_latency_seconds{arm=\"off\","
					 "quantile=\"0.99\",load=\"0.5\"} ") -
			    4e-6) < 1e-9);
	assert_int_equal(count_of(text, "# TYPE satprof_latency_seconds "), 1);
	assert_int_equal(count_of(text, "\nsatprof_latency_seconds{"), 6);
	free(text);
	box_close(&b);
}

/* Two runs that differ by less than their intervals read alike. */
static void numbers_are_rounded_to_their_interval(void **state)
{
	const struct export_metric m = {
		.value = 203456.7, .lo = 199000, .hi = 208000
	};
	const struct export_metric none = {
		.value = 4651.37, .lo = (double)NAN, .hi = (double)NAN
	};
	const struct export_metric sharp = { .value = 5, .lo = 4.95, .hi = 5.05 };
	char buf[64];

	(void)state;
	assert_string_equal(
		export_metric_round(buf, sizeof(buf), &m, 1, m.value), "203000");
	assert_string_equal(
		export_metric_round(buf, sizeof(buf), &m, 1, m.lo), "199000");
	assert_string_equal(
		export_metric_round(buf, sizeof(buf), &none, 1, none.value), "4650");
	assert_string_equal(
		export_metric_round(buf, sizeof(buf), &none, 1e-9, none.value),
		"0.00000465");
	assert_string_equal(
		export_metric_round(buf, sizeof(buf), &sharp, 1, 5.016), "5.02");
}

static void otava_has_a_column_a_number(void **state)
{
	const char *head = "\"time\",\"run\",\"off.knee_pps\",\"sample@997.knee_pps\","
			   "\"off.cpu_ns_per_pkt\",\"sample@997.cpu_ns_per_pkt\"\n"
			   "\"2024-05-06T07:08:09Z\",\"made-up.satprof\",";
	struct box b;
	size_t n;
	char *text;

	(void)state;
	box_open(&b, 8);
	text = exportrun_write(&export_otava, &b.input, &n);
	assert_int_equal(strncmp(text, head, strlen(head)), 0);
	assert_int_equal(lines_check(text,
				 "^\"[^\"]+\",\"[^\"]+\"(,(\"[^\"]+\"|[0-9.e+]+)){4}$"),
		2);
	free(text);
	box_close(&b);
}

static json_t *gha_of(struct box *b, enum export_better better)
{
	size_t n;
	char *text;
	json_t *v;

	b->input.better = better;
	text = exportrun_write(&export_gha, &b->input, &n);
	v = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	assert_true(json_is_array(v));
	free(text);
	return v;
}

static void gha_has_one_direction_a_file(void **state)
{
	struct box b;
	json_t *v;
	size_t i;

	(void)state;
	box_open(&b, 8);
	v = gha_of(&b, EXPORT_HIGHER_IS_BETTER);
	assert_int_equal(json_array_size(v), 2);
	for (i = 0; i < 2; i++) {
		const json_t *o = json_array_get(v, i);

		assert_string_equal(json_string_value(json_object_get(o, "name")),
			i == 0 ? "off knee_pps" : "sample@997 knee_pps");
		assert_string_equal(
			json_string_value(json_object_get(o, "unit")), "packets/s");
		assert_true(fabs(json_number_value(json_object_get(o, "value")) /
					    (i == 0 ? 2e5 : 1.9e5) -
				    1) < 0.01);
		assert_non_null(
			strstr(json_string_value(json_object_get(o, "range")), ".."));
		assert_string_equal(
			json_string_value(json_object_get(o, "extra")), "8 blocks");
	}
	json_decref(v);
	v = gha_of(&b, EXPORT_LOWER_IS_BETTER);
	assert_int_equal(json_array_size(v), 2);
	assert_string_equal(
		json_string_value(json_object_get(json_array_get(v, 0), "unit")),
		"ns/packet");
	json_decref(v);
	box_close(&b);
}

/* Too few blocks are a broken run, and a bound is no number. */
static void what_is_not_valid_has_no_numbers(void **state)
{
	struct export_metrics all;
	struct sp_err err;
	struct box b;

	(void)state;
	box_open(&b, 3);
	assert_int_equal(b.analysis.verdict, VERDICT_BROKEN);
	assert_int_equal(export_metrics_make(&b.input, &all, &err), -SP_EBROKEN);
	box_close(&b);
}

static void a_bound_is_no_number(void **state)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 200000, 900000 },
		.center_pps = { 0, 200000 },
		.n_blocks = 8,
		.seed = 3,
		.noise_frac = 0.005,
	};
	struct export_metrics all;
	struct sp_err err;
	struct box b;
	size_t i;

	(void)state;
	b.run = run_fixture_make(&f);
	analysis_make(b.run, &b.analysis);
	b.input = (struct export_input){ .run = b.run, .analysis = &b.analysis };
	assert_int_equal(b.analysis.arms[1].bound, HINGE_ABOVE_MAX);
	assert_int_equal(export_metrics_make(&b.input, &all, &err), 0);
	for (i = 0; i < all.n; i++)
		assert_true(
			all.metrics[i].kind != METRIC_KNEE || all.metrics[i].arm == 0);
	assert_true(all.n > 0);
	export_metrics_done(&all);
	box_close(&b);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(benchfmt_has_a_line_an_arm_and_block),
		cmocka_unit_test(openmetrics_ends_and_its_names_have_units),
		cmocka_unit_test(numbers_are_rounded_to_their_interval),
		cmocka_unit_test(otava_has_a_column_a_number),
		cmocka_unit_test(gha_has_one_direction_a_file),
		cmocka_unit_test(what_is_not_valid_has_no_numbers),
		cmocka_unit_test(a_bound_is_no_number),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
