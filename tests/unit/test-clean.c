/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Texts of strangers: UTF-8 for documents, printable lines for terminals. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/clean.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static void lines_are_printable(void **state)
{
	static const struct {
		const char *in;
		bool utf8;
		size_t max;
		const char *out;
	} rows[] = {
		{ "plain", false, 10, "plain" },
		{ "plain", false, 5, "plain" },
		{ "plainer", false, 5, "pl..." },
		{ "a\tb\nc\rd", true, 10, "a b|c?d" }, /* a line end, not a line */
		{ "\x1b[0m\x7f", true, 10, "?[0m?" },
		{ "\xc3\xa9", true, 10, "\xc3\xa9" },
		{ "\xc3\xa9", false, 10, "?" },
		{ "\xc2\x9b", true, 10, "?" },     /* C1 CSI */
		{ "\xe2\x80\xae", true, 10, "?" }, /* right-to-left override */
		{ "\xc0\xaf\xed\xa0\x80", true, 10, "?????" }, /* overlong, surrogate */
		{ "\xf4\x90\x80\x80\xe2\x82", true, 10, "??????" },
		{ "\xc3\xa9\xc3\xa9\xc3\xa9\xc3\xa9", true, 3, "..." },
		{ "", true, 3, "" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		char *got = clean_line(rows[i].in, rows[i].utf8, rows[i].max);

		assert_string_equal(got, rows[i].out);
		free(got);
	}
}

/* Every byte, alone and after each lead byte: a line for a terminal stays one. */
static void no_byte_steers_a_terminal(void **state)
{
	unsigned lead, byte;

	(void)state;
	for (lead = 0; lead < 256; lead++)
		for (byte = 1; byte < 256; byte++) {
			char in[3] = { (char)byte, '\0', '\0' };
			char *got;
			size_t i;

			if (lead != 0) {
				in[0] = (char)lead;
				in[1] = (char)byte;
			}
			got = clean_line(in, false, SIZE_MAX - 3);
			for (i = 0; got[i] != '\0'; i++)
				assert_in_range(got[i], 0x20, 0x7e);
			assert_true(i > 0 && i <= 2);
			free(got);
		}
}

static void documents_are_utf8(void **state)
{
	char *got = clean_utf8("a\n\x1b\xc3\xa9\xff\xc3");

	(void)state;
	assert_string_equal(got, "a\n\x1b\xc3\xa9\xef\xbf\xbd\xef\xbf\xbd");
	assert_int_equal(clean_columns(got), 6);
	free(got);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_are_printable),
		cmocka_unit_test(no_byte_steers_a_terminal),
		cmocka_unit_test(documents_are_utf8),
	};

	return cmocka_run_group_tests_name("clean", tests, NULL, NULL);
}
