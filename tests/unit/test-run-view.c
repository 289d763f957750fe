/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases of a run as runs of their own. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>

#include "../fixture/run_fixture.h"
#include "model/run_view.h"

/* Three arms in two blocks, then two confirmations: of arm 2 and of arm 1, with one
 * trial of each of their arms. */
static struct run *make_run(void)
{
	const struct run_fixture f = {
		.arms = { "off", "count", "sample@997" },
		.capacity_pps = { 2e5, 2e5, 2e5 },
		.n_blocks = 2,
		.seed = 1,
		.profile_trials = true,
	};
	struct run *r = run_fixture_make(&f);
	uint32_t phase, i;

	for (phase = 1; phase <= 2; phase++) {
		struct arm a = arm_force_make(
			&r->arms[0], phase == 1 ? FACTOR_PLACEMENT : FACTOR_IDLE);
		uint32_t arms[3];

		a.force.phase = phase;
		a.force.arm = 3 - phase;
		(void)arm_force_add(&a, "fwd", "1", (double)NAN);
		run_add_arm(r, &a);
		arms[0] = 0;
		arms[1] = a.force.arm;
		arms[2] = (uint32_t)r->n_arms - 1;
		for (i = 0; i < 3; i++) {
			struct trial t = { .spec = { .id = (uint32_t)r->n_trials + 1,
						   .phase = phase,
						   .block = 1,
						   .arm = arms[i] } };

			run_add_trial(r, &t);
		}
	}
	return r;
}

static void the_sweep_is_what_is_not_forced(void **state)
{
	struct run *r = make_run();
	struct run_view v;

	(void)state;
	assert_int_equal(run_view_n_confirmations(r), 2);
	run_view_make(r, 0, &v);
	assert_int_equal(v.run.n_arms, 3);
	assert_int_equal(v.run.n_trials, r->n_trials - 6);
	assert_ptr_equal(v.run.trials, r->trials); /* others may point to them */
	assert_ptr_equal(v.run.profile, r->profile);
	run_view_done(&v);
	run_free(r);
}

static void a_confirmation_has_three_arms(void **state)
{
	struct run *r = make_run();
	struct run_view v;
	uint32_t phase, i;

	(void)state;
	for (phase = 1; phase <= 2; phase++) {
		run_view_make(r, phase, &v);
		assert_int_equal(v.run.n_arms, N_VIEW_ARMS);
		assert_string_equal(v.run.arms[VIEW_OFF].name, "off");
		assert_string_equal(
			v.run.arms[VIEW_ON].name, phase == 1 ? "sample@997" : "count");
		assert_string_equal(v.run.arms[VIEW_FORCED].name,
			phase == 1 ? "off+placement" : "off+idle");
		assert_int_equal(v.run.n_trials, 3);
		for (i = 0; i < 3; i++) {
			assert_int_equal(v.run.trials[i].spec.arm, i);
			assert_int_equal(v.run.trials[i].spec.phase, phase);
		}
		assert_int_equal(v.arm_of[VIEW_ON], 3 - phase);
		assert_int_equal(v.arm_of[VIEW_FORCED], 2 + phase);
		assert_ptr_equal(
			run_view_forced(r, phase), &r->arms[v.arm_of[VIEW_FORCED]]);
		run_view_done(&v);
	}
	assert_null(run_view_forced(r, 3));
	assert_int_equal(r->trials[r->n_trials - 1].spec.arm, 4); /* as it was */
	run_free(r);
}

static void a_run_without_one_is_its_own_view(void **state)
{
	struct run *r = run_new();
	struct run_view v;

	(void)state;
	run_view_make(r, 0, &v);
	assert_int_equal(v.run.n_arms, 0);
	assert_int_equal(v.run.n_trials, 0);
	assert_int_equal(run_view_n_confirmations(r), 0);
	run_view_done(&v);
	run_free(r);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_sweep_is_what_is_not_forced),
		cmocka_unit_test(a_confirmation_has_three_arms),
		cmocka_unit_test(a_run_without_one_is_its_own_view),
	};

	return cmocka_run_group_tests_name("run-view", tests, NULL, NULL);
}
