/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Folders beside the run file, one for each start of an outside profiler. */
#include "config.h"

#include "observe/outside_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "base/owner.h"

#define STARTS_MAX 100000

/* Run by sudo, what is kept is for the one who called it. */
static void owner_set(const char *path)
{
	uid_t uid;
	gid_t gid;

	/* A network file system may refuse: a file of root's is better than none. */
	if (owner_of_files(&uid, &gid) && lchown(path, uid, gid) != 0)
		errno = 0;
}

static int owner_set_each(
	const char *path, const struct stat *st, int kind, struct FTW *at)
{
	(void)st;
	(void)kind;
	(void)at;
	owner_set(path);
	return 0;
}

static int folder_make(const char *path, struct sp_err *err)
{
	if (mkdir(path, 0755) == 0) {
		owner_set(path);
		return 0;
	}
	if (errno == EEXIST)
		return 1;
	return sp_err_errno(
		err, SP_EIO, errno, "cannot make %s for a profiler's output", path);
}

/* RUN.d, absolute: a profiler may change its folder. */
static int root_make(struct outside_dir *d, const char *run_path, struct sp_err *err)
{
	char *cwd = NULL;
	int rc;

	if (run_path[0] != '/') {
		cwd = getcwd(NULL, 0);
		if (cwd == NULL)
			return sp_err_errno(err, SP_EIO, errno, "the current folder");
	}
	d->root = xasprintf(
		"%s%s%s.d", cwd != NULL ? cwd : "", cwd != NULL ? "/" : "", run_path);
	free(cwd);
	rc = folder_make(d->root, err);
	return rc == 1 ? 0 : rc;
}

int outside_dir_make(struct outside_dir *d, const char *run_path, const char *arm,
	struct sp_err *err)
{
	int i, fd, rc;

	outside_dir_tidy(d);
	rc = root_make(d, run_path, err);
	if (rc != 0)
		return rc;
	for (i = 1; i < STARTS_MAX; i++) { /* also after those of an earlier session */
		free(d->dir);
		d->dir = xasprintf("%s/%s-%02d", d->root, arm, i);
		rc = folder_make(d->dir, err);
		if (rc != 1)
			break;
	}
	if (rc == 1)
		rc = sp_err_set(err, SP_EIO, "%s holds too many folders", d->root);
	if (rc != 0)
		return rc;
	d->log = xasprintf("%s.log", d->dir);
	fd = open(d->log, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot write %s", d->log);
	(void)close(fd); /* empty */
	owner_set(d->log);
	return 0;
}

void outside_dir_last_words(const struct outside_dir *d, char *buf, size_t len)
{
	int fd = d->log != NULL ? open(d->log, O_RDONLY | O_CLOEXEC) : -1;
	off_t size = fd >= 0 ? lseek(fd, 0, SEEK_END) : 0;
	off_t from = size > (off_t)len - 1 ? size - ((off_t)len - 1) : 0;
	ssize_t n = fd >= 0 ? pread(fd, buf, len - 1, from) : 0, i;

	if (fd >= 0)
		(void)close(fd); /* was only read */
	while (n > 0 && (buf[n - 1] == '\n' || buf[n - 1] == ' '))
		n--;
	if (n <= 0) {
		(void)snprintf(buf, len, "(none)");
		return;
	}
	buf[n] = '\0';
	for (i = 0; i < n; i++)
		if (buf[i] == '\n')
			buf[i] = '|';
		else if ((unsigned char)buf[i] < ' ' || (unsigned char)buf[i] >= 0x7f)
			buf[i] = '?';
}

void outside_dir_tidy(struct outside_dir *d)
{
	struct stat st;

	if (d->dir != NULL) /* what cannot be walked stays root's */
		(void)nftw(d->dir, owner_set_each, 16, FTW_PHYS);
	if (d->log != NULL && stat(d->log, &st) == 0 && st.st_size == 0)
		(void)unlink(d->log); /* a log that stays is no harm */
	/* rmdir(2) takes only what is empty. */
	if (d->dir != NULL)
		(void)rmdir(d->dir);
	if (d->root != NULL)
		(void)rmdir(d->root);
	free(d->log);
	free(d->dir);
	free(d->root);
	*d = (struct outside_dir){ 0 };
}
