/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The planted flow table of `forward --table N`: N buckets by 5-tuple, chained, an
 * entry expires 50 ms after its last use. So its cost per packet grows with the
 * flows in flight over N: a known load-dependent function to find. All memory is
 * taken at the start; one thread.
 */
#ifndef SATPROF_SUT_FORWARD_LOOKUP_H
#define SATPROF_SUT_FORWARD_LOOKUP_H

#include <stddef.h>
#include <stdint.h>

#define FORWARD_LOOKUP_EXPIRE_NS UINT64_C(50000000)
/* Flows that can be in flight; more are looked up but not kept. */
#define FORWARD_LOOKUP_MAX_FLOWS   UINT32_C(65536)
#define FORWARD_LOOKUP_MAX_BUCKETS UINT64_C(16777216)

struct forward_lookup_table;

/* n_buckets from 1 to FORWARD_LOOKUP_MAX_BUCKETS. */
struct forward_lookup_table *forward_lookup_new(size_t n_buckets);
void forward_lookup_free(struct forward_lookup_table *t); /* NULL is a no-op */

/*
 * Find or make the entry of a frame (from its destination MAC; VLAN tags are
 * skipped, what is not IP goes by its addresses) and count the frame there. now_ns:
 * any clock that does not run back. Returns the frames this flow has had since it
 * came in, this one included; 0 when there was no room. Not inlined: a profiler
 * sees it by name.
 */
uint64_t forward_lookup(struct forward_lookup_table *t, const uint8_t *frame,
	uint32_t len, uint64_t now_ns);

/* Entries now, expired ones not yet met included. */
uint32_t forward_lookup_flows(const struct forward_lookup_table *t);

#endif
