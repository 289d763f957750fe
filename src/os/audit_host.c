/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the machine, and what the SUT's control group grants. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "model/run.h"
#include "os/audit_private.h"
#include "os/cgroup_quota.h"
#include "os/host.h"
#include "os/proctree.h"
#include "os/sysfile.h"

#define CPU_DIR   "sys/devices/system/cpu/"
#define CLOCK_DIR "sys/devices/system/clocksource/clocksource0/"

/* What the fingerprint of a run has, too. */
static void fingerprint_read(const struct audit_request *req, struct audit *a)
{
	const struct {
		const char *key, *what, *path;
		char *to;
		size_t len;
	} facts[] = {
		{ "clocksource", "clock source", CLOCK_DIR "current_clocksource",
			a->host.clock_source, sizeof(a->host.clock_source) },
		{ "thp", "transparent huge pages",
			"sys/kernel/mm/transparent_hugepage/enabled", a->host.thp,
			sizeof(a->host.thp) },
		{ "idle_driver", "idle driver", CPU_DIR "cpuidle/current_driver",
			a->host.idle_driver, sizeof(a->host.idle_driver) },
		{ "mitigations", "mitigations", CPU_DIR "vulnerabilities",
			a->host.mitigations, sizeof(a->host.mitigations) },
	};
	struct run *run = run_new();
	size_t i;

	host_fingerprint(req->root_fd, run);
	for (i = 0; i < sizeof(facts) / sizeof(facts[0]); i++) {
		const char *value = run_fact(run, facts[i].key);

		if (value != NULL)
			(void)snprintf(facts[i].to, facts[i].len, "%s", value);
		else
			audit_gap_file(a, facts[i].what, facts[i].path, -ENOENT);
	}
	run_free(run);
}

static void line_read(const struct audit_request *req, struct audit *a,
	const char *what, const char *path, char *buf, size_t len)
{
	int rc = sysfile_line(req->root_fd, path, buf, len);

	if (rc != 0)
		audit_gap_file(a, what, path, rc);
}

static bool set_read(const struct audit_request *req, struct audit *a, const char *what,
	const char *path, struct cpulist *l)
{
	int rc = sysfile_list(req->root_fd, path, l);

	if (rc != 0)
		audit_gap_file(a, what, path, rc);
	return rc == 0;
}

static void numa_balancing_read(const struct audit_request *req, struct audit *a)
{
	static const char path[] = "proc/sys/kernel/numa_balancing";
	long v;
	int rc = sysfile_long(req->root_fd, path, &v);

	/* A kernel that cannot do it has no such file. */
	if (rc == 0)
		a->host.numa_balancing = v > 0;
	else if (rc == -ENOENT)
		a->host.numa_balancing = 0;
	else
		audit_gap_file(a, "automatic NUMA balancing", path, rc);
}

/* Whether somebody holds idle states off: the device gives the value that is in force,
 * and while it is open asks for nothing itself. */
static void dma_latency_read(const struct audit_request *req, struct audit *a)
{
	static const char path[] = "dev/cpu_dma_latency";
	int fd = openat(req->root_fd, path, O_RDONLY | O_CLOEXEC);
	int32_t v = 0;
	ssize_t got = fd < 0 ? -1 : read(fd, &v, sizeof(v));

	if (got == (ssize_t)sizeof(v))
		a->host.dma_latency_us = v;
	else
		audit_gap_file(a, "whether idle states are held off", path,
			got < 0 ? -errno : -EINVAL);
	if (fd >= 0)
		(void)close(fd); /* read only */
}

static void irqbalance_read(const struct audit_request *req, struct audit *a)
{
	size_t n = 0, i;
	char **pids = NULL, path[64], comm[32];

	/* With hidepid, or in a container, others' processes are not there at all. */
	if (sysfile_line(req->root_fd, "proc/2/comm", comm, sizeof(comm)) != 0 ||
		strcmp(comm, "kthreadd") != 0) {
		audit_add_gap(a, "whether irqbalance runs",
			"not all processes of the machine can be seen from here");
		return;
	}
	a->host.irqbalance = 0;
	pids = sysfile_names(req->root_fd, "proc", &n);
	for (i = 0; i < n; i++) {
		if (strspn(pids[i], "0123456789") != strlen(pids[i]))
			continue;
		(void)snprintf(path, sizeof(path), "proc/%.20s/comm", pids[i]);
		if (sysfile_line(req->root_fd, path, comm, sizeof(comm)) == 0 &&
			strcmp(comm, "irqbalance") == 0)
			a->host.irqbalance = 1;
	}
	sysfile_names_free(pids, n);
}

static void huge_pages_read(const struct audit_request *req, struct audit *a)
{
	char buf[8192], value[64];
	struct audit_host *h = &a->host;
	ssize_t got =
		proctree_read_file(req->root_fd, "proc/meminfo", buf, sizeof(buf));

	if (got <= 0 || !sysfile_value(buf, "HugePages_Total", value, sizeof(value))) {
		audit_gap_file(
			a, "huge pages", "proc/meminfo", got < 0 ? (int)got : -ENODATA);
		return;
	}
	h->huge_pages = atoi(value);
	if (sysfile_value(buf, "HugePages_Free", value, sizeof(value)))
		h->huge_pages_free = atoi(value);
	if (sysfile_value(buf, "Hugepagesize", value, sizeof(value)))
		h->huge_page_bytes = strtod(value, NULL) * 1024;
}

/* Without a SUT: what one started from here would get. */
static void quota_read(const struct audit_request *req, struct audit *a)
{
	struct cgroup_quota q;
	char who[16] = "self", path[64];
	int rc;

	if (req->pid != 0)
		(void)snprintf(who, sizeof(who), "%d", (int)req->pid);
	rc = cgroup_quota_read(req->root_fd, who, &q);
	if (rc != 0) {
		(void)snprintf(path, sizeof(path), "proc/%s/cgroup", who);
		audit_gap_file(a, "CPU quota", path, rc);
		return;
	}
	a->host.quota_cpus = q.cpus;
	(void)snprintf(a->host.quota_file, sizeof(a->host.quota_file), "%s", q.file);
	a->host.has_throttled = q.has_throttled;
	a->host.n_throttled = q.n_throttled;
	a->host.throttled_ns = q.throttled_ns;
}

void audit_host_read(const struct audit_request *req, struct audit *a)
{
	struct audit_host *h = &a->host;

	fingerprint_read(req, a);
	line_read(req, a, "clock sources", CLOCK_DIR "available_clocksource",
		h->clock_sources, sizeof(h->clock_sources));
	line_read(req, a, "idle governor", CPU_DIR "cpuidle/current_governor",
		h->idle_governor, sizeof(h->idle_governor));
	h->has_isolated =
		set_read(req, a, "isolated CPUs", CPU_DIR "isolated", &h->isolated);
	h->has_nohz = set_read(
		req, a, "CPUs without a tick", CPU_DIR "nohz_full", &h->nohz_full);
	numa_balancing_read(req, a);
	dma_latency_read(req, a);
	irqbalance_read(req, a);
	huge_pages_read(req, a);
	quota_read(req, a);
}
