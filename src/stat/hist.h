/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Log-linear histogram of times in nanoseconds: 128 bins an octave, so a bin is
 * at most 1/128 = 0.79 % wide, and values below 256 ns are counted exactly. It
 * covers 0 .. 2^48 - 1 ns (78 hours); greater values land in the last bin, the
 * maximum stays exact. The size is fixed: recording allocates nothing, takes no
 * branch but the clamp, and is for one thread; merge to combine threads. The idea
 * is HdrHistogram's (Tene), with a fixed configuration.
 */
#ifndef SATPROF_STAT_HIST_H
#define SATPROF_STAT_HIST_H

#include <stddef.h>
#include <stdint.h>

#include "model/trial.h"

#define HIST_SUB_BITS   7
#define HIST_VALUE_BITS 48
#define HIST_N_BINS     ((size_t)(HIST_VALUE_BITS - HIST_SUB_BITS + 1) << HIST_SUB_BITS)

/* About 43 KiB: keep it off small stacks. Read only through the functions. */
struct hist {
	uint64_t n;
	uint64_t max_ns;
	uint64_t count[HIST_N_BINS];
};

/* Empties the caller's histogram; hist_new gives an empty one on the heap. */
void hist_init(struct hist *h);
struct hist *hist_new(void);
void hist_free(struct hist *h);

void hist_record(struct hist *h, uint64_t ns);
void hist_merge(struct hist *h, const struct hist *from);

/*
 * The value below or at which a fraction q of the records lies: the middle of the
 * bin of the ceil(q n)-th smallest record (inverse of the empirical CDF, Hyndman
 * and Fan 1996, definition 1), never above the maximum; within 0.4 % of it, exact
 * for q = 1. q is clamped to [0, 1]; 0 when nothing was recorded.
 */
uint64_t hist_quantile(const struct hist *h, double q);

/* n, p50, p99, p999 and max; all 0 when nothing was recorded. */
void hist_summary(const struct hist *h, struct latency_summary *ret_summary);

/* How many bins are not empty, and those bins by ascending lo_ns: at most cap are
 * written, the number written is returned. */
size_t hist_n_used(const struct hist *h);
size_t hist_export(const struct hist *h, struct hist_bin *ret_bins, size_t cap);
/* Adds bins that hist_export wrote; max_ns is the exact maximum that was kept
 * beside them. A foreign bin counts where its lowest value lies. */
void hist_add_bins(
	struct hist *h, const struct hist_bin *bins, size_t n_bins, uint64_t max_ns);

#endif
