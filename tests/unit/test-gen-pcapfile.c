/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The capture zoo: written byte by byte here, replayed exactly or refused with a
 * reason. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "gen/gen_pcapfile.h"

/* A file being written, in either byte order. */
struct out {
	uint8_t b[8192];
	size_t n;
	bool swap; /* the other order than this machine's */
};

static void put(struct out *o, uint64_t v, size_t bytes)
{
	size_t i;

	for (i = 0; i < bytes; i++) {
		size_t at = o->swap ? bytes - 1 - i : i;

		o->b[o->n + i] = (uint8_t)(v >> 8 * at);
	}
	o->n += bytes;
}

static void put_bytes(struct out *o, const uint8_t *p, size_t n)
{
	memcpy(o->b + o->n, p, n);
	o->n += n;
}

static void pcap_header(struct out *o, uint32_t magic, uint32_t link)
{
	put(o, magic, 4);
	put(o, 2, 2);
	put(o, 4, 2);
	put(o, 0, 8);
	put(o, 65535, 4);
	put(o, link, 4);
}

static void pcap_packet(struct out *o, uint32_t sec, uint32_t frac, const uint8_t *p,
	uint32_t cap, uint32_t len)
{
	put(o, sec, 4);
	put(o, frac, 4);
	put(o, cap, 4);
	put(o, len, 4);
	put_bytes(o, p, cap);
}

static void block_begin(struct out *o, uint32_t type, uint32_t len)
{
	put(o, type, 4);
	put(o, len, 4);
}

static void ng_section(struct out *o)
{
	block_begin(o, 0x0a0d0d0a, 28);
	put(o, 0x1a2b3c4d, 4);
	put(o, 1, 2);
	put(o, 0, 2);
	put(o, UINT64_MAX, 8);
	put(o, 28, 4);
}

/* tsresol 0: no option. */
static void ng_interface(struct out *o, uint16_t link, uint8_t tsresol)
{
	uint32_t len = tsresol != 0 ? 32 : 20;

	block_begin(o, 1, len);
	put(o, link, 2);
	put(o, 0, 2);
	put(o, 0, 4); /* no snap length */
	if (tsresol != 0) {
		put(o, 9, 2); /* if_tsresol */
		put(o, 1, 2);
		put_bytes(o, (const uint8_t[]){ tsresol, 0, 0, 0 }, 4);
		put(o, 0, 4); /* opt_endofopt */
	}
	put(o, len, 4);
}

static void ng_packet(
	struct out *o, uint32_t iface, uint64_t ts, const uint8_t *p, uint32_t n)
{
	uint32_t pad = (4 - n % 4) % 4, len = 32 + n + pad;

	block_begin(o, 6, len);
	put(o, iface, 4);
	put(o, ts >> 32, 4);
	put(o, ts & 0xffffffff, 4);
	put(o, n, 4);
	put(o, n, 4);
	put_bytes(o, p, n);
	put(o, 0, pad);
	put(o, len, 4);
}

static void ng_simple(struct out *o, const uint8_t *p, uint32_t n)
{
	uint32_t pad = (4 - n % 4) % 4, len = 16 + n + pad;

	block_begin(o, 3, len);
	put(o, n, 4);
	put_bytes(o, p, n);
	put(o, 0, pad);
	put(o, len, 4);
}

/* Eth + IPv4 + UDP of n bytes in all, zero payload but a marker, no checksum. */
static void udp_frame(uint8_t *f, uint32_t n, uint8_t marker)
{
	memset(f, 0, n);
	memset(f, 2, 12);
	f[12] = 8;
	f[14] = 0x45;
	f[16] = (uint8_t)((n - 14) >> 8);
	f[17] = (uint8_t)(n - 14);
	f[22] = 64;
	f[23] = 17;
	f[26] = 10;
	f[30] = 10;
	f[29] = 1;
	f[33] = 2;
	f[38] = (uint8_t)((n - 34) >> 8);
	f[39] = (uint8_t)(n - 34);
	f[42] = marker;
}

static char path[] = "test-gen-pcapfile.tmp";

static int load_cfg(const struct out *o, struct gen_pcapfile_config cfg,
	struct gen_pcapfile **ret_file, struct sp_err *err)
{
	FILE *f = fopen(path, "we");

	assert_non_null(f);
	assert_int_equal(fwrite(o->b, 1, o->n, f), o->n);
	assert_int_equal(fclose(f), 0);
	cfg.path = path;
	cfg.ifname = "eth9";
	return gen_pcapfile_load(&cfg, ret_file, err);
}

static struct gen_pcapfile *load(const struct out *o)
{
	struct gen_pcapfile *file = NULL;
	struct sp_err err = { .code = SP_OK };

	if (load_cfg(o,
		    (struct gen_pcapfile_config){ .times = true, .mtu_bytes = 1500 },
		    &file, &err) != 0)
		fail_msg("%s", err.msg);
	return file;
}

static void refused_cfg(
	const struct out *o, struct gen_pcapfile_config cfg, const char *words)
{
	struct gen_pcapfile *file = NULL;
	struct sp_err err = { .code = SP_OK };

	assert_int_equal(load_cfg(o, cfg, &file, &err), -SP_EUSAGE);
	assert_null(file);
	if (strstr(err.msg, words) == NULL || strstr(err.msg, path) == NULL)
		fail_msg("'%s' does not say '%s' and the file", err.msg, words);
}

static void refused(const struct out *o, const char *words)
{
	refused_cfg(o, (struct gen_pcapfile_config){ .times = true, .mtu_bytes = 1500 },
		words);
}

static void expect(const struct gen_pcapfile *f, size_t i, const uint8_t *p, uint32_t n,
	uint64_t offset_ns)
{
	assert_true(i < f->n_frames);
	assert_int_equal(f->frames[i].len, n);
	assert_memory_equal(f->bytes + f->frames[i].at, p, n);
	assert_true(f->offsets_ns[i] == offset_ns);
}

static void every_magic_loads(void **state)
{
	static const struct {
		uint32_t magic;
		bool swap;
		uint32_t frac;
	} rows[] = {
		{ 0xa1b2c3d4, false, 250 }, /* us */
		{ 0xa1b2c3d4, true, 250 },
		{ 0xa1b23c4d, false, 250000 }, /* ns */
		{ 0xa1b23c4d, true, 250000 },
	};
	uint8_t a[60], b[75];
	size_t i;

	(void)state;
	udp_frame(a, sizeof(a), 1);
	udp_frame(b, sizeof(b), 2);
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct out o = { .swap = rows[i].swap };
		struct gen_pcapfile *f;

		pcap_header(&o, rows[i].magic, 1);
		pcap_packet(&o, 100, 0, a, 60, 60);
		pcap_packet(&o, 101, rows[i].frac, b, 75, 75);
		f = load(&o);
		assert_int_equal(f->n_frames, 2);
		expect(f, 0, a, 60, 0);
		expect(f, 1, b, 75, NS_PER_S + 250000);
		assert_int_equal(f->max_bytes, 75);
		assert_int_equal(f->total_bytes, 135);
		/* Span and one mean gap. */
		assert_true(f->cycle_ns >= 2 * (NS_PER_S + 250000));
		gen_pcapfile_free(f);
	}
}

/* Kuznetzov's variant has 8 more bytes in each packet header. */
static void the_modified_format_loads(void **state)
{
	uint8_t a[60];
	int swap;

	(void)state;
	udp_frame(a, sizeof(a), 1);
	for (swap = 0; swap < 2; swap++) {
		struct out o = { .swap = swap == 1 };
		struct gen_pcapfile *f;
		int i;

		pcap_header(&o, 0xa1b2cd34, 1);
		for (i = 0; i < 2; i++) {
			put(&o, 100, 4);
			put(&o, (uint64_t)i * 5, 4);
			put(&o, 60, 4);
			put(&o, 60, 4);
			put(&o, 1, 4); /* interface index */
			put(&o, 0x0800, 2);
			put(&o, 0, 2);
			put_bytes(&o, a, 60);
		}
		f = load(&o);
		assert_int_equal(f->n_frames, 2);
		expect(f, 1, a, 60, 5000);
		gen_pcapfile_free(f);
	}
}

static void pcapng_interfaces_have_their_own_resolution(void **state)
{
	uint8_t a[60], b[61];
	int swap;

	(void)state;
	udp_frame(a, sizeof(a), 1);
	udp_frame(b, sizeof(b), 2);
	for (swap = 0; swap < 2; swap++) {
		struct out o = { .swap = swap == 1 };
		struct gen_pcapfile *f;

		ng_section(&o);
		ng_interface(&o, 1, 0);    /* microseconds */
		ng_interface(&o, 1, 9);    /* nanoseconds */
		ng_interface(&o, 1, 0x8a); /* 2^-10 s */
		ng_packet(&o, 0, 7000000, a, 60);
		ng_packet(&o, 1, UINT64_C(7000000123), b, 61);
		ng_packet(&o, 2, 7 * 1024 + 512, a, 60);
		f = load(&o);
		assert_int_equal(f->n_frames, 3);
		expect(f, 0, a, 60, 0);
		expect(f, 1, b, 61, 123);
		expect(f, 2, a, 60, NS_PER_S / 2);
		gen_pcapfile_free(f);
	}
}

/* A simple packet block carries no time: it goes at a rate, not at its own pace. */
static void simple_packet_blocks_go_at_a_rate_only(void **state)
{
	struct gen_pcapfile_config cfg = { .mtu_bytes = 1500 };
	struct gen_pcapfile *f = NULL;
	struct out o = { .swap = false };
	struct sp_err err;
	uint8_t a[60];

	(void)state;
	udp_frame(a, sizeof(a), 1);
	ng_section(&o);
	ng_interface(&o, 1, 0);
	ng_packet(&o, 0, 7000000, a, 60);
	ng_simple(&o, a, 60);
	refused(&o, "packet 2");
	assert_int_equal(load_cfg(&o, cfg, &f, &err), 0);
	assert_int_equal(f->n_frames, 2);
	gen_pcapfile_free(f);
}

static void what_cannot_be_replayed_is_refused_by_packet(void **state)
{
	uint8_t a[60], big[1600];
	struct out o;

	(void)state;
	udp_frame(a, sizeof(a), 1);
	o = (struct out){ .swap = false };
	pcap_header(&o, 0xa1b2c3d4, 1);
	pcap_packet(&o, 1, 0, a, 60, 60);
	pcap_packet(&o, 1, 1, a, 60, 1514);
	refused(&o, "packet 2: only 60 of its 1514 bytes");

	o.n = 24; /* the header, then other packets */
	udp_frame(big, 1515, 1);
	pcap_packet(&o, 1, 0, big, 1515, 1515);
	refused(&o, "packet 1: 1515 bytes do not fit the MTU of eth9");

	o.n = 24;
	pcap_packet(&o, 1, 0, a, 60, 60);
	pcap_packet(&o, 1, 1, a, 60, 60);
	a[16] = a[17] = 0;
	pcap_packet(&o, 1, 2, a, 60, 60);
	refused(&o, "packet 3: its IP length is 0");

	o.n = 24;
	udp_frame(a, sizeof(a), 1);
	pcap_packet(&o, 2, 0, a, 60, 60);
	pcap_packet(&o, 1, 999999, a, 60, 60);
	refused(&o, "packet 2: its time lies 0.000001 s before");

	o.n = 24;
	pcap_packet(&o, 2, 0, a, 13, 13);
	refused(&o, "packet 1: shorter than an Ethernet header");
}

static void files_as_a_whole_can_be_refused(void **state)
{
	struct gen_pcapfile_config cfg = { .path = "test-gen-pcapfile.absent" };
	struct gen_pcapfile *f;
	struct sp_err err;
	struct out o = { .swap = false };
	uint8_t a[60];

	(void)state;
	udp_frame(a, sizeof(a), 1);
	refused(&o, "truncated"); /* not even a header */
	pcap_header(&o, 0xa1b2c3d4, 1);
	refused(&o, "there is no packet in it");
	pcap_packet(&o, 1, 0, a, 60, 60);
	o.n -= 7;
	refused(&o, "packet 1: truncated dump file");
	o.n = 0;
	pcap_header(&o, 0xa1b2c3d4, 113);
	pcap_packet(&o, 1, 0, a, 60, 60);
	refused(&o, "its link type is LINUX_SLL");
	o.n = 0;
	pcap_header(&o, 0xdeadbeef, 1);
	refused(&o, "unknown file format");
	o.n = 0;
	ng_section(&o);
	ng_interface(&o, 1, 0);
	ng_interface(&o, 113, 0);
	ng_packet(&o, 0, 1, a, 60);
	ng_packet(&o, 1, 2, a, 60);
	refused(&o, "type"); /* mixed link types, in libpcap's words */
	assert_int_equal(gen_pcapfile_load(&cfg, &f, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "test-gen-pcapfile.absent"));
	assert_non_null(strstr(err.msg, "No such file"));
}

/* The MTU counts no VLAN tag, as in the kernel. */
static void a_vlan_frame_may_be_four_longer(void **state)
{
	uint8_t v[1519];
	struct out o = { .swap = false };
	struct gen_pcapfile *f;

	(void)state;
	memset(v, 0, sizeof(v));
	v[12] = 0x81;
	v[16] = 0x88; /* an EtherType of nobody */
	v[17] = 0xb5;
	pcap_header(&o, 0xa1b2c3d4, 1);
	pcap_packet(&o, 1, 0, v, 1518, 1518);
	f = load(&o);
	assert_int_equal(f->frames[0].len, 1518);
	gen_pcapfile_free(f);
	o.n = 24;
	pcap_packet(&o, 1, 0, v, 1519, 1519);
	refused(&o, "do not fit the MTU");
}

static void one_packet_is_enough(void **state)
{
	struct out o = { .swap = false };
	struct gen_pcapfile *f;
	uint8_t a[60];

	(void)state;
	udp_frame(a, sizeof(a), 1);
	pcap_header(&o, 0xa1b2c3d4, 1);
	pcap_packet(&o, 1, 0, a, 60, 60);
	f = load(&o);
	assert_int_equal(f->n_frames, 1);
	assert_true(f->cycle_ns == NS_PER_S);
	assert_int_equal(f->kind_count[f->frames[0].kind], 1);
	gen_pcapfile_free(f);
}

static void frames_without_room_are_known_by_digest(void **state)
{
	static const uint8_t arp[60] = { [12] = 0x08, [13] = 0x06 };
	struct gen_pcapfile_config cfg = { .tag = true, .mtu_bytes = 1500 };
	struct gen_pcapfile *file = NULL;
	struct out o = { .swap = false };
	struct sp_err err;
	uint8_t f[100];

	(void)state;
	udp_frame(f, 100, 1);
	pcap_header(&o, 0xa1b2c3d4, 1);
	pcap_packet(&o, 1, 0, arp, 60, 60);
	pcap_packet(&o, 1, 0, f, 100, 100);
	assert_int_equal(load_cfg(&o, cfg, &file, &err), 0);
	assert_int_equal(file->frames[0].kind, 0);
	assert_true(file->frames[1].kind == GEN_DIGEST_NONE);
	assert_int_equal(file->frames[1].tag.tag_at, 82);
	assert_int_equal(gen_digest_set_n_kinds(file->digests), 1);
	gen_pcapfile_free(file);
}

static int remove_file(void **state)
{
	(void)state;
	(void)unlink(path);
	return 0;
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(every_magic_loads),
		cmocka_unit_test(the_modified_format_loads),
		cmocka_unit_test(pcapng_interfaces_have_their_own_resolution),
		cmocka_unit_test(simple_packet_blocks_go_at_a_rate_only),
		cmocka_unit_test(what_cannot_be_replayed_is_refused_by_packet),
		cmocka_unit_test(files_as_a_whole_can_be_refused),
		cmocka_unit_test(a_vlan_frame_may_be_four_longer),
		cmocka_unit_test(one_packet_is_enough),
		cmocka_unit_test(frames_without_room_are_known_by_digest),
	};

	return cmocka_run_group_tests_name("gen_pcapfile", tests, NULL, remove_file);
}
