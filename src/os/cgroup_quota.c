/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU limits of control groups, from a process's own group up to the root. */
#include "config.h"

#include "os/cgroup_quota.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "os/proctree.h"

/* CPUs that one group's file grants; INFINITY where there is no limit. */
static double quota_in(int root_fd, const char *dir, bool is_v2, char *file, size_t len)
{
	char path[512], buf[64];
	double quota, period;

	(void)snprintf(path, sizeof(path), "%s/%s", dir,
		is_v2 ? "cpu.max" : "cpu.cfs_quota_us");
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0)
		return (double)INFINITY;
	(void)snprintf(file, len, "/%.*s", (int)len - 2, path); /* cut is fine */
	if (is_v2)
		return sscanf(buf, "%lf %lf", &quota, &period) == 2 && period > 0
			       ? quota / period
			       : (double)INFINITY;
	quota = strtod(buf, NULL);
	(void)snprintf(path, sizeof(path), "%s/cpu.cfs_period_us", dir);
	if (quota <= 0 || proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0 ||
		strtod(buf, NULL) <= 0)
		return (double)INFINITY;
	return quota / strtod(buf, NULL);
}

/* The number behind a key of cpu.stat ("nr_throttled 7"). */
static bool stat_number(const char *text, const char *key, uint64_t *ret)
{
	const char *p = strstr(text, key);

	if (p == NULL || (p != text && p[-1] != '\n'))
		return false;
	return sscanf(p + strlen(key), " %" SCNu64, ret) == 1;
}

static void add_throttled(int root_fd, const char *dir, struct cgroup_quota *q)
{
	char path[512], buf[1024];
	uint64_t n = 0, time = 0;

	(void)snprintf(path, sizeof(path), "%s/cpu.stat", dir);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0 ||
		!stat_number(buf, "nr_throttled", &n))
		return;
	q->has_throttled = true;
	q->n_throttled += n;
	if (stat_number(buf, "throttled_usec", &time))
		q->throttled_ns += time * 1000;
	else if (stat_number(buf, "throttled_time", &time))
		q->throttled_ns += time;
}

/* A group and all above it. False: its folder is not there (it may be outside of what
 * this namespace shows), and no limit is seen above it. */
static bool walk_up(int root_fd, const char *mount, const char *cgroup, bool is_v2,
	struct cgroup_quota *q)
{
	size_t floor_len = strlen(mount);
	/* Outside of what this cgroup namespace shows: all that is known of it is what
	 * stands above all. */
	bool is_outside = strstr(cgroup, "/..") != NULL;
	char dir[400], file[sizeof(q->file)], *slash;
	double cpus;
	bool found;

	(void)snprintf(dir, sizeof(dir), "%s%s", mount,
		is_outside || strcmp(cgroup, "/") == 0 ? "" : cgroup);
	found = !is_outside && faccessat(root_fd, dir, F_OK, 0) == 0;
	for (;;) {
		cpus = quota_in(root_fd, dir, is_v2, file, sizeof(file));
		if (cpus < q->cpus) {
			q->cpus = cpus;
			memcpy(q->file, file, sizeof(q->file));
		}
		add_throttled(root_fd, dir, q);
		slash = strrchr(dir, '/');
		if (slash == NULL || (size_t)(slash - dir) < floor_len)
			return found || isfinite(q->cpus);
		*slash = '\0';
	}
}

/* Lines are "id:controllers:path"; no controllers means the second version. */
static bool read_line(int root_fd, char *line, struct cgroup_quota *q)
{
	char *controllers = strchr(line, ':'), *path, mount[128], *word, *rest;
	bool a, b;

	if (controllers == NULL)
		return false;
	path = strchr(++controllers, ':');
	if (path == NULL)
		return false;
	*path++ = '\0';
	if (controllers[0] == '\0') {
		a = walk_up(root_fd, "sys/fs/cgroup", path, true, q);
		b = walk_up(root_fd, "sys/fs/cgroup/unified", path, true, q);
		return a || b;
	}
	(void)snprintf(mount, sizeof(mount), "sys/fs/cgroup/%s", controllers);
	for (word = strtok_r(controllers, ",", &rest); word != NULL;
		word = strtok_r(NULL, ",", &rest))
		if (strcmp(word, "cpu") == 0)
			return walk_up(root_fd, mount, path, false, q);
	return false;
}

int cgroup_quota_read(int root_fd, const char *who, struct cgroup_quota *ret)
{
	struct cgroup_quota q = { .cpus = (double)INFINITY };
	char path[64], buf[4096], *line, *rest;
	bool any = false;
	ssize_t got;

	(void)snprintf(path, sizeof(path), "proc/%s/cgroup", who);
	got = proctree_read_file(root_fd, path, buf, sizeof(buf));
	if (got < 0)
		return (int)got;
	for (line = strtok_r(buf, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest))
		any |= read_line(root_fd, line, &q);
	if (!any)
		return -ENOENT;
	*ret = q;
	return 0;
}
