/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of causes: of each shift that is one, or may be. */
#include "config.h"

#include "plan/analysis_private.h"
#include "plan/causes.h"

/* Where there is nothing to explain, what differs explains nothing. */
static bool asks_why(enum verdict v)
{
	return v == VERDICT_HELPS || v == VERDICT_HURTS || v == VERDICT_INCONCLUSIVE;
}

void analysis_causes_make(const struct run *run, struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->n_grid; i++)
		a->has_facts |= a->grid[i]->facts.n > 0;
	for (i = 0; i < a->n_shifts; i++) {
		struct analysis_shift *s = &a->shifts[i];

		if (asks_why(s->verdict))
			s->n_causes = causes_make(
				run, a, s->ref, s->arm, NULL, 0, &s->causes);
	}
}
