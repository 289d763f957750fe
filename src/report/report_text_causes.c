/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Why, as text: what differs between the arms, and whether that was confirmed. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "plan/causes.h"
#include "report/report_text_private.h"

#define CAUSES_MAX 4

static const char *state_words(enum cause_state s)
{
	switch (s) {
	case CAUSE_OBSERVED:
		return "observed, not confirmed";
	case CAUSE_CONFIRMED:
		return "confirmed";
	case CAUSE_REFUTED:
		return "refuted: without the observer it does not move the knee so";
	case CAUSE_UNRESOLVED:
		return "forced without the observer, but not decided";
	}
	return "";
}

/* With more than one shift each says of which arm it is. */
static void why_print(
	const struct report_text_out *t, const struct analysis_shift *s, char *text)
{
	char *line = xstrdup(text);

	if (t->a->n_shifts > 1) {
		free(line);
		line = xasprintf("%s: %s", report_text_arm(t, s->arm), text);
	}
	report_text_wrap(t, "Why: ", "     ", line);
	free(line);
	free(text);
}

/* True where nothing is left that could be it. */
static bool is_unknown(const struct analysis_shift *s)
{
	size_t i;

	for (i = 0; i < s->n_causes; i++)
		if (s->causes[i].state == CAUSE_OBSERVED ||
			s->causes[i].state == CAUSE_CONFIRMED)
			return false;
	return true;
}

static void shift_print(const struct report_text_out *t, const struct analysis_shift *s)
{
	size_t i;

	for (i = 0; i < s->n_causes && i < CAUSES_MAX; i++) {
		const struct cause *c = &s->causes[i];

		why_print(t, s,
			xasprintf("%s: %s (%s)", factor_name(c->factor), c->evidence,
				state_words(c->state)));
	}
	if (s->n_causes > CAUSES_MAX)
		why_print(t, s,
			xasprintf("and %zu more that differ: --json has all",
				s->n_causes - CAUSES_MAX));
	if ((s->verdict != VERDICT_HELPS && s->verdict != VERDICT_HURTS) ||
		!is_unknown(s))
		return;
	why_print(t, s,
		xstrdup(!t->a->has_facts  ? "observed, cause unknown: no facts were "
					    "recorded"
			: s->n_causes > 0 ? "observed, cause unknown"
					  : "observed, cause unknown: no recorded fact "
					    "differs between the arms"));
}

void report_text_why(const struct report_text_out *t)
{
	size_t i;

	for (i = 0; i < t->a->n_shifts; i++)
		shift_print(t, &t->a->shifts[i]);
}
