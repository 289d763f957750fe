/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Selectors: the words of one, and the file that stands before them. */
#include "config.h"

#include "plan/selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* Longest term: "arm=" and a name, a rate in full. */
#define TERM_MAX 128

static int too_many(const char *what, struct sp_err *err)
{
	return sp_err_set(
		err, SP_EUSAGE, "selector: at most %d of %s", SELECTOR_MAX, what);
}

static int arm_add(struct selector *s, const char *name, struct sp_err *err)
{
	if (s->n_arms == SELECTOR_MAX)
		return too_many("arm=", err);
	if (name[0] == '\0' || strlen(name) >= ARM_NAME_MAX)
		return sp_err_set(err, SP_EUSAGE,
			"selector: '%s' is not the name of an arm", name);
	(void)snprintf(s->arms[s->n_arms++], ARM_NAME_MAX, "%s", name);
	return 0;
}

/* "LO..HI" in two, in place; without the dots both are the whole. */
static void range_split(char *value, const char **ret_lo, const char **ret_hi)
{
	char *dots = strstr(value, "..");

	*ret_lo = *ret_hi = value;
	if (dots == NULL)
		return;
	*dots = '\0';
	*ret_hi = dots + 2;
}

static int rate_add(struct selector *s, char *value, struct sp_err *err)
{
	struct selector_rates r;
	const char *lo, *hi;
	int rc;

	if (s->n_rates == SELECTOR_MAX)
		return too_many("rate=", err);
	range_split(value, &lo, &hi);
	rc = units_rate_parse(lo, &r.lo, err);
	if (rc == 0)
		rc = units_rate_parse(hi, &r.hi, err);
	if (rc != 0)
		return sp_err_push(err, "selector");
	s->rates[s->n_rates++] = r;
	return 0;
}

static int trial_add(struct selector *s, char *value, struct sp_err *err)
{
	uint64_t first = 0, last = 0;
	const char *lo, *hi;
	int rc;

	if (s->n_trials == SELECTOR_MAX)
		return too_many("trial=", err);
	range_split(value, &lo, &hi);
	rc = units_u64_parse(lo, 1, UINT32_MAX, &first, err);
	if (rc == 0)
		rc = units_u64_parse(hi, first, UINT32_MAX, &last, err);
	if (rc != 0)
		return sp_err_push(err, "selector: trial=");
	s->trials[s->n_trials++] =
		(struct selector_ids){ (uint32_t)first, (uint32_t)last };
	return 0;
}

static int term_parse(struct selector *s, char *term, struct sp_err *err)
{
	char *value = strchr(term, '=');

	if (strcmp(term, "below") == 0)
		s->below = true;
	else if (strcmp(term, "above") == 0)
		s->above = true;
	else if (strcmp(term, "off") == 0)
		s->off = true;
	else if (strcmp(term, "on") == 0)
		s->on = true;
	else if (value != NULL && strncmp(term, "arm=", 4) == 0)
		return arm_add(s, value + 1, err);
	else if (value != NULL && strncmp(term, "rate=", 5) == 0)
		return rate_add(s, value + 1, err);
	else if (value != NULL && strncmp(term, "trial=", 6) == 0)
		return trial_add(s, value + 1, err);
	else
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a selector: use below, above, off, on, arm=NAME, "
			"rate=RATE or rate=LOW..HIGH, trial=N or trial=N..M, joined by "
			"commas",
			term);
	return 0;
}

int selector_parse(const char *s, struct selector *ret, struct sp_err *err)
{
	struct selector sel = { .below = false };
	const char *at = s;

	while (at != NULL) {
		size_t len = strcspn(at, ",");
		char term[TERM_MAX];
		int rc;

		if (len >= sizeof(term))
			return sp_err_set(err, SP_EUSAGE,
				"selector: '%.20s...' is too long for one", at);
		if (len > 0 && at[0] == '@') {
			at++;
			len--;
		}
		memcpy(term, at, len);
		term[len] = '\0';
		rc = term_parse(&sel, term, err);
		if (rc != 0)
			return rc;
		at = at[len] == ',' ? at + len + 1 : NULL;
	}
	*ret = sel;
	return 0;
}

/* The last '@' before end, or NULL. */
static const char *at_before(const char *word, const char *end)
{
	while (end > word)
		if (*--end == '@')
			return end;
	return NULL;
}

void selector_split(const char *word, bool (*is_file)(const char *path),
	char **ret_path, char **ret_selector)
{
	const char *at = word + strlen(word);
	struct selector sel;
	struct sp_err err;

	*ret_path = xstrdup(word);
	*ret_selector = NULL;
	if (is_file(word))
		return;
	while ((at = at_before(word, at)) != NULL) {
		free(*ret_path);
		*ret_path = xasprintf("%.*s", (int)(at - word), word);
		if (is_file(*ret_path)) {
			*ret_selector = xstrdup(at + 1);
			return;
		}
	}
	free(*ret_path);
	at = strchr(word, '@');
	while (at != NULL && (at == word || selector_parse(at + 1, &sel, &err) != 0))
		at = strchr(at + 1, '@');
	if (at == NULL) {
		*ret_path = xstrdup(word);
		return;
	}
	*ret_path = xasprintf("%.*s", (int)(at - word), word);
	*ret_selector = xstrdup(at + 1);
}
