/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What was changed on a user's interfaces is put back: at the end of the run, or,
 * after a crash, by the next run. Each change is written to a journal before it is
 * made. The journal is a text file in the state folder, locked by its process as
 * long as that lives, so a file that nobody locks is a crash's:
 *
 *   satprof-restore 1 BOOT-ID
 *   offload NETNS-INODE IFINDEX IFNAME FEATURE 0|1      (the old value)
 *
 * One thread at a time.
 */
#ifndef SATPROF_OS_RESTORE_H
#define SATPROF_OS_RESTORE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "os/offload.h"

struct restore;

/* One setting as it was. */
struct restore_item {
	uint64_t netns_ino;
	int ifindex;
	char ifname[16];
	char feature[32];
	bool old_on;
};

/* dir_fd: from statedir_open(), borrowed for the call. */
int restore_begin(int dir_fd, struct restore **ret_restore, struct sp_err *err);
/*
 * Set an interface's offloads as its role wants, each journaled first. *ret_find
 * holds what was changed (n 0: nothing had to be). netns_fd -1: the caller's.
 * What could not be changed is SP_EENV; what was changed is still put back later.
 */
int restore_offloads(struct restore *r, int netns_fd, const char *ifname,
	enum offload_role role, struct offload_findings *ret_find, struct sp_err *err);
/*
 * Put everything back, newest first, remove the journal, and free r (NULL is a
 * no-op). On an error the rest is still put back and the journal stays.
 */
int restore_undo(struct restore *r, struct sp_err *err);
/*
 * At start-up: put back what crashed runs left on interfaces of the caller's
 * namespace. Journals of other boots are removed, those of living runs and of
 * other namespaces left alone. *ret_n_items: settings that were put back.
 */
int restore_pending(int dir_fd, size_t *ret_n_items, struct sp_err *err);

/* A journal line without its newline; false when it is not one. */
bool restore_item_parse(const char *line, struct restore_item *ret_item);
void restore_item_format(const struct restore_item *item, char *buf, size_t len);

#endif
