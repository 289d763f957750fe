/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about the machine from /proc and /sys. */
#include "config.h"

#include "os/host.h"

#include <ctype.h>
#include <dirent.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/cpuplan.h"
#include "os/proctree.h"

#define MAX_IDS 8192

/* The file's first line without blanks around it; false when absent or empty. */
static bool read_line(int root_fd, const char *path, char *buf, size_t len)
{
	size_t n, from = 0;

	if (proctree_read_file(root_fd, path, buf, len) <= 0)
		return false;
	n = strcspn(buf, "\n");
	while (n > 0 && isspace((unsigned char)buf[n - 1]))
		n--;
	while (from < n && isspace((unsigned char)buf[from]))
		from++;
	memmove(buf, buf + from, n - from);
	buf[n - from] = '\0';
	return n > from;
}

static void add_line(int root_fd, const char *path, const char *key, struct run *run)
{
	char buf[256];

	if (read_line(root_fd, path, buf, sizeof(buf)))
		run_set_fact(run, key, buf, false);
}

static void add_bool(struct run *run, const char *key, bool value)
{
	run_set_fact(run, key, value ? "true" : "false", true);
}

/* How many a kernel list like 0-3,8 names. */
static void add_count(int root_fd, const char *path, const char *key, struct run *run)
{
	int *ids = xcalloc(MAX_IDS, sizeof(*ids));
	struct sp_err ignored;
	char buf[1024];
	size_t n;

	if (read_line(root_fd, path, buf, sizeof(buf)) &&
		cpuplan_list_parse(buf, ids, MAX_IDS, &n, &ignored) == 0) {
		(void)snprintf(buf, sizeof(buf), "%zu", n);
		run_set_fact(run, key, buf, true);
	}
	free(ids);
}

/* The value behind "key<blanks>:" at a line's start. */
static bool cpuinfo_value(const char *info, const char *key, char *buf, size_t len)
{
	size_t key_len = strlen(key), n;
	const char *line = info, *p;

	for (; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, key_len) != 0)
			continue;
		p = line + key_len;
		p += strspn(p, " \t");
		if (*p != ':')
			continue;
		p += 1 + strspn(p + 1, " \t");
		n = strcspn(p, "\n");
		n = n < len - 1 ? n : len - 1;
		memcpy(buf, p, n);
		buf[n] = '\0';
		return n > 0;
	}
	return false;
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
	if (cpuinfo_value(info, "model name", value, sizeof(value))) {
		run_set_fact(run, "cpu", value, false);
	} else if (cpuinfo_value(info, "CPU implementer", value, 32) &&
		   cpuinfo_value(info, "CPU part", part, sizeof(part))) {
		(void)snprintf(
			info, sizeof(info), "implementer %.31s part %s", value, part);
		run_set_fact(run, "cpu", info, false);
	}
	if (cpuinfo_value(info, "flags", value, sizeof(value))) {
		add_bool(run, "virtual", has_word(value, "hypervisor"));
		return;
	}
	if (!read_line(root_fd, "sys/class/dmi/id/sys_vendor", vendor, sizeof(vendor)))
		return;
	for (i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
		if (strstr(vendor, vendors[i]) != NULL)
			break;
	add_bool(run, "virtual", i < sizeof(vendors) / sizeof(vendors[0]));
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Names in a folder, sorted; the caller frees each and the array. */
static char **list_names(int root_fd, const char *path, size_t *ret_n)
{
	int fd = openat(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	char **names = NULL;
	size_t n = 0, cap = 0;

	*ret_n = 0;
	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd); /* read only */
		return NULL;
	}
	while ((e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		names = xgrow(names, n, &cap, sizeof(*names));
		names[n++] = xstrdup(e->d_name);
	}
	(void)closedir(dir); /* read only */
	if (n > 0)
		qsort(names, n, sizeof(*names), by_name);
	*ret_n = n;
	return names;
}

/* "mds=mitigated meltdown=vulnerable": what does not concern this CPU is left out. */
static void add_mitigations(int root_fd, struct run *run)
{
	static const char dir[] = "sys/devices/system/cpu/vulnerabilities";
	char path[160], state[256], text[1024] = "";
	const char *word;
	size_t n = 0, i, at = 0;
	char **names = list_names(root_fd, dir, &n);

	for (i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		if (read_line(root_fd, path, state, sizeof(state)) &&
			strcmp(state, "Not affected") != 0 && at < sizeof(text)) {
			word = strncmp(state, "Mitigation", 10) == 0   ? "mitigated"
			       : strncmp(state, "Vulnerable", 10) == 0 ? "vulnerable"
								       : "unknown";
			at += (size_t)snprintf(text + at, sizeof(text) - at, "%s%s=%s",
				at > 0 ? " " : "", names[i], word);
		}
		free(names[i]);
	}
	free(names);
	if (n > 0)
		run_set_fact(run, "mitigations", at > 0 ? text : "none needed", false);
}

/* "always [madvise] never": the one in brackets holds. */
static void add_thp(int root_fd, struct run *run)
{
	char buf[128], *open, *end;

	if (!read_line(root_fd, "sys/kernel/mm/transparent_hugepage/enabled", buf,
		    sizeof(buf)))
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

	if (read_line(root_fd, "sys/devices/system/cpu/smt/active", buf, sizeof(buf)))
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
