/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Layout: n_cpus, the CPUs, n_words (all int32_t), then the words with their NULs. */
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

int keeper_words_write(char *const *argv, const int *cpus, size_t n_cpus)
{
	int fd = memfd_create("satprof-words", MFD_CLOEXEC);
	int32_t n = (int32_t)n_cpus, cpu;
	bool ok;
	size_t i;
	int saved;

	if (fd < 0)
		return -errno;
	ok = write_all(fd, &n, sizeof(n));
	for (i = 0; ok && i < n_cpus; i++) {
		cpu = cpus[i];
		ok = write_all(fd, &cpu, sizeof(cpu));
	}
	for (n = 0; argv[n] != NULL;)
		n++;
	ok = ok && write_all(fd, &n, sizeof(n));
	for (i = 0; ok && argv[i] != NULL; i++)
		ok = write_all(fd, argv[i], strlen(argv[i]) + 1);
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

int keeper_words_read(int fd, struct keeper_words *ret_w)
{
	struct keeper_words w = { 0 };
	size_t len = 0, at = 0, n_words, i;

	w.blob = slurp(fd, &len);
	if (w.blob == NULL || !take_count(w.blob, len, &at, &w.n_cpus) ||
		w.n_cpus > (len - at) / sizeof(int32_t))
		goto bad;
	w.cpus = (int32_t *)(void *)(w.blob + at); /* at is a multiple of four */
	at += w.n_cpus * sizeof(int32_t);
	if (!take_count(w.blob, len, &at, &n_words) || n_words == 0)
		goto bad;
	w.argv = xcalloc(n_words + 1, sizeof(*w.argv));
	for (i = 0; i < n_words && at < len; i++) {
		w.argv[i] = w.blob + at;
		at += strlen(w.blob + at) + 1;
	}
	if (i < n_words)
		goto bad;
	*ret_w = w;
	return 0;
bad:
	keeper_words_done(&w);
	return -EPROTO;
}

void keeper_words_done(struct keeper_words *w)
{
	free(w->argv);
	free(w->blob);
	*w = (struct keeper_words){ 0 };
}
