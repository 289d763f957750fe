/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Lists and masks as the kernel writes them (Documentation/admin-guide/cputopology.rst,
 * bitmap_parselist(), the affinity files of /proc/irq). */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/cpulist.h"

static void check_list(const char *text, const char *want)
{
	struct cpulist l = { 0 };
	char buf[64];

	assert_true(cpulist_parse(text, &l));
	assert_string_equal(cpulist_format(&l, buf, sizeof(buf)), want);
	cpulist_done(&l);
}

static void test_lists(void **state)
{
	static const char *const bad[] = { "a", "1-", "3-1", "1,", ",1", "1,,2", "1 2",
		"(null)", "-1", "8192", "99999999999999999999" };
	struct cpulist l = { 0 };
	size_t i;

	(void)state;
	check_list("0-3,8\n", "0-3,8");
	check_list("8,0-3", "0-3,8");
	check_list("0-1", "0-1");
	check_list("5,3,3-4", "3-5");
	check_list("", "");
	check_list("\n", "");
	check_list("8191", "8191");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(cpulist_parse(bad[i], &l));
	assert_int_equal(l.n, 0); /* what does not parse leaves nothing */
}

static void check_mask(const char *text, const char *list, const char *again)
{
	struct cpulist l = { 0 };
	char buf[64], *mask;

	assert_true(cpulist_parse_mask(text, &l));
	assert_string_equal(cpulist_format(&l, buf, sizeof(buf)), list);
	mask = cpulist_format_mask(&l);
	assert_string_equal(mask, again);
	free(mask);
	cpulist_done(&l);
}

static void test_masks(void **state)
{
	static const char *const bad[] = { "", "g", "1,2", "ff,0000001", ",00000001",
		"000000001", "0x1", "1 1" };
	struct cpulist l = { 0 };
	size_t i;

	(void)state;
	check_mask("0\n", "", "0");
	check_mask("3", "0-1", "3");
	check_mask("00000000,00000000", "", "0");
	check_mask("00000001,80000001", "0,31-32", "1,80000001");
	check_mask("F0", "4-7", "f0");
	check_mask("ff,00000000,00000000", "64-71", "ff,00000000,00000000");
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_false(cpulist_parse_mask(bad[i], &l));
	assert_int_equal(l.n, 0);
}

static void test_sets(void **state)
{
	struct cpulist a = { 0 }, b = { 0 };
	char buf[6];

	(void)state;
	assert_true(cpulist_is_within(&a, &b));
	cpulist_add(&a, 7);
	cpulist_add(&a, 3);
	cpulist_add(&a, 7);
	cpulist_add(&a, -1);
	cpulist_add(&a, CPULIST_MAX);
	assert_int_equal(a.n, 2);
	assert_true(cpulist_has(&a, 3));
	assert_false(cpulist_has(&a, 4));
	assert_false(cpulist_is_within(&a, &b));
	assert_true(cpulist_parse("0-7", &b));
	assert_true(cpulist_is_within(&a, &b));
	cpulist_add_all(&a, &b);
	assert_int_equal(a.n, 8);
	assert_true(cpulist_parse("100,200,300", &a));
	/* cut, and ended */
	assert_string_equal(cpulist_format(&a, buf, sizeof(buf)), "0-7,1");
	cpulist_done(&a);
	cpulist_done(&b);
	assert_int_equal(a.n, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_masks),
		cmocka_unit_test(test_sets),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
