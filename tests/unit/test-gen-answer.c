/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an outside generator answers: taken, or refused with the line quoted. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "gen/gen_answer.h"

#define ASKED 1000
#define RATE  2000.0

static int parse(const char *line, struct gen_answer *a, struct sp_err *err)
{
	return gen_answer_trial(line, strlen(line), ASKED, RATE, a, err);
}

static void assert_refused(const char *line, const char *words)
{
	struct gen_answer a = { .sent = 77 };
	struct sp_err err = { .code = SP_OK };

	assert_int_equal(parse(line, &a, &err), -SP_EBROKEN);
	if (strstr(err.msg, words) == NULL)
		fail_msg("'%s' is not in '%s'", words, err.msg);
	assert_int_equal(a.sent, 77); /* untouched on failure */
}

static void test_taken(void **state)
{
	struct gen_answer a = { 0 };
	struct sp_err err = { .code = SP_OK };

	(void)state;
	assert_int_equal(parse("{\"ok\":true,\"sent\":1000,\"received\":990.0,"
			       "\"window_pps\":1980.5,\"more\":[1]}",
				 &a, &err),
		0);
	assert_int_equal(a.sent, 1000);
	assert_int_equal(a.received, 990);
	assert_true(fabs(a.window_pps - 1980.5) < 1e-9);
	assert_false(a.has_latency);
	assert_int_equal(parse("{\"ok\":true,\"sent\":1010,\"received\":10,"
			       "\"window_pps\":0,\"latency_ns\":{\"p50\":1,\"p99\":2,"
			       "\"p999\":2,\"max\":9}}",
				 &a, &err),
		0);
	assert_true(a.has_latency);
	assert_int_equal(a.latency.max_ns, 9);
	assert_int_equal(a.latency.n, 10);
}

static void test_refused(void **state)
{
	(void)state;
	assert_refused("", "is empty: ''");
	assert_refused("Listening on port 80", "not a JSON object: 'Listening on");
	assert_refused("[1]", "not a JSON object");
	assert_refused("{\"ok\":true,\"ok\":true}", "not a JSON object"); /* twice */
	assert_refused("{\"sent\":1}", "has no \"ok\"");
	assert_refused("{\"ok\":1}", "has no \"ok\"");
	assert_refused("{\"ok\":true}", "\"sent\" missing");
	assert_refused("{\"ok\":true,\"sent\":\"5\"}", "\"sent\" that is not a number");
	assert_refused("{\"ok\":true,\"sent\":null}", "\"sent\" that is not a number");
	assert_refused("{\"ok\":true,\"sent\":-4294967295}", "that is negative");
	assert_refused("{\"ok\":true,\"sent\":1.5}", "not a whole number");
	assert_refused("{\"ok\":true,\"sent\":1e300}", "not a whole number");
	assert_refused("{\"ok\":true,\"sent\":5}", "\"received\" missing");
	assert_refused(
		"{\"ok\":true,\"sent\":5,\"received\":5}", "\"window_pps\" missing");
	assert_refused("{\"ok\":true,\"sent\":5,\"received\":5,\"window_pps\":-0.1}",
		"\"window_pps\" that is negative");
	assert_refused("{\"ok\":true,\"sent\":5,\"received\":6,\"window_pps\":1}",
		"more came back than was sent");
	assert_refused("{\"ok\":true,\"sent\":1100,\"received\":6,\"window_pps\":1}",
		"more was sent than the 1000 packets");
	assert_refused("{\"ok\":true,\"sent\":5,\"received\":5,\"window_pps\":2e6}",
		"more came back each second");
}

static void test_latency_refused(void **state)
{
	(void)state;
	assert_refused("{\"ok\":true,\"sent\":5,\"received\":5,\"window_pps\":1,"
		       "\"latency_ns\":7}",
		"that is not an object");
	assert_refused("{\"ok\":true,\"sent\":5,\"received\":5,\"window_pps\":1,"
		       "\"latency_ns\":{\"p50\":1}}",
		"\"p99\" missing");
	assert_refused("{\"ok\":true,\"sent\":5,\"received\":5,\"window_pps\":1,"
		       "\"latency_ns\":{\"p50\":3,\"p99\":2,\"p999\":4,\"max\":5}}",
		"whose percentiles fall");
}

static void test_its_own_error(void **state)
{
	(void)state;
	assert_refused("{\"ok\":false,\"error\":\"port 3 is \\u001b[1mdown\"}",
		"the generator reports 'port 3 is ?[1mdown'");
	assert_refused("{\"ok\":false}", "is not ok and has no \"error\"");
}

static void test_hello(void **state)
{
	struct sp_err err = { .code = SP_OK };
	const char *fine = "{\"ok\":true,\"schema\":1}", *other = "{\"ok\":true,"
								  "\"schema\":2}";

	(void)state;
	assert_int_equal(gen_answer_hello(fine, strlen(fine), &err), 0);
	assert_int_equal(gen_answer_hello(fine, 0, &err), -SP_EBROKEN);
	assert_int_equal(gen_answer_hello(other, strlen(other), &err), -SP_EBROKEN);
	assert_non_null(strstr(err.msg, "another schema"));
}

static void test_quote(void **state)
{
	char buf[16];

	(void)state;
	gen_answer_quote("a\tb\x80"
			 "c",
		5, buf, sizeof(buf));
	assert_string_equal(buf, "'a?b?c'");
	gen_answer_quote("0123456789abcdef", 16, buf, sizeof(buf));
	assert_string_equal(buf, "'0123456789...'");
	gen_answer_quote("a\0b", 3, buf, sizeof(buf));
	assert_string_equal(buf, "'a?b'");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_taken),
		cmocka_unit_test(test_refused),
		cmocka_unit_test(test_latency_refused),
		cmocka_unit_test(test_its_own_error),
		cmocka_unit_test(test_hello),
		cmocka_unit_test(test_quote),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
