/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of NDR and PDR: MLRsearch's results from the stored trials. */
#include "config.h"

#include "plan/analysis_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"
#include "plan/ndr.h"

/* Rounding of a limit that is computed anew from what was stored. */
#define LIMIT_SLACK 1e-9

struct search {
	size_t n;
	struct mlrsearch_trial *trials;
	const struct trial **from; /* the run's trial behind each */
	double min_pps, max_pps;
};

/* Trials as they were fed; the first one was at the search's highest load. */
static void search_make(const struct run *run, struct search *s)
{
	size_t i;

	*s = (struct search){ .n = 0 };
	s->trials = xcalloc(run->n_trials, sizeof(*s->trials));
	s->from = xcalloc(run->n_trials, sizeof(*s->from));
	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];
		double loss;

		if (t->spec.kind != TRIAL_NDR || t->spec.arm != 0)
			continue;
		if (!(s->max_pps > 0) && t->spec.rel_rate > 0) {
			s->max_pps = t->spec.rate_pps;
			s->min_pps = t->spec.rate_pps / t->spec.rel_rate *
				     NDR_MIN_REL_RATE * (1 + LIMIT_SLACK);
		}
		loss = ndr_loss_frac(run->config.ndr, t);
		if (!isfinite(loss))
			continue;
		s->from[s->n] = t;
		s->trials[s->n++] = (struct mlrsearch_trial){ t->spec.rate_pps,
			t->spec.duration_ns, t->spec.duration_ns, loss };
	}
}

/* Who failed most of the bad trials at the upper bound, when it was not the SUT. */
static enum limited_by spoiled_by(
	const struct search *s, double upper_pps, const struct mlrsearch_goal *goal)
{
	size_t n[LIMITED_RECEIVER + 1] = { 0 }, i, n_sut;

	for (i = 0; i < s->n; i++)
		if (fabs(s->trials[i].load_pps - upper_pps) <=
				LIMIT_SLACK * upper_pps &&
			s->trials[i].loss_frac > goal->loss_frac)
			n[s->from[i]->limited_by]++;
	n_sut = n[LIMITED_NOT] + n[LIMITED_SUT];
	if (n[LIMITED_GENERATOR] + n[LIMITED_RECEIVER] <= n_sut)
		return LIMITED_NOT;
	return n[LIMITED_GENERATOR] >= n[LIMITED_RECEIVER] ? LIMITED_GENERATOR
							   : LIMITED_RECEIVER;
}

static void throughput_make(const struct search *s, const struct mlrsearch_goal *goal,
	struct analysis_throughput *ret)
{
	struct mlrsearch_result r;

	mlrsearch_result_make(s->trials, s->n, goal, s->min_pps, s->max_pps, &r);
	*ret = (struct analysis_throughput){
		.is_asked = true,
		.end = r.end,
		.pps = r.throughput_pps,
		.lo_pps = r.lower_pps,
		.hi_pps = r.upper_pps,
		.n_trials = s->n,
	};
	if (isfinite(r.upper_pps))
		ret->spoiled_by = spoiled_by(s, r.upper_pps, goal);
	if (ret->spoiled_by != LIMITED_NOT)
		ret->pps = (double)NAN;
}

void analysis_ndr_make(const struct run *run, struct analysis *a)
{
	struct mlrsearch_config c;
	struct search s;

	if (run->config.ndr == NDR_NONE || run->config.n_rates > 0 || a->n_arms == 0)
		return;
	search_make(run, &s);
	ndr_config_make(run->config.ndr, s.min_pps, s.max_pps, &c);
	throughput_make(&s, &c.goals[NDR_GOAL_NDR], &a->arms[0].ndr);
	if (c.n_goals > NDR_GOAL_PDR)
		throughput_make(&s, &c.goals[NDR_GOAL_PDR], &a->arms[0].pdr);
	free(s.trials);
	free(s.from);
}

const char *analysis_throughput_word(const struct analysis_throughput *t)
{
	return t->spoiled_by != LIMITED_NOT ? limited_by_name(t->spoiled_by)
					    : mlrsearch_end_name(t->end);
}

static bool is_exact(const struct analysis_throughput *t)
{
	return t->end == MLRSEARCH_REGULAR && t->spoiled_by == LIMITED_NOT;
}

static void reason_add(
	struct analysis *a, const char *name, const struct analysis_throughput *t)
{
	char rate[32];

	if (!t->is_asked || is_exact(t))
		return;
	if (t->spoiled_by != LIMITED_NOT) {
		analysis_add_reason(a, "%s: the %s, not the SUT, was the limit at %s",
			name, limited_by_name(t->spoiled_by),
			units_pps_format(rate, sizeof(rate), t->hi_pps));
		return;
	}
	switch (t->end) {
	case MLRSEARCH_ABOVE_MAX:
		analysis_add_reason(a, "%s is above %s, the highest load of its search",
			name, units_pps_format(rate, sizeof(rate), t->lo_pps));
		break;
	case MLRSEARCH_BELOW_MIN:
		analysis_add_reason(a,
			"%s has no lower bound: the loss goal is missed at %s already, "
			"the lowest load of its search",
			name, units_pps_format(rate, sizeof(rate), t->hi_pps));
		break;
	case MLRSEARCH_REGULAR:
	case MLRSEARCH_UNFINISHED:
		analysis_add_reason(a,
			"%s: the search was not finished within its time, after %zu "
			"trials",
			name, t->n_trials);
		break;
	}
}

void analysis_ndr_reasons(struct analysis *a)
{
	if (a->n_arms == 0)
		return;
	reason_add(a, "NDR", &a->arms[0].ndr);
	reason_add(a, "PDR", &a->arms[0].pdr);
}

enum exit_code analysis_exit_code(const struct analysis *a)
{
	enum exit_code code = verdict_exit_code(a->verdict);
	size_t i;

	for (i = 0; i < 2 && a->n_arms > 0; i++) {
		const struct analysis_throughput *t =
			i == 0 ? &a->arms[0].ndr : &a->arms[0].pdr;

		if (!t->is_asked || is_exact(t))
			continue;
		if (t->spoiled_by != LIMITED_NOT)
			code = EXIT_BROKEN;
		else if (code == EXIT_DONE)
			code = EXIT_INCONCLUSIVE;
	}
	return code;
}
