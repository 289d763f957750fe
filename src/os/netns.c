/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Network namespaces: make, enter, leave; and a user namespace for the rights. */
#include "config.h"

#include "os/netns.h"

#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/capability.h>
#include <sys/ioctl.h>
#include <sys/socket.h>
#include <unistd.h>

/* Not /proc/self: that is the main thread's, whoever asks. */
#define OWN_NETNS "/proc/thread-self/ns/net"

static int own_netns_open(int *ret_fd, struct sp_err *err)
{
	int fd = open(OWN_NETNS, O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno,
			"cannot open %s (is /proc mounted?)", OWN_NETNS);
	*ret_fd = fd;
	return 0;
}

/*
 * The way back out of another namespace, opened and tried: a user namespace that does
 * not own this network namespace has CAP_SYS_ADMIN and still cannot come back.
 */
static int way_back_open(int *ret_fd, struct sp_err *err)
{
	int fd = -1;
	int rc = own_netns_open(&fd, err);

	if (rc != 0)
		return rc;
	if (setns(fd, CLONE_NEWNET) != 0) {
		rc = sp_err_errno(err, errno == EPERM ? SP_EPERM : SP_EIO, errno,
			"cannot leave this network namespace and come back (its owner "
			"is another user namespace)");
		(void)close(fd); /* read only */
		return rc;
	}
	*ret_fd = fd;
	return 0;
}

/* A value as a file's whole content; 0 or an errno. */
static int file_write(const char *path, const char *value)
{
	int fd = open(path, O_WRONLY | O_CLOEXEC);
	size_t len = strlen(value);
	ssize_t n;
	int e = 0;

	if (fd < 0)
		return errno;
	n = write(fd, value, len);
	if (n < 0)
		e = errno;
	else if ((size_t)n != len)
		e = EIO;
	if (close(fd) != 0 && e == 0)
		e = errno;
	return e;
}

int netns_sysctl_set(const char *name, const char *value, struct sp_err *err)
{
	char path[128];
	int e;

	(void)snprintf(path, sizeof(path), "/proc/sys/net/%s", name);
	e = file_write(path, value);
	if (e == ENOENT)
		return sp_err_errno(err, SP_EENV, e, "this kernel has no %s", path);
	if (e != 0)
		return sp_err_errno(err,
			e == EACCES || e == EPERM || e == EROFS ? SP_EPERM : SP_EIO, e,
			"cannot write %s to %s", value, path);
	return 0;
}

/* Before any link is up, so that not even one router solicitation leaves. */
static int ipv6_off(struct sp_err *err)
{
	static const char *const names[] = {
		"ipv6/conf/all/disable_ipv6",
		"ipv6/conf/default/disable_ipv6",
	};
	size_t i;
	int rc;

	for (i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		rc = netns_sysctl_set(names[i], "1", err);
		if (rc != 0 && rc != -SP_EENV)
			return rc;
	}
	err->code = SP_OK; /* a kernel without IPv6 is just as quiet */
	return 0;
}

static int lo_up(struct sp_err *err)
{
	struct ifreq ifr = { .ifr_name = "lo" };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	int rc = 0;

	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot open a socket");
	ifr.ifr_flags = IFF_UP;
	if (ioctl(fd, SIOCSIFFLAGS, &ifr) != 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot bring lo up");
	(void)close(fd); /* only asked, nothing to lose */
	return rc;
}

int netns_new(int *ret_fd, struct sp_err *err)
{
	int back = -1, fd = -1;
	int rc;

	rc = way_back_open(&back, err);
	if (rc != 0)
		return rc;
	if (unshare(CLONE_NEWNET) != 0) {
		rc = sp_err_errno(err, errno == EPERM ? SP_EPERM : SP_EIO, errno,
			"cannot make a network namespace (needs CAP_SYS_ADMIN)");
		(void)close(back); /* read only */
		return rc;
	}
	rc = ipv6_off(err);
	if (rc == 0)
		rc = lo_up(err);
	if (rc == 0)
		rc = own_netns_open(&fd, err);
	netns_leave(back);
	if (rc == 0)
		*ret_fd = fd;
	return rc;
}

int netns_enter(int fd, int *ret_back, struct sp_err *err)
{
	int back = -1;
	int rc;

	if (fd < 0) {
		*ret_back = -1;
		return 0;
	}
	rc = way_back_open(&back, err);
	if (rc != 0)
		return rc;
	if (setns(fd, CLONE_NEWNET) != 0) {
		rc = sp_err_errno(err, errno == EPERM ? SP_EPERM : SP_EIO, errno,
			"cannot enter a network namespace (needs CAP_SYS_ADMIN)");
		(void)close(back); /* read only */
		return rc;
	}
	*ret_back = back;
	return 0;
}

void netns_leave(int back)
{
	if (back < 0)
		return;
	if (setns(back, CLONE_NEWNET) != 0)
		abort();
	(void)close(back); /* read only */
}

bool netns_may_create(void)
{
	static const cap_value_t needed[] = { CAP_SYS_ADMIN, CAP_NET_ADMIN };
	cap_flag_value_t v;
	cap_t caps = cap_get_proc();
	bool may = caps != NULL;
	struct sp_err ignored;
	int back = -1;
	size_t i;

	for (i = 0; may && i < sizeof(needed) / sizeof(needed[0]); i++)
		may = cap_get_flag(caps, needed[i], CAP_EFFECTIVE, &v) == 0 &&
		      v == CAP_SET;
	(void)cap_free(caps); /* NULL is refused, without harm */
	if (!may || way_back_open(&back, &ignored) != 0)
		return false;
	(void)close(back); /* was for trying */
	return true;
}

/* The number in a file under /proc/sys, or -1. */
static long long sysctl_read(const char *path)
{
	char buf[32] = "";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	long long v = -1;
	ssize_t n;

	if (fd < 0)
		return -1;
	n = read(fd, buf, sizeof(buf) - 1);
	if (n > 0)
		v = strtoll(buf, NULL, 10);
	(void)close(fd); /* read only */
	return v;
}

/* Say which of the known switches keeps a user from a user namespace. */
static int userns_refused(struct sp_err *err, int e, const char *what)
{
	static const struct {
		const char *name, *path;
		long long bad;
		const char *want;
	} switches[] = {
		{ "user.max_user_namespaces", "/proc/sys/user/max_user_namespaces", 0,
			"100000" },
		{ "kernel.unprivileged_userns_clone",
			"/proc/sys/kernel/unprivileged_userns_clone", 0, "1" },
		{ "kernel.apparmor_restrict_unprivileged_userns",
			"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", 1,
			"0" },
	};
	size_t i;

	for (i = 0; i < sizeof(switches) / sizeof(switches[0]); i++)
		if (sysctl_read(switches[i].path) == switches[i].bad)
			return sp_err_errno(err, SP_EPERM, e,
				"%s: %s=%lld forbids user namespaces; run as root or "
				"set `sysctl %s=%s`",
				what, switches[i].name, switches[i].bad,
				switches[i].name, switches[i].want);
	if (e == EINVAL)
		return sp_err_errno(err, SP_EIO, e,
			"%s: this process has more than one thread", what);
	return sp_err_errno(err, SP_EPERM, e,
		"%s: a container, a chroot or user.max_user_namespaces forbids user "
		"namespaces; run as root",
		what);
}

int netns_become_userns_root(struct sp_err *err)
{
	char map[64];
	uid_t uid = geteuid();
	gid_t gid = getegid();
	int e;

	if (unshare(CLONE_NEWUSER) != 0)
		return userns_refused(err, errno, "cannot make a user namespace");
	e = file_write("/proc/self/setgroups", "deny");
	if (e != 0 && e != ENOENT)
		return userns_refused(err, e, "cannot set up a user namespace");
	(void)snprintf(map, sizeof(map), "0 %u 1", (unsigned)uid);
	e = file_write("/proc/self/uid_map", map);
	(void)snprintf(map, sizeof(map), "0 %u 1", (unsigned)gid);
	if (e == 0)
		e = file_write("/proc/self/gid_map", map);
	if (e != 0)
		return userns_refused(err, e, "cannot set up a user namespace");
	if (unshare(CLONE_NEWNET) != 0)
		return userns_refused(
			err, errno, "cannot make a network namespace as a user");
	return ipv6_off(err);
}
