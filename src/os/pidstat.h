/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * One line of /proc/PID/stat or /proc/PID/task/TID/stat, as proc(5) describes it.
 * Pure; any thread.
 */
#ifndef SATPROF_OS_PIDSTAT_H
#define SATPROF_OS_PIDSTAT_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#define PIDSTAT_KTHREAD 0x00200000u /* of flags: PF_KTHREAD of linux/sched.h */

struct pidstat {
	char comm[16];
	char state; /* 'R', 'Z', ... */
	pid_t ppid;
	uint32_t flags;
	uint64_t n_minor_faults, n_major_faults;
	uint64_t run_ns; /* user and system time, in ticks of mostly 10 ms */
	int32_t nice;
	int32_t n_threads;
	uint64_t start_ticks;         /* tells a reused id from the same thread */
	int32_t cpu;                  /* where it last ran */
	uint32_t rt_priority, policy; /* SCHED_*; 0 where the kernel does not tell */
};

/* False for a line that is cut or no such line; *ret_stat is then untouched. */
bool pidstat_parse(const char *line, struct pidstat *ret_stat);
/* What /proc counts CPU time in, ns. */
uint64_t pidstat_tick_ns(void);

#endif
