/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof's side of the keeper: start it, talk to it, end it. */
#include "config.h"

#include "os/keeper.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/keeper_init.h"
#include "os/keeper_msg.h"
#include "os/keeper_words.h"

/* Generous: a machine under full load must not break a run here. */
#define ANSWER_LIMIT_NS (20 * NS_PER_S)
/* How long the keeper may take to end all it holds. */
#define STOP_LIMIT_NS (5 * NS_PER_S)
/* A signal between a look at the stop flag and the sleep after it is seen then. */
#define STOP_LOOK_NS (50 * NS_PER_MS)

struct child {
	struct keeper_child c;
	bool is_started, is_ended, is_killed;
	int status;
	int start_errno, start_stage; /* why it did not start */
	bool would_not_die;
};

struct keeper {
	int sock;
	pid_t outer; /* our child: the keeper, or the parent of its init */
	bool is_strong, is_gone;
	const volatile sig_atomic_t *stop; /* borrowed */
	char why[320]; /* not strong, or what is less than it could be */
	int last_id;
	size_t n_children, cap_children;
	struct child *children;
};

static struct child *find(struct keeper *k, int id)
{
	size_t i;

	for (i = 0; i < k->n_children; i++)
		if (k->children[i].c.id == id)
			return &k->children[i];
	return NULL;
}

static void forget(struct keeper *k, int id)
{
	struct child *c = find(k, id);

	if (c != NULL)
		*c = k->children[--k->n_children];
}

/* The keeper is gone, and with it all that it held. */
static void lose(struct keeper *k)
{
	size_t i;

	k->is_gone = true;
	for (i = 0; i < k->n_children; i++) {
		if (!k->children[i].is_ended)
			k->children[i].status = SIGKILL;
		k->children[i].is_started = true;
		k->children[i].is_ended = true;
		k->children[i].is_killed = true;
	}
}

static void take(struct keeper *k, const struct keeper_msg *m, pid_t sender)
{
	struct child *c = find(k, m->id);

	if (c == NULL)
		return;
	switch (m->type) {
	case KEEPER_MSG_HELLO:
		c->c.ns_pid = m->value;
		c->c.pid = sender;
		break;
	case KEEPER_MSG_STARTED:
		c->is_started = true;
		c->start_errno = m->value;
		c->start_stage = m->stage;
		break;
	case KEEPER_MSG_ENDED:
		if (!c->is_ended)
			c->status = m->value;
		c->is_ended = true;
		break;
	case KEEPER_MSG_KILLED:
		c->is_killed = true;
		c->would_not_die = m->value != 0;
		break;
	default:
		break;
	}
}

/*
 * 1: a message in *ret_m; 0: none until the deadline; -EINTR: asked to stop, only
 * if may_stop; -EPIPE: the keeper is gone.
 */
static int next_message(struct keeper *k, uint64_t deadline_ns, bool may_stop,
	struct keeper_msg *ret_m, pid_t *ret_sender)
{
	struct pollfd p = { .fd = k->sock, .events = POLLIN };
	int fds[KEEPER_MSG_MAX_FDS], rc;
	struct timespec ts;
	uint64_t now_ns, left_ns;

	while (!k->is_gone) {
		rc = keeper_msg_recv(k->sock, ret_m, fds, ret_sender);
		if (rc == 1)
			return 1;
		if (rc != -EAGAIN && rc != -EINTR)
			break;
		if (may_stop && k->stop != NULL && *k->stop != 0)
			return -EINTR;
		now_ns = clock_now_ns(&clock_monotonic);
		if (now_ns >= deadline_ns)
			return 0;
		left_ns = deadline_ns - now_ns;
		if (may_stop && k->stop != NULL && left_ns > STOP_LOOK_NS)
			left_ns = STOP_LOOK_NS;
		ts.tv_sec = (time_t)(left_ns / NS_PER_S);
		ts.tv_nsec = (long)(left_ns % NS_PER_S);
		if (ppoll(&p, 1, &ts, NULL) < 0 && may_stop && k->stop == NULL)
			return -EINTR;
	}
	lose(k);
	return -EPIPE;
}

/* Overflow-safe: UINT64_MAX as a timeout means for ever. */
static uint64_t deadline_after(uint64_t timeout_ns)
{
	uint64_t now_ns = clock_now_ns(&clock_monotonic);

	return timeout_ns > UINT64_MAX - now_ns ? UINT64_MAX : now_ns + timeout_ns;
}

/*
 * Take messages until *flag, which lives in the child's entry (the array does
 * not move meanwhile). 0: the flag is up; 1: deadline; -EINTR as above.
 */
static int wait_for(
	struct keeper *k, const bool *flag, uint64_t deadline_ns, bool may_stop)
{
	struct keeper_msg m;
	pid_t sender;
	int rc;

	while (!*flag) {
		rc = next_message(k, deadline_ns, may_stop, &m, &sender);
		if (rc == 1)
			take(k, &m, sender);
		else if (rc == 0)
			return 1;
		else if (rc == -EINTR)
			return rc;
	}
	return 0;
}

static int open_pair(int pair[2], struct sp_err *err)
{
	const int one = 1;

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair) != 0)
		return sp_err_errno(err, SP_EIO, errno, "socketpair for the keeper");
	if (setsockopt(pair[0], SOL_SOCKET, SO_PASSCRED, &one, sizeof(one)) == 0)
		return 0;
	(void)sp_err_errno(err, SP_EIO, errno, "SO_PASSCRED for the keeper");
	(void)close(pair[0]); /* nothing was sent */
	(void)close(pair[1]); /* nothing was sent */
	return -(int)err->code;
}

static void reap_outer(struct keeper *k)
{
	uint64_t deadline_ns = deadline_after(STOP_LIMIT_NS);
	static const struct timespec ts = { .tv_nsec = 1000000 };

	if (k->outer <= 0)
		return;
	while (waitpid(k->outer, NULL, WNOHANG) == 0) {
		if (clock_now_ns(&clock_monotonic) > deadline_ns) {
			(void)kill(k->outer, SIGKILL); /* the init follows */
			deadline_ns = UINT64_MAX;
		}
		(void)nanosleep(&ts, NULL); /* early is fine */
	}
	k->outer = -1;
}

static int explain_failure(const struct keeper_msg *m, struct sp_err *err)
{
	bool is_perm = m->value == EPERM || m->value == EACCES;
	enum sp_errcode code = is_perm ? SP_EPERM : SP_EIO;

	if (m->stage == KEEPER_STAGE_NETNS && is_perm)
		return sp_err_set(err, code,
			"the keeper may not enter the network namespace: it needs "
			"CAP_SYS_ADMIN over it; run as root");
	return sp_err_errno(err, code, m->value, "starting the keeper: %s", m->text);
}

/* 0: it serves; else FAILED's message is in *ret_m (stage 0: no answer). */
static int fork_keeper(
	struct keeper *k, int netns_fd, struct keeper_msg *ret_m, struct sp_err *err)
{
	struct keeper_init_cfg init = {
		.netns_fd = netns_fd, .strong = k->is_strong, .parent = getpid()
	};
	int pair[2], rc;
	pid_t sender;

	*ret_m = (struct keeper_msg){ 0 };
	rc = open_pair(pair, err);
	if (rc != 0)
		return rc;
	k->outer = fork();
	if (k->outer < 0) {
		rc = sp_err_errno(err, SP_EIO, errno, "forking the keeper");
		(void)close(pair[0]); /* nothing was sent */
		(void)close(pair[1]); /* nothing was sent */
		return rc;
	}
	if (k->outer == 0) {
		(void)close(pair[0]); /* else we would never see satprof's end */
		init.sock = pair[1];
		keeper_init_run(&init);
	}
	(void)close(pair[1]); /* the keeper's */
	k->sock = pair[0];
	rc = next_message(k, deadline_after(ANSWER_LIMIT_NS), false, ret_m, &sender);
	if (rc == 1 && ret_m->type == KEEPER_MSG_READY)
		return 0;
	if (rc == 1)
		return explain_failure(ret_m, err);
	return sp_err_set(err, SP_EIO, "the keeper process does not answer");
}

static void close_keeper(struct keeper *k)
{
	if (k->sock >= 0)
		(void)close(k->sock); /* this is what ends it */
	k->sock = -1;
	reap_outer(k);
}

/* What stops a PID namespace does not stop the weaker way. */
static bool may_do_without(const struct keeper_msg *m)
{
	return m->stage == KEEPER_STAGE_PIDNS || m->stage == KEEPER_STAGE_FORK ||
	       m->stage == KEEPER_STAGE_MOUNTS;
}

int keeper_start(
	const struct keeper_config *cfg, struct keeper **ret_keeper, struct sp_err *err)
{
	struct keeper *k = xcalloc(1, sizeof(*k));
	struct keeper_msg m;
	int rc;

	k->sock = -1;
	k->stop = cfg->stop;
	k->is_strong = !cfg->weak;
	if (cfg->weak)
		(void)snprintf(
			k->why, sizeof(k->why), "processes outside are to be seen");
	rc = fork_keeper(k, cfg->netns_fd, &m, err);
	if (rc != 0 && k->is_strong && may_do_without(&m)) {
		(void)snprintf(
			k->why, sizeof(k->why), "%s (%s)", m.text, strerror(m.value));
		close_keeper(k);
		k->is_gone = false;
		k->is_strong = false;
		rc = fork_keeper(k, cfg->netns_fd, &m, err);
	}
	if (rc != 0) {
		close_keeper(k);
		free(k);
		return rc;
	}
	*err = (struct sp_err){ 0 };
	*ret_keeper = k;
	return 0;
}

bool keeper_is_strong(const struct keeper *k, const char **ret_why)
{
	if (!k->is_strong && ret_why != NULL)
		*ret_why = k->why;
	return k->is_strong;
}

static int open_output(const struct keeper_cmd *cmd, struct sp_err *err)
{
	const char *path = cmd->output_path != NULL ? cmd->output_path : "/dev/null";
	int fd;

	if (cmd->output_fd > 0)
		fd = fcntl(cmd->output_fd, F_DUPFD_CLOEXEC, 3);
	else
		fd = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot write %s", path);
	return fd;
}

static int send_spawn(
	struct keeper *k, const struct keeper_cmd *cmd, int id, struct sp_err *err)
{
	struct keeper_msg m = { .type = KEEPER_MSG_SPAWN, .id = id };
	int fds[3] = { -1, -1, cmd->input_fd }, rc;

	fds[0] = keeper_words_write(cmd->argv, cmd->cpus, cmd->n_cpus, cmd->launch);
	if (fds[0] < 0)
		return sp_err_errno(
			err, SP_EIO, -fds[0], "cannot start %s", cmd->argv[0]);
	fds[1] = open_output(cmd, err);
	rc = fds[1] < 0 ? -(int)err->code : 0;
	if (rc == 0) {
		rc = keeper_msg_send(k->sock, &m, fds, cmd->input_fd > 0 ? 3 : 2);
		if (rc != 0)
			rc = sp_err_errno(err, SP_EBROKEN, -rc,
				"the keeper process cannot be reached");
	}
	(void)close(fds[0]); /* the keeper has its own */
	if (fds[1] >= 0)
		(void)close(fds[1]); /* the keeper has its own */
	return rc;
}

static int explain_start(
	const struct child *c, const struct keeper_cmd *cmd, struct sp_err *err)
{
	if (c->start_stage == KEEPER_STAGE_AFFINITY)
		return sp_err_errno(err, SP_EUSAGE, c->start_errno,
			"%s cannot run on the CPUs asked for", cmd->argv[0]);
	if (c->start_stage == KEEPER_STAGE_LAUNCH)
		return sp_err_errno(err, SP_EENV, c->start_errno,
			"%s cannot be given that working directory, scheduling or "
			"limits",
			cmd->argv[0]);
	if (c->start_stage == KEEPER_STAGE_EXEC)
		return sp_err_errno(err, SP_EUSAGE, c->start_errno, "cannot execute %s",
			cmd->argv[0]);
	return sp_err_errno(
		err, SP_EIO, c->start_errno, "cannot start %s", cmd->argv[0]);
}

int keeper_spawn(struct keeper *k, const struct keeper_cmd *cmd,
	struct keeper_child *ret_child, struct sp_err *err)
{
	int rc, id = k->last_id + 1;
	struct child *c;

	if (cmd->argv[0] == NULL)
		return sp_err_set(err, SP_EUSAGE, "the command has no words");
	k->last_id = id;
	k->children = xgrow(
		k->children, k->n_children, &k->cap_children, sizeof(*k->children));
	c = &k->children[k->n_children++];
	*c = (struct child){ .c = { .id = id } };
	rc = send_spawn(k, cmd, id, err);
	if (rc == 0 && wait_for(k, &c->is_started, deadline_after(ANSWER_LIMIT_NS),
			       false) != 0)
		rc = sp_err_set(err, SP_ETIMEDOUT,
			"the keeper process did not start %s in time", cmd->argv[0]);
	if (rc == 0 && k->is_gone)
		rc = sp_err_set(err, SP_EBROKEN, "the keeper process has died");
	if (rc == 0 && c->start_errno != 0)
		rc = explain_start(c, cmd, err);
	if (rc != 0) {
		forget(k, id);
		return rc;
	}
	*ret_child = c->c;
	return 0;
}

bool keeper_wait(struct keeper *k, int id, uint64_t timeout_ns, int *ret_status)
{
	struct child *c = find(k, id);

	if (c == NULL) { /* ended and forgotten */
		*ret_status = SIGKILL;
		return true;
	}
	if (wait_for(k, &c->is_ended, deadline_after(timeout_ns), true) != 0)
		return false;
	*ret_status = c->status;
	return true;
}

void keeper_signal(struct keeper *k, int id, int sig)
{
	const struct child *c = find(k, id);
	struct keeper_msg m = { .type = KEEPER_MSG_SIGNAL, .id = id, .value = sig };

	if (c == NULL || k->is_gone)
		return;
	m.pid = c->c.ns_pid;
	(void)keeper_msg_send(k->sock, &m, NULL, 0); /* gone is not an error */
}

int keeper_end_child(struct keeper *k, int id, uint64_t grace_ns, int *ret_status,
	struct sp_err *err)
{
	struct child *c = find(k, id);
	struct keeper_msg m = { .type = KEEPER_MSG_KILL, .id = id };
	int rc = 0;

	if (c == NULL) {
		*ret_status = SIGKILL;
		return 0;
	}
	if (!c->is_ended && grace_ns > 0) {
		keeper_signal(k, id, SIGTERM);
		keeper_signal(k, id, SIGCONT); /* a stopped one could not end */
		(void)wait_for(k, &c->is_ended, deadline_after(grace_ns), false);
	}
	m.pid = c->c.ns_pid;
	if (!k->is_gone && keeper_msg_send(k->sock, &m, NULL, 0) != 0)
		lose(k);
	if (wait_for(k, &c->is_killed, deadline_after(ANSWER_LIMIT_NS), false) != 0 ||
		c->would_not_die)
		rc = sp_err_set(err, SP_ETIMEDOUT,
			"process %d, or something that it started, does not end: it is "
			"stuck in the kernel or starts itself again too fast",
			(int)c->c.pid);
	else
		*ret_status = c->is_ended ? c->status : SIGKILL;
	forget(k, id);
	return rc;
}

int keeper_run(struct keeper *k, const struct keeper_cmd *cmd, uint64_t timeout_ns,
	int *ret_status, struct sp_err *err)
{
	struct keeper_child child;
	struct child *c;
	struct sp_err ignored;
	int rc, ended, status;

	rc = keeper_spawn(k, cmd, &child, err);
	if (rc != 0)
		return rc;
	c = find(k, child.id);
	ended = wait_for(k, &c->is_ended, deadline_after(timeout_ns), true);
	if (ended == 0) {
		*ret_status = c->status;
		forget(k, child.id);
		return 0;
	}
	/* The deadline is the news, not how its end went. */
	(void)keeper_end_child(k, child.id, 0, &status, &ignored);
	if (ended == -EINTR)
		return sp_err_set(
			err, SP_EINTR, "interrupted while %s ran", cmd->argv[0]);
	return sp_err_set(err, SP_ETIMEDOUT,
		"%s did not end within %.3g s and was ended", cmd->argv[0],
		(double)timeout_ns / (double)NS_PER_S);
}

void keeper_stop(struct keeper *k)
{
	if (k == NULL)
		return;
	close_keeper(k);
	free(k->children);
	free(k);
}
