/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sets of CPUs or NUMA nodes as the kernel writes them: lists ("0-3,8") and masks
 * ("ff,00000001"). A zeroed struct is the empty set; cpulist_done() frees it.
 */
#ifndef SATPROF_BASE_CPULIST_H
#define SATPROF_BASE_CPULIST_H

#include <stdbool.h>
#include <stddef.h>

/* One more than the highest id; the kernel's own limit (CONFIG_NR_CPUS) is 8192. */
#define CPULIST_MAX 8192

struct cpulist {
	size_t n, cap;
	int *ids; /* ascending, each once */
};

/* An id that is there already, or outside 0 .. CPULIST_MAX - 1, changes nothing. */
void cpulist_add(struct cpulist *l, int id);
void cpulist_add_all(struct cpulist *l, const struct cpulist *from);
bool cpulist_has(const struct cpulist *l, int id);
/* Every id of a is in b; true for an empty a. */
bool cpulist_is_within(const struct cpulist *a, const struct cpulist *b);
/* Adds the ids of a list; false, with *l as it was, for what is none. Nothing but
 * blanks and a line end may follow; the empty text is the empty set. */
bool cpulist_parse(const char *s, struct cpulist *l);
/* The same for a mask: groups of up to eight hex digits, highest first. */
bool cpulist_parse_mask(const char *s, struct cpulist *l);
/* "0-3,8"; "" for none; cut to len - 1 bytes. buf is returned. */
char *cpulist_format(const struct cpulist *l, char *buf, size_t len);
/* The same in full; the caller frees it. */
char *cpulist_text(const struct cpulist *l);
/* The mask of it, which the caller frees: "0" for none. */
char *cpulist_format_mask(const struct cpulist *l);
void cpulist_done(struct cpulist *l);

#endif
