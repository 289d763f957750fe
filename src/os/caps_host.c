/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rights, CPUs and limits: what can be read. */
#include "config.h"

#include "os/caps_private.h"

#include <math.h>
#include <sched.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/resource.h>
#include <unistd.h>

#include "os/cgroup_quota.h"
#include "os/findprog.h"
#include "os/perf_open.h"
#include "os/proctree.h"
#include "os/sysfile.h"

/* libcap before 2.45 has no name for it. */
#ifndef CAP_PERFMON
#define CAP_PERFMON 38
#endif

/* Events, rings and sockets of a machine with many CPUs and threads. */
#define DESCRIPTORS_WANTED 4096
/* The highest rate of the preset that varies it. */
#define DOSE_MAX_HZ 3989

static bool has_cap(cap_t caps, cap_value_t v)
{
	cap_flag_value_t on = CAP_CLEAR;

	return caps != NULL && cap_get_flag(caps, v, CAP_EFFECTIVE, &on) == 0 &&
	       on == CAP_SET;
}

/* Capabilities inside a user namespace are none over the machine's own devices. */
static bool in_first_user_namespace(int root_fd)
{
	unsigned long long inside = 1, outside = 1, n = 0;
	char buf[128];

	if (proctree_read_file(root_fd, "proc/self/uid_map", buf, sizeof(buf)) <= 0)
		return true; /* a kernel without user namespaces */
	return sscanf(buf, "%llu %llu %llu", &inside, &outside, &n) == 3 &&
	       inside == 0 && outside == 0 && n == 4294967295ULL;
}

static void probe_rights(int root_fd, struct caps *c)
{
	static const struct {
		cap_value_t value;
		const char *name;
	} wanted[] = {
		{ CAP_NET_ADMIN, "CAP_NET_ADMIN" },
		{ CAP_NET_RAW, "CAP_NET_RAW" },
		{ CAP_SYS_ADMIN, "CAP_SYS_ADMIN" },
		{ CAP_SYS_NICE, "CAP_SYS_NICE" },
		{ CAP_IPC_LOCK, "CAP_IPC_LOCK" },
	};
	cap_t caps = cap_get_proc();
	bool first = in_first_user_namespace(root_fd), packets;
	char lacks[160] = "";
	size_t i, at = 0;

	for (i = 0; i < sizeof(wanted) / sizeof(wanted[0]); i++)
		if (!has_cap(caps, wanted[i].value))
			at += (size_t)snprintf(
				lacks + at, sizeof(lacks) - at, " %s", wanted[i].name);
	if (!has_cap(caps, CAP_PERFMON) && !has_cap(caps, CAP_SYS_ADMIN))
		(void)snprintf(lacks + at, sizeof(lacks) - at, " CAP_PERFMON");
	packets = has_cap(caps, CAP_NET_ADMIN) && has_cap(caps, CAP_NET_RAW);
	(void)cap_free(caps); /* a copy */
	if (!first)
		caps_set(c, CAPS_RIGHTS, CAPS_DEGRADED, "sudo satprof probe",
			"uid %u inside a user namespace: no rights over the machine",
			(unsigned)geteuid());
	else if (lacks[0] != '\0')
		caps_set(c, CAPS_RIGHTS, CAPS_DEGRADED, "sudo satprof probe",
			"uid %u, without%s", (unsigned)geteuid(), lacks);
	else
		caps_set(c, CAPS_RIGHTS, CAPS_OK, NULL,
			"uid %u with all capabilities that satprof uses",
			(unsigned)geteuid());
	if (first && packets)
		caps_set(c, CAPS_INTERFACES, CAPS_OK, NULL,
			"--in and --out may name this machine's interfaces");
	else
		caps_set(c, CAPS_INTERFACES, CAPS_MISSING,
			"sudo satprof sweep --in IF --out IF",
			"--in and --out need CAP_NET_RAW and CAP_NET_ADMIN over this "
			"machine; the lab does not");
}

static void probe_cpus(struct caps *c)
{
	cpu_set_t set;
	int n = sched_getaffinity(0, sizeof(set), &set) == 0 ? CPU_COUNT(&set) : -1;

	if (n == 1)
		caps_set(c, CAPS_CPUS, CAPS_DEGRADED, "taskset -c 0-1 satprof sweep",
			"one CPU is allowed: the SUT shares it with the generator and "
			"the receiver");
	else if (n < 0) /* more than 1024 of them */
		caps_set(c, CAPS_CPUS, CAPS_OK, NULL, "more than %d CPUs", CPU_SETSIZE);
	else
		caps_set(c, CAPS_CPUS, CAPS_OK, NULL, "%d CPUs are allowed", n);
}

static void probe_quota(int root_fd, struct caps *c)
{
	struct cgroup_quota q = { .cpus = (double)INFINITY };

	(void)cgroup_quota_read(root_fd, "self", &q); /* no groups: no limit */
	if (isfinite(q.cpus))
		caps_set(c, CAPS_CPU_QUOTA, CAPS_DEGRADED,
			"sudo systemd-run --scope --slice=system.slice satprof sweep",
			"this cgroup may use %.2f CPUs and is stopped beyond that, which "
			"a sweep would read as saturation",
			q.cpus);
	else
		caps_set(c, CAPS_CPU_QUOTA, CAPS_OK, NULL, "no cgroup limits CPU time");
}

static void probe_numa(int root_fd, struct caps *c)
{
	struct cpulist nodes = { 0 };
	size_t n;

	/* A kernel without NUMA has no such file. */
	(void)sysfile_list(root_fd, "sys/devices/system/node/online", &nodes);
	n = nodes.n > 0 ? nodes.n : 1;
	cpulist_done(&nodes);
	caps_set(c, CAPS_NUMA, CAPS_OK, NULL,
		n > 1 ? "%zu NUMA nodes: where SUT and interfaces are matters"
		      : "%zu NUMA node: nothing can be on the wrong one",
		n);
}

static void probe_descriptors(struct caps *c)
{
	struct rlimit lim = { 0, 0 };

	(void)getrlimit(RLIMIT_NOFILE, &lim); /* cannot fail */
	if (lim.rlim_max >= DESCRIPTORS_WANTED)
		caps_set(c, CAPS_DESCRIPTORS, CAPS_OK, NULL, "up to %llu open files",
			(unsigned long long)lim.rlim_max);
	else
		caps_set(c, CAPS_DESCRIPTORS, CAPS_DEGRADED,
			"sudo prlimit --pid $$ --nofile=65536",
			"only %llu open files: events on many CPUs or threads need more",
			(unsigned long long)lim.rlim_max);
}

static void probe_rate(int root_fd, struct caps *c)
{
	long hz = perf_sysctl(root_fd, "perf_event_max_sample_rate", -1);

	if (hz < 0)
		caps_set(c, CAPS_PERF_RATE, CAPS_MISSING, NULL,
			"this kernel has no perf events");
	else if (hz < DOSE_MAX_HZ)
		caps_set(c, CAPS_PERF_RATE, CAPS_DEGRADED,
			"sudo sysctl -w kernel.perf_event_max_sample_rate=100000",
			"the kernel allows %ld samples/s, --preset dose takes up to %d",
			hz, DOSE_MAX_HZ);
	else
		caps_set(c, CAPS_PERF_RATE, CAPS_OK, NULL,
			"up to %ld samples/s (the kernel lowers this when sampling takes "
			"too long)",
			hz);
}

static void probe_watchdog(int root_fd, struct caps *c)
{
	if (perf_sysctl(root_fd, "nmi_watchdog", 0) == 1)
		caps_set(c, CAPS_NMI_WATCHDOG, CAPS_DEGRADED,
			"sudo sysctl -w kernel.nmi_watchdog=0",
			"the NMI watchdog holds one hardware counter of each CPU");
	else
		caps_set(c, CAPS_NMI_WATCHDOG, CAPS_OK, NULL,
			"it holds no hardware counter");
}

/* Without the right to see them all addresses are 0. */
static void probe_symbols(int root_fd, struct caps *c)
{
	long restricted = perf_sysctl(root_fd, "kptr_restrict", 0);
	/* At 0 they are shown to whoever may profile the kernel. */
	const char *fix = restricted > 0
				  ? "sudo sysctl -w kernel.kptr_restrict=0"
				  : "sudo sysctl -w kernel.perf_event_paranoid=1";
	unsigned long long address = 0;
	char buf[4096], *line, *rest;

	if (proctree_read_file(root_fd, "proc/kallsyms", buf, sizeof(buf)) <= 0) {
		caps_set(c, CAPS_KERNEL_SYMBOLS, CAPS_MISSING, "sudo satprof probe",
			"/proc/kallsyms cannot be read: kernel functions stay without "
			"names");
		return;
	}
	for (line = strtok_r(buf, "\n", &rest); line != NULL && address == 0;
		line = strtok_r(NULL, "\n", &rest))
		address = strtoull(line, NULL, 16);
	if (address != 0)
		caps_set(c, CAPS_KERNEL_SYMBOLS, CAPS_OK, NULL,
			"/proc/kallsyms shows addresses");
	else
		caps_set(c, CAPS_KERNEL_SYMBOLS, CAPS_MISSING, fix,
			"/proc/kallsyms hides all addresses (kernel.kptr_restrict is "
			"%ld, and CAP_SYSLOG is not held): kernel functions stay without "
			"names",
			restricted);
}

static void probe_vtune(struct caps *c)
{
	static const char opt[] = "/opt/intel/oneapi/vtune/latest/bin64/vtune";

	if (findprog_exists("vtune"))
		caps_set(c, CAPS_VTUNE, CAPS_OK, NULL, "vtune is in PATH");
	else if (findprog_exists(opt))
		caps_set(c, CAPS_VTUNE, CAPS_DEGRADED,
			". /opt/intel/oneapi/vtune/latest/env/vars.sh",
			"%s is there but not in PATH", opt);
	else
		caps_set(c, CAPS_VTUNE, CAPS_MISSING, "apt install intel-oneapi-vtune",
			"not in PATH; satprof itself does not need it (Intel's package "
			"repository)");
}

void caps_host_probe(int root_fd, struct caps *c)
{
	probe_rights(root_fd, c);
	probe_cpus(c);
	probe_quota(root_fd, c);
	probe_numa(root_fd, c);
	probe_descriptors(c);
	probe_rate(root_fd, c);
	probe_watchdog(root_fd, c);
	probe_symbols(root_fd, c);
	probe_vtune(c);
}
