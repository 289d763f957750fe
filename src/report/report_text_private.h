/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sections of the text writer. Private to report_text*.c. */
#ifndef SATPROF_REPORT_REPORT_TEXT_PRIVATE_H
#define SATPROF_REPORT_REPORT_TEXT_PRIVATE_H

#include <stdio.h>

#include "model/run.h"
#include "plan/analysis.h"
#include "report/report.h"

struct report_text_out {
	FILE *f; /* its error is looked at once, at the end */
	const struct run *run;
	const struct analysis *a;
	struct report_options o; /* width set and clamped */
	char **names;            /* of the arms, as printed */
	int name_width;
};

const char *report_text_arm(const struct report_text_out *t, size_t arm);
/* Words of a stranger's text, cleaned, in lines of at most the width; first and
 * rest begin the first and the other lines. */
void report_text_wrap(const struct report_text_out *t, const char *first,
	const char *rest, const char *text);

/* Why, below the answer: a line for each cause. */
void report_text_why(const struct report_text_out *t);
/* "free CPU ...: it waits (...)", for one that waits; the caller frees it. */
char *report_text_waits(const struct analysis_resources *r);
void report_text_resources(const struct report_text_out *t);
void report_text_confirm(const struct report_text_out *t);
/* What the audit finds in the facts of a run; nothing where there is nothing. */
void report_text_audit(const struct report_text_out *t);
void report_text_ndr(const struct report_text_out *t);
void report_text_rates(const struct report_text_out *t);
void report_text_functions(const struct report_text_out *t);
void report_text_trust(const struct report_text_out *t);

#endif
