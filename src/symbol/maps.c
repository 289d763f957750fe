/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Address maps of processes, from /proc and from mmap records. */
#include "config.h"

#include "symbol/maps.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sysmacros.h>
#include <unistd.h>

#include "base/mem.h"

#define DELETED " (deleted)"

/* Newest last; lookups go from the end, so that the newest mapping wins. */
struct process {
	pid_t pid;
	bool is_fresh; /* /proc was read, or cannot be, since the last refresh */
	bool is_met;   /* since the last refresh */
	size_t n, cap;
	struct map_entry *entries;
};

struct maps {
	int root_fd;
	size_t n, cap;
	struct process *procs; /* ascending by pid */
};

struct maps *maps_new(int root_fd)
{
	struct maps *m = xcalloc(1, sizeof(*m));

	m->root_fd = root_fd;
	return m;
}

static void process_clear(struct process *p)
{
	size_t i;

	for (i = 0; i < p->n; i++)
		free(p->entries[i].path);
	p->n = 0;
}

void maps_free(struct maps *m)
{
	size_t i;

	if (m == NULL)
		return;
	for (i = 0; i < m->n; i++) {
		process_clear(&m->procs[i]);
		free(m->procs[i].entries);
	}
	free(m->procs);
	free(m);
}

void maps_refresh(struct maps *m)
{
	size_t i, n = 0;

	for (i = 0; i < m->n; i++) {
		struct process *p = &m->procs[i];

		if (!p->is_met) { /* nothing of it for a whole trial: it ended */
			process_clear(p);
			free(p->entries);
			continue;
		}
		p->is_fresh = false;
		p->is_met = false;
		m->procs[n++] = *p;
	}
	m->n = n;
}

static struct process *process_get(struct maps *m, pid_t pid)
{
	size_t lo = 0, hi = m->n;

	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (m->procs[mid].pid < pid)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo < m->n && m->procs[lo].pid == pid) {
		m->procs[lo].is_met = true;
		return &m->procs[lo];
	}
	m->procs = xgrow(m->procs, m->n, &m->cap, sizeof(*m->procs));
	memmove(&m->procs[lo + 1], &m->procs[lo], (m->n - lo) * sizeof(*m->procs));
	m->n++;
	m->procs[lo] = (struct process){ .pid = pid, .is_met = true };
	return &m->procs[lo];
}

static void process_add(struct process *p, const struct map_entry *e)
{
	p->entries = xgrow(p->entries, p->n, &p->cap, sizeof(*p->entries));
	p->entries[p->n] = *e;
	p->entries[p->n++].path = xstrdup(e->path ? e->path : "");
}

bool maps_parse_line(const char *line, struct map_entry *ret_entry)
{
	struct map_entry e = { .path = NULL };
	unsigned int major_nr, minor_nr;
	int at = 0;
	char perms[5];
	size_t len;

	if (sscanf(line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %x:%x %" SCNu64 " %n",
		    &e.start, &e.end, perms, &e.file_offset, &major_nr, &minor_nr,
		    &e.inode, &at) < 7 ||
		at == 0 || perms[2] != 'x' || e.end <= e.start)
		return false;
	e.dev = makedev(major_nr, minor_nr);
	line += at;
	len = strcspn(line, "\n");
	if (len > strlen(DELETED) &&
		strncmp(line + len - strlen(DELETED), DELETED, strlen(DELETED)) == 0) {
		len -= strlen(DELETED);
		e.is_deleted = true;
	}
	e.path = xasprintf("%.*s", (int)len, line);
	*ret_entry = e;
	return true;
}

/* True when the process is there and has mappings (kernel threads have none). */
static bool read_maps(int root_fd, struct process *p)
{
	char path[48], *line = NULL;
	size_t cap = 0;
	bool is_first = true;
	FILE *f;
	int fd;

	(void)snprintf(path, sizeof(path), "proc/%d/maps", (int)p->pid);
	fd = openat(root_fd, path, O_RDONLY | O_CLOEXEC);
	if (fd < 0)
		return false;
	f = fdopen(fd, "r");
	if (f == NULL) {
		(void)close(fd);
		return false;
	}
	while (getline(&line, &cap, f) > 0) {
		struct map_entry e;

		if (!maps_parse_line(line, &e))
			continue;
		if (is_first)
			process_clear(p); /* what is there now replaces the old */
		is_first = false;
		process_add(p, &e);
		free(e.path);
	}
	free(line);
	(void)fclose(f);
	return !is_first;
}

static struct process *process_fresh(struct maps *m, pid_t pid)
{
	struct process *p = process_get(m, pid);

	if (!p->is_fresh) {
		p->is_fresh = true;
		(void)read_maps(m->root_fd, p); /* gone: records have to do */
	}
	return p;
}

void maps_note_mmap(struct maps *m, pid_t pid, const struct map_entry *e)
{
	process_add(process_get(m, pid), e);
}

void maps_note_exec(struct maps *m, pid_t pid)
{
	struct process *p = process_get(m, pid);

	process_clear(p);
	/* Its records since the exec say it all, even when it is gone by now. */
	p->is_fresh = true;
}

void maps_note_fork(struct maps *m, pid_t pid, pid_t parent)
{
	struct process *from, *to;
	size_t i;

	(void)process_fresh(m, parent);
	to = process_get(m, pid);
	process_clear(to);
	from = process_get(m, parent); /* there already, so that to stays where it is */
	for (i = 0; i < from->n; i++)
		process_add(to, &from->entries[i]);
	to->is_fresh = true;
}

static const struct map_entry *process_find(const struct process *p, uint64_t addr)
{
	size_t i;

	for (i = p->n; i > 0; i--)
		if (addr >= p->entries[i - 1].start && addr < p->entries[i - 1].end)
			return &p->entries[i - 1];
	return NULL;
}

const struct map_entry *maps_find(struct maps *m, pid_t pid, uint64_t addr)
{
	return process_find(process_fresh(m, pid), addr);
}
