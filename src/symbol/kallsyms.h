/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The kernel's own symbol table, modules and BPF programs included, as a snapshot
 * of /proc/kallsyms. The kernel hides addresses from users it does not trust by
 * printing zeros; that is a state of its own here, never a wrong name.
 */
#ifndef SATPROF_SYMBOL_KALLSYMS_H
#define SATPROF_SYMBOL_KALLSYMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum kallsyms_state {
	KALLSYMS_OK,
	KALLSYMS_HIDDEN,  /* every address is zero: kptr_restrict, or not root */
	KALLSYMS_MISSING, /* no such file, or nothing in it */
};

struct kallsyms;

struct kallsyms_hit {
	const char *name;   /* owned by the snapshot */
	const char *module; /* "veth", "bpf"; "" for the kernel itself */
	uint64_t start;
};

/* Never NULL; see kallsyms_state(). */
struct kallsyms *kallsyms_load(int root_fd);
/* The same from text as the file has it; text need not end in a NUL. */
struct kallsyms *kallsyms_parse(const char *text, size_t len);
void kallsyms_free(struct kallsyms *k); /* NULL is a no-op */

enum kallsyms_state kallsyms_state(const struct kallsyms *k);

/* The function that holds addr; false when there is none (then *ret_hit is
 * unchanged): also far behind the last one of the kernel or of a module. */
bool kallsyms_find(
	const struct kallsyms *k, uint64_t addr, struct kallsyms_hit *ret_hit);

#endif
