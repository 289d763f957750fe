/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Make texts of strangers fit for a document or a terminal. */
#include "config.h"

#include "base/clean.h"

#include <stdint.h>
#include <string.h>

#include "base/mem.h"

/* Length of the sequence that begins here and its code point; 0: not UTF-8. */
static size_t utf8_take(const unsigned char *s, uint32_t *ret_point)
{
	static const uint32_t least[] = { 0, 0, 0x80, 0x800, 0x10000 };
	uint32_t c = s[0];
	size_t n, i;

	if (c < 0x80) {
		*ret_point = c;
		return 1;
	}
	n = c >= 0xf0 ? 4 : c >= 0xe0 ? 3 : 2;
	if (c < 0xc2 || c > 0xf4)
		return 0;
	c &= 0xffu >> (n + 1);
	for (i = 1; i < n; i++) {
		if ((s[i] & 0xc0) != 0x80) /* also the NUL at the end */
			return 0;
		c = c << 6 | (s[i] & 0x3fu);
	}
	if (c < least[n] || c > 0x10ffff || (c >= 0xd800 && c <= 0xdfff))
		return 0;
	*ret_point = c;
	return n;
}

char *clean_utf8(const char *s)
{
	const unsigned char *in = (const unsigned char *)s;
	char *out = xcalloc(3 * strlen(s) + 1, 1), *end = out;

	while (*in != '\0') {
		uint32_t point;
		size_t n = utf8_take(in, &point);

		if (n == 0) {
			memcpy(end, "\xef\xbf\xbd", 3);
			end += 3;
			in++;
			continue;
		}
		memcpy(end, in, n);
		end += n;
		in += n;
	}
	return out;
}

/* What moves the cursor, breaks the line or turns the writing round. */
static bool is_unfit(uint32_t c)
{
	return c < 0x20 || (c >= 0x7f && c < 0xa0) || c == 0x061c ||
	       (c >= 0x200b && c <= 0x200f) || (c >= 0x2028 && c <= 0x202e) ||
	       (c >= 0x2060 && c <= 0x206f) || c == 0xfeff || c > 0xe0000;
}

/* Lines and columns stay to be seen. */
static char stand_in(uint32_t c)
{
	return c == '\n' ? '|' : c == '\t' ? ' ' : '?';
}

char *clean_line(const char *s, bool utf8, size_t max_chars)
{
	const unsigned char *in = (const unsigned char *)s;
	char *out = xcalloc(strlen(s) + 4, 1), *end = out, *cut = out;
	size_t n_chars = 0;

	while (*in != '\0') {
		uint32_t point = 0;
		size_t n = utf8_take(in, &point);

		if (n_chars == max_chars) {
			strcpy(cut, "...");
			return out;
		}
		if (n_chars + 3 <= max_chars)
			cut = end;
		if (n == 0 || is_unfit(point) || (!utf8 && point > 0x7e)) {
			*end++ = stand_in(point);
			n = n == 0 ? 1 : n;
		} else {
			memcpy(end, in, n);
			end += n;
		}
		*end = '\0';
		in += n;
		n_chars++;
	}
	return out;
}

size_t clean_columns(const char *s)
{
	size_t n = 0;

	for (; *s != '\0'; s++)
		n += ((unsigned char)*s & 0xc0) != 0x80;
	return n;
}
