/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A SUT that satprof starts: any program, held by the keeper. */
#include "config.h"

#include "sut/sut.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/findprog.h"
#include "os/keeper.h"
#include "os/output_tail.h"
#include "sut/sut_counts.h"

/* Where the caller sets no limit on the start. */
#define START_LIMIT_NS (10 * NS_PER_S)
/* Between two tries of --ready. */
#define READY_PAUSE_NS  (50 * NS_PER_MS)
#define FINISH_AGAIN_NS (2 * NS_PER_S)

struct command_sut {
	struct sut_config cfg;
	char **argv; /* expanded */
	char *line;  /* the words joined, for messages */
	struct output_tail out;
	bool is_held; /* the keeper knows the child */
	bool is_ended;
	struct keeper_child child;
	struct sut_end end;
	char *wrap;             /* shell words that it is launched under, or NULL */
	uint64_t finish_max_ns; /* of those */
	bool is_wrapped;        /* the instance that runs */
	const struct launch *launch; /* with what, or NULL */
	bool ignores_sigint;         /* one did: the next ones are waited for less */
};

static char *join(char *const *argv)
{
	char *line = xstrdup(argv[0]), *longer;
	size_t i;

	for (i = 1; argv[i] != NULL; i++) {
		longer = xasprintf("%s %s", line, argv[i]);
		free(line);
		line = longer;
	}
	return line;
}

static void words_free(char **argv)
{
	size_t i;

	for (i = 0; argv != NULL && argv[i] != NULL; i++)
		free(argv[i]);
	free(argv);
}

static void command_free(struct command_sut *s)
{
	words_free(s->argv);
	free(s->line);
	free(s->wrap);
	output_tail_close(&s->out);
	free(s);
}

static int command_open(
	const struct sut_config *cfg, void **ret_sut, struct sp_err *err)
{
	struct command_sut *s;
	size_t i, n = 0;
	int rc;

	while (cfg->argv != NULL && cfg->argv[n] != NULL)
		n++;
	if (n == 0)
		return sp_err_set(err, SP_EUSAGE, "the SUT's command has no words");
	s = xcalloc(1, sizeof(*s));
	s->cfg = *cfg;
	s->argv = xcalloc(n + 1, sizeof(*s->argv));
	for (i = 0; i < n; i++)
		s->argv[i] = sut_expand(cfg->argv[i], cfg->in, cfg->out, 0);
	s->line = join(s->argv);
	s->out.fd = -1;
	rc = findprog_check(s->argv[0], err);
	if (rc == 0)
		rc = output_tail_open(&s->out, err);
	if (rc != 0) {
		command_free(s);
		return rc;
	}
	*ret_sut = s;
	return 0;
}

static void set_ended(struct command_sut *s, int status)
{
	s->is_ended = true;
	s->end = (struct sut_end){ .exited = WIFEXITED(status),
		.signaled = WIFSIGNALED(status),
		.status = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status) };
}

static bool command_alive(void *sut, struct sut_end *ret_end)
{
	struct command_sut *s = sut;
	int status;

	if (s->is_held && !s->is_ended) {
		output_tail_trim(&s->out);
		if (!keeper_wait(s->cfg.keeper, s->child.id, 0, &status))
			return true;
		set_ended(s, status);
	}
	*ret_end = s->end;
	return false;
}

static int died_early(struct command_sut *s, struct sp_err *err)
{
	char last[320];

	output_tail_line(&s->out, last, sizeof(last));
	if (s->end.signaled)
		return sp_err_set(err, SP_EBROKEN,
			"the SUT (%.120s) was ended by signal %d (%s) before it was "
			"ready; its last output: %s",
			s->line, s->end.status, strsignal(s->end.status), last);
	return sp_err_set(err, SP_EBROKEN,
		"the SUT (%.120s) exited with status %d before it was ready; its last "
		"output: %s",
		s->line, s->end.status, last);
}

/* 0: it still runs at the deadline; else it died or we were interrupted. */
static int run_until(struct command_sut *s, uint64_t deadline_ns, struct sp_err *err)
{
	uint64_t now_ns = clock_now_ns(&clock_monotonic);
	int status;

	if (keeper_wait(s->cfg.keeper, s->child.id,
		    deadline_ns > now_ns ? deadline_ns - now_ns : 0, &status)) {
		set_ended(s, status);
		return died_early(s, err);
	}
	if (clock_now_ns(&clock_monotonic) < deadline_ns)
		return sp_err_set(
			err, SP_EINTR, "interrupted while the SUT was starting");
	return 0;
}

/* status: of the last try that came to its end; -1: none did. */
static int not_ready(struct command_sut *s, int status, struct sp_err *err)
{
	char last[256], how[48];

	output_tail_line(&s->out, last, sizeof(last));
	if (status == -1)
		(void)snprintf(how, sizeof(how), "did not end");
	else if (WIFEXITED(status))
		(void)snprintf(
			how, sizeof(how), "ended with status %d", WEXITSTATUS(status));
	else
		(void)snprintf(
			how, sizeof(how), "was ended by signal %d", WTERMSIG(status));
	return sp_err_set(err, SP_ETIMEDOUT,
		"the SUT was not ready within %.3g s: `%.100s` %s; the SUT's last "
		"output: %s",
		(double)s->cfg.start_timeout_ns / (double)NS_PER_S, s->cfg.ready_cmd,
		how, last);
}

/* Try --ready until it succeeds. */
static int try_until_ready(
	struct command_sut *s, const struct keeper_cmd *cmd, struct sp_err *err)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + s->cfg.start_timeout_ns;
	int rc, got = 0, status = -1;
	uint64_t now_ns;

	for (;;) {
		now_ns = clock_now_ns(&clock_monotonic);
		if (now_ns >= deadline_ns)
			return not_ready(s, status, err);
		rc = keeper_run(s->cfg.keeper, cmd, deadline_ns - now_ns, &got, err);
		if (rc == 0 && got == 0)
			return 0;
		if (rc == 0)
			status = got;
		else if (rc != -SP_ETIMEDOUT)
			return sp_err_push(err, "--ready");
		/* It may wait for a SUT that has died. */
		rc = run_until(s, clock_now_ns(&clock_monotonic) + READY_PAUSE_NS, err);
		if (rc != 0)
			return rc;
	}
}

static int wait_for_ready_cmd(struct command_sut *s, struct sp_err *err)
{
	char sh[] = "/bin/sh", c[] = "-c";
	char *argv[] = { sh, c, NULL, NULL };
	struct keeper_cmd cmd = { .argv = argv };
	int rc;

	argv[2] = sut_expand(s->cfg.ready_cmd, s->cfg.in, s->cfg.out, s->child.ns_pid);
	rc = try_until_ready(s, &cmd, err);
	free(argv[2]);
	return rc;
}

static int wait_until_ready(struct command_sut *s, struct sp_err *err)
{
	int rc = 0;

	if (s->cfg.ready_after_ns > 0)
		rc = run_until(
			s, clock_now_ns(&clock_monotonic) + s->cfg.ready_after_ns, err);
	if (rc == 0 && s->cfg.ready_cmd != NULL)
		rc = wait_for_ready_cmd(s, err);
	if (rc == 0) /* also right after exec: a typo in an option shows here */
		rc = run_until(s, 0, err);
	return rc;
}

/* As a profiler expects it: Ctrl-C, and time to write what it has. */
static void finish_wrap(struct command_sut *s)
{
	uint64_t max_ns = s->finish_max_ns;
	int status;

	if (!s->is_wrapped || s->is_ended)
		return;
	keeper_signal(s->cfg.keeper, s->child.id, SIGINT);
	keeper_signal(s->cfg.keeper, s->child.id, SIGCONT);
	if (s->ignores_sigint && max_ns > FINISH_AGAIN_NS)
		max_ns = FINISH_AGAIN_NS;
	/* Less when satprof itself was asked to stop. */
	if (keeper_wait(s->cfg.keeper, s->child.id, max_ns, &status))
		set_ended(s, status);
	else
		s->ignores_sigint = true; /* not so long at each arm's end */
}

static int command_stop(void *sut, struct sp_err *err)
{
	struct command_sut *s = sut;
	int status = 0, rc;

	if (!s->is_held)
		return 0;
	finish_wrap(s);
	s->is_held = false;
	/* Also when it has ended: what it left running would forward on. */
	rc = keeper_end_child(
		s->cfg.keeper, s->child.id, s->cfg.stop_timeout_ns, &status, err);
	if (rc == 0 && !s->is_ended)
		set_ended(s, status);
	if (rc != 0)
		(void)sp_err_push(err, "ending the SUT (%.120s)", s->line);
	return rc;
}

static void command_wrap(void *sut, const struct sut_wrap *w)
{
	struct command_sut *s = sut;

	free(s->wrap);
	s->wrap = w != NULL ? xstrdup(w->words) : NULL;
	if (w != NULL)
		s->finish_max_ns = w->finish_max_ns;
}

static void command_launch(void *sut, const struct launch *l)
{
	((struct command_sut *)sut)->launch = l;
}

/* The words to start: the SUT's, after those of what it is launched under. */
static char **launch_words(const struct command_sut *s)
{
	size_t i, n = 0, at = 0;
	char **argv;

	while (s->argv[n] != NULL)
		n++;
	argv = xcalloc(n + 5, sizeof(*argv));
	if (s->wrap != NULL) { /* exec: the shell does not stay between */
		argv[at++] = xstrdup("/bin/sh");
		argv[at++] = xstrdup("-c");
		argv[at++] = xasprintf("exec %s \"$@\"", s->wrap);
		argv[at++] = xstrdup("sh");
	}
	for (i = 0; i < n; i++)
		argv[at++] = xstrdup(s->argv[i]);
	return argv;
}

static int command_start(void *sut, struct sp_err *err)
{
	struct command_sut *s = sut;
	char **argv = launch_words(s);
	struct keeper_cmd cmd = {
		.argv = argv,
		.output_fd = s->out.fd,
		.input_fd = s->cfg.input_fd,
		.cpus = s->cfg.cpus,
		.n_cpus = s->cfg.n_cpus,
		.launch = s->launch,
	};
	struct sp_err ignored;
	int rc;

	if (s->cfg.start_timeout_ns == 0)
		s->cfg.start_timeout_ns = START_LIMIT_NS;
	output_tail_reset(&s->out);
	s->is_ended = false;
	s->is_wrapped = s->wrap != NULL;
	s->end = (struct sut_end){ 0 };
	rc = keeper_spawn(s->cfg.keeper, &cmd, &s->child, err);
	words_free(argv);
	if (rc != 0)
		return rc;
	s->is_held = true;
	rc = wait_until_ready(s, err);
	if (rc != 0) /* the first error is the one to tell */
		(void)command_stop(s, &ignored);
	return rc;
}

static pid_t command_pid(const void *sut)
{
	const struct command_sut *s = sut;

	return s->is_held && !s->is_ended ? s->child.pid : 0;
}

static pid_t command_ns_pid(const void *sut)
{
	const struct command_sut *s = sut;

	return s->is_held && !s->is_ended ? s->child.ns_pid : 0;
}

static const char *command_output(void *sut)
{
	struct command_sut *s = sut;

	return output_tail_lines(&s->out);
}

static bool command_stats(void *sut, struct sut_stats *ret_stats, struct sp_err *err)
{
	const struct command_sut *s = sut;

	return sut_counts_read(&s->cfg, s->child.ns_pid, ret_stats, err);
}

static void command_close(void *sut)
{
	struct sp_err ignored;

	if (sut == NULL)
		return;
	(void)command_stop(sut, &ignored); /* going away */
	command_free(sut);
}

const struct sut_ops sut_command = {
	.name = "command",
	.summary = "a program that satprof starts and ends",
	.open = command_open,
	.start = command_start,
	.alive = command_alive,
	.pid = command_pid,
	.ns_pid = command_ns_pid,
	.wrap = command_wrap,
	.launch = command_launch,
	.output = command_output,
	.stats = command_stats,
	.stop = command_stop,
	.close = command_close,
	.restarts = true,
};
