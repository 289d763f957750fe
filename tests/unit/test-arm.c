/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arms: what parses to what, and what is refused. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "model/arm.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void accepts(void **state)
{
	static const struct {
		const char *s;
		enum arm_kind kind;
		int hz;
		bool is_sampling;
	} rows[] = {
		{ "off", ARM_OFF, 0, false },
		{ "attach", ARM_ATTACH, 0, false },
		{ "count", ARM_COUNT, 0, false },
		{ "sample@1", ARM_SAMPLE, 1, true },
		{ "sample@997", ARM_SAMPLE, 997, true },
		{ "sample@100000", ARM_SAMPLE, 100000, true },
		{ "perf@997", ARM_PERF, 997, false },
		{ "profiler", ARM_PROFILER, 0, false },
		{ "wrap", ARM_WRAP, 0, false },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		struct sp_err err;
		struct arm a;

		if (arm_parse(rows[i].s, &a, &err) != 0)
			fail_msg("'%s' was refused: %s", rows[i].s, err.msg);
		assert_string_equal(a.name, rows[i].s);
		assert_int_equal(a.kind, rows[i].kind);
		assert_int_equal((int)a.hz, rows[i].hz);
		assert_int_equal(arm_is_sampling(&a), rows[i].is_sampling);
		assert_int_equal(arm_is_outside(&a), rows[i].kind >= ARM_PERF);
	}
}

static void refuses(void **state)
{
	static const char *const rows[] = { "", "of", "offf", "Off", " off", "off ",
		"off@1", "attach@97", "count@", "sample", "sample@", "sample@0",
		"sample@-1", "sample@100001", "sample@1k", "sample@9.5", "sample@997@1",
		"sample@0997", "@997", "samples@997", "perf", "perf@", "perf@0",
		"profiler@97", "wrap@1", "profilers",
		"sample@9999999999999999999999999999999999999999999999999997" };
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		struct arm a = { .name = "kept" };
		struct sp_err err = { .code = SP_OK };

		if (arm_parse(rows[i], &a, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken as '%s'", rows[i], a.name);
		assert_string_equal(a.name, "kept");
		assert_non_null(strstr(err.msg, rows[i]));
	}
}

static void lists(void **state)
{
	static const char *const bad[] = { "", ",", "off,", ",off", "off,,count",
		"off,off", "sample@997,off,sample@997", "off, count", "off;count" };
	struct arm *arms = NULL;
	struct sp_err err;
	size_t n = 0, i;

	(void)state;
	assert_int_equal(arm_list_parse("off", &arms, &n, &err), 0);
	assert_int_equal(n, 1);
	free(arms);
	assert_int_equal(
		arm_list_parse("off,sample@249,sample@997,count", &arms, &n, &err), 0);
	assert_int_equal(n, 4);
	assert_string_equal(arms[0].name, "off");
	assert_string_equal(arms[2].name, "sample@997");
	assert_int_equal(arms[3].kind, ARM_COUNT);
	free(arms);
	arms = NULL;
	n = 99;
	for (i = 0; i < N_OF(bad); i++) {
		if (arm_list_parse(bad[i], &arms, &n, &err) != -SP_EUSAGE)
			fail_msg("'%s' was taken", bad[i]);
		assert_null(arms);
		assert_int_equal(n, 99);
	}
	(void)arm_list_parse("off,off", &arms, &n, &err);
	assert_non_null(strstr(err.msg, "twice"));
}

/* More arms than the first allocation holds. */
static void long_lists_grow(void **state)
{
	char s[1024] = "off";
	struct arm *arms = NULL;
	struct sp_err err;
	size_t n = 0, len = 3;
	int hz;

	(void)state;
	for (hz = 10; hz < 50; hz++) {
		char item[] = ",sample@00";

		item[8] = (char)('0' + hz / 10);
		item[9] = (char)('0' + hz % 10);
		memcpy(s + len, item, sizeof(item));
		len += sizeof(item) - 1;
	}
	assert_int_equal(arm_list_parse(s, &arms, &n, &err), 0);
	assert_int_equal(n, 41);
	for (hz = 10; hz < 50; hz++)
		assert_int_equal((int)arms[hz - 9].hz, hz);
	free(arms);
}

/* A forced arm has a name that nobody types and that a run file can be read by. */
static void forced(void **state)
{
	static const char *const bad[] = { "off+", "off+luck", "+placement",
		"off+ idle", "of+idle", "off+idle+idle" };
	struct arm off, a, b;
	struct sp_err err;
	size_t i;

	(void)state;
	assert_int_equal(arm_parse("sample@498", &off, &err), 0);
	a = arm_force_make(&off, FACTOR_SAMPLING);
	assert_string_equal(a.name, "sample@498+sampling");
	assert_true(a.force.is_forced && a.force.n_parts == 0);
	assert_int_equal(arm_name_parse(a.name, &b, &err), 0);
	assert_string_equal(b.name, a.name);
	assert_int_equal(b.kind, ARM_SAMPLE);
	assert_int_equal((int)b.hz, 498);
	assert_true(b.force.is_forced && b.force.factor == FACTOR_SAMPLING);
	assert_int_equal(arm_name_parse("off", &b, &err), 0);
	assert_false(b.force.is_forced);
	for (i = 0; i < N_OF(bad); i++)
		assert_int_equal(arm_name_parse(bad[i], &b, &err), -SP_EUSAGE);
	assert_int_equal(arm_parse("off+idle", &b, &err), -SP_EUSAGE);
	/* No name is cut so that it would not parse. */
	for (i = 0; i < N_FACTORS; i++) {
		assert_int_equal(arm_parse("sample@100000", &off, &err), 0);
		a = arm_force_make(&off, (enum factor)i);
		assert_int_equal(arm_name_parse(a.name, &b, &err), 0);
		assert_int_equal(b.force.factor, i);
	}
	for (i = 0; i < ARM_FORCE_PARTS_MAX; i++)
		assert_true(arm_force_add(&a, "fwd", NULL, 1));
	assert_false(arm_force_add(&a, "fwd", NULL, 1));
	assert_string_equal(a.force.parts[0].value, "");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(accepts),
		cmocka_unit_test(refuses),
		cmocka_unit_test(lists),
		cmocka_unit_test(long_lists_grow),
		cmocka_unit_test(forced),
	};

	return cmocka_run_group_tests_name("arm", tests, NULL, NULL);
}
