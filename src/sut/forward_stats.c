/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters in a shared mapping, one writer. */
#include "config.h"

#include "sut/forward_stats.h"

#include <errno.h>
#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

#define STATS_MAGIC UINT64_C(0x53445746746173) /* "satFWDS", little endian */

#define DIR_WORDS (sizeof(struct forward_dir_counts) / sizeof(uint64_t))

/*
 * The file. Writer: the forwarder. Readers: any. Words are relaxed; magic is stored
 * last with release order, so that a reader that sees it sees the rest.
 */
struct stats_file {
	_Atomic uint64_t magic;
	_Atomic uint64_t version;
	_Atomic uint64_t n_dirs;
	_Atomic uint64_t polls, empty_polls, empty_poll_ns, updated_ns;
	_Atomic uint64_t dirs[FORWARD_STATS_MAX_DIRS][DIR_WORDS];
};

struct forward_stats {
	struct stats_file *file;
};

static void word_put(_Atomic uint64_t *word, uint64_t v)
{
	atomic_store_explicit(word, v, memory_order_relaxed);
}

static uint64_t word_get(_Atomic uint64_t *word)
{
	return atomic_load_explicit(word, memory_order_relaxed);
}

static void stats_file_init(struct stats_file *file, size_t n_dirs)
{
	word_put(&file->version, FORWARD_STATS_VERSION);
	word_put(&file->n_dirs, n_dirs);
	atomic_store_explicit(&file->magic, STATS_MAGIC, memory_order_release);
}

/* Make, map and fill a new file under a name beside path, then move it there. */
static int stats_file_make(const char *path, size_t n_dirs,
	struct stats_file **ret_file, struct sp_err *err)
{
	char *tmp = xasprintf("%s.%ld.new", path, (long)getpid());
	struct stat st;
	void *map = MAP_FAILED;
	int fd = -1, rc = 0;

	if (lstat(path, &st) == 0 && !S_ISREG(st.st_mode)) {
		rc = sp_err_set(err, SP_EUSAGE, "%s is no regular file", path);
		goto out;
	}
	fd = open(tmp, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC | O_NOFOLLOW, 0644);
	if (fd < 0) {
		rc = sp_err_errno(err, SP_EIO, errno, "cannot create %s", tmp);
		goto out;
	}
	if (ftruncate(fd, (off_t)sizeof(struct stats_file)) == 0)
		map = mmap(NULL, sizeof(struct stats_file), PROT_READ | PROT_WRITE,
			MAP_SHARED, fd, 0);
	if (map != MAP_FAILED)
		stats_file_init(map, n_dirs);
	if (map == MAP_FAILED || rename(tmp, path) != 0) {
		rc = sp_err_errno(err, SP_EIO, errno, "cannot set up %s", path);
		if (map != MAP_FAILED)
			(void)munmap(map, sizeof(struct stats_file)); /* giving up */
		(void)unlink(tmp);
		goto out;
	}
	*ret_file = map;
out:
	if (fd >= 0)
		(void)close(fd); /* the mapping stays */
	free(tmp);
	return rc;
}

static int stats_private_make(
	size_t n_dirs, struct stats_file **ret_file, struct sp_err *err)
{
	void *map = mmap(NULL, sizeof(struct stats_file), PROT_READ | PROT_WRITE,
		MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (map == MAP_FAILED)
		return sp_err_errno(err, SP_EIO, errno, "cannot map the counters");
	stats_file_init(map, n_dirs);
	*ret_file = map;
	return 0;
}

/* In the file that is standard input: satprof's own, with no name to leave behind. */
static int stats_stdin_make(
	size_t n_dirs, struct stats_file **ret_file, struct sp_err *err)
{
	void *map = MAP_FAILED;

	if (ftruncate(STDIN_FILENO, (off_t)sizeof(struct stats_file)) == 0)
		map = mmap(NULL, sizeof(struct stats_file), PROT_READ | PROT_WRITE,
			MAP_SHARED, STDIN_FILENO, 0);
	if (map == MAP_FAILED)
		return sp_err_errno(err, SP_EUSAGE, errno,
			"--stats - needs a file opened for writing as standard input");
	stats_file_init(map, n_dirs);
	*ret_file = map;
	return 0;
}

int forward_stats_create(const char *path, size_t n_dirs,
	struct forward_stats **ret_stats, struct sp_err *err)
{
	struct stats_file *file = NULL;
	int rc;

	if (path == NULL)
		rc = stats_private_make(n_dirs, &file, err);
	else if (strcmp(path, "-") == 0)
		rc = stats_stdin_make(n_dirs, &file, err);
	else
		rc = stats_file_make(path, n_dirs, &file, err);
	if (rc != 0)
		return rc;
	*ret_stats = xcalloc(1, sizeof(**ret_stats));
	(*ret_stats)->file = file;
	return 0;
}

void forward_stats_write(struct forward_stats *s, const struct forward_counts *counts)
{
	struct stats_file *file = s->file;
	size_t d, i;

	for (d = 0; d < FORWARD_STATS_MAX_DIRS; d++) {
		uint64_t words[DIR_WORDS];

		memcpy(words, &counts->dirs[d], sizeof(words));
		for (i = 0; i < DIR_WORDS; i++)
			word_put(&file->dirs[d][i], words[i]);
	}
	word_put(&file->polls, counts->polls);
	word_put(&file->empty_polls, counts->empty_polls);
	word_put(&file->empty_poll_ns, counts->empty_poll_ns);
	word_put(&file->updated_ns, counts->updated_ns);
}

int forward_stats_open_fd(int fd, struct forward_stats **ret_stats, struct sp_err *err)
{
	struct stats_file *file;
	struct stat st;
	void *map = MAP_FAILED;

	/* A shorter file would fault when read. */
	if (fstat(fd, &st) == 0 && st.st_size >= (off_t)sizeof(struct stats_file))
		map = mmap(
			NULL, sizeof(struct stats_file), PROT_READ, MAP_SHARED, fd, 0);
	if (map == MAP_FAILED)
		return sp_err_set(err, SP_EFORMAT,
			"the file does not hold a forwarder's counters");
	file = map;
	if (atomic_load_explicit(&file->magic, memory_order_acquire) != STATS_MAGIC ||
		word_get(&file->version) != FORWARD_STATS_VERSION ||
		word_get(&file->n_dirs) > FORWARD_STATS_MAX_DIRS) {
		(void)munmap(map, sizeof(struct stats_file));
		return sp_err_set(err, SP_EFORMAT,
			"the file does not hold a forwarder's counters of this "
			"version");
	}
	*ret_stats = xcalloc(1, sizeof(**ret_stats));
	(*ret_stats)->file = file;
	return 0;
}

int forward_stats_open(
	const char *path, struct forward_stats **ret_stats, struct sp_err *err)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), rc;

	if (fd < 0)
		return sp_err_errno(err, SP_EIO, errno,
			"cannot open the forwarder's counters %s", path);
	rc = forward_stats_open_fd(fd, ret_stats, err);
	(void)close(fd); /* the mapping stays */
	return rc != 0 ? sp_err_push(err, "%s", path) : 0;
}

void forward_stats_read(
	const struct forward_stats *s, struct forward_counts *ret_counts)
{
	struct stats_file *file = s->file;
	size_t d, i;

	ret_counts->n_dirs = (size_t)word_get(&file->n_dirs);
	for (d = 0; d < FORWARD_STATS_MAX_DIRS; d++) {
		uint64_t words[DIR_WORDS];

		for (i = 0; i < DIR_WORDS; i++)
			words[i] = word_get(&file->dirs[d][i]);
		memcpy(&ret_counts->dirs[d], words, sizeof(words));
	}
	ret_counts->polls = word_get(&file->polls);
	ret_counts->empty_polls = word_get(&file->empty_polls);
	ret_counts->empty_poll_ns = word_get(&file->empty_poll_ns);
	ret_counts->updated_ns = word_get(&file->updated_ns);
}

void forward_stats_close(struct forward_stats *s)
{
	if (s == NULL)
		return;
	(void)munmap(s->file, sizeof(*s->file)); /* cannot fail for a whole mapping */
	free(s);
}
