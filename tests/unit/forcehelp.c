/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is forced on what, in tests. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <stdio.h>

#include "forcehelp.h"

cpu_set_t forcehelp_cpus_of(pid_t tid)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(tid, sizeof(set), &set), 0);
	return set;
}

/* The lowest CPU that this process may use. */
int forcehelp_first_cpu(void)
{
	cpu_set_t set = forcehelp_cpus_of(0);
	int cpu = 0;

	while (!CPU_ISSET((size_t)cpu, &set))
		cpu++;
	return cpu;
}

struct force_target forcehelp_target_of(pid_t pid)
{
	static int root_fd = -1;

	if (root_fd < 0)
		root_fd = open("/", O_PATH | O_DIRECTORY);
	return (struct force_target){ .pid = pid, .stays = true, .root_fd = root_fd };
}

struct arm_force forcehelp_force_of(
	enum factor factor, const char *of, const char *value, double number)
{
	struct arm off = { .name = "off" }, a = arm_force_make(&off, factor);

	assert_true(arm_force_add(&a, of, value, number));
	return a.force;
}

const char *forcehelp_cpu_word(void)
{
	static char word[16];

	(void)snprintf(word, sizeof(word), "%d", forcehelp_first_cpu());
	return word;
}
