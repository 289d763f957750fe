/* SPDX-License-Identifier: GPL-3.0-or-later */
/* onnode CPU NODE MIB: a busy thread on that CPU whose memory is on that node. */
#include "config.h"

#include <linux/mempolicy.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	unsigned long mask;
	size_t bytes, i;
	volatile char *p;
	cpu_set_t set;

	if (argc != 4) {
		(void)fprintf(stderr, "Usage: onnode CPU NODE MIB\n");
		return 2;
	}
	CPU_ZERO(&set);
	CPU_SET((size_t)atoi(argv[1]), &set);
	mask = 1UL << atoi(argv[2]);
	bytes = (size_t)atoi(argv[3]) << 20;
	if (sched_setaffinity(0, sizeof(set), &set) != 0 ||
		syscall(SYS_set_mempolicy, MPOL_BIND, &mask, 8 * sizeof(mask)) != 0) {
		perror("onnode");
		return 1;
	}
	p = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1,
		0);
	if (p == MAP_FAILED) {
		perror("onnode");
		return 1;
	}
	for (i = 0; i < bytes; i += 4096)
		p[i] = 1;
	(void)printf("ready\n");
	(void)fflush(stdout);
	for (;;)
		for (i = 0; i < bytes; i += 4096)
			p[i]++;
}
