/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The hinge fit on exact data, on bounds, and in seeded Monte Carlo. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <gsl/gsl_rng.h>
#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>

#include "stat/hinge.h"

#define SEED     20240602
#define N_RATES  5
#define N_TRIALS 1500
#define KNEE_PPS 300e3

static const double grid[N_RATES] = { 0.72, 0.88, 1.00, 1.12, 1.25 };

/* A device under test: what the fit should find. */
struct device {
	double slope;    /* of goodput above the knee */
	double softness; /* width of a rounded knee, in units of the knee */
	double loss_frac;
	double rate_sd;     /* noise of every goodput, log */
	double capacity_sd; /* noise of the capacity, trial by trial, log */
};

static double goodput_of(const struct device *d, double rate, gsl_rng *rng)
{
	double c = KNEE_PPS * exp(gsl_ran_gaussian(rng, d->capacity_sd));
	double soft = d->softness * KNEE_PPS, g;

	if (soft > 0)
		g = rate - (1 - d->slope) * soft * log1p(exp((rate - c) / soft));
	else
		g = rate < c ? rate : c + d->slope * (rate - c);
	return g * (1 - d->loss_frac) * exp(gsl_ran_gaussian(rng, d->rate_sd));
}

static void sweep(
	const struct device *d, double center, gsl_rng *rng, struct hinge_point *points)
{
	size_t i;

	for (i = 0; i < N_RATES; i++) {
		points[i].rate_pps = grid[i] * center;
		points[i].goodput_pps = goodput_of(d, points[i].rate_pps, rng);
		points[i].is_usable = true;
	}
}

static struct hinge_fit fit_at(const struct device *d, double center)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct hinge_point points[N_RATES];
	struct hinge_fit f;

	sweep(d, center, rng, points);
	hinge_fit(points, N_RATES, &f);
	gsl_rng_free(rng);
	return f;
}

struct quality {
	double bias, rmse; /* of ln knee over the exact fits */
	double exact_frac;
};

/* Centres 1.5 % off and dithered by 4 %, as the plan makes them. */
static struct quality simulate(const struct device *d)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct quality q = { 0, 0, 0 };
	struct hinge_point points[N_RATES];
	struct hinge_fit f;
	double e, n = 0;
	int i;

	gsl_rng_set(rng, SEED);
	for (i = 0; i < N_TRIALS; i++) {
		double off = gsl_ran_gaussian(rng, 0.015) +
			     0.04 * (2 * gsl_rng_uniform(rng) - 1);

		sweep(d, KNEE_PPS * exp(off), rng, points);
		hinge_fit(points, N_RATES, &f);
		if (f.kind != HINGE_EXACT)
			continue;
		e = log(f.knee_pps / KNEE_PPS);
		q.bias += e;
		q.rmse += e * e;
		n++;
	}
	gsl_rng_free(rng);
	q.bias /= n;
	q.rmse = sqrt(q.rmse / n);
	q.exact_frac = n / N_TRIALS;
	return q;
}

/* A policer: no noise at all. The knee comes back to 1e-5 and nothing blows up. */
static void test_exact_data(void **state)
{
	double center;

	(void)state;
	for (center = 0.93; center < 1.07; center += 0.01) {
		struct device d = { .slope = 0 };
		struct hinge_fit f = fit_at(&d, center * KNEE_PPS);

		assert_int_equal(f.kind, HINGE_EXACT);
		assert_true(fabs(f.knee_pps / KNEE_PPS - 1) < 1e-5);
		assert_true(fabs(f.slope_above) < 1e-3);
		assert_true(f.residual_frac < 1e-4);
		assert_true(isfinite(f.bic_gain) && f.bic_gain > 10);
		assert_true(isnan(f.lo_pps) && isnan(f.hi_pps));
		assert_true(f.n_below >= 2 && f.n_above >= 2);
	}
}

static void test_exact_collapse(void **state)
{
	struct device d = { .slope = -0.8 };
	struct hinge_fit f = fit_at(&d, 1.02 * KNEE_PPS);

	(void)state;
	assert_int_equal(f.kind, HINGE_EXACT);
	assert_true(fabs(f.knee_pps / KNEE_PPS - 1) < 1e-5);
	assert_true(fabs(f.slope_above + 0.8) < 1e-3);
}

/* A background loss scales the goodput knee and nothing else. */
static void test_background_loss(void **state)
{
	static const double losses[] = { 1e-4, 1e-3, 5e-3, 0.01 };
	double center;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(losses) / sizeof(losses[0]); i++)
		for (center = 0.94; center < 1.06; center += 0.01) {
			struct device d = { .loss_frac = losses[i] };
			struct hinge_fit f = fit_at(&d, center * KNEE_PPS);
			double want = KNEE_PPS * (1 - losses[i]);

			assert_int_equal(f.kind, HINGE_EXACT);
			assert_true(fabs(f.knee_pps / want - 1) < 1e-4);
			assert_true(fabs(f.loss_frac - losses[i]) < 1e-4);
		}
}

/* Sharp knees in noise: the line through the two or three upper points, carried
 * back to the kink, has 1.4 times the sd of one point here. */
static void test_noise(void **state)
{
	static const double sds[] = { 0.003, 0.01, 0.02 };
	static const double slopes[] = { 0, -0.3, -1 };
	size_t i, j;
	int by_capacity;

	(void)state;
	for (by_capacity = 0; by_capacity < 2; by_capacity++)
		for (i = 0; i < 3; i++)
			for (j = 0; j < 3; j++) {
				struct device d = {
					.slope = slopes[j],
					.rate_sd = by_capacity ? 0 : sds[i],
					.capacity_sd = by_capacity ? sds[i] : 0,
				};
				struct quality q = simulate(&d);

				assert_true(q.exact_frac > 0.985);
				assert_true(fabs(q.bias) < 0.0035);
				assert_true(q.rmse < 1.9 * sds[i]);
			}
}

static void test_soft_knee(void **state)
{
	struct device d = { .softness = 0.02, .rate_sd = 0.01 };
	struct quality q = simulate(&d);

	(void)state;
	assert_true(q.exact_frac > 0.985);
	assert_true(fabs(q.bias) < 0.01);
	assert_true(q.rmse < 0.02);
}

static void test_loss_in_noise(void **state)
{
	struct device d = { .loss_frac = 0.01, .rate_sd = 0.01 };
	struct quality q = simulate(&d);

	(void)state;
	assert_true(q.exact_frac > 0.985);
	assert_true(fabs(q.bias - log(0.99)) < 0.003);
	assert_true(q.rmse < 0.025);
}

static void test_above_max(void **state)
{
	static const double losses[] = { 0, 1e-3, 0.01 };
	size_t i;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct device d = { .loss_frac = losses[i] };
		struct hinge_fit f = fit_at(&d, 0.6 * KNEE_PPS);

		assert_int_equal(f.kind, HINGE_ABOVE_MAX);
		assert_true(isnan(f.knee_pps) && isnan(f.hi_pps));
		assert_true(f.lo_pps <= KNEE_PPS && f.lo_pps > 0.7 * KNEE_PPS);
		assert_true(f.center_pps > 0.7 * KNEE_PPS);
	}
}

/* The bound holds wherever the knee is below the grid or between its first two. */
static void test_below_min(void **state)
{
	double center;

	(void)state;
	for (center = 1.2; center < 4; center += 0.1) {
		struct device d = { .slope = -0.1 };
		struct hinge_fit f = fit_at(&d, center * KNEE_PPS);

		assert_int_equal(f.kind, HINGE_BELOW_MIN);
		assert_true(isnan(f.knee_pps) && isnan(f.lo_pps));
		assert_true(f.hi_pps >= KNEE_PPS);
		assert_true(f.center_pps <= 1.001 * KNEE_PPS);
	}
}

/* How often a diagonal, a flat line and a half slope are taken for a knee. */
static void test_false_knees(void **state)
{
	static const double sds[] = { 0.001, 0.005, 0.01, 0.02 };
	static const struct {
		double a, b; /* goodput = a + b rate, in units of the centre */
		enum hinge_kind want;
	} lines[] = {
		{ 0, 1, HINGE_ABOVE_MAX },
		{ 0, 0.995, HINGE_ABOVE_MAX },
		{ 0.5, 0, HINGE_BELOW_MIN },
		{ 0.2, 0.7, HINGE_INVALID },
	};
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct hinge_point p[N_RATES];
	struct hinge_fit f;
	size_t i, j, k;
	int t, n_exact, n_want;

	(void)state;
	gsl_rng_set(rng, SEED + 1);
	for (i = 0; i < 4; i++)
		for (j = 0; j < 4; j++) {
			n_exact = n_want = 0;
			for (t = 0; t < N_TRIALS; t++) {
				for (k = 0; k < N_RATES; k++)
					p[k] = (struct hinge_point){ grid[k],
						(lines[i].a + lines[i].b * grid[k]) *
							exp(gsl_ran_gaussian(
								rng, sds[j])),
						true };
				hinge_fit(p, N_RATES, &f);
				n_exact += f.kind == HINGE_EXACT;
				n_want += f.kind == lines[i].want;
			}
			assert_true(n_exact < 0.02 * N_TRIALS);
			assert_true(n_want > 0.95 * N_TRIALS);
		}
	gsl_rng_free(rng);
}

/* A collapse that is the generator's is no knee once its points are left out. */
static void test_unusable_points(void **state)
{
	struct hinge_point p[N_RATES] = {
		{ 72e3, 72e3, true },
		{ 88e3, 88e3, true },
		{ 100e3, 100e3, true },
		{ 112e3, 104e3, false },
		{ 125e3, 104e3, false },
	};
	struct hinge_fit f;

	(void)state;
	hinge_fit(p, N_RATES, &f);
	assert_int_equal(f.kind, HINGE_ABOVE_MAX);
	assert_int_equal(f.n_used, 3);
	assert_true(fabs(f.lo_pps - 100e3) < 1);
	p[3].is_usable = p[4].is_usable = true;
	hinge_fit(p, N_RATES, &f);
	assert_int_equal(f.kind, HINGE_EXACT);
	assert_true(fabs(f.knee_pps - 104e3) < 10);
}

static void test_too_few(void **state)
{
	struct hinge_point p[2] = {
		{ 100e3, 100e3, true },
		{ 100e3, 90e3, true },
	};
	struct hinge_fit f;

	(void)state;
	hinge_fit(p, 0, &f);
	assert_int_equal(f.kind, HINGE_INVALID);
	assert_true(isnan(f.knee_pps) && isnan(f.center_pps));
	hinge_fit(p, 1, &f);
	assert_int_equal(f.kind, HINGE_INVALID);
	hinge_fit(p, 2, &f); /* one rate twice: no line */
	assert_int_equal(f.kind, HINGE_INVALID);
	p[1].rate_pps = (double)NAN;
	hinge_fit(p, 2, &f);
	assert_int_equal(f.n_used, 1);
	p[1] = (struct hinge_point){ 200e3, 200e3, true };
	hinge_fit(p, 2, &f);
	assert_int_equal(f.kind, HINGE_ABOVE_MAX);
	p[1].goodput_pps = 110e3;
	hinge_fit(p, 2, &f);
	assert_int_equal(f.kind, HINGE_BELOW_MIN);
	assert_true(f.hi_pps >= 200e3);
}

/* Order of the points and unit of the rates do not matter. */
static void test_metamorphic(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct device d = { .slope = -0.2, .rate_sd = 0.02 };
	struct hinge_point p[N_RATES];
	struct hinge_fit a, b;
	int t, i;

	(void)state;
	gsl_rng_set(rng, SEED + 2);
	for (t = 0; t < 200; t++) {
		sweep(&d, KNEE_PPS, rng, p);
		hinge_fit(p, N_RATES, &a);
		gsl_ran_shuffle(rng, p, N_RATES, sizeof(p[0]));
		for (i = 0; i < N_RATES; i++) {
			p[i].rate_pps *= 1000;
			p[i].goodput_pps *= 1000;
		}
		hinge_fit(p, N_RATES, &b);
		assert_int_equal(a.kind, b.kind);
		assert_true(fabs(b.center_pps / a.center_pps / 1000 - 1) < 1e-6);
		assert_true(fabs(a.bic_gain - b.bic_gain) < 1e-6);
	}
	gsl_rng_free(rng);
}

static void test_names(void **state)
{
	(void)state;
	assert_string_equal(hinge_kind_name(HINGE_EXACT), "exact");
	assert_string_equal(hinge_kind_name(HINGE_ABOVE_MAX), "above-max");
	assert_string_equal(hinge_kind_name(HINGE_BELOW_MIN), "below-min");
	assert_string_equal(hinge_kind_name(HINGE_INVALID), "invalid");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_exact_data),
		cmocka_unit_test(test_exact_collapse),
		cmocka_unit_test(test_background_loss),
		cmocka_unit_test(test_noise),
		cmocka_unit_test(test_soft_knee),
		cmocka_unit_test(test_loss_in_noise),
		cmocka_unit_test(test_above_max),
		cmocka_unit_test(test_below_min),
		cmocka_unit_test(test_false_knees),
		cmocka_unit_test(test_unusable_points),
		cmocka_unit_test(test_too_few),
		cmocka_unit_test(test_metamorphic),
		cmocka_unit_test(test_names),
	};

	return cmocka_run_group_tests_name("hinge", tests, NULL, NULL);
}
