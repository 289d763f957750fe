/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What is shown of a program's output. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/output_tail.h"

static void write_text(const struct output_tail *o, const char *s)
{
	assert_int_equal(write(o->fd, s, strlen(s)), (ssize_t)strlen(s));
}

static void the_end_begins_with_a_word(void **state)
{
	(void)state;
	assert_string_equal(output_tail_words("one two three", 13), "one two three");
	assert_string_equal(output_tail_words("one two three", 12), "two three");
	assert_string_equal(output_tail_words("one two three", 6), "three");
	assert_string_equal(output_tail_words("one\n\t two", 8), "two");
	/* There is no other word: a piece of this one. */
	assert_string_equal(output_tail_words("abcdefgh", 3), "fgh");
	assert_string_equal(output_tail_words("abcdefgh ", 3), "gh ");
	assert_string_equal(output_tail_words("", 3), "");
}

static void a_line_is_the_end_in_one_piece(void **state)
{
	struct output_tail o;
	struct sp_err err = { .code = SP_OK };
	char buf[16];

	(void)state;
	assert_int_equal(output_tail_open(&o, &err), 0);
	output_tail_line(&o, buf, sizeof(buf));
	assert_string_equal(buf, "(none)");
	write_text(&o, "first line\nsecond\033 line \n\n");
	output_tail_line(&o, buf, sizeof(buf));
	assert_string_equal(buf, "second? line");
	output_tail_reset(&o);
	write_text(&o, "a\nb\n");
	output_tail_line(&o, buf, sizeof(buf));
	assert_string_equal(buf, "a|b");
	output_tail_close(&o);
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_end_begins_with_a_word),
		cmocka_unit_test(a_line_is_the_end_in_one_piece),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
