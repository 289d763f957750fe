/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nearest event name by edit distance over libpfm4's tables. */
#include "config.h"

#include "os/pfm_suggest.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#include <perfmon/pfmlib.h>

#define WORD_MAX 96

/* The best so far. */
struct nearest {
	const char *want;
	size_t limit; /* distances above it are no suggestion */
	size_t best;
	char name[WORD_MAX];
};

static size_t min3(size_t a, size_t b, size_t c)
{
	size_t m = a < b ? a : b;

	return m < c ? m : c;
}

/* Levenshtein distance without regard to case; WORD_MAX when one is too long. */
static size_t edit_distance(const char *a, const char *b)
{
	size_t row[WORD_MAX + 1], na = strlen(a), nb = strlen(b), i, j;

	if (na >= WORD_MAX || nb >= WORD_MAX)
		return WORD_MAX;
	for (j = 0; j <= nb; j++)
		row[j] = j;
	for (i = 1; i <= na; i++) {
		size_t diagonal = row[0];

		row[0] = i;
		for (j = 1; j <= nb; j++) {
			size_t up = row[j];
			bool same = tolower((unsigned char)a[i - 1]) ==
				    tolower((unsigned char)b[j - 1]);

			row[j] = min3(up + 1, row[j - 1] + 1, diagonal + !same);
			diagonal = up;
		}
	}
	return row[nb];
}

static void nearest_consider(struct nearest *n, const char *candidate)
{
	size_t d = edit_distance(n->want, candidate);

	if (d > n->limit || d >= n->best)
		return;
	n->best = d;
	(void)snprintf(n->name, sizeof(n->name), "%s", candidate);
}

static void nearest_init(struct nearest *n, const char *want)
{
	n->want = want;
	n->limit = strlen(want) / 3 + 1;
	n->best = WORD_MAX;
	n->name[0] = '\0';
}

/* "skx::inst_retired.any" -> pmu "skx", event "inst_retired", rest "any". */
struct event_words {
	char pmu[WORD_MAX], event[WORD_MAX], umask[WORD_MAX];
};

static bool split(const char *name, struct event_words *w)
{
	const char *p = strstr(name, "::");
	size_t n;

	memset(w, 0, sizeof(*w));
	if (p != NULL) {
		if ((size_t)(p - name) >= WORD_MAX)
			return false;
		memcpy(w->pmu, name, (size_t)(p - name));
		name = p + 2;
	}
	n = strcspn(name, ":.");
	if (n >= WORD_MAX)
		return false;
	memcpy(w->event, name, n);
	if (name[n] != '\0')
		(void)snprintf(w->umask, sizeof(w->umask), "%.*s",
			(int)strcspn(name + n + 1, ":."), name + n + 1);
	return true;
}

static bool pmu_info(pfm_pmu_t pmu, pfm_pmu_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_pmu_info(pmu, info) == PFM_SUCCESS;
}

static bool event_info(int idx, pfm_event_info_t *info)
{
	memset(info, 0, sizeof(*info));
	info->size = sizeof(*info);
	return pfm_get_event_info(idx, PFM_OS_NONE, info) == PFM_SUCCESS;
}

/* The umask of event idx nearest to the one asked for. */
static bool suggest_umask(const struct event_words *w, int idx, char *buf, size_t len)
{
	pfm_event_attr_info_t attr;
	pfm_event_info_t ev;
	struct nearest near;
	int i;

	if (w->umask[0] == '\0' || !event_info(idx, &ev))
		return false;
	nearest_init(&near, w->umask);
	near.limit = WORD_MAX; /* any of the few is a help */
	for (i = 0; i < ev.nattrs; i++) {
		memset(&attr, 0, sizeof(attr));
		attr.size = sizeof(attr);
		if (pfm_get_event_attr_info(idx, i, PFM_OS_NONE, &attr) ==
				PFM_SUCCESS &&
			attr.type == PFM_ATTR_UMASK)
			nearest_consider(&near, attr.name);
	}
	if (near.name[0] == '\0' || strcasecmp(near.name, w->umask) == 0)
		return false;
	(void)snprintf(buf, len, "%s%s%s:%s", w->pmu, w->pmu[0] ? "::" : "", w->event,
		near.name);
	return true;
}

/* libpfm4 knows some events by a second name that its list does not show. */
static bool suggest_alias(const struct event_words *w, char *buf, size_t len)
{
	char full[2 * WORD_MAX + 4];
	int idx;

	(void)snprintf(
		full, sizeof(full), "%s%s%s", w->pmu, w->pmu[0] ? "::" : "", w->event);
	idx = pfm_find_event(full);
	return idx >= 0 && suggest_umask(w, idx, buf, len);
}

static bool pmu_matters(const struct event_words *w, const pfm_pmu_info_t *info)
{
	if (w->pmu[0] != '\0')
		return strcasecmp(w->pmu, info->name) == 0;
	return info->is_present;
}

bool pfm_suggest(
	const char *name, const char *const *ours, size_t n_ours, char *buf, size_t len)
{
	struct event_words w;
	struct nearest near;
	pfm_event_info_t ev;
	pfm_pmu_info_t pmu;
	size_t i;
	int p, idx;

	if (!split(name, &w) || w.event[0] == '\0')
		return false;
	nearest_init(&near, w.event);
	for (i = 0; i < n_ours && w.pmu[0] == '\0'; i++)
		nearest_consider(&near, ours[i]);
	pfm_for_all_pmus(p)
	{
		if (!pmu_info((pfm_pmu_t)p, &pmu) || !pmu_matters(&w, &pmu))
			continue;
		for (idx = pmu.first_event; idx != -1; idx = pfm_get_event_next(idx)) {
			if (!event_info(idx, &ev))
				continue;
			nearest_consider(&near, ev.name);
			if (near.best == 0)
				return suggest_umask(&w, idx, buf, len) ||
				       suggest_alias(&w, buf, len);
		}
	}
	if (near.name[0] == '\0')
		return false;
	(void)snprintf(buf, len, "%s%s%s", w.pmu, w.pmu[0] ? "::" : "", near.name);
	return true;
}
