/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of one ELF file, found by file offset: its own symbol table, else
 * that of its separate debug file (looked for by build-id under /usr/lib/debug;
 * never over the network), else the dynamic one. Read once, then a sorted array.
 */
#ifndef SATPROF_SYMBOL_ELFSYM_H
#define SATPROF_SYMBOL_ELFSYM_H

#include <stdint.h>

struct elfsym;

/* NULL when fd holds no ELF file. fd is left open and owned by the caller; path
 * is for messages of libdwfl only. */
struct elfsym *elfsym_open(int fd, const char *path);
void elfsym_close(struct elfsym *e); /* NULL is a no-op */

/* Lower-case hex; "" when it has none. */
const char *elfsym_build_id(const struct elfsym *e);

/* The function at a file offset, owned by e; NULL when there is none. */
const char *elfsym_find(const struct elfsym *e, uint64_t file_offset);

#endif
