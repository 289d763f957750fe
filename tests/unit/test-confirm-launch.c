/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confirmations of how the SUT is launched: what an arm that launches it can force. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "causerun.h"
#include "plan/confirm.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const struct planted launched[] = {
	{ FACT_ENVIRONMENT, "", 0, 0, "A=000001", "A=000002" },
	{ FACT_THREAD_NICE, "fwd", 0, 5, NULL, NULL },
};

/* The only suspect there is. */
static struct confirm_suspect choose(
	const char *arm, const struct planted *list, size_t n)
{
	struct answer w = causerun_answer(arm, -0.12, list, n);
	struct confirm_suspect *s = NULL, first;
	char why[160];

	assert_int_equal(confirm_choose(w.run, &w.a, &s, why, sizeof(why)), 1);
	first = s[0];
	free(s);
	causerun_done(&w);
	return first;
}

/* All of it is forced, and what of it differs is marked. */
static void a_launch_is_forced_as_a_whole(void **state)
{
	struct confirm_suspect s = choose("wrap", launched, N_OF(launched));

	(void)state;
	assert_string_equal(s.why_not, "");
	assert_string_equal(s.arm.name, "off+launch");
	assert_int_equal(s.arm.kind, ARM_OFF);
	assert_true(arm_force_is_launch(&s.arm.force));
	assert_int_equal(s.arm.force.n_parts, 2);
	assert_string_equal(s.arm.force.parts[0].value, "thread_nice");
	assert_string_equal(s.arm.force.parts[1].value, "environment");
}

/* Beside a SUT that runs nothing but its threads' nice values can be set. */
static void a_profiler_beside_it_launches_nothing(void **state)
{
	struct confirm_suspect s = choose("profiler", launched, N_OF(launched));

	(void)state;
	assert_string_equal(s.why_not, "");
	assert_false(arm_force_is_launch(&s.arm.force));
	assert_int_equal(s.arm.force.n_parts, 1);
	assert_string_equal(s.arm.force.parts[0].of, "fwd");
	s = choose("profiler", launched, 1);
	assert_non_null(strstr(s.why_not, "only a nice value"));
}

static void a_tracer_is_not_forced(void **state)
{
	static const struct planted traced[] = {
		{ FACT_TRACED, "", 0, 1, NULL, NULL },
	};
	struct confirm_suspect s = choose("wrap", traced, N_OF(traced));

	(void)state;
	assert_non_null(strstr(s.why_not, "the command that it was launched under"));
}

/* Where nothing could be forced the answer itself says why. */
static void what_was_noted_is_the_answer(void **state)
{
	struct answer w = causerun_answer("profiler", -0.12, launched, N_OF(launched));

	(void)state;
	w.run->config.n_confirm = 1;
	run_add_note(w.run, "something else");
	run_add_note(w.run, CONFIRM_NOTE "launch: cannot be forced here: no right");
	free(w.a.confirmations);
	confirm_judge(w.run, &w.a);
	assert_int_equal(w.a.n_confirmations, 0);
	assert_string_equal(
		w.a.no_confirmation, "launch: cannot be forced here: no right");
	causerun_done(&w);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_launch_is_forced_as_a_whole),
		cmocka_unit_test(a_profiler_beside_it_launches_nothing),
		cmocka_unit_test(a_tracer_is_not_forced),
		cmocka_unit_test(what_was_noted_is_the_answer),
	};

	return cmocka_run_group_tests_name("confirm-launch", tests, NULL, NULL);
}
