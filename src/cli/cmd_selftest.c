/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `satprof selftest`: a sweep of the SUT against itself. */
#include "config.h"

#include "cli/commands.h"
#include "cli/sweep_session.h"

static int run_selftest(int argc, char **argv, struct sp_err *err)
{
	static const struct sweep_session_kind kind = { SWEEP_USE_SELFTEST,
		answer_print_selftest };

	return sweep_session_run(&kind, argc, argv, err);
}

const struct command cmd_selftest = {
	.name = "selftest",
	.summary = "same against same: what this machine can tell",
	.run = run_selftest,
};
