/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters of memory, PCIe and locks: made-up machines, and events of this one. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "base/clock.h"
#include "facttree.h"
#include "model/run.h"

#define PMU      "sys/bus/event_source/devices/"
#define RESCTRL  "sys/fs/resctrl/"
#define TOPOLOGY "sys/devices/system/cpu/cpu%d/"
#define LOCK     "events/lock/contention_begin/id"

static const int cpus[] = { 0, 1 };

static bool has_note(const struct run *run, const char *text)
{
	size_t i;

	for (i = 0; i < run->n_notes; i++)
		if (strstr(run->notes[i], text) != NULL)
			return true;
	return false;
}

/* CPUs 0 to 3, two to a package, whose caches have the numbers 4 and 7. */
static void put_packages(const struct roottree *t)
{
	char path[128], text[16];
	int i;

	roottree_put(t, "sys/devices/system/cpu/online", "0-3\n");
	for (i = 0; i < 4; i++) {
		(void)snprintf(
			path, sizeof(path), TOPOLOGY "topology/physical_package_id", i);
		(void)snprintf(text, sizeof(text), "%d\n", i / 2);
		roottree_put(t, path, text);
		(void)snprintf(path, sizeof(path), TOPOLOGY "cache/index3/id", i);
		(void)snprintf(text, sizeof(text), "%d\n", i < 2 ? 4 : 7);
		roottree_put(t, path, text);
	}
}

static void put_domain(const struct roottree *t, const char *group, int l3,
	const char *total, const char *local, const char *held)
{
	char path[160];

	(void)snprintf(path, sizeof(path),
		RESCTRL "%smon_data/mon_L3_%02d/mbm_total_bytes", group, l3);
	roottree_put(t, path, total);
	(void)snprintf(path, sizeof(path),
		RESCTRL "%smon_data/mon_L3_%02d/mbm_local_bytes", group, l3);
	roottree_put(t, path, local);
	(void)snprintf(path, sizeof(path),
		RESCTRL "%smon_data/mon_L3_%02d/llc_occupancy", group, l3);
	roottree_put(t, path, held);
}

static void resctrl_by_package(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = cpus, .n_cpus = 2 } };
	struct run *run = run_new();
	struct facts_counters *cs;

	put_packages(t);
	put_domain(t, "", 4, "1000\n", "900\n", "70000\n");
	put_domain(t, "", 7, "5000\n", "Unavailable\n", "80000\n");
	/* A control group beside the root's, and what is in it already. */
	put_domain(t, "vm1/", 4, "100\n", "90\n", "7\n");
	put_domain(t, "mon_groups/sut/", 4, "600\n", "500\n", "6\n");
	roottree_put(t, RESCTRL "info/L3_MON/mon_features", "mbm_total_bytes\n");
	cs = facts_counters_open(t->fd, cpus, 2, run);
	e.q.counters = cs;
	facttree_begin(t, &e);
	put_domain(t, "", 4, "3000\n", "2900\n", "71000\n");
	put_domain(t, "", 7, "5000\n", "1\n", "80001\n");
	put_domain(t, "vm1/", 4, "150\n", "90\n", "8\n");
	facttree_end(&e, NS_PER_S);
	assert_int_equal(facttree_value(&e, FACT_MEMORY_TRAFFIC_BYTES, "0"), 2050);
	assert_int_equal(facttree_value(&e, FACT_MEMORY_LOCAL_BYTES, "0"), 2000);
	assert_int_equal(facttree_value(&e, FACT_LLC_BYTES, "0"), 71008);
	assert_int_equal(facttree_value(&e, FACT_MEMORY_TRAFFIC_BYTES, "1"), 0);
	assert_int_equal(facttree_value(&e, FACT_LLC_BYTES, "1"), 80001);
	/* Not known at one edge: no fact, not 1. */
	assert_false(facttree_has(&e, FACT_MEMORY_LOCAL_BYTES, "1"));
	assert_false(facttree_has(&e, FACT_MEMORY_READ_BYTES, "0"));
	facttree_done(&e);
	facts_counters_close(cs);
	run_free(run);
}

/* A group that went meanwhile took its part of the sum along. */
static void a_sum_without_a_part_is_absent(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = cpus, .n_cpus = 2 } };
	struct run *run = run_new();
	struct facts_counters *cs;

	put_packages(t);
	put_domain(t, "", 4, "1000\n", "900\n", "70000\n");
	put_domain(t, "vm1/", 4, "100\n", "90\n", "7\n");
	cs = facts_counters_open(t->fd, cpus, 2, run);
	e.q.counters = cs;
	facttree_begin(t, &e);
	put_domain(t, "", 4, "3000\n", "2900\n", "71000\n");
	put_domain(t, "vm1/", 4, "Error\n", "95\n", "7\n");
	facttree_end(&e, NS_PER_S);
	assert_false(facttree_has(&e, FACT_MEMORY_TRAFFIC_BYTES, "0"));
	assert_int_equal(facttree_value(&e, FACT_MEMORY_LOCAL_BYTES, "0"), 2005);
	facttree_done(&e);
	facts_counters_close(cs);
	run_free(run);
}

/*
 * A PMU of a memory controller that is in truth the kernel's clock event (type 1,
 * config 0), which counts the ns that a CPU was there: 64 bytes for each. Where it may
 * not be opened there is no fact, and a note.
 */
static void put_clock_as_imc(const struct roottree *t, const char *pmu, const char *cpu)
{
	char path[160];

	(void)snprintf(path, sizeof(path), PMU "%s/type", pmu);
	roottree_put(t, path, "1\n");
	(void)snprintf(path, sizeof(path), PMU "%s/cpumask", pmu);
	roottree_put(t, path, cpu);
	(void)snprintf(path, sizeof(path), PMU "%s/format/event", pmu);
	roottree_put(t, path, "config:0-7\n");
	(void)snprintf(path, sizeof(path), PMU "%s/events/cas_count_read", pmu);
	roottree_put(t, path, "event=0x00\n");
	(void)snprintf(path, sizeof(path), PMU "%s/events/cas_count_read.scale", pmu);
	roottree_put(t, path, "6.103515625e-5\n");
	(void)snprintf(path, sizeof(path), PMU "%s/events/cas_count_read.unit", pmu);
	roottree_put(t, path, "MiB\n");
	/* Of another family: the same bytes again. */
	(void)snprintf(path, sizeof(path), PMU "%s/events/data_reads", pmu);
	roottree_put(t, path, "event=0x00\n");
	(void)snprintf(path, sizeof(path), PMU "%s/events/data_reads.unit", pmu);
	roottree_put(t, path, "MiB\n");
}

static void uncore_events_add_up(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = cpus, .n_cpus = 2 } };
	struct run *run = run_new();
	struct facts_counters *cs;
	struct timespec pause = { .tv_nsec = 20 * 1000 * 1000 };
	uint64_t from_ns, ns;
	double bytes;

	put_packages(t);
	put_clock_as_imc(t, "uncore_imc_0", "0\n");
	put_clock_as_imc(t, "uncore_imc_1", "0\n");
	cs = facts_counters_open(t->fd, cpus, 2, run);
	e.q.counters = cs;
	from_ns = clock_now_ns(&clock_monotonic);
	facttree_begin(t, &e);
	(void)nanosleep(&pause, NULL);
	facttree_end(&e, NS_PER_S);
	ns = clock_now_ns(&clock_monotonic) - from_ns;
	assert_false(facttree_has(&e, FACT_MEMORY_WRITE_BYTES, "0"));
	if (has_note(run, "memory bandwidth is not counted: ")) {
		assert_false(facttree_has(&e, FACT_MEMORY_READ_BYTES, "0"));
	} else {
		bytes = facttree_value(&e, FACT_MEMORY_READ_BYTES, "0");
		assert_true(bytes >= 2 * 64 * 20e6);
		assert_true(bytes <= 2 * 64 * (double)ns);
	}
	facttree_done(&e);
	facts_counters_close(cs);
	run_free(run);
}

/* A PMU whose numbers this kernel does not know: a note, and no half of a sum. */
static void what_is_refused_is_a_note(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = cpus, .n_cpus = 2 } };
	struct run *run = run_new();
	struct facts_counters *cs;

	put_packages(t);
	put_clock_as_imc(t, "uncore_imc_0", "0\n");
	put_clock_as_imc(t, "uncore_imc_1", "0\n");
	roottree_put(t, PMU "uncore_imc_1/type", "4000000\n");
	cs = facts_counters_open(t->fd, cpus, 2, run);
	e.q.counters = cs;
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_true(has_note(run, "memory bandwidth is not counted: "));
	assert_false(facttree_has(&e, FACT_MEMORY_READ_BYTES, "0"));
	facttree_done(&e);
	facts_counters_close(cs);
	run_free(run);
}

static void locks_say_why_not(void **state)
{
	static const struct {
		const char *path, *text, *note;
	} rows[] = {
		{ NULL, NULL, "tracefs is not mounted" },
		{ "sys/kernel/tracing/events/sched/enable", "0\n",
			"has no lock:contention_begin" },
		/* No such event: the kernel, or the right to it, says no. */
		{ "sys/kernel/debug/tracing/" LOCK, "99999999\n",
			"event 'lock:contention_begin' on CPU 0" },
	};
	const struct roottree *t = *state;
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct facttree_edges e = { .q = { .cpus = cpus, .n_cpus = 2 } };
		struct run *run = run_new();
		struct facts_counters *cs;

		if (rows[i].path != NULL)
			roottree_put(t, rows[i].path, rows[i].text);
		cs = facts_counters_open(t->fd, cpus, 2, run);
		e.q.counters = cs;
		facttree_begin(t, &e);
		facttree_end(&e, NS_PER_S);
		assert_false(facttree_has(&e, FACT_LOCK_WAITS, "0"));
		assert_true(has_note(run, "waits for kernel locks are not counted: "));
		assert_true(has_note(run, rows[i].note));
		facttree_done(&e);
		facts_counters_close(cs);
		run_free(run);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			resctrl_by_package, facttree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(a_sum_without_a_part_is_absent,
			facttree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			uncore_events_add_up, facttree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			what_is_refused_is_a_note, facttree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			locks_say_why_not, facttree_setup, roottree_teardown),
	};

	return cmocka_run_group_tests_name("facts-counters", tests, NULL, NULL);
}
