/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Parse /proc/PID/stat. */
#include "config.h"

#include "os/pidstat.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"

/* Numbers of fields in proc(5); those used here lie between the two. */
#define FIRST_NUMBER 4
#define LAST_NEEDED  39
#define LAST_NUMBER  41

/* USER_HZ, 100 on every Linux but by configuration. */
uint64_t pidstat_tick_ns(void)
{
	long hz = sysconf(_SC_CLK_TCK);

	return hz > 0 ? NS_PER_S / (uint64_t)hz : 10 * NS_PER_MS;
}

/* Fields FIRST_NUMBER.. of what follows the state; how far it got. */
static int numbers_parse(const char *p, uint64_t *v)
{
	char *end;
	int i;

	for (i = FIRST_NUMBER; i <= LAST_NUMBER; i++, p = end) {
		v[i] = strtoull(p, &end, 10); /* a negative one wraps, and back below */
		if (end == p)
			break;
	}
	return i - 1;
}

bool pidstat_parse(const char *line, struct pidstat *ret_stat)
{
	/* The name may hold spaces and parentheses: it ends at the last one. */
	const char *open = strchr(line, '('), *close_ = strrchr(line, ')');
	uint64_t v[LAST_NUMBER + 1] = { 0 };
	struct pidstat s = { .flags = 0 };
	size_t len;

	if (open == NULL || close_ == NULL || close_ < open || close_[1] != ' ' ||
		close_[2] == '\0' || numbers_parse(close_ + 3, v) < LAST_NEEDED)
		return false;
	len = (size_t)(close_ - open - 1);
	if (len > sizeof(s.comm) - 1)
		len = sizeof(s.comm) - 1;
	memcpy(s.comm, open + 1, len);
	s.state = close_[2];
	s.ppid = (pid_t)v[4];
	s.flags = (uint32_t)v[9];
	s.n_minor_faults = v[10];
	s.n_major_faults = v[12];
	s.run_ns = (v[14] + v[15]) * pidstat_tick_ns();
	s.nice = (int32_t)v[19];
	s.n_threads = (int32_t)v[20];
	s.start_ticks = v[22];
	s.cpu = (int32_t)v[39];
	s.rt_priority = (uint32_t)v[40];
	s.policy = (uint32_t)v[41];
	*ret_stat = s;
	return true;
}
