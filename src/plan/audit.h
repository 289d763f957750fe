/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is wrong with where things are and how the machine is set, as far as it matters
 * at saturation. Pure: data in (model/audit.h), findings out; nothing is changed, a
 * finding names the command that would. A machine that is set well gives none; what is
 * not known gives none either, so a finding's absence is worth only what the gaps
 * leave.
 */
#ifndef SATPROF_PLAN_AUDIT_H
#define SATPROF_PLAN_AUDIT_H

#include <stddef.h>

#include "model/audit.h"
#include "model/run.h"

enum audit_severity {
	AUDIT_PROBLEM, /* costs capacity, or falsifies what is measured */
	AUDIT_ADVICE,  /* may cost capacity, or makes it vary */
	AUDIT_NOTE,    /* worth knowing */
};

struct audit_finding {
	const char *id; /* "thread-node": static */
	enum audit_severity severity;
	char of[AUDIT_NAME_MAX]; /* the thread, the interface, ...; "" the machine */
	char *what;              /* owned; one line */
	const char *why;         /* static: why it matters at saturation */
	char *mend;              /* owned: a shell command; "": there is none */
};

struct audit_findings {
	size_t n, cap;
	struct audit_finding *f;
};

/* All rules; what is worst comes first. Into an empty *ret, which the caller frees. */
void audit_judge(const struct audit *a, struct audit_findings *ret);
/*
 * What a run file can be judged by: its fingerprint and the facts of the last trial of
 * the arm that has any. False, and *ret holds nothing, where no trial has. The caller
 * frees *ret (audit_done).
 */
bool audit_of_run(const struct run *run, size_t arm, struct audit *ret);
/*
 * All arms of a run judged: a finding of some arms only says of which. gaps, where not
 * NULL, gets what cannot be told from the run. Into an empty *ret.
 */
void audit_judge_run(
	const struct run *run, struct audit_findings *ret, struct audit *gaps);
void audit_findings_done(struct audit_findings *f);

/* "problem", "advice", "note". */
const char *audit_severity_name(enum audit_severity s);

#endif
