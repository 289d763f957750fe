/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts of the machine as a whole. */
#include "config.h"

#include <stdio.h>

#include "os/facts_private.h"
#include "os/sysfile.h"

#define MAX_BYTES (1u << 20)

void facts_host_read(int root_fd, struct facts_snapshot *s)
{
	s->has_numa_migrated = s->has_thp_faults = false;
	if (facts_buf_read(&s->buf, root_fd, "proc/vmstat", MAX_BYTES) <= 0)
		return;
	s->has_numa_migrated =
		facts_keyed_number(s->buf.p, "numa_pages_migrated", &s->numa_migrated);
	s->has_thp_faults =
		facts_keyed_number(s->buf.p, "thp_fault_alloc", &s->thp_faults);
}

static bool text_add(
	int root_fd, const char *path, enum fact_key key, struct facts_snapshot *s)
{
	char buf[64];

	if (sysfile_line(root_fd, path, buf, sizeof(buf)) != 0)
		return false;
	facts_add_text(&s->levels, key, "", buf);
	return true;
}

static bool number_add(
	int root_fd, const char *path, enum fact_key key, struct facts_snapshot *s)
{
	uint64_t v;

	if (!facts_number_read(root_fd, path, &v))
		return false;
	facts_add(&s->levels, key, "", (double)v);
	return true;
}

/* The PMU of the CPUs has another name on Arm and on CPUs of two kinds. */
static void mux_interval_add(int root_fd, struct facts_snapshot *s)
{
	static const char *const pmus[] = { "cpu", "cpu_core", "armv8_pmuv3",
		"armv8_pmuv3_0" };
	char path[128];
	size_t i;

	for (i = 0; i < sizeof(pmus) / sizeof(pmus[0]); i++) {
		(void)snprintf(path, sizeof(path),
			"sys/bus/event_source/devices/%s/perf_event_mux_interval_ms",
			pmus[i]);
		if (number_add(root_fd, path, FACT_MUX_INTERVAL_MS, s))
			return;
	}
}

void facts_host_levels(int root_fd, struct facts_snapshot *s)
{
	char path[96];

	(void)text_add(root_fd,
		"sys/devices/system/clocksource/clocksource0/current_clocksource",
		FACT_CLOCK_SOURCE, s);
	(void)snprintf(path, sizeof(path),
		"sys/devices/system/cpu/cpu%d/cpufreq/scaling_governor",
		s->n_watched > 0 ? s->watched[0] : 0);
	(void)text_add(root_fd, path, FACT_GOVERNOR, s);
	if (!text_add(root_fd, "sys/devices/system/cpu/cpuidle/current_governor",
		    FACT_IDLE_GOVERNOR, s))
		(void)text_add(root_fd,
			"sys/devices/system/cpu/cpuidle/current_governor_ro",
			FACT_IDLE_GOVERNOR, s);
	(void)number_add(root_fd, "proc/sys/kernel/perf_event_max_sample_rate",
		FACT_MAX_SAMPLE_RATE_HZ, s);
	(void)number_add(root_fd, "proc/sys/kernel/nmi_watchdog", FACT_NMI_WATCHDOG, s);
	mux_interval_add(root_fd, s);
	(void)number_add(
		root_fd, "proc/sys/kernel/numa_balancing", FACT_NUMA_BALANCING, s);
}

void facts_host_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs)
{
	if (a->has_numa_migrated && b->has_numa_migrated)
		facts_add(fs, FACT_NUMA_MIGRATED, "",
			facts_grown(a->numa_migrated, b->numa_migrated));
	if (a->has_thp_faults && b->has_thp_faults)
		facts_add(fs, FACT_THP_FAULTS, "",
			facts_grown(a->thp_faults, b->thp_faults));
}
