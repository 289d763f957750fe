/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What must not change an answer, or must change it in a known way: arms swapped,
 * other units, blocks in another order, the same data twice.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <math.h>

#include "plan/analysis.h"
#include "stat/confseq.h"
#include "stat/hinge.h"
#include "stat/ranksum.h"
#include "stat/ranktest.h"
#include "synthrun.h"

#define SEED   20250909
#define N      12
#define N_RUNS 30

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.12g, want %.12g", got, want);
}

static void differences_draw(gsl_rng *rng, double *d, double *minus_d)
{
	size_t i;

	for (i = 0; i < N; i++) {
		d[i] = 0.5 + gsl_ran_tdist(rng, 3);
		minus_d[i] = -d[i];
	}
}

/* Swapped arms mirror estimates and bounds; 1,000 times the values, 1,000 times the
 * bounds; the order of the values is nothing to them. */
static void test_intervals(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	double d[N], m[N], lo, hi, lo_m, hi_m;
	struct ranktest_interval r, r_m;
	size_t i;
	int k;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (k = 0; k < 100; k++) {
		differences_draw(rng, d, m);
		ranktest_interval(d, N, 0.95, RANKTEST_TWO_SIDED, &r);
		ranktest_interval(m, N, 0.95, RANKTEST_TWO_SIDED, &r_m);
		assert_near(r_m.estimate, -r.estimate, 1e-12);
		assert_near(r_m.lo, -r.hi, 1e-12);
		assert_near(r_m.hi, -r.lo, 1e-12);
		confseq_interval(d, N, 0.95, &lo, &hi);
		confseq_interval(m, N, 0.95, &lo_m, &hi_m);
		assert_near(lo_m, -hi, 1e-12);
		assert_near(hi_m, -lo, 1e-12);
		gsl_ran_shuffle(rng, d, N, sizeof(d[0]));
		for (i = 0; i < N; i++)
			d[i] *= 1000;
		ranktest_interval(d, N, 0.95, RANKTEST_TWO_SIDED, &r_m);
		assert_near(r_m.lo, 1000 * r.lo, 1e-9);
		assert_near(r_m.hi, 1000 * r.hi, 1e-9);
		confseq_interval(d, N, 0.95, &lo_m, &hi_m);
		assert_near(lo_m, 1000 * lo, 1e-9);
		/* Of two samples: halves of the same values. */
		ranksum_interval(
			d, N / 2, d + N / 2, N / 2, 0.95, RANKTEST_TWO_SIDED, &r);
		ranksum_interval(
			d + N / 2, N / 2, d, N / 2, 0.95, RANKTEST_TWO_SIDED, &r_m);
		assert_near(r_m.lo, -r.hi, 1e-9);
		assert_near(ranksum_p(d, N / 2, d + N / 2, N / 2, RANKTEST_LOWER),
			ranksum_p(d + N / 2, N / 2, d, N / 2, RANKTEST_UPPER), 1e-12);
	}
	gsl_rng_free(rng);
}

static void test_hinge(void **state)
{
	struct hinge_point p[8], q[8];
	struct hinge_fit f, g;
	size_t i;

	(void)state;
	for (i = 0; i < 8; i++) {
		p[i].rate_pps = 700e3 + 80e3 * (double)i;
		p[i].goodput_pps =
			fmin(p[i].rate_pps, 1e6) * (i % 2 == 0 ? 0.998 : 0.995);
		p[i].is_usable = true;
		q[7 - i] = p[i];
		q[7 - i].rate_pps *= 1000;
		q[7 - i].goodput_pps *= 1000;
	}
	hinge_fit(p, 8, &f);
	hinge_fit(q, 8, &g);
	assert_int_equal(f.kind, HINGE_EXACT);
	assert_int_equal(g.kind, HINGE_EXACT);
	assert_near(g.knee_pps / f.knee_pps, 1000, 1e-6);
}

static struct synth noisy(uint64_t seed)
{
	struct synth s = synth_default();

	s.arms[1].ln_shift = -0.02 * (double)(seed % 4);
	s.sweep_sd = 0.015;
	s.trial_sd = 0.005;
	s.seed = seed;
	return s;
}

static enum verdict mirrored(enum verdict v)
{
	return v == VERDICT_HELPS   ? VERDICT_HURTS
	       : v == VERDICT_HURTS ? VERDICT_HELPS
				    : v;
}

/* Compares the shift of a run with that of the same run after a change. */
static void assert_same_shift(
	const struct analysis *a, const struct analysis *b, double tolerance)
{
	assert_int_equal(b->verdict, a->verdict);
	assert_near(b->shifts[0].shift_frac, a->shifts[0].shift_frac, tolerance);
	assert_near(b->shifts[0].lo_frac, a->shifts[0].lo_frac, tolerance);
	assert_near(b->shifts[0].hi_frac, a->shifts[0].hi_frac, tolerance);
	assert_int_equal(b->shifts[0].n_blocks, a->shifts[0].n_blocks);
}

static void test_swapped_arms(void **state)
{
	uint64_t seed;
	size_t i;

	(void)state;
	for (seed = SEED; seed < SEED + N_RUNS; seed++) {
		struct synth s = noisy(seed);
		struct run *run = synth_run(&s);
		struct arm off = run->arms[0];
		struct analysis a, b;

		analysis_make(run, &a);
		run->arms[0] = run->arms[1];
		run->arms[1] = off;
		for (i = 0; i < run->n_trials; i++)
			run->trials[i].spec.arm = 1 - run->trials[i].spec.arm;
		analysis_make(run, &b);
		assert_near(
			(1 + b.shifts[0].lo_frac) * (1 + a.shifts[0].hi_frac), 1, 1e-9);
		assert_near(
			(1 + b.shifts[0].hi_frac) * (1 + a.shifts[0].lo_frac), 1, 1e-9);
		/* The margin is not the same on both sides: 1.03 is not 1 / 0.97. */
		if (b.verdict != mirrored(a.verdict))
			assert_true(fabs(a.shifts[0].lo_frac + 0.03) < 0.001 ||
				    fabs(a.shifts[0].hi_frac - 0.03) < 0.001);
		analysis_done(&a);
		analysis_done(&b);
		run_free(run);
	}
}

static void test_other_units(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = SEED; seed < SEED + N_RUNS; seed++) {
		struct synth s = noisy(seed), big = noisy(seed);
		struct run *run = synth_run(&s), *run_big;
		struct analysis a, b;

		big.knee_pps *= 1000;
		run_big = synth_run(&big);
		analysis_make(run, &a);
		analysis_make(run_big, &b);
		assert_same_shift(&a, &b, 1e-4); /* counts of frames are whole */
		assert_near(b.arms[0].knee_pps / a.arms[0].knee_pps, 1000, 0.1);
		analysis_done(&a);
		analysis_done(&b);
		run_free(run);
		run_free(run_big);
	}
}

static void test_blocks_in_another_order(void **state)
{
	uint64_t seed;
	size_t i;

	(void)state;
	for (seed = SEED; seed < SEED + N_RUNS; seed++) {
		struct synth s = noisy(seed);
		struct run *run = synth_run(&s);
		struct analysis a, b;

		analysis_make(run, &a);
		for (i = 0; i < run->n_trials; i++)
			run->trials[i].spec.block =
				1 + (run->trials[i].spec.block * 3) % s.n_blocks;
		analysis_make(run, &b);
		assert_same_shift(&a, &b, 1e-9);
		analysis_done(&a);
		analysis_done(&b);
		run_free(run);
	}
}

/* All trials once more: of the same blocks, or, a lie, of blocks of their own. */
static void trials_double(struct run *run, uint32_t block_offset)
{
	size_t n = run->n_trials, i;

	for (i = 0; i < n; i++) {
		struct trial t = run->trials[i];

		t.cpus = NULL;
		t.threads = NULL;
		t.n_cpus = t.cap_cpus = t.n_threads = t.cap_threads = 0;
		t.spec.id = (uint32_t)run->n_trials + 1;
		t.spec.block += block_offset;
		run_add_trial(run, &t);
	}
}

static double width(const struct analysis *a)
{
	return a->shifts[0].hi_frac - a->shifts[0].lo_frac;
}

static void test_the_same_data_twice(void **state)
{
	uint64_t seed;

	(void)state;
	for (seed = SEED; seed < SEED + N_RUNS; seed++) {
		struct synth s = noisy(seed);
		struct run *run = synth_run(&s);
		struct analysis once, twice, as_new;

		analysis_make(run, &once);
		trials_double(run, 0);
		analysis_make(run, &twice);
		run_free(run);
		run = synth_run(&s);
		trials_double(run, s.n_blocks);
		analysis_make(run, &as_new);
		assert_int_equal(twice.shifts[0].n_blocks, once.shifts[0].n_blocks);
		/* More points can show a rounded knee, which moves all. */
		assert_true(width(&twice) >= 0.97 * width(&once));
		assert_true(width(&twice) <= 1.2 * width(&once));
		assert_int_equal(as_new.shifts[0].n_blocks, 2 * s.n_blocks);
		assert_true(width(&as_new) < 0.85 * width(&once));
		analysis_done(&once);
		analysis_done(&twice);
		analysis_done(&as_new);
		run_free(run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_intervals),
		cmocka_unit_test(test_hinge),
		cmocka_unit_test(test_swapped_arms),
		cmocka_unit_test(test_other_units),
		cmocka_unit_test(test_blocks_in_another_order),
		cmocka_unit_test(test_the_same_data_twice),
	};

	return cmocka_run_group_tests_name("metamorphic", tests, NULL, NULL);
}
