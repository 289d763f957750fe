/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper. Strong: satprof forks an outer process that joins the network
 * namespace, unshares the PID namespace and waits for its only child, the init.
 * Both have parent-death signal KILL, so the end of satprof ends the outer, the
 * end of the outer ends the init, and the kernel ends all the namespace holds.
 * Weak: the outer process serves by itself and ends its descendants when the
 * socket closes.
 */
#include "config.h"

#include "os/keeper_init.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "os/keeper_child.h"
#include "os/keeper_mounts.h"
#include "os/keeper_msg.h"
#include "os/proctree.h"

/* SIGKILL takes effect within this, but for a process stuck in the kernel. Long, since
 * a SUT that is sampled at 20 kHz on a machine that stalls took over 2 s to leave. */
#define KILL_LIMIT_NS (10 * NS_PER_S)

struct watcher {
	int id;
	pid_t pid;
};

struct init {
	int sock, root_fd;
	size_t n_watchers, cap_watchers;
	struct watcher *watchers;
	struct proctree_ids tree; /* kept to avoid allocating in each pass */
};

static void fail(int sock, int stage, int sys_errno, const char *what)
{
	struct keeper_msg m = {
		.type = KEEPER_MSG_FAILED, .value = sys_errno, .stage = stage
	};

	(void)snprintf(m.text, sizeof(m.text), "%s", what);
	(void)keeper_msg_send(sock, &m, NULL, 0); /* gone: so are we */
	_exit(1);
}

static void tell(const struct init *k, int type, int id, int value)
{
	struct keeper_msg m = { .type = type, .id = id, .value = value };

	(void)keeper_msg_send(k->sock, &m, NULL, 0); /* gone: the loop sees it */
}

/* Own session, so that Ctrl-C reaches satprof only, and none of its descriptors. */
static void become_daemon(const struct keeper_init_cfg *cfg)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int keep[2] = { cfg->sock, cfg->netns_fd };
	int lo = keep[0] < keep[1] ? keep[0] : keep[1];
	int hi = keep[0] < keep[1] ? keep[1] : keep[0];
	unsigned from = 3;

	(void)setsid(); /* never a group leader: just forked */
	if (null_fd >= 0) {
		(void)dup2(null_fd, STDIN_FILENO);
		(void)dup2(null_fd, STDOUT_FILENO);
	}
	/* Where close_range is missing the copies live as long as satprof. */
	if (lo >= 3) {
		if (lo > 3)
			(void)close_range(from, (unsigned)lo - 1, 0);
		from = (unsigned)lo + 1;
	}
	if ((unsigned)hi > from)
		(void)close_range(from, (unsigned)hi - 1, 0);
	(void)close_range((unsigned)hi + 1, ~0U, 0);
}

static void forget_watcher(struct init *k, pid_t pid, int status)
{
	size_t i;

	for (i = 0; i < k->n_watchers; i++) {
		if (k->watchers[i].pid != pid)
			continue;
		if (WIFSIGNALED(status)) /* it cannot have reported any more */
			tell(k, KEEPER_MSG_ENDED, k->watchers[i].id, status);
		k->watchers[i] = k->watchers[--k->n_watchers];
		return;
	}
}

static void reap(struct init *k)
{
	int status;
	pid_t pid;

	while ((pid = waitpid(-1, &status, WNOHANG)) > 0)
		forget_watcher(k, pid, status);
}

static pid_t watcher_of(const struct init *k, int id)
{
	size_t i;

	for (i = 0; i < k->n_watchers; i++)
		if (k->watchers[i].id == id)
			return k->watchers[i].pid;
	return -1;
}

static void sleep_1ms(void)
{
	static const struct timespec ts = { .tv_nsec = 1000000 };

	(void)nanosleep(&ts, NULL); /* early is fine */
}

/*
 * By group first: the kernel signals a group as one, so that a member that forks
 * just now cannot slip through, as it can between reading the tree and killing.
 */
static void kill_below(struct init *k, pid_t pid)
{
	pid_t group, own = getpgrp();
	size_t i;

	proctree_descendants(k->root_fd, pid, &k->tree);
	for (i = 0; i < k->tree.n; i++) {
		group = getpgid(k->tree.ids[i]);
		if (group > 1 && group != own)
			(void)kill(-group, SIGKILL); /* gone is what we want */
		(void)kill(k->tree.ids[i], SIGKILL); /* gone is what we want */
	}
}

/*
 * Kill all below a watcher until the watcher, which has nothing left to wait
 * for, ends. What dies cannot fork, and its orphans stay below the watcher, so
 * each pass is left with less.
 */
static void kill_child(struct init *k, const struct keeper_msg *m)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + KILL_LIMIT_NS;
	pid_t watcher;

	if (m->pid > 1 && watcher_of(k, m->id) > 0)
		(void)kill(-m->pid, SIGKILL); /* gone is what we want */
	for (;;) {
		reap(k);
		watcher = watcher_of(k, m->id);
		if (watcher < 0) {
			tell(k, KEEPER_MSG_KILLED, m->id, 0);
			return;
		}
		if (clock_now_ns(&clock_monotonic) > deadline_ns)
			break;
		kill_below(k, watcher);
		sleep_1ms();
	}
	tell(k, KEEPER_MSG_KILLED, m->id, 1);
}

static void spawn(struct init *k, const struct keeper_msg *m, const int *fds)
{
	struct keeper_child_cfg cfg = { .sock = k->sock,
		.id = m->id,
		.words_fd = fds[0],
		.output_fd = fds[1],
		.input_fd = fds[2] };
	struct keeper_msg no = {
		.type = KEEPER_MSG_STARTED, .id = m->id, .stage = KEEPER_STAGE_FORK
	};
	pid_t pid = keeper_child_fork(&cfg);

	if (pid < 0) {
		no.value = (int32_t)-pid;
		(void)keeper_msg_send(k->sock, &no, NULL, 0); /* gone: loop sees it */
		return;
	}
	k->watchers = xgrow(
		k->watchers, k->n_watchers, &k->cap_watchers, sizeof(*k->watchers));
	k->watchers[k->n_watchers++] = (struct watcher){ .id = m->id, .pid = pid };
}

/* False when satprof is gone. */
static bool serve_one(struct init *k)
{
	int fds[KEEPER_MSG_MAX_FDS], rc;
	struct keeper_msg m;
	pid_t sender;
	size_t i;

	rc = keeper_msg_recv(k->sock, &m, fds, &sender);
	if (rc == -EAGAIN || rc == -EINTR)
		return true;
	if (rc <= 0)
		return false;
	switch (m.type) {
	case KEEPER_MSG_SPAWN:
		spawn(k, &m, fds);
		break;
	case KEEPER_MSG_SIGNAL:
		if (m.pid > 1)
			(void)kill(-m.pid, m.value); /* gone is not an error */
		break;
	case KEEPER_MSG_KILL:
		kill_child(k, &m);
		break;
	default:
		break;
	}
	for (i = 0; i < KEEPER_MSG_MAX_FDS; i++)
		if (fds[i] >= 0)
			(void)close(fds[i]); /* the watcher has its own */
	return true;
}

static int block_sigchld(void)
{
	sigset_t chld;

	(void)sigemptyset(&chld);
	(void)sigaddset(&chld, SIGCHLD);
	(void)sigprocmask(SIG_BLOCK, &chld, NULL);
	return signalfd(-1, &chld, SFD_CLOEXEC | SFD_NONBLOCK);
}

static void serve(struct init *k)
{
	struct signalfd_siginfo info;
	struct pollfd p[2] = { { .fd = k->sock, .events = POLLIN },
		{ .fd = block_sigchld(), .events = POLLIN } };

	for (;;) {
		(void)poll(p, 2, p[1].fd < 0 ? 50 : -1); /* EINTR: look anyway */
		while (p[1].fd >= 0 && read(p[1].fd, &info, sizeof(info)) > 0)
			; /* what happened is asked from waitpid */
		reap(k);
		if (!serve_one(k))
			return;
	}
}

/* The weak keeper has no kernel to do it. */
static void end_all(struct init *k)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + KILL_LIMIT_NS;

	do {
		kill_below(k, getpid());
		reap(k);
		if (k->tree.n == 0)
			return;
		sleep_1ms();
	} while (clock_now_ns(&clock_monotonic) < deadline_ns);
}

static void serve_until_gone(const struct keeper_init_cfg *cfg, const char *notes)
{
	struct keeper_msg ready = { .type = KEEPER_MSG_READY };
	struct init k = { .sock = cfg->sock,
		.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC) };

	if (k.root_fd < 0)
		fail(cfg->sock, KEEPER_STAGE_MOUNTS, errno, "open /");
	(void)snprintf(ready.text, sizeof(ready.text), "%s", notes);
	(void)keeper_msg_send(cfg->sock, &ready, NULL, 0); /* gone: loop sees it */
	serve(&k);
	if (!cfg->strong)
		end_all(&k);
	_exit(0);
}

/* A /sys that shows other interfaces than the SUT's is worth a note, no more. */
static const char *refresh_sys(const struct keeper_init_cfg *cfg)
{
	if (cfg->netns_fd < 0)
		return "";
	if (keeper_mounts_sys() == 0)
		return "";
	return "/sys/class/net shows the interfaces of another network namespace";
}

static void run_strong_init(const struct keeper_init_cfg *cfg)
{
	int rc;

	/* The outer process may be dead already; then satprof is, and the socket
	 * says so. */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)setsid(); /* ids of the session are of this namespace */
	rc = keeper_mounts_unshare();
	if (rc != 0)
		fail(cfg->sock, KEEPER_STAGE_MOUNTS, -rc,
			"no mount namespace of its own");
	rc = keeper_mounts_proc();
	if (rc != 0)
		fail(cfg->sock, KEEPER_STAGE_MOUNTS, -rc, "mounting /proc is refused");
	serve_until_gone(cfg, refresh_sys(cfg));
}

static void run_strong(const struct keeper_init_cfg *cfg)
{
	int status;
	pid_t pid;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != cfg->parent)
		_exit(1);
	if (unshare(CLONE_NEWPID) != 0)
		fail(cfg->sock, KEEPER_STAGE_PIDNS, errno,
			"no PID namespace of its own");
	pid = fork();
	if (pid < 0)
		fail(cfg->sock, KEEPER_STAGE_FORK, errno, "fork");
	if (pid == 0)
		run_strong_init(cfg);
	(void)close(cfg->sock); /* satprof must see the init's end */
	while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
		;
	_exit(0);
}

static void run_weak(const struct keeper_init_cfg *cfg)
{
	const char *notes = "";

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	if (cfg->netns_fd >= 0)
		notes = keeper_mounts_unshare() == 0 ? refresh_sys(cfg)
						     : "/sys is not refreshed";
	serve_until_gone(cfg, notes);
}

void keeper_init_run(const struct keeper_init_cfg *cfg)
{
	keeper_child_ignore_signals();
	become_daemon(cfg);
	if (cfg->netns_fd >= 0 && setns(cfg->netns_fd, CLONE_NEWNET) != 0)
		fail(cfg->sock, KEEPER_STAGE_NETNS, errno,
			"entering the network namespace");
	if (cfg->strong)
		run_strong(cfg);
	else
		run_weak(cfg);
	_exit(0);
}
