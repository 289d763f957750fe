/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The raw system call that glibc does not wrap; probing and opening share it. */
#ifndef SATPROF_OS_PERF_SYS_H
#define SATPROF_OS_PERF_SYS_H

#include <sys/types.h>

struct perf_event_attr;

/* As perf_event_open(2): a descriptor, or -1 with errno set. */
int perf_sys_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	unsigned long flags);

#endif
