/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Allocation that cannot fail: out of memory ends the program with one line,
 * the one place outside main() that may. Hot loops allocate nothing.
 */
#ifndef SATPROF_BASE_MEM_H
#define SATPROF_BASE_MEM_H

#include <stdarg.h>
#include <stddef.h>

/* Zeroed memory for n objects; n * size is checked for overflow. */
void *xcalloc(size_t n, size_t size) __attribute__((malloc, alloc_size(1, 2)));
void *xreallocarray(void *ptr, size_t n, size_t size);
char *xstrdup(const char *s) __attribute__((malloc));
char *xasprintf(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
char *xvasprintf(const char *fmt, va_list ap) __attribute__((format(printf, 1, 0)));

/*
 * Room for one more element at the end of a growing array: `*cap` counts
 * elements, growth doubles. Returns the (moved) array; new elements are zeroed.
 */
void *xgrow(void *array, size_t n, size_t *cap, size_t size);

#endif
