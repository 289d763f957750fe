/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the tests of forcing share. All of it fails the cmocka test that calls it when
 * it does not work. */
#ifndef SATPROF_TESTS_FORCEHELP_H
#define SATPROF_TESTS_FORCEHELP_H

#include <sched.h>
#include <sys/types.h>

#include "os/force.h"

cpu_set_t forcehelp_cpus_of(pid_t tid);
/* The lowest CPU that this process may use, as a number and as a word. */
int forcehelp_first_cpu(void);
const char *forcehelp_cpu_word(void);
/* It stays, and "/" is the root. */
struct force_target forcehelp_target_of(pid_t pid);
/* Of one part. */
struct arm_force forcehelp_force_of(
	enum factor factor, const char *of, const char *value, double number);

#endif
