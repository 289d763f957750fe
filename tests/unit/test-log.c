/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The log sink: levels, no sink, long lines. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "base/log.h"

struct capture {
	int n;
	enum log_level level;
	char line[2048];
};

static void capture_line(void *ctx, enum log_level level, const char *line)
{
	struct capture *c = ctx;

	c->n++;
	c->level = level;
	(void)snprintf(c->line, sizeof(c->line), "%s", line);
}

static void levels_are_kept_out(void **state)
{
	struct capture c = { .n = 0 };

	(void)state;
	log_set_sink(capture_line, &c, LOG_LEVEL_NOTE);
	log_debug("hidden %d", 1);
	assert_int_equal(c.n, 0);
	log_note("burst %d", 16);
	assert_int_equal(c.n, 1);
	assert_int_equal(c.level, LOG_LEVEL_NOTE);
	assert_string_equal(c.line, "burst 16");
	log_warn("w");
	assert_int_equal(c.level, LOG_LEVEL_WARN);
	log_set_sink(NULL, NULL, LOG_LEVEL_DEBUG);
	log_warn("nobody hears this");
	assert_int_equal(c.n, 2);
}

static void a_long_line_is_cut(void **state)
{
	struct capture c = { .n = 0 };
	char text[4000];

	(void)state;
	memset(text, 'y', sizeof(text) - 1);
	text[sizeof(text) - 1] = '\0';
	log_set_sink(capture_line, &c, LOG_LEVEL_DEBUG);
	log_debug("%s", text);
	log_set_sink(NULL, NULL, LOG_LEVEL_WARN);
	assert_int_equal(c.n, 1);
	assert_int_equal(strlen(c.line), 1023);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(levels_are_kept_out),
		cmocka_unit_test(a_long_line_is_cut),
	};

	return cmocka_run_group_tests_name("log", tests, NULL, NULL);
}
