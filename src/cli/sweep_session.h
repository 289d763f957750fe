/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep from its options to its answer: what `sweep` and `selftest` are. */
#ifndef SATPROF_CLI_SWEEP_SESSION_H
#define SATPROF_CLI_SWEEP_SESSION_H

#include "base/err.h"
#include "cli/answer.h"
#include "cli/sweep_options.h"

struct sweep_session_kind {
	enum sweep_use use;
	answer_fn *answer;
};

/* Returns what the command exits with, as a command's run(). */
int sweep_session_run(const struct sweep_session_kind *kind, int argc, char **argv,
	struct sp_err *err);

#endif
