/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Why an arm's knee lies elsewhere: the facts that differ between its trials and the
 * reference's, ranked by factor (placement first), then by how much they differ. Pure.
 * No difference, no cause; a difference is evidence, and only a confirmation
 * (plan/confirm.h) makes it a cause that is known.
 */
#ifndef SATPROF_PLAN_CAUSES_H
#define SATPROF_PLAN_CAUSES_H

#include <stddef.h>
#include <stdint.h>

#include "model/fact.h"
#include "model/run.h"

struct analysis;

enum cause_state {
	CAUSE_OBSERVED,   /* it differs; nothing was forced */
	CAUSE_CONFIRMED,  /* forced without the observer it moves the knee alike */
	CAUSE_REFUTED,    /* forced, it does not */
	CAUSE_UNRESOLVED, /* forced, but the blocks do not decide */
};

#define CAUSE_VALUE_MAX    64
#define CAUSE_EVIDENCE_MAX 240

struct cause {
	enum factor factor;
	enum fact_key key;
	char of[FACT_OF_MAX]; /* the thread, the CPU, ... */
	double ref, arm;      /* typical values; NAN of a text, and where none is */
	char ref_value[CAUSE_VALUE_MAX], arm_value[CAUSE_VALUE_MAX]; /* "cpu 0" */
	/* One line: "thread fwd ran on CPU 0 with off and on CPU 1 with sample@997". */
	char evidence[CAUSE_EVIDENCE_MAX];
	enum cause_state state;
};

/*
 * The causes of arm against ref, strongest suspect first; at most one a factor and
 * object. Trials: the grid trials of blocks that count in both arms; below
 * ANALYSIS_BLOCKS_MIN of these there are none. What stays, such as a CPU, is compared
 * by the value that an arm holds in 70 % of its trials; numbers by their medians near
 * the knee, block by block (causes_rules.c: from when on they could matter). What can
 * only lower the knee is no cause of a higher one. A thread that moved and other
 * programs on the SUT's CPU explain waiting, switches, interrupts, idle states and
 * frequency of that thread and those CPUs: these are no causes of their own. But one
 * that known (n_known; NULL for none) holds as refuted explains nothing: what hid
 * behind it is a suspect then, after it.
 * *ret_causes is owned by the caller (free), NULL for none.
 */
size_t causes_make(const struct run *run, const struct analysis *a, uint32_t ref,
	uint32_t arm, const struct cause *known, size_t n_known,
	struct cause **ret_causes);

/* "observed", "confirmed", "refuted", "unresolved". */
const char *cause_state_name(enum cause_state s);

#endif
