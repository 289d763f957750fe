/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Mapped files: found, opened and read once. */
#include "config.h"

#include "symbol/modfile.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"
#include "symbol/elfsym.h"

#define VDSO "[vdso]"

struct modfile {
	char *path;
	uint64_t dev, inode;
	char build_id[BUILDID_HEX_MAX]; /* of the file, else of the record */
	struct elfsym *elf;             /* NULL: could not be opened, or is no ELF */
};

struct modfile_set {
	int root_fd;
	size_t n, cap;
	struct modfile **files; /* pointers, since callers keep them */
};

struct modfile_set *modfile_set_new(int root_fd)
{
	struct modfile_set *set = xcalloc(1, sizeof(*set));

	set->root_fd = root_fd;
	return set;
}

void modfile_set_free(struct modfile_set *set)
{
	size_t i;

	if (set == NULL)
		return;
	for (i = 0; i < set->n; i++) {
		elfsym_close(set->files[i]->elf);
		free(set->files[i]->path);
		free(set->files[i]);
	}
	free(set->files);
	free(set);
}

/* The kernel's vdso is the same in every native process, so ours will do. */
static int open_vdso(int root_fd)
{
	const void *image = (const void *)getauxval(AT_SYSINFO_EHDR);
	struct map_entry e = { .path = NULL };
	char *line = NULL;
	size_t cap = 0, len = 0;
	FILE *f;
	int fd = openat(root_fd, "proc/self/maps", O_RDONLY | O_CLOEXEC);

	f = fd < 0 ? NULL : fdopen(fd, "r");
	if (f == NULL || image == NULL) {
		if (fd >= 0)
			(void)close(fd);
		return -1;
	}
	while (len == 0 && getline(&line, &cap, f) > 0) {
		if (!maps_parse_line(line, &e))
			continue;
		if (strcmp(e.path, VDSO) == 0 && e.start == (uintptr_t)image)
			len = (size_t)(e.end - e.start);
		free(e.path);
	}
	free(line);
	(void)fclose(f);
	fd = len == 0 ? -1 : memfd_create("vdso", MFD_CLOEXEC);
	if (fd >= 0 && write(fd, image, len) != (ssize_t)len) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

static bool is_inode(int fd, uint64_t inode)
{
	struct stat st;

	return fstat(fd, &st) == 0 && st.st_ino == inode;
}

static int open_by_path(int root_fd, pid_t pid, const struct map_entry *e)
{
	char *path = xasprintf("proc/%d/root%s", (int)pid, e->path);
	int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	free(path);
	if (fd < 0 && e->path[0] == '/') /* it is gone, or it is not ours to enter */
		fd = openat(root_fd, e->path + 1, O_RDONLY | O_CLOEXEC | O_NONBLOCK);
	return fd;
}

/* A file that was unlinked or replaced, while a process still maps it. */
static int open_deleted(int root_fd, pid_t pid, const struct map_entry *e)
{
	char path[96];
	int fd;

	(void)snprintf(path, sizeof(path), "proc/%d/map_files/%" PRIx64 "-%" PRIx64,
		(int)pid, e->start, e->end);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0)
		return fd;
	(void)snprintf(path, sizeof(path), "proc/%d/exe", (int)pid);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd >= 0 && !is_inode(fd, e->inode)) {
		(void)close(fd);
		fd = -1;
	}
	return fd;
}

static int open_file(int root_fd, pid_t pid, const struct map_entry *e)
{
	if (strcmp(e->path, VDSO) == 0)
		return open_vdso(root_fd);
	if (e->path[0] != '/')
		return -1; /* [vsyscall], [heap] */
	return e->is_deleted ? open_deleted(root_fd, pid, e)
			     : open_by_path(root_fd, pid, e);
}

static struct modfile *modfile_new(int root_fd, pid_t pid, const struct map_entry *e)
{
	struct modfile *f = xcalloc(1, sizeof(*f));
	int fd = open_file(root_fd, pid, e);

	f->path = xstrdup(e->path);
	f->dev = e->dev;
	f->inode = e->inode;
	memcpy(f->build_id, e->build_id, sizeof(f->build_id));
	if (fd < 0)
		return f;
	f->elf = elfsym_open(fd, e->path);
	(void)close(fd);
	if (f->elf == NULL)
		return f;
	if (e->build_id[0] != '\0' &&
		strcmp(e->build_id, elfsym_build_id(f->elf)) != 0) {
		/* The path leads to another build by now: no name is better. */
		elfsym_close(f->elf);
		f->elf = NULL;
		return f;
	}
	memcpy(f->build_id, elfsym_build_id(f->elf), sizeof(f->build_id));
	return f;
}

/* A record that carries a build-id has no inode; one from /proc has no build-id. */
static bool is_same_file(const struct modfile *f, const struct map_entry *e)
{
	if (strcmp(f->path, e->path) != 0)
		return false;
	if (e->build_id[0] != '\0')
		return strcmp(f->build_id, e->build_id) == 0;
	return f->inode == e->inode && f->dev == e->dev;
}

const struct modfile *modfile_get(
	struct modfile_set *set, pid_t pid, const struct map_entry *e)
{
	size_t i;

	for (i = set->n; i > 0; i--)
		if (is_same_file(set->files[i - 1], e))
			return set->files[i - 1];
	set->files = xgrow(set->files, set->n, &set->cap, sizeof(*set->files));
	set->files[set->n] = modfile_new(set->root_fd, pid, e);
	return set->files[set->n++];
}

const char *modfile_path(const struct modfile *f)
{
	return f->path;
}

const char *modfile_build_id(const struct modfile *f)
{
	return f->build_id;
}

const char *modfile_symbol(const struct modfile *f, uint64_t file_offset)
{
	return f->elf ? elfsym_find(f->elf, file_offset) : NULL;
}
