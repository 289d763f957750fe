/* SPDX-License-Identifier: GPL-3.0-or-later */
/* perf records made by hand, byte by byte as perf_event_open(2) describes them. */
#include "config.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "os/perf_decode.h"

#define SAMPLE_TIME_NS UINT64_C(123456789)

/* A record under construction. */
struct rec {
	uint8_t bytes[512];
	size_t n;
};

static void put(struct rec *r, const void *p, size_t n)
{
	assert_true(r->n + n <= sizeof(r->bytes));
	memcpy(r->bytes + r->n, p, n);
	r->n += n;
}

static void put_u64(struct rec *r, uint64_t v)
{
	put(r, &v, sizeof(v));
}

static void put_u32(struct rec *r, uint32_t v)
{
	put(r, &v, sizeof(v));
}

/* A string with its NUL, padded to 8 bytes. */
static void put_str(struct rec *r, const char *s)
{
	static const char zeros[8];

	put(r, s, strlen(s) + 1);
	while (r->n % 8)
		put(r, zeros, 1);
}

static void start(struct rec *r)
{
	r->n = sizeof(struct perf_event_header);
}

static void put_header(struct rec *r, uint32_t type, uint16_t misc)
{
	struct perf_event_header h = { .type = type, .misc = misc };

	h.size = (uint16_t)r->n;
	memcpy(r->bytes, &h, sizeof(h));
}

/* sample_id_all: tid, time, cpu, identifier. */
static void put_sample_id(struct rec *r)
{
	put_u32(r, 10);
	put_u32(r, 11);
	put_u64(r, SAMPLE_TIME_NS);
	put_u32(r, 1);
	put_u32(r, 0);
	put_u64(r, 77);
}

static void make_sample(struct rec *r, uint64_t n_chain)
{
	uint64_t i;

	start(r);
	put_u64(r, 77);                 /* identifier */
	put_u64(r, 0xffffffff81000123); /* ip */
	put_u32(r, 10);
	put_u32(r, 11);
	put_u64(r, SAMPLE_TIME_NS);
	put_u32(r, 3);
	put_u32(r, 0);
	put_u64(r, 1003003); /* period */
	put_u64(r, n_chain);
	for (i = 0; i < n_chain; i++)
		put_u64(r, 0x1000 + i);
	put_header(r, PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL);
}

static void test_sample(void **state)
{
	struct rec r;
	struct perf_rec d;

	(void)state;
	make_sample(&r, 3);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_SAMPLE);
	assert_int_equal(d.time_ns, SAMPLE_TIME_NS);
	assert_int_equal(d.u.sample.id, 77);
	assert_true(d.u.sample.ip == 0xffffffff81000123);
	assert_int_equal(d.u.sample.pid, 10);
	assert_int_equal(d.u.sample.tid, 11);
	assert_int_equal(d.u.sample.cpu, 3);
	assert_int_equal(d.u.sample.period, 1003003);
	assert_true(d.u.sample.in_kernel);
	assert_int_equal(d.u.sample.n_chain, 3);
	assert_int_equal(perf_sample_chain(&d.u.sample, 0), 0x1000);
	assert_int_equal(perf_sample_chain(&d.u.sample, 2), 0x1002);
}

static void test_chain_longer_than_record(void **state)
{
	static const uint64_t lies[] = { 4, UINT64_MAX, UINT64_C(1) << 61 };
	struct rec r;
	struct perf_rec d;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lies) / sizeof(lies[0]); i++) {
		make_sample(&r, 3);
		memcpy(r.bytes + r.n - 4 * 8, &lies[i], 8);
		assert_false(perf_decode_record(r.bytes, r.n, &d));
	}
}

/* Whatever a record is cut to, by its header or by the buffer, it is refused. */
static void test_cut_everywhere(void **state)
{
	struct rec r;
	struct perf_rec d;
	size_t n, full;

	(void)state;
	make_sample(&r, 2);
	full = r.n;
	for (n = 0; n < full; n++)
		assert_false(perf_decode_record(r.bytes, n, &d));
	for (r.n = sizeof(struct perf_event_header); r.n < full; r.n++) {
		put_header(&r, PERF_RECORD_SAMPLE, 0);
		assert_false(perf_decode_record(r.bytes, full, &d));
	}
}

static void test_mmap2_with_inode(void **state)
{
	struct rec r;
	struct perf_rec d;

	(void)state;
	start(&r);
	put_u32(&r, 10);
	put_u32(&r, 11);
	put_u64(&r, 0x7f0000001000);
	put_u64(&r, 0x2000);
	put_u64(&r, 0x3000);
	put_u32(&r, 8);
	put_u32(&r, 1);
	put_u64(&r, 4242);
	put_u64(&r, 0);
	put_u32(&r, 5);
	put_u32(&r, 2);
	put_str(&r, "/usr/bin/x");
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_MMAP2, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_MMAP2);
	assert_int_equal(d.time_ns, SAMPLE_TIME_NS);
	assert_int_equal(d.u.mmap2.pid, 10);
	assert_true(d.u.mmap2.addr == 0x7f0000001000);
	assert_int_equal(d.u.mmap2.len_bytes, 0x2000);
	assert_int_equal(d.u.mmap2.file_offset, 0x3000);
	assert_int_equal(d.u.mmap2.inode, 4242);
	assert_int_equal(d.u.mmap2.n_build_id, 0);
	assert_false(d.u.mmap2.is_data);
	assert_string_equal(d.u.mmap2.path, "/usr/bin/x");
}

static void make_mmap2_build_id(struct rec *r, uint8_t size, const char *path)
{
	uint8_t id[24] = { 0 };

	id[0] = size;
	memset(id + 4, 0xab, 20);
	start(r);
	put_u32(r, 10);
	put_u32(r, 11);
	put_u64(r, 0x400000);
	put_u64(r, 0x1000);
	put_u64(r, 0);
	put(r, id, sizeof(id));
	put_u32(r, 5);
	put_u32(r, 2);
	put_str(r, path);
	put_sample_id(r);
	put_header(r, PERF_RECORD_MMAP2, PERF_RECORD_MISC_MMAP_BUILD_ID);
}

static void test_mmap2_with_build_id(void **state)
{
	struct rec r;
	struct perf_rec d;

	(void)state;
	make_mmap2_build_id(&r, 20, "/usr/lib/libc.so.6");
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.u.mmap2.n_build_id, 20);
	assert_int_equal(d.u.mmap2.build_id[0], 0xab);
	assert_int_equal(d.u.mmap2.build_id[19], 0xab);
	assert_int_equal(d.u.mmap2.inode, 0);
	assert_string_equal(d.u.mmap2.path, "/usr/lib/libc.so.6");
	make_mmap2_build_id(&r, 21, "/x");
	assert_false(perf_decode_record(r.bytes, r.n, &d));
}

/* A path that runs into the sample id has no end of its own. */
static void test_string_without_end(void **state)
{
	struct rec r;
	struct perf_rec d;
	char path[17];

	(void)state;
	memset(path, 'a', sizeof(path) - 1);
	path[16] = '\0';
	make_mmap2_build_id(&r, 20, path);
	memset(r.bytes + r.n - 32 - 24, 'a', 24);
	assert_false(perf_decode_record(r.bytes, r.n, &d));
}

static void test_comm_fork_exit(void **state)
{
	struct rec r;
	struct perf_rec d;

	(void)state;
	start(&r);
	put_u32(&r, 10);
	put_u32(&r, 11);
	put_str(&r, "rx worker: 0 [q");
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_COMM, PERF_RECORD_MISC_COMM_EXEC);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_COMM);
	assert_true(d.u.comm.is_exec);
	assert_int_equal(d.u.comm.tid, 11);
	assert_string_equal(d.u.comm.comm, "rx worker: 0 [q");

	start(&r);
	put_u32(&r, 12);
	put_u32(&r, 10);
	put_u32(&r, 13);
	put_u32(&r, 11);
	put_u64(&r, SAMPLE_TIME_NS);
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_FORK, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_FORK);
	assert_int_equal(d.u.task.pid, 12);
	assert_int_equal(d.u.task.ppid, 10);
	assert_int_equal(d.u.task.tid, 13);
	assert_int_equal(d.u.task.ptid, 11);
	put_header(&r, PERF_RECORD_EXIT, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_EXIT);
}

static void test_lost_and_throttle(void **state)
{
	struct rec r;
	struct perf_rec d;

	(void)state;
	start(&r);
	put_u64(&r, 77);
	put_u64(&r, 4321);
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_LOST, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_LOST);
	assert_int_equal(d.u.n_lost, 4321);

	start(&r);
	put_u64(&r, 99);
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_LOST_SAMPLES, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_LOST_SAMPLES);
	assert_int_equal(d.u.n_lost, 99);

	start(&r);
	put_u64(&r, SAMPLE_TIME_NS);
	put_u64(&r, 77);
	put_u64(&r, 77);
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_THROTTLE, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_THROTTLE);
	put_header(&r, PERF_RECORD_UNTHROTTLE, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_UNTHROTTLE);
}

static void test_switch_ksymbol_other(void **state)
{
	struct rec r;
	struct perf_rec d;
	uint16_t words[2] = { 1, 1 }; /* a BPF program, unregistered */

	(void)state;
	start(&r);
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_SWITCH, PERF_RECORD_MISC_SWITCH_OUT);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_SWITCH);
	assert_true(d.u.is_out);

	start(&r);
	put_u64(&r, 0xffffffffc0001000);
	put_u32(&r, 256);
	put(&r, words, sizeof(words));
	put_str(&r, "bpf_prog_1234_xdp");
	put_sample_id(&r);
	put_header(&r, PERF_RECORD_KSYMBOL, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_KSYMBOL);
	assert_int_equal(d.u.ksymbol.len_bytes, 256);
	assert_true(d.u.ksymbol.is_gone);
	assert_string_equal(d.u.ksymbol.name, "bpf_prog_1234_xdp");

	put_header(&r, 9999, 0);
	assert_true(perf_decode_record(r.bytes, r.n, &d));
	assert_int_equal(d.kind, PERF_REC_OTHER);
}

/* Three samples in a ring of 256 bytes, started at every even place: each comes
 * out whole wherever the end of the ring cuts it, the header included. */
static void test_span_wraps(void **state)
{
	uint8_t ring[256], scratch[512];
	struct rec r;
	size_t at, i, k;

	(void)state;
	make_sample(&r, 0);
	assert_int_equal(r.n, 64);
	for (at = 0; at < sizeof(ring); at += 8) {
		struct perf_span s = { .data = ring,
			.size_bytes = sizeof(ring),
			.tail = UINT64_MAX / 256 * 256 + at - 512,
			.head = UINT64_MAX / 256 * 256 + at - 512 + 3 * 64 };

		for (k = 0; k < 3; k++)
			for (i = 0; i < r.n; i++)
				ring[(at + k * r.n + i) % sizeof(ring)] = r.bytes[i];
		for (k = 0; k < 3; k++) {
			struct perf_rec d;
			size_t n = 0;
			const void *p = perf_span_next(&s, scratch, &n);

			assert_non_null(p);
			assert_int_equal(n, 64);
			assert_true(perf_decode_record(p, n, &d));
			assert_int_equal(d.u.sample.period, 1003003);
		}
		assert_null(perf_span_next(&s, scratch, &i));
		assert_true(s.tail == s.head);
	}
}

static void test_span_of_nonsense(void **state)
{
	uint8_t ring[64] = { 0 }, scratch[64];
	struct perf_span s = { .data = ring, .size_bytes = 64, .head = 64 };
	struct rec r;
	size_t n;

	(void)state;
	assert_null(perf_span_next(&s, scratch, &n)); /* a record of size 0 */
	assert_int_equal(s.tail, 0);
	make_sample(&r, 0);
	memcpy(ring, r.bytes, 64);
	s.head = 63; /* the writer is not through with it */
	assert_null(perf_span_next(&s, scratch, &n));
	s.head = 65; /* more than a ring holds */
	assert_null(perf_span_next(&s, scratch, &n));
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_sample),
		cmocka_unit_test(test_chain_longer_than_record),
		cmocka_unit_test(test_cut_everywhere),
		cmocka_unit_test(test_mmap2_with_inode),
		cmocka_unit_test(test_mmap2_with_build_id),
		cmocka_unit_test(test_string_without_end),
		cmocka_unit_test(test_comm_fork_exit),
		cmocka_unit_test(test_lost_and_throttle),
		cmocka_unit_test(test_switch_ksymbol_other),
		cmocka_unit_test(test_span_wraps),
		cmocka_unit_test(test_span_of_nonsense),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
