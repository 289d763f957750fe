/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Small files of the kernel's: lines, numbers, lists, folders. */
#include "config.h"

#include "os/sysfile.h"

#include <ctype.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/proctree.h"

#define LINE_MAX_BYTES 4096

int sysfile_line(int root_fd, const char *path, char *buf, size_t len)
{
	ssize_t got = proctree_read_file(root_fd, path, buf, len);
	size_t n, from = 0;

	if (got <= 0) {
		buf[0] = '\0';
		return got < 0 ? (int)got : -ENODATA;
	}
	n = strcspn(buf, "\n");
	while (n > 0 && isspace((unsigned char)buf[n - 1]))
		n--;
	while (from < n && isspace((unsigned char)buf[from]))
		from++;
	memmove(buf, buf + from, n - from);
	buf[n - from] = '\0';
	return n > from ? 0 : -ENODATA;
}

int sysfile_long(int root_fd, const char *path, long *ret)
{
	char buf[64], *end;
	int rc = sysfile_line(root_fd, path, buf, sizeof(buf));
	long v;

	if (rc != 0)
		return rc;
	errno = 0;
	v = strtol(buf, &end, 10);
	if (errno != 0 || end == buf || *end != '\0')
		return -EINVAL;
	*ret = v;
	return 0;
}

static int set_read(int root_fd, const char *path,
	bool (*parse)(const char *, struct cpulist *), struct cpulist *l)
{
	char buf[LINE_MAX_BYTES];
	int rc = sysfile_line(root_fd, path, buf, sizeof(buf));

	/* What no kernel parameter names is empty, or "(null)" on older kernels. */
	if (rc == -ENODATA || (rc == 0 && strcmp(buf, "(null)") == 0))
		return 0;
	if (rc != 0)
		return rc;
	return parse(buf, l) ? 0 : -EINVAL;
}

int sysfile_list(int root_fd, const char *path, struct cpulist *l)
{
	return set_read(root_fd, path, cpulist_parse, l);
}

int sysfile_mask(int root_fd, const char *path, struct cpulist *l)
{
	return set_read(root_fd, path, cpulist_parse_mask, l);
}

static int by_name(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

char **sysfile_names(int root_fd, const char *path, size_t *ret_n)
{
	int fd = openat(root_fd, path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);
	const struct dirent *e;
	char **names = NULL;
	size_t n = 0, cap = 0;

	*ret_n = 0;
	if (dir == NULL) {
		if (fd >= 0)
			(void)close(fd); /* read only */
		return NULL;
	}
	while ((e = readdir(dir)) != NULL) {
		if (e->d_name[0] == '.')
			continue;
		names = xgrow(names, n, &cap, sizeof(*names));
		names[n++] = xstrdup(e->d_name);
	}
	(void)closedir(dir); /* read only */
	if (n > 0)
		qsort(names, n, sizeof(*names), by_name);
	*ret_n = n;
	return names;
}

void sysfile_names_free(char **names, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		free(names[i]);
	free(names);
}

char *sysfile_text(int root_fd, const char *path, int *ret_errno)
{
	size_t len = LINE_MAX_BYTES;
	char *text = NULL;
	ssize_t got;

	/* The kernel makes such a file anew for each reader: larger until all fits. */
	do {
		len *= 4;
		text = xreallocarray(text, len, 1);
		got = proctree_read_file(root_fd, path, text, len);
	} while (got >= 0 && (size_t)got == len - 1);
	if (got >= 0)
		return text;
	*ret_errno = (int)-got;
	free(text);
	return NULL;
}

bool sysfile_value(const char *text, const char *key, char *buf, size_t len)
{
	size_t key_len = strlen(key), n;
	const char *line = text, *p;

	for (; line != NULL; line = strchr(line, '\n')) {
		line += *line == '\n';
		if (strncmp(line, key, key_len) != 0)
			continue;
		p = line + key_len;
		p += strspn(p, " \t");
		if (*p != ':')
			continue;
		p += 1 + strspn(p + 1, " \t");
		n = strcspn(p, "\n");
		n = n < len - 1 ? n : len - 1;
		memcpy(buf, p, n);
		buf[n] = '\0';
		return n > 0;
	}
	return false;
}
