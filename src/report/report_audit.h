/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `satprof audit` prints: its findings, what it could not read, and what it saw.
 */
#ifndef SATPROF_REPORT_REPORT_AUDIT_H
#define SATPROF_REPORT_REPORT_AUDIT_H

#include <stdio.h>

#include "base/err.h"
#include "plan/audit.h"
#include "report/report.h"

/* a: what was looked at, and its gaps; for a run, of one arm. */
int report_audit_text(FILE *f, const struct audit *a,
	const struct audit_findings *found, const struct report_options *o,
	struct sp_err *err);
/* One document, as satprof-audit(1) describes it; the caller frees it. */
char *report_audit_json(const struct audit *a, const struct audit_findings *found);

#endif
