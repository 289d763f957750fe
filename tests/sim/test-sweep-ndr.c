/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --ndr on the fluid SUT: the search as the sweep's last stage, its answers, resume. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <math.h>
#include <string.h>

#include "../fixture/run_fixture.h"
#include "base/clock.h"
#include "engine/sweep.h"
#include "plan/analysis.h"
#include "plan/ndr.h"
#include "sim/fluid.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

static struct run *make_run(enum ndr_preset ndr, const char *arms)
{
	static const double rel[] = { 0.72, 0.88, 1.05, 1.17, 1.45 };
	struct run *run = run_new();
	struct sp_err err;

	run->config = (struct sweep_config){ .seed = 5,
		.n_blocks = 6,
		.trial_ns = 300 * NS_PER_MS,
		.margin_frac = 0.03,
		.level = 0.95,
		.dither_frac = 0.04,
		.n_rel_rates = 5,
		.ndr = ndr };
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

static void test_both_are_found_on_the_reference_arm(void **state)
{
	static const enum ndr_preset presets[] = { NDR_LIGHT, NDR_CSIT, NDR_RFC2544 };
	size_t i, k;

	(void)state;
	for (i = 0; i < 3; i++) {
		struct run *run = make_run(presets[i], "off,sample@997");
		struct analysis a;
		size_t n = 0, last_grid = 0, first = SIZE_MAX;

		execute(run, "capacity=231k,per-khz=-8%", 7);
		for (k = 0; k < run->n_trials; k++) {
			const struct trial_spec *s = &run->trials[k].spec;

			if (s->kind == TRIAL_GRID)
				last_grid = k;
			if (s->kind != TRIAL_NDR)
				continue;
			first = k < first ? k : first;
			n++;
			assert_int_equal(s->arm, 0);
			assert_int_equal(s->block, 0);
			assert_int_equal(s->burst, run->traffic.burst);
			assert_int_equal(s->duration_ns, ndr_trial_ns(presets[i]));
		}
		assert_true(first > last_grid);
		assert_int_equal(run->trials[first - 1].spec.kind, TRIAL_WARMUP);
		analysis_make(run, &a);
		assert_int_equal(a.verdict, VERDICT_HURTS);
		assert_int_equal(analysis_exit_code(&a), EXIT_DONE);
		assert_int_equal(a.arms[0].ndr.n_trials, n);
		assert_string_equal(analysis_throughput_word(&a.arms[0].ndr), "exact");
		assert_near(a.arms[0].ndr.pps / 231e3, 1, 0.011);
		assert_int_equal(a.arms[0].pdr.is_asked, presets[i] != NDR_RFC2544);
		if (a.arms[0].pdr.is_asked)
			assert_near(a.arms[0].pdr.pps / 231e3, 1, 0.011);
		assert_false(a.arms[1].ndr.is_asked || a.arms[1].pdr.is_asked);
		analysis_done(&a);
		run_free(run);
	}
}

/* A queue of 4,096 frames hides 3.6 % of half a second here; the answer is not
 * moved by it. */
static void test_a_queue_hides_nothing(void **state)
{
	struct run *run = make_run(NDR_LIGHT, "off");
	struct analysis a;

	(void)state;
	execute(run, "capacity=231k,queue=4096", 3);
	analysis_make(run, &a);
	assert_near(a.arms[0].ndr.pps / 231e3, 1, 0.011);
	assert_near(a.arms[0].pdr.pps / 231e3, 1, 0.011);
	analysis_done(&a);
	run_free(run);
}

static void test_irregular_ends(void **state)
{
	static const struct {
		const char *model;
		enum ndr_preset preset;
		const char *ndr, *pdr;
		enum exit_code code;
	} rows[] = {
		/* No minute without an outage. */
		{ "capacity=1M,cut=1%,outages=0.5", NDR_RFC2544, "below-min", NULL,
			EXIT_INCONCLUSIVE },
		{ "capacity=1M,loss=0.2%", NDR_LIGHT, "below-min", "exact",
			EXIT_INCONCLUSIVE },
		{ "capacity=1M,loss=2%", NDR_LIGHT, "below-min", "below-min",
			EXIT_INCONCLUSIVE },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct run *run = make_run(rows[i].preset, "off,sample@997");
		struct analysis a;

		execute(run, rows[i].model, 2);
		analysis_make(run, &a);
		assert_string_equal(
			analysis_throughput_word(&a.arms[0].ndr), rows[i].ndr);
		assert_true(isnan(a.arms[0].ndr.pps));
		if (rows[i].pdr != NULL)
			assert_string_equal(
				analysis_throughput_word(&a.arms[0].pdr), rows[i].pdr);
		/* The observer's verdict stands; the code says that not all is there.
		 */
		assert_int_equal(a.verdict, VERDICT_NONE);
		assert_int_equal(analysis_exit_code(&a), rows[i].code);
		assert_true(a.n_reasons > 0);
		analysis_done(&a);
		run_free(run);
	}
}

/* Trials of the search by hand: what a generator or a highest load that passes do
 * to the answer. */
static void relimit(struct run *run, enum limited_by who, double loss_from_pps)
{
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];
		struct ledger *l = &t->ledgers[0];
		bool bad = t->spec.rate_pps >= loss_from_pps;

		if (t->spec.kind != TRIAL_NDR)
			continue;
		t->window_pps = t->spec.rate_pps;
		t->limited_by = bad ? who : LIMITED_NOT;
		ledger_set(
			l, LEDGER_OFFERED, l->count[LEDGER_INTENDED], LEDGER_MEASURED);
		ledger_set(l, LEDGER_UNIQUE,
			bad ? l->count[LEDGER_INTENDED] / 2 : l->count[LEDGER_INTENDED],
			LEDGER_MEASURED);
	}
}

static void test_who_was_the_limit(void **state)
{
	struct run *run = make_run(NDR_LIGHT, "off");
	struct analysis a;

	(void)state;
	execute(run, "capacity=231k", 2);
	relimit(run, LIMITED_SUT, 1e9);
	analysis_make(run, &a);
	assert_string_equal(analysis_throughput_word(&a.arms[0].ndr), "unfinished");
	assert_int_equal(analysis_exit_code(&a), EXIT_INCONCLUSIVE);
	analysis_done(&a);

	relimit(run, LIMITED_GENERATOR, 232e3);
	analysis_make(run, &a);
	assert_string_equal(analysis_throughput_word(&a.arms[0].ndr), "generator");
	assert_true(isnan(a.arms[0].ndr.pps) && a.arms[0].ndr.hi_pps > 232e3);
	assert_int_equal(analysis_exit_code(&a), EXIT_BROKEN);
	assert_non_null(strstr(a.reasons[a.n_reasons - 1], "generator"));
	analysis_done(&a);
	run_free(run);
}

/* What the generator was seen not to reach is not searched: a SUT that carries all
 * it can send is above-max. */
static void test_the_generator_bounds_the_search(void **state)
{
	struct run *run = make_run(NDR_LIGHT, "off");
	struct analysis a;
	double max = 0;
	size_t i;

	(void)state;
	execute(run, "capacity=231k,generator=225k", 2);
	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.kind == TRIAL_NDR)
			max = fmax(max, run->trials[i].spec.rate_pps);
	assert_true(max > 150e3 && max <= 225e3);
	analysis_make(run, &a);
	assert_string_equal(analysis_throughput_word(&a.arms[0].ndr), "above-max");
	assert_near(a.arms[0].ndr.lo_pps, max, 0);
	assert_true(isnan(a.arms[0].ndr.pps) && isnan(a.arms[0].ndr.hi_pps));
	/* The knee was not reached either, which weighs more. */
	assert_int_equal(analysis_exit_code(&a), EXIT_BROKEN);
	analysis_done(&a);
	run_free(run);
}

static void test_max_time_leaves_it_out(void **state)
{
	struct run *run = make_run(NDR_LIGHT, "off");
	struct analysis a;

	(void)state;
	run->config.max_time_ns = 1;
	execute(run, "capacity=231k", 2);
	analysis_make(run, &a);
	assert_true(a.arms[0].ndr.is_asked);
	assert_int_equal(a.arms[0].ndr.end, MLRSEARCH_UNFINISHED);
	assert_int_equal(a.arms[0].ndr.n_trials, 0);
	analysis_done(&a);
	run_free(run);
}

static void test_resume_within_the_search(void **state)
{
	struct run *whole = make_run(NDR_CSIT, "off");
	size_t cut, i, n_cuts = 0;

	(void)state;
	execute(whole, "capacity=250k,cut=1%,outages=0.1", 9);
	for (cut = 1; cut < whole->n_trials; cut += 5) {
		struct run *part;

		if (whole->trials[cut].spec.kind != TRIAL_NDR)
			continue;
		n_cuts++;
		part = make_run(NDR_CSIT, "off");
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
		execute(part, "capacity=250k,cut=1%,outages=0.1", 1000 + cut);
		assert_true(part->n_trials > cut);
		run_fixture_assert_same_spec(
			&part->trials[cut].spec, &whole->trials[cut].spec);
		run_free(part);
	}
	assert_true(n_cuts >= 5);
	run_free(whole);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_both_are_found_on_the_reference_arm),
		cmocka_unit_test(test_a_queue_hides_nothing),
		cmocka_unit_test(test_irregular_ends),
		cmocka_unit_test(test_who_was_the_limit),
		cmocka_unit_test(test_the_generator_bounds_the_search),
		cmocka_unit_test(test_max_time_leaves_it_out),
		cmocka_unit_test(test_resume_within_the_search),
	};

	return cmocka_run_group_tests_name("sweep-ndr", tests, NULL, NULL);
}
