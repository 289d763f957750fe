/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Numbers, held values and lists of names of causes as text. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "plan/causes_private.h"

/* A value that fewer of an arm's trials hold is not worth a word. */
#define HELD_MIN_FRAC 0.10

const char *causes_arm_name(const struct causes_table *t, bool is_arm)
{
	return t->a->arms[is_arm ? t->arm : t->ref].name;
}

const char *causes_pct(char buf[CAUSES_NUM_LEN], double frac)
{
	double p = 100 * frac;

	(void)snprintf(
		buf, CAUSES_NUM_LEN, p >= 9.95 || p < 0.05 ? "%.0f %%" : "%.1f %%", p);
	return buf;
}

const char *causes_number(
	const struct causes_found *f, char buf[CAUSES_NUM_LEN], double value)
{
	const char *unit = fact_info(f->rule->key)->unit;

	switch (f->rule->measure) {
	case CAUSES_SHARE:
	case CAUSES_TIME:
		return causes_pct(buf, value);
	case CAUSES_COST:
		return units_ns_format(buf, CAUSES_NUM_LEN, value);
	case CAUSES_RATE:
		(void)snprintf(buf, CAUSES_NUM_LEN,
			value < 9.95 && value >= 0.05 ? "%.1f" : "%.0f", value);
		return buf;
	case CAUSES_BATCH:
		(void)snprintf(buf, CAUSES_NUM_LEN, "%.3g", value);
		return buf;
	case CAUSES_LEVEL:
	case CAUSES_SETTLED:
		break;
	}
	if (strcmp(unit, "Hz") == 0 && value >= 1e6)
		(void)snprintf(buf, CAUSES_NUM_LEN, "%.2f GHz", value / 1e9);
	else if (strcmp(unit, "bytes") == 0 && value >= 1e6)
		(void)snprintf(buf, CAUSES_NUM_LEN, "%.1f MB", value / 1e6);
	else
		(void)snprintf(buf, CAUSES_NUM_LEN, "%.10g%s%s", value,
			*unit != '\0' ? " " : "", unit);
	return buf;
}

static int held_cmp(const void *x, const void *y)
{
	const struct fact *a = *(const struct fact *const *)x;
	const struct fact *b = *(const struct fact *const *)y;

	if (a->text != NULL && b->text != NULL)
		return strcmp(a->text, b->text);
	return (a->value > b->value) - (a->value < b->value);
}

char *causes_held_text(
	const struct causes_found *f, const struct causes_held *h, size_t *ret_n)
{
	const struct fact *v[CAUSES_HELD_MAX];
	char buf[CAUSES_NUM_LEN], *text = xstrdup("");
	size_t i, n = 0;

	for (i = 0; i < h->n; i++)
		if (i == 0 ||
			(!h->is_settled && (double)h->v[i].n_trials >=
						   HELD_MIN_FRAC * (double)h->n_trials))
			v[n++] = h->v[i].f;
	qsort(v, n, sizeof(const struct fact *), held_cmp);
	for (i = 0; i < n; i++) {
		const char *joint = i == 0 ? "" : i + 1 == n ? " and " : ", ";
		char *longer = xasprintf("%s%s%s", text, joint,
			v[i]->text != NULL ? v[i]->text
					   : causes_number(f, buf, v[i]->value));

		free(text);
		text = longer;
	}
	*ret_n = n;
	return text;
}

/* Whether the list has a word that begins so, or where is_whole is that. */
static bool has_word(const char *list, const char *word, size_t len, bool is_whole)
{
	for (; *list != '\0'; list += strcspn(list, " "), list += strspn(list, " "))
		if (strncmp(list, word, len) == 0 &&
			(!is_whole || list[len] == ' ' || list[len] == '\0'))
			return true;
	return false;
}

static char *name_add(char *list, const char *word, size_t len, const char *how)
{
	char *longer = xasprintf(
		"%s%s%.*s %s", list, *list != '\0' ? ", " : "", (int)len, word, how);

	free(list);
	return longer;
}

/* Appends the names of x that y does not have; and where how_other is given those that
 * it has with another value. */
static char *names_add(char *list, const char *x, const char *y, const char *how_new,
	const char *how_other)
{
	size_t n, name;

	for (; *x != '\0'; x += n, x += strspn(x, " ")) {
		n = strcspn(x, " ");
		name = strcspn(x, "= ");
		if (name == 0 || name == n)
			continue;
		if (!has_word(y, x, name + 1, false))
			list = name_add(list, x, name, how_new);
		else if (how_other != NULL && !has_word(y, x, n, true))
			list = name_add(list, x, name, how_other);
	}
	return list;
}

char *causes_names_differ(
	const struct causes_table *t, const char *ref, const char *arm)
{
	char *only_ref = xasprintf("only with %s", causes_arm_name(t, false));
	char *only_arm = xasprintf("only with %s", causes_arm_name(t, true));
	char *list = names_add(xstrdup(""), arm, ref, only_arm, "differs");

	list = names_add(list, ref, arm, only_ref, NULL);
	free(only_ref);
	free(only_arm);
	return list;
}

void causes_text_copy(char *to, size_t len, const char *from)
{
	size_t n = strlen(from);

	if (n >= len) {
		n = len - 1;
		while (n > 0 && ((unsigned char)from[n] & 0xc0) == 0x80)
			n--;
	}
	memcpy(to, from, n);
	to[n] = '\0';
}
