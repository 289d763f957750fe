/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How well paired sweeps tell an effect on the knee, by the step of their grid: error
 * and coverage of the hinge, and of the last step that passed, which is known to be
 * bad. And that what has no knee is given none.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>
#include <math.h>
#include <stdio.h>

#include "stat/hinge.h"
#include "stat/ranktest.h"
#include "statsim.h"

#define SEED         20250505
#define N_SWEEPS     8 /* pairs */
#define N_POINTS_MAX 16
#define CAPACITY_PPS 1e6
#define EFFECT       (-0.04)
#define DRIFT_SD     0.015
#define DRIFT_AR     0.7
#define NOISE_SD     0.005
#define LOSS_GOAL    0.005

struct grid {
	double step;      /* of the capacity */
	bool is_dithered; /* a random start, the same for both of a pair */
	double softness;  /* width of the corner, of the capacity */
	double collapse;  /* slope above the knee */
};

/* Goodput of a SUT: as the fluid model's, on its own here so as to be checked. */
static double goodput(const struct grid *g, double rate, double capacity)
{
	double x = rate - capacity, width = g->softness * capacity;
	double over = width > 0 ? width * log1p(exp(x / width)) : fmax(0, x);

	return rate - (1 - g->collapse) * over;
}

static size_t sweep_draw(gsl_rng *rng, const struct grid *g, double offset,
	double capacity, struct hinge_point *points)
{
	size_t n = 0;
	double rel;

	for (rel = 0.72 + offset * g->step; rel < 1.32; rel += g->step) {
		double rate = rel * CAPACITY_PPS;
		double good = goodput(g, rate, capacity) *
			      exp(gsl_ran_gaussian(rng, NOISE_SD));

		points[n++] = (struct hinge_point){ rate, fmin(good, rate), true };
	}
	return n;
}

static double last_pass(const struct hinge_point *points, size_t n)
{
	double last = points[0].rate_pps;
	size_t i;

	for (i = 0; i < n; i++)
		if (points[i].goodput_pps >= (1 - LOSS_GOAL) * points[i].rate_pps)
			last = fmax(last, points[i].rate_pps);
	return last;
}

struct campaign {
	struct hinge_point points[2 * N_SWEEPS][N_POINTS_MAX];
	struct hinge_sweep sweeps[2 * N_SWEEPS]; /* off, on, off, on, ... */
};

/* A machine whose speed wanders from sweep to sweep; a coin gives each order. */
static void campaign_draw(gsl_rng *rng, const struct grid *g, struct campaign *c)
{
	double ar = gsl_ran_gaussian(rng, DRIFT_SD);
	size_t i, k;

	for (i = 0; i < N_SWEEPS; i++) {
		double offset = g->is_dithered ? gsl_rng_uniform(rng) - 0.5 : 0;
		bool on_first = gsl_rng_uniform(rng) < 0.5;

		for (k = 0; k < 2; k++) {
			bool is_on = on_first == (k == 0);
			size_t at = 2 * i + is_on;
			double capacity =
				CAPACITY_PPS * exp(ar) * (is_on ? 1 + EFFECT : 1);

			c->sweeps[at].points = c->points[at];
			c->sweeps[at].n =
				sweep_draw(rng, g, offset, capacity, c->points[at]);
			ar = DRIFT_AR * ar +
			     gsl_ran_gaussian(
				     rng, DRIFT_SD * sqrt(1 - DRIFT_AR * DRIFT_AR));
		}
	}
}

/* What a way of finding knees is worth. */
struct worth {
	double rmse, coverage, detects;
};

static void worth_add(struct worth *w, const double *d, size_t n)
{
	struct ranktest_interval r;
	double truth = log1p(EFFECT);

	ranktest_interval(d, n, 0.95, RANKTEST_TWO_SIDED, &r);
	w->rmse += (r.estimate - truth) * (r.estimate - truth);
	w->coverage += r.lo <= truth && truth <= r.hi;
	w->detects += r.hi < 0;
}

static void worth_settle(struct worth *w, int n_campaigns)
{
	w->rmse = sqrt(w->rmse / n_campaigns);
	w->coverage /= n_campaigns;
	w->detects /= n_campaigns;
}

static void worth_of(const struct grid *g, int n_campaigns, unsigned long seed,
	struct worth *ret_hinge, struct worth *ret_last)
{
	gsl_rng *rng = statsim_rng(seed);
	struct campaign c;
	int k;

	*ret_hinge = *ret_last = (struct worth){ .rmse = 0 };
	for (k = 0; k < n_campaigns; k++) {
		double d[N_SWEEPS], last[N_SWEEPS];
		struct hinge_shape shape;
		size_t i, n = 0;

		campaign_draw(rng, g, &c);
		hinge_shape_make(c.sweeps, 2 * N_SWEEPS, &shape);
		for (i = 0; i < N_SWEEPS; i++) {
			const struct hinge_sweep *off = &c.sweeps[2 * i], *on = off + 1;
			struct hinge_fit f_off, f_on;

			hinge_fit_shaped(off->points, off->n, &shape, &f_off);
			hinge_fit_shaped(on->points, on->n, &shape, &f_on);
			if (f_off.kind == HINGE_EXACT && f_on.kind == HINGE_EXACT)
				d[n++] = log(f_on.knee_pps / f_off.knee_pps);
			last[i] = log(last_pass(on->points, on->n) /
				      last_pass(off->points, off->n));
		}
		worth_add(ret_hinge, d, n);
		worth_add(ret_last, last, N_SWEEPS);
	}
	worth_settle(ret_hinge, n_campaigns);
	worth_settle(ret_last, n_campaigns);
	gsl_rng_free(rng);
}

/* V5. An effect of -4 %, capacity that wanders by 1.5 %, sharp knee and soft. */
static void test_paired_sweeps(void **state)
{
	static const struct {
		struct grid grid;
		double rmse_hi, coverage_lo, detects_lo; /* of the hinge; method b3 */
	} rows[] = {
		{ { 0.05, false, 0, 0 }, 0.0055, 0.94, 0.99 },
		{ { 0.10, false, 0, 0 }, 0.0060, 0.93, 0.99 },
		{ { 0.10, true, 0, 0 }, 0.0060, 0.93, 0.99 },
		{ { 0.05, true, 0, -0.5 }, 0.0055, 0.93, 0.99 },
		{ { 0.05, true, 0.02, 0 }, 0.0065, 0.93, 0.98 },
		{ { 0.10, true, 0.02, 0 }, 0.0075, 0.92, 0.98 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		const struct grid *g = &rows[i].grid;
		struct worth hinge, last;

		worth_of(g, 500, SEED + i, &hinge, &last);
		print_message("# step %.0f %%, %s, soft %.0f %%: error %.2f %% "
			      "(last that passed %.2f %%, covers %.2f, detects %.2f)\n",
			100 * g->step, g->is_dithered ? "dithered" : "fixed",
			100 * g->softness, 100 * hinge.rmse, 100 * last.rmse,
			last.coverage, last.detects);
		statsim_assert_share("error", hinge.rmse, 0.003, rows[i].rmse_hi);
		statsim_assert_share(
			"covers", hinge.coverage, rows[i].coverage_lo, 0.985);
		statsim_assert_share("detects", hinge.detects, rows[i].detects_lo, 1);
		assert_true(last.rmse > 2 * hinge.rmse);
	}
}

/* Sweeps that must not be given a knee: the share that is. */
static double share_exact(double top_rel, double generator_rel, unsigned long seed)
{
	const int n = 2000;
	gsl_rng *rng = statsim_rng(seed);
	struct hinge_point points[N_POINTS_MAX];
	struct hinge_fit f;
	double exact = 0;
	size_t i;
	int k;

	for (k = 0; k < n; k++) {

		for (i = 0; i < 6; i++) {
			struct hinge_point *p = &points[i];

			p->rate_pps = CAPACITY_PPS * top_rel * (0.6 + 0.08 * (double)i);
			p->goodput_pps = fmin(fmin(p->rate_pps, CAPACITY_PPS) *
						      exp(gsl_ran_gaussian(rng, 0.01)),
				p->rate_pps);
			p->is_usable = p->rate_pps <= generator_rel * CAPACITY_PPS;
		}
		hinge_fit(points, 6, &f);
		exact += f.kind == HINGE_EXACT;
	}
	gsl_rng_free(rng);
	return exact / n;
}

static void test_no_knee(void **state)
{
	(void)state;
	statsim_assert_share(
		"all below the knee", share_exact(0.9, 9, SEED + 20), 0, 0.015);
	statsim_assert_share(
		"all above the knee", share_exact(1.8, 9, SEED + 21), 0, 0.015);
	/* What the generator could not send is no evidence of a knee. */
	statsim_assert_share("generator short of the knee",
		share_exact(1.2, 0.98, SEED + 22), 0, 0.015);
	statsim_assert_share(
		"a knee in the middle", share_exact(1.25, 9, SEED + 23), 0.99, 1);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_paired_sweeps),
		cmocka_unit_test(test_no_knee),
	};

	return cmocka_run_group_tests_name("stat-knees", tests, NULL, NULL);
}
