/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What is mapped where in each process: from /proc/PID/maps when the process is
 * first met (again after maps_refresh()), and from the kernel's mmap, exec, fork
 * records in between, in the order of time. Processes that are gone are known by
 * their records only.
 */
#ifndef SATPROF_SYMBOL_MAPS_H
#define SATPROF_SYMBOL_MAPS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "symbol/buildid.h"

struct map_entry {
	uint64_t start, end; /* addresses, end exclusive */
	uint64_t file_offset;
	uint64_t dev, inode; /* of the file; 0 when not known */
	char *path;          /* "" for anonymous memory; without " (deleted)" */
	bool is_deleted;
	char build_id[BUILDID_HEX_MAX]; /* from a record, else "" */
};

struct maps;

struct maps *maps_new(int root_fd);
void maps_free(struct maps *m); /* NULL is a no-op */

/* From here on every process is looked at again when it is next met. */
void maps_refresh(struct maps *m);

/* Records. A path of NULL is "". A fork is of a process, not of a thread. */
void maps_note_mmap(struct maps *m, pid_t pid, const struct map_entry *e);
void maps_note_exec(struct maps *m, pid_t pid);
void maps_note_fork(struct maps *m, pid_t pid, pid_t parent);

/* The mapping that holds addr, or NULL; valid until the next call of the others. */
const struct map_entry *maps_find(struct maps *m, pid_t pid, uint64_t addr);

/* One line of /proc/PID/maps, cut at its newline; false for what is not
 * executable or not a line. ret->path is allocated. */
bool maps_parse_line(const char *line, struct map_entry *ret_entry);

#endif
