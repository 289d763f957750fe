/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * perf records out of any bytes. Input: two bytes that say where in the ring the
 * records begin, two that say how many bytes are in it, then the ring.
 */
#include "config.h"

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "os/perf_decode.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint8_t scratch[PERF_RECORD_MAX_BYTES];

/* Look at all a record says, so that a wrong pointer is a crash. */
static uint64_t touch(const struct perf_rec *r)
{
	uint64_t sum = r->time_ns;
	size_t i;

	switch (r->kind) {
	case PERF_REC_SAMPLE:
		for (i = 0; i < r->u.sample.n_chain; i++)
			sum += perf_sample_chain(&r->u.sample, i);
		break;
	case PERF_REC_MMAP2:
		sum += strlen(r->u.mmap2.path);
		for (i = 0; i < r->u.mmap2.n_build_id; i++)
			sum += r->u.mmap2.build_id[i];
		break;
	case PERF_REC_COMM:
		sum += strlen(r->u.comm.comm);
		break;
	case PERF_REC_KSYMBOL:
		sum += strlen(r->u.ksymbol.name);
		break;
	case PERF_REC_FORK:
	case PERF_REC_EXIT:
	case PERF_REC_LOST:
	case PERF_REC_LOST_SAMPLES:
	case PERF_REC_THROTTLE:
	case PERF_REC_UNTHROTTLE:
	case PERF_REC_SWITCH:
	case PERF_REC_OTHER:
		break;
	}
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct perf_span s = { .size_bytes = 8 };
	struct perf_rec r;
	volatile uint64_t sink = 0;
	const void *p;
	uint8_t *ring;
	size_t n;

	if (size < 4 + 8)
		return 0;
	while (s.size_bytes * 2 <= size - 4)
		s.size_bytes *= 2;
	ring = malloc(s.size_bytes); /* exactly as long as it says */
	if (ring == NULL)
		return 0;
	memcpy(ring, data + 4, s.size_bytes);
	s.data = ring;
	s.tail = (uint64_t)data[0] << 8 | data[1];
	s.head = s.tail + ((uint64_t)data[2] << 8 | data[3]);
	while ((p = perf_span_next(&s, scratch, &n)) != NULL)
		if (perf_decode_record(p, n, &r))
			sink += touch(&r);
	/* And straight out of the input, whatever its alignment. */
	if (perf_decode_record(data + 1, size - 1, &r))
		sink += touch(&r);
	(void)sink; /* what was read must not be optimised away */
	free(ring);
	return 0;
}
