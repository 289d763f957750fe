/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Made-up runs, each for one kind of answer. */
#include "config.h"

#include "report_runs.h"

#include <math.h>
#include <stdio.h>

#include "../fixture/run_fixture.h"
#include "base/mem.h"

#define HOSTILE                                                                        \
	"std::map<\"k\", 'v'>::find\n\033[31mverdict=none\xff\xc0\xaf \xe2\x80\xae"    \
	"</script>\xc3\xa9\xc2\x9b,;| a name that goes on and on and on and on and on"

struct run *report_run_hurts(void)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 200000, 182000 },
		.n_blocks = 8,
		.seed = 11,
		.noise_frac = 0.01,
		.profile_trials = true,
	};

	return run_fixture_make(&f);
}

/* The knee is not within the rates. */
struct run *report_run_bound(void)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 400000, 380000 },
		.center_pps = { 200000, 190000 },
		.n_blocks = 6,
		.seed = 12,
		.noise_frac = 0.002,
	};

	return run_fixture_make(&f);
}

/* Too few blocks, a SUT that died, lost samples. */
struct run *report_run_broken(void)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 200000, 190000 },
		.n_blocks = 3,
		.seed = 13,
		.noise_frac = 0.01,
		.profile_trials = true,
	};
	struct run *r = run_fixture_make(&f);
	struct trial *t = &r->trials[r->n_trials - 1];

	r->finished = false;
	trial_invalidate(t, "the SUT (fwd, pid 100) died of signal 11");
	t->loss_frac = (double)NAN;
	t->window_pps = (double)NAN;
	t->cpu_ns_per_pkt = (double)NAN;
	t->sampling.n_lost = 5000;
	r->sut_output = xstrdup("ready\nassertion failed: \033[2J\x07 n > 0\n");
	run_add_note(r, "kernel part not visible, 31 %% of CPU time");
	return r;
}

struct run *report_run_one_arm(void)
{
	const struct run_fixture f = {
		.arms = { "off" },
		.capacity_pps = { 1488095 },
		.n_blocks = 8,
		.seed = 14,
		.noise_frac = 0.004,
		.latency = true,
	};
	struct run *r = run_fixture_make(&f);

	/* A ledger that does not close, and one that cannot be checked. */
	r->trials[0].ledgers[0].count[LEDGER_UNIQUE] -= 7;
	ledger_set(&r->trials[1].ledgers[0], LEDGER_SUT_IN, 0, LEDGER_ABSENT);
	return r;
}

struct run *report_run_hostile(void)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@997" },
		.capacity_pps = { 200000, 199500 },
		.n_blocks = 8,
		.seed = 15,
		.noise_frac = 0.005,
		.profile_trials = true,
		.hot_symbol = HOSTILE,
	};
	struct run *r = run_fixture_make(&f);

	run_set_fact(r, "nic", HOSTILE, false);
	run_set_fact(r, "bidir", "false", true);
	run_set_fact(r, "not a number", "1e", true);
	run_add_note(r, "%s", HOSTILE);
	(void)snprintf(r->trials[3].threads[0].comm, 16, "\033]0;x\x07\xff");
	return r;
}

struct run *report_run_inconclusive(void)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@249", "sample@997" },
		.capacity_pps = { 200000, 197000, 196000 },
		.n_blocks = 6,
		.seed = 16,
		.noise_frac = 0.12,
	};

	return run_fixture_make(&f);
}

struct run *report_run_dose(void)
{
	const struct run_fixture f = {
		.arms = { "off", "sample@249", "sample@997", "sample@3989" },
		.capacity_pps = { 200000, 199006, 196052, 184664 },
		.n_blocks = 8,
		.seed = 17,
		.noise_frac = 0.006,
	};

	return run_fixture_make(&f);
}

static void fact(
	struct trial *t, enum fact_key key, const char *of, double off, double arm)
{
	/* A little more or less in each trial, as counts are. */
	double luck = 1 + 0.02 * ((double)(t->spec.id * 7 % 5) - 2) / 2;
	double v = t->spec.arm > 0 ? arm : off;

	if (fact_info(key)->kind == FACT_COUNT)
		v *= luck * (double)t->spec.duration_ns;
	facts_add(&t->facts, key, of, v);
}

/* An observer that moves the SUT's thread off the generator's CPU, and preloads an
 * agent; a SUT that waits rather than that a CPU runs out. */
struct run *report_run_moved(void)
{
	const struct run_fixture f = {
		.arms = { "off", "profiler" },
		.capacity_pps = { 200000, 231000 },
		.n_blocks = 8,
		.seed = 18,
		.noise_frac = 0.005,
	};
	struct run *r = run_fixture_make(&f);
	size_t i;

	for (i = 0; i < r->n_trials; i++) {
		struct trial *t = &r->trials[i];

		fact(t, FACT_THREAD_CPU, "fwd", 0, 1);
		fact(t, FACT_RUN_NS, "fwd", 0.8, 0.8);
		fact(t, FACT_WAIT_NS, "fwd", 0.3, 0.01);
		fact(t, FACT_FREQUENCY_HZ, "1", 3e9, 3e9);
		fact(t, FACT_THROTTLED_NS, "", 0.012, 0.012);
		fact(t, FACT_LOCK_WAITS, "1", 4e-6, 4e-6);        /* 4000 a second */
		fact(t, FACT_MEMORY_READ_BYTES, "0", 12.3, 14.1); /* GB/s */
		fact(t, FACT_MEMORY_WRITE_BYTES, "0", 4.1, 4.7);
		facts_add_text(&t->facts, FACT_PRELOAD, "",
			t->spec.arm > 0 ? "libagent.so" : "");
		t->cpus[0].busy_ns = t->cpus[0].busy_ns / 10 * 8;
		t->cpus[0].softirq_ns = t->cpus[0].busy_ns / 4;
		t->threads[0].run_ns = t->threads[0].run_ns / 10 * 8;
	}
	run_set_fact(r, "line_bps", "1000000000", true);
	run_set_fact(r, "memory_bandwidth", "uncore_imc", false);
	run_set_fact(r, "pcie_bandwidth", "not offered", false);
	return r;
}

struct run *report_run_confirmed(void)
{
	const struct run_fixture f = {
		.arms = { "off", "profiler", "again" }, /* again: the forced one */
		.capacity_pps = { 199000, 230000, 229000 },
		.n_blocks = 8,
		.seed = 19,
		.noise_frac = 0.005,
	};
	struct run *r = report_run_moved(), *more = run_fixture_make(&f);
	uint32_t last = r->trials[r->n_trials - 1].spec.id;
	struct arm forced = arm_force_make(&r->arms[0], FACTOR_PLACEMENT);
	size_t i;

	r->config.n_confirm = 1;
	forced.force.phase = 1;
	forced.force.arm = 1;
	(void)arm_force_add(&forced, "fwd", "1", (double)NAN);
	run_add_arm(r, &forced);
	for (i = 0; i < more->n_trials; i++) {
		more->trials[i].spec.phase = 1;
		more->trials[i].spec.id += last;
		run_add_trial(r, &more->trials[i]);
	}
	more->n_trials = 0; /* their lists are r's now */
	run_free(more);
	return r;
}

const struct report_run report_runs[REPORT_N_RUNS] = {
	{ "hurts", report_run_hurts, VERDICT_HURTS },
	{ "bound", report_run_bound, VERDICT_NO_KNEE },
	{ "broken", report_run_broken, VERDICT_BROKEN },
	{ "one-arm", report_run_one_arm, VERDICT_MEASURED },
	{ "hostile", report_run_hostile, VERDICT_NONE },
	{ "dose", report_run_dose, VERDICT_NONE },
	{ "inconclusive", report_run_inconclusive, VERDICT_INCONCLUSIVE },
	{ "moved", report_run_moved, VERDICT_HELPS },
	{ "confirmed", report_run_confirmed, VERDICT_HELPS },
};
