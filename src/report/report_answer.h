/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The answer in one sentence, for people. Shared by the writers of text.
 */
#ifndef SATPROF_REPORT_REPORT_ANSWER_H
#define SATPROF_REPORT_REPORT_ANSWER_H

#include "model/run.h"
#include "plan/analysis.h"

/* One line without a line end; the caller frees it. */
char *report_answer(const struct run *run, const struct analysis *a);

#endif
