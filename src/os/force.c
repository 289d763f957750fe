/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof's side of what forces: start the processes, ask them, let them go. */
#include "config.h"

#include "os/force.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/force_private.h"

/* Generous: a machine under full load must not break a run here. */
#define ANSWER_LIMIT_NS (20 * NS_PER_S)
#define KEPT_FDS        (STDERR_FILENO + 3) /* of a process that forces, from 0 */

static const struct force_ops *const rows[] = { &force_placement, &force_memory,
	&force_launch, &force_contention, &force_wakeups, &force_idle };

struct helper {
	pid_t pid;
	int sock;
};

struct force {
	size_t n;
	struct helper helpers[ARM_FORCE_PARTS_MAX];
};

/* NULL: needs nothing from here. */
static const struct force_ops *ops_for(enum factor factor)
{
	size_t i;

	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (rows[i]->factor == factor)
			return rows[i];
	return NULL;
}

int force_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err)
{
	const struct force_ops *ops = ops_for(f->factor);

	if (f->factor == FACTOR_SAMPLING) /* the observer's own business */
		return 0;
	if (arm_force_is_launch(f)) /* the SUT's */
		return !t->stays
			       ? 0
			       : sp_err_set(err, SP_EENV,
					 "the SUT is not started anew for each arm, so "
					 "how it was launched stays");
	if (ops == NULL || f->n_parts == 0)
		return sp_err_set(err, SP_EENV, "there is no way to force it");
	return ops->check(f, t, err);
}

/* --- in the process that forces ------------------------------------------------- */

/* True: asked to renew; false: the other end is gone. */
static bool next_ask(int fd)
{
	char byte;
	ssize_t n;

	do
		n = recv(fd, &byte, 1, 0);
	while (n < 0 && errno == EINTR);
	return n == 1;
}

/* What satprof holds open is not to live as long as this process. */
static void keep_only(struct force_child *c)
{
	int sock = fcntl(c->sock, F_DUPFD, KEPT_FDS);
	int root = fcntl(c->t.root_fd, F_DUPFD, KEPT_FDS);

	c->sock = dup2(sock, STDERR_FILENO + 1);
	c->t.root_fd = dup2(root, STDERR_FILENO + 2);
	(void)close_range(KEPT_FDS, ~0U, 0);
}

static void child_main(const struct force_ops *ops, struct force_child *c)
	__attribute__((noreturn));

static void child_main(const struct force_ops *ops, struct force_child *c)
{
	sigset_t all;

	/* A signal to the terminal's whole group is satprof's business: it tells us
	 * by its end, and then there is something to undo. */
	(void)sigfillset(&all);
	(void)sigprocmask(SIG_BLOCK, &all, NULL);
	/* A kill of the group must not take the one that undoes it. */
	(void)setsid();
	keep_only(c);
	do {
		struct sp_err err = { .code = SP_OK };

		(void)ops->renew(c, &err);
		/* Nobody there any more: the next look sees it. */
		(void)send(c->sock, &err, sizeof(err), MSG_NOSIGNAL);
		if (ops->work != NULL && err.code == SP_OK)
			ops->work(c);
	} while (next_ask(c->sock));
	if (ops->undo != NULL) {
		ops->undo(c);
		ops->undo(c); /* of what was born forced meanwhile */
	}
	_exit(0);
}

/* --- in satprof ------------------------------------------------------------------- */

static int helper_start(const struct force_ops *ops, struct force_child *c,
	struct helper *h, struct sp_err *err)
{
	int socks[2];
	pid_t pid;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, socks) != 0)
		return sp_err_errno(err, SP_EENV, errno, "cannot make a socket");
	pid = fork();
	if (pid == 0) {
		(void)close(socks[0]); /* else its end would never be seen */
		c->sock = socks[1];
		child_main(ops, c);
	}
	(void)close(socks[1]);
	if (pid < 0) {
		(void)close(socks[0]);
		return sp_err_errno(err, SP_EENV, errno, "cannot start a process");
	}
	*h = (struct helper){ .pid = pid, .sock = socks[0] };
	return 0;
}

static int helper_answer(const struct helper *h, struct sp_err *err)
{
	struct pollfd p = { .fd = h->sock, .events = POLLIN };
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + ANSWER_LIMIT_NS;
	struct sp_err got = { .code = SP_OK };

	/* A signal's handler may run meanwhile. */
	while (poll(&p, 1, 100) <= 0)
		if (clock_now_ns(&clock_monotonic) > deadline_ns)
			return sp_err_set(err, SP_EENV,
				"the process that forces does not answer");
	if (recv(h->sock, &got, sizeof(got), 0) != (ssize_t)sizeof(got))
		return sp_err_set(err, SP_EENV, "the process that forces is gone");
	if (got.code != SP_OK)
		*err = got;
	return -(int)got.code;
}

int force_start(const struct arm_force *f, const struct force_target *t,
	struct force **ret_force, struct sp_err *err)
{
	const struct force_ops *ops = ops_for(f->factor);
	struct force *force;
	size_t i, n = 1;
	int rc = force_check(f, t, err);

	if (rc != 0)
		return rc;
	force = xcalloc(1, sizeof(*force));
	if (ops == NULL || arm_force_is_launch(f))
		n = 0;
	else if (ops->work != NULL)
		n = f->n_parts;
	for (i = 0; rc == 0 && i < n; i++) {
		struct force_child c = { .f = f, .part = &f->parts[i], .t = *t };

		rc = helper_start(ops, &c, &force->helpers[i], err);
		if (rc == 0) {
			force->n++;
			rc = helper_answer(&force->helpers[i], err);
		}
	}
	if (rc != 0) {
		force_stop(force);
		return rc;
	}
	*ret_force = force;
	return 0;
}

int force_renew(struct force *f, struct sp_err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < f->n; i++) {
		if (send(f->helpers[i].sock, "r", 1, MSG_NOSIGNAL) != 1)
			rc = sp_err_set(
				err, SP_EENV, "the process that forces is gone");
		else
			rc = helper_answer(&f->helpers[i], err);
	}
	return rc;
}

void force_stop(struct force *f)
{
	size_t i;
	int status;

	if (f == NULL)
		return;
	for (i = 0; i < f->n; i++)
		(void)close(f->helpers[i].sock); /* says it */
	/* Only now: without close_range() the last one holds the others' sockets. */
	for (i = 0; i < f->n; i++)
		while (waitpid(f->helpers[i].pid, &status, 0) < 0 && errno == EINTR)
			;
	free(f);
}
