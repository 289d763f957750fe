/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What passes memory and PCIe, where the kernel counts it: PMUs of memory controllers
 * and PCIe roots by the events that their drivers name, and resctrl's monitoring of the
 * last level caches, where somebody has mounted it.
 */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/cpulist.h"
#include "base/mem.h"
#include "os/facts_private.h"
#include "os/perf_open.h"
#include "os/perf_sysfs.h"
#include "os/sysfile.h"

#define PATH_LEN    320
#define CACHE_LINE  64.0
#define CPUS_ONLINE "sys/devices/system/cpu/online"
#define RESCTRL     "sys/fs/resctrl"
#define L3_PREFIX   "mon_L3_"

enum kind { KIND_MEMORY, KIND_PCIE, N_KINDS };

/* Of a kind, the first family that counts anything: another would count the same bytes
 * again. */
static const struct source {
	enum kind kind;
	int family;        /* from 1 */
	const char *pmu;   /* how its name begins */
	const char *event; /* how the event's name begins; or terms, where there is = */
	enum fact_key key;
	double bytes; /* of one count; 0: as the event's unit says */
} sources[] = {
	/* Intel's servers: unit MiB, 64 bytes a count. */
	{ KIND_MEMORY, 1, "uncore_imc", "cas_count_read", FACT_MEMORY_READ_BYTES, 0 },
	{ KIND_MEMORY, 1, "uncore_imc", "cas_count_write", FACT_MEMORY_WRITE_BYTES, 0 },
	/* Its desktops: data_reads and data_writes, later without the s. */
	{ KIND_MEMORY, 2, "uncore_imc", "data_read", FACT_MEMORY_READ_BYTES, 0 },
	{ KIND_MEMORY, 2, "uncore_imc", "data_write", FACT_MEMORY_WRITE_BYTES, 0 },
	/* AMD from Zen 4 on, without names in sysfs: umc_cas_cmd.rd and .wr. */
	{ KIND_MEMORY, 3, "amd_umc", "event=0x0a,rdwrmask=0x1", FACT_MEMORY_READ_BYTES,
		CACHE_LINE },
	{ KIND_MEMORY, 3, "amd_umc", "event=0x0a,rdwrmask=0x2", FACT_MEMORY_WRITE_BYTES,
		CACHE_LINE },
	{ KIND_PCIE, 4, "uncore_iio_free_running", "bw_in_port", FACT_PCIE_IN_BYTES,
		0 },
	{ KIND_PCIE, 4, "uncore_iio_free_running", "bw_out_port", FACT_PCIE_OUT_BYTES,
		0 },
};

#define N_SOURCES (sizeof(sources) / sizeof(sources[0]))

struct opener {
	int root_fd;
	struct facts_counters *cs;
	struct run *run;
	int family[N_KINDS]; /* that counts something; 0: none yet */
	bool was_refused[N_KINDS];
};

/* 0 where it is not told, as on machines of one package. */
static long package_of(int root_fd, int cpu)
{
	char path[PATH_LEN];
	long package;

	(void)snprintf(path, sizeof(path),
		"sys/devices/system/cpu/cpu%d/topology/physical_package_id", cpu);
	return sysfile_long(root_fd, path, &package) == 0 && package >= 0 ? package : 0;
}

/* Of one count; 0: no unit of bytes. */
static double unit_bytes(const char *unit)
{
	static const struct {
		const char *unit;
		double bytes;
	} units[] = {
		{ "Bytes", 1 },
		{ "B", 1 },
		{ "KiB", 1024.0 },
		{ "MiB", 1048576.0 },
		{ "GiB", 1073741824.0 },
		{ "MB", 1e6 },
	};
	size_t i;

	for (i = 0; i < sizeof(units) / sizeof(units[0]); i++)
		if (strcmp(units[i].unit, unit) == 0)
			return units[i].bytes;
	return 0;
}

/* A sum without this part of it would be wrong, so there is none then. */
static void refused(struct opener *o, const struct source *s,
	const struct perf_open_request *req, int sys_errno)
{
	struct sp_err err = { .code = SP_OK };
	int paranoid = (int)perf_sysctl(
		o->root_fd, "perf_event_paranoid", PERF_PARANOID_UNKNOWN);

	(void)perf_open_explain(&err, sys_errno, req, paranoid, 1);
	run_add_note(o->run, "%s is not counted: %s",
		s->kind == KIND_MEMORY ? "memory bandwidth" : "PCIe traffic", err.msg);
	facts_counters_drop(o->cs, s->key);
	o->was_refused[s->kind] = true;
}

/* One CPU of each package reads such a PMU. */
static void event_open(struct opener *o, const struct source *s, const char *pmu,
	struct perf_event_attr *attr, double scale)
{
	struct perf_open_request req = {
		.attr = attr, .name = pmu, .pid = -1, .group_fd = -1
	};
	struct cpulist cpus = { 0 };
	char path[PATH_LEN], of[FACT_OF_MAX];
	size_t i;
	int fd;

	(void)snprintf(path, sizeof(path), PERF_SYSFS_DEVICES "/%s/cpumask", pmu);
	(void)sysfile_list(o->root_fd, path, &cpus); /* none: on no CPU */
	for (i = 0; i < cpus.n && !o->was_refused[s->kind]; i++) {
		req.cpu = cpus.ids[i];
		fd = perf_open(&req);
		if (fd < 0) {
			refused(o, s, &req, errno);
			continue;
		}
		(void)snprintf(of, sizeof(of), "%ld", package_of(o->root_fd, req.cpu));
		facts_counters_add(o->cs, s->key, of, scale, fd, NULL);
		o->family[s->kind] = s->family;
	}
	cpulist_done(&cpus);
}

static void event_try(
	struct opener *o, const struct source *s, const char *pmu, const char *event)
{
	struct sp_err ignored; /* an event that it does not have is no news */
	struct perf_event_attr attr;
	double scale = 1, bytes = s->bytes;
	char unit[16];

	if (perf_sysfs_encode(o->root_fd, pmu, event, &attr, unit, sizeof(unit), &scale,
		    &ignored) != 0)
		return;
	if (!(bytes > 0))
		bytes = unit_bytes(unit) * scale;
	if (!(bytes > 0))
		return;
	attr.disabled = 0;
	attr.read_format =
		PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	event_open(o, s, pmu, &attr, bytes);
}

/* All events of the PMU that begin so: a channel or a port each. */
static void pmu_try(struct opener *o, const struct source *s, const char *pmu)
{
	char path[PATH_LEN];
	char **names;
	size_t n, i;

	if (strchr(s->event, '=') != NULL) {
		event_try(o, s, pmu, s->event);
		return;
	}
	(void)snprintf(path, sizeof(path), PERF_SYSFS_DEVICES "/%s/events", pmu);
	names = sysfile_names(o->root_fd, path, &n);
	for (i = 0; names != NULL && i < n; i++)
		/* With a dot it is the unit or the scale of one. */
		if (strncmp(names[i], s->event, strlen(s->event)) == 0 &&
			strchr(names[i], '.') == NULL)
			event_try(o, s, pmu, names[i]);
	if (names != NULL)
		sysfile_names_free(names, n);
}

static void uncore_open(struct opener *o)
{
	size_t n, i, k;
	char **pmus = sysfile_names(o->root_fd, PERF_SYSFS_DEVICES, &n);

	for (i = 0; i < N_SOURCES && pmus != NULL; i++) {
		const struct source *s = &sources[i];

		if (o->family[s->kind] != 0 && o->family[s->kind] != s->family)
			continue;
		for (k = 0; k < n && !o->was_refused[s->kind]; k++)
			if (strncmp(pmus[k], s->pmu, strlen(s->pmu)) == 0)
				pmu_try(o, s, pmus[k]);
	}
	if (pmus != NULL)
		sysfile_names_free(pmus, n);
}

/* --- resctrl ---------------------------------------------------------------------- */

struct l3 {
	long id, package;
};

/* Which package a last level cache is of: by the CPUs that have it. */
struct l3_map {
	size_t n, cap;
	struct l3 *l3s;
};

static void l3_map_make(int root_fd, struct l3_map *m)
{
	struct cpulist cpus = { 0 };
	char path[PATH_LEN];
	size_t i, k;
	long id;

	(void)sysfile_list(root_fd, CPUS_ONLINE, &cpus); /* none: all are of 0 */
	for (i = 0; i < cpus.n; i++) {
		(void)snprintf(path, sizeof(path),
			"sys/devices/system/cpu/cpu%d/cache/index3/id", cpus.ids[i]);
		if (sysfile_long(root_fd, path, &id) != 0)
			continue;
		for (k = 0; k < m->n && m->l3s[k].id != id; k++)
			;
		if (k < m->n)
			continue;
		m->l3s = xgrow(m->l3s, m->n, &m->cap, sizeof(*m->l3s));
		m->l3s[m->n++] = (struct l3){ id, package_of(root_fd, cpus.ids[i]) };
	}
	cpulist_done(&cpus);
}

static long l3_package(const struct l3_map *m, long id)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		if (m->l3s[i].id == id)
			return m->l3s[i].package;
	return 0;
}

static void domain_add(struct opener *o, const char *folder, const char *domain,
	const struct l3_map *m)
{
	static const struct {
		const char *file;
		enum fact_key key;
	} files[] = {
		{ "mbm_total_bytes", FACT_MEMORY_TRAFFIC_BYTES },
		{ "mbm_local_bytes", FACT_MEMORY_LOCAL_BYTES },
		{ "llc_occupancy", FACT_LLC_BYTES },
	};
	char path[PATH_LEN], of[FACT_OF_MAX];
	size_t i;

	(void)snprintf(of, sizeof(of), "%ld",
		l3_package(m, strtol(domain + strlen(L3_PREFIX), NULL, 10)));
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(
			path, sizeof(path), "%s/%s/%s", folder, domain, files[i].file);
		if (faccessat(o->root_fd, path, F_OK, 0) == 0)
			facts_counters_add(o->cs, files[i].key, of, 1, -1, path);
	}
}

static void group_add(struct opener *o, const char *group, const struct l3_map *m)
{
	char folder[PATH_LEN / 2], **names;
	size_t n, i;

	(void)snprintf(folder, sizeof(folder), RESCTRL "/%s%smon_data", group,
		group[0] != '\0' ? "/" : "");
	names = sysfile_names(o->root_fd, folder, &n);
	for (i = 0; names != NULL && i < n; i++)
		if (strncmp(names[i], L3_PREFIX, strlen(L3_PREFIX)) == 0)
			domain_add(o, folder, names[i], m);
	if (names != NULL)
		sysfile_names_free(names, n);
}

/* A control group's counts have those of its monitoring groups in them (mon_groups), so
 * the root's and those of the groups beside it are all that there is. */
static void resctrl_open(struct opener *o)
{
	struct l3_map m = { .n = 0 };
	size_t n, i;
	char **groups = sysfile_names(o->root_fd, RESCTRL, &n);

	if (groups == NULL)
		return;
	l3_map_make(o->root_fd, &m);
	group_add(o, "", &m);
	for (i = 0; i < n; i++)
		group_add(o, groups[i], &m);
	sysfile_names_free(groups, n);
	free(m.l3s);
}

void facts_traffic_open(int root_fd, struct facts_counters *cs, struct run *run)
{
	struct opener o = { .root_fd = root_fd, .cs = cs, .run = run };

	uncore_open(&o);
	resctrl_open(&o);
}
