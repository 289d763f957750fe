/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sweeps with confirmation on the fluid SUT: a factor is planted that is what the
 * observer does to the knee, beside one that only goes with it. Facts tell of both.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <stdlib.h>
#include <string.h>

#include "../fixture/run_fixture.h"
#include "base/clock.h"
#include "base/mem.h"
#include "engine/sweep.h"
#include "model/run_view.h"
#include "plan/analysis.h"
#include "sim/fluid.h"

#define ARMS_MAX 8

/* The observer moves thread fwd to CPU 1 and gives it the nice value 5. */
struct planted {
	struct fluid *fluid;
	const struct run *run;
	enum factor truth; /* PLACEMENT or LAUNCH: what moves the knee; N_FACTORS:
			      the observer itself, whatever is forced */
	struct arm arms[ARMS_MAX]; /* as the fluid sees them: observed or not */
	enum factor refused;       /* cannot be forced; N_FACTORS: all can be */
	enum factor breaks;  /* begins to be forced and then cannot; N_FACTORS: none */
	bool lacks_observer; /* what breaks is not the forcing, but the observer */
	bool force_failed;
};

static void arms_plant(struct planted *p)
{
	size_t i;

	for (i = 0; i < p->run->n_arms; i++) {
		const struct arm *a = &p->run->arms[i];

		p->arms[i] = *a;
		if (a->force.is_forced && a->force.factor != FACTOR_SAMPLING)
			p->arms[i].kind =
				a->force.factor == p->truth ? ARM_PROFILER : ARM_OFF;
	}
}

static int planted_begin(void *ctx, uint32_t arm, uint32_t block, struct sp_err *err)
{
	struct planted *p = ctx;
	const struct arm_force *f = &p->run->arms[arm].force;

	p->force_failed = false;
	if (f->is_forced && f->factor == p->breaks && block == 2) {
		p->force_failed = !p->lacks_observer;
		return sp_err_set(err, SP_EENV, "the SUT has no thread 'fwd'");
	}
	return fluid_measure.arm_begin(p->fluid, arm, block, err);
}

static int planted_trial(void *ctx, struct trial *t, struct sp_err *err)
{
	const struct planted *p = ctx;
	const struct arm *a = &p->run->arms[t->spec.arm];
	bool is_on = a->kind != ARM_OFF && !a->force.is_forced;
	int rc = fluid_measure.trial(p->fluid, t, err);

	facts_add(&t->facts, FACT_THREAD_CPU, "fwd",
		is_on || (a->force.is_forced && a->force.factor == FACTOR_PLACEMENT));
	facts_add(&t->facts, FACT_THREAD_NICE, "fwd",
		is_on || (a->force.is_forced && a->force.factor == FACTOR_LAUNCH) ? 5
										  : 0);
	return rc;
}

static int planted_end(void *ctx, struct sp_err *err)
{
	return fluid_measure.arm_end(((struct planted *)ctx)->fluid, err);
}

static int planted_add(void *ctx, const struct run *run, struct sp_err *err)
{
	struct planted *p = ctx;
	struct run seen = { .arms = p->arms, .n_arms = run->n_arms };

	if (run->arms[run->n_arms - 1].force.factor == p->refused)
		return sp_err_set(err, SP_EENV, "not on this machine");
	arms_plant(p);
	return fluid_measure.arm_add(p->fluid, &seen, err);
}

static bool planted_failed(void *ctx)
{
	return ((const struct planted *)ctx)->force_failed;
}

static const struct measure_ops planted_ops = { planted_begin, planted_trial,
	planted_end, planted_add, planted_failed };

static struct run *run_make(const char *arms, uint32_t n_confirm)
{
	static const double rel[] = { 0.72, 0.88, 1.05, 1.17, 1.45 };
	struct run *run = run_new();
	struct sp_err err;

	run->config = (struct sweep_config){ .seed = 42,
		.n_blocks = 8,
		.trial_ns = 400 * NS_PER_MS,
		.margin_frac = 0.03,
		.level = 0.95,
		.dither_frac = 0.04,
		.n_rel_rates = 5,
		.n_confirm = n_confirm };
	memcpy(run->config.rel_rates, rel, sizeof(rel));
	assert_int_equal(arm_list_parse(arms, &run->arms, &run->n_arms, &err), 0);
	run->cap_arms = run->n_arms;
	return run;
}

static int try_execute(struct run *run, struct planted *p, const char *model,
	uint64_t seed, struct sp_err *err)
{
	struct fluid_config fc = { .seed = seed };
	int rc;
	struct sweep_job job = { .run = run,
		.ops = &planted_ops,
		.measure_ctx = p,
		.clock = &clock_monotonic };

	p->run = run;
	arms_plant(p);
	assert_int_equal(fluid_config_parse(model, &fc, err), 0);
	p->fluid = fluid_new(&fc, p->arms, run->n_arms);
	rc = sweep_execute(&job, err);
	assert_int_equal(run->finished, rc == 0);
	fluid_free(p->fluid);
	return rc;
}

static void execute(
	struct run *run, struct planted *p, const char *model, uint64_t seed)
{
	struct sp_err err = { .code = SP_OK };

	if (try_execute(run, p, model, seed, &err) != 0)
		fail_msg("%s", err.msg);
}

static bool has_note(const struct run *run, const char *text)
{
	size_t i;

	for (i = 0; i < run->n_notes; i++)
		if (strstr(run->notes[i], text) != NULL)
			return true;
	return false;
}

static void the_planted_factor_is_confirmed(void **state)
{
	static const struct {
		enum factor truth;
		const char *model;
		enum cause_state placement, launch;
	} rows[] = {
		{ FACTOR_PLACEMENT, "capacity=200k,noise=1%,attach=20%",
			CAUSE_CONFIRMED, CAUSE_REFUTED },
		{ FACTOR_PLACEMENT, "capacity=200k,noise=1%,attach=-12%",
			CAUSE_CONFIRMED, CAUSE_REFUTED },
		/* The first suspect is wrong, the next one is right. */
		{ FACTOR_LAUNCH, "capacity=200k,noise=1%,attach=-12%", CAUSE_REFUTED,
			CAUSE_CONFIRMED },
		/* Neither: the observer itself. */
		{ N_FACTORS, "capacity=200k,noise=1%,attach=20%", CAUSE_REFUTED,
			CAUSE_REFUTED },
	};
	size_t i, k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct planted p = { .truth = rows[i].truth,
			.refused = N_FACTORS,
			.breaks = N_FACTORS };
		struct run *run = run_make("off,profiler", 2);
		struct analysis a;

		execute(run, &p, rows[i].model, 11 + i);
		analysis_make(run, &a);
		assert_int_equal(a.n_confirmations, 2);
		assert_int_equal(a.confirmations[0].factor, FACTOR_PLACEMENT);
		assert_int_equal(a.confirmations[1].factor, FACTOR_LAUNCH);
		assert_int_equal(a.confirmations[0].state, rows[i].placement);
		assert_int_equal(a.confirmations[1].state, rows[i].launch);
		for (k = 0; k < a.shifts[0].n_causes; k++)
			assert_int_equal(a.shifts[0].causes[k].state,
				a.shifts[0].causes[k].factor == FACTOR_PLACEMENT
					? rows[i].placement
					: rows[i].launch);
		analysis_done(&a);
		run_free(run);
	}
}

/* What the SUT is launched with, and not the command that it is launched under. */
static void how_it_is_launched_is_confirmed(void **state)
{
	struct planted p = {
		.truth = FACTOR_LAUNCH, .refused = FACTOR_PLACEMENT, .breaks = N_FACTORS
	};
	struct run *run = run_make("off,wrap", 1);
	struct analysis a;
	size_t i;

	(void)state;
	execute(run, &p, "capacity=200k,noise=0.5%,attach=-12%", 4);
	assert_true(arm_force_is_launch(&run->arms[2].force));
	assert_string_equal(run->arms[2].force.parts[0].value, "thread_nice");
	analysis_make(run, &a);
	assert_int_equal(a.n_confirmations, 1);
	assert_int_equal(a.confirmations[0].state, CAUSE_CONFIRMED);
	for (i = 0; i < a.shifts[0].n_causes; i++)
		assert_int_equal(a.shifts[0].causes[i].state,
			a.shifts[0].causes[i].factor == FACTOR_LAUNCH ? CAUSE_CONFIRMED
								      : CAUSE_OBSERVED);
	analysis_done(&a);
	run_free(run);
}

/* A thread that moves, beside a program that takes its CPU: it explains that until it
 * is refuted, and only then the program is looked at. */
static void what_hid_behind_a_refuted_cause_is_next(void **state)
{
	struct run *run = run_make("off,profiler", 2);
	struct fluid_config fc = { .seed = 5 };
	struct sp_err err = { .code = SP_OK };
	struct fluid *fluid;
	struct analysis a;
	struct sweep_job job = {
		.run = run, .ops = &fluid_measure, .clock = &clock_monotonic
	};

	(void)state;
	assert_int_equal(
		fluid_config_parse(
			"capacity=200k,noise=1%,burn=30%,move=0.01%", &fc, &err),
		0);
	fluid = fluid_new(&fc, run->arms, run->n_arms);
	job.measure_ctx = fluid;
	if (sweep_execute(&job, &err) != 0)
		fail_msg("%s", err.msg);
	analysis_make(run, &a);
	assert_int_equal(a.n_confirmations, 2);
	assert_int_equal(a.confirmations[0].factor, FACTOR_PLACEMENT);
	assert_int_equal(a.confirmations[0].state, CAUSE_REFUTED);
	assert_int_equal(a.confirmations[1].factor, FACTOR_CONTENTION);
	assert_int_equal(a.confirmations[1].state, CAUSE_CONFIRMED);
	assert_int_equal(a.shifts[0].causes[0].state, CAUSE_REFUTED);
	assert_int_equal(a.shifts[0].causes[1].state, CAUSE_CONFIRMED);
	assert_int_equal(a.shifts[0].causes[1].key, FACT_OTHERS_NS);
	analysis_done(&a);
	fluid_free(fluid);
	run_free(run);
}

/* Half of the sampling rate brings the knee back half of the way. */
static void sampling_is_confirmed_by_halving(void **state)
{
	struct planted p = {
		.truth = N_FACTORS, .refused = N_FACTORS, .breaks = N_FACTORS
	};
	struct run *run = run_make("off,sample@3989", 3);
	struct analysis a;
	size_t i;

	(void)state;
	execute(run, &p, "capacity=200k,noise=0.5%,per-khz=-4%", 3);
	analysis_make(run, &a);
	assert_int_equal(a.n_confirmations, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(a.confirmations[i].state,
			a.confirmations[i].factor == FACTOR_SAMPLING ? CAUSE_CONFIRMED
								     : CAUSE_REFUTED);
	analysis_done(&a);
	run_free(run);
}

static void nothing_planted_costs_no_trial(void **state)
{
	struct planted p = {
		.truth = N_FACTORS, .refused = N_FACTORS, .breaks = N_FACTORS
	};
	struct run *run = run_make("off,profiler", 2);
	struct analysis a;

	(void)state;
	execute(run, &p, "capacity=200k,noise=0.5%", 3);
	assert_int_equal(run->n_arms, 2);
	assert_int_equal(run->trials[run->n_trials - 1].spec.phase, 0);
	analysis_make(run, &a);
	assert_int_equal(a.verdict, VERDICT_NONE);
	assert_int_equal(a.n_confirmations, 0);
	assert_non_null(strstr(a.no_confirmation, "does not move the knee"));
	analysis_done(&a);
	run_free(run);
}

static void what_cannot_be_forced_is_a_note(void **state)
{
	struct planted p = { .truth = FACTOR_PLACEMENT,
		.refused = FACTOR_PLACEMENT,
		.breaks = FACTOR_LAUNCH };
	struct run *run = run_make("off,profiler", 2);
	struct analysis a;

	(void)state;
	execute(run, &p, "capacity=200k,noise=0.5%,attach=20%", 3);
	assert_true(has_note(run, "confirmation of placement: cannot be forced here: "
				  "not on this machine"));
	assert_true(has_note(run, "the SUT has no thread 'fwd'"));
	analysis_make(run, &a);
	assert_int_equal(a.verdict, VERDICT_HELPS); /* the sweep stands */
	assert_int_equal(a.n_confirmations, 1);
	assert_int_equal(a.confirmations[0].factor, FACTOR_LAUNCH);
	assert_int_equal(a.confirmations[0].state, CAUSE_UNRESOLVED);
	analysis_done(&a);
	run_free(run);
}

/* One is asked for, and one is made: not the one that could not be forced in the end.
 */
static void what_breaks_does_not_count(void **state)
{
	struct planted p = {
		.truth = FACTOR_LAUNCH, .refused = N_FACTORS, .breaks = FACTOR_PLACEMENT
	};
	struct run *run = run_make("off,profiler", 1);
	struct analysis a;
	struct sp_err err = { .code = SP_OK };

	(void)state;
	execute(run, &p, "capacity=200k,noise=0.5%,attach=20%", 3);
	analysis_make(run, &a);
	assert_int_equal(a.n_confirmations, 2);
	assert_int_equal(a.confirmations[0].state, CAUSE_UNRESOLVED);
	assert_int_equal(a.confirmations[1].factor, FACTOR_LAUNCH);
	assert_int_equal(a.confirmations[1].state, CAUSE_CONFIRMED);
	analysis_done(&a);
	run_free(run);
	/* What the arm lacks beside that ends the run. */
	p.lacks_observer = true;
	run = run_make("off,profiler", 1);
	assert_int_equal(
		try_execute(run, &p, "capacity=200k,noise=0.5%,attach=20%", 3, &err),
		-SP_EENV);
	assert_false(has_note(run, "cannot be forced here"));
	run_free(run);
}

/* The trials of a confirmation follow the sweep's, in blocks of three arms. */
static void a_confirmation_is_a_sweep_without_a_pilot(void **state)
{
	struct planted p = {
		.truth = FACTOR_PLACEMENT, .refused = N_FACTORS, .breaks = N_FACTORS
	};
	struct run *run = run_make("off,count,profiler", 1);
	size_t i, n[4] = { 0 };

	(void)state;
	execute(run, &p, "capacity=200k,noise=0.5%,attach=20%", 3);
	for (i = 0; i < run->n_trials; i++) {
		const struct trial_spec *s = &run->trials[i].spec;

		assert_int_equal(s->id, i + 1);
		if (s->phase == 0)
			continue;
		assert_int_equal(s->kind, TRIAL_GRID);
		assert_int_equal(s->burst, run->traffic.burst);
		assert_true(s->block >= 1);
		n[s->arm]++;
	}
	/* The first arm with a shift is confirmed: count, which is observed, too. */
	assert_true(n[0] >= 40 && n[1] >= 40 && n[3] >= 40);
	assert_int_equal(n[2], 0);
	run_free(run);
}

/* As an earlier session would have left it: trials up to the cut, and the arms of the
 * confirmations that had begun. */
static struct run *run_cut(const struct run *whole, size_t cut)
{
	struct run *part = run_make("off,profiler", whole->config.n_confirm);
	uint32_t n_begun = whole->trials[cut - 1].spec.phase;
	size_t i;

	for (i = 2; i < 2 + n_begun; i++)
		run_add_arm(part, &whole->arms[i]);
	for (i = 0; i < cut; i++) {
		struct trial t = whole->trials[i];
		size_t k;

		t.cpus = NULL;
		t.n_cpus = t.cap_cpus = 0;
		t.facts = (struct facts){ .n = 0 };
		for (k = 0; k < whole->trials[i].facts.n; k++) {
			const struct fact *f = &whole->trials[i].facts.f[k];

			if (f->text != NULL)
				facts_add_text(&t.facts, f->key, f->of, f->text);
			else
				facts_add(&t.facts, f->key, f->of, f->value);
		}
		run_add_trial(part, &t);
	}
	return part;
}

/* breaks: the first of them was cut short, and stays so. */
static void resume(enum factor breaks, uint32_t n_confirm)
{
	static const char model[] = "capacity=250k,noise=1%,attach=15%";
	struct planted p = {
		.truth = FACTOR_PLACEMENT, .refused = N_FACTORS, .breaks = breaks
	};
	struct run *whole = run_make("off,profiler", n_confirm);
	size_t cut;

	execute(whole, &p, model, 9);
	assert_int_equal(run_view_n_confirmations(whole), 2);
	for (cut = 70; cut < whole->n_trials; cut += 11) {
		struct run *part = run_cut(whole, cut);

		execute(part, &p, model, 1000 + cut);
		assert_true(part->n_trials > cut);
		run_fixture_assert_same_spec(
			&part->trials[cut].spec, &whole->trials[cut].spec);
		assert_int_equal(part->n_arms, whole->n_arms);
		assert_string_equal(part->arms[2].name, whole->arms[2].name);
		assert_string_equal(part->arms[3].name, whole->arms[3].name);
		run_free(part);
	}
	run_free(whole);
}

static void resume_goes_on_in_the_right_phase(void **state)
{
	(void)state;
	resume(N_FACTORS, 2);
	resume(FACTOR_PLACEMENT, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_planted_factor_is_confirmed),
		cmocka_unit_test(how_it_is_launched_is_confirmed),
		cmocka_unit_test(what_hid_behind_a_refuted_cause_is_next),
		cmocka_unit_test(sampling_is_confirmed_by_halving),
		cmocka_unit_test(nothing_planted_costs_no_trial),
		cmocka_unit_test(what_cannot_be_forced_is_a_note),
		cmocka_unit_test(what_breaks_does_not_count),
		cmocka_unit_test(a_confirmation_is_a_sweep_without_a_pilot),
		cmocka_unit_test(resume_goes_on_in_the_right_phase),
	};

	return cmocka_run_group_tests_name("sweep-confirm", tests, NULL, NULL);
}
