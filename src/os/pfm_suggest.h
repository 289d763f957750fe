/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The event name nearest to one that is not known. Main thread only. */
#ifndef SATPROF_OS_PFM_SUGGEST_H
#define SATPROF_OS_PFM_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/*
 * Looks through ours[] (names without a PMU), the events of the PMU that name names
 * ("skx::..."), else of all that this machine has, and through the umasks when the
 * event itself is right. True: buf holds a name at a small edit distance.
 */
bool pfm_suggest(const char *name, const char *const *ours, size_t n_ours, char *buf,
	size_t len);

#endif
