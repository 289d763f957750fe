/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a process was launched with, to launch another one so: environment, working
 * directory, limits, nice value, scheduling policy, personality. Not its CPUs, streams,
 * control group or tracer. Values of the environment are in memory only and never
 * stored: they may be secrets.
 */
#ifndef SATPROF_OS_LAUNCH_H
#define SATPROF_OS_LAUNCH_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/resource.h>
#include <sys/types.h>

#include "base/err.h"

/* What is one number each. */
struct launch_settings {
	int nice;
	int policy, rt_priority; /* SCHED_* */
	unsigned long personality;
	struct rlimit limits[RLIM_NLIMITS];
};

struct launch {
	char **env; /* "NAME=VALUE" words, NULL-terminated; owned */
	char *cwd;  /* owned */
	struct launch_settings set;
};

/* Of a running process, by its main thread. SP_EENV: it may not be looked at, or is
 * gone. The caller frees it (launch_done). */
int launch_read(int root_fd, pid_t pid, struct launch *ret_launch, struct sp_err *err);
void launch_done(struct launch *l);

/* Take over all but the environment, which is exec's. For the calling process, between
 * fork and exec. 0 or -errno; what is so already needs no right. */
int launch_apply(const char *cwd, const struct launch_settings *set);

#endif
