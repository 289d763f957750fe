/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The files behind mappings, each opened once however many processes map it: in
 * the process's mount namespace (/proc/PID/root), deleted ones by
 * /proc/PID/map_files or /proc/PID/exe, the vdso out of our own memory. A file
 * that cannot be opened is a module without symbols.
 */
#ifndef SATPROF_SYMBOL_MODFILE_H
#define SATPROF_SYMBOL_MODFILE_H

#include <stdint.h>
#include <sys/types.h>

#include "symbol/maps.h"

struct modfile;
struct modfile_set;

struct modfile_set *modfile_set_new(int root_fd);
void modfile_set_free(struct modfile_set *set); /* NULL is a no-op */

/* Never NULL; owned by the set. e has a path. */
const struct modfile *modfile_get(
	struct modfile_set *set, pid_t pid, const struct map_entry *e);

const char *modfile_path(const struct modfile *f);
const char *modfile_build_id(const struct modfile *f); /* "" when there is none */
/* NULL when there is none; owned by the set. */
const char *modfile_symbol(const struct modfile *f, uint64_t file_offset);

#endif
