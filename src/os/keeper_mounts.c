/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fresh /proc and /sys for the programs that the keeper holds. */
#include "config.h"

#include "os/keeper_mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <sched.h>
#include <stdio.h>
#include <sys/mount.h>
#include <sys/stat.h>
#include <unistd.h>

int keeper_mounts_unshare(void)
{
	if (unshare(CLONE_NEWNS) != 0)
		return -errno;
	if (mount(NULL, "/", NULL, MS_REC | MS_PRIVATE, NULL) != 0)
		return -errno;
	return 0;
}

int keeper_mounts_proc(void)
{
	if (mount("proc", "/proc", "proc", MS_NOSUID | MS_NODEV | MS_NOEXEC, NULL) != 0)
		return -errno;
	return 0;
}

/* Profilers need these; the new /sys hides them, so they are bound onto it. */
static const char *const below_sys[] = {
	"/sys/fs/cgroup",
	"/sys/fs/bpf",
	"/sys/kernel/debug",
	"/sys/kernel/tracing",
};

#define N_BELOW (sizeof(below_sys) / sizeof(below_sys[0]))

int keeper_mounts_sys(void)
{
	const unsigned long flags = MS_NOSUID | MS_NODEV | MS_NOEXEC;
	int fds[N_BELOW];
	struct stat at, sys;
	char from[40];
	int rc = 0;
	size_t i;

	if (stat("/sys", &sys) != 0)
		return -errno;
	for (i = 0; i < N_BELOW; i++) {
		fds[i] = open(below_sys[i], O_PATH | O_DIRECTORY | O_CLOEXEC);
		if (fds[i] >= 0 && fstat(fds[i], &at) == 0 && at.st_dev == sys.st_dev) {
			(void)close(fds[i]); /* nothing is mounted there */
			fds[i] = -1;
		}
	}
	/* Where /sys is read-only, as in containers, a second one must be so too. */
	if (mount("sysfs", "/sys", "sysfs", flags, NULL) != 0 &&
		mount("sysfs", "/sys", "sysfs", flags | MS_RDONLY, NULL) != 0)
		rc = -errno;
	for (i = 0; i < N_BELOW; i++) {
		if (fds[i] < 0)
			continue;
		(void)snprintf(from, sizeof(from), "/proc/self/fd/%d", fds[i]);
		if (rc == 0) /* best effort: a profiler says itself what it lacks */
			(void)mount(from, below_sys[i], NULL, MS_BIND | MS_REC, NULL);
		(void)close(fds[i]); /* a path only */
	}
	return rc;
}
