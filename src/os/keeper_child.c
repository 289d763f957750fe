/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The watcher of one program, and the way from fork to exec. */
#include "config.h"

#include "os/keeper_child.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <sched.h>
#include <signal.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/keeper_msg.h"
#include "os/keeper_words.h"

/* What a child that cannot become its program says through the pipe. */
struct failure {
	int32_t stage, sys_errno;
};

static void set_all_signals(void (*handler)(int), const int *sigs, size_t n)
{
	struct sigaction sa = { .sa_handler = handler };
	size_t i;

	(void)sigemptyset(&sa.sa_mask);
	for (i = 0; i < n; i++)
		(void)sigaction(sigs[i], &sa, NULL); /* KILL and STOP: refused */
}

void keeper_child_ignore_signals(void)
{
	static const int sigs[] = { SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGPIPE, SIGTSTP,
		SIGTTIN, SIGTTOU, SIGUSR1, SIGUSR2, SIGALRM };

	set_all_signals(SIG_IGN, sigs, sizeof(sigs) / sizeof(sigs[0]));
}

void keeper_child_default_signals(void)
{
	sigset_t none;
	int sigs[64];
	size_t i;

	for (i = 0; i < sizeof(sigs) / sizeof(sigs[0]); i++)
		sigs[i] = (int)i + 1;
	set_all_signals(SIG_DFL, sigs, sizeof(sigs) / sizeof(sigs[0]));
	(void)sigemptyset(&none);
	(void)sigprocmask(SIG_SETMASK, &none, NULL);
}

/* Only 0-2 reach the program. Closing by exec keeps the failure pipe until then. */
static void close_on_exec_from_3(void)
{
	long fd, max;

	if (close_range(3, ~0U, CLOSE_RANGE_CLOEXEC) == 0)
		return;
	max = sysconf(_SC_OPEN_MAX); /* before Linux 5.11 */
	for (fd = 3; fd < max && fd < 65536; fd++)
		(void)fcntl((int)fd, F_SETFD, FD_CLOEXEC); /* most are not open */
}

static int set_affinity(const int32_t *cpus, size_t n_cpus)
{
	cpu_set_t set;
	size_t i;

	if (n_cpus == 0)
		return 0;
	CPU_ZERO(&set);
	for (i = 0; i < n_cpus; i++) {
		if (cpus[i] < 0 || cpus[i] >= CPU_SETSIZE)
			return -EINVAL;
		CPU_SET((size_t)cpus[i], &set);
	}
	return sched_setaffinity(0, sizeof(set), &set) == 0 ? 0 : -errno;
}

static int set_streams(int output_fd, int input_fd)
{
	int null_fd = open("/dev/null", O_RDWR | O_CLOEXEC);
	int out = output_fd >= 0 ? output_fd : null_fd;
	int in = input_fd >= 0 ? input_fd : null_fd;

	if (null_fd < 0 || dup2(in, STDIN_FILENO) < 0 || dup2(out, STDOUT_FILENO) < 0 ||
		dup2(out, STDERR_FILENO) < 0)
		return -errno;
	return 0;
}

/* Never returns; what goes wrong is told through fail_fd. */
static void become_program(const struct keeper_child_cfg *cfg,
	const struct keeper_words *w, int fail_fd, pid_t watcher)
{
	struct failure f = { .stage = KEEPER_STAGE_EXEC };
	struct keeper_msg hello = { .type = KEEPER_MSG_HELLO, .id = cfg->id };
	int rc;

	/* Its own group, for signals, and session: none below joins another's. */
	(void)setsid(); /* a fresh child leads no group: cannot fail */
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != watcher)
		_exit(127);
	hello.value = getpid();
	rc = keeper_msg_send(cfg->sock, &hello, NULL, 0);
	if (rc == 0) {
		rc = set_affinity(w->cpus, w->n_cpus);
		if (rc != 0)
			f.stage = KEEPER_STAGE_AFFINITY;
	}
	if (rc == 0 && w->env != NULL) {
		rc = launch_apply(w->cwd, &w->set);
		if (rc != 0)
			f.stage = KEEPER_STAGE_LAUNCH;
	}
	if (rc == 0)
		rc = set_streams(cfg->output_fd, cfg->input_fd);
	if (rc == 0) {
		close_on_exec_from_3();
		keeper_child_default_signals();
		(void)execvpe(w->argv[0], w->argv, w->env != NULL ? w->env : environ);
		rc = -errno;
	}
	f.sys_errno = -rc;
	(void)!write(fail_fd, &f, sizeof(f)); /* nobody left to tell otherwise */
	_exit(127);
}

static void tell_started(const struct keeper_child_cfg *cfg, struct failure f)
{
	struct keeper_msg m = { .type = KEEPER_MSG_STARTED,
		.id = cfg->id,
		.value = f.sys_errno,
		.stage = f.stage };

	(void)keeper_msg_send(cfg->sock, &m, NULL, 0); /* gone: we end soon */
}

/* Reap all that ends up below; report the program itself. */
static void watch(const struct keeper_child_cfg *cfg, pid_t child)
{
	struct keeper_msg m = { .type = KEEPER_MSG_ENDED, .id = cfg->id };
	int status;
	pid_t pid;

	for (;;) {
		pid = waitpid(-1, &status, 0);
		if (pid < 0 && errno == EINTR)
			continue;
		if (pid < 0) /* ECHILD: nothing is left below */
			return;
		if (pid == child) {
			m.value = status;
			(void)keeper_msg_send(cfg->sock, &m, NULL, 0);
		}
	}
}

static void close_fd(int fd)
{
	if (fd >= 0)
		(void)close(fd); /* a copy of somebody else's */
}

/*
 * A standard input that neither says anything nor ends: some programs that run
 * until they are killed (testpmd) take the end of /dev/null as a wish to stop. The
 * watcher holds the other end for as long as the child lives.
 */
static int silent_input(void)
{
	int fds[2];

	return pipe2(fds, O_CLOEXEC) == 0 ? fds[0] : -1; /* fds[1] stays open */
}

static void run_watcher(struct keeper_child_cfg *cfg)
{
	struct failure f = { .stage = KEEPER_STAGE_FORK };
	struct keeper_words w = { 0 };
	int pipe_fds[2] = { -1, -1 };
	pid_t child = -1, self = getpid();
	ssize_t n;
	int rc;

	(void)prctl(PR_SET_CHILD_SUBREAPER, 1);
	rc = keeper_words_read(cfg->words_fd, &w);
	if (rc == 0 && pipe2(pipe_fds, O_CLOEXEC) != 0)
		rc = -errno;
	if (cfg->input_fd < 0)
		cfg->input_fd = silent_input();
	if (rc == 0) {
		child = fork();
		if (child < 0)
			rc = -errno;
	}
	if (rc != 0) {
		f.sys_errno = -rc;
		tell_started(cfg, f);
		_exit(0);
	}
	if (child == 0)
		become_program(cfg, &w, pipe_fds[1], self);
	close_fd(pipe_fds[1]);
	close_fd(cfg->output_fd);
	close_fd(cfg->input_fd);
	close_fd(cfg->words_fd);
	keeper_words_done(&w);
	do {
		n = read(pipe_fds[0], &f, sizeof(f));
	} while (n < 0 && errno == EINTR);
	if (n != (ssize_t)sizeof(f))
		f = (struct failure){ 0 }; /* closed by exec: it runs */
	close_fd(pipe_fds[0]);
	tell_started(cfg, f);
	watch(cfg, child);
	_exit(0);
}

pid_t keeper_child_fork(const struct keeper_child_cfg *ask)
{
	struct keeper_child_cfg cfg = *ask;
	pid_t parent = getpid(), pid = fork();

	if (pid < 0)
		return -errno;
	if (pid > 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		_exit(127);
	keeper_child_ignore_signals();
	run_watcher(&cfg);
	_exit(0);
}
