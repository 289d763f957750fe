/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the machine from /proc and /sys. */
#include "config.h"

#include "os/host.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/proctree.h"
#include "os/sysfile.h"

static void add_line(int root_fd, const char *path, const char *key, struct run *run)
{
	char buf[256];

	if (sysfile_line(root_fd, path, buf, sizeof(buf)) == 0)
		run_set_fact(run, key, buf, false);
}

static void add_bool(struct run *run, const char *key, bool value)
{
	run_set_fact(run, key, value ? "true" : "false", true);
}

/* How many a kernel list like 0-3,8 names. */
static void add_count(int root_fd, const char *path, const char *key, struct run *run)
{
	struct cpulist ids = { 0 };
	char buf[32];

	if (sysfile_list(root_fd, path, &ids) == 0 && ids.n > 0) {
		(void)snprintf(buf, sizeof(buf), "%zu", ids.n);
		run_set_fact(run, key, buf, true);
	}
	cpulist_done(&ids);
}

static bool has_word(const char *text, const char *word)
{
	size_t len = strlen(word);
	const char *p = text;

	while ((p = strstr(p, word)) != NULL) {
		if ((p == text || p[-1] == ' ') && (p[len] == ' ' || p[len] == '\0'))
			return true;
		p += len;
	}
	return false;
}

/*
 * Arm names no model but implementer and part numbers. "hypervisor" is the x86
 * flag that a guest sees; elsewhere a known vendor of the "board" says it.
 */
static void add_cpu(int root_fd, struct run *run)
{
	static const char *const vendors[] = { "QEMU", "VMware", "Xen", "KVM", "Amazon",
		"Google", "Microsoft", "innotek", "OpenStack", "Parallels" };
	char info[8192], value[4096], part[64], vendor[64];
	size_t i;

	if (proctree_read_file(root_fd, "proc/cpuinfo", info, sizeof(info)) <= 0)
		return;
	if (sysfile_value(info, "model name", value, sizeof(value))) {
		run_set_fact(run, "cpu", value, false);
	} else if (sysfile_value(info, "CPU implementer", value, 32) &&
		   sysfile_value(info, "CPU part", part, sizeof(part))) {
		(void)snprintf(
			info, sizeof(info), "implementer %.31s part %s", value, part);
		run_set_fact(run, "cpu", info, false);
	}
	if (sysfile_value(info, "flags", value, sizeof(value))) {
		add_bool(run, "virtual", has_word(value, "hypervisor"));
		return;
	}
	if (sysfile_line(root_fd, "sys/class/dmi/id/sys_vendor", vendor,
		    sizeof(vendor)) != 0)
		return;
	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strstr(vendor, vendors[i]) != NULL)
			break;
	add_bool(run, "virtual", i < sizeof(vendors) / sizeof(vendors[0]));
}

/* "mds=mitigated meltdown=vulnerable": what does not concern this CPU is left out. */
static void add_mitigations(int root_fd, struct run *run)
{
	static const char dir[] = "sys/devices/system/cpu/vulnerabilities";
	char path[160], state[256], text[1024] = "";
	const char *word;
	size_t n = 0, i, at = 0;
	char **names = sysfile_names(root_fd, dir, &n);

	for (i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (sysfile_line(root_fd, path, state, sizeof(state)) == 0 &&
			strcmp(state, "Not affected") != 0 && at < sizeof(text)) {
			word = strncmp(state, "Mitigation", 10) == 0   ? "mitigated"
			       : strncmp(state, "Vulnerable", 10) == 0 ? "vulnerable"
								       : "unknown";
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s=%s",
				at > 0 ? " " : "", names[i], word);
		}
	}
	sysfile_names_free(names, n);
	if (n > 0)
		run_set_fact(run, "mitigations", at > 0 ? text : "none needed", false);
}

/* "always [madvise] never": the one in brackets holds. */
static void add_thp(int root_fd, struct run *run)
{
	char buf[128], *open, *end;

	if (sysfile_line(root_fd, "sys/kernel/mm/transparent_hugepage/enabled", buf,
		    sizeof(buf)) != 0)
		return;
	open = strchr(buf, '[');
	end = open != NULL ? strchr(open, ']') : NULL;
	if (end == NULL)
		return;
	*end = '\0';
	run_set_fact(run, "thp", open + 1, false);
}

static void add_smt(int root_fd, struct run *run)
{
	char buf[16];

	if (sysfile_line(root_fd, "sys/devices/system/cpu/smt/active", buf,
		    sizeof(buf)) == 0)
		add_bool(run, "smt", strcmp(buf, "1") == 0);
}

void host_fingerprint(int root_fd, struct run *run)
{
	add_cpu(root_fd, run);
	add_count(root_fd, "sys/devices/system/cpu/online", "cpu_count", run);
	add_line(root_fd, "proc/sys/kernel/osrelease", "kernel", run);
	add_line(root_fd, "proc/sys/kernel/arch", "arch", run);
	add_count(root_fd, "sys/devices/system/node/online", "numa_nodes", run);
	add_smt(root_fd, run);
	add_line(root_fd, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		"governor", run);
	add_line(root_fd, "sys/devices/system/cpu/cpuidle/current_driver",
		"idle_driver", run);
	add_line(root_fd,
		"sys/devices/system/clocksource/clocksource0/current_clocksource",
		"clocksource", run);
	add_mitigations(root_fd, run);
	add_thp(root_fd, run);
	add_bool(run, "hardened", SATPROF_HARDENED != 0);
}
