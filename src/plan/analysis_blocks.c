/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis, for people: which blocks do not count, and why. */
#include "config.h"

#include "plan/analysis_private.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

#define CAUSE_LEN    200
#define N_BLOCKS_MAX 12 /* that are named; the others are counted */
#define N_CAUSES_MAX 3  /* told of each arm */

/* The first reason that a trial of the mini-sweep gives for not being valid. */
static const char *trial_reason(
	const struct analysis *a, const struct analysis_minisweep *m)
{
	size_t i;

	for (i = 0; i < m->n_trials; i++) {
		const struct trial *t = a->grid[m->first_trial + i];

		if (!t->valid && t->n_reasons > 0)
			return t->reasons[0];
	}
	return NULL;
}

/* What helps where it has fallen short. */
static const char *advice(const struct run *run, const struct analysis *a,
	const struct analysis_minisweep *m)
{
	/* The fact is there where the generator is an outside one. */
	if (m->spoiled_by == LIMITED_GENERATOR && run_fact(run, "generator") == NULL &&
		a->grid[m->first_trial]->spec.burst < TRAFFIC_BURST_MAX)
		return " (a larger --burst lets it send more)";
	return "";
}

/* False when the mini-sweep counts. */
static bool cause_of(const struct run *run, const struct analysis *a,
	const struct analysis_minisweep *m, char cause[CAUSE_LEN])
{
	const char *why = trial_reason(a, m);

	if (m->spoiled_by != LIMITED_NOT)
		(void)snprintf(cause, CAUSE_LEN,
			"the %s was the limit at the upper rates, so the SUT's knee was "
			"not reached%s",
			limited_by_name(m->spoiled_by), advice(run, a, m));
	else if (m->is_crowded)
		(void)snprintf(cause, CAUSE_LEN,
			"others had the SUT wait for a CPU, longer than in other blocks");
	else if (m->fit.kind != HINGE_INVALID)
		return false;
	else if (why != NULL)
		(void)snprintf(cause, CAUSE_LEN, "a trial was not valid: %.160s", why);
	else if (m->n_trials < run->config.n_rel_rates)
		(void)snprintf(cause, CAUSE_LEN, "cut short");
	else
		(void)snprintf(cause, CAUSE_LEN,
			"goodput over rate has neither a knee nor a clear slope");
	return true;
}

/* The arm's blocks from mini-sweep i on that share its cause, as one reason. */
static void reason_add(const struct run *run, struct analysis *a, size_t i,
	const char *cause, bool *told)
{
	const struct analysis_minisweep *m = &a->minisweeps[i];
	char other[CAUSE_LEN], list[N_BLOCKS_MAX * 12] = "";
	size_t k, n = 0, len = 0;

	for (k = i; k < a->n_minisweeps; k++) {
		const struct analysis_minisweep *o = &a->minisweeps[k];

		if (o->arm != m->arm || !cause_of(run, a, o, other) ||
			strcmp(cause, other) != 0)
			continue;
		told[k] = true;
		if (n++ < N_BLOCKS_MAX)
			len += (size_t)snprintf(list + len, sizeof(list) - len, "%s%u",
				len > 0 ? ", " : "", o->block);
	}
	if (n > N_BLOCKS_MAX)
		analysis_add_reason(a,
			"arm %s: blocks %s and %zu more do not count: %s",
			a->arms[m->arm].name, list, n - N_BLOCKS_MAX, cause);
	else
		analysis_add_reason(a, "arm %s: block%s %s %s not count: %s",
			a->arms[m->arm].name, units_s(n), list, n == 1 ? "does" : "do",
			cause);
}

void analysis_blocks_reasons(const struct run *run, struct analysis *a)
{
	bool *told = xcalloc(a->n_minisweeps, sizeof(*told));
	char cause[CAUSE_LEN];
	uint32_t arm;
	size_t i;

	for (arm = 0; arm < a->n_arms; arm++) {
		size_t n_causes = 0, n_left = 0;

		for (i = 0; i < a->n_minisweeps; i++) {
			if (a->minisweeps[i].arm != arm || told[i] ||
				!cause_of(run, a, &a->minisweeps[i], cause))
				continue;
			if (n_causes++ < N_CAUSES_MAX)
				reason_add(run, a, i, cause, told);
			else
				n_left++;
		}
		if (n_left > 0)
			analysis_add_reason(a,
				"arm %s: %zu more block%s %s not count, for such reasons",
				a->arms[arm].name, n_left, units_s(n_left),
				n_left == 1 ? "does" : "do");
	}
	free(told);
}
