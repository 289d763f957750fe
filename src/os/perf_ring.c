/* SPDX-License-Identifier: GPL-3.0-or-later */
/* mmap of a perf ring and its two positions. */
#include "config.h"

#include "os/perf_ring.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/clock.h"

#define RING_MIN_BYTES ((size_t)64 << 10)
#define RING_MAX_BYTES ((size_t)256 << 20)
/* A sample with the deepest chain (127 frames and markers) is about 1.1 KiB. */
#define RING_FULL_BYTES 2048u
/* Records beside samples: mmap, comm, fork of what starts meanwhile. */
#define RING_SLACK_BYTES ((double)(32 << 10))

static size_t page_bytes(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

size_t perf_ring_size_bytes(uint64_t trial_ns, double hz, size_t bytes_per_sample)
{
	double samples = hz * (double)trial_ns / (double)NS_PER_S;
	double want = samples * (double)bytes_per_sample + RING_SLACK_BYTES;
	size_t size = RING_MIN_BYTES;

	while (size < RING_MAX_BYTES && (double)size < want)
		size *= 2;
	return size;
}

int perf_ring_open(
	int fd, size_t want_bytes, struct perf_ring *ret_ring, struct sp_err *err)
{
	size_t page = page_bytes(), data = want_bytes;
	int saved;

	if (data < page)
		data = page;
	for (;;) {
		void *p = mmap(
			NULL, page + data, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);

		if (p != MAP_FAILED) {
			ret_ring->base = p;
			ret_ring->data_bytes = data;
			return 0;
		}
		saved = errno;
		if ((saved != EPERM && saved != ENOMEM) || data == page)
			break;
		data /= 2;
	}
	if (saved == EPERM)
		return sp_err_errno(err, SP_EPERM, saved,
			"no locked memory is left for a sampling ring (another "
			"profiler of this user holds the quota; raise "
			"kernel.perf_event_mlock_kb or ulimit -l)");
	return sp_err_errno(err, SP_EIO, saved, "mapping a sampling ring");
}

void perf_ring_close(struct perf_ring *r)
{
	if (r->base != NULL)
		(void)munmap(r->base, page_bytes() + r->data_bytes); /* ours: valid */
	*r = (struct perf_ring){ 0 };
}

static struct perf_event_mmap_page *control(const struct perf_ring *r)
{
	return r->base;
}

struct perf_span perf_ring_span(const struct perf_ring *r)
{
	struct perf_event_mmap_page *c = control(r);
	struct perf_span span = {
		.data = (const uint8_t *)r->base + page_bytes(),
		.size_bytes = r->data_bytes,
		.tail = c->data_tail,
		.head = c->data_head,
	};

	/* The kernel stores data before head: see data_head in perf_event.h. */
	atomic_thread_fence(memory_order_acquire);
	return span;
}

void perf_ring_consume(struct perf_ring *r, uint64_t head)
{
	atomic_thread_fence(memory_order_release);
	*(volatile __u64 *)&control(r)->data_tail = head;
}

bool perf_ring_is_full(const struct perf_ring *r)
{
	struct perf_span s = perf_ring_span(r);

	return s.head - s.tail + RING_FULL_BYTES > s.size_bytes;
}
