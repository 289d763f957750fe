/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From what differs to causes: ranked, without what another one explains. */
#include "config.h"

#include "plan/causes.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/causes_private.h"

static int found_cmp(const void *x, const void *y)
{
	const struct causes_found *a = x, *b = y;
	int of;

	if (a->factor != b->factor)
		return a->factor < b->factor ? -1 : 1;
	if (a->rule->tier != b->rule->tier)
		return a->rule->tier < b->rule->tier ? -1 : 1;
	/* Of memory, the node that has gained. */
	if (a->rule->measure == CAUSES_SHARE && b->rule->measure == CAUSES_SHARE &&
		(a->arm > a->ref) != (b->arm > b->ref))
		return a->arm > a->ref ? -1 : 1;
	if (a->effect < b->effect || a->effect > b->effect)
		return a->effect > b->effect ? -1 : 1;
	of = strcmp(a->series->of, b->series->of);
	return of != 0 ? of : (int)a->rule->key - (int)b->rule->key;
}

/* Its object; memory on one node is memory that is not on another. */
static const char *object_of(const struct causes_found *f)
{
	return f->rule->measure == CAUSES_SHARE ? "" : f->series->of;
}

static bool is_of_cpu(const struct causes_held *h, const char *cpu)
{
	double n = strtod(cpu, NULL);
	size_t i;

	for (i = 0; i < h->n; i++)
		if (!(h->v[i].f->value < n) && !(h->v[i].f->value > n))
			return true;
	return false;
}

static bool is_a_symptom(enum factor f)
{
	switch (f) {
	case FACTOR_CONTENTION:
	case FACTOR_INTERRUPTS:
	case FACTOR_FREQUENCY:
	case FACTOR_IDLE:
	case FACTOR_WAKEUPS:
	case FACTOR_BATCHING:
	case FACTOR_STEAL:
		return true;
	case FACTOR_PLACEMENT:
	case FACTOR_MEMORY:
	case FACTOR_LAUNCH:
	case FACTOR_SAMPLING:
	case FACTOR_CLOCK:
	case N_FACTORS:
		break;
	}
	return false;
}

/*
 * A thread that moved leaves a CPU idle and fills another, and waits less or more; one
 * whose CPU others took waits, and that CPU sleeps less. What of that differs is of
 * the same cause.
 */
static bool explains(const struct causes_found *cause, const struct causes_found *f)
{
	enum fact_scope scope = fact_info(f->rule->key)->scope;
	bool moved = cause->rule->key == FACT_THREAD_CPU;

	if (cause->factor == f->factor && strcmp(object_of(cause), object_of(f)) == 0)
		return true;
	if (cause->is_refuted || !is_a_symptom(f->factor) ||
		f->rule->measure == CAUSES_SETTLED)
		return false;
	if (cause->rule->key == FACT_THREAD_NODE)
		return scope == FACT_THREAD || scope == FACT_CPU;
	if (moved || cause->rule->key == FACT_OTHERS_NS) {
		if (scope == FACT_THREAD)
			return true;
		if (scope != FACT_CPU)
			return false;
		return moved ? is_of_cpu(&cause->held_ref, f->series->of) ||
				       is_of_cpu(&cause->held_arm, f->series->of)
			     : strcmp(cause->series->of, f->series->of) == 0;
	}
	return false;
}

/* Keeps the strongest of each factor and object; what they explain is told with them.
 * kept has room for all of l. */
static size_t choose(const struct causes_list *l, struct causes_found *kept)
{
	size_t n = 0, i, k;

	for (i = 0; i < l->n; i++) {
		const struct causes_found *f = &l->found[i];

		for (k = 0; k < n; k++)
			if (explains(&kept[k], f))
				break;
		if (k == n)
			kept[n++] = *f;
		else if (kept[k].n_also < CAUSES_ALSO_MAX)
			kept[k].also[kept[k].n_also++] = f;
	}
	return n;
}

static bool is_refuted(
	const struct causes_found *f, const struct cause *known, size_t n_known)
{
	size_t i;

	for (i = 0; i < n_known; i++)
		if (known[i].state == CAUSE_REFUTED && known[i].factor == f->factor &&
			known[i].key == f->rule->key &&
			strcmp(known[i].of, f->series->of) == 0)
			return true;
	return false;
}

size_t causes_make(const struct run *run, const struct analysis *a, uint32_t ref,
	uint32_t arm, const struct cause *known, size_t n_known,
	struct cause **ret_causes)
{
	struct causes_list l = { .n = 0 };
	struct causes_found *kept, cost;
	struct causes_table t;
	struct cause *causes = NULL;
	size_t n, i;

	causes_table_make(run, a, ref, arm, &t);
	causes_differ(&t, &l);
	if (l.n > 0)
		qsort(l.found, l.n, sizeof(*l.found), found_cmp);
	for (i = 0; i < l.n; i++)
		l.found[i].is_refuted = is_refuted(&l.found[i], known, n_known);
	kept = xcalloc(l.n + 1, sizeof(*kept));
	n = choose(&l, kept);
	if (n == 0 && causes_cost_find(&t, &cost))
		kept[n++] = cost;
	if (n > 0)
		causes = xcalloc(n, sizeof(*causes));
	for (i = 0; i < n; i++)
		causes_words(&t, &kept[i], &causes[i]);
	free(kept);
	free(l.found);
	causes_table_done(&t);
	*ret_causes = causes;
	return n;
}

const char *cause_state_name(enum cause_state s)
{
	switch (s) {
	case CAUSE_OBSERVED:
		return "observed";
	case CAUSE_CONFIRMED:
		return "confirmed";
	case CAUSE_REFUTED:
		return "refuted";
	case CAUSE_UNRESOLVED:
		return "unresolved";
	}
	return "?";
}
