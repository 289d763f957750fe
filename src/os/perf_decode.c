/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf_event records from plain memory, every length checked. */
#include "config.h"

#include "os/perf_decode.h"

#include <linux/perf_event.h>
#include <string.h>

/* identifier, tid, time, cpu: what sample_id_all puts behind a record; ours has
 * id (IDENTIFIER) last, so: pid/tid 8, time 8, cpu/res 8, identifier 8. */
#define SAMPLE_ID_BYTES 32u

/* linux/perf_event.h of older systems lacks these. */
#ifndef PERF_RECORD_MISC_MMAP_BUILD_ID
#define PERF_RECORD_MISC_MMAP_BUILD_ID (1 << 14)
#endif
#define KSYMBOL_UNREGISTER 1u

/* A reader that goes no further than its end; once short, always short. */
struct cursor {
	const uint8_t *p, *end;
	bool is_short;
};

static const uint8_t *cursor_take(struct cursor *c, size_t n)
{
	const uint8_t *p = c->p;

	if (c->is_short || (size_t)(c->end - c->p) < n) {
		c->is_short = true;
		return NULL;
	}
	c->p += n;
	return p;
}

static uint64_t cursor_u64(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, sizeof(uint64_t));
	uint64_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

static uint32_t cursor_u32(struct cursor *c)
{
	const uint8_t *p = cursor_take(c, sizeof(uint32_t));
	uint32_t v = 0;

	if (p)
		memcpy(&v, p, sizeof(v));
	return v;
}

/* A NUL-terminated string that ends before the cursor does; "" when it does not. */
static const char *cursor_str(struct cursor *c)
{
	size_t left = (size_t)(c->end - c->p);
	const uint8_t *p = c->p;

	if (c->is_short || !memchr(p, '\0', left)) {
		c->is_short = true;
		return "";
	}
	c->p = c->end; /* padded to 8 bytes; nothing of ours follows */
	return (const char *)p;
}

static void decode_sample(struct cursor *c, uint16_t misc, struct perf_sample_rec *s)
{
	uint64_t n;

	s->id = cursor_u64(c);
	s->ip = cursor_u64(c);
	s->pid = cursor_u32(c);
	s->tid = cursor_u32(c);
	s->time_ns = cursor_u64(c);
	s->cpu = cursor_u32(c);
	(void)cursor_u32(c); /* reserved */
	s->period = cursor_u64(c);
	n = cursor_u64(c);
	s->in_kernel =
		(misc & PERF_RECORD_MISC_CPUMODE_MASK) == PERF_RECORD_MISC_KERNEL;
	s->n_chain = 0;
	s->chain = NULL;
	if (n > (size_t)(c->end - c->p) / sizeof(uint64_t)) {
		c->is_short = true;
		return;
	}
	s->n_chain = (size_t)n;
	s->chain = cursor_take(c, (size_t)n * sizeof(uint64_t));
}

static void decode_mmap2(struct cursor *c, uint16_t misc, struct perf_mmap2_rec *m)
{
	memset(m, 0, sizeof(*m));
	m->pid = cursor_u32(c);
	m->tid = cursor_u32(c);
	m->addr = cursor_u64(c);
	m->len_bytes = cursor_u64(c);
	m->file_offset = cursor_u64(c);
	if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
		const uint8_t *size = cursor_take(c, 4); /* and 3 reserved */

		m->build_id = cursor_take(c, PERF_DECODE_BUILD_ID_MAX);
		if (size && *size <= PERF_DECODE_BUILD_ID_MAX)
			m->n_build_id = *size;
		else
			c->is_short = true;
	} else {
		m->major = cursor_u32(c);
		m->minor = cursor_u32(c);
		m->inode = cursor_u64(c);
		(void)cursor_u64(c); /* the inode's generation */
	}
	m->prot = cursor_u32(c);
	(void)cursor_u32(c); /* flags */
	m->is_data = (misc & PERF_RECORD_MISC_MMAP_DATA) != 0;
	m->path = cursor_str(c);
}

static void decode_task(struct cursor *c, struct perf_task_rec *t)
{
	t->pid = cursor_u32(c);
	t->ppid = cursor_u32(c);
	t->tid = cursor_u32(c);
	t->ptid = cursor_u32(c);
	t->time_ns = cursor_u64(c);
}

static void decode_ksymbol(struct cursor *c, struct perf_ksymbol_rec *k)
{
	const uint8_t *type_flags;
	uint16_t flags = 0;

	k->addr = cursor_u64(c);
	k->len_bytes = cursor_u32(c);
	type_flags = cursor_take(c, 4);
	if (type_flags)
		memcpy(&flags, type_flags + 2, sizeof(flags));
	k->is_gone = (flags & KSYMBOL_UNREGISTER) != 0;
	k->name = cursor_str(c);
}

/* The time in the sample id that ends every record but samples. */
static uint64_t trailing_time_ns(const struct cursor *c)
{
	uint64_t v;

	memcpy(&v, c->end + 8, sizeof(v));
	return v;
}

static void decode_body(
	struct cursor *c, const struct perf_event_header *h, struct perf_rec *r)
{
	switch (h->type) {
	case PERF_RECORD_SAMPLE:
		r->kind = PERF_REC_SAMPLE;
		decode_sample(c, h->misc, &r->u.sample);
		break;
	case PERF_RECORD_MMAP2:
		r->kind = PERF_REC_MMAP2;
		decode_mmap2(c, h->misc, &r->u.mmap2);
		break;
	case PERF_RECORD_COMM:
		r->kind = PERF_REC_COMM;
		r->u.comm.pid = cursor_u32(c);
		r->u.comm.tid = cursor_u32(c);
		r->u.comm.is_exec = (h->misc & PERF_RECORD_MISC_COMM_EXEC) != 0;
		r->u.comm.comm = cursor_str(c);
		break;
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		r->kind = h->type == PERF_RECORD_FORK ? PERF_REC_FORK : PERF_REC_EXIT;
		decode_task(c, &r->u.task);
		break;
	case PERF_RECORD_LOST:
		r->kind = PERF_REC_LOST;
		(void)cursor_u64(c); /* the event's id */
		r->u.n_lost = cursor_u64(c);
		break;
	case PERF_RECORD_LOST_SAMPLES:
		r->kind = PERF_REC_LOST_SAMPLES;
		r->u.n_lost = cursor_u64(c);
		break;
	case PERF_RECORD_THROTTLE:
	case PERF_RECORD_UNTHROTTLE:
		r->kind = h->type == PERF_RECORD_THROTTLE ? PERF_REC_THROTTLE
							  : PERF_REC_UNTHROTTLE;
		(void)cursor_take(c, 24); /* time, id, stream id */
		break;
	case PERF_RECORD_SWITCH:
	case PERF_RECORD_SWITCH_CPU_WIDE:
		r->kind = PERF_REC_SWITCH;
		r->u.is_out = (h->misc & PERF_RECORD_MISC_SWITCH_OUT) != 0;
		break;
	case PERF_RECORD_KSYMBOL:
		r->kind = PERF_REC_KSYMBOL;
		decode_ksymbol(c, &r->u.ksymbol);
		break;
	default:
		break; /* a record of a newer kernel: its size lets us step over */
	}
}

bool perf_decode_record(const void *buf, size_t len, struct perf_rec *ret_rec)
{
	struct perf_event_header h;
	struct cursor c = { .is_short = false };

	memset(ret_rec, 0, sizeof(*ret_rec));
	if (len < sizeof(h))
		return false;
	memcpy(&h, buf, sizeof(h));
	if (h.size < sizeof(h) || h.size > len)
		return false;
	c.p = (const uint8_t *)buf + sizeof(h);
	c.end = (const uint8_t *)buf + h.size;
	if (h.type != PERF_RECORD_SAMPLE) {
		if (h.size < sizeof(h) + SAMPLE_ID_BYTES)
			return false;
		c.end -= SAMPLE_ID_BYTES;
		ret_rec->time_ns = trailing_time_ns(&c);
	}
	decode_body(&c, &h, ret_rec);
	if (ret_rec->kind == PERF_REC_SAMPLE)
		ret_rec->time_ns = ret_rec->u.sample.time_ns;
	return !c.is_short;
}

uint64_t perf_sample_chain(const struct perf_sample_rec *s, size_t i)
{
	uint64_t v;

	memcpy(&v, s->chain + i * sizeof(v), sizeof(v));
	return v;
}

static void span_copy(const struct perf_span *span, uint64_t pos, void *to, size_t n)
{
	size_t at = (size_t)(pos & (span->size_bytes - 1));
	size_t first = span->size_bytes - at;

	if (first > n)
		first = n;
	memcpy(to, span->data + at, first);
	memcpy((uint8_t *)to + first, span->data, n - first);
}

const void *perf_span_next(
	struct perf_span *span, uint8_t *scratch, size_t *ret_size_bytes)
{
	uint64_t left = span->head - span->tail;
	struct perf_event_header h;
	const void *rec;
	size_t at;

	if (left < sizeof(h) || left > span->size_bytes)
		return NULL;
	span_copy(span, span->tail, &h, sizeof(h));
	if (h.size < sizeof(h) || h.size > left)
		return NULL;
	at = (size_t)(span->tail & (span->size_bytes - 1));
	if (at + h.size <= span->size_bytes) {
		rec = span->data + at;
	} else {
		span_copy(span, span->tail, scratch, h.size);
		rec = scratch;
	}
	span->tail += h.size;
	*ret_size_bytes = h.size;
	return rec;
}
