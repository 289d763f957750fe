/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An arm: one way of running the SUT. Arms are what is compared; the first one
 * of a run is the reference. Plain data; strings are owned by the arm.
 */
#ifndef SATPROF_MODEL_ARM_H
#define SATPROF_MODEL_ARM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/fact.h"

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

#define ARM_FORCE_VALUE_MAX 64
#define ARM_FORCE_PARTS_MAX 16

/* One thing that is made to be as it was with the observer. */
struct arm_force_part {
	char of[FACT_OF_MAX]; /* a thread, a CPU, a node; "": the SUT */
	/* CPUs "0,2-3", "node 1"; of how the SUT is launched the fact that differs,
	 * "environment"; "": none. */
	char value[ARM_FORCE_VALUE_MAX];
	double number; /* a share of 1, a rate in Hz; NAN: none */
};

/* What a confirmation's own arm forces, so that the observer itself is not needed. */
struct arm_force {
	bool is_forced; /* false: all else is meaningless */
	uint32_t phase; /* the confirmation that it belongs to, from 1 */
	uint32_t arm;   /* the observed arm, whose shift is to be confirmed */
	enum factor factor;
	size_t n_parts;
	struct arm_force_part parts[ARM_FORCE_PARTS_MAX];
};

struct arm {
	char name[ARM_NAME_MAX]; /* as typed: "off", "sample@997" */
	enum arm_kind kind;
	double hz; /* ARM_SAMPLE, ARM_PERF: samples a second and CPU; else 0 */
	struct arm_force force;
};

/* "off", "again" (the same as off, to be compared with it), "attach", "count",
 * "sample@997", "perf@997" (1..100000 Hz), "profiler", "wrap". */
int arm_parse(const char *s, struct arm *ret_arm, struct sp_err *err);
/* The same, or with a factor that is forced: "off+placement", "sample@498+sampling".
 * Not what somebody types; the parts are left empty. */
int arm_name_parse(const char *s, struct arm *ret_arm, struct sp_err *err);
/* base with the factor forced, named so, without parts yet. */
struct arm arm_force_make(const struct arm *base, enum factor factor);
/* False when there is no room for another part. value NULL is "". */
bool arm_force_add(struct arm *a, const char *of, const char *value, double number);
/* True where the SUT is launched as it is in the observed arm, as a whole: parts say
 * which facts of that differ. Else a launch forces nice values of threads. */
bool arm_force_is_launch(const struct arm_force *f);
/* A comma list; names must differ. Caller frees *ret_arms. */
int arm_list_parse(
	const char *s, struct arm **ret_arms, size_t *ret_n, struct sp_err *err);
/* True when the arm's trials carry samples. */
bool arm_is_sampling(const struct arm *a);
/* True when another program observes in this arm. */
bool arm_is_outside(const struct arm *a);

#endif
