/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names in a shell command, replaced so that the shell sees one value. */
#include "config.h"

#include "observe/outside_words.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define CPUS_TEXT_MAX 4096

/* Where in a shell command a character stands. */
enum place { PLACE_OPEN, PLACE_SINGLE, PLACE_DOUBLE };

struct text {
	char *s;
	size_t n, cap;
};

static void put(struct text *t, char c)
{
	t->s = xgrow(t->s, t->n, &t->cap, 1);
	t->s[t->n++] = c;
}

static void put_all(struct text *t, const char *s)
{
	while (*s != '\0')
		put(t, *s++);
}

/* Nothing in it means anything to a shell. */
static bool is_plain(const char *value)
{
	for (; *value != '\0'; value++)
		if (!isalnum((unsigned char)*value) &&
			strchr("/._-+:,@%=", *value) == NULL)
			return false;
	return true;
}

static void put_value(struct text *t, const char *value, enum place place)
{
	bool quote = place == PLACE_OPEN && !is_plain(value);

	if (quote)
		put(t, '\'');
	for (; *value != '\0'; value++) {
		if (place == PLACE_DOUBLE && strchr("$`\"\\", *value) != NULL)
			put(t, '\\');
		if (place != PLACE_DOUBLE && *value == '\'')
			put_all(t, "'\\'"); /* out of the quotes, and in again */
		put(t, *value);
	}
	if (quote)
		put(t, '\'');
}

/* What a character does to the place of those after it. */
static enum place place_after(enum place p, char c)
{
	if (c == '\'' && p != PLACE_DOUBLE)
		return p == PLACE_SINGLE ? PLACE_OPEN : PLACE_SINGLE;
	if (c == '"' && p != PLACE_SINGLE)
		return p == PLACE_DOUBLE ? PLACE_OPEN : PLACE_DOUBLE;
	return p;
}

void outside_words_cpus(const int *cpus, size_t n_cpus, char *buf, size_t len)
{
	size_t i, at = 0;

	buf[0] = '\0';
	for (i = 0; i < n_cpus && at < len; i++)
		at += (size_t)snprintf(
			buf + at, len - at, "%s%d", i > 0 ? "," : "", cpus[i]);
}

char *outside_words_expand(const char *command, const struct outside_words *w)
{
	char pid[16], cpus[CPUS_TEXT_MAX];
	const struct {
		const char *name, *value;
	} names[] = {
		{ "{pid}", w->pid > 0 ? pid : NULL },
		{ "{cpus}", w->n_cpus > 0 ? cpus : NULL },
		{ "{dir}", w->dir },
		{ "{arm}", w->arm },
		{ "{in}", w->in },
		{ "{out}", w->out },
	};
	const size_t n_names = sizeof(names) / sizeof(names[0]);
	enum place place = PLACE_OPEN;
	struct text t = { 0 };
	size_t i;

	(void)snprintf(pid, sizeof(pid), "%d", (int)w->pid);
	outside_words_cpus(w->cpus, w->n_cpus, cpus, sizeof(cpus));
	while (*command != '\0') {
		for (i = 0; i < n_names; i++)
			if (names[i].value != NULL &&
				strncmp(command, names[i].name,
					strlen(names[i].name)) == 0)
				break;
		if (i < n_names) {
			put_value(&t, names[i].value, place);
			command += strlen(names[i].name);
			continue;
		}
		if (*command == '\\' && place != PLACE_SINGLE && command[1] != '\0')
			put(&t, *command++); /* the next one is only itself */
		else
			place = place_after(place, *command);
		put(&t, *command++);
	}
	put(&t, '\0');
	return t.s;
}
