/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From when on a fact that differs could matter at the knee. */
#include "config.h"

#include "plan/causes_private.h"

#define COUNT_FRAC 0.25 /* counts differ by a few percent for no reason at all */
#define MIB        1048576.0

#define SETTLED(key, factor, tier)                                                     \
	{                                                                              \
		FACT_##key, CAUSES_SETTLED, FACTOR_##factor, tier, 0, 0,               \
			CAUSES_EITHER, false                                           \
	}
/* A part of the time; min: points. */
#define TIME(key, factor, tier, min, sense)                                            \
	{                                                                              \
		FACT_##key, CAUSES_TIME, FACTOR_##factor, tier, 0, min,                \
			CAUSES_##sense, false                                          \
	}
/* min: per second, about a thousandth of the CPU where one is known to cost a us. */
#define RATE(key, factor, tier, min, sense, follows)                                   \
	{                                                                              \
		FACT_##key, CAUSES_RATE, FACTOR_##factor, tier, COUNT_FRAC, min,       \
			CAUSES_##sense, follows                                        \
	}
#define LEVEL(key, factor, tier, frac, min, sense)                                     \
	{                                                                              \
		FACT_##key, CAUSES_LEVEL, FACTOR_##factor, tier, frac, min,            \
			CAUSES_##sense, false                                          \
	}
#define BATCH(key)                                                                     \
	{                                                                              \
		FACT_##key, CAUSES_BATCH, FACTOR_BATCHING, 0, COUNT_FRAC, 0,           \
			CAUSES_RISES, false                                            \
	}

/*
 * Not here: busy_ns, run_ns, softirqd_ns, softnet_dropped and the traffic of memory and
 * PCIe, which follow from the load or from another cause, and others_top, which
 * others_ns tells.
 */
const struct causes_rule causes_rules[] = {
	SETTLED(THREAD_CPU, PLACEMENT, 0),
	SETTLED(LINK_NODE, PLACEMENT, 0),
	SETTLED(THREAD_NODE, PLACEMENT, 1),
	SETTLED(CPUS_ALLOWED, PLACEMENT, 2),
	RATE(MIGRATIONS, PLACEMENT, 3, 10, EITHER, false),

	{ FACT_MEMORY_BYTES, CAUSES_SHARE, FACTOR_MEMORY, 0, 0, 0.10, CAUSES_EITHER,
		false },
	SETTLED(MEMS_ALLOWED, MEMORY, 1),
	SETTLED(NUMA_BALANCING, MEMORY, 1),
	RATE(NUMA_MIGRATED, MEMORY, 1, 1000, COSTS, false),
	RATE(MAJOR_FAULTS, MEMORY, 1, 5, COSTS, false),
	RATE(MINOR_FAULTS, MEMORY, 2, 2000, COSTS, false),
	RATE(THP_FAULTS, MEMORY, 2, 20, EITHER, false),
	LEVEL(HUGE_BYTES, MEMORY, 2, COUNT_FRAC, 4 * MIB, EITHER),
	LEVEL(RSS_BYTES, MEMORY, 3, COUNT_FRAC, 16 * MIB, EITHER),

	TIME(OTHERS_NS, CONTENTION, 0, 0.03, COSTS),
	TIME(THROTTLED_NS, CONTENTION, 0, 0.01, COSTS),
	TIME(BENCH_NS, CONTENTION, 1, 0.03, COSTS),
	TIME(WAIT_NS, CONTENTION, 1, 0.03, COSTS),
	RATE(THROTTLED, CONTENTION, 2, 1, COSTS, false),
	RATE(INVOLUNTARY, CONTENTION, 2, 100, COSTS, false),
	RATE(LOCK_WAITS, CONTENTION, 3, 1000, COSTS, true),

	SETTLED(TRACED, LAUNCH, 0),
	SETTLED(PRELOAD, LAUNCH, 0),
	SETTLED(THREAD_POLICY, LAUNCH, 0),
	SETTLED(THREAD_NICE, LAUNCH, 0),
	SETTLED(CGROUP, LAUNCH, 1),
	SETTLED(LIMITS, LAUNCH, 2),
	SETTLED(ENVIRONMENT, LAUNCH, 2),
	SETTLED(PERSONALITY, LAUNCH, 2),
	SETTLED(ENVIRONMENT_BYTES, LAUNCH, 3),
	SETTLED(STDIO, LAUNCH, 3),
	SETTLED(CWD, LAUNCH, 3),
	SETTLED(SIGNALS_CAUGHT, LAUNCH, 3),

	SETTLED(LINK_IRQS, INTERRUPTS, 0),
	SETTLED(LINK_RPS, INTERRUPTS, 0),
	RATE(SOFTNET_PACKETS, INTERRUPTS, 1, 1000, EITHER, true),
	RATE(IRQS, INTERRUPTS, 1, 1000, EITHER, true),
	RATE(SOFTNET_RPS, INTERRUPTS, 2, 1000, EITHER, true),
	RATE(SOFTNET_SQUEEZED, INTERRUPTS, 2, 100, EITHER, true),
	RATE(SOFTIRQ_NET_TX, INTERRUPTS, 2, 1000, EITHER, true),

	LEVEL(FREQUENCY_HZ, FREQUENCY, 0, 0.02, 0, GIVES),
	SETTLED(GOVERNOR, FREQUENCY, 1),
	RATE(THERMAL, FREQUENCY, 1, 1, COSTS, false),

	TIME(IDLE_DEEP_NS, IDLE, 0, 0.03, COSTS),
	SETTLED(IDLE_GOVERNOR, IDLE, 1),
	RATE(IDLE_ENTRIES, IDLE, 1, 200, EITHER, true),

	/* More packets to a wake-up is batching. */
	RATE(VOLUNTARY, WAKEUPS, 0, 500, RISES, true),
	RATE(IRQ_TIMER, WAKEUPS, 0, 100, EITHER, false),
	RATE(IRQ_RESCHED, WAKEUPS, 1, 500, EITHER, true),
	RATE(IRQ_CALL, WAKEUPS, 1, 500, EITHER, true),
	RATE(SOFTIRQ_TIMER, WAKEUPS, 2, 100, EITHER, false),
	RATE(SOFTIRQ_SCHED, WAKEUPS, 2, 100, EITHER, false),

	BATCH(SOFTIRQ_NET_RX),
	BATCH(VOLUNTARY),

	RATE(IRQ_NMI, SAMPLING, 0, 50, COSTS, false),
	SETTLED(MAX_SAMPLE_RATE_HZ, SAMPLING, 1),
	SETTLED(NMI_WATCHDOG, SAMPLING, 2),
	SETTLED(MUX_INTERVAL_MS, SAMPLING, 2),

	TIME(STEAL_NS, STEAL, 0, 0.02, COSTS),
	SETTLED(CLOCK_SOURCE, CLOCK, 0),
};

const size_t causes_rules_len = sizeof(causes_rules) / sizeof(causes_rules[0]);
