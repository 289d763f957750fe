/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof: find the command, run it, print its error, exit. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/err.h"
#include "base/log.h"
#include "base/mem.h"
#include "cli/commands.h"
#include "cli/say.h"
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
	say("satprof: %s%s", words[level], line);
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
	struct sigaction sa = { .sa_handler = on_signal }, hangup;

	(void)sigemptyset(&sa.sa_mask);
	(void)sigaction(SIGINT, &sa, NULL);
	(void)sigaction(SIGTERM, &sa, NULL);
	(void)sigaction(SIGQUIT, &sa, NULL); /* what was changed is put back, too */
	if (sigaction(SIGHUP, NULL, &hangup) != 0 || hangup.sa_handler != SIG_IGN)
		(void)sigaction(SIGHUP, &sa, NULL); /* nohup keeps its word */
	sa.sa_handler = SIG_IGN; /* a reader that went away is a write error */
	(void)sigaction(SIGPIPE, &sa, NULL);
	(void)sigaction(SIGXFSZ, &sa, NULL); /* and so is a file at its limit */
}

/*
 * Descriptors 0 to 2 exist, so that no file of ours becomes one of them; what was
 * closed cannot be written to, and says so.
 */
static void keep_std_fds(void)
{
	int fd;

	for (fd = 0; fd <= STDERR_FILENO; fd++)
		if (fcntl(fd, F_GETFD) < 0 &&
			open("/dev/null", fd == STDIN_FILENO ? O_WRONLY : O_RDONLY) < 0)
			return; /* no /dev/null: nothing better can be done */
}

static int run_command(
	const struct command *cmd, int argc, char **argv, struct sp_err *err)
{
	char *name = xasprintf("satprof %s", cmd->name);
	int code;

	argv[0] = name;
	code = cmd->run(argc, argv, err);
	if (err->code != SP_OK)
		say("%s: %s", name, err->msg);
	if (err->code == SP_EINTR && stop_signal != 0)
		code = EXIT_SIGNAL + stop_signal;
	free(name);
	return code;
}

/* -1: the first word is no such option. */
static int run_option(const char *word)
{
	if (strcmp(word, "--help") == 0 || strcmp(word, "help") == 0) {
		usage(stdout);
		return EXIT_DONE;
	}
	if (strcmp(word, "--version") != 0)
		return -1;
	(void)printf("satprof %s\n", SATPROF_VERSION);
	return EXIT_DONE;
}

/* What could not be printed is no answer; one error is told, the first. */
static int finish_stdout(int code, const struct sp_err *err)
{
	errno = 0;
	if (fflush(stdout) == 0 && ferror(stdout) == 0)
		return code;
	if (err->code == SP_OK)
		say("satprof: cannot write to standard output%s%s",
			errno != 0 ? ": " : "", errno != 0 ? strerror(errno) : "");
	return code >= EXIT_SIGNAL ? code : EXIT_USAGE;
}

int main(int argc, char **argv)
{
	struct sp_err err = { .code = SP_OK };
	size_t i;
	int code;

	keep_std_fds();
	/* Only characters follow the locale: numbers have one decimal point. */
	(void)setlocale(LC_CTYPE, "");
	log_set_sink(log_to_stderr, NULL, LOG_LEVEL_NOTE);
	catch_signals();
	if (argc < 2) {
		usage(stderr);
		return EXIT_USAGE;
	}
	code = run_option(argv[1]);
	for (i = 0; code < 0 && i < n_commands; i++)
		if (strcmp(argv[1], commands[i]->name) == 0)
			code = run_command(commands[i], argc - 1, argv + 1, &err);
	if (code < 0) {
		say("satprof: '%s' is not a command; `satprof --help` lists them",
			argv[1]);
		return EXIT_USAGE;
	}
	return finish_stdout(code, &err);
}
