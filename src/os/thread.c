/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Settings of the calling thread. */
#include "config.h"

#include "os/thread.h"

#include <errno.h>
#include <sched.h>
#include <sys/prctl.h>

int thread_pin(int cpu, struct sp_err *err)
{
	cpu_set_t set;

	if (cpu < 0)
		return 0;
	if (cpu >= CPU_SETSIZE)
		return sp_err_set(err, SP_EUSAGE, "CPU %d: there is no such CPU", cpu);
	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return sp_err_errno(err, SP_EUSAGE, errno,
			"CPU %d: this process may not run there", cpu);
	return 0;
}

void thread_set_name(const char *name)
{
	(void)prctl(PR_SET_NAME, name); /* fails for a bad pointer only */
}

void thread_sharpen_timers(void)
{
	(void)prctl(PR_SET_TIMERSLACK, 1UL); /* refused: timers are coarser, no more */
}

bool thread_set_fifo(bool on)
{
	struct sched_param p = { .sched_priority =
					 on ? sched_get_priority_min(SCHED_FIFO) : 0 };

	return sched_setscheduler(0, on ? SCHED_FIFO : SCHED_OTHER, &p) == 0;
}
