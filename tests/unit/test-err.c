/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The error type: codes, context, cutting, and its own message as an argument. */
#include "config.h"

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"

static void set_returns_the_negative_code(void **state)
{
	struct sp_err err = { .code = SP_OK, .sys_errno = EIO };

	(void)state;
	assert_int_equal(
		sp_err_set(&err, SP_EFORMAT, "line %d: %s", 3, "no tab"), -SP_EFORMAT);
	assert_int_equal(err.code, SP_EFORMAT);
	assert_int_equal(err.sys_errno, 0); /* not left over */
	assert_string_equal(err.msg, "line 3: no tab");
}

static void errno_is_told_in_words(void **state)
{
	struct sp_err err;

	(void)state;
	assert_int_equal(
		sp_err_errno(&err, SP_EPERM, EACCES, "open cpu %d", 3), -SP_EPERM);
	assert_int_equal(err.sys_errno, EACCES);
	assert_string_equal(err.msg, "open cpu 3: Permission denied");
	(void)sp_err_errno(&err, SP_EIO, EMFILE, "open");
	assert_int_equal(err.sys_errno, EMFILE);
	assert_non_null(strstr(err.msg, "ulimit -n"));
	(void)sp_err_errno(&err, SP_EIO, ENFILE, "open");
	assert_non_null(strstr(err.msg, "fs.file-max"));
}

static void context_goes_in_front(void **state)
{
	struct sp_err err;

	(void)state;
	(void)sp_err_errno(&err, SP_EIO, ENOSPC, "write");
	assert_int_equal(sp_err_push(&err, "run file '%s'", "a.satprof"), -SP_EIO);
	assert_int_equal(sp_err_push(&err, "trial %d", 7), -SP_EIO);
	assert_string_equal(err.msg,
		"trial 7: run file 'a.satprof': write: No space left on device");
	assert_int_equal(err.sys_errno, ENOSPC);
}

static void a_long_message_is_cut(void **state)
{
	struct sp_err err;
	char long_text[2000];
	int i;

	(void)state;
	memset(long_text, 'x', sizeof(long_text) - 1);
	long_text[sizeof(long_text) - 1] = '\0';
	(void)sp_err_errno(&err, SP_EIO, EIO, "%s", long_text);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	(void)sp_err_set(&err, SP_EIO, "root cause");
	for (i = 0; i < 300; i++)
		(void)sp_err_push(&err, "ctx%d", i);
	assert_int_equal(strlen(err.msg), sizeof(err.msg) - 1);
	assert_int_equal(strncmp(err.msg, "ctx299: ctx298: ", 16), 0);
}

static void its_own_message_may_be_an_argument(void **state)
{
	struct sp_err err;

	(void)state;
	(void)sp_err_set(&err, SP_EIO, "disk");
	(void)sp_err_set(&err, SP_EBROKEN, "run ended: %s", err.msg);
	assert_string_equal(err.msg, "run ended: disk");
	(void)sp_err_errno(&err, SP_EIO, EIO, "again (%s)", err.msg);
	assert_string_equal(err.msg, "again (run ended: disk): Input/output error");
	(void)sp_err_push(&err, "%.5s", err.msg);
	assert_string_equal(
		err.msg, "again: again (run ended: disk): Input/output error");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(set_returns_the_negative_code),
		cmocka_unit_test(errno_is_told_in_words),
		cmocka_unit_test(context_goes_in_front),
		cmocka_unit_test(a_long_message_is_cut),
		cmocka_unit_test(its_own_message_may_be_an_argument),
	};

	return cmocka_run_group_tests_name("err", tests, NULL, NULL);
}
