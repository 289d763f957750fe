/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation that ends the program when memory runs out. */
#include "config.h"

#include "base/mem.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void *mem_or_die(void *ptr)
{
	if (ptr == NULL) {
		(void)fputs("satprof: out of memory\n", stderr);
		abort();
	}
	return ptr;
}

void *xcalloc(size_t n, size_t size)
{
	return mem_or_die(calloc(n > 0 ? n : 1, size > 0 ? size : 1));
}

void *xreallocarray(void *ptr, size_t n, size_t size)
{
	return mem_or_die(reallocarray(ptr, n > 0 ? n : 1, size > 0 ? size : 1));
}

char *xstrdup(const char *s)
{
	return mem_or_die(strdup(s));
}

char *xvasprintf(const char *fmt, va_list ap)
{
	char *s = NULL;
	int n = vasprintf(&s, fmt, ap);

	return mem_or_die(n < 0 ? NULL : s);
}

char *xasprintf(const char *fmt, ...)
{
	va_list ap;
	char *s;

	va_start(ap, fmt);
	s = xvasprintf(fmt, ap);
	va_end(ap);
	return s;
}

void *xgrow(void *array, size_t n, size_t *cap, size_t size)
{
	size_t want;

	if (n < *cap)
		return array;
	want = *cap == 0 ? 8 : *cap * 2;
	array = xreallocarray(array, want, size);
	memset((char *)array + *cap * size, 0, (want - *cap) * size);
	*cap = want;
	return array;
}
