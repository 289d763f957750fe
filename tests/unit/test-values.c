/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The list of known numbers. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "stat/values.h"

static void test_unknown_leaves_no_trace(void **state)
{
	struct values l = { 0 };

	(void)state;
	assert_true(isnan(values_median(&l)));
	values_add(&l, (double)NAN);
	values_add(&l, (double)INFINITY);
	assert_int_equal(l.n, 0);
	assert_true(isnan(values_median(&l)));
	values_done(&l);
}

static void test_median(void **state)
{
	struct values l = { 0 };
	int i;

	(void)state;
	for (i = 100; i >= 0; i--)
		values_add(&l, i);
	assert_true(fabs(values_median(&l) - 50) < 1e-12);
	values_add(&l, 1e9);
	assert_true(fabs(values_median(&l) - 50.5) < 1e-12);
	values_done(&l);
	assert_int_equal(l.n, 0);
	assert_null(l.v);
	values_done(&l);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_unknown_leaves_no_trace),
		cmocka_unit_test(test_median),
	};

	return cmocka_run_group_tests_name("values", tests, NULL, NULL);
}
