/* SPDX-License-Identifier: GPL-3.0-or-later */
/* moveto PID CPU NODE: pins a process's threads there, and moves its memory with them.
 */
#include "config.h"

#include <ctype.h>
#include <dirent.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

static int threads_pin(int pid, int cpu)
{
	const struct dirent *e;
	cpu_set_t set;
	char path[64];
	DIR *dir;
	int rc = 0;

	CPU_ZERO(&set);
	CPU_SET((size_t)cpu, &set);
	(void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
	dir = opendir(path);
	if (dir == NULL)
		return -1;
	while (rc == 0 && (e = readdir(dir)) != NULL)
		if (isdigit((unsigned char)e->d_name[0]))
			rc = sched_setaffinity(atoi(e->d_name), sizeof(set), &set);
	(void)closedir(dir); /* read only */
	return rc;
}

int main(int argc, char **argv)
{
	unsigned long from, to;

	if (argc != 4) {
		(void)fprintf(stderr, "Usage: moveto PID CPU NODE\n");
		return 2;
	}
	to = 1UL << atoi(argv[3]);
	from = 0xffUL & ~to; /* of the eight nodes that the lab's machine may have */
	/* What it answers is how many pages could not be moved. */
	if (threads_pin(atoi(argv[1]), atoi(argv[2])) != 0 ||
		syscall(SYS_migrate_pages, atoi(argv[1]), 8 * sizeof(from), &from,
			&to) < 0) {
		perror("moveto");
		return 1;
	}
	return 0;
}
