/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Walks process trees by /proc/PID/task/TID/children, or by parent ids. */
#include "config.h"

#include "os/proctree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/pidstat.h"

#define PATH_LEN 96

void proctree_ids_add(struct proctree_ids *l, pid_t id)
{
	l->ids = xgrow(l->ids, l->n, &l->cap, sizeof(*l->ids));
	l->ids[l->n++] = id;
}

void proctree_ids_done(struct proctree_ids *l)
{
	free(l->ids);
	*l = (struct proctree_ids){ 0 };
}

ssize_t proctree_read_file(int root_fd, const char *path, char *buf, size_t len)
{
	int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	size_t n = 0;
	ssize_t got = -1;
	int saved = 0;

	if (fd < 0)
		return -errno;
	while (n < len - 1 && (got = read(fd, buf + n, len - 1 - n)) != 0) {
		if (got < 0 && errno == EINTR)
			continue;
		if (got < 0) {
			saved = errno;
			break;
		}
		n += (size_t)got;
	}
	(void)close(fd); /* read only */
	if (saved != 0)
		return -saved;
	buf[n] = '\0';
	return (ssize_t)n;
}

/* Numeric names of a folder. False when it cannot be opened. */
static bool list_ids(int root_fd, const char *path, struct proctree_ids *l)
{
	int fd = openat(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	char *end;
	long id;

	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd); /* read only */
		return false;
	}
	while ((e = readdir(dir)) != NULL) {
		id = strtol(e->d_name, &end, 10);
		if (*end == '\0' && id > 0)
			proctree_ids_add(l, (pid_t)id);
	}
	(void)closedir(dir); /* read only */
	return true;
}

bool proctree_all(int root_fd, struct proctree_ids *ret_pids)
{
	ret_pids->n = 0;
	return list_ids(root_fd, "proc", ret_pids);
}

void proctree_threads(int root_fd, pid_t pid, struct proctree_ids *ret_tids)
{
	char path[PATH_LEN];

	ret_tids->n = 0;
	(void)snprintf(path, sizeof(path), "proc/%d/task", (int)pid);
	(void)list_ids(root_fd, path, ret_tids); /* gone: no threads */
}

/* Children of one thread; a list longer than the buffer needs the whole file. */
static bool add_children_of(int root_fd, pid_t pid, pid_t tid, struct proctree_ids *out)
{
	char path[PATH_LEN];
	FILE *f;
	int fd, child;

	(void)snprintf(
		path, sizeof(path), "proc/%d/task/%d/children", (int)pid, (int)tid);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (f == NULL) {
		if (fd >= 0)
			(void)close(fd); /* read only */
		return false;
	}
	while (fscanf(f, "%d", &child) == 1)
		if (child > 0)
			proctree_ids_add(out, (pid_t)child);
	(void)fclose(f); /* read only */
	return true;
}

bool proctree_stat(int root_fd, pid_t pid, struct pidstat *ret_stat)
{
	char path[PATH_LEN], buf[1024];

	(void)snprintf(path, sizeof(path), "proc/%d/stat", (int)pid);
	return proctree_read_file(root_fd, path, buf, sizeof(buf)) > 0 &&
	       pidstat_parse(buf, ret_stat);
}

static pid_t parent_of(int root_fd, pid_t pid)
{
	struct pidstat st;

	return proctree_stat(root_fd, pid, &st) ? st.ppid : -1;
}

/* For kernels without CONFIG_PROC_CHILDREN: everybody's parent, then by levels. */
static void descend_by_parents(int root_fd, pid_t pid, struct proctree_ids *out)
{
	struct proctree_ids all = { 0 };
	pid_t *parents;
	size_t i, from;
	pid_t at = pid;

	if (!proctree_all(root_fd, &all) || all.n == 0) {
		proctree_ids_done(&all);
		return;
	}
	parents = xcalloc(all.n, sizeof(*parents));
	for (i = 0; i < all.n; i++)
		parents[i] = parent_of(root_fd, all.ids[i]);
	for (from = 0;; at = out->ids[from++]) {
		for (i = 0; i < all.n; i++)
			if (parents[i] == at && all.ids[i] != at)
				proctree_ids_add(out, all.ids[i]);
		if (from == out->n)
			break;
	}
	free(parents);
	proctree_ids_done(&all);
}

void proctree_descendants(int root_fd, pid_t pid, struct proctree_ids *ret_pids)
{
	struct proctree_ids tids = { 0 };
	bool has_children_file = false;
	size_t i, from;
	pid_t at = pid;

	ret_pids->n = 0;
	for (from = 0;; at = ret_pids->ids[from++]) {
		proctree_threads(root_fd, at, &tids);
		for (i = 0; i < tids.n; i++)
			if (add_children_of(root_fd, at, tids.ids[i], ret_pids))
				has_children_file = true;
		if (from == ret_pids->n)
			break;
	}
	proctree_ids_done(&tids);
	if (!has_children_file)
		descend_by_parents(root_fd, pid, ret_pids);
}
