/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Made-up runs, each for one kind of answer; the verdict is what a writer has to say
 * of it. Each is freed by run_free().
 */
#ifndef SATPROF_TESTS_REPORT_RUNS_H
#define SATPROF_TESTS_REPORT_RUNS_H

#include "model/run.h"
#include "model/verdict.h"

#define REPORT_N_RUNS 9

struct report_run {
	const char *name; /* of its golden files */
	struct run *(*make)(void);
	enum verdict verdict;
};

extern const struct report_run report_runs[REPORT_N_RUNS];

struct run *report_run_hurts(void);
struct run *report_run_bound(void);
struct run *report_run_broken(void);
struct run *report_run_one_arm(void);
struct run *report_run_hostile(void);
struct run *report_run_inconclusive(void);
struct run *report_run_dose(void);
struct run *report_run_moved(void);
/* The same, and what moved is confirmed. */
struct run *report_run_confirmed(void);

#endif
