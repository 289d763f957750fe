/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof: find the command, run it, print its error, exit. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "model/verdict.h"

volatile sig_atomic_t stop_signal;

static void on_signal(int sig)
{
	stop_signal = sig;
}

static void log_to_stderr(void *ctx, enum log_level level, const char *line)
{
	static const char *const words[] = {
		[LOG_LEVEL_ERROR] = "error: ",
		[LOG_LEVEL_WARN] = "warning: ",
		[LOG_LEVEL_NOTE] = "",
		[LOG_LEVEL_DEBUG] = "debug: ",
	};

	(void)ctx;
	(void)fprintf(stderr, "satprof: %s%s\n", words[level], line);
}

static void usage(FILE *f)
{
	size_t i;

	(void)fprintf(f, "Usage: satprof COMMAND [OPTION...]\n\n");
	for (i = 0; i < n_commands; i++)
		(void)fprintf(
			f, "  %-10s %s\n", commands[i]->name, commands[i]->summary);
	(void)fprintf(f,
		"\n`satprof COMMAND --help` tells a command's options; satprof(1) is the "
		"manual.\n");
}

static void catch_signals(void)
{
	struct sigaction sa = { .sa_handler = on_signal };

	(void)sigemptyset(&sa.sa_mask);
	(void)sigaction(SIGINT, &sa, NULL);
	(void)sigaction(SIGTERM, &sa, NULL);
	(void)sigaction(SIGHUP, &sa, NULL);
	sa.sa_handler = SIG_IGN; /* a reader that went away is a write error */
	(void)sigaction(SIGPIPE, &sa, NULL);
	(void)sigaction(SIGXFSZ, &sa, NULL); /* and so is a file at its limit */
}

static int run_command(const struct command *cmd, int argc, char **argv)
{
	char *name = xasprintf("satprof %s", cmd->name);
	struct sp_err err = { .code = SP_OK };
	int code;

	argv[0] = name;
	code = cmd->run(argc, argv, &err);
	if (err.code != SP_OK)
		(void)fprintf(stderr, "%s: %s\n", name, err.msg);
	if (err.code == SP_EINTR && stop_signal != 0)
		code = EXIT_SIGNAL + stop_signal;
	free(name);
	return code;
}

int main(int argc, char **argv)
{
	size_t i;
	int code = -1;

	log_set_sink(log_to_stderr, NULL, LOG_LEVEL_NOTE);
	catch_signals();
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	if (strcmp(argv[1], "--help") == 0 || strcmp(argv[1], "help") == 0) {
		usage(stdout);
		code = 0;
	} else if (strcmp(argv[1], "--version") == 0) {
		(void)printf("satprof %s\n", SATPROF_VERSION);
		code = 0;
	}
	for (i = 0; code < 0 && i < n_commands; i++)
		if (strcmp(argv[1], commands[i]->name) == 0)
			code = run_command(commands[i], argc - 1, argv + 1);
	if (code < 0) {
		(void)fprintf(stderr,
			"satprof: '%s' is not a command; `satprof --help` lists them\n",
			argv[1]);
		code = EXIT_USAGE;
	}
	if (fflush(stdout) != 0 || ferror(stdout) != 0) {
		(void)fprintf(stderr, "satprof: cannot write to standard output\n");
		if (code == 0)
			code = EXIT_USAGE;
	}
	return code;
}
