/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why the knee moved, in whole sweeps: what was planted comes first in all of them, and
 * facts that are only noisy are no cause.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "plan/analysis.h"
#include "plan/causes.h"
#include "simsweep.h"

#define N_SWEEPS 200
#define SEED     7000
#define ALARMS   0.05

/* Share of the sweeps with a cause. */
static double alarms(const struct simsweep *s)
{
	int i, n = 0;

	for (i = 0; i < N_SWEEPS; i++) {
		struct analysis a = simsweep_answer(s, SEED + (uint64_t)i);

		assert_true(a.has_facts);
		assert_int_equal(a.shifts[0].verdict, VERDICT_HURTS);
		n += a.shifts[0].n_causes > 0;
		analysis_done(&a);
	}
	return (double)n / N_SWEEPS;
}

static void test_noise_is_no_cause(void **state)
{
	static const char *const models[] = {
		"capacity=300k,noise=0.5%,attach=-8%,facts-noise=10%",
		"capacity=300k,noise=0.5%,attach=-8%,facts-noise=40%",
		"capacity=300k,noise=1%,attach=-30%,facts-noise=100%",
	};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		const struct simsweep s = { .arms = "off,attach", .model = models[i] };
		double share = alarms(&s);

		if (share > ALARMS)
			fail_msg("%s: a cause in %.3f of the sweeps", models[i], share);
	}
}

static void assert_first(const char *arms, const char *model, enum verdict verdict,
	enum factor factor, const char *evidence)
{
	const struct simsweep s = { .arms = arms, .model = model };
	int i;

	for (i = 0; i < N_SWEEPS; i++) {
		struct analysis a = simsweep_answer(&s, SEED + (uint64_t)i);
		const struct analysis_shift *shift = &a.shifts[0];

		assert_int_equal(shift->verdict, verdict);
		if (shift->n_causes == 0)
			fail_msg("%s, seed %d: no cause", model, SEED + i);
		if (shift->causes[0].factor != factor ||
			strncmp(shift->causes[0].evidence, evidence,
				strlen(evidence)) != 0)
			fail_msg("%s, seed %d: %s", model, SEED + i,
				shift->causes[0].evidence);
		analysis_done(&a);
	}
}

static void test_a_move(void **state)
{
	(void)state;
	assert_first("off,profiler",
		"capacity=300k,noise=0.5%,move=30%,facts-noise=20%", VERDICT_HELPS,
		FACTOR_PLACEMENT,
		"thread fwd ran on CPU 0 with off and on CPU 1 with profiler");
	assert_first("off,sample@997",
		"capacity=300k,noise=0.5%,move=-20%,facts-noise=20%", VERDICT_HURTS,
		FACTOR_PLACEMENT,
		"thread fwd ran on CPU 0 with off and on CPU 1 with sample@997");
}

static void test_a_burner(void **state)
{
	(void)state;
	assert_first("off,profiler",
		"capacity=300k,noise=0.5%,burn=40%,facts-noise=20%", VERDICT_HURTS,
		FACTOR_CONTENTION, "other programs took ");
}

static void test_kept_awake(void **state)
{
	(void)state;
	assert_first("off,profiler",
		"capacity=300k,noise=0.5%,awake=8%,facts-noise=20%", VERDICT_HELPS,
		FACTOR_IDLE, "CPU 1 was in deep idle states 0.1 % of the time with ");
}

/* A sampler that only costs is named as that, with its timer's interrupts. */
static void test_sampling(void **state)
{
	(void)state;
	assert_first("off,sample@997",
		"capacity=300k,noise=0.5%,per-khz=-8%,facts-noise=20%", VERDICT_HURTS,
		FACTOR_SAMPLING, "CPU 1: ");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_noise_is_no_cause),
		cmocka_unit_test(test_a_move),
		cmocka_unit_test(test_a_burner),
		cmocka_unit_test(test_kept_awake),
		cmocka_unit_test(test_sampling),
	};

	return cmocka_run_group_tests_name("sweep-causes", tests, NULL, NULL);
}
