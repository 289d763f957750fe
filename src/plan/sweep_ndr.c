/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep's last stage: NDR and PDR of the reference arm (--ndr). */
#include "config.h"

#include <math.h>

#include "plan/ndr.h"
#include "plan/sweep_plan_private.h"

#define REFERENCE_ARM 0

/*
 * What is known of the generator's ceiling at the burst in force. A trial that it
 * limited counts only while no higher rate was fully sent: else it was a hiccup.
 */
static bool is_whole(const struct trial *t)
{
	size_t i;

	for (i = 0; i < t->n_ledgers; i++)
		if (t->ledgers[i].count[LEDGER_UNSENT] > 0)
			return false;
	return true;
}

void sweep_ndr_note_generator(struct sweep_plan *p, const struct trial *t)
{
	struct generator_reach *r = &p->reach;

	if (!t->valid || t->spec.kind == TRIAL_WARMUP || t->spec.kind == TRIAL_LATENCY)
		return;
	if (t->spec.burst != r->burst)
		*r = (struct generator_reach){ .burst = t->spec.burst };
	if (t->limited_by == LIMITED_GENERATOR)
		r->limited_pps = fmax(r->limited_pps, t->spec.rate_pps);
	else
		r->sent_pps = fmax(r->sent_pps, t->spec.rate_pps);
	if (is_whole(t))
		r->whole_pps = fmax(r->whole_pps, t->spec.rate_pps);
}

/* False when there is nothing to search between. */
static bool search_begin(struct sweep_plan *p)
{
	double knee = sweep_centre_pps(&p->states[REFERENCE_ARM]);
	double max = NDR_MAX_REL_RATE * knee, min = NDR_MIN_REL_RATE * knee;
	const struct generator_reach *r = &p->reach;
	struct mlrsearch_config c;

	if (r->limited_pps > r->sent_pps)
		max = fmin(max, r->whole_pps); /* a single frame unsent is a loss */
	if (p->finish_early || !(min > 0) || !(max > min)) {
		sweep_note(p,
			"NDR and PDR were not searched: the time was over, or there is "
			"no knee to begin from");
		return false;
	}
	ndr_config_make(p->config->ndr, min, max, &c);
	p->search = mlrsearch_new(&c);
	p->search_max_pps = max;
	p->search_knee_pps = knee;
	return true;
}

static void ndr_trial(struct sweep_plan *p, struct plan_action *a, enum trial_kind kind,
	double rate_pps, uint64_t duration_ns)
{
	struct trial_spec spec = {
		.kind = kind,
		.rate_pps = rate_pps,
		.rel_rate = rate_pps / p->search_knee_pps,
		.duration_ns = duration_ns,
		.burst = p->burst,
	};

	sweep_emit_trial(p, a, REFERENCE_ARM, &spec);
}

bool sweep_ndr_next(struct sweep_plan *p, struct plan_action *a)
{
	double rate = 0;
	uint64_t duration_ns = 0;

	switch ((int)p->stage) {
	case ST_NDR_BEGIN:
		p->block = 0;
		if (!search_begin(p)) {
			p->stage = ST_DONE;
			return false;
		}
		sweep_emit_edge(p, a, PLAN_ARM_BEGIN, REFERENCE_ARM);
		p->stage = ST_NDR_WARMUP;
		return true;
	case ST_NDR_WARMUP:
		ndr_trial(p, a, TRIAL_WARMUP, p->search_max_pps,
			ndr_warmup_ns(p->config->ndr));
		return true;
	case ST_NDR_SEARCH:
		if (p->finish_early ||
			!mlrsearch_next(p->search, &rate, &duration_ns)) {
			p->stage = ST_NDR_END;
			return false;
		}
		ndr_trial(p, a, TRIAL_NDR, rate, duration_ns);
		return true;
	default:
		sweep_emit_edge(p, a, PLAN_ARM_END, REFERENCE_ARM);
		p->stage = ST_DONE;
		return true;
	}
}

void sweep_ndr_feed(struct sweep_plan *p, const struct trial *t)
{
	if (p->stage == ST_NDR_WARMUP)
		p->stage = ST_NDR_SEARCH;
	else
		mlrsearch_feed(p->search, ndr_loss_frac(p->config->ndr, t),
			t->spec.duration_ns);
}
