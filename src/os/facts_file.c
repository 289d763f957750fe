/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Reading files for facts: whole ones, numbers, the node of a CPU. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/sysfile.h"

#define FIRST_CAP 16384

static ssize_t fd_read_all(struct facts_buf *b, int fd, size_t max)
{
	size_t n = 0;
	ssize_t got;

	for (;;) {
		if (n + 1 >= b->cap) {
			if (n > max)
				return -EFBIG;
			b->cap = b->cap == 0 ? FIRST_CAP : 2 * b->cap;
			b->p = xreallocarray(b->p, b->cap, 1);
		}
		got = read(fd, b->p + n, b->cap - 1 - n);
		if (got < 0 && errno == EINTR)
			continue;
		if (got <= 0)
			break;
		n += (size_t)got;
	}
	if (got < 0)
		return -errno;
	b->p[n] = '\0';
	return n > max ? -EFBIG : (ssize_t)n;
}

ssize_t facts_buf_read(struct facts_buf *b, int root_fd, const char *path, size_t max)
{
	int fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	ssize_t n;

	if (fd < 0)
		return -errno;
	n = fd_read_all(b, fd, max);
	(void)close(fd); /* read only */
	return n;
}

double facts_grown(uint64_t from, uint64_t to)
{
	return to > from ? (double)(to - from) : 0;
}

bool facts_number_read(int root_fd, const char *path, uint64_t *ret_value)
{
	long v;

	if (sysfile_long(root_fd, path, &v) != 0 || v < 0)
		return false;
	*ret_value = (uint64_t)v;
	return true;
}

bool facts_keyed_number(const char *text, const char *key, uint64_t *ret_value)
{
	size_t len = strlen(key);
	const char *line = text;
	char *end;
	uint64_t v;

	while (line != NULL) {
		line += *line == '\n';
		if (strncmp(line, key, len) == 0 &&
			(line[len] == ' ' || line[len] == '\t')) {
			v = strtoull(line + len, &end, 10);
			if (end == line + len)
				return false;
			*ret_value = v;
			return true;
		}
		line = strchr(line, '\n');
	}
	return false;
}

int facts_node_of(int root_fd, int cpu)
{
	struct cpulist nodes = { 0 }, cpus = { 0 };
	char path[96];
	int node = -1;
	size_t i;

	(void)sysfile_list(root_fd, FACTS_NODES, &nodes); /* none: not known */
	for (i = 0; node < 0 && i < nodes.n; i++) {
		(void)snprintf(path, sizeof(path),
			"sys/devices/system/node/node%d/cpulist", nodes.ids[i]);
		cpus.n = 0;
		if (sysfile_list(root_fd, path, &cpus) == 0 && cpulist_has(&cpus, cpu))
			node = nodes.ids[i];
	}
	cpulist_done(&nodes);
	cpulist_done(&cpus);
	return node;
}
