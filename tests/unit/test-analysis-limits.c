/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis on synthetic runs: what ran out, cost, drops, rates, functions. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "plan/analysis.h"
#include "synthrun.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

static struct analysis analyse(const struct synth *s)
{
	struct run *run = synth_run(s);
	struct analysis a;

	analysis_make(run, &a);
	run_free(run);
	return a;
}

static bool has_reason(const struct analysis *a, const char *part)
{
	size_t i;

	for (i = 0; i < a->n_reasons; i++)
		if (strstr(a->reasons[i], part) != NULL)
			return true;
	return false;
}

/* CPU-bound: its CPU and its thread run out, though the drain is idle time. */
static void test_cpu_runs_out(void **state)
{
	struct synth s = synth_default();
	struct analysis a = analyse(&s);
	const struct analysis_arm *arm = &a.arms[0];

	(void)state;
	assert_int_equal(arm->n_exhausted, 2);
	assert_string_equal(arm->exhausted[0].what, "cpu 1");
	assert_int_equal(arm->exhausted[0].cpu, 1);
	assert_true(arm->exhausted[0].busy_frac > 0.99);
	assert_true(arm->exhausted[0].busy_frac <= 1);
	assert_false(arm->exhausted[0].busy_polls);
	assert_string_equal(arm->exhausted[1].what, "thread fwd");
	assert_int_equal(arm->exhausted[1].cpu, -1);
	assert_int_equal(arm->limited_by, LIMITED_SUT);
	assert_false(arm->busy_polls);
	assert_near(arm->cpu_ns_per_pkt, 1e9 / 300e3, 1);
	analysis_done(&a);
}

/* A policer: the knee is there, the CPU is not what ran out. */
static void test_nothing_runs_out(void **state)
{
	struct synth s = synth_default();
	struct analysis a;

	(void)state;
	s.arms[0].ns_per_pkt = s.arms[1].ns_per_pkt = 1000;
	a = analyse(&s);
	assert_int_equal(a.arms[0].n_exhausted, 0);
	assert_near(a.arms[0].cpu_ns_per_pkt, 1000, 0.1);
	assert_int_equal(a.shifts[0].consistency, CONSISTENCY_COST);
	assert_near(a.shifts[0].r, 0, 1e-4);
	analysis_done(&a);
}

static void test_busy_polling(void **state)
{
	struct synth s = synth_default();
	struct analysis a;

	(void)state;
	s.arms[1].polls = true;
	a = analyse(&s);
	assert_false(a.arms[0].busy_polls);
	assert_true(a.arms[1].busy_polls);
	assert_true(a.arms[1].n_exhausted > 0 && a.arms[1].exhausted[0].busy_polls);
	assert_true(isnan(a.arms[1].cpu_ns_per_pkt));
	assert_true(isfinite(a.arms[0].cpu_ns_per_pkt));
	assert_int_equal(a.shifts[0].consistency, CONSISTENCY_UNDEFINED);
	assert_true(isnan(a.shifts[0].r));
	analysis_done(&a);
}

/* A CPU full of interrupts in one trial at the lowest rate is not a SUT that polls. */
static void test_interrupts_are_no_polling(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;
	size_t i;

	(void)state;
	synth_add_trial(run, &s, TRIAL_PILOT, 0, 0, 0.1);
	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.kind == TRIAL_PILOT)
			run->trials[i].cpus[0].busy_ns =
				run->trials[i].spec.duration_ns * 97 / 100;
	analysis_make(run, &a);
	assert_false(a.arms[0].busy_polls);
	assert_true(a.arms[0].n_exhausted > 0 && !a.arms[0].exhausted[0].busy_polls);
	assert_true(isfinite(a.arms[0].cpu_ns_per_pkt));
	analysis_done(&a);
	run_free(run);
}

/* Knee and cost of the arm against the reference: what R tells apart. */
static void test_consistency(void **state)
{
	static const struct {
		double shift, cost_ratio;
		enum analysis_consistency want;
	} rows[] = {
		{ 0.90, 1 / 0.90, CONSISTENCY_COST },
		{ 0.90, 1, CONSISTENCY_MOVED },
		{ 1.09, 1, CONSISTENCY_GAINED },
		{ 1, 1.005, CONSISTENCY_COST },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct synth s = synth_default();
		struct analysis a;

		s.arms[0].ns_per_pkt = 2500;
		s.arms[1].ns_per_pkt = 2500 * rows[i].cost_ratio;
		s.arms[1].ln_shift = log(rows[i].shift);
		s.trial_sd = 0.003;
		a = analyse(&s);
		assert_int_equal(a.shifts[0].consistency, rows[i].want);
		assert_near(
			a.shifts[0].r, log(rows[i].shift * rows[i].cost_ratio), 0.01);
		analysis_done(&a);
	}
}

static void test_drop_places(void **state)
{
	struct synth s = synth_default();
	struct analysis a;
	double lost = 0;
	size_t i;

	(void)state;
	s.n_arms = 1;
	a = analyse(&s);
	assert_int_equal(a.arms[0].n_drops, 2);
	assert_int_equal(a.arms[0].drops[0].point, LEDGER_SUT_DROP);
	assert_string_equal(a.arms[0].drops[0].place, "sut_drop");
	assert_string_equal(a.arms[0].drops[1].place, "sut-input");
	assert_near(a.arms[0].drops[0].frac / a.arms[0].drops[1].frac, 2, 0.01);
	for (i = 0; i < 2; i++)
		lost += a.arms[0].drops[i].frac;
	/* From the mean loss of the rates 1.00 (often no loss), 1.12 and 1.25. */
	assert_true(lost > 0.09 && lost < 0.16);
	analysis_done(&a);
}

static void test_rates(void **state)
{
	struct synth s = synth_default();
	const struct analysis_rate *r;
	struct analysis a;

	(void)state;
	s.arms[1].ln_shift = log(1.1);
	a = analyse(&s);
	assert_int_equal(a.arms[0].n_rates, 5);
	assert_int_equal(a.arms[1].rates[0].n_trials, 8);
	assert_int_equal(a.arms[1].rates[0].n_valid, 8);
	assert_int_equal(a.arms[1].rates[0].n_spoiled, 0);
	r = &a.arms[1].rates[0];
	assert_near(r->rel_rate, 0.72, 0);
	assert_near(r->rate_pps, 0.72 * 330e3, 0.04 * 330e3);
	assert_near(r->goodput_pps, r->rate_pps, 1);
	assert_near(r->offered_pps, r->rate_pps, 3);
	assert_near(r->loss_frac, 0, 1e-5);
	assert_near(r->p50_ns, 20000, 0);
	assert_near(r->p99_ns, 40000, 0);
	r = &a.arms[1].rates[4];
	assert_near(r->goodput_pps, 330e3, 1);
	assert_near(r->loss_frac, 1 - 330e3 / r->rate_pps, 0.002);
	assert_true(a.arms[1].rates[3].rate_pps < r->rate_pps);
	analysis_done(&a);
}

/* Samples of one trial: two thirds in forward_cost at two addresses, a third in
 * the kernel, and many on a CPU that is not the SUT's. */
static void add_samples(struct profile *p, uint32_t trial)
{
	uint32_t user = profile_module_intern(p, MODULE_USER, "/usr/bin/fwd", "ab");
	uint32_t kernel =
		profile_module_intern(p, MODULE_KERNEL, "[kernel.kallsyms]", "");
	uint32_t work[2] = { profile_frame_intern(p, user, 0x10),
		profile_frame_intern(p, user, 0x20) };
	uint32_t poll = profile_frame_intern(p, kernel, 0x1000);
	uint32_t thread = profile_thread_intern(p, 7, 7, "fwd");
	uint32_t nodes[3], i;

	p->frames[work[0]].symbol = p->frames[work[1]].symbol =
		profile_symbol_intern(p, "forward_cost");
	nodes[0] = profile_node_intern(p, 0, work[0]);
	nodes[1] = profile_node_intern(p, 0, work[1]);
	nodes[2] = profile_node_intern(p, nodes[0], poll); /* no symbol */
	for (i = 0; i < 3; i++) {
		struct profile_cell c = { .trial = trial,
			.node = nodes[i],
			.thread = thread,
			.cpu = 1,
			.n_samples = 100,
			.weight = 100000 };

		profile_cell_add(p, &c);
		c.cpu = 0;
		c.n_samples = 5000;
		profile_cell_add(p, &c);
	}
}

static struct run *profiled_run(struct synth *s, bool with_profile_trials)
{
	struct run *run = synth_run(s);
	uint32_t block;
	size_t i;

	run->profile = profile_new();
	for (block = 1; with_profile_trials && block <= 8; block += 2) {
		synth_add_trial(run, s, TRIAL_PROFILE, block, 1, 0.85);
		synth_add_trial(run, s, TRIAL_PROFILE, block, 1, 1.15);
	}
	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.arm == 1)
			add_samples(run->profile, run->trials[i].spec.id);
	return run;
}

static void check_functions(const struct analysis *a, uint64_t samples)
{
	const struct analysis_function *f = a->functions;
	const double cost = 1e9 / 300e3;

	assert_true(a->has_profile && a->profile_valid);
	assert_int_equal(a->functions_arm, 1);
	assert_int_equal(a->n_functions, 2);
	assert_string_equal(f[0].name, "forward_cost");
	assert_string_equal(f[0].module, "/usr/bin/fwd");
	assert_string_equal(f[1].name, "[unknown]");
	assert_string_equal(f[1].module, "[kernel.kallsyms]");
	assert_int_equal(f[0].samples_below, 2 * samples);
	assert_int_equal(f[1].samples_below, samples);
	assert_near(f[0].below_ns_per_pkt, cost * 2 / 3, 1);
	assert_near(f[1].below_ns_per_pkt, cost / 3, 1);
	/* Above the knee the CPU is full: its time a packet offered is less. */
	assert_true(f[0].above_ns_per_pkt < f[0].below_ns_per_pkt);
	assert_near(f[0].above_ns_per_pkt / f[1].above_ns_per_pkt, 2, 1e-9);
	assert_near(f[0].share_above, 2.0 / 3, 1e-9);
	assert_int_equal(f[0].class, CLASS_CAPACITY);
}

static void test_functions(void **state)
{
	struct synth s = synth_default();
	struct run *run = profiled_run(&s, true);
	struct analysis a;

	(void)state;
	analysis_make(run, &a);
	check_functions(&a, 400); /* 4 profile trials a side */
	assert_int_equal(a.functions[0].samples_above, 800);
	assert_near(a.functions[0].above_ns_per_pkt, 1e9 / 300e3 / 1.15 * 2 / 3, 1);
	analysis_done(&a);
	run_free(run);
}

/* Without profile trials the grid serves; points near the knee are no side. */
static void test_functions_from_grid(void **state)
{
	struct synth s = synth_default();
	struct run *run = profiled_run(&s, false);
	struct analysis a;
	uint64_t n_below;

	(void)state;
	analysis_make(run, &a);
	n_below = a.functions[1].samples_below / 100;
	assert_true(n_below >= 16 && n_below <= 24);
	check_functions(&a, 100 * n_below);
	analysis_done(&a);
	run_free(run);
}

/* Nothing is the capacity where no CPU ran out. */
static void test_functions_of_policer(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;

	(void)state;
	s.arms[1].ns_per_pkt = 900;
	run = profiled_run(&s, true);
	analysis_make(run, &a);
	assert_int_equal(a.functions[0].class, CLASS_UNRESOLVED);
	assert_near(a.functions[0].above_ns_per_pkt, 600, 0.1);
	analysis_done(&a);
	run_free(run);
}

static void test_profile_not_valid(void **state)
{
	struct synth s = synth_default();
	struct run *run = profiled_run(&s, false);
	struct sampling_use *u = &run->trials[0].sampling;
	struct analysis a;
	size_t i;

	(void)state;
	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.arm == 1)
			u = &run->trials[i].sampling;
	u->n_lost = 150; /* of 40 x 500 */
	analysis_make(run, &a);
	assert_true(a.profile_valid);
	analysis_done(&a);
	u->n_lost = 250;
	analysis_make(run, &a);
	assert_false(a.profile_valid);
	assert_true(a.valid); /* the capacity part stands */
	assert_int_equal(a.verdict, VERDICT_NONE);
	assert_true(has_reason(&a, "lost 1.2 % of its samples"));
	analysis_done(&a);
	u->n_lost = 0;
	u->n_throttled = 1;
	analysis_make(run, &a);
	assert_false(a.profile_valid);
	assert_true(has_reason(&a, "throttled"));
	analysis_done(&a);
	for (i = 0; i < run->n_trials; i++)
		run->trials[i].sampling = (struct sampling_use){ .sampled = true };
	analysis_make(run, &a);
	assert_false(a.profile_valid);
	assert_false(a.has_profile);
	assert_true(has_reason(&a, "took no samples"));
	analysis_done(&a);
	run_free(run);
}

static void test_nothing_to_sample(void **state)
{
	struct synth s = synth_default();
	struct analysis a;

	(void)state;
	s.arms[1].name = "count";
	a = analyse(&s);
	assert_true(a.profile_valid);
	assert_false(a.has_profile);
	assert_int_equal(a.n_functions, 0);
	analysis_done(&a);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(analysis_class_name(CLASS_CAPACITY), "capacity");
	assert_string_equal(analysis_class_name(CLASS_UNRESOLVED), "unresolved");
	assert_string_equal(analysis_consistency_name(CONSISTENCY_MOVED), "moved");
	assert_string_equal(analysis_consistency_name(CONSISTENCY_COST), "cost");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_cpu_runs_out),
		cmocka_unit_test(test_nothing_runs_out),
		cmocka_unit_test(test_busy_polling),
		cmocka_unit_test(test_interrupts_are_no_polling),
		cmocka_unit_test(test_consistency),
		cmocka_unit_test(test_drop_places),
		cmocka_unit_test(test_rates),
		cmocka_unit_test(test_functions),
		cmocka_unit_test(test_functions_from_grid),
		cmocka_unit_test(test_functions_of_policer),
		cmocka_unit_test(test_profile_not_valid),
		cmocka_unit_test(test_nothing_to_sample),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("analysis-limits", tests, NULL, NULL);
}
