/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What disturbed a run, on made-up runs: others on the CPUs, order, spikes, words. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "plan/analysis.h"
#include "synthrun.h"

static const struct analysis_noise *find(
	const struct analysis *a, enum analysis_noise_kind kind)
{
	size_t i;

	for (i = 0; i < a->n_noise; i++)
		if (a->noise[i].kind == kind)
			return &a->noise[i];
	return NULL;
}

/* It has to be there. */
static struct analysis_noise need(
	const struct analysis *a, enum analysis_noise_kind kind)
{
	const struct analysis_noise *x = find(a, kind);

	if (x == NULL)
		fail_msg("no %s", analysis_noise_name(kind));
	return x != NULL ? *x : (struct analysis_noise){ .kind = kind };
}

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

static bool has_reason(const struct analysis *a, const char *part)
{
	size_t i;

	for (i = 0; i < a->n_reasons; i++)
		if (strstr(a->reasons[i], part) != NULL)
			return true;
	return false;
}

static void scale_knee(struct run *run, uint32_t block, uint32_t arm, double factor)
{
	size_t i;

	/* Goodput at most that of a knee at the factor. */
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		if (t->spec.block == block && t->spec.arm == arm)
			t->window_pps = fmin(t->window_pps, 300e3 * factor);
	}
}

static void test_quiet(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;

	(void)state;
	analysis_make(run, &a);
	assert_int_equal(a.n_noise, 0);
	assert_near(a.drift_frac, 0, 1e-6);
	assert_near(a.shape.softness_frac, 0, 0);
	analysis_done(&a);
	run_free(run);
}

/* Steal is the CPUs' own count; load is what nobody else accounts for, while the SUT
 * waits. */
static void test_others_on_the_cpus(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;
	size_t i;

	(void)state;
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		if (t->spec.arm != 1 || t->cpus == NULL || t->threads == NULL)
			continue;
		t->cpus[0].steal_ns = t->spec.duration_ns / 20;
		t->threads[0].run_ns = t->cpus[0].busy_ns * 7 / 10;
		t->threads[0].wait_ns = t->spec.duration_ns / 5;
	}
	analysis_make(run, &a);
	assert_int_equal(a.n_noise, 2);
	assert_int_equal(need(&a, NOISE_LOAD).arm, 1);
	assert_near(need(&a, NOISE_LOAD).size_frac, 0.3, 0.02);
	assert_near(need(&a, NOISE_STEAL).size_frac, 0.05, 1e-6);
	analysis_done(&a);

	/* The same time in interrupts is the SUT's own; and without waiting others
	 * took nothing from it. */
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		if (t->cpus == NULL || t->threads == NULL)
			continue;
		t->cpus[0].steal_ns = 0;
		if (t->spec.block % 2 == 0)
			t->cpus[0].softirq_ns = t->cpus[0].busy_ns * 3 / 10;
		else
			t->threads[0].wait_ns = 0;
	}
	analysis_make(run, &a);
	assert_null(find(&a, NOISE_LOAD));
	assert_null(find(&a, NOISE_STEAL));
	analysis_done(&a);
	run_free(run);
}

static void test_a_disturbed_block(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;

	(void)state;
	s.trial_sd = 0.003;
	run = synth_run(&s);
	scale_knee(run, 5, 0, 0.9);
	analysis_make(run, &a);
	assert_int_equal(a.n_noise, 1);
	assert_int_equal(a.noise[0].kind, NOISE_DISTURBED);
	assert_int_equal(a.noise[0].arm, 0);
	assert_int_equal(a.noise[0].block, 5);
	assert_int_equal(a.noise[0].n, 1);
	assert_near(a.noise[0].size_frac, -0.1, 0.01);
	/* One block in eight is in half of the outermost Walsh averages. */
	assert_int_equal(a.verdict, VERDICT_INCONCLUSIVE);
	assert_near(a.shifts[0].shift_frac, 0, 0.004);
	analysis_done(&a);
	run_free(run);
}

/* Goodput at one rate of the grid of the second arm, off by that part of its knee. */
static struct analysis bent(double rel_rate, double off_frac)
{
	struct synth s = synth_default();
	struct analysis a;
	struct run *run;
	size_t i;

	s.trial_sd = 0.001;
	s.arms[1].ln_shift = log(0.7);
	run = synth_run(&s);
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		if (t->spec.arm == 1 && fabs(t->spec.rel_rate / rel_rate - 1) < 0.01)
			t->window_pps += off_frac * 210e3;
	}
	analysis_make(run, &a);
	run_free(run);
	return a;
}

/* Of a shape that is off above the knee the knee is known less well; one that is far
 * off, or off below it, has none. */
static void test_bends(void **state)
{
	struct analysis straight = bent(1.12, 0), a = bent(1.12, -0.06);
	double spread = log1p(straight.shifts[0].hi_frac) -
			log1p(straight.shifts[0].lo_frac),
	       wide;

	(void)state;
	assert_near(straight.arms[1].bend_frac, 0, 0);
	assert_int_equal(a.verdict, VERDICT_HURTS);
	/* Off by 6 %, of which the fit takes part. */
	assert_true(a.arms[1].bend_frac >= 0.025 && a.arms[1].bend_frac <= 0.06);
	spread += 2 * log1p(a.arms[1].bend_frac);
	wide = log1p(a.shifts[0].hi_frac) - log1p(a.shifts[0].lo_frac);
	/* The dither makes a bend another one in each block, too. */
	assert_true(wide >= spread && wide <= spread + 0.04);
	assert_true(a.shifts[0].lo_frac < -0.3 && a.shifts[0].hi_frac > -0.3);
	assert_true(a.arms[1].lo_pps < 210e3 && a.arms[1].hi_pps > 210e3);
	analysis_done(&straight);
	analysis_done(&a);
	a = bent(1.12, 0.3);
	assert_true(a.verdict == VERDICT_NO_KNEE || a.verdict == VERDICT_BROKEN);
	analysis_done(&a);
	a = bent(0.72, -0.06);
	assert_int_equal(a.verdict, VERDICT_NO_KNEE);
	analysis_done(&a);
}

/* Others on the CPU in some blocks: those do not count, and a wait that each block has
 * is the arm's own. */
static void test_a_crowded_block(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;
	size_t i;

	(void)state;
	scale_knee(run, 5, 0, 0.7);
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		if (t->threads == NULL)
			continue;
		if (t->spec.arm == 1)
			t->threads[0].wait_ns = t->spec.duration_ns * 3 / 10;
		else if (t->spec.block == 5 && t->spec.rel_rate > 1)
			t->threads[0].wait_ns = t->spec.duration_ns / 5;
	}
	analysis_make(run, &a);
	assert_int_equal(a.arms[0].n_exact, 7);
	assert_int_equal(a.arms[1].n_exact, 8);
	assert_int_equal(a.shifts[0].n_blocks, 7);
	assert_near(a.shifts[0].shift_frac, 0, 1e-3);
	assert_int_equal(a.verdict, VERDICT_NONE);
	assert_true(has_reason(&a,
		"arm off: block 5 does not count: others had the SUT wait for a CPU"));
	assert_null(find(&a, NOISE_DISTURBED));
	analysis_done(&a);
	run_free(run);
}

/* Which came first is read from the trials' times. */
static void test_order(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;
	size_t i, k, n_after = 0;

	(void)state;
	s.n_blocks = 12;
	s.trial_sd = 0.002;
	run = synth_run(&s);
	for (i = 0; i < run->n_trials; i++)
		for (k = 0; k < run->n_trials; k++) {
			struct trial *t = &run->trials[i];
			const struct trial_spec *o = &run->trials[k].spec;

			if (t->spec.arm == 1 && o->arm == 0 &&
				o->block == t->spec.block && o->id < t->spec.id &&
				o->rel_rate < 0.8) {
				t->window_pps = fmin(t->window_pps, 288e3);
				n_after++;
			}
		}
	assert_true(n_after >= 4 * 5 && n_after <= 8 * 5);
	analysis_make(run, &a);
	assert_near(a.shifts[0].order_frac, -0.04, 0.005);
	assert_int_equal(need(&a, NOISE_ORDER).arm, 1);
	assert_null(find(&a, NOISE_BANDS)); /* it has a better name */
	assert_true(has_reason(&a, "order:"));
	analysis_done(&a);
	run_free(run);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(analysis_noise_name(NOISE_ORDER), "order");
	assert_string_equal(analysis_noise_name(NOISE_BANDS), "two-bands");
	assert_string_equal(analysis_noise_name(NOISE_DRIFT), "drift");
	assert_string_equal(analysis_noise_name(NOISE_STEP), "step");
	assert_string_equal(analysis_noise_name(NOISE_DISTURBED), "disturbed");
	assert_string_equal(analysis_noise_name(NOISE_LOAD), "load");
	assert_string_equal(analysis_noise_name(NOISE_STEAL), "steal");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_quiet),
		cmocka_unit_test(test_others_on_the_cpus),
		cmocka_unit_test(test_a_disturbed_block),
		cmocka_unit_test(test_bends),
		cmocka_unit_test(test_a_crowded_block),
		cmocka_unit_test(test_order),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("analysis-noise", tests, NULL, NULL);
}
