/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of CPUs, memory and NICs, from made-up trees. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "facttree.h"

#define VALUE(key, of)       ((long)facttree_value(&e, (key), (of)))
#define TEXT_IS(key, of, is) assert_string_equal(facttree_text(&e, (key), (of)), (is))
#define HAS(key, of)         facttree_has(&e, (key), (of))

static const int all_cpus[] = { 0, 1, 2, 3 };

static void put_many(const struct roottree *t, struct facttree_thread th)
{
	facttree_put_thread(t, &th);
}

/* CPU 2 is offline and has no column; a count of 32 bits wraps around. */
static void interrupts_by_the_header(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = all_cpus, .n_cpus = 4 } };

	roottree_put(t, "proc/interrupts",
		"           CPU0       CPU1       CPU3       \n"
		" 24:          1          5          9  IO-APIC   5-edge      ACPI\n"
		"125: 4294967290          0          0  PCI-MSIX 3  7-edge  eth0 rx 77\n"
		"NMI:          1          2          3   Non-maskable interrupts\n"
		"LOC:        100        200        300   Local timer interrupts\n"
		"SPU:         50         50         50   Spurious interrupts\n"
		"PMI:          1          1          1   Performance monitoring\n"
		"RES:         10         20         30   Rescheduling interrupts\n"
		"CAL:          1          1          1   Function call interrupts\n"
		"TLB:          1          1          1   TLB shootdowns\n"
		"ERR:          0\n"
		"MIS:          0\n");
	facttree_begin(t, &e);
	roottree_put(t, "proc/interrupts",
		"           CPU0       CPU1       CPU3       \n"
		" 24:          1          6         19  IO-APIC   5-edge      ACPI\n"
		"125:          4          0        100  PCI-MSIX 3  7-edge  eth0 rx 77\n"
		"NMI:          1          4          3   Non-maskable interrupts\n"
		"LOC:        150        201        300   Local timer interrupts\n"
		"SPU:         99         99         99   Spurious interrupts\n"
		"PMI:          1          8          1   Performance monitoring\n"
		"RES:         11         20         33   Rescheduling interrupts\n"
		"CAL:          3          1          1   Function call interrupts\n"
		"TLB:          5          1          1   TLB shootdowns\n"
		"ERR:         70\n"
		"MIS:          0\n");
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_IRQS, "0"), 10);
	assert_int_equal(VALUE(FACT_IRQS, "1"), 1);
	assert_int_equal(VALUE(FACT_IRQS, "3"), 110);
	assert_false(HAS(FACT_IRQS, "2"));
	assert_int_equal(VALUE(FACT_IRQ_TIMER, "0"), 50);
	assert_int_equal(VALUE(FACT_IRQ_TIMER, "3"), 0);
	assert_int_equal(VALUE(FACT_IRQ_NMI, "0"), 0);
	assert_int_equal(VALUE(FACT_IRQ_NMI, "1"), 7);
	assert_int_equal(VALUE(FACT_IRQ_RESCHED, "3"), 3);
	assert_int_equal(VALUE(FACT_IRQ_CALL, "0"), 6);
	facttree_done(&e);
}

/* A row that is gone takes its counts along. */
static void counts_that_fall_are_no_facts(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = all_cpus, .n_cpus = 1 } };

	roottree_put(t, "proc/interrupts",
		"           CPU0\n"
		" 24:        100  IO-APIC   5-edge      ACPI\n"
		"125:       5000  PCI-MSIX 3  7-edge  eth0 rx 77\n"
		"LOC:        100   Local timer interrupts\n");
	roottree_put(t, "proc/vmstat", "numa_pages_migrated 10\nthp_fault_alloc 5\n");
	facttree_begin(t, &e);
	roottree_put(t, "proc/interrupts",
		"           CPU0\n"
		" 24:        130  IO-APIC   5-edge      ACPI\n"
		"LOC:        107   Local timer interrupts\n");
	roottree_put(t, "proc/vmstat", "numa_pages_migrated 9\nthp_fault_alloc 6\n");
	facttree_end(&e, NS_PER_S);
	assert_false(HAS(FACT_IRQS, "0"));
	assert_int_equal(VALUE(FACT_IRQ_TIMER, "0"), 7);
	assert_int_equal(VALUE(FACT_NUMA_MIGRATED, ""), 0);
	assert_int_equal(VALUE(FACT_THP_FAULTS, ""), 1);
	facttree_done(&e);
}

/* On Arm the timer and the counters are devices, and IPIs have numbers. */
static void interrupts_of_arm(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = all_cpus, .n_cpus = 2 } };
	char text[1024];
	int i;

	for (i = 0; i < 2; i++) {
		(void)snprintf(text, sizeof(text),
			"           CPU0       CPU1\n"
			" 11:      %5d       1000     GICv3  27 Level     arch_timer\n"
			" 23:          0      %5d     GICv3  23 Level     arm-pmu\n"
			" 45:      %5d          0   ITS-MSI 16384 Edge    virtio0-rx\n"
			"IPI0:       100      %5d       Rescheduling interrupts\n"
			"IPI1:     %5d        100       Function call interrupts\n"
			"IPI5:     %5d        100       IRQ work interrupts\n"
			"Err:          0\n",
			i * 30, i * 40, i * 50, 100 + i * 60, 100 + i * 70,
			100 + i * 80);
		roottree_put(t, "proc/interrupts", text);
		if (i == 0)
			facttree_begin(t, &e);
	}
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_IRQ_TIMER, "0"), 30);
	assert_int_equal(VALUE(FACT_IRQ_NMI, "1"), 40);
	assert_int_equal(VALUE(FACT_IRQS, "0"), 50);
	assert_int_equal(VALUE(FACT_IRQ_RESCHED, "1"), 60);
	assert_int_equal(VALUE(FACT_IRQ_CALL, "0"), 70);
	facttree_done(&e);
}

static void softirqs_and_softnet(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = all_cpus, .n_cpus = 4 } };

	/* Columns for all that could be plugged in; rows of softnet for those online.
	 */
	roottree_put(t, "proc/softirqs",
		"                    CPU0       CPU1       CPU2       CPU3       \n"
		"          HI:          1          1          1          1\n"
		"       TIMER:         10         10         10         10\n"
		"      NET_TX:          0          0          0          0\n"
		"      NET_RX:          5          6          7 4294967295\n"
		"       SCHED:          0          0          0          0\n"
		"         RCU:          1          1          1          1\n");
	roottree_put(t, "proc/net/softnet_stat",
		"ffffffff 00000000 00000001 0 0 0 0 0 0 00000010 0 0 00000000 0 0\n"
		"00000010 00000000 00000001 0 0 0 0 0 0 00000010 0 0 00000001 0 0\n"
		"00000020 0000000a 00000001 0 0 0 0 0 0 00000010 0 0 00000003 0 0\n");
	facttree_begin(t, &e);
	roottree_put(t, "proc/softirqs",
		"                    CPU0       CPU1       CPU2       CPU3       \n"
		"          HI:          1          1          1          1\n"
		"       TIMER:         13         10         10         10\n"
		"      NET_TX:          0         21          0          0\n"
		"      NET_RX:          5        106          7          9\n"
		"       SCHED:          4          0          0          0\n"
		"         RCU:         99         99         99         99\n");
	roottree_put(t, "proc/net/softnet_stat",
		"00000004 00000000 00000001 0 0 0 0 0 0 00000010 0 0 00000000 0 0\n"
		"00000010 00000000 00000003 0 0 0 0 0 0 0000001f 0 0 00000001 0 0\n"
		"00000120 0000001a 00000001 0 0 0 0 0 0 00000010 0 0 00000003 0 0\n");
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_SOFTIRQ_TIMER, "0"), 3);
	assert_int_equal(VALUE(FACT_SOFTIRQ_NET_TX, "1"), 21);
	assert_int_equal(VALUE(FACT_SOFTIRQ_NET_RX, "1"), 100);
	assert_int_equal(VALUE(FACT_SOFTIRQ_NET_RX, "3"), 10);
	assert_int_equal(VALUE(FACT_SOFTIRQ_SCHED, "0"), 4);
	assert_int_equal(VALUE(FACT_SOFTNET_PACKETS, "0"), 5);
	assert_int_equal(VALUE(FACT_SOFTNET_SQUEEZED, "1"), 2);
	assert_int_equal(VALUE(FACT_SOFTNET_RPS, "1"), 15);
	assert_int_equal(VALUE(FACT_SOFTNET_PACKETS, "3"), 256);
	assert_int_equal(VALUE(FACT_SOFTNET_DROPPED, "3"), 16);
	assert_false(HAS(FACT_SOFTNET_PACKETS, "2"));
	facttree_done(&e);
}

/* Before 5.10 no column names the CPU: rows are the online ones in turn. */
static void softnet_of_old_kernels(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .cpus = all_cpus, .n_cpus = 4 } };

	roottree_put(t, "proc/net/softnet_stat",
		"00000001 00000000 00000000 0 0 0 0 0 00000000 00000000 00000000\n"
		"00000001 00000000 00000000 0 0 0 0 0 00000000 00000000 00000000\n"
		"00000001 00000000 00000000 0 0 0 0 0 00000000\n");
	facttree_begin(t, &e);
	roottree_put(t, "proc/net/softnet_stat",
		"00000002 00000000 00000000 0 0 0 0 0 00000000 00000000 00000000\n"
		"00000001 00000000 00000000 0 0 0 0 0 00000000 00000007 00000000\n"
		"00000001 00000005 00000000 0 0 0 0 0 00000000\n");
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_SOFTNET_PACKETS, "0"), 1);
	assert_int_equal(VALUE(FACT_SOFTNET_RPS, "1"), 7);
	assert_int_equal(VALUE(FACT_SOFTNET_DROPPED, "3"), 5);
	assert_false(HAS(FACT_SOFTNET_RPS, "3"));
	assert_false(HAS(FACT_SOFTNET_PACKETS, "2"));
	facttree_done(&e);
}

static void put_state(const struct roottree *t, int state, const char *name,
	int latency_us, int usage, int time_us)
{
	const struct {
		const char *file;
		const char *text;
		int number;
	} files[] = {
		{ "name", name, 0 },
		{ "latency", NULL, latency_us },
		{ "usage", NULL, usage },
		{ "time", NULL, time_us },
	};
	char path[96], text[32];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path, sizeof(path),
			"sys/devices/system/cpu/cpu1/cpuidle/state%d/%s", state,
			files[i].file);
		(void)snprintf(text, sizeof(text), "%d\n", files[i].number);
		roottree_put(t, path, files[i].text != NULL ? files[i].text : text);
	}
}

static void sleep_heat_and_frequency(void **state)
{
	static const char heat[] =
		"sys/devices/system/cpu/cpu1/thermal_throttle/core_throttle_count";
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 0 } };

	put_state(t, 0, "POLL\n", 0, 100, 100);
	put_state(t, 1, "C1\n", 1, 100, 100);
	put_state(t, 2, "C6\n", 133, 100, 100);
	roottree_put(t, heat, "4\n");
	roottree_put(
		t, "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "3100000\n");
	roottree_put(t, "sys/devices/system/cpu/cpu1/cpufreq/scaling_governor",
		"powersave\n");
	facttree_begin(t, &e);
	put_state(t, 0, "POLL\n", 0, 900, 900);
	put_state(t, 1, "C1\n", 1, 130, 150);
	put_state(t, 2, "C6\n", 133, 107, 8100);
	roottree_put(t, heat, "6\n");
	roottree_put(
		t, "sys/devices/system/cpu/cpu1/cpufreq/scaling_cur_freq", "800000\n");
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_IDLE_ENTRIES, "1"), 37);
	assert_int_equal(VALUE(FACT_IDLE_DEEP_NS, "1"), 8000000);
	assert_int_equal(VALUE(FACT_THERMAL, "1"), 2);
	assert_int_equal(VALUE(FACT_FREQUENCY_HZ, "1"), 800000000);
	TEXT_IS(FACT_GOVERNOR, "", "powersave");
	facttree_done(&e);
}

static void memory_on_two_nodes(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 10 } };
	int i;

	roottree_put(t, "sys/devices/system/node/online", "0-2\n");
	put_many(t, (struct facttree_thread){
			    .pid = 10, .tid = 10, .children = "20", .run_ns = 1 });
	put_many(t, (struct facttree_thread){ .pid = 20, .tid = 20 });
	roottree_put(t, "proc/10/numa_maps",
		"5500 default file=/usr/bin/N1=7 mapped=2 N0=2 kernelpagesize_kB=4\n"
		"5600 default heap anon=5 dirty=5 N0=3 N1=2 kernelpagesize_kB=4\n"
		"7f00 bind:1 file=/anon_hugepage huge dirty=2 N1=2 "
		"kernelpagesize_kB=2048\n"
		"7f10 default\n");
	roottree_put(t, "proc/20/numa_maps",
		"5500 default heap anon=1 dirty=1 N0=1 kernelpagesize_kB=64\n");
	roottree_put(t, "proc/10/smaps_rollup",
		"5574-7ffd ---p 00000000 00:00 0    [rollup]\nRss:    1760 kB\n"
		"AnonHugePages:      2048 kB\n");
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_MEMORY_BYTES, "0"), 5 * 4096 + 65536);
	assert_int_equal(VALUE(FACT_MEMORY_BYTES, "1"), 2 * 4096 + 2 * 2097152);
	assert_int_equal(VALUE(FACT_MEMORY_BYTES, "2"), 0);
	assert_int_equal(VALUE(FACT_HUGE_BYTES, ""), 2097152);
	facttree_done(&e);
	/* Of a tree of which one part cannot be read there is no sum. */
	e = (struct facttree_edges){ .q = { .pid = 10 } };
	put_many(t,
		(struct facttree_thread){ .pid = 10, .tid = 10, .children = "20 30" });
	put_many(t, (struct facttree_thread){ .pid = 30, .tid = 30 });
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_false(HAS(FACT_MEMORY_BYTES, "0"));
	facttree_done(&e);
	/* Nor of one of too many. */
	e = (struct facttree_edges){ .q = { .pid = 10 } };
	put_many(t, (struct facttree_thread){ .pid = 10,
			    .tid = 10,
			    .children = "20 30 31 32 33 34 35 36 37 38 39 40 41 42 43 "
					"44" });
	for (i = 30; i <= 44; i++) {
		char path[32];

		put_many(t, (struct facttree_thread){ .pid = i, .tid = i });
		(void)snprintf(path, sizeof(path), "proc/%d/numa_maps", i);
		roottree_put(t, path, "5500 default N0=1 kernelpagesize_kB=4\n");
	}
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_false(HAS(FACT_MEMORY_BYTES, "0"));
	facttree_done(&e);
	/* Much memory takes the kernel long to walk. */
	e = (struct facttree_edges){ .q = { .pid = 10 } };
	put_many(
		t, (struct facttree_thread){ .pid = 10, .tid = 10, .rss_kb = 3 << 20 });
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_false(HAS(FACT_MEMORY_BYTES, "0") || HAS(FACT_HUGE_BYTES, ""));
	facttree_done(&e);
}

static void the_machine(void **state)
{
	const struct roottree *t = *state;
	struct facttree_edges e = { .q = { .pid = 0 } };

	roottree_put(t,
		"sys/devices/system/clocksource/clocksource0/current_clocksource",
		"kvm-clock\n");
	roottree_put(t, "sys/devices/system/cpu/cpuidle/current_governor_ro", "menu\n");
	roottree_put(t, "proc/sys/kernel/perf_event_max_sample_rate", "32000\n");
	roottree_put(t, "proc/sys/kernel/nmi_watchdog", "1\n");
	roottree_put(t, "proc/sys/kernel/numa_balancing", "0\n");
	roottree_put(t,
		"sys/bus/event_source/devices/cpu_core/perf_event_mux_interval_ms",
		"4\n");
	roottree_put(t, "proc/vmstat",
		"nr_free_pages 1\nnuma_pages_migrated 10\nthp_fault_alloc 5\n"
		"thp_fault_alloc_fallback 7\n");
	facttree_begin(t, &e);
	roottree_put(t, "proc/sys/kernel/perf_event_max_sample_rate", "1000\n");
	roottree_put(t, "proc/vmstat",
		"nr_free_pages 1\nnuma_pages_migrated 52\nthp_fault_alloc 6\n");
	roottree_put(t, "proc/stat",
		"cpu  0 0 0 0\n"
		"cpu0 100 0 100 1000 0 0 0 0 0 0\n"
		"cpu1 150 0 120 1020 0 0 0 5 0 0\n");
	facttree_end(&e, NS_PER_S);
	TEXT_IS(FACT_CLOCK_SOURCE, "", "kvm-clock");
	TEXT_IS(FACT_IDLE_GOVERNOR, "", "menu");
	assert_int_equal(VALUE(FACT_MAX_SAMPLE_RATE_HZ, ""), 1000);
	assert_int_equal(VALUE(FACT_NMI_WATCHDOG, ""), 1);
	assert_int_equal(VALUE(FACT_NUMA_BALANCING, ""), 0);
	assert_int_equal(VALUE(FACT_MUX_INTERVAL_MS, ""), 4);
	assert_int_equal(VALUE(FACT_NUMA_MIGRATED, ""), 42);
	assert_int_equal(VALUE(FACT_THP_FAULTS, ""), 1);
	/* USER_HZ is 100: 20 ticks idle in a second */
	assert_int_equal(VALUE(FACT_BUSY_NS, "1"),
		NS_PER_S - 20 * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK)));
	assert_int_equal(VALUE(FACT_STEAL_NS, "1"),
		5 * (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK)));
	assert_false(HAS(FACT_THREAD_CPU, "fwd"));
	facttree_done(&e);
}

/* A virtio NIC's node and interrupts are its parent's; a namesake is not looked at. */
static void nics(void **state)
{
	static const char pci[] = "sys/devices/pci0000:00/0000:00:04.0";
	const struct roottree *t = *state;
	struct facttree_edges e = {
		.q = { .links = { { "eth0", 3 }, { "eth1", 9 } } },
	};
	char path[128];

	roottree_put(t, "sys/devices/pci0000:00/0000:00:04.0/numa_node", "1\n");
	(void)snprintf(path, sizeof(path), "%s/msi_irqs/25", pci);
	roottree_put(t, path, "msix\n");
	(void)snprintf(path, sizeof(path), "%s/msi_irqs/7", pci);
	roottree_put(t, path, "msix\n");
	(void)snprintf(path, sizeof(path), "%s/virtio3/vendor", pci);
	roottree_put(t, path, "0x1af4\n");
	facttree_put_link(t, "sys/class/net/eth0/device",
		"../../../devices/pci0000:00/0000:00:04.0/virtio3");
	roottree_put(t, "sys/class/net/eth0/ifindex", "3\n");
	roottree_put(t, "sys/class/net/eth0/queues/rx-0/rps_cpus", "00000000\n");
	roottree_put(t, "sys/class/net/eth0/queues/rx-1/rps_cpus", "00000002\n");
	roottree_put(t, "proc/irq/25/effective_affinity_list", "1\n");
	roottree_put(t, "proc/irq/7/smp_affinity_list", "0-3\n");
	roottree_put(t, "sys/class/net/eth1/ifindex", "4\n");
	roottree_put(t, "sys/class/net/eth1/device/numa_node", "0\n");
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_LINK_NODE, "eth0"), 1);
	TEXT_IS(FACT_LINK_RPS, "eth0", "rx-0: 00000000; rx-1: 00000002");
	TEXT_IS(FACT_LINK_IRQS, "eth0", "irq 7: 0-3; irq 25: 1");
	assert_false(HAS(FACT_LINK_NODE, "eth1"));
	facttree_done(&e);
	/* It is ours after all: no queues, no interrupts, no node. */
	e = (struct facttree_edges){ .q = { .links = { { NULL, 0 }, { "eth1", 4 } } } };
	roottree_put(t, "sys/class/net/eth1/device/numa_node", "-1\n");
	roottree_put(t, "sys/class/net/eth1/queues/rx-0/rps_cpus", "0000,00000000\n");
	facttree_begin(t, &e);
	facttree_end(&e, NS_PER_S);
	assert_int_equal(VALUE(FACT_LINK_NODE, "eth1"), -1);
	TEXT_IS(FACT_LINK_RPS, "eth1", "off");
	assert_false(HAS(FACT_LINK_IRQS, "eth1"));
	facttree_done(&e);
}

int main(void)
{
#define TREE_TEST(f)                                                                   \
	cmocka_unit_test_setup_teardown(f, facttree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		TREE_TEST(interrupts_by_the_header),
		TREE_TEST(counts_that_fall_are_no_facts),
		TREE_TEST(interrupts_of_arm),
		TREE_TEST(softirqs_and_softnet),
		TREE_TEST(softnet_of_old_kernels),
		TREE_TEST(sleep_heat_and_frequency),
		TREE_TEST(memory_on_two_nodes),
		TREE_TEST(the_machine),
		TREE_TEST(nics),
	};

	return cmocka_run_group_tests_name("facts-machine", tests, NULL, NULL);
}
