/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The outside generator's back end, with shell scripts as generators. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "gen/gen_line.h"
#include "gen/generator.h"
#include "keeperhelp.h"

#define OK_LINE "echo '{\"ok\":true}'; "
#define ANSWER                                                                         \
	"echo '{\"ok\":true,\"sent\":90,\"received\":80,\"window_pps\":777.25}'; "

static const struct traffic traffic = { .mean_frame_bytes = 64 };

static int open_script(
	struct keeper *k, const char *script, void **ret_gen, struct sp_err *err)
{
	struct gen_config cfg = {
		.traffic = &traffic,
		.cpu_gen = -1,
		.cpu_recv = -1,
		.command = script,
		.keeper = k,
	};

	return gen_external.open(&cfg, ret_gen, err);
}

static int trial(void *gen, struct gen_result *r, struct sp_err *err)
{
	const struct gen_trial spec = {
		.rate_pps = 1000, .duration_ns = 100 * NS_PER_MS, .burst = 1
	};

	return gen_external.trial(gen, &spec, r, err);
}

static void assert_says(const struct sp_err *err, const char *words)
{
	if (strstr(err->msg, words) == NULL)
		fail_msg("'%s' is not in '%s'", words, err->msg);
}

static void test_trial_and_goodbye(void **state)
{
	struct sp_err err = { .code = SP_OK };
	struct gen_result r = { 0 };
	void *gen = NULL;
	/* Each request as it should be, and the goodbye before the end. */
	const char *script =
		"read a; [ \"$a\" = '{\"op\":\"hello\",\"schema\":1}' ] || exit 9; " OK_LINE
		"read b; [ \"$b\" = '{\"op\":\"trial\",\"rate_pps\":1000,"
		"\"seconds\":0.1,\"frame_bytes\":64,\"trial\":1}' ] || exit 8; " ANSWER
		"read c; [ \"$c\" = '{\"op\":\"bye\"}' ] || exit 7; " OK_LINE;

	assert_int_equal(open_script(*state, script, &gen, &err), 0);
	assert_int_equal(trial(gen, &r, &err), 0);
	assert_int_equal(r.dirs[0].intended, 100);
	assert_int_equal(r.dirs[0].unsent, 10);
	assert_int_equal(r.dirs[0].accepted, 90);
	assert_int_equal(r.dirs[0].unique, 80);
	assert_true(r.dirs[0].outside);
	assert_int_equal(r.window_pkts, 58); /* 777.25 x 0.075 s */
	assert_true(fabs((double)r.window_pkts * 1e9 / (double)r.window_ns - 777.25) <
		    0.001);
	gen_external.close(gen);
}

static void test_death(void **state)
{
	const struct timespec a_while = { .tv_nsec = 300 * 1000 * 1000 };
	struct sp_err err = { .code = SP_OK };
	struct gen_result r = { 0 };
	void *gen = NULL;

	assert_int_equal(
		open_script(*state, "no-such-program --x", &gen, &err), -SP_EUSAGE);
	assert_says(&err, "no-such-program --x) exited with status 127");
	assert_int_equal(
		open_script(*state, "echo no card >&2; exit 3", &gen, &err), -SP_EENV);
	assert_says(&err, "status 3 before it answered \"hello\"; its last words: no "
			  "card");
	assert_int_equal(
		open_script(*state,
			"read a; " OK_LINE "read b; echo smoke >&2; kill -9 $$", &gen,
			&err),
		0);
	assert_int_equal(trial(gen, &r, &err), -SP_EBROKEN);
	assert_says(&err,
		"was ended by signal 9 before it answered \"trial\"; its last "
		"words: smoke");
	/* It stays so. */
	assert_int_equal(trial(gen, &r, &err), -SP_EBROKEN);
	gen_external.close(gen);
	/* Gone before it is asked. */
	assert_int_equal(
		open_script(*state, "read a; " OK_LINE "exit 3", &gen, &err), 0);
	assert_int_equal(nanosleep(&a_while, NULL), 0);
	assert_int_equal(trial(gen, &r, &err), -SP_EBROKEN);
	assert_says(&err, "exited with status 3 before it answered \"trial\"");
	gen_external.close(gen);
}

static void test_unasked(void **state)
{
	struct sp_err err = { .code = SP_OK };
	struct gen_result r = { 0 };
	void *gen = NULL;

	assert_int_equal(
		open_script(*state, "read a; echo hi; cat >&2", &gen, &err), -SP_EENV);
	assert_says(&err, "not a JSON object: 'hi'");
	assert_int_equal(
		open_script(*state, "read a; echo '{\"ok\":true}\nmore'; read b; cat",
			&gen, &err),
		0);
	assert_int_equal(trial(gen, &r, &err), -SP_EBROKEN);
	assert_says(&err, "a line it was not asked for: 'more'");
	gen_external.close(gen);
}

static void test_stop(void **state)
{
	volatile sig_atomic_t stop = 0;
	struct gen_config cfg = { .traffic = &traffic,
		.cpu_gen = -1,
		.cpu_recv = -1,
		.stop = &stop,
		.keeper = *state,
		.command = "trap 'exit 0' TERM; read a; " OK_LINE
			   "read b; while :; do sleep 0.1; done" };
	struct sp_err err = { .code = SP_OK };
	struct gen_result r = { 0 };
	void *gen = NULL;

	assert_int_equal(gen_external.open(&cfg, &gen, &err), 0);
	stop = 1;
	assert_int_equal(trial(gen, &r, &err), 0);
	assert_true(r.stopped);
	gen_external.close(gen);
}

static void test_silence_and_length(void **state)
{
	struct gen_line c = { .keeper = *state, .command = "echo '{' >&2; sleep 60" };
	struct sp_err err = { .code = SP_OK };
	const char *line;
	size_t len;

	assert_int_equal(gen_line_start(&c, NULL, 0, &err), 0);
	assert_int_equal(gen_line_read(&c, "hello", 300 * NS_PER_MS, &line, &len, &err),
		-SP_ETIMEDOUT);
	assert_says(&err, "did not answer \"hello\" within 0.3 s; its last words: {");
	gen_line_end(&c, 0);
	c.command = "yes | tr -d '\\n'";
	assert_int_equal(gen_line_start(&c, NULL, 0, &err), 0);
	assert_int_equal(gen_line_read(&c, "hello", 10 * NS_PER_S, &line, &len, &err),
		-SP_EBROKEN);
	assert_says(&err, "a line of more than 8192 bytes: 'yyy");
	gen_line_end(&c, 0);
	gen_line_end(&c, 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_trial_and_goodbye),
		cmocka_unit_test(test_death),
		cmocka_unit_test(test_unasked),
		cmocka_unit_test(test_stop),
		cmocka_unit_test(test_silence_and_length),
	};

	return cmocka_run_group_tests(
		tests, keeperhelp_setup_weak, keeperhelp_teardown);
}
