/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Receive packet steering, by the namespace's default mask or queue by queue. */
#include "config.h"

#include "os/lab_steer.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <linux/mount.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "os/netns.h"

#define CPUS_MAX   8192
#define WORD_BITS  32
#define MASK_WORDS (CPUS_MAX / WORD_BITS)

char *lab_steer_mask(const int *cpus, size_t n_cpus, char *buf, size_t len)
{
	uint32_t words[MASK_WORDS] = { 0 };
	size_t i, top = 0, at = 0;
	int n;

	for (i = 0; i < n_cpus; i++) {
		if (cpus[i] < 0 || cpus[i] >= CPUS_MAX)
			continue;
		words[cpus[i] / WORD_BITS] |= UINT32_C(1) << (cpus[i] % WORD_BITS);
		if ((size_t)cpus[i] / WORD_BITS > top)
			top = (size_t)cpus[i] / WORD_BITS;
	}
	n = snprintf(buf, len, "%x", words[top]);
	while (n > 0 && top > 0) {
		at += (size_t)n;
		if (at >= len)
			break;
		top--;
		n = snprintf(buf + at, len - at, ",%08x", words[top]);
	}
	return buf;
}

int lab_steer_default(int netns_fd, const char *mask, struct sp_err *err)
{
	int back = -1;
	int rc;

	rc = netns_enter(netns_fd, &back, err);
	if (rc == 0)
		rc = netns_sysctl_set("core/rps_default_mask", mask, err);
	netns_leave(back);
	return rc;
}

/*
 * A sysfs of the calling thread's namespace, mounted nowhere: no mount namespace
 * and no helper process is needed to see it, and closing it ends it. The C
 * library has these calls only since glibc 2.36.
 */
static int sysfs_open(int *ret_fd, struct sp_err *err)
{
	int fs = (int)syscall(SYS_fsopen, "sysfs", FSOPEN_CLOEXEC);
	int fd = -1;
	int e = errno;

	if (fs >= 0) {
		if (syscall(SYS_fsconfig, fs, FSCONFIG_CMD_CREATE, NULL, NULL, 0) == 0)
			fd = (int)syscall(SYS_fsmount, fs, FSMOUNT_CLOEXEC, 0);
		e = errno;
		(void)close(fs); /* a context, nothing written */
	}
	if (fd < 0)
		return sp_err_errno(err, e == EPERM ? SP_EPERM : SP_EENV, e,
			"cannot open a sysfs for the lab");
	*ret_fd = fd;
	return 0;
}

static int rps_write(int queues_fd, const char *queue, const char *mask)
{
	char path[300];
	ssize_t n;
	int fd, e = 0;

	(void)snprintf(path, sizeof(path), "%s/rps_cpus", queue);
	fd = openat(queues_fd, path, O_WRONLY | O_CLOEXEC);
	if (fd < 0)
		return errno;
	n = write(fd, mask, strlen(mask));
	if (n < 0)
		e = errno;
	(void)close(fd); /* sysfs reports at the write */
	return e;
}

/* Every rx-N below an open ".../queues"; takes the descriptor. */
static int queues_steer(
	int queues_fd, const char *ifname, const char *mask, struct sp_err *err)
{
	DIR *dir = fdopendir(queues_fd);
	const struct dirent *d;
	int e = 0, n = 0;

	if (dir == NULL) {
		e = errno;
		(void)close(queues_fd); /* read only */
		return sp_err_errno(err, SP_EIO, e, "cannot list queues of %s", ifname);
	}
	while (e == 0 && (d = readdir(dir)) != NULL) {
		if (strncmp(d->d_name, "rx-", 3) != 0)
			continue;
		e = rps_write(queues_fd, d->d_name, mask);
		n++;
	}
	(void)closedir(dir); /* read only */
	if (e != 0)
		return sp_err_errno(err, e == EACCES || e == EPERM ? SP_EPERM : SP_EENV,
			e, "cannot set rps_cpus of %s", ifname);
	if (n == 0)
		return sp_err_set(err, SP_EENV, "%s has no receive queue", ifname);
	return 0;
}

int lab_steer_sysfs(
	int netns_fd, const char *ifname, const char *mask, struct sp_err *err)
{
	char path[64];
	int back = -1, sysfs = -1, queues = -1;
	int rc;

	rc = netns_enter(netns_fd, &back, err);
	if (rc != 0)
		return rc;
	rc = sysfs_open(&sysfs, err);
	netns_leave(back);
	if (rc != 0)
		return rc;
	(void)snprintf(path, sizeof(path), "class/net/%s/queues", ifname);
	queues = openat(sysfs, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	if (queues < 0)
		rc = sp_err_errno(err, SP_EENV, errno, "cannot open %s in sysfs", path);
	else
		rc = queues_steer(queues, ifname, mask, err);
	(void)close(sysfs); /* read only */
	return rc;
}
