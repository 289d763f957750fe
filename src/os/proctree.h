/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Process trees from /proc, through a descriptor of the root folder. What
 * vanishes or is born while it reads may be missing: callers that need all of
 * a tree (to end it) read again until nothing is left.
 */
#ifndef SATPROF_OS_PROCTREE_H
#define SATPROF_OS_PROCTREE_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "os/pidstat.h"

/* Process or thread ids; zeroed is empty, arrays grow and are kept for reuse. */
struct proctree_ids {
	size_t n, cap;
	pid_t *ids;
};

void proctree_ids_add(struct proctree_ids *l, pid_t id);
void proctree_ids_done(struct proctree_ids *l);

/* Every process, as found. False where /proc cannot be read. */
bool proctree_all(int root_fd, struct proctree_ids *ret_pids);
/* Threads of a process; empty when it is gone. */
void proctree_threads(int root_fd, pid_t pid, struct proctree_ids *ret_tids);
/* All descendants of pid, itself left out, parents before their children. */
void proctree_descendants(int root_fd, pid_t pid, struct proctree_ids *ret_pids);

/*
 * The whole of a small /proc or /sys file into buf, NUL-terminated and cut to
 * len - 1 bytes. path is relative to root_fd. Bytes read, or -errno.
 */
ssize_t proctree_read_file(int root_fd, const char *path, char *buf, size_t len);
/* A process's line of /proc/PID/stat. False where there is none. */
bool proctree_stat(int root_fd, pid_t pid, struct pidstat *ret_stat);

#endif
