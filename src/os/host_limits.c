/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the machine's links carry, and which counters it has of what passes its memory
 * and its PCIe. */
#include "config.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "os/host.h"
#include "os/proctree.h"
#include "os/sysfile.h"

#define NOT_OFFERED "not offered"

/* PMUs outside of the cores, by how their names begin. */
static const struct counters {
	const char *fact, *pmu;
} counters[] = {
	{ "memory_bandwidth", "uncore_imc" },
	{ "memory_bandwidth", "amd_umc" },
	{ "memory_bandwidth", "amd_df" },
	{ "memory_bandwidth", "nvidia_scf_pmu" },
	{ "memory_bandwidth", "dmc620" },
	{ "pcie_bandwidth", "uncore_iio" },
	{ "pcie_bandwidth", "nvidia_pcie_pmu" },
};

#define N_COUNTERS (sizeof(counters) / sizeof(counters[0]))

static void counters_find(int root_fd, bool found[N_COUNTERS])
{
	size_t n, i, k;
	char **pmus = sysfile_names(root_fd, "sys/bus/event_source/devices", &n);

	for (i = 0; pmus != NULL && i < n; i++)
		for (k = 0; k < N_COUNTERS; k++)
			found[k] |= strncmp(pmus[i], counters[k].pmu,
					    strlen(counters[k].pmu)) == 0;
	if (pmus != NULL)
		sysfile_names_free(pmus, n);
}

static bool has_resctrl(int root_fd)
{
	char buf[256];

	return proctree_read_file(root_fd, "sys/fs/resctrl/info/L3_MON/mon_features",
		       buf, sizeof(buf)) > 0 &&
	       strstr(buf, "mbm_total_bytes") != NULL;
}

static void add_counters(int root_fd, struct run *run)
{
	bool found[N_COUNTERS] = { false };
	size_t i;

	counters_find(root_fd, found);
	run_set_fact(run, "memory_bandwidth",
		has_resctrl(root_fd) ? "resctrl" : NOT_OFFERED, false);
	run_set_fact(run, "pcie_bandwidth", NOT_OFFERED, false);
	for (i = N_COUNTERS; i-- > 0;) /* the first in the table has the last word */
		if (found[i])
			run_set_fact(run, counters[i].fact, counters[i].pmu, false);
}

/* 0: it has none, or none that is real: a veth says 10 Gbit/s and means nothing. */
static uint64_t line_bps(int root_fd, const char *ifname)
{
	char path[128];
	long mbps;

	(void)snprintf(path, sizeof(path), "sys/class/net/%s/device", ifname);
	if (faccessat(root_fd, path, F_OK, 0) != 0)
		return 0;
	(void)snprintf(path, sizeof(path), "sys/class/net/%s/speed", ifname);
	if (sysfile_long(root_fd, path, &mbps) != 0 || mbps <= 0 || mbps >= INT32_MAX)
		return 0;
	return (uint64_t)mbps * 1000000u;
}

void host_limits(int root_fd, const char *const *ifnames, size_t n, struct run *run)
{
	uint64_t min_bps = 0, bps;
	char buf[32];
	size_t i;

	add_counters(root_fd, run);
	for (i = 0; i < n; i++) {
		bps = ifnames[i] != NULL ? line_bps(root_fd, ifnames[i]) : 0;
		if (bps > 0 && (min_bps == 0 || bps < min_bps))
			min_bps = bps;
	}
	if (min_bps == 0)
		return;
	(void)snprintf(buf, sizeof(buf), "%" PRIu64, min_bps);
	run_set_fact(run, "line_bps", buf, true);
}
