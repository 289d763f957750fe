/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of facts, and lists of them. */
#include "config.h"

#include "model/fact.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* One row a key; the enumerator's name below FACT_ in lower case is the fact's. */
#define ROW(key, name, scope, kind, factor, unit, phrase, source)                      \
	[key] = { key, name, scope, kind, factor, unit, phrase, source }

#define TASK    "/proc/PID/task/TID/"
#define UNCORE  "/sys/bus/event_source/devices/PMU/events"
#define RESCTRL "/sys/fs/resctrl/mon_data/mon_L3_N/"

static const struct fact_info table[N_FACTS] = {
	ROW(FACT_THREAD_CPU, "thread_cpu", FACT_THREAD, FACT_LEVEL, FACTOR_PLACEMENT,
		"", "ran on CPU", TASK "stat"),
	ROW(FACT_THREAD_NODE, "thread_node", FACT_THREAD, FACT_LEVEL, FACTOR_PLACEMENT,
		"", "ran on node", "/sys/devices/system/node"),
	ROW(FACT_CPUS_ALLOWED, "cpus_allowed", FACT_THREAD, FACT_TEXT, FACTOR_PLACEMENT,
		"", "may run on CPUs", TASK "status"),
	ROW(FACT_MEMS_ALLOWED, "mems_allowed", FACT_THREAD, FACT_TEXT, FACTOR_MEMORY,
		"", "may have memory of nodes", TASK "status"),
	ROW(FACT_MIGRATIONS, "migrations", FACT_THREAD, FACT_COUNT, FACTOR_PLACEMENT,
		"", "changes of CPU", TASK "sched"),
	ROW(FACT_VOLUNTARY, "voluntary", FACT_THREAD, FACT_COUNT, FACTOR_WAKEUPS, "",
		"voluntary context switches", TASK "status"),
	ROW(FACT_INVOLUNTARY, "involuntary", FACT_THREAD, FACT_COUNT, FACTOR_CONTENTION,
		"", "involuntary context switches", TASK "status"),
	ROW(FACT_RUN_NS, "run_ns", FACT_THREAD, FACT_COUNT, FACTOR_CONTENTION, "ns",
		"time on a CPU", TASK "schedstat"),
	ROW(FACT_WAIT_NS, "wait_ns", FACT_THREAD, FACT_COUNT, FACTOR_CONTENTION, "ns",
		"time waiting for a CPU", TASK "schedstat"),
	ROW(FACT_MINOR_FAULTS, "minor_faults", FACT_THREAD, FACT_COUNT, FACTOR_MEMORY,
		"", "minor page faults", TASK "stat"),
	ROW(FACT_MAJOR_FAULTS, "major_faults", FACT_THREAD, FACT_COUNT, FACTOR_MEMORY,
		"", "major page faults", TASK "stat"),
	ROW(FACT_THREAD_POLICY, "thread_policy", FACT_THREAD, FACT_TEXT, FACTOR_LAUNCH,
		"", "scheduling policy", TASK "stat"),
	ROW(FACT_THREAD_NICE, "thread_nice", FACT_THREAD, FACT_LEVEL, FACTOR_LAUNCH, "",
		"nice value", TASK "stat"),
	ROW(FACT_ENVIRONMENT, "environment", FACT_PROCESS, FACT_TEXT, FACTOR_LAUNCH, "",
		"environment", "/proc/PID/environ"),
	ROW(FACT_ENVIRONMENT_BYTES, "environment_bytes", FACT_PROCESS, FACT_LEVEL,
		FACTOR_LAUNCH, "bytes", "size of the environment", "/proc/PID/environ"),
	ROW(FACT_LIMITS, "limits", FACT_PROCESS, FACT_TEXT, FACTOR_LAUNCH, "",
		"resource limits", "/proc/PID/limits"),
	ROW(FACT_CGROUP, "cgroup", FACT_PROCESS, FACT_TEXT, FACTOR_LAUNCH, "",
		"control group", "/proc/PID/cgroup"),
	ROW(FACT_CWD, "cwd", FACT_PROCESS, FACT_TEXT, FACTOR_LAUNCH, "",
		"working directory", "/proc/PID/cwd"),
	ROW(FACT_STDIO, "stdio", FACT_PROCESS, FACT_TEXT, FACTOR_LAUNCH, "",
		"standard streams", "/proc/PID/fd"),
	ROW(FACT_PRELOAD, "preload", FACT_PROCESS, FACT_TEXT, FACTOR_LAUNCH, "",
		"preloaded libraries", "/proc/PID/maps"),
	ROW(FACT_PERSONALITY, "personality", FACT_PROCESS, FACT_TEXT, FACTOR_LAUNCH, "",
		"personality", "/proc/PID/personality"),
	ROW(FACT_SIGNALS_CAUGHT, "signals_caught", FACT_PROCESS, FACT_TEXT,
		FACTOR_LAUNCH, "", "signals caught", "/proc/PID/status"),
	ROW(FACT_TRACED, "traced", FACT_PROCESS, FACT_LEVEL, FACTOR_LAUNCH, "",
		"under a tracer", "/proc/PID/status"),
	ROW(FACT_RSS_BYTES, "rss_bytes", FACT_PROCESS, FACT_LEVEL, FACTOR_MEMORY,
		"bytes", "resident memory", "/proc/PID/status"),
	ROW(FACT_HUGE_BYTES, "huge_bytes", FACT_PROCESS, FACT_LEVEL, FACTOR_MEMORY,
		"bytes", "memory in huge pages", "/proc/PID/smaps_rollup"),
	ROW(FACT_THROTTLED, "throttled", FACT_PROCESS, FACT_COUNT, FACTOR_CONTENTION,
		"", "periods throttled by the control group", "cpu.stat"),
	ROW(FACT_THROTTLED_NS, "throttled_ns", FACT_PROCESS, FACT_COUNT,
		FACTOR_CONTENTION, "ns", "time throttled by the control group",
		"cpu.stat"),
	ROW(FACT_MEMORY_BYTES, "memory_bytes", FACT_NODE, FACT_LEVEL, FACTOR_MEMORY,
		"bytes", "memory on node", "/proc/PID/numa_maps"),
	ROW(FACT_BUSY_NS, "busy_ns", FACT_CPU, FACT_COUNT, FACTOR_CONTENTION, "ns",
		"busy time", "/proc/stat"),
	ROW(FACT_BENCH_NS, "bench_ns", FACT_CPU, FACT_COUNT, FACTOR_CONTENTION, "ns",
		"time taken by satprof", "/proc/self/task/TID/schedstat"),
	ROW(FACT_SOFTIRQD_NS, "softirqd_ns", FACT_CPU, FACT_COUNT, FACTOR_INTERRUPTS,
		"ns", "time of ksoftirqd", "/proc/PID/schedstat"),
	ROW(FACT_OTHERS_NS, "others_ns", FACT_CPU, FACT_COUNT, FACTOR_CONTENTION, "ns",
		"time taken by other programs", "/proc/PID/stat"),
	ROW(FACT_OTHERS_TOP, "others_top", FACT_CPU, FACT_TEXT, FACTOR_CONTENTION, "",
		"busiest other program", "/proc/PID/stat"),
	ROW(FACT_IDLE_ENTRIES, "idle_entries", FACT_CPU, FACT_COUNT, FACTOR_IDLE, "",
		"entries into idle states", "/sys/devices/system/cpu/cpuN/cpuidle"),
	ROW(FACT_IDLE_DEEP_NS, "idle_deep_ns", FACT_CPU, FACT_COUNT, FACTOR_IDLE, "ns",
		"time in deep idle states", "/sys/devices/system/cpu/cpuN/cpuidle"),
	ROW(FACT_FREQUENCY_HZ, "frequency_hz", FACT_CPU, FACT_LEVEL, FACTOR_FREQUENCY,
		"Hz", "frequency", "/sys/devices/system/cpu/cpuN/cpufreq"),
	ROW(FACT_THERMAL, "thermal", FACT_CPU, FACT_COUNT, FACTOR_FREQUENCY, "",
		"thermal throttle events",
		"/sys/devices/system/cpu/cpuN/thermal_throttle"),
	ROW(FACT_IRQS, "irqs", FACT_CPU, FACT_COUNT, FACTOR_INTERRUPTS, "",
		"device interrupts", "/proc/interrupts"),
	ROW(FACT_IRQ_TIMER, "irq_timer", FACT_CPU, FACT_COUNT, FACTOR_WAKEUPS, "",
		"timer interrupts", "/proc/interrupts"),
	ROW(FACT_IRQ_NMI, "irq_nmi", FACT_CPU, FACT_COUNT, FACTOR_SAMPLING, "",
		"NMIs and counter interrupts", "/proc/interrupts"),
	ROW(FACT_IRQ_RESCHED, "irq_resched", FACT_CPU, FACT_COUNT, FACTOR_WAKEUPS, "",
		"rescheduling interrupts", "/proc/interrupts"),
	ROW(FACT_IRQ_CALL, "irq_call", FACT_CPU, FACT_COUNT, FACTOR_WAKEUPS, "",
		"function call interrupts", "/proc/interrupts"),
	ROW(FACT_SOFTIRQ_NET_RX, "softirq_net_rx", FACT_CPU, FACT_COUNT,
		FACTOR_BATCHING, "", "NET_RX softirqs", "/proc/softirqs"),
	ROW(FACT_SOFTIRQ_NET_TX, "softirq_net_tx", FACT_CPU, FACT_COUNT,
		FACTOR_INTERRUPTS, "", "NET_TX softirqs", "/proc/softirqs"),
	ROW(FACT_SOFTIRQ_TIMER, "softirq_timer", FACT_CPU, FACT_COUNT, FACTOR_WAKEUPS,
		"", "TIMER softirqs", "/proc/softirqs"),
	ROW(FACT_SOFTIRQ_SCHED, "softirq_sched", FACT_CPU, FACT_COUNT, FACTOR_WAKEUPS,
		"", "SCHED softirqs", "/proc/softirqs"),
	ROW(FACT_SOFTNET_PACKETS, "softnet_packets", FACT_CPU, FACT_COUNT,
		FACTOR_INTERRUPTS, "", "packets received in softirqs",
		"/proc/net/softnet_stat"),
	ROW(FACT_SOFTNET_DROPPED, "softnet_dropped", FACT_CPU, FACT_COUNT,
		FACTOR_INTERRUPTS, "", "packets dropped from the backlog",
		"/proc/net/softnet_stat"),
	ROW(FACT_SOFTNET_SQUEEZED, "softnet_squeezed", FACT_CPU, FACT_COUNT,
		FACTOR_INTERRUPTS, "", "softirqs out of budget",
		"/proc/net/softnet_stat"),
	ROW(FACT_SOFTNET_RPS, "softnet_rps", FACT_CPU, FACT_COUNT, FACTOR_INTERRUPTS,
		"", "wake-ups by other CPUs (RPS)", "/proc/net/softnet_stat"),
	ROW(FACT_STEAL_NS, "steal_ns", FACT_CPU, FACT_COUNT, FACTOR_STEAL, "ns",
		"time taken by the hypervisor", "/proc/stat"),
	ROW(FACT_LOCK_WAITS, "lock_waits", FACT_CPU, FACT_COUNT, FACTOR_CONTENTION, "",
		"waits for kernel locks",
		"/sys/kernel/tracing/events/lock/contention_begin"),
	ROW(FACT_LINK_NODE, "link_node", FACT_LINK, FACT_LEVEL, FACTOR_PLACEMENT, "",
		"is on node", "/sys/class/net/IF/device/numa_node"),
	ROW(FACT_LINK_RPS, "link_rps", FACT_LINK, FACT_TEXT, FACTOR_INTERRUPTS, "",
		"receive steering", "/sys/class/net/IF/queues"),
	ROW(FACT_LINK_IRQS, "link_irqs", FACT_LINK, FACT_TEXT, FACTOR_INTERRUPTS, "",
		"interrupts go to", "/proc/irq/N/effective_affinity_list"),
	ROW(FACT_MEMORY_READ_BYTES, "memory_read_bytes", FACT_PACKAGE, FACT_COUNT,
		FACTOR_MEMORY, "bytes", "bytes read from memory", UNCORE),
	ROW(FACT_MEMORY_WRITE_BYTES, "memory_write_bytes", FACT_PACKAGE, FACT_COUNT,
		FACTOR_MEMORY, "bytes", "bytes written to memory", UNCORE),
	ROW(FACT_MEMORY_TRAFFIC_BYTES, "memory_traffic_bytes", FACT_PACKAGE, FACT_COUNT,
		FACTOR_MEMORY, "bytes", "bytes between caches and memory",
		RESCTRL "mbm_total_bytes"),
	ROW(FACT_MEMORY_LOCAL_BYTES, "memory_local_bytes", FACT_PACKAGE, FACT_COUNT,
		FACTOR_MEMORY, "bytes", "bytes between caches and local memory",
		RESCTRL "mbm_local_bytes"),
	ROW(FACT_LLC_BYTES, "llc_bytes", FACT_PACKAGE, FACT_LEVEL, FACTOR_MEMORY,
		"bytes", "bytes in the last level cache", RESCTRL "llc_occupancy"),
	ROW(FACT_PCIE_IN_BYTES, "pcie_in_bytes", FACT_PACKAGE, FACT_COUNT,
		FACTOR_MEMORY, "bytes", "bytes from PCIe devices", UNCORE),
	ROW(FACT_PCIE_OUT_BYTES, "pcie_out_bytes", FACT_PACKAGE, FACT_COUNT,
		FACTOR_MEMORY, "bytes", "bytes to PCIe devices", UNCORE),
	ROW(FACT_CLOCK_SOURCE, "clock_source", FACT_HOST, FACT_TEXT, FACTOR_CLOCK, "",
		"clock source", "/sys/devices/system/clocksource"),
	ROW(FACT_GOVERNOR, "governor", FACT_HOST, FACT_TEXT, FACTOR_FREQUENCY, "",
		"frequency governor", "/sys/devices/system/cpu/cpuN/cpufreq"),
	ROW(FACT_IDLE_GOVERNOR, "idle_governor", FACT_HOST, FACT_TEXT, FACTOR_IDLE, "",
		"idle governor", "/sys/devices/system/cpu/cpuidle"),
	ROW(FACT_MAX_SAMPLE_RATE_HZ, "max_sample_rate_hz", FACT_HOST, FACT_LEVEL,
		FACTOR_SAMPLING, "Hz", "the kernel's limit of the sampling rate",
		"/proc/sys/kernel/perf_event_max_sample_rate"),
	ROW(FACT_NMI_WATCHDOG, "nmi_watchdog", FACT_HOST, FACT_LEVEL, FACTOR_SAMPLING,
		"", "NMI watchdog", "/proc/sys/kernel/nmi_watchdog"),
	ROW(FACT_MUX_INTERVAL_MS, "mux_interval_ms", FACT_HOST, FACT_LEVEL,
		FACTOR_SAMPLING, "ms", "multiplexing interval",
		"/sys/bus/event_source/devices/cpu/perf_event_mux_interval_ms"),
	ROW(FACT_NUMA_BALANCING, "numa_balancing", FACT_HOST, FACT_LEVEL, FACTOR_MEMORY,
		"", "automatic NUMA balancing", "/proc/sys/kernel/numa_balancing"),
	ROW(FACT_NUMA_MIGRATED, "numa_migrated", FACT_HOST, FACT_COUNT, FACTOR_MEMORY,
		"", "pages moved between nodes", "/proc/vmstat"),
	ROW(FACT_THP_FAULTS, "thp_faults", FACT_HOST, FACT_COUNT, FACTOR_MEMORY, "",
		"huge pages given on a fault", "/proc/vmstat"),
};

static const char *const scope_names[] = {
	[FACT_HOST] = "host",
	[FACT_CPU] = "cpu",
	[FACT_NODE] = "node",
	[FACT_PROCESS] = "process",
	[FACT_THREAD] = "thread",
	[FACT_LINK] = "link",
	[FACT_PACKAGE] = "package",
};

static const char *const factor_names[N_FACTORS] = {
	[FACTOR_PLACEMENT] = "placement",
	[FACTOR_MEMORY] = "memory",
	[FACTOR_CONTENTION] = "contention",
	[FACTOR_LAUNCH] = "launch",
	[FACTOR_INTERRUPTS] = "interrupts",
	[FACTOR_FREQUENCY] = "frequency",
	[FACTOR_IDLE] = "idle",
	[FACTOR_WAKEUPS] = "wake-ups",
	[FACTOR_BATCHING] = "batching",
	[FACTOR_SAMPLING] = "sampling",
	[FACTOR_STEAL] = "steal",
	[FACTOR_CLOCK] = "clock",
};

const struct fact_info *fact_info(enum fact_key key)
{
	assert(key < N_FACTS);
	return &table[key];
}

int fact_key_parse(const char *name)
{
	int i;

	for (i = 0; i < N_FACTS; i++)
		if (strcmp(table[i].name, name) == 0)
			return i;
	return -1;
}

const char *fact_scope_name(enum fact_scope scope)
{
	return scope_names[scope];
}

const char *factor_name(enum factor f)
{
	assert(f < N_FACTORS);
	return factor_names[f];
}

int factor_parse(const char *name)
{
	int i;

	for (i = 0; i < N_FACTORS; i++)
		if (strcmp(factor_names[i], name) == 0)
			return i;
	return -1;
}

static struct fact *add(struct facts *fs, enum fact_key key, const char *of)
{
	struct fact *f;

	fs->f = xgrow(fs->f, fs->n, &fs->cap, sizeof(*fs->f));
	f = &fs->f[fs->n++];
	*f = (struct fact){ .key = key };
	(void)snprintf(f->of, sizeof(f->of), "%s", of);
	return f;
}

void facts_add(struct facts *fs, enum fact_key key, const char *of, double value)
{
	add(fs, key, of)->value = value;
}

void facts_add_text(
	struct facts *fs, enum fact_key key, const char *of, const char *text)
{
	add(fs, key, of)->text = xstrdup(text);
}

const struct fact *facts_find(const struct facts *fs, enum fact_key key, const char *of)
{
	size_t i;

	for (i = 0; i < fs->n; i++)
		if (fs->f[i].key == key && strcmp(fs->f[i].of, of) == 0)
			return &fs->f[i];
	return NULL;
}

void facts_sort(struct facts *fs)
{
	struct fact *sorted = xcalloc(fs->n + 1, sizeof(*sorted));
	size_t n = 0, i;
	int key;

	for (key = 0; key < N_FACTS; key++)
		for (i = 0; i < fs->n; i++)
			if ((int)fs->f[i].key == key)
				sorted[n++] = fs->f[i];
	if (n > 0)
		memcpy(fs->f, sorted, n * sizeof(*sorted));
	free(sorted);
}

void facts_done(struct facts *fs)
{
	size_t i;

	for (i = 0; i < fs->n; i++)
		free(fs->f[i].text);
	free(fs->f);
	*fs = (struct facts){ 0 };
}
