/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole sweeps of the fluid SUT, for tests that ask many of them. */
#include "config.h"

#include "simsweep.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "base/clock.h"
#include "engine/sweep.h"
#include "sim/fluid.h"

#define N_BLOCKS 8

struct run *simsweep_run(const struct simsweep *s, uint64_t seed)
{
	static const double rel[] = { 0.72, 0.88, 1.05, 1.17, 1.45 };
	const char *arms = s->arms != NULL ? s->arms : "off,sample@997";
	struct run *run = run_new();
	struct fluid_config fc = { .seed = 0 };
	struct sp_err err = { .code = SP_OK };
	struct sweep_job job = {
		.run = run, .ops = &fluid_measure, .clock = &clock_monotonic
	};
	struct fluid *f;

	run->config = (struct sweep_config){ .seed = seed,
		.n_blocks = s->n_blocks > 0 ? s->n_blocks : N_BLOCKS,
		.trial_ns = 500 * NS_PER_MS,
		.margin_frac = 0.03,
		.level = 0.95,
		.dither_frac = 0.04,
		.burst = 4,
		.until_decided = s->until_decided,
		.n_rel_rates = sizeof(rel) / sizeof(rel[0]) };
	memcpy(run->config.rel_rates, rel, sizeof(rel));
	assert_int_equal(arm_list_parse(arms, &run->arms, &run->n_arms, &err), 0);
	run->cap_arms = run->n_arms;
	if (fluid_config_parse(s->model, &fc, &err) != 0)
		fail_msg("%s", err.msg);
	/* Far from the plan's seed, and from that of the next sweep. */
	fc.seed = seed * 2654435761u + 1;
	f = fluid_new(&fc, run->arms, run->n_arms);
	job.measure_ctx = f;
	assert_int_equal(sweep_execute(&job, &err), 0);
	fluid_free(f);
	return run;
}

struct analysis simsweep_answer(const struct simsweep *s, uint64_t seed)
{
	struct run *run = simsweep_run(s, seed);
	struct analysis a;

	analysis_make(run, &a);
	run_free(run);
	return a;
}
