/* SPDX-License-Identifier: GPL-3.0-or-later */
/* /proc/kallsyms: text symbols sorted by address. */
#include "config.h"

#include "symbol/kallsyms.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"

/* kallsyms has no sizes: behind the last symbol of a module lies nothing of it. */
#define LAST_FUNCTION_BYTES 65536u

struct ksym {
	uint64_t addr;
	const char *name, *module; /* into text */
	bool is_global;
};

struct kallsyms {
	char *text;
	size_t n, cap;
	struct ksym *syms; /* ascending by address, one an address */
	enum kallsyms_state state;
};

static int ksym_compare(const void *va, const void *vb)
{
	const struct ksym *a = va, *b = vb;

	if (a->addr != b->addr)
		return a->addr < b->addr ? -1 : 1;
	if (a->is_global != b->is_global)
		return a->is_global ? -1 : 1;
	return a->name < b->name ? -1 : a->name > b->name; /* order of the file */
}

/* One line, NUL-terminated: "ffffffff81000000 T _stext" + "\t[module]". */
static bool parse_line(char *line, struct ksym *s)
{
	char *end, *tab;
	char type;

	s->addr = strtoull(line, &end, 16);
	if (end == line || end[0] != ' ' || end[1] == '\0' || end[2] != ' ')
		return false;
	type = end[1];
	if (type != 't' && type != 'T' && type != 'w' && type != 'W')
		return false;
	s->is_global = type == 'T' || type == 'W';
	s->name = end + 3;
	s->module = "";
	tab = strchr(end + 3, '\t');
	if (tab != NULL) {
		*tab = '\0';
		if (tab[1] == '[') {
			s->module = tab + 2;
			tab[1 + strcspn(tab + 1, "]")] = '\0';
		}
	}
	return s->name[0] != '\0';
}

static void drop_duplicates(struct kallsyms *k)
{
	size_t i, n = 0;

	for (i = 0; i < k->n; i++)
		if (n == 0 || k->syms[n - 1].addr != k->syms[i].addr)
			k->syms[n++] = k->syms[i];
	k->n = n;
}

/* Takes text, which has a NUL at text[len]. */
static struct kallsyms *kallsyms_take(char *text, size_t len)
{
	struct kallsyms *k = xcalloc(1, sizeof(*k));
	bool any_address = false;
	char *line = text, *eol;

	k->text = text;
	for (; line < text + len; line = eol + 1) {
		struct ksym s;

		eol = line + strcspn(line, "\n");
		*eol = '\0';
		if (!parse_line(line, &s))
			continue;
		any_address |= s.addr != 0;
		k->syms = xgrow(k->syms, k->n, &k->cap, sizeof(*k->syms));
		k->syms[k->n++] = s;
	}
	k->state = k->n == 0      ? KALLSYMS_MISSING
		   : !any_address ? KALLSYMS_HIDDEN
				  : KALLSYMS_OK;
	if (k->n > 0)
		qsort(k->syms, k->n, sizeof(*k->syms), ksym_compare);
	drop_duplicates(k);
	return k;
}

struct kallsyms *kallsyms_parse(const char *text, size_t len)
{
	char *copy = xcalloc(len + 1, 1);

	memcpy(copy, text, len);
	return kallsyms_take(copy, len);
}

struct kallsyms *kallsyms_load(int root_fd)
{
	size_t len = 0, cap = (size_t)1 << 20;
	char *text = xreallocarray(NULL, cap, 1);
	int fd = openat(root_fd, "proc/kallsyms", O_RDONLY | O_CLOEXEC);
	ssize_t n = 0;

	/* The kernel hands out a page a call, so the file says no size. */
	while (fd >= 0 && (n = read(fd, text + len, cap - len - 1)) > 0) {
		len += (size_t)n;
		if (cap - len < 65536) {
			cap *= 2;
			text = xreallocarray(text, cap, 1);
		}
	}
	if (fd >= 0)
		(void)close(fd);
	text[len] = '\0';
	return kallsyms_take(text, len);
}

void kallsyms_free(struct kallsyms *k)
{
	if (k == NULL)
		return;
	free(k->syms);
	free(k->text);
	free(k);
}

enum kallsyms_state kallsyms_state(const struct kallsyms *k)
{
	return k->state;
}

bool kallsyms_find(
	const struct kallsyms *k, uint64_t addr, struct kallsyms_hit *ret_hit)
{
	size_t lo = 0, hi = k->n;
	const struct ksym *s;

	if (k->state != KALLSYMS_OK)
		return false;
	while (lo < hi) { /* the first symbol above addr */
		size_t mid = lo + (hi - lo) / 2;

		if (k->syms[mid].addr <= addr)
			lo = mid + 1;
		else
			hi = mid;
	}
	if (lo == 0)
		return false;
	s = &k->syms[lo - 1];
	if ((lo == k->n || strcmp(s[1].module, s->module) != 0) &&
		addr - s->addr >= LAST_FUNCTION_BYTES)
		return false;
	if (s->addr == 0)
		return false;
	ret_hit->name = s->name;
	ret_hit->module = s->module;
	ret_hit->start = s->addr;
	return true;
}
