/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Named labs: the holder process and its lock file. */
#include "config.h"

#include "os/lab_pin.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "os/keeper_mounts.h"
#include "os/netns.h"
#include "os/statedir.h"

#define NAME_MAX_CHARS 32
#define END_MAX_MS     5000

/* What the file says; descriptor numbers are the holder's. */
struct holder {
	pid_t pid;
	int gen_fd, sut_fd;
};

bool lab_pin_name_is_valid(const char *name)
{
	static const char ok[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
				 "0123456789-_.";
	size_t len = strlen(name);

	return len >= 1 && len <= NAME_MAX_CHARS && strspn(name, ok) == len &&
	       name[0] != '.';
}

static void file_name(char *buf, size_t len, const char *name)
{
	(void)snprintf(buf, len, "lab-%.*s", NAME_MAX_CHARS, name);
}

static bool is_linked(int dir_fd, const char *file, int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 &&
	       fstatat(dir_fd, file, &b, AT_SYMLINK_NOFOLLOW) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

/* The lock file, locked and empty, for a lab that is about to come up; *ret_dir is
 * the folder it is in. */
static int lock_take(const char *name, int *ret_dir, int *ret_fd, struct sp_err *err)
{
	char file[64];
	int dir_fd = -1, fd = -1;
	int rc, e;

	file_name(file, sizeof(file), name);
	rc = statedir_open(true, &dir_fd, err);
	if (rc != 0)
		return rc;
	do { /* until the one we locked is the one that others will find */
		if (fd >= 0)
			(void)close(fd); /* was removed meanwhile */
		fd = openat(
			dir_fd, file, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
		e = fd < 0 || flock(fd, LOCK_EX | LOCK_NB) != 0 ? errno : 0;
	} while (e == 0 && !is_linked(dir_fd, file, fd));
	if (e == 0 && ftruncate(fd, 0) != 0)
		e = errno;
	if (e == 0) {
		*ret_dir = dir_fd;
		*ret_fd = fd;
		return 0;
	}
	(void)close(dir_fd); /* read only */
	if (fd >= 0)
		(void)close(fd); /* nothing written */
	if (e == EWOULDBLOCK)
		return sp_err_set(err, SP_EUSAGE,
			"a lab named '%s' is up already: `satprof lab down --name %s` "
			"ends it",
			name, name);
	return sp_err_errno(err, SP_EIO, e, "cannot lock the state of lab '%s'", name);
}

/* Keep only the descriptors that hold the lab, lest a reader of ours wait for us. */
static void fds_close_but(const int *keep, size_t n_keep)
{
	DIR *dir = opendir("/proc/self/fd");
	const struct dirent *d;

	if (dir == NULL)
		return;
	while ((d = readdir(dir)) != NULL) {
		int fd = (int)strtol(d->d_name, NULL, 10);
		bool kept = d->d_name[0] == '.' || fd == dirfd(dir);
		size_t i;

		for (i = 0; i < n_keep; i++)
			kept = kept || fd == keep[i];
		if (!kept)
			(void)close(fd); /* the parent has it too */
	}
	(void)closedir(dir); /* read only */
}

/* The holder's life: write who it is, say so, sleep until it is killed. */
static _Noreturn void hold(const struct lab *lab, int lock_fd, int ready_fd)
{
	const int keep[] = { lab->gen_ns, lab->sut_ns, lock_fd, ready_fd };
	char buf[96];
	ssize_t n;
	int len, null_fd;

	(void)setsid(); /* cannot fail in a fresh child */
	(void)signal(SIGHUP, SIG_IGN);
	(void)signal(SIGINT, SIG_IGN);
	(void)signal(SIGTERM, SIG_DFL);
	(void)prctl(PR_SET_NAME, "satprof-lab");
	fds_close_but(keep, sizeof(keep) / sizeof(keep[0]));
	null_fd = open("/dev/null", O_RDWR); /* the lowest free ones: 0, 1, 2 */
	while (null_fd >= 0 && null_fd < 2)
		null_fd = open("/dev/null", O_RDWR);
	if (chdir("/") != 0)
		_exit(1);
	len = snprintf(buf, sizeof(buf), "%d %d %d\n", (int)getpid(), lab->gen_ns,
		lab->sut_ns);
	n = write(lock_fd, buf, (size_t)len);
	if (n != len || write(ready_fd, "", 1) != 1)
		_exit(1);
	(void)close(ready_fd); /* said */
	for (;;)
		(void)pause();
}

static int holder_start(const struct lab *lab, int lock_fd, struct sp_err *err)
{
	int ready[2];
	pid_t pid;
	char c;
	ssize_t n;

	if (pipe2(ready, O_CLOEXEC) != 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot make a pipe");
	pid = fork();
	if (pid == 0)
		hold(lab, lock_fd, ready[1]);
	(void)close(ready[1]); /* the holder's end */
	do
		n = pid < 0 ? 0 : read(ready[0], &c, 1);
	while (n < 0 && errno == EINTR);
	(void)close(ready[0]); /* read only */
	if (n == 1)
		return 0;
	if (pid > 0)
		(void)waitpid(pid, NULL, 0); /* it has ended, or ends now */
	return sp_err_set(err, SP_EIO, "cannot start the process that holds the lab");
}

int lab_pin_up(const char *name, const struct lab_config *cfg, struct lab *ret_lab,
	struct sp_err *err)
{
	struct lab lab = { .gen_ns = -1, .sut_ns = -1 };
	int dir_fd = -1, lock_fd = -1;
	char file[64];
	int rc;

	rc = lock_take(name, &dir_fd, &lock_fd, err);
	if (rc != 0)
		return rc;
	if (!netns_may_create())
		rc = netns_become_userns_root(err);
	if (rc == 0)
		rc = lab_up(cfg, &lab, err);
	if (rc == 0)
		rc = holder_start(&lab, lock_fd, err);
	lab_down(&lab);
	file_name(file, sizeof(file), name);
	if (rc != 0)
		(void)unlinkat(dir_fd, file, 0); /* or it stays, and means nothing */
	(void)close(dir_fd);                     /* read only */
	(void)close(lock_fd); /* the holder, if there is one, keeps the lock */
	if (rc == 0)
		*ret_lab = lab;
	return rc;
}

static bool is_held(int fd)
{
	if (flock(fd, LOCK_EX | LOCK_NB) != 0)
		return errno == EWOULDBLOCK;
	(void)flock(fd, LOCK_UN); /* it was free, and is again */
	return false;
}

/* Open the file of a lab and read it. *ret_fd and *ret_dir stay open. */
static int holder_read(const char *name, struct holder *ret_holder, int *ret_dir,
	int *ret_fd, struct sp_err *err)
{
	char file[64], buf[96] = "";
	struct holder h;
	int dir_fd = -1, fd = -1;

	file_name(file, sizeof(file), name);
	if (statedir_open(false, &dir_fd, err) != 0 && err->code != SP_EENV)
		return -(int)err->code;
	if (dir_fd >= 0)
		fd = openat(dir_fd, file, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
	if (fd < 0) {
		if (dir_fd >= 0)
			(void)close(dir_fd); /* read only */
		return sp_err_set(err, SP_EUSAGE,
			"no lab named '%s' is up: `satprof lab up --name %s` makes one",
			name, name);
	}
	if (pread(fd, buf, sizeof(buf) - 1, 0) <= 0 ||
		sscanf(buf, "%d %d %d", &h.pid, &h.gen_fd, &h.sut_fd) != 3 ||
		h.pid <= 0)
		h = (struct holder){ .pid = 0 }; /* coming up, or never did */
	*ret_holder = h;
	*ret_dir = dir_fd;
	*ret_fd = fd;
	return 0;
}

/* Kill the holder and wait for its end. The lock proves that the pid is its. */
static int holder_end(
	const struct holder *h, int fd, const char *name, struct sp_err *err)
{
	struct pollfd p = { .fd = -1, .events = POLLIN };
	int rc = 0;

	if (h->pid == 0)
		return sp_err_set(err, SP_EUSAGE,
			"the lab '%s' is just coming up or going down", name);
	p.fd = (int)syscall(SYS_pidfd_open, h->pid, 0);
	if (p.fd < 0)
		return errno == ESRCH
			       ? 0
			       : sp_err_errno(err, SP_EIO, errno,
					 "cannot reach the holder of lab '%s'", name);
	if (is_held(fd) &&
		syscall(SYS_pidfd_send_signal, p.fd, SIGKILL, NULL, 0) != 0 &&
		errno != ESRCH)
		rc = sp_err_errno(err, errno == EPERM ? SP_EPERM : SP_EIO, errno,
			"cannot end the holder of lab '%s' (process %d)", name, h->pid);
	else if (is_held(fd) && poll(&p, 1, END_MAX_MS) == 0)
		rc = sp_err_set(err, SP_ETIMEDOUT,
			"the holder of lab '%s' (process %d) does not end", name,
			h->pid);
	(void)close(p.fd); /* a handle only */
	return rc;
}

int lab_pin_down(const char *name, struct sp_err *err)
{
	struct holder h = { .pid = 0 };
	char file[64];
	int dir_fd = -1, fd = -1;
	int rc;

	file_name(file, sizeof(file), name);
	rc = holder_read(name, &h, &dir_fd, &fd, err);
	if (rc != 0)
		return rc;
	if (is_held(fd))
		rc = holder_end(&h, fd, name, err);
	/* Locked while it is removed, so that no `lab up` takes it in between. */
	if (rc == 0 && flock(fd, LOCK_EX | LOCK_NB) == 0 &&
		is_linked(dir_fd, file, fd) && unlinkat(dir_fd, file, 0) != 0)
		rc = sp_err_errno(err, SP_EIO, errno,
			"cannot remove the state of lab '%s'", name);
	(void)close(fd); /* gone */
	(void)close(dir_fd);
	return rc;
}

static int proc_open(pid_t pid, const char *what)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "/proc/%d/%s", (int)pid, what);
	return open(path, O_RDONLY | O_CLOEXEC);
}

/* The holder's namespaces; checked afterwards that it was the holder's. */
static int holder_open(
	const char *name, bool in_sut, int *ret_user, int *ret_net, struct sp_err *err)
{
	struct holder h = { .pid = 0 };
	char what[32];
	int dir_fd = -1, fd = -1, user = -1, net = -1;
	int rc;

	rc = holder_read(name, &h, &dir_fd, &fd, err);
	if (rc != 0)
		return rc;
	(void)snprintf(what, sizeof(what), "fd/%d", in_sut ? h.sut_fd : h.gen_fd);
	if (h.pid > 0) {
		user = proc_open(h.pid, "ns/user");
		net = proc_open(h.pid, what);
	}
	if (!is_held(fd))
		rc = sp_err_set(err, SP_EUSAGE,
			"the lab '%s' is gone: `satprof lab up --name %s` makes one",
			name, name);
	else if (user < 0 || net < 0)
		rc = sp_err_errno(err, SP_EIO, errno,
			"cannot reach the holder of lab '%s'", name);
	(void)close(fd); /* read only */
	(void)close(dir_fd);
	if (rc == 0) {
		*ret_user = user;
		*ret_net = net;
		return 0;
	}
	if (user >= 0)
		(void)close(user);
	if (net >= 0)
		(void)close(net);
	return rc;
}

static bool is_own_userns(int fd)
{
	struct stat a, b;

	return fstat(fd, &a) == 0 && stat("/proc/self/ns/user", &b) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

int lab_pin_enter(const char *name, bool in_sut, struct sp_err *err)
{
	int user = -1, net = -1;
	int rc, e;

	rc = holder_open(name, in_sut, &user, &net, err);
	if (rc != 0)
		return rc;
	if (!is_own_userns(user) && setns(user, CLONE_NEWUSER) != 0)
		rc = sp_err_errno(err, SP_EPERM, errno,
			"cannot enter the user namespace of lab '%s'", name);
	if (rc == 0 && setns(net, CLONE_NEWNET) != 0)
		rc = sp_err_errno(err, SP_EPERM, errno,
			"cannot enter the network namespace of lab '%s'", name);
	(void)close(user); /* entered, or not */
	(void)close(net);
	if (rc != 0)
		return rc;
	e = keeper_mounts_unshare();
	if (e == 0)
		e = keeper_mounts_sys();
	return e == 0 ? 0
		      : sp_err_errno(err, e == -EPERM ? SP_EPERM : SP_EIO, -e,
				"cannot mount the /sys of lab '%s'", name);
}
