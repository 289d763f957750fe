/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Texts of strangers (symbols, paths, thread names, a SUT's output) made fit for a
 * document or a terminal: a run file, a file name, an interface may carry any bytes.
 * Pure. Each returns a string that the caller frees.
 */
#ifndef SATPROF_BASE_CLEAN_H
#define SATPROF_BASE_CLEAN_H

#include <stdbool.h>
#include <stddef.h>

/* Valid UTF-8 (RFC 3629): each byte that is none becomes U+FFFD. */
char *clean_utf8(const char *s);
/*
 * For a line of a terminal: a line end becomes '|', a tab a blank; control bytes, C1
 * controls, line and paragraph separators and bidirectional overrides become '?';
 * without utf8 every byte over 0x7e. At most max_chars characters, the last three "..."
 * when it was longer.
 */
char *clean_line(const char *s, bool utf8, size_t max_chars);
/* Characters of clean UTF-8, each counted as one column. */
size_t clean_columns(const char *s);

#endif
