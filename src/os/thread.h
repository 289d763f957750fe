/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How the calling thread runs: name, CPU, timer slack, real-time priority. For threads
 * made for one trial, so nothing has to be put back.
 */
#ifndef SATPROF_OS_THREAD_H
#define SATPROF_OS_THREAD_H

#include <stdbool.h>

#include "base/err.h"

/* Pin to a CPU; -1 leaves the affinity alone. SP_EUSAGE: a CPU it may not use. */
int thread_pin(int cpu, struct sp_err *err);
/* Its name in /proc, cut to 15 bytes; the main thread's is its process's, too. */
void thread_set_name(const char *name);
/* Let timers fire when they are due, not up to 50 us later to save power. */
void thread_sharpen_timers(void);
/*
 * SCHED_FIFO (the lowest priority) or back to SCHED_OTHER; false: not permitted.
 * Only for a thread that sleeps: one that spins starves the kernel's own threads.
 */
bool thread_set_fifo(bool on);

#endif
