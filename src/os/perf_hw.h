/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Is there a core PMU that really works? Encoding and opening prove nothing: in
 * virtual machines events open and stay at 395 in a second, or count and never
 * interrupt. So a known amount of work is run and looked at. Main thread only.
 */
#ifndef SATPROF_OS_PERF_HW_H
#define SATPROF_OS_PERF_HW_H

#include <stdbool.h>
#include <stdint.h>

struct perf_event_attr;

struct perf_hw {
	bool counts;         /* cycles open, count, and are plausible */
	bool samples;        /* and its overflow interrupts arrive */
	double cycles_per_s; /* of this CPU, busy; 0 unless counts */
	char why_not[160];   /* when not both; "" else */
};

/* A core PMU as sysfs names it. */
struct perf_pmu {
	char name[32];  /* "cpu", "cpu_core", "armv8_pmuv3_0"; "none" */
	uint32_t type;  /* attr.type */
	bool is_hybrid; /* one of several: config needs the type on top */
};

/* Spins for about 20 ms on the CPU it is called on. */
void perf_hw_probe(bool exclude_kernel, struct perf_hw *ret_hw);

/* The core PMU of a CPU; name "none" and type 0 when there is none. */
void perf_hw_pmu_of_cpu(int root_fd, int cpu, struct perf_pmu *ret_pmu);

/* A generic hardware event on a machine with several core PMUs has to name the one
 * of its CPU; any other attr, or cpu -1, is left alone. */
void perf_hw_attr_for_cpu(struct perf_event_attr *attr, int root_fd, int cpu);

/* Keep this CPU busy: known work to count. */
void perf_hw_spin_ns(uint64_t ns);

/* What value, counted in running_ns of a busy loop, is too small to be cycles or
 * instructions (below 20 MHz). Pure. */
bool perf_hw_is_plausible(uint64_t value, uint64_t running_ns);

#endif
