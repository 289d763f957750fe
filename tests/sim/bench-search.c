/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the knee of a sweep is worth beside MLRsearch, on the same simulated SUT with
 * the same noise: spread over seeds, seconds of traffic, and how often the interval
 * covers the truth. Run by scripts/bench/search; exits 1 when a claim does not hold.
 */
#include "config.h"

#include <gsl/gsl_statistics_double.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/sweep_options.h"
#include "engine/sweep.h"
#include "plan/analysis.h"
#include "plan/ndr.h"
#include "sim/fluid.h"
#include "stat/values.h"

#define CAPACITY_PPS  1e6
#define CUT_FRAC      0.01
#define OUTAGES_PER_S 0.1
#define OUTAGE_S      0.005
#define MIN_PPS       9001.0
#define MAX_PPS       2e6
#define N_SEEDS       40 /* by default */
#define N_COVERAGE    1000

/* The claims. */
#define SPREAD_RATIO_MAX  1.0
#define SECONDS_RATIO_MAX 0.5
#define COVERAGE_MIN      0.93
#define COVERAGE_MAX      0.97

static const struct fluid_config noisy = { .capacity_pps = CAPACITY_PPS,
	.cut_frac = CUT_FRAC,
	.outages_per_s = OUTAGES_PER_S };

/* What a method gave over the seeds. */
struct tally {
	const char *name;
	struct values pps, seconds;
	size_t n_none; /* seeds without a number */
};

/* What the SUT carries on average: E|N(0, s)| = s sqrt(2 / pi). */
static double truth_pps(void)
{
	return CAPACITY_PPS * (1 - CUT_FRAC * sqrt(2 / M_PI)) *
	       (1 - OUTAGES_PER_S * OUTAGE_S);
}

static void tally_add(struct tally *t, double pps, double seconds)
{
	if (isfinite(pps))
		values_add(&t->pps, pps);
	else
		t->n_none++;
	values_add(&t->seconds, seconds);
}

static double tally_spread(const struct tally *t)
{
	return gsl_stats_sd(t->pps.v, 1, t->pps.n) /
	       gsl_stats_mean(t->pps.v, 1, t->pps.n);
}

static void tally_print(struct tally *t)
{
	(void)printf("%-22s spread %.3f %%, mean %.0f pps, median %.1f s of traffic, "
		     "%zu of %zu seeds without a number\n",
		t->name, 100 * tally_spread(t), gsl_stats_mean(t->pps.v, 1, t->pps.n),
		values_median(&t->seconds), t->n_none, t->seconds.n);
}

static void tally_done(struct tally *t)
{
	values_done(&t->pps);
	values_done(&t->seconds);
}

static void fail(const char *what, const struct sp_err *err)
{
	(void)fprintf(stderr, "bench-search: %s: %s\n", what, err->msg);
	exit(2);
}

/* A sweep of the arm off alone, as `satprof sweep --arms off` plans it. */
static struct run *sweep_off(struct sweep_options *o, uint64_t seed)
{
	struct fluid_config fc = noisy;
	struct run *run = run_new();
	struct sp_err err = { .code = SP_OK };
	struct sweep_job job = {
		.run = run, .ops = &fluid_measure, .clock = &clock_monotonic
	};

	run->config = o->config;
	run->config.seed = seed;
	run->arms = xgrow(run->arms, 0, &run->cap_arms, sizeof(*run->arms));
	run->arms[run->n_arms++] = o->arms[0];
	fc.seed = seed + 1;
	job.measure_ctx = fluid_new(&fc, run->arms, run->n_arms);
	if (sweep_execute(&job, &err) != 0)
		fail("sweep", &err);
	fluid_free(job.measure_ctx);
	return run;
}

static double traffic_seconds(const struct run *run)
{
	double s = 0;
	size_t i;

	for (i = 0; i < run->n_trials; i++)
		s += (double)run->trials[i].spec.duration_ns / (double)NS_PER_S;
	return s;
}

static void knee_once(struct sweep_options *o, uint64_t seed, struct tally *t)
{
	struct run *run = sweep_off(o, seed);
	struct analysis a;

	analysis_make(run, &a);
	tally_add(t, a.arms[0].knee_pps, traffic_seconds(run));
	analysis_done(&a);
	run_free(run);
}

/* MLRsearch alone, without the sweep's pilot; ret_pps by goal, NAN: none. */
static double search_once(enum ndr_preset preset, size_t n_goals, uint64_t seed,
	double ret_pps[MLRSEARCH_MAX_GOALS])
{
	struct fluid_config fc = noisy;
	struct arm off = { .name = "off", .kind = ARM_OFF };
	struct mlrsearch_config c;
	struct mlrsearch *s;
	struct fluid *f;
	struct sp_err err = { .code = SP_OK };
	double seconds = 0;
	size_t i;

	fc.seed = seed + 1;
	f = fluid_new(&fc, &off, 1);
	ndr_config_make(preset, MIN_PPS, MAX_PPS, &c);
	c.n_goals = n_goals;
	s = mlrsearch_new(&c);
	if (fluid_measure.arm_begin(f, 0, 0, &err) != 0)
		fail("arm", &err);
	for (;;) {
		struct trial t = { .spec = { .burst = 1 } };

		if (!mlrsearch_next(s, &t.spec.rate_pps, &t.spec.duration_ns))
			break;
		if (fluid_measure.trial(f, &t, &err) != 0)
			fail("trial", &err);
		seconds += (double)t.spec.duration_ns / (double)NS_PER_S;
		mlrsearch_feed(s, ndr_loss_frac(preset, &t), t.spec.duration_ns);
		trial_done(&t);
	}
	for (i = 0; i < n_goals; i++) {
		struct mlrsearch_result r;

		mlrsearch_result_of(s, i, &r);
		ret_pps[i] = r.throughput_pps;
	}
	mlrsearch_free(s);
	fluid_free(f);
	return seconds;
}

static bool claim(const char *name, double got, double lo, double hi)
{
	bool holds = got >= lo && got <= hi;

	(void)printf("%-44s %.3f (claim: %.3g to %.3g) %s\n", name, got, lo, hi,
		holds ? "holds" : "DOES NOT HOLD");
	return holds;
}

/*
 * The knee of the preset default against NDR as the preset csit gives it, which is
 * together with PDR. What the search takes for NDR alone is printed beside it.
 */
static bool compare(struct sweep_options *o, uint64_t n_seeds)
{
	struct tally knee = { .name = "knee, preset default" };
	struct tally ndr = { .name = "csit, NDR alone" };
	struct tally both[2] = { { .name = "csit, NDR of both" },
		{ .name = "csit, PDR of both" } };
	double pps[MLRSEARCH_MAX_GOALS];
	uint64_t seed;
	bool ok;

	for (seed = 1; seed <= n_seeds; seed++) {
		double s;

		knee_once(o, 100 * seed, &knee);
		s = search_once(NDR_CSIT, 1, 100 * seed, pps);
		tally_add(&ndr, pps[0], s);
		s = search_once(NDR_CSIT, 2, 100 * seed, pps);
		tally_add(&both[0], pps[0], s);
		tally_add(&both[1], pps[1], s);
	}
	tally_print(&knee);
	tally_print(&ndr);
	tally_print(&both[0]);
	tally_print(&both[1]);
	/* Two standard errors of a ratio of two spreads that are equal. */
	(void)printf("a ratio of spreads of %" PRIu64 " seeds: +-%.2f by chance\n",
		n_seeds, 2 / sqrt((double)(n_seeds - 1)));
	ok = claim("spread of knee / of csit NDR",
		tally_spread(&knee) / tally_spread(&both[0]), 0, SPREAD_RATIO_MAX);
	ok &= claim("traffic of knee / of csit",
		values_median(&knee.seconds) / values_median(&both[0].seconds), 0,
		SECONDS_RATIO_MAX);
	(void)printf("%-44s %.3f\n", "traffic of knee / of csit NDR alone",
		values_median(&knee.seconds) / values_median(&ndr.seconds));
	tally_done(&knee);
	tally_done(&ndr);
	tally_done(&both[0]);
	tally_done(&both[1]);
	return ok;
}

static bool coverage(struct sweep_options *o)
{
	struct values half = { 0 };
	double truth = truth_pps(), covered = 0;
	uint64_t seed;
	bool ok;

	for (seed = 1; seed <= N_COVERAGE; seed++) {
		struct run *run = sweep_off(o, 7919 * seed);
		struct analysis a;

		analysis_make(run, &a);
		covered += a.arms[0].lo_pps <= truth && truth <= a.arms[0].hi_pps;
		values_add(&half, (a.arms[0].hi_pps - a.arms[0].lo_pps) / 2 / truth);
		analysis_done(&a);
		run_free(run);
	}
	(void)printf(
		"%d sweeps, seeds 7919 n: truth %.0f pps, median half-width of the "
		"interval %.2f %%\n",
		N_COVERAGE, truth, 100 * values_median(&half));
	ok = claim("part of the intervals that cover the truth", covered / N_COVERAGE,
		COVERAGE_MIN, COVERAGE_MAX);
	values_done(&half);
	return ok;
}

/* usage: bench-search [SEEDS] */
int main(int argc, char **words)
{
	char program[] = "satprof sweep", preset[] = "--preset=default";
	char arms[] = "--arms=off", *argv[] = { program, preset, arms, NULL };
	struct sweep_options o;
	struct sp_err err = { .code = SP_OK };
	uint64_t n_seeds = N_SEEDS;
	bool help = false, ok;

	if (sweep_options_parse(SWEEP_USE_SWEEP, 3, argv, &o, &help, &err) != 0)
		fail("options", &err);
	if (argc > 1 && units_u64_parse(words[1], 2, 100000, &n_seeds, &err) != 0)
		fail("SEEDS", &err);
	(void)printf("SUT: %.0f pps, cut by |N(0, %.0f %%)| in each trial, stopped for "
		     "5 ms %.1f times a second; %" PRIu64 " seeds\n",
		CAPACITY_PPS, 100 * CUT_FRAC, OUTAGES_PER_S, n_seeds);
	ok = compare(&o, n_seeds);
	ok &= coverage(&o);
	sweep_options_done(&o);
	return ok ? 0 : 1;
}
