/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sets of small numbers, kept as a sorted array: most hold a few. */
#include "config.h"

#include "base/cpulist.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define GROUP_BITS 32

/* Where id is or would be. */
static size_t place_of(const struct cpulist *l, int id)
{
	size_t lo = 0, hi = l->n;

	/* Lists come in order: the end is the place to look first. */
	if (hi > 0 && l->ids[hi - 1] < id)
		return hi;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (l->ids[mid] < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return lo;
}

bool cpulist_has(const struct cpulist *l, int id)
{
	size_t at = place_of(l, id);

	return at < l->n && l->ids[at] == id;
}

void cpulist_add(struct cpulist *l, int id)
{
	size_t at = place_of(l, id);

	if (id < 0 || id >= CPULIST_MAX || (at < l->n && l->ids[at] == id))
		return;
	l->ids = xgrow(l->ids, l->n, &l->cap, sizeof(*l->ids));
	memmove(l->ids + at + 1, l->ids + at, (l->n - at) * sizeof(*l->ids));
	l->ids[at] = id;
	l->n++;
}

void cpulist_add_all(struct cpulist *l, const struct cpulist *from)
{
	size_t i;

	for (i = 0; i < from->n; i++)
		cpulist_add(l, from->ids[i]);
}

bool cpulist_is_within(const struct cpulist *a, const struct cpulist *b)
{
	size_t i;

	for (i = 0; i < a->n; i++)
		if (!cpulist_has(b, a->ids[i]))
			return false;
	return true;
}

static bool number_parse(const char **s, int *ret)
{
	int v = 0;

	if (!isdigit((unsigned char)**s))
		return false;
	for (; isdigit((unsigned char)**s); (*s)++) {
		v = v * 10 + (**s - '0');
		if (v >= CPULIST_MAX)
			return false;
	}
	*ret = v;
	return true;
}

bool cpulist_parse(const char *s, struct cpulist *l)
{
	struct cpulist got = { 0 };
	int lo, hi, id;

	if (s[strspn(s, " \t\n")] == '\0')
		return true;
	do {
		if (!number_parse(&s, &lo))
			goto bad;
		hi = lo;
		if (*s == '-') {
			s++;
			if (!number_parse(&s, &hi) || hi < lo)
				goto bad;
		}
		for (id = lo; id <= hi; id++)
			cpulist_add(&got, id);
	} while (*s++ == ',');
	s--;
	if (s[strspn(s, " \t\n")] != '\0')
		goto bad;
	cpulist_add_all(l, &got);
	cpulist_done(&got);
	return true;
bad:
	cpulist_done(&got);
	return false;
}

bool cpulist_parse_mask(const char *s, struct cpulist *l)
{
	size_t len = strcspn(s, " \t\n"), i;
	struct cpulist got = { 0 };
	int bit = 0, in_group = 0, k;

	if (len == 0 || s[len + strspn(s + len, " \t\n")] != '\0')
		return false;
	/* From its lowest digit: only the highest group may be short. */
	for (i = len; i-- > 0;) {
		int c = tolower((unsigned char)s[i]);

		if (c == ',' && in_group == GROUP_BITS && i > 0) {
			in_group = 0;
			continue;
		}
		if (!isxdigit(c) || in_group == GROUP_BITS)
			goto bad;
		c = isdigit(c) ? c - '0' : c - 'a' + 10;
		for (k = 0; k < 4; k++)
			if ((c >> k & 1) != 0)
				cpulist_add(&got, bit + k);
		bit += 4;
		in_group += 4;
	}
	cpulist_add_all(l, &got);
	cpulist_done(&got);
	return true;
bad:
	cpulist_done(&got);
	return false;
}

char *cpulist_format(const struct cpulist *l, char *buf, size_t len)
{
	size_t i = 0, at = 0;

	buf[0] = '\0';
	while (i < l->n && at < len) {
		size_t end = i;

		while (end + 1 < l->n && l->ids[end + 1] == l->ids[end] + 1)
			end++;
		at += (size_t)snprintf(
			buf + at, len - at, "%s%d", i > 0 ? "," : "", l->ids[i]);
		if (end > i && at < len)
			at += (size_t)snprintf(buf + at, len - at, "-%d", l->ids[end]);
		i = end + 1;
	}
	return buf;
}

char *cpulist_text(const struct cpulist *l)
{
	size_t len = 6 * l->n + 1; /* "8191," */

	return cpulist_format(l, xcalloc(len, 1), len);
}

char *cpulist_format_mask(const struct cpulist *l)
{
	size_t n = l->n == 0 ? 1 : (size_t)l->ids[l->n - 1] / GROUP_BITS + 1, i;
	unsigned *groups = xcalloc(n, sizeof(*groups));
	char *text = xcalloc(n, 9);
	size_t at = 0;

	for (i = 0; i < l->n; i++)
		groups[l->ids[i] / GROUP_BITS] |= 1U << (l->ids[i] % GROUP_BITS);
	for (i = n; i-- > 0;)
		at += (size_t)snprintf(
			text + at, n * 9 - at, i + 1 == n ? "%x" : ",%08x", groups[i]);
	free(groups);
	return text;
}

void cpulist_done(struct cpulist *l)
{
	free(l->ids);
	*l = (struct cpulist){ 0 };
}
