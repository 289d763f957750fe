/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep loop and its plan on the fluid SUT: order, centres, resume, endings. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "../fixture/run_fixture.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/sweep.h"
#include "plan/minisweep.h"
#include "plan/sweep_plan.h"
#include "sim/fluid.h"

static struct run *make_run(const char *arms, uint64_t seed)
{
	static const double rel[] = { 0.72, 0.88, 1.05, 1.17, 1.45 };
	struct run *run = run_new();
	struct sp_err err;

	run->config = (struct sweep_config){ .seed = seed,
		.n_blocks = 8,
		.trial_ns = 500 * NS_PER_MS,
		.profile_trial_ns = 2 * NS_PER_S,
		.margin_frac = 0.03,
		.level = 0.95,
		.dither_frac = 0.04,
		.n_rel_rates = 5 };
	memcpy(run->config.rel_rates, rel, sizeof(rel));
	assert_int_equal(arm_list_parse(arms, &run->arms, &run->n_arms, &err), 0);
	run->cap_arms = run->n_arms;
	return run;
}

static void execute(struct run *run, const char *model, uint64_t seed)
{
	struct fluid_config fc = { .seed = seed };
	struct sp_err err = { .code = SP_OK };
	struct sweep_job job = {
		.run = run, .ops = &fluid_measure, .clock = &clock_monotonic
	};
	struct fluid *f;

	assert_int_equal(fluid_config_parse(model, &fc, &err), 0);
	f = fluid_new(&fc, run->arms, run->n_arms);
	job.measure_ctx = f;
	assert_int_equal(sweep_execute(&job, &err), 0);
	assert_true(run->finished);
	fluid_free(f);
}

/* The fitted knee of one mini-sweep. */
static struct hinge_fit fit(const struct run *run, uint32_t block, uint32_t arm)
{
	const struct trial *trials[16];
	struct hinge_fit f;
	size_t i, n = 0;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.kind == TRIAL_GRID && t->spec.block == block &&
			t->spec.arm == arm && n < 16)
			trials[n++] = t;
	}
	minisweep_fit(trials, n, &f);
	return f;
}

static void test_finds_a_known_capacity(void **state)
{
	static const double truths[] = { 900, 16.7e3, 231e3, 1.4e6, 14.88e6 };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(truths) / sizeof(truths[0]); i++) {
		struct run *run = make_run("off,sample@997", 7 + i);
		char *model =
			xasprintf("capacity=%.0f,noise=0.5%%,per-khz=-5%%", truths[i]);
		uint32_t b;

		execute(run, model, 11 + i);
		for (b = 1; b <= 8; b++) {
			struct hinge_fit off = fit(run, b, 0), on = fit(run, b, 1);

			assert_int_equal(off.kind, HINGE_EXACT);
			assert_int_equal(on.kind, HINGE_EXACT);
			assert_true(fabs(off.knee_pps / truths[i] - 1) < 0.03);
			assert_true(fabs(on.knee_pps / truths[i] / 0.95015 - 1) < 0.03);
		}
		free(model);
		run_free(run);
	}
}

/* An arm whose knee is far from the reference's keeps points on both sides. */
static void test_each_arm_has_its_own_grid(void **state)
{
	struct run *run = make_run("off,sample@19997", 3);
	uint32_t b;

	(void)state;
	execute(run, "capacity=300k,noise=1%,per-khz=-2%", 5);
	for (b = 1; b <= 8; b++) {
		struct hinge_fit on = fit(run, b, 1);

		assert_int_equal(on.kind, HINGE_EXACT);
		assert_true(fabs(on.knee_pps / 180e3 - 1) < 0.05);
	}
	run_free(run);
}

static void test_structure_of_a_default_sweep(void **state)
{
	struct run *run = make_run("off,sample@997", 1);
	size_t i, n_grid = 0, n_profile = 0, n_first_off = 0;

	(void)state;
	execute(run, "capacity=300k,noise=1%", 2);
	for (i = 0; i < run->n_trials; i++) {
		const struct trial_spec *s = &run->trials[i].spec;

		assert_int_equal(s->id, i + 1);
		n_grid += s->kind == TRIAL_GRID;
		if (s->kind == TRIAL_PROFILE) {
			n_profile++;
			assert_int_equal(s->arm, 1);
			assert_int_equal(s->block % 2, 1);
			assert_int_equal(s->duration_ns, 2 * NS_PER_S);
		}
		if (s->kind == TRIAL_GRID &&
			(i == 0 || run->trials[i - 1].spec.block != s->block)) {
			n_first_off += s->arm == 0;
		}
		if (s->kind == TRIAL_GRID && i > 0 &&
			run->trials[i - 1].spec.kind == TRIAL_GRID &&
			run->trials[i - 1].spec.block == s->block &&
			run->trials[i - 1].spec.arm == s->arm)
			assert_true(s->rate_pps > run->trials[i - 1].spec.rate_pps);
	}
	assert_int_equal(n_grid, 8 * 2 * 5);
	assert_int_equal(n_profile, 4 * 2);
	/* Random order: neither arm is always first. */
	assert_true(n_first_off > 0 && n_first_off < 8);
	run_free(run);
}

/* Feeding the stored trials again gives the same plan: the next trial is the one
 * that would have come. */
static void test_resume_goes_on_where_it_was(void **state)
{
	struct run *whole = make_run("off,sample@997", 42);
	size_t cut, i;

	(void)state;
	execute(whole, "capacity=250k,noise=2%,block-noise=1%", 9);
	for (cut = 1; cut < whole->n_trials; cut += 7) {
		struct run *part = make_run("off,sample@997", 42);

		for (i = 0; i < cut; i++) {
			struct trial t = whole->trials[i];

			t.bins = NULL;
			t.cpus = NULL;
			t.threads = NULL;
			t.counters = NULL;
			t.facts = (struct facts){ 0 };
			t.n_bins = t.n_cpus = t.n_threads = t.n_counters = 0;
			t.cap_bins = t.cap_cpus = t.cap_threads = t.cap_counters = 0;
			run_add_trial(part, &t);
		}
		execute(part, "capacity=250k,noise=2%,block-noise=1%", 1000 + cut);
		assert_true(part->n_trials >= cut + 1);
		run_fixture_assert_same_spec(
			&part->trials[cut].spec, &whole->trials[cut].spec);
		run_free(part);
	}
	run_free(whole);
}

static unsigned count_exact(const struct run *run)
{
	unsigned n = 0;
	uint32_t b;

	for (b = 1; b <= 8; b++)
		n += fit(run, b, 0).kind == HINGE_EXACT;
	return n;
}

/* A generator that is cut off now and then costs a trial more, not the block. */
static void test_a_trial_that_tells_nothing_is_taken_again(void **state)
{
	struct run *run = make_run("off", 42);
	size_t i, n_short = 0, n_grid = 0;

	(void)state;
	execute(run, "capacity=250k,noise=1%,hiccups=25%", 9);
	for (i = 1; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.kind != TRIAL_GRID || t->spec.block > 8)
			continue;
		n_grid++;
		n_short += t->limited_by == LIMITED_GENERATOR;
	}
	assert_true(n_short >= 6);
	assert_true(n_grid >= 8 * 5 + 5);
	assert_true(n_grid <= 8 * (5 + 2));
	assert_true(count_exact(run) >= 7);
	run_free(run);
	/* One that never gets there is not asked again and again. */
	run = make_run("off", 4);
	execute(run, "capacity=100k,generator=120k", 2);
	for (i = 1; i < run->n_trials; i++)
		if (run->trials[i].spec.kind == TRIAL_GRID &&
			run->trials[i].spec.rate_pps > 123e3)
			assert_true(run->trials[i].spec.rate_pps >
					    run->trials[i - 1].spec.rate_pps ||
				    run->trials[i - 1].spec.block !=
					    run->trials[i].spec.block);
	run_free(run);
}

/* A machine that is sometimes 40 % slower for a whole mini-sweep, or fast at first and
 * slow from then on: the grid follows at once. Where the change comes in the middle of
 * a mini-sweep, that one has no knee. */
static void test_a_missed_knee_is_followed(void **state)
{
	static const char *const models[] = {
		"capacity=250k,noise=1%,bands=40%,band-chance=40%",
		"capacity=250k,noise=1%,step=-45%,step-at=20s",
		"capacity=250k,noise=1%,step=90%,step-at=20s",
	};
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct run *run = make_run("off", 40 + i);

		execute(run, models[i], 9 + i);
		assert_true(count_exact(run) >= 7);
		run_free(run);
	}
}

static void test_burst_is_the_smallest_that_carries(void **state)
{
	struct run *run = make_run("off", 4);

	(void)state;
	execute(run, "capacity=100k", 2);
	assert_int_equal(run->traffic.burst, 1);
	run_free(run);
	/* A generator that never reaches 1.8 times the knee: 64, and a note. */
	run = make_run("off", 4);
	execute(run, "capacity=100k,generator=120k", 2);
	assert_int_equal(run->traffic.burst, 64);
	assert_int_equal(run->n_notes, 1);
	run_free(run);
}

/*
 * Answers for a SUT of 100 kpps that loses the rest, and a generator that falls a tenth
 * short of what is over 150 kpps in bursts below 16.
 */
static void answer_short(struct trial *t)
{
	double r = t->spec.rate_pps, goodput = fmin(r, 100e3);
	bool is_short = t->spec.burst < 16 && r > 150e3;
	struct ledger *l = &t->ledgers[0];

	t->valid = true;
	t->window_pps = goodput;
	t->limited_by = r > 100e3 ? LIMITED_SUT : LIMITED_NOT;
	t->loss_frac = 1 - goodput / r;
	t->n_ledgers = 1;
	ledger_set(l, LEDGER_INTENDED, 1000, LEDGER_MEASURED);
	ledger_set(l, LEDGER_UNSENT, is_short ? 100 : 0, LEDGER_MEASURED);
}

/* A SUT that loses much does not hide that the generator fell short. */
static void test_burst_is_one_that_is_sent_as_a_whole(void **state)
{
	struct run *run = make_run("off", 4);
	struct sweep_plan *p = sweep_plan_new(&run->config, run->arms, run->n_arms);
	struct plan_action a = { .kind = PLAN_ARM_BEGIN };

	(void)state;
	while (a.kind != PLAN_DONE && a.block == 0) {
		sweep_plan_next(p, &a);
		if (a.kind == PLAN_TRIAL) {
			struct trial t = { .spec = a.spec };

			answer_short(&t);
			sweep_plan_feed(p, &t);
		}
	}
	assert_int_equal(a.block, 1);
	assert_int_equal(sweep_plan_burst(p), 16);
	sweep_plan_free(p);
	run_free(run);
}

static void test_ladder_asks_each_rate_in_each_block(void **state)
{
	struct run *run = make_run("off,count", 4);
	size_t i, n = 0;

	(void)state;
	run->config.n_rates = 3;
	run->config.rates_pps = xcalloc(3, sizeof(double));
	run->config.rates_pps[0] = 10e3;
	run->config.rates_pps[1] = 50e3;
	run->config.rates_pps[2] = 90e3;
	execute(run, "capacity=100k", 2);
	for (i = 0; i < run->n_trials; i++)
		n += run->trials[i].spec.kind == TRIAL_LADDER;
	assert_int_equal(n, 8 * 2 * 3);
	run_free(run);
}

/* A measurement that breaks at its n-th trial; fluid underneath. */
struct breaking {
	struct fluid *fluid;
	unsigned left;
	int n_begun, n_ended;
};

static int breaking_begin(void *ctx, uint32_t arm, uint32_t block, struct sp_err *err)
{
	struct breaking *b = ctx;

	b->n_begun++;
	return fluid_measure.arm_begin(b->fluid, arm, block, err);
}

static int breaking_trial(void *ctx, struct trial *t, struct sp_err *err)
{
	struct breaking *b = ctx;

	if (b->left-- == 0)
		return sp_err_set(err, SP_EBROKEN, "the SUT exited with status 1");
	return fluid_measure.trial(b->fluid, t, err);
}

static int breaking_end(void *ctx, struct sp_err *err)
{
	struct breaking *b = ctx;

	b->n_ended++;
	return fluid_measure.arm_end(b->fluid, err);
}

static void test_a_failure_keeps_what_was_finished(void **state)
{
	static const struct measure_ops ops = { breaking_begin, breaking_trial,
		breaking_end, NULL, NULL };
	struct run *run = make_run("off,sample@997", 8);
	struct fluid_config fc = { .capacity_pps = 1e5, .seed = 1 };
	struct breaking b = { .fluid = fluid_new(&fc, run->arms, 2), .left = 33 };
	struct sp_err err = { .code = SP_OK };
	struct sweep_job job = {
		.run = run, .ops = &ops, .measure_ctx = &b, .clock = &clock_monotonic
	};

	(void)state;
	assert_int_equal(sweep_execute(&job, &err), -SP_EBROKEN);
	assert_int_equal(run->n_trials, 33);
	assert_false(run->finished);
	assert_int_equal(b.n_begun, b.n_ended);
	assert_non_null(strstr(run->notes[0], "exited with status 1"));
	fluid_free(b.fluid);
	run_free(run);
}

/* The fluid SUT with others on its CPU in the second arm, up to a block and again from
 * one on. */
struct crowd {
	struct fluid *fluid;
	uint32_t last_block, from_block;
};

static int crowd_begin(void *ctx, uint32_t arm, uint32_t block, struct sp_err *err)
{
	return fluid_measure.arm_begin(((struct crowd *)ctx)->fluid, arm, block, err);
}

static int crowd_trial(void *ctx, struct trial *t, struct sp_err *err)
{
	const struct crowd *c = ctx;
	int rc = fluid_measure.trial(c->fluid, t, err);
	bool is_crowded = t->spec.arm == 1 && (t->spec.block <= c->last_block ||
						      t->spec.block >= c->from_block);

	free(t->threads);
	t->threads = xcalloc(1, sizeof(*t->threads));
	t->n_threads = t->cap_threads = 1;
	t->threads[0].wait_ns = is_crowded ? t->spec.duration_ns / 4 : 0;
	return rc;
}

static int crowd_end(void *ctx, struct sp_err *err)
{
	return fluid_measure.arm_end(((struct crowd *)ctx)->fluid, err);
}

/* Blocks that others disturbed are replaced, three at most, where too few are left. */
static void test_crowded_blocks_are_replaced(void **state)
{
	static const struct measure_ops ops = { crowd_begin, crowd_trial, crowd_end,
		NULL, NULL };
	/* The last but one has no time for a third block more. */
	static const struct {
		uint32_t last_block, from_block, n_blocks;
		uint64_t trial_ns;
	} cases[] = { { 0, 99, 8, 500 * NS_PER_MS }, { 2, 99, 8, 500 * NS_PER_MS },
		{ 3, 99, 9, 500 * NS_PER_MS }, { 4, 99, 10, 500 * NS_PER_MS },
		{ 3, 9, 10, 500 * NS_PER_MS }, { 3, 9, 11, 200 * NS_PER_MS } };
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		struct fluid_config fc = { .seed = 5 };
		struct run *run = make_run("off,sample@997", 4);
		struct crowd c = { .last_block = cases[i].last_block,
			.from_block = cases[i].from_block };
		struct sweep_job job = { .run = run,
			.ops = &ops,
			.measure_ctx = &c,
			.clock = &clock_monotonic };
		struct sp_err err;

		run->config.trial_ns = cases[i].trial_ns;
		assert_int_equal(
			fluid_config_parse("capacity=100k,noise=0.5%", &fc, &err), 0);
		c.fluid = fluid_new(&fc, run->arms, run->n_arms);
		assert_int_equal(sweep_execute(&job, &err), 0);
		assert_int_equal(
			run->trials[run->n_trials - 1].spec.block, cases[i].n_blocks);
		fluid_free(c.fluid);
		run_free(run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_finds_a_known_capacity),
		cmocka_unit_test(test_each_arm_has_its_own_grid),
		cmocka_unit_test(test_structure_of_a_default_sweep),
		cmocka_unit_test(test_resume_goes_on_where_it_was),
		cmocka_unit_test(test_a_trial_that_tells_nothing_is_taken_again),
		cmocka_unit_test(test_a_missed_knee_is_followed),
		cmocka_unit_test(test_crowded_blocks_are_replaced),
		cmocka_unit_test(test_burst_is_the_smallest_that_carries),
		cmocka_unit_test(test_burst_is_one_that_is_sent_as_a_whole),
		cmocka_unit_test(test_ladder_asks_each_rate_in_each_block),
		cmocka_unit_test(test_a_failure_keeps_what_was_finished),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
