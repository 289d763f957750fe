/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The journal of changed settings: write ahead, undo, and undo for the dead. */
#include "config.h"

#include "os/restore.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <net/if.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/ethtool.h"
#include "os/netns.h"

#define FILE_PREFIX     "restore-"
#define HEAD            "satprof-restore 1 "
#define BOOT_ID_LEN     36
#define JOURNAL_MAX     65536
#define FILES_A_PROCESS 100

struct entry {
	struct restore_item item;
	int netns_fd; /* -1: the caller's */
};

struct restore {
	int dir_fd; /* owned */
	int fd;     /* the journal, locked */
	char file[64];
	struct entry *entries;
	size_t n_entries, cap_entries;
};

/* Which boot this is: in another one, nothing of the last is left to put back. */
static int boot_id_read(char *buf, struct sp_err *err)
{
	static const char path[] = "/proc/sys/kernel/random/boot_id";
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t n = fd < 0 ? -1 : read(fd, buf, BOOT_ID_LEN);
	int e = errno;

	if (fd >= 0)
		(void)close(fd); /* read only */
	if (n != BOOT_ID_LEN)
		return sp_err_errno(
			err, SP_EIO, n < 0 ? e : EIO, "cannot read %s", path);
	buf[BOOT_ID_LEN] = '\0';
	return 0;
}

static int netns_ino_get(int netns_fd, uint64_t *ret_ino, struct sp_err *err)
{
	struct stat st;
	int rc = netns_fd < 0 ? stat("/proc/thread-self/ns/net", &st)
			      : fstat(netns_fd, &st);

	if (rc != 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot read the namespace");
	*ret_ino = st.st_ino;
	return 0;
}

static int text_write(int fd, const char *text, struct sp_err *err)
{
	size_t len = strlen(text);
	ssize_t n = write(fd, text, len);

	if (n == (ssize_t)len)
		return 0;
	return sp_err_errno(err, SP_EIO, n < 0 ? errno : ENOSPC,
		"cannot write the journal of settings to put back");
}

static bool is_linked(const struct restore *r)
{
	struct stat a, b;

	return fstat(r->fd, &a) == 0 && fstatat(r->dir_fd, r->file, &b, 0) == 0 &&
	       a.st_ino == b.st_ino && a.st_dev == b.st_dev;
}

static int journal_create(struct restore *r, struct sp_err *err)
{
	char head[sizeof(HEAD) + BOOT_ID_LEN + 2], boot_id[BOOT_ID_LEN + 1];
	int i, rc;

	rc = boot_id_read(boot_id, err);
	if (rc != 0)
		return rc;
	/* One left by an earlier process of this number may still be there, and
	 * restore_pending() may remove ours before it is locked. */
	for (i = 0; r->fd < 0 && i < FILES_A_PROCESS; i++) {
		(void)snprintf(r->file, sizeof(r->file), FILE_PREFIX "%d-%d",
			(int)getpid(), i);
		r->fd = openat(r->dir_fd, r->file,
			O_RDWR | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0600);
		if (r->fd < 0 && errno != EEXIST)
			break;
		if (r->fd >= 0 && (flock(r->fd, LOCK_EX) != 0 || !is_linked(r))) {
			(void)close(r->fd); /* empty */
			r->fd = -1;
		}
	}
	if (r->fd < 0)
		return sp_err_errno(err, SP_EIO, errno,
			"cannot make the journal of settings to put back");
	(void)snprintf(head, sizeof(head), HEAD "%s\n", boot_id);
	return text_write(r->fd, head, err);
}

static void restore_free(struct restore *r)
{
	size_t i;

	for (i = 0; i < r->n_entries; i++)
		if (r->entries[i].netns_fd >= 0)
			(void)close(r->entries[i].netns_fd); /* a handle */
	if (r->fd >= 0)
		(void)close(r->fd); /* each line was checked when written */
	if (r->dir_fd >= 0)
		(void)close(r->dir_fd);
	free(r->entries);
	free(r);
}

int restore_begin(int dir_fd, struct restore **ret_restore, struct sp_err *err)
{
	struct restore *r = xcalloc(1, sizeof(*r));
	int rc;

	r->fd = -1;
	r->dir_fd = fcntl(dir_fd, F_DUPFD_CLOEXEC, 0);
	if (r->dir_fd < 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot keep the state folder");
	else
		rc = journal_create(r, err);
	if (rc != 0) {
		restore_free(r);
		return rc;
	}
	*ret_restore = r;
	return 0;
}

/* Write one old value; only then may it be changed. */
static int record(struct restore *r, int netns_fd, const struct restore_item *item,
	struct sp_err *err)
{
	char line[160];
	struct entry *e;
	int fd = -1;
	int rc;

	if (netns_fd >= 0) {
		fd = fcntl(netns_fd, F_DUPFD_CLOEXEC, 0);
		if (fd < 0)
			return sp_err_errno(
				err, SP_EIO, errno, "cannot keep the namespace");
	}
	restore_item_format(item, line, sizeof(line) - 1);
	(void)strcat(line, "\n");
	rc = text_write(r->fd, line, err);
	if (rc != 0) {
		if (fd >= 0)
			(void)close(fd); /* a handle */
		return rc;
	}
	r->entries =
		xgrow(r->entries, r->n_entries, &r->cap_entries, sizeof(*r->entries));
	e = &r->entries[r->n_entries++];
	e->item = *item;
	e->netns_fd = fd;
	return 0;
}

static int ifindex_get(
	int netns_fd, const char *ifname, int *ret_ifindex, struct sp_err *err)
{
	int back = -1;
	int rc = netns_enter(netns_fd, &back, err);

	if (rc != 0)
		return rc;
	*ret_ifindex = (int)if_nametoindex(ifname); /* 0: none */
	netns_leave(back);
	return 0;
}

int restore_offloads(struct restore *r, int netns_fd, const char *ifname,
	enum offload_role role, struct offload_findings *ret_find, struct sp_err *err)
{
	struct restore_item item = { .ifindex = 0 };
	struct offload_findings find = { .n = 0 };
	int ethtool_fd = -1;
	size_t i;
	int rc;

	rc = ethtool_open(netns_fd, &ethtool_fd, err);
	if (rc != 0)
		return rc;
	rc = offload_check(ethtool_fd, ifname, role, &find, err);
	if (rc == 0)
		rc = netns_ino_get(netns_fd, &item.netns_ino, err);
	if (rc == 0)
		rc = ifindex_get(netns_fd, ifname, &item.ifindex, err);
	(void)snprintf(item.ifname, sizeof(item.ifname), "%s", ifname);
	for (i = 0; rc == 0 && i < find.n; i++) {
		(void)snprintf(item.feature, sizeof(item.feature), "%s",
			find.wanted[i].feature);
		item.old_on = !find.wanted[i].on;
		rc = record(r, netns_fd, &item, err);
	}
	if (rc == 0 && find.n > 0)
		rc = offload_apply(ethtool_fd, ifname, role, err);
	(void)close(ethtool_fd); /* a socket that only asked */
	if (rc == 0)
		*ret_find = find;
	return rc;
}

/*
 * One setting back; an interface that is gone has none, and one that is as it was
 * (the change was refused, or the user was faster) needs no rights.
 */
static int put_back(int netns_fd, const struct restore_item *item, struct sp_err *err)
{
	struct ethtool_change change = { item->feature, item->old_on };
	struct ethtool_features feat;
	int ifindex = 0, ethtool_fd = -1, at = -1;
	int rc;

	rc = ifindex_get(netns_fd, item->ifname, &ifindex, err);
	if (rc != 0 || ifindex != item->ifindex)
		return rc;
	rc = ethtool_open(netns_fd, &ethtool_fd, err);
	if (rc != 0)
		return rc;
	rc = ethtool_features_get(ethtool_fd, item->ifname, &feat, err);
	if (rc == 0)
		at = ethtool_feature_find(&feat, item->feature);
	if (at >= 0 && feat.on[at] != item->old_on)
		rc = ethtool_features_set(ethtool_fd, item->ifname, &change, 1, err);
	(void)close(ethtool_fd); /* a socket that only asked */
	return rc;
}

int restore_undo(struct restore *r, struct sp_err *err)
{
	struct sp_err one = { .code = SP_OK };
	size_t i;
	int rc = 0;

	if (r == NULL)
		return 0;
	for (i = r->n_entries; i > 0; i--) {
		const struct entry *e = &r->entries[i - 1];

		if (put_back(e->netns_fd, &e->item, &one) != 0 && rc == 0) {
			*err = one; /* the first tells most */
			rc = sp_err_push(err, "%s of %s was not put back",
				e->item.feature, e->item.ifname);
		}
	}
	if (rc == 0 && unlinkat(r->dir_fd, r->file, 0) != 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot remove %s", r->file);
	restore_free(r);
	return rc;
}

/*
 * Undo from the last line to the first; text is cut into its lines. *left becomes
 * the lines that must wait, in their order, each with its newline; owned by the
 * caller.
 */
static int lines_undo(char *text, uint64_t netns_ino, char **left, size_t *n_items,
	struct sp_err *err)
{
	struct restore_item item;
	char *line, *longer;
	int rc = 0;

	while ((line = strrchr(text, '\n')) != NULL) {
		*line = '\0';
		line++;
		if (!restore_item_parse(line, &item))
			continue; /* the head, or cut off before its change was made */
		if (rc == 0 && item.netns_ino == netns_ino) {
			rc = put_back(-1, &item, err);
			if (rc == 0) {
				(*n_items)++;
				continue;
			}
		}
		longer = xasprintf("%s\n%s", line, *left);
		free(*left);
		*left = longer;
	}
	return rc;
}

/* What was put back must not be put back again over a later change. */
static int journal_rewrite(
	int fd, const char *head, const char *lines, struct sp_err *err)
{
	char *text = xasprintf("%s\n%s", head, lines);
	int rc = 0;

	if (ftruncate(fd, 0) != 0 || pwrite(fd, text, strlen(text), 0) < 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot rewrite a journal");
	free(text);
	return rc;
}

/* A dead process's journal, locked by us: undo what is of this namespace. */
static int journal_undo(int dir_fd, const char *file, int fd, uint64_t netns_ino,
	size_t *n_items, struct sp_err *err)
{
	char boot_id[BOOT_ID_LEN + 1], head[sizeof(HEAD) + BOOT_ID_LEN];
	char *text = xcalloc(1, JOURNAL_MAX + 1);
	char *left = xstrdup("");
	int rc;

	rc = boot_id_read(boot_id, err);
	if (rc == 0 && pread(fd, text, JOURNAL_MAX, 0) < 0)
		rc = sp_err_errno(err, SP_EIO, errno, "cannot read %s", file);
	if (rc == 0) {
		(void)snprintf(head, sizeof(head), HEAD "%s", boot_id);
		if (strncmp(text, head, strlen(head)) == 0)
			rc = lines_undo(text, netns_ino, &left, n_items, err);
		if (left[0] != '\0' && rc == 0)
			rc = journal_rewrite(fd, head, left, err);
		else if (rc == 0 && unlinkat(dir_fd, file, 0) != 0)
			rc = sp_err_errno(err, SP_EIO, errno, "cannot remove %s", file);
	}
	free(left);
	free(text);
	return rc;
}

int restore_pending(int dir_fd, size_t *ret_n_items, struct sp_err *err)
{
	const struct dirent *d;
	size_t n_items = 0;
	uint64_t netns_ino = 0;
	DIR *dir;
	int fd, rc;

	rc = netns_ino_get(-1, &netns_ino, err);
	if (rc != 0)
		return rc;
	fd = openat(dir_fd, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	dir = fd < 0 ? NULL : fdopendir(fd);
	if (dir == NULL)
		return sp_err_errno(err, SP_EIO, errno, "cannot list the state folder");
	while (rc == 0 && (d = readdir(dir)) != NULL) {
		if (strncmp(d->d_name, FILE_PREFIX, strlen(FILE_PREFIX)) != 0)
			continue;
		fd = openat(dir_fd, d->d_name, O_RDWR | O_NOFOLLOW | O_CLOEXEC);
		if (fd < 0)
			continue; /* its run ended meanwhile */
		if (flock(fd, LOCK_EX | LOCK_NB) == 0)
			rc = journal_undo(
				dir_fd, d->d_name, fd, netns_ino, &n_items, err);
		(void)close(fd); /* gone, or its owner's */
	}
	(void)closedir(dir); /* read only */
	if (rc == 0)
		*ret_n_items = n_items;
	return rc;
}
