/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The planted flow table: what a flow is, when it expires, when it is full. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/clock.h"
#include "sut/forward_lookup.h"

#define FRAME_MAX 100

struct flow {
	uint16_t type;
	unsigned n_tags;
	uint32_t addr;
	uint16_t port;
	uint8_t protocol;
	uint16_t frag_offset;
};

/* Returns the length. */
static uint32_t make_frame(uint8_t frame[FRAME_MAX], const struct flow *flow)
{
	uint8_t *p = frame + 12;
	unsigned i;

	memset(frame, 0, FRAME_MAX);
	for (i = 0; i < flow->n_tags; i++, p += 4) {
		p[0] = 0x81;
		p[3] = (uint8_t)(i + 1);
	}
	p[0] = (uint8_t)(flow->type >> 8);
	p[1] = (uint8_t)(flow->type & 0xff);
	p += 2;
	if (flow->type == 0x0800) {
		p[0] = 0x45;
		p[6] = (uint8_t)(flow->frag_offset >> 8);
		p[7] = (uint8_t)(flow->frag_offset & 0xff);
		p[9] = flow->protocol;
		memcpy(p + 12, &flow->addr, 4);
		memcpy(p + 20, &flow->port, 2);
	} else if (flow->type == 0x86dd) {
		p[6] = flow->protocol;
		memcpy(p + 8, &flow->addr, 4);
		memcpy(p + 40, &flow->port, 2);
	} else {
		memcpy(frame + 6, &flow->addr, 4);
	}
	return FRAME_MAX;
}

static uint64_t look(
	struct forward_lookup_table *t, const struct flow *flow, uint64_t now_ns)
{
	uint8_t frame[FRAME_MAX];
	uint32_t len = make_frame(frame, flow);

	return forward_lookup(t, frame, len, now_ns);
}

static void flows_are_told_apart(void **state)
{
	static const struct flow flows[] = {
		{ 0x0800, 0, 1, 1, 17, 0 },
		{ 0x0800, 0, 2, 1, 17, 0 },
		{ 0x0800, 0, 1, 2, 17, 0 },
		{ 0x0800, 0, 1, 1, 6, 0 },
		{ 0x0800, 0, 1, 1, 17, 100 }, /* a later fragment has no ports */
		{ 0x0800, 0, 1, 1, 1, 0 },    /* nor has ICMP */
		{ 0x86dd, 0, 1, 1, 17, 0 },
		{ 0x86dd, 0, 2, 1, 17, 0 },
		{ 0x86dd, 0, 1, 2, 17, 0 },
		{ 0x0806, 0, 1, 1, 0, 0 },
		{ 0x0806, 0, 2, 1, 0, 0 },
	};
	const size_t n = sizeof(flows) / sizeof(flows[0]);
	size_t buckets, i, round;

	(void)state;
	for (buckets = 1; buckets <= 4096; buckets *= 64) {
		struct forward_lookup_table *t = forward_lookup_new(buckets);

		for (round = 1; round <= 3; round++)
			for (i = 0; i < n; i++)
				assert_int_equal(look(t, &flows[i], 1000), round);
		assert_int_equal(forward_lookup_flows(t), n);
		forward_lookup_free(t);
	}
}

static void tags_do_not_split_a_flow(void **state)
{
	struct forward_lookup_table *t = forward_lookup_new(16);
	struct flow flow = { 0x0800, 0, 1, 1, 17, 0 };

	(void)state;
	assert_int_equal(look(t, &flow, 1), 1);
	flow.n_tags = 1;
	assert_int_equal(look(t, &flow, 2), 2);
	flow.n_tags = 2;
	assert_int_equal(look(t, &flow, 3), 3);
	forward_lookup_free(t);
}

static void ports_of_fragments_and_icmp_are_ignored(void **state)
{
	struct forward_lookup_table *t = forward_lookup_new(16);
	struct flow fragment = { 0x0800, 0, 1, 1, 17, 100 };
	struct flow icmp = { 0x0800, 0, 1, 1, 1, 0 };

	(void)state;
	assert_int_equal(look(t, &fragment, 1), 1);
	fragment.port = 9;
	assert_int_equal(look(t, &fragment, 1), 2);
	assert_int_equal(look(t, &icmp, 1), 1);
	icmp.port = 9;
	assert_int_equal(look(t, &icmp, 1), 2);
	forward_lookup_free(t);
}

static void entry_expires_50_ms_after_last_use(void **state)
{
	struct forward_lookup_table *t = forward_lookup_new(1);
	struct flow flow = { 0x0800, 0, 1, 1, 17, 0 };
	uint64_t t0 = 123456789;

	(void)state;
	assert_int_equal(look(t, &flow, t0), 1);
	assert_int_equal(look(t, &flow, t0 + 50 * NS_PER_MS), 2);
	/* Used at 50 ms: alive until 100. */
	assert_int_equal(look(t, &flow, t0 + 100 * NS_PER_MS), 3);
	assert_int_equal(look(t, &flow, t0 + 150 * NS_PER_MS + 1), 1);
	assert_int_equal(forward_lookup_flows(t), 1);
	forward_lookup_free(t);
}

/* Short frames of every length, truncated anywhere: no read past the end (the
 * sanitizer's or valgrind's to see), and still a flow. */
static void short_frames_are_flows_too(void **state)
{
	static const uint16_t types[] = { 0x0800, 0x86dd, 0x8100, 0x0806 };
	struct forward_lookup_table *t = forward_lookup_new(64);
	size_t i;
	uint32_t len;

	(void)state;
	for (i = 0; i < 4; i++)
		for (len = 0; len <= 60; len++) {
			uint8_t frame[FRAME_MAX];
			uint8_t *exact = test_malloc(len > 0 ? len : 1);
			struct flow flow = { types[i], 1, 1, 1, 17, 0 };

			(void)make_frame(frame, &flow);
			memcpy(exact, frame, len);
			assert_true(forward_lookup(t, exact, len, 1) > 0);
			test_free(exact);
		}
	forward_lookup_free(t);
}

static void full_table_sweeps_then_refuses(void **state)
{
	struct forward_lookup_table *t = forward_lookup_new(65536);
	struct flow flow = { 0x0800, 0, 0, 1, 17, 0 };
	uint64_t t0 = NS_PER_S;
	uint32_t i;

	(void)state;
	for (i = 0; i < FORWARD_LOOKUP_MAX_FLOWS; i++) {
		flow.addr = i + 1;
		assert_int_equal(look(t, &flow, t0), 1);
	}
	assert_int_equal(forward_lookup_flows(t), FORWARD_LOOKUP_MAX_FLOWS);
	flow.addr = 0x7fffffff;
	assert_int_equal(look(t, &flow, t0), 0);
	/* Known flows still count. */
	flow.addr = 77;
	assert_int_equal(look(t, &flow, t0 + 40 * NS_PER_MS), 2);
	/* Room again for as many as have expired, and the one in use stays. */
	for (i = 1; i < FORWARD_LOOKUP_MAX_FLOWS; i++) {
		flow.addr = 0x40000000 + i;
		assert_int_equal(look(t, &flow, t0 + 60 * NS_PER_MS), 1);
	}
	flow.addr = 77;
	assert_int_equal(look(t, &flow, t0 + 60 * NS_PER_MS), 3);
	forward_lookup_free(t);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(flows_are_told_apart),
		cmocka_unit_test(tags_do_not_split_a_flow),
		cmocka_unit_test(ports_of_fragments_and_icmp_are_ignored),
		cmocka_unit_test(entry_expires_50_ms_after_last_use),
		cmocka_unit_test(short_frames_are_flows_too),
		cmocka_unit_test(full_table_sweeps_then_refuses),
	};

	return cmocka_run_group_tests_name("forward_lookup", tests, NULL, NULL);
}
