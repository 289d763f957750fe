/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Messages, each one printable line. */
#include "config.h"

#include "cli/say.h"

#include <langinfo.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/mem.h"

bool say_is_utf8(void)
{
	return strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

/* text is freed. */
static void print(const char *before, char *text, const char *after)
{
	size_t n = strlen(text);
	char *clean;

	while (n > 0 && strchr(" \t\r\n", text[n - 1]) != NULL)
		text[--n] = '\0';
	clean = clean_line(text, say_is_utf8(), SIZE_MAX - 3);
	(void)fprintf(stderr, "%s%s%s", before, clean, after);
	free(clean);
	free(text);
}

void say(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("", xvasprintf(fmt, ap), "\n");
	va_end(ap);
}

void say_over(const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	print("\r\033[K", xvasprintf(fmt, ap), "");
	va_end(ap);
	(void)fflush(stderr);
}
