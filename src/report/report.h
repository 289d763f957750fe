/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Writers of a run's answer behind one vtable. A writer is a pure function of run,
 * analysis and options: the same input gives the same bytes, whatever the locale's
 * decimal point or the terminal. It computes nothing that the analysis has not.
 */
#ifndef SATPROF_REPORT_REPORT_H
#define SATPROF_REPORT_REPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "base/err.h"
#include "model/run.h"
#include "plan/analysis.h"
#include "plan/selftest.h"

#define REPORT_WIDTH_MIN 80
#define REPORT_WIDTH_MAX 100

struct report_options {
	bool utf8;  /* a terminal with a UTF-8 locale; else plain ASCII */
	bool color; /* terminal escapes */
	/* Columns; 0: REPORT_WIDTH_MAX; clamped to MIN..MAX. */
	size_t width;
};

struct report_ops {
	const char *name;
	const char *summary;
	/* Writes the whole document. SP_EIO when the stream fails. */
	int (*write)(FILE *f, const struct run *run, const struct analysis *a,
		const struct report_options *o, struct sp_err *err);
};

extern const struct report_ops report_json; /* the JSON of sweep and show */
extern const struct report_ops report_text; /* ends in the line verdict=WORD */

extern const struct report_ops *const report_list[];
extern const size_t report_list_len;

/* NULL when there is none of that name. */
const struct report_ops *report_find(const char *name);
/* What a run file keeps as a verdict: the JSON document without trials, functions and
 * fingerprint. The caller frees it. */
char *report_json_verdict(const struct run *run, const struct analysis *a);
/* What `selftest` prints, as text that ends in verdict=WORD, and as JSON, which the run
 * file keeps, too; the caller frees it. */
int report_selftest_text(FILE *f, const struct run *run, const struct analysis *a,
	const struct selftest *t, const struct report_options *o, struct sp_err *err);
char *report_selftest_json(
	const struct run *run, const struct analysis *a, const struct selftest *t);
/* SP_EIO when the stream is in error, as every writer ends; else 0. */
int report_finish(FILE *f, struct sp_err *err);

#endif
