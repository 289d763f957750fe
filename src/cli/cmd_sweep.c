/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `satprof sweep`: the main job. */
#include "config.h"

#include "cli/commands.h"
#include "cli/sweep_session.h"

static int run_sweep(int argc, char **argv, struct sp_err *err)
{
	static const struct sweep_session_kind kind = { SWEEP_USE_SWEEP, answer_print };

	return sweep_session_run(&kind, argc, argv, err);
}

const struct command cmd_sweep = {
	.name = "sweep",
	.summary = "run a saturation sweep: the main job",
	.run = run_sweep,
};
