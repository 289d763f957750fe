/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Log-linear histogram: bin arithmetic, quantiles, sparse export. */
#include "config.h"

#include "stat/hist.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SUB_BINS    ((uint64_t)1 << HIST_SUB_BITS)
#define VALUE_LIMIT ((uint64_t)1 << HIST_VALUE_BITS)

/*
 * A value is cut to its top HIST_SUB_BITS + 1 bits. Cut values are
 * SUB_BINS .. 2 SUB_BINS - 1 from the second octave on, so adding shift * SUB_BINS
 * continues the numbering without gaps.
 */
static inline size_t bin_of(uint64_t ns)
{
	unsigned shift;

	if (ns >= VALUE_LIMIT)
		return HIST_N_BINS - 1;
	shift = 63u - HIST_SUB_BITS - (unsigned)__builtin_clzll(ns | SUB_BINS);
	return (size_t)(((uint64_t)shift << HIST_SUB_BITS) + (ns >> shift));
}

static uint64_t bin_width(size_t i)
{
	return i < SUB_BINS ? 1 : (uint64_t)1 << ((i >> HIST_SUB_BITS) - 1);
}

static uint64_t bin_lo(size_t i)
{
	if (i < SUB_BINS)
		return i;
	return ((i & (SUB_BINS - 1)) + SUB_BINS) * bin_width(i);
}

void hist_init(struct hist *h)
{
	memset(h, 0, sizeof(*h));
}

struct hist *hist_new(void)
{
	return xcalloc(1, sizeof(struct hist));
}

void hist_free(struct hist *h)
{
	free(h);
}

void hist_record(struct hist *h, uint64_t ns)
{
	h->count[bin_of(ns)]++;
	h->n++;
	if (ns > h->max_ns)
		h->max_ns = ns;
}

void hist_merge(struct hist *h, const struct hist *from)
{
	size_t i;

	for (i = 0; i < HIST_N_BINS; i++)
		h->count[i] += from->count[i];
	h->n += from->n;
	if (from->max_ns > h->max_ns)
		h->max_ns = from->max_ns;
}

uint64_t hist_quantile(const struct hist *h, double q)
{
	uint64_t rank, seen = 0, mid;
	size_t i = 0;

	if (h->n == 0)
		return 0;
	if (q >= 1)
		return h->max_ns;
	rank = q > 0 ? (uint64_t)ceil(q * (double)h->n) : 1;
	while (i < HIST_N_BINS - 1 && seen + h->count[i] < rank)
		seen += h->count[i++];
	mid = bin_lo(i) + (bin_width(i) - 1) / 2;
	return mid < h->max_ns ? mid : h->max_ns;
}

void hist_summary(const struct hist *h, struct latency_summary *ret_summary)
{
	*ret_summary = (struct latency_summary){
		.n = h->n,
		.p50_ns = hist_quantile(h, 0.50),
		.p99_ns = hist_quantile(h, 0.99),
		.p999_ns = hist_quantile(h, 0.999),
		.max_ns = h->max_ns,
	};
}

size_t hist_n_used(const struct hist *h)
{
	size_t i, n = 0;

	for (i = 0; i < HIST_N_BINS; i++)
		n += h->count[i] > 0;
	return n;
}

size_t hist_export(const struct hist *h, struct hist_bin *ret_bins, size_t cap)
{
	size_t i, n = 0;

	for (i = 0; i < HIST_N_BINS && n < cap; i++)
		if (h->count[i] > 0)
			ret_bins[n++] = (struct hist_bin){
				.lo_ns = bin_lo(i),
				.width_ns = bin_width(i),
				.count = h->count[i],
			};
	return n;
}

void hist_add_bins(
	struct hist *h, const struct hist_bin *bins, size_t n_bins, uint64_t max_ns)
{
	size_t i;

	for (i = 0; i < n_bins; i++) {
		h->count[bin_of(bins[i].lo_ns)] += bins[i].count;
		h->n += bins[i].count;
	}
	if (max_ns > h->max_ns)
		h->max_ns = max_ns;
}
