/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The presets of --ndr, and the loss of a trial as MLRsearch takes it. */
#include "config.h"

#include "plan/ndr.h"

#include <math.h>

#include "base/clock.h"

#define PDR_LOSS_FRAC  0.005
#define WINDOW_RESOLVE 0.25 /* of the width */
#define EDGE_BURSTS    2.0

struct preset {
	struct mlrsearch_goal goal; /* loss_frac: the goals' own */
	size_t n_goals;
	unsigned max_trials, usual_trials;
	uint64_t max_ns;
};

static const struct preset presets[] = {
	[NDR_LIGHT] = {
		.goal = { 0, 0.5, 0.01, 500 * NS_PER_MS, 5 * NS_PER_S, 500 * NS_PER_MS,
			2, 2 },
		.n_goals = 2,
		.max_trials = 150,
		.usual_trials = 25,
		.max_ns = 75 * NS_PER_S,
	},
	[NDR_CSIT] = {
		.goal = { 0, 0.5, 0.005, NS_PER_S, 21 * NS_PER_S, NS_PER_S, 2, 2 },
		.n_goals = 2,
		.max_trials = 600,
		.usual_trials = 70,
		.max_ns = 600 * NS_PER_S,
	},
	[NDR_RFC2544] = {
		.goal = { 0, 0, 0.005, 60 * NS_PER_S, 60 * NS_PER_S, 60 * NS_PER_S, 0,
			2 },
		.n_goals = 1,
		.max_trials = 60,
		.usual_trials = 9,
		.max_ns = 3600 * NS_PER_S,
	},
};

void ndr_config_make(enum ndr_preset preset, double min_pps, double max_pps,
	struct mlrsearch_config *ret_config)
{
	const struct preset *p = &presets[preset];

	*ret_config = (struct mlrsearch_config){
		.min_pps = min_pps,
		.max_pps = max_pps,
		.n_goals = p->n_goals,
		.max_trials = p->max_trials,
		.max_ns = p->max_ns,
	};
	ret_config->goals[NDR_GOAL_NDR] = p->goal;
	ret_config->goals[NDR_GOAL_PDR] = p->goal;
	ret_config->goals[NDR_GOAL_PDR].loss_frac = PDR_LOSS_FRAC;
}

uint64_t ndr_trial_ns(enum ndr_preset preset)
{
	return presets[preset].goal.trial_ns;
}

uint64_t ndr_warmup_ns(enum ndr_preset preset)
{
	uint64_t ns = presets[preset].goal.trial_ns;

	return ns < NS_PER_S ? ns : NS_PER_S;
}

uint64_t ndr_estimate_ns(enum ndr_preset preset, uint64_t overhead_ns)
{
	const struct preset *p = &presets[preset];

	return ndr_warmup_ns(preset) +
	       p->usual_trials * (p->goal.trial_ns + overhead_ns);
}

/* |offered - forwarded| + |intended - offered| over the larger of the two. */
static double robust_loss_frac(const struct trial *t)
{
	double intended = 0, offered = 0, forwarded = 0, all;
	size_t i;

	for (i = 0; i < t->n_ledgers; i++) {
		const struct ledger *l = &t->ledgers[i];

		if (l->source[LEDGER_INTENDED] == LEDGER_ABSENT ||
			l->source[LEDGER_OFFERED] == LEDGER_ABSENT ||
			l->source[LEDGER_UNIQUE] == LEDGER_ABSENT)
			return fabs(t->loss_frac);
		intended += (double)l->count[LEDGER_INTENDED];
		offered += (double)l->count[LEDGER_OFFERED];
		forwarded += (double)l->count[LEDGER_UNIQUE];
	}
	if (t->n_ledgers == 0)
		return fabs(t->loss_frac);
	all = fmax(offered, intended);
	if (!(all > 0))
		return 0;
	return fmin(1, (fabs(offered - forwarded) + fabs(intended - offered)) / all);
}

double ndr_loss_frac(enum ndr_preset preset, const struct trial *t)
{
	double loss, behind, resolved, window_pkts;

	if (!t->valid || !(t->spec.rate_pps > 0))
		return (double)NAN;
	loss = robust_loss_frac(t);
	window_pkts = t->spec.rate_pps * (double)t->window_ns / (double)NS_PER_S;
	if (!(window_pkts > 0) || !isfinite(t->window_pps))
		return loss;
	behind = 1 - t->window_pps / t->spec.rate_pps;
	resolved = fmax(WINDOW_RESOLVE * presets[preset].goal.width_frac,
		EDGE_BURSTS * fmax(1, t->spec.burst) / window_pkts);
	return behind > resolved ? fmax(loss, behind) : loss;
}
