/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A program that is spoken to line by line. */
#include "config.h"

#include "gen/gen_line.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gen/gen_answer.h"

#define LOOK_NS         (50 * NS_PER_MS) /* at the stop flag and at its life */
#define LAST_WORDS      320
#define NAME_BYTES      120 /* of the command, in a message */
#define SHELL_NO_EXEC   126
#define SHELL_NOT_FOUND 127

static const char *last_words(struct gen_line *c, char *buf, size_t size)
{
	output_tail_line(&c->err_out, buf, size);
	return buf;
}

/*
 * What the shell runs: standard output is the socket that standard input is. The
 * shell itself outlives TERM, so that the command has its grace to the full.
 */
static int spawn(struct gen_line *c, int theirs, const int *cpus, size_t n_cpus,
	struct sp_err *err)
{
	char sh[] = "/bin/sh", opt[] = "-c";
	char *script = xasprintf("trap : TERM; exec >&0; %s", c->command);
	char *argv[] = { sh, opt, script, NULL };
	struct keeper_cmd cmd = { .argv = argv,
		.output_fd = c->err_out.fd,
		.input_fd = theirs,
		.cpus = cpus,
		.n_cpus = n_cpus };
	int rc = keeper_spawn(c->keeper, &cmd, &c->child, err);

	free(script);
	c->is_held = rc == 0;
	return rc;
}

int gen_line_start(
	struct gen_line *c, const int *cpus, size_t n_cpus, struct sp_err *err)
{
	int pair[2], rc;

	c->sock = -1;
	c->n_buf = c->n_taken = 0;
	rc = output_tail_open(&c->err_out, err);
	if (rc != 0)
		return rc;
	if (socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair) != 0)
		rc = sp_err_errno(
			err, SP_EIO, errno, "a socket pair for the generator");
	if (rc == 0) {
		c->sock = pair[0];
		rc = spawn(c, pair[1], cpus, n_cpus, err);
		(void)close(pair[1]); /* the child has its own */
	}
	if (rc != 0)
		gen_line_end(c, 0);
	return rc;
}

/* It has ended: how, and its last words. */
static int explain_end(
	struct gen_line *c, const char *doing, int status, struct sp_err *err)
{
	int code = WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status);
	bool no_program =
		WIFEXITED(status) && (code == SHELL_NO_EXEC || code == SHELL_NOT_FOUND);
	char words[LAST_WORDS];

	return sp_err_set(err, no_program ? SP_EUSAGE : SP_EBROKEN,
		"the generator (%.*s) %s %d before it answered \"%s\"; its last words: "
		"%s",
		NAME_BYTES, c->command,
		WIFEXITED(status) ? "exited with status" : "was ended by signal", code,
		doing, last_words(c, words, sizeof(words)));
}

/* Its end of the socket is closed: it is ending, or has closed its output. */
static int explain_closed(struct gen_line *c, const char *doing, struct sp_err *err)
{
	char words[LAST_WORDS];
	int status = 0;

	if (keeper_wait(c->keeper, c->child.id, NS_PER_S, &status))
		return explain_end(c, doing, status, err);
	return sp_err_set(err, SP_EBROKEN,
		"the generator (%.*s) closed its output before it answered \"%s\"; its "
		"last words: %s",
		NAME_BYTES, c->command, doing, last_words(c, words, sizeof(words)));
}

/* 1: more bytes; 0: none now; -1: the other end is closed. */
static int fill(struct gen_line *c)
{
	ssize_t n = recv(
		c->sock, c->buf + c->n_buf, sizeof(c->buf) - c->n_buf, MSG_DONTWAIT);

	if (n > 0) {
		c->n_buf += (size_t)n;
		return 1;
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : -1;
}

static void drop_taken(struct gen_line *c)
{
	c->n_buf -= c->n_taken;
	memmove(c->buf, c->buf + c->n_taken, c->n_buf);
	c->n_taken = 0;
}

int gen_line_send(
	struct gen_line *c, const char *doing, const char *text, struct sp_err *err)
{
	char *line, quoted[160], words[LAST_WORDS];
	ssize_t n;
	size_t len;
	int rc = 0;

	drop_taken(c);
	(void)fill(c); /* a closed end shows below */
	if (c->n_buf > 0) {
		gen_answer_quote(c->buf,
			strcspn(c->buf, "\n") < c->n_buf ? strcspn(c->buf, "\n")
							 : c->n_buf,
			quoted, sizeof(quoted));
		return sp_err_set(err, SP_EBROKEN,
			"the generator (%.*s) wrote a line it was not asked for: %s",
			NAME_BYTES, c->command, quoted);
	}
	line = xasprintf("%s\n", text);
	len = strlen(line);
	n = send(c->sock, line, len, MSG_NOSIGNAL | MSG_DONTWAIT);
	if (n >= 0 && (size_t)n == len)
		rc = 0;
	else if (n < 0 && errno != EAGAIN)
		rc = explain_closed(c, doing, err);
	else
		rc = sp_err_set(err, SP_EBROKEN,
			"the generator (%.*s) does not read what it is told; its last "
			"words: %s",
			NAME_BYTES, c->command, last_words(c, words, sizeof(words)));
	free(line);
	return rc;
}

/* True: a whole line stands in the buffer. */
static bool take_line(struct gen_line *c, const char **ret_line, size_t *ret_len)
{
	const char *end = memchr(c->buf, '\n', c->n_buf);
	size_t len;

	if (end == NULL)
		return false;
	len = (size_t)(end - c->buf);
	c->n_taken = len + 1;
	*ret_line = c->buf;
	*ret_len = len > 0 && c->buf[len - 1] == '\r' ? len - 1 : len;
	return true;
}

static int too_long(struct gen_line *c, struct sp_err *err)
{
	char quoted[80];

	gen_answer_quote(c->buf, c->n_buf, quoted, sizeof(quoted));
	return sp_err_set(err, SP_EBROKEN,
		"the generator (%.*s) wrote a line of more than %d bytes: %s",
		NAME_BYTES, c->command, GEN_LINE_MAX_BYTES, quoted);
}

static int silence(
	struct gen_line *c, const char *doing, uint64_t timeout_ns, struct sp_err *err)
{
	char words[LAST_WORDS];

	return sp_err_set(err, SP_ETIMEDOUT,
		"the generator (%.*s) did not answer \"%s\" within %.3g s; its last "
		"words: %s",
		NAME_BYTES, c->command, doing, (double)timeout_ns / (double)NS_PER_S,
		last_words(c, words, sizeof(words)));
}

int gen_line_read(struct gen_line *c, const char *doing, uint64_t timeout_ns,
	const char **ret_line, size_t *ret_len, struct sp_err *err)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + timeout_ns;
	struct pollfd p = { .fd = c->sock, .events = POLLIN };
	struct timespec look = { .tv_nsec = LOOK_NS };
	int got, status = 0;
	bool ended;

	drop_taken(c);
	for (;;) {
		/* Looked at before the bytes: all that it wrote is then there. */
		ended = keeper_wait(c->keeper, c->child.id, 0, &status);
		while ((got = fill(c)) > 0 && c->n_buf < sizeof(c->buf))
			;
		if (take_line(c, ret_line, ret_len))
			return 0;
		if (c->n_buf == sizeof(c->buf))
			return too_long(c, err);
		if (ended)
			return explain_end(c, doing, status, err);
		if (got < 0)
			return explain_closed(c, doing, err);
		if (c->stop != NULL && *c->stop != 0)
			return sp_err_set(err, SP_EINTR, "asked to stop");
		if (clock_now_ns(&clock_monotonic) >= deadline_ns)
			return silence(c, doing, timeout_ns, err);
		output_tail_trim(&c->err_out);
		(void)ppoll(&p, 1, &look, NULL); /* early is fine */
	}
}

void gen_line_end(struct gen_line *c, uint64_t grace_ns)
{
	struct sp_err ignored;
	int status;

	if (c->is_held) /* going away: what would not die is the keeper's */
		(void)keeper_end_child(
			c->keeper, c->child.id, grace_ns, &status, &ignored);
	c->is_held = false;
	if (c->sock >= 0)
		(void)close(c->sock); /* nothing is written any more */
	c->sock = -1;
	output_tail_close(&c->err_out);
}
