/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer of a run, as `sweep` and `show` both print it. */
#ifndef SATPROF_CLI_ANSWER_H
#define SATPROF_CLI_ANSWER_H

#include <stdbool.h>

#include "base/err.h"
#include "codec/run_store.h"
#include "model/run.h"
#include "model/verdict.h"

/* Analyse the run, print text or one JSON document on standard output, and store
 * the verdict when store is not NULL. *ret_code: what the command exits with. */
int answer_print(const struct run *run, struct run_store *store, bool json,
	enum exit_code *ret_code, struct sp_err *err);

#endif
