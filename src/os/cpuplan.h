/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Which CPU does what: made before the SUT starts, printed and recorded. By
 * default the SUT gets the highest allowed CPU, generator, receiver and collector
 * the lowest ones off it. It never follows a SUT that leaves its CPU.
 */
#ifndef SATPROF_OS_CPUPLAN_H
#define SATPROF_OS_CPUPLAN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define CPUPLAN_MAX 64

struct cpuplan_request {
	int cpu_gen, cpu_recv, cpu_collect; /* -1: choose */
	const char *cpu_sut;                /* list "1,3-4", "none", or NULL: choose */
};

struct cpuplan {
	int cpu_gen, cpu_recv, cpu_collect;
	size_t n_sut;
	int sut[CPUPLAN_MAX];  /* the SUT's CPUs: measured, and its affinity */
	bool set_sut_affinity; /* false for "none" */
	bool shared_core;      /* a busy SMT sibling or one CPU for SUT and generator */
	char why_shared[120];
};

/* From sched_getaffinity(); SP_EUSAGE for a CPU that is not allowed. */
int cpuplan_make(const struct cpuplan_request *req, int root_fd,
	struct cpuplan *ret_plan, struct sp_err *err);
/* The same from a given set of allowed CPUs, ascending, at least one. */
int cpuplan_choose(const struct cpuplan_request *req, int root_fd, const int *allowed,
	size_t n_allowed, struct cpuplan *ret_plan, struct sp_err *err);
/* "1,3-4" into cpus[]; SP_EUSAGE when it does not parse or overflows max. */
int cpuplan_list_parse(
	const char *s, int *cpus, size_t max, size_t *ret_n, struct sp_err *err);
/* One line: "SUT on CPU 1; generator, receiver and collector on CPU 0". */
void cpuplan_describe(const struct cpuplan *p, char *buf, size_t len);

#endif
