/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit's rules about NICs, CPUs and the machine's settings, and what of a run is
 * judged. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "auditbox.h"
#include "synthrun.h"

static void test_offloads(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	a.nics[0].gro = 1;
	auditbox_one(&a, "receive-offload", "GRO is on at nic0",
		"sudo ethtool -K nic0 gro off");
	auditbox_make(&a);
	a.nics[0].gro = a.nics[0].lro = 1;
	auditbox_one(&a, "receive-offload", "GRO and LRO are on at nic0",
		"sudo ethtool -K nic0 gro off lro off");
	/* For a server that nobody measures it is a good. */
	auditbox_make(&a);
	a.nics[0].gro = 1;
	a.nics[0].used = false;
	auditbox_none(&a);
	auditbox_make(&a);
	a.nics[0].gro = a.nics[0].lro = AUDIT_UNKNOWN;
	auditbox_none(&a);
	/* A name is what somebody else likes. */
	auditbox_make(&a);
	a.nics[0].gro = 1;
	(void)strcpy(a.nics[0].name, "$(reboot)");
	auditbox_one(&a, "receive-offload", "GRO is on at $(reboot)", "");
}

static void test_drops_and_rings(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	a.nics[0].rx_drops = 1000000;
	auditbox_one(&a, "nic-drops", "nic0 has dropped 1000000 received and 0 sent",
		"sudo ethtool -G nic0 rx 4096");
	auditbox_make(&a);
	a.nics[0].tx_drops = 1000000;
	a.nics[0].tx_ring = 4096; /* it is as large as can be */
	auditbox_one(&a, "nic-drops", "0 received and 1000000 sent", "");
	/* Some of a billion; and not known. */
	auditbox_make(&a);
	a.nics[0].rx_drops = 1000;
	auditbox_none(&a);
	auditbox_make(&a);
	a.nics[0].rx_drops = 1000000;
	a.nics[0].has_drops = false;
	auditbox_none(&a);
	auditbox_make(&a);
	a.nics[0].rx_ring = 256;
	auditbox_one(&a, "ring-small", "holds 256 frames of the 4096",
		"sudo ethtool -G nic0 rx 4096");
	auditbox_make(&a);
	a.nics[0].rx_ring = a.nics[0].rx_ring_max = 256; /* no more to be had */
	auditbox_none(&a);
}

static void test_shared_cpu(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	a.cpus[6].others_frac = 0.12;
	(void)strcpy(a.cpus[6].others, "hog");
	a.cpus[6].others_pid = 17;
	auditbox_one(&a, "cpu-shared",
		"others took 12 % of CPU 6, where the SUT runs (hog, pid 17)",
		"sudo taskset -apc 0-5 17");
	auditbox_make(&a);
	a.cpus[6].others_frac = (double)NAN;
	auditbox_none(&a);
	auditbox_make(&a);
	a.cpus[2].others_frac = a.cpus[2].busy_frac = 0.9; /* not of the SUT's core */
	auditbox_none(&a);
}

static void test_sibling(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	a.cpus[7].others_frac = a.cpus[7].busy_frac = 0.5;
	auditbox_one(&a, "smt-sibling",
		"CPU 6 of the SUT shares its core with CPU 7, which is 50 % busy", "");
	/* Two workers of the SUT on one core, told once. */
	auditbox_make(&a);
	*audit_add_thread(&a, 100, 102) = (struct audit_thread){
		.pid = 100, .tid = 102, .cpu = 7, .node = 1, .busy_frac = 0.5
	};
	a.cpus[7].busy_frac = 0.5;
	auditbox_one(&a, "smt-sibling", "50 % busy by the SUT itself", "");
	auditbox_make(&a);
	cpulist_done(&a.cpus[6].siblings); /* not known */
	a.cpus[7].others_frac = a.cpus[7].busy_frac = 0.5;
	auditbox_none(&a);
}

static void test_governor(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	(void)strcpy(a.cpus[6].governor, "schedutil");
	auditbox_one(&a, "governor", "the frequency governor of CPU 6 is schedutil",
		"sudo cpupower -c 6 frequency-set -g performance");
	auditbox_make(&a);
	(void)strcpy(a.cpus[0].governor, "powersave"); /* the SUT is not there */
	auditbox_none(&a);
	auditbox_make(&a);
	a.cpus[6].governor[0] = '\0';
	auditbox_none(&a);
	/* Of a machine without a SUT all CPUs count. */
	auditbox_make(&a);
	a.has_sut = false;
	a.n_threads = 0;
	cpulist_done(&a.threads[0].allowed);
	(void)strcpy(a.cpus[0].governor, "powersave");
	(void)strcpy(a.cpus[1].governor, "powersave");
	auditbox_one(&a, "governor", "of CPUs 0-1 is powersave", NULL);
}

static void test_idle(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	(void)strcpy(a.cpus[6].deep_state, "C6");
	a.cpus[6].deep_us = 133;
	auditbox_one(&a, "idle-deep",
		"CPU 6 may sleep as deep as C6, which takes 133 us",
		"sudo cpupower -c 6 idle-set -D 10");
	/* Held off by somebody (tuned, a DPDK program). */
	auditbox_make(&a);
	a.cpus[6].deep_us = 133;
	a.host.dma_latency_us = 0;
	auditbox_none(&a);
	auditbox_make(&a);
	a.cpus[6].deep_us = (double)NAN;
	auditbox_none(&a);
}

static void test_quota(void **state)
{
	struct audit a;
	struct audit_findings f = { 0 };

	(void)state;
	auditbox_make(&a);
	a.host.quota_cpus = 1.5;
	(void)strcpy(a.host.quota_file, "/sys/fs/cgroup/a/cpu.max");
	auditbox_one(&a, "cpu-quota", "1.50 CPUs",
		"echo max | sudo tee /sys/fs/cgroup/a/cpu.max");
	auditbox_make(&a);
	a.host.quota_cpus = 1.5;
	(void)strcpy(a.host.quota_file, "/sys/fs/cgroup/a;reboot/cpu.max");
	auditbox_one(&a, "cpu-quota", "1.50 CPUs", "");
	auditbox_make(&a);
	a.host.quota_cpus = 1.5;
	a.host.n_throttled = 7;
	a.host.throttled_ns = 35000000;
	audit_judge(&a, &f);
	assert_int_equal(f.n, 2);
	assert_string_equal(f.f[0].id, "cpu-throttled");
	assert_int_equal(f.f[0].severity, AUDIT_PROBLEM);
	assert_non_null(strstr(f.f[0].what, "7 periods, for 35.0 ms"));
	assert_string_equal(f.f[1].id, "cpu-quota");
	audit_findings_done(&f);
	audit_done(&a);
	auditbox_make(&a);
	a.host.quota_cpus = (double)NAN;
	auditbox_none(&a);
}

static void test_clock(void **state)
{
	static const char *const good[] = { "tsc", "kvm-clock", "arch_sys_counter" };
	struct audit a;
	size_t i;

	(void)state;
	auditbox_make(&a);
	(void)strcpy(a.host.clock_source, "hpet");
	auditbox_one(&a, "clock-source", "the clock source is hpet",
		"echo tsc | sudo tee "
		"/sys/devices/system/clocksource/clocksource0/current_clocksource");
	auditbox_make(&a);
	(void)strcpy(a.host.clock_source, "acpi_pm");
	(void)strcpy(a.host.clock_sources, "hpet acpi_pm"); /* nothing better */
	auditbox_one(&a, "clock-source", "acpi_pm", "");
	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++) {
		auditbox_make(&a);
		(void)strcpy(a.host.clock_source, good[i]);
		auditbox_none(&a);
	}
}

static void test_settings(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	a.host.irqbalance = 1;
	auditbox_one(&a, "irqbalance", "running", "sudo systemctl stop irqbalance");
	auditbox_make(&a);
	a.host.numa_balancing = 1;
	auditbox_one(&a, "numa-balancing", "with 2 nodes",
		"sudo sysctl -w kernel.numa_balancing=0");
	auditbox_make(&a);
	a.host.numa_balancing = 1;
	a.host.n_nodes = 1;
	auditbox_none(&a);
	auditbox_make(&a);
	(void)strcpy(a.host.thp, "always");
	auditbox_one(&a, "thp", "always", NULL);
	auditbox_make(&a);
	(void)strcpy(a.host.thp, "never");
	auditbox_none(&a);
}

static void plant(struct run *run, uint32_t arm, int cpu, int node)
{
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		struct trial *t = &run->trials[i];

		if (t->spec.arm != arm)
			continue;
		facts_add(&t->facts, FACT_THREAD_CPU, "fwd", cpu);
		facts_add(&t->facts, FACT_THREAD_NODE, "fwd", node);
		facts_add_text(&t->facts, FACT_CPUS_ALLOWED, "fwd", "0-1");
		facts_add(&t->facts, FACT_RUN_NS, "fwd",
			0.9 * (double)(t->t_end_ns - t->t_start_ns));
		facts_add(&t->facts, FACT_LINK_NODE, "nic0", 1);
		facts_add_text(
			&t->facts, FACT_LINK_IRQS, "nic0", "irq 24: 0; irq 25: 1");
		facts_add(&t->facts, FACT_MEMORY_BYTES, "0", 30 * AUDITBOX_MIB);
		facts_add(&t->facts, FACT_MEMORY_BYTES, "1", 10 * AUDITBOX_MIB);
	}
}

/* The one finding of that name; one of empty texts, and a failed test, where there is
 * none. */
static struct audit_finding find(const struct audit_findings *f, const char *id)
{
	static char empty[] = "";
	struct audit_finding none = { .what = empty, .why = empty, .mend = empty };
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(f->f[i].id, id) == 0)
			return f->f[i];
	fail_msg("no finding %s", id);
	return none;
}

/* The story: the profiler moves the thread from the wrong node to the right one. */
static void test_run(void **state)
{
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct audit_findings f = { 0 };
	struct audit gaps;

	(void)state;
	audit_init(&gaps);
	audit_judge_run(run, &f, &gaps);
	assert_int_equal(f.n, 0); /* no facts, no findings */
	assert_int_equal(gaps.n_gaps, 0);
	plant(run, 0, 0, 0);
	plant(run, 1, 1, 1);
	run_set_fact(run, "clocksource", "hpet", false);
	audit_judge_run(run, &f, &gaps);
	assert_string_equal(find(&f, "thread-node").what,
		"thread fwd runs on CPU 0 of node 0, but nic0 is on node 1 (with off)");
	assert_string_equal(find(&f, "thread-node").mend, "");
	/* With the thread its memory's place is right or wrong. */
	assert_string_equal(find(&f, "memory-node").what,
		"25 % of the memory of the SUT is on node 1, but it runs on node 0 "
		"(with off)");
	assert_string_not_equal(find(&f, "irq-on-thread").what, "");
	/* The same in all arms is said once, and of no arm. */
	assert_string_equal(find(&f, "clock-source").what,
		"the clock source is hpet, which is no counter of the CPU");
	assert_true(gaps.n_gaps > 5);
	audit_findings_done(&f);
	audit_done(&gaps);
	run_free(run);
}

/* What a file says may be anything: nothing of it is a number of a CPU or a node, and a
 * CPU is not more than wholly taken. */
static void test_run_of_wild_numbers(void **state)
{
	static const double wild[] = { 1e300, -1e300, 8192, -3, 1e18 };
	static const char *const of[] = { "99999999999999999999", "-1", "x", "",
		"8192" };
	struct synth s = synth_default();
	struct run *run = synth_run(&s);
	struct facts *fs = &run->trials[run->n_trials - 1].facts;
	struct audit a;
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		facts_add(fs, FACT_THREAD_CPU, of[i], wild[i]);
		facts_add(fs, FACT_THREAD_NODE, of[i], wild[i]);
		facts_add(fs, FACT_MEMORY_BYTES, of[i], 1);
		facts_add(fs, FACT_BUSY_NS, of[i], 1);
		facts_add(fs, FACT_OTHERS_NS, of[i], 1);
		facts_add_text(fs, FACT_OTHERS_TOP, of[i], "x");
		facts_add(fs, FACT_LINK_NODE, of[i], wild[i]);
	}
	facts_add_text(fs, FACT_LINK_IRQS, "nic0",
		"irq 99999999999999999999: 0; irq -4: 1; irq x: 1; irq 7: 1");
	facts_add(fs, FACT_THROTTLED, "", 1e300);
	facts_add(fs, FACT_THROTTLED_NS, "", 1e300);
	facts_add(fs, FACT_OTHERS_NS, "3", 1e300);
	run_set_fact(run, "numa_nodes", "99999999999999999999", false);
	assert_true(audit_of_run(run, run->trials[run->n_trials - 1].spec.arm, &a));
	assert_int_equal(a.n_threads, 5);
	for (i = 0; i < a.n_threads; i++) {
		assert_int_equal(a.threads[i].cpu, AUDIT_UNKNOWN);
		assert_int_equal(a.threads[i].node, AUDIT_UNKNOWN);
	}
	assert_int_equal(a.n_memory, 0);
	assert_int_equal(a.n_cpus, 1);
	assert_int_equal(a.cpus[0].cpu, 3);
	assert_true(a.cpus[0].others_frac <= 1);
	assert_int_equal(audit_find_nic(&a, "nic0")->n_irqs, 1);
	assert_int_equal(audit_find_nic(&a, "nic0")->irqs[0].irq, 7);
	assert_int_equal(a.host.n_nodes, AUDIT_UNKNOWN);
	audit_done(&a);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_offloads),
		cmocka_unit_test(test_drops_and_rings),
		cmocka_unit_test(test_shared_cpu),
		cmocka_unit_test(test_sibling),
		cmocka_unit_test(test_governor),
		cmocka_unit_test(test_idle),
		cmocka_unit_test(test_quota),
		cmocka_unit_test(test_clock),
		cmocka_unit_test(test_settings),
		cmocka_unit_test(test_run),
		cmocka_unit_test(test_run_of_wild_numbers),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
