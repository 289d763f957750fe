/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs --sut-stats and reads what it prints. */
#include "config.h"

#include "sut/sut_counts.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/keeper.h"

#define LIMIT_NS       (2 * NS_PER_S)
#define LAST_WORDS_MAX 200 /* bytes: an error has room for them */

static bool take(const json_t *o, const char *key, uint64_t *ret)
{
	const json_t *v = json_object_get(o, key);

	if (!json_is_integer(v) || json_integer_value(v) < 0)
		return false;
	*ret = (uint64_t)json_integer_value(v);
	return true;
}

bool sut_counts_parse(const char *text, struct sut_stats *ret_stats)
{
	json_t *o = json_loads(text, JSON_REJECT_DUPLICATES, NULL);
	struct sut_stats s = { 0 };
	/* A count that is missing is not 0. */
	bool ok = take(o, "in", &s.in) && take(o, "out", &s.out) &&
		  take(o, "dropped", &s.dropped);

	json_decref(o);
	if (ok)
		*ret_stats = s;
	return ok;
}

/* The end of what it printed, on one line, "(none)" if nothing. */
static const char *last_words(char *text)
{
	size_t n = strlen(text), i;
	char *at = text;

	while (n > 0 && (text[n - 1] == '\n' || text[n - 1] == ' '))
		n--;
	text[n] = '\0';
	if (n > LAST_WORDS_MAX)
		at = text + n - LAST_WORDS_MAX;
	for (i = 0; at[i] != '\0'; i++)
		if ((unsigned char)at[i] < ' ')
			at[i] = at[i] == '\n' ? '|' : '?';
	return n > 0 ? at : "(none)";
}

static void failed(
	const struct sut_config *cfg, int status, char *text, struct sp_err *err)
{
	char how[64];

	if (WIFSIGNALED(status))
		(void)snprintf(
			how, sizeof(how), "was ended by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) != 0)
		(void)snprintf(
			how, sizeof(how), "ended with status %d", WEXITSTATUS(status));
	else
		(void)snprintf(how, sizeof(how),
			"did not print {\"in\": N, \"out\": N, \"dropped\": N}");
	(void)sp_err_set(err, SP_EUSAGE,
		"--sut-stats: `%.100s` %s; its last output: %s", cfg->stats_cmd, how,
		last_words(text));
}

bool sut_counts_read(const struct sut_config *cfg, pid_t pid,
	struct sut_stats *ret_stats, struct sp_err *err)
{
	char sh[] = "/bin/sh", c[] = "-c", text[4096];
	char *argv[] = { sh, c, NULL, NULL };
	struct keeper_cmd cmd = { .argv = argv };
	bool ok = false;
	int status = 0, rc;
	ssize_t n;

	if (cfg->stats_cmd == NULL || cfg->keeper == NULL)
		return false;
	cmd.output_fd = memfd_create("satprof-sut-stats", MFD_CLOEXEC);
	if (cmd.output_fd < 0) {
		(void)sp_err_errno(err, SP_EIO, errno, "memory for --sut-stats");
		return false;
	}
	argv[2] = sut_expand(cfg->stats_cmd, cfg->in, cfg->out, pid);
	rc = keeper_run(cfg->keeper, &cmd, LIMIT_NS, &status, err);
	n = pread(cmd.output_fd, text, sizeof(text) - 1, 0);
	text[n > 0 ? n : 0] = '\0';
	ok = rc == 0 && status == 0 && sut_counts_parse(text, ret_stats);
	if (rc == 0 && !ok)
		failed(cfg, status, text, err);
	else if (rc != 0 && rc != -SP_EINTR) {
		err->code = SP_EUSAGE; /* it takes too long, or is not to be had */
		(void)sp_err_push(err, "--sut-stats: `%.100s`", cfg->stats_cmd);
	}
	free(argv[2]);
	(void)close(cmd.output_fd); /* read */
	return ok;
}
