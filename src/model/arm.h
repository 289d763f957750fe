/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An arm: one way of running the SUT. Arms are what is compared; the first one
 * of a run is the reference. Plain data; strings are owned by the arm.
 */
#ifndef SATPROF_MODEL_ARM_H
#define SATPROF_MODEL_ARM_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define ARM_NAME_MAX 48

enum arm_kind {
	ARM_OFF,      /* no observer */
	ARM_ATTACH,   /* events open and enabled, no samples taken, none read */
	ARM_COUNT,    /* events counted, read at trial edges */
	ARM_SAMPLE,   /* the built-in sampling profiler at hz */
	ARM_PERF,     /* perf record at hz, beside the SUT */
	ARM_PROFILER, /* a command of the user's (--profiler), beside the SUT */
	ARM_WRAP,     /* the SUT is launched under a command (--wrap) */
};

struct arm {
	char name[ARM_NAME_MAX]; /* as typed: "off", "sample@997" */
	enum arm_kind kind;
	double hz; /* ARM_SAMPLE, ARM_PERF: samples a second and CPU; else 0 */
};

/* "off", "again" (the same as off, to be compared with it), "attach", "count",
 * "sample@997", "perf@997" (1..100000 Hz), "profiler", "wrap". */
int arm_parse(const char *s, struct arm *ret_arm, struct sp_err *err);
/* A comma list; names must differ. Caller frees *ret_arms. */
int arm_list_parse(
	const char *s, struct arm **ret_arms, size_t *ret_n, struct sp_err *err);
/* True when the arm's trials carry samples. */
bool arm_is_sampling(const struct arm *a);
/* True when another program observes in this arm. */
bool arm_is_outside(const struct arm *a);

#endif
