/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * pprof exports, unpacked by zlib and read back by the rules of protocol buffers and of
 * profile.proto, which a reader of ours has no part in.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

#include <cmocka.h>

#include "base/mem.h"
#include "codec/export_wire.h"
#include "exportrun.h"

#define MAX 40

struct span {
	const unsigned char *at, *end;
};

/* One field; number for varints, bytes for the rest. */
struct field {
	unsigned id;
	uint64_t number;
	struct span bytes;
};

static uint64_t varint(struct span *s)
{
	uint64_t v = 0;
	unsigned shift;

	for (shift = 0; shift < 64; shift += 7) {
		assert_true(s->at < s->end);
		v |= (uint64_t)(*s->at & 0x7f) << shift;
		if (*s->at++ < 0x80)
			return v;
	}
	fail_msg("a varint of more than 64 bits");
	return 0;
}

static bool field_next(struct span *s, struct field *f)
{
	uint64_t key;

	if (s->at == s->end)
		return false;
	key = varint(s);
	*f = (struct field){ .id = (unsigned)(key >> 3) };
	assert_true((key & 7) == 0 || (key & 7) == 2);
	f->number = varint(s);
	if ((key & 7) == 0)
		return true;
	assert_true(f->number <= (uint64_t)(s->end - s->at));
	f->bytes = (struct span){ s->at, s->at + f->number };
	s->at += f->number;
	return true;
}

/* The first field of that id in a message; 0 where there is none, as the rules have it.
 */
static uint64_t number_of(struct span s, unsigned id)
{
	struct field f;

	while (field_next(&s, &f))
		if (f.id == id)
			return f.number;
	return 0;
}

static struct span bytes_of(struct span s, unsigned id)
{
	struct field f;

	while (field_next(&s, &f))
		if (f.id == id)
			return f.bytes;
	return (struct span){ NULL, NULL };
}

/* All messages of a profile, by their field's id. */
struct read {
	unsigned char *bytes;
	size_t n[15];
	struct span messages[15][MAX];
	uint64_t numbers[15][MAX];
};

static unsigned char *unzip(const char *zipped, size_t n, size_t *ret_n)
{
	static unsigned char out[1 << 16];
	z_stream z = { .next_in = (unsigned char *)(uintptr_t)zipped,
		.avail_in = (unsigned)n,
		.next_out = out,
		.avail_out = sizeof(out) };

	assert_int_equal(inflateInit2(&z, 15 + 16), Z_OK); /* gzip alone */
	assert_int_equal(inflate(&z, Z_FINISH), Z_STREAM_END);
	assert_int_equal(z.avail_in, 0);
	*ret_n = z.total_out;
	assert_int_equal(inflateEnd(&z), Z_OK);
	return out;
}

static void read_profile(const struct export_input *in, struct read *r)
{
	struct field f;
	struct span s;
	size_t n, n_out;
	char *zipped = exportrun_write(&export_pprof, in, &n);

	memset(r, 0, sizeof(*r));
	s.at = unzip(zipped, n, &n_out);
	s.end = s.at + n_out;
	while (field_next(&s, &f)) {
		assert_true(f.id < 15 && r->n[f.id] < MAX);
		r->messages[f.id][r->n[f.id]] = f.bytes;
		r->numbers[f.id][r->n[f.id]++] = f.number;
	}
	free(zipped);
}

/* The caller frees it. */
static char *string_of(const struct read *r, uint64_t i)
{
	assert_true(i < r->n[6]);
	return xasprintf("%.*s", (int)(r->messages[6][i].end - r->messages[6][i].at),
		(const char *)r->messages[6][i].at);
}

static void string_is(const struct read *r, uint64_t i, const char *want)
{
	char *got = string_of(r, i);

	assert_string_equal(got, want);
	free(got);
}

/* The message of that kind whose id is that. */
static struct span by_id(const struct read *r, unsigned kind, uint64_t id)
{
	size_t i;

	assert_true(id > 0);
	for (i = 0; i < r->n[kind]; i++)
		if (number_of(r->messages[kind][i], 1) == id)
			return r->messages[kind][i];
	fail_msg("no message %u of id %u", kind, (unsigned)id);
	return (struct span){ NULL, NULL };
}

static void value_is(struct span sample, uint64_t n_samples, uint64_t weight)
{
	struct span values = bytes_of(sample, 2);

	assert_int_equal(varint(&values), n_samples);
	assert_int_equal(varint(&values), weight);
	assert_ptr_equal(values.at, values.end);
}

/* A label's message. */
static struct span label_find(const struct read *r, struct span sample, const char *key)
{
	struct field f;

	while (field_next(&sample, &f)) {
		char *name;
		bool is_it;

		if (f.id != 3)
			continue;
		name = string_of(r, number_of(f.bytes, 1));
		is_it = strcmp(name, key) == 0;
		free(name);
		if (is_it)
			return f.bytes;
	}
	fail_msg("no label %s", key);
	return (struct span){ NULL, NULL };
}

static void label_text_is(
	const struct read *r, struct span sample, const char *key, const char *want)
{
	string_is(r, number_of(label_find(r, sample, key), 2), want);
}

static void label_number_is(
	const struct read *r, struct span sample, const char *key, uint64_t want)
{
	struct span label = label_find(r, sample, key);

	assert_int_equal(number_of(label, 2), 0); /* no text */
	assert_int_equal(number_of(label, 3), want);
}

/* Else a number of 0 is no label for Go's reader. */
static void label_has_unit(const struct read *r, struct span sample, const char *key)
{
	assert_true(number_of(label_find(r, sample, key), 4) > 0);
}

/* The name of the i-th function of a path, from the leaf. */
static void path_is(const struct read *r, struct span sample, size_t i,
	const char *function, uint64_t address, const char *file)
{
	struct span path = bytes_of(sample, 1), location, line;
	uint64_t id = 0;

	for (i++; i > 0; i--)
		id = varint(&path);
	location = by_id(r, 4, id);
	assert_int_equal(number_of(location, 3), address);
	line = bytes_of(location, 4);
	if (function == NULL)
		assert_null(line.at);
	else
		string_is(r, number_of(by_id(r, 5, number_of(line, 1)), 2), function);
	if (file != NULL)
		string_is(r, number_of(by_id(r, 3, number_of(location, 2)), 5), file);
}

static void samples_have_values_paths_and_labels(void **state)
{
	const struct exportrun *e = *state;
	struct read r;

	read_profile(&e->input, &r);
	assert_int_equal(r.n[2], 7);
	value_is(r.messages[2][0], 10, 1000);
	path_is(&r, r.messages[2][0], 0, "hot", 0x20, "/usr/bin/fwd");
	path_is(&r, r.messages[2][0], 1, "main", 0x10, "/usr/bin/fwd");
	label_text_is(&r, r.messages[2][0], "thread", "fwd 1");
	label_text_is(&r, r.messages[2][0], "arm", "sample@997");
	label_number_is(&r, r.messages[2][0], "cpu", 1);
	label_number_is(&r, r.messages[2][0], "tid", 7);
	label_number_is(&r, r.messages[2][0], "trial", 2);
	label_number_is(&r, r.messages[2][0], "rate_pps", 85000);
	value_is(r.messages[2][1], 2, 200);
	path_is(&r, r.messages[2][1], 0, "hot", 0x24, "/usr/bin/fwd");
	path_is(&r, r.messages[2][2], 0, EXPORTRUN_ODD_CLEAN,
		UINT64_C(0xffffffff81000000), "[kernel.kallsyms]");
	path_is(&r, r.messages[2][3], 0, NULL, 0x30, "/usr/lib/libx.so.1");
	/* CPU 0 is a CPU, and a thread's name need not be kind. */
	value_is(r.messages[2][4], 1, 100);
	path_is(&r, r.messages[2][4], 0, "[unknown]", 0, NULL);
	label_number_is(&r, r.messages[2][4], "cpu", 0);
	label_has_unit(&r, r.messages[2][4], "cpu");
	label_text_is(&r, r.messages[2][4], "thread", "\xef\xbf\xbd;x");
	label_number_is(&r, r.messages[2][5], "trial", 3);
	value_is(r.messages[2][6], 1, 50);
}

static void the_head_says_what_it_is(void **state)
{
	const struct exportrun *e = *state;
	struct read r;
	size_t i;

	read_profile(&e->input, &r);
	assert_int_equal(r.n[1], 2);
	string_is(&r, number_of(r.messages[1][0], 1), "samples");
	string_is(&r, number_of(r.messages[1][0], 2), "count");
	string_is(&r, number_of(r.messages[1][1], 1), "cpu-clock");
	string_is(&r, number_of(r.messages[1][1], 2), "nanoseconds");
	string_is(&r, r.numbers[14][0], "cpu-clock");
	string_is(&r, 0, "");
	/* 2024-05-06T07:08:09Z; four trials of 2 s */
	assert_int_equal(r.numbers[9][0], UINT64_C(1714979289) * 1000000000);
	assert_int_equal(r.numbers[10][0], UINT64_C(8000000000));
	assert_int_equal(r.n[13], 2 + 4);
	string_is(&r, r.numbers[13][1], "run odd \"run\"\xef\xbf\xbd.satprof");
	string_is(&r, r.numbers[13][3],
		"trial 2: arm sample@997, 85000 packets/s, 2000 packets in, 1998 "
		"packets out");
	/* The program comes first; only what all functions are known of says so. */
	assert_int_equal(r.n[3], 3);
	string_is(&r, number_of(r.messages[3][0], 5), "/usr/bin/fwd");
	string_is(&r, number_of(r.messages[3][0], 6), "00aa11");
	assert_int_equal(number_of(r.messages[3][0], 3), 0x25);
	assert_int_equal(number_of(r.messages[3][0], 7), 1);
	for (i = 1; i < 3; i++) {
		char *file = string_of(&r, number_of(r.messages[3][i], 5));

		assert_int_equal(number_of(r.messages[3][i], 7), file[0] == '[');
		free(file);
	}
}

/* Every number of a location, function, mapping and string is one that is there. */
static void nothing_hangs_in_the_air(void **state)
{
	const struct exportrun *e = *state;
	struct read r;
	size_t i;

	read_profile(&e->input, &r);
	assert_int_equal(r.n[4], 6);
	for (i = 0; i < r.n[4]; i++) {
		uint64_t mapping = number_of(r.messages[4][i], 2);
		struct span line = bytes_of(r.messages[4][i], 4);

		if (mapping > 0)
			(void)by_id(&r, 3, mapping);
		if (line.at != NULL)
			(void)by_id(&r, 5, number_of(line, 1));
	}
	for (i = 0; i < r.n[2]; i++) {
		struct span path = bytes_of(r.messages[2][i], 1);

		while (path.at < path.end)
			(void)by_id(&r, 4, varint(&path));
	}
}

static void an_event_has_its_own_unit(void **state)
{
	struct exportrun *e = *state;
	struct read r;

	e->input.event = 1;
	read_profile(&e->input, &r);
	string_is(&r, number_of(r.messages[1][1], 1), "cycles");
	string_is(&r, number_of(r.messages[1][1], 2), "cycles");
	assert_int_equal(r.n[2], 1);
	value_is(r.messages[2][0], 2, UINT64_C(7777777777));
}

/* As the encoding's own documentation has them: 1, 150, -2 and a field of "testing". */
static void numbers_are_packed_as_the_rules_say(void **state)
{
	static const unsigned char want[] = { 0x01, 0x96, 0x01,             /**/
		0xfe, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01, /**/
		0x08, 0x96, 0x01,                                           /* 1: 150 */
		0x12, 0x07, 't', 'e', 's', 't', 'i', 'n', 'g' };
	struct export_wire w = { .n = 0 };

	(void)state;
	export_wire_varint(&w, 1);
	export_wire_varint(&w, 150);
	export_wire_varint(&w, (uint64_t)-2);
	export_wire_number(&w, 1, 150);
	export_wire_number(&w, 1, 0);
	export_wire_bytes(&w, 2, "testing", 7);
	assert_int_equal(w.n, sizeof(want));
	assert_memory_equal(w.bytes, want, sizeof(want));
	export_wire_done(&w);
}

static void much_is_zipped_in_parts(void **state)
{
	char *text = NULL;
	size_t n_zipped = 0, n;
	FILE *f = open_memstream(&text, &n_zipped);
	struct export_gzip *z;
	unsigned char line[100], *back;
	size_t i;

	(void)state;
	assert_non_null(f);
	z = export_gzip_new(f);
	for (i = 0; i < 600; i++) {
		memset(line, (int)(i * i % 251), sizeof(line));
		export_gzip_write(z, line, sizeof(line));
	}
	export_gzip_free(z);
	assert_int_equal(fclose(f), 0);
	back = unzip(text, n_zipped, &n);
	assert_int_equal(n, 60000);
	for (i = 0; i < n; i++)
		assert_int_equal(back[i], (i / 100) * (i / 100) % 251);
	/* RFC 1952: a time of 0, so that the same input gives the same bytes. */
	assert_memory_equal(text + 4, "\0\0\0\0", 4);
	free(text);
}

#define WITH_RUN(f) cmocka_unit_test_setup_teardown(f, exportrun_open, exportrun_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		WITH_RUN(samples_have_values_paths_and_labels),
		WITH_RUN(the_head_says_what_it_is),
		WITH_RUN(nothing_hangs_in_the_air),
		WITH_RUN(an_event_has_its_own_unit),
		cmocka_unit_test(numbers_are_packed_as_the_rules_say),
		cmocka_unit_test(much_is_zipped_in_parts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
