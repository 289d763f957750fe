/* SPDX-License-Identifier: GPL-3.0-or-later */
/* {in} {out} {pid} in a word or a shell command. */
#include "config.h"

#include "sut/sut.h"

#include <stdio.h>
#include <string.h>

#include "base/mem.h"

char *sut_expand(const char *s, const char *in, const char *out, pid_t pid)
{
	char digits[16];
	const struct {
		const char *name, *value;
	} names[] = {
		{ "{in}", in },
		{ "{out}", out },
		{ "{pid}", pid > 0 ? digits : NULL },
	};
	size_t i, len, at = 0, cap = strlen(s) + 1;
	char *text = xcalloc(cap, 1);

	(void)snprintf(digits, sizeof(digits), "%d", (int)pid);
	while (*s != '\0') {
		const char *value = NULL;

		for (i = 0; value == NULL && i < 3; i++) {
			len = strlen(names[i].name);
			if (names[i].value != NULL &&
				strncmp(s, names[i].name, len) == 0) {
				value = names[i].value;
				s += len;
			}
		}
		len = value != NULL ? strlen(value) : 1;
		cap += len; /* more than enough: what is replaced stays counted */
		text = xreallocarray(text, cap, 1);
		if (value != NULL)
			memcpy(text + at, value, len);
		else
			text[at] = *s++;
		at += len;
	}
	text[at] = '\0';
	return text;
}
