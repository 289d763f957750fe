/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answers of a run: as `sweep` and `show` both print it, and as `selftest` does. */
#ifndef SATPROF_CLI_ANSWER_H
#define SATPROF_CLI_ANSWER_H

#include <stdbool.h>

#include "base/err.h"
#include "codec/run_store.h"
#include "model/run.h"
#include "model/verdict.h"
#include "report/report.h"

/* What standard output can show. */
struct report_options answer_options(void);

/* A way to answer; *ret_code: what the command exits with. */
typedef int answer_fn(const struct run *run, struct run_store *store, bool json,
	enum exit_code *ret_code, struct sp_err *err);

/* Analyse the run, print text or one JSON document on standard output, and store
 * the verdict when store is not NULL. */
answer_fn answer_print;
/* The same for a run of the SUT against itself. */
answer_fn answer_print_selftest;

#endif
