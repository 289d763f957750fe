/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The same SUT against itself: what this machine can tell, and whether it tells a
 * difference where there is none. A pure function of a run of two arms that are alike,
 * and of its analysis; the shift that must be seen is the run's margin. Shift, order
 * effect and noise floor are the analysis's own and not repeated here.
 */
#ifndef SATPROF_PLAN_SELFTEST_H
#define SATPROF_PLAN_SELFTEST_H

#include <stddef.h>
#include <stdint.h>

#include "model/run.h"
#include "plan/analysis.h"

/* What is not known is NAN, or 0 where it is a count or a time. */
struct selftest {
	/*
	 * biased: the interval of the shift leaves out 0 and reaches over the margin,
	 * or that of the order effect leaves out 0 and it is half the margin or more,
	 * each with half of the chance of error that the run's level leaves. noisy: the
	 * smallest shift that these blocks could see is above the margin, or the knees
	 * fall into two bands further apart than it. broken, no-knee: there are no
	 * knees to compare. Else ok.
	 */
	enum verdict verdict;
	char reason[256]; /* the deciding one; "" for ok, broken and no-knee */
	/* Under no difference each block's might as well have had the other sign: the
	 * share of such runs, of 60 blocks at most, that would be called helps or
	 * hurts, upper 95 % limit (Clopper and Pearson 1934) of the share among
	 * SELFTEST_N_DRAWS drawn ones. */
	double false_alarm_frac;
	size_t blocks_needed; /* to see a shift of the margin with a chance of 80 % */
	uint64_t block_ns;    /* what a block of both arms took */
	uint64_t needed_ns;   /* blocks_needed of them */
	/* The smallest margin with which a gate on so many blocks passes no change with
	 * a chance of 80 %, and fails twice the margin with one, both one-sided at
	 * 95 %, rounded up to half a percent. */
	double tolerance_frac;
};

#define SELFTEST_N_DRAWS 2000

void selftest_make(
	const struct run *run, const struct analysis *a, struct selftest *ret_selftest);

#endif
