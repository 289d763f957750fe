/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reads what a process was launched with, and takes it over. */
#include "config.h"

#include "os/launch.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/proctree.h"
#include "os/sysfile.h"

#define FIRST_BYTES 65536u
#define MAX_BYTES   (8u << 20) /* the kernel's own limit of arguments is less */
#define PATH_LEN    64

/* The whole file, whose words end with a NUL each; NULL: see *ret_errno. */
static char *words_read(int root_fd, const char *path, size_t *ret_n, int *ret_errno)
{
	size_t len = FIRST_BYTES;
	char *text = NULL;
	ssize_t got;

	for (;; len *= 2) {
		text = xreallocarray(text, len, 1);
		got = proctree_read_file(root_fd, path, text, len);
		if (got < 0 || (size_t)got < len - 1 || len > MAX_BYTES)
			break;
	}
	if (got < 0 || (size_t)got == len - 1) {
		free(text);
		*ret_errno = got < 0 ? (int)-got : EFBIG;
		return NULL;
	}
	*ret_n = (size_t)got;
	return text;
}

static char **env_split(const char *text, size_t n)
{
	char **env = NULL;
	size_t n_env = 0, cap = 0, at;

	for (at = 0; at < n; at += strlen(text + at) + 1) {
		if (text[at] == '\0')
			continue;
		env = xgrow(env, n_env, &cap, sizeof(*env));
		env[n_env++] = xstrdup(text + at);
	}
	env = xgrow(env, n_env, &cap, sizeof(*env));
	env[n_env] = NULL;
	return env;
}

static bool settings_read(int root_fd, pid_t pid, struct launch_settings *set)
{
	struct sched_param param;
	char path[PATH_LEN], buf[32], *end;
	int i;

	errno = 0; /* -1 is a nice value, too */
	set->nice = getpriority(PRIO_PROCESS, (id_t)pid);
	if (errno != 0)
		return false;
	set->policy = sched_getscheduler(pid);
	if (set->policy < 0 || sched_getparam(pid, &param) != 0)
		return false;
	set->rt_priority = param.sched_priority;
	for (i = 0; i < (int)RLIM_NLIMITS; i++)
		if (prlimit(pid, (__rlimit_resource_t)i, NULL, &set->limits[i]) != 0)
			return false;
	(void)snprintf(path, sizeof(path), "proc/%d/personality", (int)pid);
	if (sysfile_line(root_fd, path, buf, sizeof(buf)) != 0) {
		errno = EACCES;
		return false;
	}
	set->personality = strtoul(buf, &end, 16);
	return end != buf;
}

int launch_read(int root_fd, pid_t pid, struct launch *ret_launch, struct sp_err *err)
{
	struct launch l = { .env = NULL };
	char path[PATH_LEN], cwd[PATH_MAX], *text;
	int sys_errno = 0;
	size_t n = 0;
	ssize_t len;

	(void)snprintf(path, sizeof(path), "proc/%d/environ", (int)pid);
	text = words_read(root_fd, path, &n, &sys_errno);
	if (text == NULL)
		return sp_err_errno(err, SP_EENV, sys_errno,
			"cannot read the environment of process %d", (int)pid);
	(void)snprintf(path, sizeof(path), "proc/%d/cwd", (int)pid);
	len = readlinkat(root_fd, path, cwd, sizeof(cwd) - 1);
	if (len < 0 || !settings_read(root_fd, pid, &l.set)) {
		free(text);
		return sp_err_errno(err, SP_EENV, errno,
			"cannot read how process %d was launched", (int)pid);
	}
	cwd[len] = '\0';
	l.cwd = xstrdup(cwd);
	l.env = env_split(text, n);
	free(text);
	*ret_launch = l;
	return 0;
}

void launch_done(struct launch *l)
{
	size_t i;

	for (i = 0; l->env != NULL && l->env[i] != NULL; i++)
		free(l->env[i]);
	free(l->env);
	free(l->cwd);
	*l = (struct launch){ .env = NULL };
}

static int policy_apply(const struct launch_settings *set)
{
	struct sched_param own, param = { .sched_priority = set->rt_priority };

	if (sched_getscheduler(0) == set->policy && sched_getparam(0, &own) == 0 &&
		own.sched_priority == set->rt_priority)
		return 0;
	return sched_setscheduler(0, set->policy, &param) == 0 ? 0 : -errno;
}

static int limits_apply(const struct launch_settings *set)
{
	struct rlimit own;
	int i;

	for (i = 0; i < (int)RLIM_NLIMITS; i++) {
		const struct rlimit *want = &set->limits[i];

		if (getrlimit((__rlimit_resource_t)i, &own) == 0 &&
			own.rlim_cur == want->rlim_cur &&
			own.rlim_max == want->rlim_max)
			continue;
		if (setrlimit((__rlimit_resource_t)i, want) != 0)
			return -errno;
	}
	return 0;
}

/* Limits last: what comes before them may not be possible within them. */
int launch_apply(const char *cwd, const struct launch_settings *set)
{
	int rc;

	if (chdir(cwd) != 0)
		return -errno;
	if (personality(set->personality) < 0)
		return -errno;
	rc = policy_apply(set);
	if (rc != 0)
		return rc;
	errno = 0;
	if ((getpriority(PRIO_PROCESS, 0) != set->nice || errno != 0) &&
		setpriority(PRIO_PROCESS, 0, set->nice) != 0)
		return -errno;
	return limits_apply(set);
}
