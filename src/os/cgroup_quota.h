/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How much CPU time a process's control groups grant, of either version, from /proc and
 * /sys/fs/cgroup through a root descriptor. Any thread; nothing blocks.
 */
#ifndef SATPROF_OS_CGROUP_QUOTA_H
#define SATPROF_OS_CGROUP_QUOTA_H

#include <stdbool.h>
#include <stdint.h>

struct cgroup_quota {
	double cpus;    /* the tightest limit up to the root; INFINITY: none */
	char file[256]; /* that says so, absolute; "" */
	/* Of its group and those above: what their cpu.stat counts. */
	bool has_throttled;
	uint64_t n_throttled, throttled_ns;
};

/* who: "self" or a pid. 0, or -errno where the groups cannot be told (-ENOENT, too,
 * where the group's folder is not mounted here); *ret is then untouched. */
int cgroup_quota_read(int root_fd, const char *who, struct cgroup_quota *ret);

#endif
