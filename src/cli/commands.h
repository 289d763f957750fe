/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The subcommands: one const struct command each, one table. A command gets its
 * words with argv[0] = "satprof NAME", prints its result on stdout, messages on
 * stderr, and returns an exit code; only main() exits. On an error it fills err
 * and returns verdict_exit_code_of_err(); main() prints the message.
 */
#ifndef SATPROF_CLI_COMMANDS_H
#define SATPROF_CLI_COMMANDS_H

#include <signal.h>
#include <stddef.h>

#include "base/err.h"

struct command {
	const char *name;
	const char *summary; /* one line for `satprof --help` */
	int (*run)(int argc, char **argv, struct sp_err *err);
};

extern const struct command cmd_audit;
extern const struct command cmd_export;
extern const struct command cmd_forward;
extern const struct command cmd_generate;

extern const struct command *const commands[];
extern const size_t n_commands;

extern const struct command cmd_lab;
extern const struct command cmd_probe;
extern const struct command cmd_selftest;
extern const struct command cmd_show;
extern const struct command cmd_sweep;

/* Set by SIGINT, SIGTERM, SIGQUIT and SIGHUP: the signal's number, 0 before. */
extern volatile sig_atomic_t stop_signal;

#endif
