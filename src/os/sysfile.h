/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Small files and folders of /proc and /sys, through a descriptor of the root folder so
 * that recorded trees replay. Paths are relative to it. Any thread; nothing blocks.
 */
#ifndef SATPROF_OS_SYSFILE_H
#define SATPROF_OS_SYSFILE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/cpulist.h"

/* The file's first line without blanks around it, cut to len - 1 bytes. 0 or -errno;
 * -ENODATA: it is empty. buf is "" then. */
int sysfile_line(int root_fd, const char *path, char *buf, size_t len);
/* A whole number, decimal; -EINVAL for what is none. *ret is untouched on failure. */
int sysfile_long(int root_fd, const char *path, long *ret);
/* Adds the ids of a list (sysfile_list) or of a mask; an empty file and "(null)" are
 * the empty set. 0 or -errno. */
int sysfile_list(int root_fd, const char *path, struct cpulist *l);
int sysfile_mask(int root_fd, const char *path, struct cpulist *l);
/* Names in a folder, sorted, without those that begin with a dot; NULL: none, or no
 * such folder. The caller frees each and the array (sysfile_names_free). */
char **sysfile_names(int root_fd, const char *path, size_t *ret_n);
void sysfile_names_free(char **names, size_t n);
/* A whole file of any length, NUL-terminated, which the caller frees; NULL and
 * *ret_errno where it cannot be read. */
char *sysfile_text(int root_fd, const char *path, int *ret_errno);
/* The value behind "key<blanks>:" at a line's start; false where there is none. */
bool sysfile_value(const char *text, const char *key, char *buf, size_t len);

#endif
