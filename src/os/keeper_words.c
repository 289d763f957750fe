/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout: n_cpus, the CPUs, n_words (all int32_t), then the words with their NULs.
 * Where it is launched with something, then: its settings, the number of words of the
 * working directory and the environment, and these. */
#include "config.h"

#include "os/keeper_words.h"

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/mem.h"

static bool write_all(int fd, const void *data, size_t len)
{
	const char *p = data;
	ssize_t n;

	while (len > 0) {
		n = write(fd, p, len);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		p += n;
		len -= (size_t)n;
	}
	return true;
}

static bool write_count(int fd, size_t n)
{
	int32_t n32 = (int32_t)n;

	return write_all(fd, &n32, sizeof(n32));
}

static size_t count(char *const *words)
{
	size_t n = 0;

	while (words[n] != NULL)
		n++;
	return n;
}

static bool write_words(int fd, char *const *words)
{
	size_t i;

	for (i = 0; words[i] != NULL; i++)
		if (!write_all(fd, words[i], strlen(words[i]) + 1))
			return false;
	return true;
}

static bool write_launch(int fd, const struct launch *l)
{
	return write_all(fd, &l->set, sizeof(l->set)) &&
	       write_count(fd, 1 + count(l->env)) &&
	       write_all(fd, l->cwd, strlen(l->cwd) + 1) && write_words(fd, l->env);
}

int keeper_words_write(
	char *const *argv, const int *cpus, size_t n_cpus, const struct launch *launch)
{
	int fd = memfd_create("satprof-words", MFD_CLOEXEC);
	int32_t cpu;
	bool ok;
	size_t i;
	int saved;

	if (fd < 0)
		return -errno;
	ok = write_count(fd, n_cpus);
	for (i = 0; ok && i < n_cpus; i++) {
		cpu = cpus[i];
		ok = write_all(fd, &cpu, sizeof(cpu));
	}
	ok = ok && write_count(fd, count(argv)) && write_words(fd, argv);
	if (ok && launch != NULL)
		ok = write_launch(fd, launch);
	if (ok)
		return fd;
	saved = errno;
	(void)close(fd); /* of no use any more */
	return -saved;
}

static char *slurp(int fd, size_t *ret_len)
{
	struct stat st;
	char *blob;
	size_t n = 0;
	ssize_t got;

	if (fstat(fd, &st) != 0 || st.st_size <= 0)
		return NULL;
	blob = xcalloc((size_t)st.st_size + 1, 1);
	while (n < (size_t)st.st_size) {
		got = pread(fd, blob + n, (size_t)st.st_size - n, (off_t)n);
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	*ret_len = n;
	return blob;
}

/* Takes a count at *at; false when it does not fit what is left. */
static bool take_count(const char *blob, size_t len, size_t *at, size_t *ret_n)
{
	int32_t n;

	if (len - *at < sizeof(n))
		return false;
	memcpy(&n, blob + *at, sizeof(n));
	*at += sizeof(n);
	*ret_n = (size_t)n;
	return n >= 0 && (size_t)n <= len - *at;
}

/* A count and so many words at *at, NULL-terminated; NULL where they are not there. The
 * blob has a NUL behind its end. The caller frees the array. */
static char **take_words(char *blob, size_t len, size_t *at)
{
	size_t n, i;
	char **words;

	if (!take_count(blob, len, at, &n) || n == 0)
		return NULL;
	words = xcalloc(n + 1, sizeof(*words));
	for (i = 0; i < n && *at < len; i++) {
		words[i] = blob + *at;
		*at += strlen(blob + *at) + 1;
	}
	if (i == n)
		return words;
	free(words);
	return NULL;
}

static bool take_launch(struct keeper_words *w, size_t len, size_t *at)
{
	size_t i;

	if (len - *at < sizeof(w->set))
		return false;
	memcpy(&w->set, w->blob + *at, sizeof(w->set));
	*at += sizeof(w->set);
	w->env = take_words(w->blob, len, at);
	if (w->env == NULL)
		return false;
	w->cwd = w->env[0];
	for (i = 0; w->env[i] != NULL; i++) /* the first one is the directory */
		w->env[i] = w->env[i + 1];
	return true;
}

int keeper_words_read(int fd, struct keeper_words *ret_w)
{
	struct keeper_words w = { 0 };
	size_t len = 0, at = 0;

	w.blob = slurp(fd, &len);
	if (w.blob == NULL || !take_count(w.blob, len, &at, &w.n_cpus) ||
		w.n_cpus > (len - at) / sizeof(int32_t))
		goto bad;
	w.cpus = (int32_t *)(void *)(w.blob + at); /* at is a multiple of four */
	at += w.n_cpus * sizeof(int32_t);
	w.argv = take_words(w.blob, len, &at);
	if (w.argv == NULL || (at < len && !take_launch(&w, len, &at)))
		goto bad;
	*ret_w = w;
	return 0;
bad:
	keeper_words_done(&w);
	return -EPROTO;
}

void keeper_words_done(struct keeper_words *w)
{
	free(w->env);
	free(w->argv);
	free(w->blob);
	*w = (struct keeper_words){ 0 };
}
