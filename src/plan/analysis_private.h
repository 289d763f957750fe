/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Between the files of the analysis: the steps, in the order analysis_make() takes
 * them, and what they share. Each step fills its part of *a and reads
 * those of the steps before it.
 */
#ifndef SATPROF_PLAN_ANALYSIS_PRIVATE_H
#define SATPROF_PLAN_ANALYSIS_PRIVATE_H

#include "plan/analysis.h"
#include "stat/values.h"

/* Stored rates of one grid point differ by less. */
#define SAME_RATE_FRAC 0.001

/* From this fraction of the knee on a trial counts as "at the knee and above". */
#define ANALYSIS_AT_KNEE_FRAC 0.98

/* All of the steps: a run of one phase (model/run_view.h) as a sweep. */
void analysis_steps_make(const struct run *run, struct analysis *ret_analysis);
/* Grid, mini-sweeps and their fits. */
void analysis_minisweeps_make(const struct run *run, struct analysis *a);
/* Knee or bound of each arm, its block counts, and sampling totals. */
void analysis_arms_make(const struct run *run, struct analysis *a);
/* Arms whose goodput is no hinge lose their knee. */
void analysis_misfit_make(const struct run *run, struct analysis *a);
/* Median table of each arm. */
void analysis_rates_make(const struct run *run, struct analysis *a);
/* What ran out, who limited, where frames were lost, busy polling. */
void analysis_limits_make(const struct run *run, struct analysis *a);
/* What was used there; after the limits. */
void analysis_resources_make(const struct run *run, struct analysis *a);
/* CPU time per packet at 0.85 of the knee; needs busy polling. */
void analysis_cost_make(struct analysis *a);
/* The shift, in logarithms, that n blocks with this sd would find with a chance of
 * 80 % by an interval that misses on one side with the chance tail. */
double analysis_visible(double ln_sd, double tail, size_t n);
/* One arm against another, pairs within blocks; all but what bands and causes add. */
void analysis_shift_make(const struct analysis *a, uint32_t arm, uint32_t ref_arm,
	struct analysis_shift *ret_shift);
/* Shifts against arm 0, and the noise floor. */
void analysis_shifts_make(struct analysis *a);
/* What disturbed the run; after the shifts, whose verdicts bands can spoil. */
void analysis_noise_make(const struct run *run, struct analysis *a);
/* True when the knee of the one arm that was measured is not one number. */
bool analysis_noise_spoils_knee(const struct analysis *a);
/* A sentence for each; after the verdict. */
void analysis_noise_reasons(struct analysis *a);
/* NDR and PDR of arm 0. */
void analysis_ndr_make(const struct run *run, struct analysis *a);
/* Why they are not exact; after the verdict. */
void analysis_ndr_reasons(struct analysis *a);
/* Which blocks of which arm do not count, and why; a reason for each cause. */
void analysis_blocks_reasons(const struct run *run, struct analysis *a);
/* Dose and response. */
void analysis_dose_make(const struct run *run, struct analysis *a);
/* What differs between the arms of each shift; after the verdicts. */
void analysis_causes_make(const struct run *run, struct analysis *a);
/* Function table, profile_valid and its reasons; last. */
void analysis_functions_make(const struct run *run, struct analysis *a);
/* The verdict and its reasons. */
void analysis_verdict_make(const struct run *run, struct analysis *a);

/* When the mini-sweep began: the start of its first trial. */
uint64_t analysis_began_ns(
	const struct analysis *a, const struct analysis_minisweep *m);

/* printf into the next reason. */
void analysis_add_reason(struct analysis *a, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

/* The arm's mini-sweep whose fit is exact in that block, or NULL. */
const struct analysis_minisweep *analysis_exact_in(
	const struct analysis *a, uint32_t block, uint32_t arm);

/*
 * True when the trial (of that mini-sweep) ran at the knee or above: by its own
 * block's knee; where the arm is below-min every trial is, else none.
 */
bool analysis_is_saturated(const struct analysis *a, const struct analysis_minisweep *m,
	const struct trial *t);

/* Packets into the SUT, or out of it where that is not known. */
double analysis_packets(const struct trial *t);

/* Share of the trial's send time that a CPU or thread was busy, at most 1. The
 * drain after it is idle time that says nothing, so it is not counted. */
double analysis_busy_frac(uint64_t busy_ns, const struct trial *t);

#endif
