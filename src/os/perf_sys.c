/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event_open(2), and nothing else. */
#include "config.h"

#include "os/perf_sys.h"

#include <sys/syscall.h>
#include <unistd.h>

int perf_sys_open(struct perf_event_attr *attr, pid_t pid, int cpu, int group_fd,
	unsigned long flags)
{
	return (int)syscall(SYS_perf_event_open, attr, pid, cpu, group_fd, flags);
}
