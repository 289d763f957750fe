/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of CPUs: what facts_irq.c tallies, idle states, heat, frequency, time. */
#include "config.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/facts_private.h"
#include "os/sysfile.h"

#define CPU_DIR         "sys/devices/system/cpu/cpu%d/"
#define MAX_IDLE_STATES 16
#define DEEP_LATENCY_US 1                /* an exit latency over it */
#define FREQUENCY_NS    (20 * NS_PER_MS) /* for all CPUs: it sleeps on some kernels */

struct facts_cpu *facts_cpu_entry(struct facts_snapshot *s, int cpu)
{
	size_t i;

	for (i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].cpu == cpu)
			return &s->cpus[i];
	s->cpus = xgrow(s->cpus, s->n_cpus, &s->cap_cpus, sizeof(*s->cpus));
	s->cpus[s->n_cpus] = (struct facts_cpu){ .cpu = cpu };
	return &s->cpus[s->n_cpus++];
}

void facts_cpu_tally(struct facts_cpu *c, enum facts_tally t, uint32_t n)
{
	c->has |= 1u << t;
	c->n[t] += n;
}

static bool cpu_number(int root_fd, int cpu, const char *file, uint64_t *ret_value)
{
	char path[128];

	(void)snprintf(path, sizeof(path), CPU_DIR "%s", cpu, file);
	return facts_number_read(root_fd, path, ret_value);
}

/* False: there is no such state, or it is nothing to enter. */
static bool idle_state_read(int root_fd, int state, struct facts_cpu *c)
{
	char file[64], path[128], name[32] = "";
	uint64_t usage, time_us, latency_us;

	(void)snprintf(file, sizeof(file), "cpuidle/state%d/usage", state);
	if (!cpu_number(root_fd, c->cpu, file, &usage))
		return false;
	(void)snprintf(
		path, sizeof(path), CPU_DIR "cpuidle/state%d/name", c->cpu, state);
	if (sysfile_line(root_fd, path, name, sizeof(name)) != 0 ||
		strcmp(name, "POLL") != 0)
		c->idle_entries += usage;
	(void)snprintf(file, sizeof(file), "cpuidle/state%d/time", state);
	if (!cpu_number(root_fd, c->cpu, file, &time_us))
		return true;
	(void)snprintf(file, sizeof(file), "cpuidle/state%d/latency", state);
	if (cpu_number(root_fd, c->cpu, file, &latency_us) &&
		latency_us > DEEP_LATENCY_US)
		c->idle_deep_ns += time_us * NS_PER_US;
	return true;
}

void facts_cpu_read(int root_fd, struct facts_snapshot *s)
{
	uint64_t core, package;
	size_t i;
	int state;

	for (i = 0; i < s->n_watched; i++) {
		struct facts_cpu *c = facts_cpu_entry(s, s->watched[i]);

		for (state = 0; state < MAX_IDLE_STATES; state++)
			if (!idle_state_read(root_fd, state, c))
				break;
		c->has_idle = state > 0;
		core = package = 0;
		if (cpu_number(root_fd, c->cpu, "thermal_throttle/core_throttle_count",
			    &core))
			c->has_thermal = true;
		if (cpu_number(root_fd, c->cpu,
			    "thermal_throttle/package_throttle_count", &package))
			c->has_thermal = true;
		c->thermal = core + package;
	}
}

void facts_cpu_levels(int root_fd, struct facts_snapshot *s)
{
	uint64_t from_ns = clock_now_ns(&clock_monotonic), khz;
	char of[FACT_OF_MAX];
	size_t i;

	for (i = 0; i < s->n_watched; i++) {
		if (clock_now_ns(&clock_monotonic) - from_ns > FREQUENCY_NS)
			break;
		if (!cpu_number(
			    root_fd, s->watched[i], "cpufreq/scaling_cur_freq", &khz))
			continue;
		(void)snprintf(of, sizeof(of), "%d", s->watched[i]);
		facts_add(&s->levels, FACT_FREQUENCY_HZ, of, 1000.0 * (double)khz);
	}
}

static const struct facts_cpu *find(const struct facts_snapshot *s, int cpu)
{
	size_t i;

	for (i = 0; i < s->n_cpus; i++)
		if (s->cpus[i].cpu == cpu)
			return &s->cpus[i];
	return NULL;
}

/* False where an edge lacks it, as for a CPU that was offline, or it fell. */
static bool tally_diff(const struct facts_cpu *x, const struct facts_cpu *y,
	enum facts_tally t, uint32_t *ret_n)
{
	uint32_t n = y->n[t] - x->n[t]; /* modulo 2^32, as the kernel counts */

	/* A sum falls when one of its rows is gone. */
	if ((x->has & y->has & (1u << t)) == 0 || n > INT32_MAX)
		return false;
	*ret_n = n;
	return true;
}

static void tallies_diff(const struct facts_cpu *x, const struct facts_cpu *y,
	const char *of, struct facts *fs)
{
	static const struct {
		enum facts_tally tally;
		enum fact_key key;
	} rows[] = {
		{ TALLY_IRQS, FACT_IRQS },
		{ TALLY_IRQ_TIMER, FACT_IRQ_TIMER },
		{ TALLY_IRQ_RESCHED, FACT_IRQ_RESCHED },
		{ TALLY_IRQ_CALL, FACT_IRQ_CALL },
		{ TALLY_NET_RX, FACT_SOFTIRQ_NET_RX },
		{ TALLY_NET_TX, FACT_SOFTIRQ_NET_TX },
		{ TALLY_TIMER, FACT_SOFTIRQ_TIMER },
		{ TALLY_SCHED, FACT_SOFTIRQ_SCHED },
		{ TALLY_SOFTNET_PACKETS, FACT_SOFTNET_PACKETS },
		{ TALLY_SOFTNET_DROPPED, FACT_SOFTNET_DROPPED },
		{ TALLY_SOFTNET_SQUEEZED, FACT_SOFTNET_SQUEEZED },
		{ TALLY_SOFTNET_RPS, FACT_SOFTNET_RPS },
	};
	uint32_t n = 0, nmi = 0;
	size_t i;
	bool has;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (tally_diff(x, y, rows[i].tally, &n))
			facts_add(fs, rows[i].key, of, n);
	/* On x86 a counter's interrupt is an NMI, and counted in both lines. */
	n = 0;
	has = tally_diff(x, y, TALLY_IRQ_NMI, &nmi);
	has = tally_diff(x, y, TALLY_IRQ_PMI, &n) || has;
	if (has)
		facts_add(fs, FACT_IRQ_NMI, of, nmi > n ? nmi : n);
}

static void cpu_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	int cpu, struct facts *fs)
{
	const struct facts_cpu *x = find(a, cpu), *y = find(b, cpu);
	struct cpu_use use;
	char of[FACT_OF_MAX];

	(void)snprintf(of, sizeof(of), "%d", cpu);
	if (procstat_cpu_use(a->proc, b->proc, cpu, &use)) {
		facts_add(fs, FACT_BUSY_NS, of, (double)use.busy_ns);
		facts_add(fs, FACT_STEAL_NS, of, (double)use.steal_ns);
	}
	facts_served_diff(a, b, cpu, fs);
	if (x == NULL || y == NULL)
		return;
	tallies_diff(x, y, of, fs);
	if (x->has_idle && y->has_idle) {
		facts_add(fs, FACT_IDLE_ENTRIES, of,
			facts_grown(x->idle_entries, y->idle_entries));
		facts_add(fs, FACT_IDLE_DEEP_NS, of,
			facts_grown(x->idle_deep_ns, y->idle_deep_ns));
	}
	if (x->has_thermal && y->has_thermal)
		facts_add(fs, FACT_THERMAL, of, facts_grown(x->thermal, y->thermal));
}

void facts_cpu_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs)
{
	size_t i;

	/* The last edge watches what the first one did, too. */
	for (i = 0; i < b->n_watched; i++)
		cpu_diff(a, b, b->watched[i], fs);
	facts_others_diff(a, b, fs);
}
