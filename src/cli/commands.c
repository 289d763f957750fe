/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The table of subcommands. */
#include "config.h"

#include "cli/commands.h"

const struct command *const commands[] = {
	&cmd_sweep,
	&cmd_show,
	&cmd_export,
	&cmd_audit,
	&cmd_probe,
	&cmd_selftest,
	&cmd_lab,
	&cmd_generate,
	&cmd_forward,
};

const size_t n_commands = sizeof(commands) / sizeof(commands[0]);
