/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the receiver makes of crafted frames, and digests. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gen/gen_frame.h"
#include "gen/gen_rx.h"
#include "gen/gen_tag.h"

#define RUN    0x4242
#define TRIAL  7
#define T0     (100 * NS_PER_S)
#define OFFSET INT64_C(1700000000000000000)

struct fixture {
	struct gen_rx *rx;
	struct hist *latency;
	struct gen_rx_result r;
};

static void begin(struct fixture *f, bool latency, const struct gen_pcapfile *file)
{
	const struct gen_rx_config cfg = { .run_tag = RUN,
		.trial_tag = TRIAL,
		.n_seq = 1000,
		.sent_bytes_max = 60,
		.latency = latency,
		.file = file,
		.n_rounds = 1 };
	const struct gen_rx_times times = { .t0_ns = T0,
		.window_from_ns = T0 + NS_PER_S / 4,
		.window_to_ns = T0 + NS_PER_S,
		.realtime_offset_ns = OFFSET };

	f->rx = gen_rx_new(NULL);
	f->latency = hist_new();
	gen_rx_begin(f->rx, &cfg, f->latency);
	gen_rx_arm(f->rx, &times);
}

static void end(struct fixture *f, const uint32_t *sent_kinds)
{
	gen_rx_end(f->rx, sent_kinds, &f->r);
	gen_rx_free(f->rx);
	hist_free(f->latency);
}

static struct pktring_frame ring_frame(const uint8_t *data, uint32_t len, uint64_t t_ns)
{
	return (struct pktring_frame){ .data = data,
		.len = len,
		.cap_bytes = len,
		.realtime_ns = (uint64_t)((int64_t)t_ns + OFFSET) };
}

static void build(uint8_t *f, uint32_t len, const struct gen_tag *tag)
{
	static const uint8_t mac[6] = { 2, 0, 0, 0, 0, 9 };
	struct gen_flow flow;

	memset(f, 0, len);
	gen_flow_init(&flow, 0, tag->is_rev);
	gen_frame_init(f, mac, mac);
	gen_tag_pack(f + len - GEN_TAG_BYTES, tag);
	gen_frame_seal(f, len, &flow);
}

static void give(struct fixture *f, struct gen_tag tag, uint64_t t_ns)
{
	uint8_t b[60];
	struct pktring_frame fr = ring_frame(b, sizeof(b), t_ns);

	build(b, sizeof(b), &tag);
	gen_rx_frame(f->rx, &fr);
}

static struct gen_tag own(uint64_t seq)
{
	return (struct gen_tag){
		.run = RUN, .trial = TRIAL, .seq = seq, .time_ns = T0 + seq
	};
}

static void frames_are_unique_then_duplicate(void **state)
{
	struct fixture f;
	uint64_t i;

	(void)state;
	begin(&f, false, NULL);
	for (i = 1000; i-- > 0;) /* order does not matter */
		give(&f, own(i), T0 + 1);
	give(&f, own(0), T0 + 2);
	give(&f, own(0), T0 + 3);
	give(&f, own(999), T0 + 3);
	assert_int_equal(gen_rx_n_own(f.rx), 1003);
	end(&f, NULL);
	assert_int_equal(f.r.unique, 1000);
	assert_int_equal(f.r.duplicate, 3);
	assert_int_equal(f.r.late, 0);
	assert_int_equal(f.r.foreign, 0);
}

static void others_are_late_or_foreign(void **state)
{
	struct gen_tag t = own(5);
	struct fixture f;

	(void)state;
	begin(&f, false, NULL);
	t.trial = TRIAL - 1;
	give(&f, t, T0 + 1); /* this run, the trial before */
	t = own(5);
	t.run = RUN + 1;
	give(&f, t, T0 + 1); /* another run */
	t = own(5);
	t.is_rev = true;
	give(&f, t, T0 + 1); /* the other direction, turned around by a bridge */
	give(&f, own(1000), T0 + 1); /* a sequence number that is not there */
	assert_int_equal(gen_rx_n_own(f.rx), 0);
	end(&f, NULL);
	assert_int_equal(f.r.late, 1);
	assert_int_equal(f.r.foreign, 3);
	assert_int_equal(f.r.unique, 0);
}

/* Noise and garbage of every length, none of it read past its end. */
static void noise_is_foreign(void **state)
{
	struct fixture f;
	uint32_t len, n = 0, x = 12345;

	(void)state;
	begin(&f, false, NULL);
	for (len = 0; len < 200; len++) {
		uint8_t *b = xcalloc(len + 1, 1); /* so that a sanitizer sees it */
		struct pktring_frame fr = ring_frame(b, len, T0 + 1);
		uint32_t i;

		for (i = 0; i < len; i++, x = x * 1664525 + 1013904223)
			b[i] = (uint8_t)(x >> 24);
		if (len >= 15) { /* half of them look like IPv4 or IPv6 */
			b[12] = len % 2 == 0 ? 0x08 : 0x86;
			b[13] = len % 2 == 0 ? 0x00 : 0xdd;
			b[14] = len % 2 == 0 ? 0x45 : 0x60;
		}
		gen_rx_frame(f.rx, &fr);
		n++;
		free(b);
	}
	end(&f, NULL);
	assert_int_equal(f.r.foreign, n);
	assert_int_equal(f.r.unique + f.r.late + f.r.duplicate, 0);
}

static void goodput_counts_the_window_by_ring_time(void **state)
{
	struct fixture f;

	(void)state;
	begin(&f, false, NULL);
	give(&f, own(0), T0 + 1);                /* warming up */
	give(&f, own(1), T0 + NS_PER_S / 4 - 1); /* a nanosecond before */
	give(&f, own(2), T0 + NS_PER_S / 4);     /* the first in it */
	give(&f, own(2), T0 + NS_PER_S / 2);     /* a duplicate is not goodput */
	give(&f, own(3), T0 + NS_PER_S - 1);     /* the last in it */
	give(&f, own(4), T0 + NS_PER_S);         /* the drain */
	end(&f, NULL);
	assert_int_equal(f.r.window_pkts, 2);
	assert_int_equal(f.r.unique, 5);
}

static void latency_runs_from_the_planned_time(void **state)
{
	struct gen_tag t = own(1);
	struct fixture f;

	(void)state;
	begin(&f, true, NULL);
	t.time_ns = T0;
	give(&f, t, T0 + 5000);
	t.seq = 2;
	give(&f, t, T0 - 100); /* the offset was a little out */
	t.seq = 3;
	t.time_ns = GEN_TAG_TIME_NS & (T0 + (UINT64_C(1) << 48) - 7);
	give(&f, t, T0 + 3); /* 48 bits wrap */
	assert_int_equal(f.latency->n, 3);
	assert_int_equal(f.latency->max_ns, 5000);
	assert_int_equal(hist_quantile(f.latency, 0.34), 10);
	assert_int_equal(hist_quantile(f.latency, 0.1), 0);
	end(&f, NULL);
}

static void padding_and_vlan_do_not_hide_the_tag(void **state)
{
	struct gen_tag t = own(8);
	uint8_t b[80] = { 0 }, v[84];
	struct pktring_frame fr;
	struct fixture f;

	(void)state;
	begin(&f, false, NULL);
	build(b, 60, &t);
	fr = ring_frame(b, 64, T0 + 1); /* four bytes of padding behind */
	gen_rx_frame(f.rx, &fr);
	t = own(9);
	build(b, 60, &t);
	memcpy(v, b, 12);
	memcpy(v + 12, (const uint8_t[]){ 0x81, 0, 0, 5 }, 4);
	memcpy(v + 16, b + 12, 48);
	fr = ring_frame(v, 64, T0 + 1);
	gen_rx_frame(f.rx, &fr);
	end(&f, NULL);
	assert_int_equal(f.r.unique, 2);
	assert_int_equal(f.r.n_oversize, 2);
}

static void offload_traces_are_counted(void **state)
{
	struct gen_tag t = own(8);
	uint8_t b[200];
	struct pktring_frame fr;
	struct fixture f;

	(void)state;
	begin(&f, false, NULL);
	build(b, 180, &t); /* as GRO would glue them: longer than any sent */
	fr = ring_frame(b, 180, T0 + 1);
	fr.is_csum_not_ready = true;
	gen_rx_frame(f.rx, &fr);
	memset(b, 0xff, sizeof(b)); /* somebody else's long frame is none of it */
	gen_rx_frame(f.rx, &fr);
	end(&f, NULL);
	assert_int_equal(f.r.n_oversize, 1);
	assert_int_equal(f.r.n_csum_not_ready, 1);
	assert_int_equal(f.r.foreign, 1);
}

/* A capture of three frames, two of them equal, none tagged. */
static struct gen_pcapfile *small_capture(uint8_t frames[3][60])
{
	struct gen_pcapfile *p = xcalloc(1, sizeof(*p));
	uint32_t i;

	for (i = 0; i < 3; i++)
		memset(frames[i], i == 2 ? 1 : (int)i + 1, 60);
	p->n_frames = 3;
	p->digests = gen_digest_set_new(3);
	p->kind_count = xcalloc(3, sizeof(*p->kind_count));
	for (i = 0; i < 3; i++) {
		const struct gen_digest_piece piece = { frames[i], 60 };

		p->kind_count[gen_digest_set_add(
			p->digests, gen_digest_of(&piece, 1))]++;
	}
	return p;
}

static void untagged_frames_are_a_multiset(void **state)
{
	static const uint32_t sent[2] = { 2, 1 };
	uint8_t frames[3][60], other[60];
	struct gen_pcapfile *p = small_capture(frames);
	struct pktring_frame fr;
	struct fixture f;
	int i;

	(void)state;
	begin(&f, false, p);
	for (i = 0; i < 3; i++) { /* one more of frame 0 than was sent */
		fr = ring_frame(frames[0], 60, T0 + NS_PER_S / 2);
		gen_rx_frame(f.rx, &fr);
	}
	fr = ring_frame(frames[1], 60, T0 + NS_PER_S / 2);
	gen_rx_frame(f.rx, &fr);
	fr = ring_frame(frames[1], 60, T0 - 1); /* from before the trial */
	gen_rx_frame(f.rx, &fr);
	memcpy(other, frames[0], 60);
	other[59] ^= 1; /* one bit: not ours */
	fr = ring_frame(other, 60, T0 + NS_PER_S / 2);
	gen_rx_frame(f.rx, &fr);
	end(&f, sent);
	assert_int_equal(f.r.unique, 3);
	assert_int_equal(f.r.duplicate, 1);
	assert_int_equal(f.r.late, 1);
	assert_int_equal(f.r.foreign, 1);
	assert_int_equal(f.r.window_pkts, 3);
	gen_digest_set_free(p->digests);
	free(p->kind_count);
	free(p);
}

static void a_vlan_tag_beside_the_frame_counts(void **state)
{
	static const uint32_t sent[1] = { 1 };
	struct gen_pcapfile p = { .n_frames = 1 };
	uint8_t wire[68], ring[64];
	const struct gen_digest_piece piece = { wire, sizeof(wire) };
	struct pktring_frame fr;
	struct fixture f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wire); i++)
		wire[i] = (uint8_t)(i * 7);
	memcpy(wire + 12, (const uint8_t[]){ 0x81, 0x00, 0x60, 0x05 }, 4);
	memcpy(ring, wire, 12);
	memcpy(ring + 12, wire + 16, 52);
	p.digests = gen_digest_set_new(1);
	p.kind_count = xcalloc(1, sizeof(*p.kind_count));
	p.kind_count[gen_digest_set_add(p.digests, gen_digest_of(&piece, 1))] = 1;
	begin(&f, false, &p);
	fr = ring_frame(ring, sizeof(ring), T0 + 1);
	fr.has_vlan = true;
	fr.vlan_tpid = 0x8100;
	fr.vlan_tci = 0x6005;
	gen_rx_frame(f.rx, &fr);
	fr.vlan_tci = 0x6006; /* another VLAN */
	gen_rx_frame(f.rx, &fr);
	end(&f, sent);
	assert_int_equal(f.r.unique, 1);
	assert_int_equal(f.r.foreign, 1);
	gen_digest_set_free(p.digests);
	free(p.kind_count);
}

static void digests_do_not_depend_on_the_cut_but_on_each_byte(void **state)
{
	uint8_t b[150], c[150];
	size_t len, i;

	(void)state;
	for (i = 0; i < sizeof(b); i++)
		b[i] = (uint8_t)(i * 31 + 1);
	for (len = 1; len <= sizeof(b); len++) {
		const struct gen_digest_piece whole = { b, len };
		uint64_t d = gen_digest_of(&whole, 1);
		const struct gen_digest_piece cut[3] = { { b, len / 3 },
			{ b + len / 3, len / 4 },
			{ b + len / 3 + len / 4, len - len / 3 - len / 4 } };
		const struct gen_digest_piece changed = { c, len };

		assert_true(gen_digest_of(cut, 3) == d);
		memcpy(c, b, sizeof(b));
		c[len - 1] ^= 0x80;
		assert_true(gen_digest_of(&changed, 1) != d);
	}
}

static void short_frames_are_digested_as_padded(void **state)
{
	uint8_t b[64] = { 1, 2, 3 };
	const struct gen_digest_piece a = { b, 42 }, padded = { b, 60 },
				      longer = { b, 61 };

	(void)state;
	assert_true(gen_digest_of(&a, 1) == gen_digest_of(&padded, 1));
	assert_true(gen_digest_of(&padded, 1) != gen_digest_of(&longer, 1));
}

static void digest_sets_hold_what_they_are_made_for(void **state)
{
	struct gen_digest_set *s = gen_digest_set_new(1000);
	uint64_t i;

	(void)state;
	for (i = 0; i < 1000; i++) /* all in one place of the table */
		assert_int_equal(gen_digest_set_add(s, i << 32), i);
	for (i = 0; i < 1000; i++)
		assert_int_equal(gen_digest_set_add(s, i << 32), i);
	assert_int_equal(gen_digest_set_find(s, 999ULL << 32), 999);
	assert_true(gen_digest_set_find(s, 1) == GEN_DIGEST_NONE);
	assert_int_equal(gen_digest_set_n_kinds(s), 1000);
	gen_digest_set_free(s);
	gen_digest_set_free(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(frames_are_unique_then_duplicate),
		cmocka_unit_test(others_are_late_or_foreign),
		cmocka_unit_test(noise_is_foreign),
		cmocka_unit_test(goodput_counts_the_window_by_ring_time),
		cmocka_unit_test(latency_runs_from_the_planned_time),
		cmocka_unit_test(padding_and_vlan_do_not_hide_the_tag),
		cmocka_unit_test(offload_traces_are_counted),
		cmocka_unit_test(untagged_frames_are_a_multiset),
		cmocka_unit_test(a_vlan_tag_beside_the_frame_counts),
		cmocka_unit_test(digests_do_not_depend_on_the_cut_but_on_each_byte),
		cmocka_unit_test(short_frames_are_digested_as_padded),
		cmocka_unit_test(digest_sets_hold_what_they_are_made_for),
	};

	return cmocka_run_group_tests_name("gen_rx", tests, NULL, NULL);
}
