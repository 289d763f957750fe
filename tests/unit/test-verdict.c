/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Words and exit codes are a contract with scripts: written out here once more. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "model/verdict.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const struct {
	enum verdict verdict;
	const char *word;
	int code;
} contract[] = {
	{ VERDICT_NONE, "none", 0 },
	{ VERDICT_HELPS, "helps", 0 },
	{ VERDICT_HURTS, "hurts", 0 },
	{ VERDICT_MEASURED, "measured", 0 },
	{ VERDICT_INCONCLUSIVE, "inconclusive", 3 },
	{ VERDICT_NO_KNEE, "no-knee", 3 },
	{ VERDICT_BROKEN, "broken", 6 },
	{ VERDICT_OK, "ok", 0 },
	{ VERDICT_NOISY, "noisy", 3 },
	{ VERDICT_BIASED, "biased", 6 },
};

static void words_and_codes(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(contract); i++) {
		assert_string_equal(
			verdict_word(contract[i].verdict), contract[i].word);
		assert_int_equal(verdict_parse(contract[i].word), contract[i].verdict);
		assert_int_equal(
			verdict_exit_code(contract[i].verdict), contract[i].code);
	}
}

/* A run that has no verdict is never a success. */
static void no_verdict_is_not_a_pass(void **state)
{
	(void)state;
	assert_int_equal(verdict_exit_code(VERDICT_UNSET), 6);
	assert_int_equal(verdict_exit_code((enum verdict)9999), 6);
	assert_non_null(verdict_word((enum verdict)9999));
	assert_int_equal(verdict_parse("unset"), VERDICT_UNSET);
	assert_int_equal(verdict_parse(""), VERDICT_UNSET);
	assert_int_equal(verdict_parse("None"), VERDICT_UNSET);
	assert_int_equal(verdict_parse("none "), VERDICT_UNSET);
}

static void errors_to_codes(void **state)
{
	static const struct {
		enum sp_errcode err;
		int code;
	} rows[] = {
		{ SP_OK, 0 },
		{ SP_EUSAGE, 2 },
		{ SP_EIO, 2 },
		{ SP_EFORMAT, 2 },
		{ SP_EENV, 7 },
		{ SP_EPERM, 7 },
		{ SP_EBROKEN, 6 },
		{ SP_ETIMEDOUT, 6 },
		{ SP_EINTR, 128 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		const struct sp_err err = { .code = rows[i].err };

		assert_int_equal(verdict_exit_code_of_err(&err), rows[i].code);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(words_and_codes),
		cmocka_unit_test(no_verdict_is_not_a_pass),
		cmocka_unit_test(errors_to_codes),
	};

	return cmocka_run_group_tests_name("verdict", tests, NULL, NULL);
}
