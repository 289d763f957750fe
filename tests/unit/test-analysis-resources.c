/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis on synthetic runs: what was used at the knee, and what was not. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>

#include "plan/analysis.h"
#include "synthrun.h"

static void assert_near(double got, double want, double tolerance)
{
	if (!(fabs(got - want) <= tolerance))
		fail_msg("got %.9g, want %.9g", got, want);
}

/* Half a second each; what a busy SUT's time is made of. */
static void use_plant(struct run *run)
{
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		t->cpus[0].user_ns = t->cpus[0].busy_ns / 2;
		t->cpus[0].system_ns = t->cpus[0].busy_ns / 4;
		t->cpus[0].softirq_ns = t->cpus[0].busy_ns / 4;
		t->threads[0].wait_ns = 5000000;
		t->threads[0].n_voluntary = 600;
		facts_add(&t->facts, FACT_FREQUENCY_HZ, "1", 3e9);
	}
}

static void test_what_was_used(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	const struct analysis_resources *r;
	struct analysis a;

	(void)state;
	use_plant(run);
	run->traffic.mean_frame_bytes = 64;
	analysis_make(run, &a);
	r = &a.arms[0].resources;
	assert_int_equal(r->n_cpus, 1);
	assert_int_equal(r->cpus[0].cpu, 1);
	assert_near(r->cpus[0].busy_frac, 1, 0.01);
	assert_near(r->cpus[0].user_frac, 0.5, 0.01);
	assert_near(r->cpus[0].system_frac, 0.25, 0.01);
	assert_near(r->cpus[0].softirq_frac, 0.25, 0.01);
	assert_near(r->cpus[0].steal_frac, 0, 0);
	assert_near(r->cpus[0].frequency_hz, 3e9, 0);
	assert_true(isnan(r->cpus[0].thermal_per_s));
	assert_int_equal(r->n_threads, 1);
	assert_string_equal(r->threads[0].name, "fwd");
	assert_near(r->threads[0].run_frac, 0.97, 0.01);
	assert_near(r->threads[0].wait_frac, 0.01, 1e-9);
	assert_near(r->threads[0].off_frac, 0.02, 0.01);
	assert_near(r->threads[0].wakes_per_s, 1200, 1e-6);
	/* 64 bytes and 20 of preamble and gap, 300 thousand times a second. */
	assert_near(r->link_bps, 201.6e6, 0.5e6);
	assert_true(isnan(r->line_bps));
	assert_true(isnan(r->throttled_frac));
	assert_false(r->waits);
	analysis_done(&a);
	run_free(run);
}

static void test_the_link_runs_out(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;

	(void)state;
	s.arms[0].ns_per_pkt = s.arms[1].ns_per_pkt = 1000;
	run = synth_run(&s);
	run->traffic.mean_frame_bytes = 64;
	run_set_fact(run, ANALYSIS_LINE_FACT, "1000000000", true);
	analysis_make(run, &a);
	assert_int_equal(a.arms[0].n_exhausted, 0);
	assert_true(a.arms[0].resources.waits);
	assert_near(a.arms[0].resources.line_bps, 1e9, 0);
	analysis_done(&a);
	run_set_fact(run, ANALYSIS_LINE_FACT, "204000000", true);
	analysis_make(run, &a);
	assert_int_equal(a.arms[0].n_exhausted, 1);
	assert_string_equal(a.arms[0].exhausted[0].what, "link");
	assert_int_equal(a.arms[0].exhausted[0].cpu, -1);
	assert_near(a.arms[0].exhausted[0].busy_frac, 0.988, 0.005);
	assert_false(a.arms[0].resources.waits);
	analysis_done(&a);
	run_free(run);
}

/* Free CPU and nothing else that ran out; held back, it does not wait. */
static void test_it_waits(void **state)
{
	struct synth s = synth_default();
	struct run *run;
	struct analysis a;
	size_t i;

	(void)state;
	s.arms[0].ns_per_pkt = s.arms[1].ns_per_pkt = 1000;
	run = synth_run(&s);
	use_plant(run);
	analysis_make(run, &a);
	assert_true(a.arms[0].resources.waits);
	assert_near(a.arms[0].resources.cpus[0].busy_frac, 0.34, 0.05);
	assert_near(a.arms[0].resources.threads[0].off_frac, 0.66, 0.05);
	analysis_done(&a);
	for (i = 0; i < run->n_trials; i++)
		facts_add(&run->trials[i].facts, FACT_THROTTLED_NS, "", 0.2 * 5e8);
	analysis_make(run, &a);
	assert_false(a.arms[0].resources.waits);
	assert_near(a.arms[0].resources.throttled_frac, 0.2, 1e-9);
	analysis_done(&a);
	run_free(run);
}

/* On two CPUs 0.02 a packet; two packages, the second without PCIe and by its caches.
 */
static void test_what_passed_memory(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	const struct analysis_resources *r;
	struct analysis a;
	size_t i;

	(void)state;
	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];
		double seconds = (double)t->spec.duration_ns / 1e9;
		double packets = (double)t->ledgers[0].count[LEDGER_SUT_IN];

		facts_add(&t->facts, FACT_LOCK_WAITS, "0", 0.005 * packets);
		facts_add(&t->facts, FACT_LOCK_WAITS, "1", 0.015 * packets);
		facts_add(&t->facts, FACT_MEMORY_TRAFFIC_BYTES, "1", 3e9 * seconds);
		facts_add(&t->facts, FACT_MEMORY_LOCAL_BYTES, "1", 1e9 * seconds);
		facts_add(&t->facts, FACT_LLC_BYTES, "1", 4e6);
		facts_add(&t->facts, FACT_MEMORY_READ_BYTES, "0", 12e9 * seconds);
		facts_add(&t->facts, FACT_MEMORY_WRITE_BYTES, "0", 5e9 * seconds);
		facts_add(&t->facts, FACT_PCIE_IN_BYTES, "0", 2e9 * seconds);
		facts_add(&t->facts, FACT_PCIE_OUT_BYTES, "0", 1.5e9 * seconds);
	}
	analysis_make(run, &a);
	r = &a.arms[0].resources;
	assert_near(r->lock_waits_per_pkt, 0.02, 1e-9);
	assert_true(r->lock_waits_per_s > 0.02 * 250e3);
	assert_int_equal(r->n_packages, 2);
	assert_int_equal(r->packages[0].package, 0);
	assert_near(r->packages[0].memory_read_bytes_per_s, 12e9, 1);
	assert_near(r->packages[0].memory_write_bytes_per_s, 5e9, 1);
	assert_near(r->packages[0].pcie_in_bytes_per_s, 2e9, 1);
	assert_near(r->packages[0].pcie_out_bytes_per_s, 1.5e9, 1);
	assert_true(isnan(r->packages[0].memory_traffic_bytes_per_s));
	assert_int_equal(r->packages[1].package, 1);
	assert_near(r->packages[1].memory_traffic_bytes_per_s, 3e9, 1);
	assert_near(r->packages[1].memory_local_bytes_per_s, 1e9, 1);
	assert_near(r->packages[1].llc_bytes, 4e6, 0);
	assert_true(isnan(r->packages[1].pcie_in_bytes_per_s));
	assert_true(isnan(r->packages[1].memory_read_bytes_per_s));
	analysis_done(&a);
	run_free(run);
}

static void test_what_is_not_counted_is_absent(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct analysis a;

	(void)state;
	use_plant(run);
	analysis_make(run, &a);
	assert_true(isnan(a.arms[0].resources.lock_waits_per_pkt));
	assert_true(isnan(a.arms[0].resources.lock_waits_per_s));
	assert_int_equal(a.arms[0].resources.n_packages, 0);
	analysis_done(&a);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_what_was_used),
		cmocka_unit_test(test_the_link_runs_out),
		cmocka_unit_test(test_it_waits),
		cmocka_unit_test(test_what_passed_memory),
		cmocka_unit_test(test_what_is_not_counted_is_absent),
	};

	return cmocka_run_group_tests_name("analysis-resources", tests, NULL, NULL);
}
