/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The mapped ring of one sampling event: sized to hold a whole trial, since
 * nobody reads it while the trial runs. Main thread only.
 */
#ifndef SATPROF_OS_PERF_RING_H
#define SATPROF_OS_PERF_RING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "os/perf_decode.h"

struct perf_ring {
	void *base;        /* the control page, then the data; NULL: closed */
	size_t data_bytes; /* a power of two pages */
};

/*
 * Data bytes that hold samples of bytes_per_sample at hz for trial_ns, rounded up
 * to a power of two, between 64 KiB and 256 MiB.
 */
size_t perf_ring_size_bytes(uint64_t trial_ns, double hz, size_t bytes_per_sample);

/*
 * Map a ring of want_bytes (a power of two) on the event fd; where the kernel
 * refuses that much (locked-memory quota, no memory) half as much, down to one
 * page. ret_ring->data_bytes says what it became. SP_EPERM: not even one page.
 */
int perf_ring_open(
	int fd, size_t want_bytes, struct perf_ring *ret_ring, struct sp_err *err);
void perf_ring_close(struct perf_ring *r); /* a closed or zeroed one is a no-op */

/* What was written and not yet consumed; records before span.head are complete. */
struct perf_span perf_ring_span(const struct perf_ring *r);
/* Give the space up to head back to the kernel. */
void perf_ring_consume(struct perf_ring *r, uint64_t head);
/* True when less than one large record is free: what came after was dropped. */
bool perf_ring_is_full(const struct perf_ring *r);

#endif
