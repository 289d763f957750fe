/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What the finished mini-sweeps are worth: which blocks are good, and for
 * --until-decided, is there an answer? The trials so far get the analysis that the
 * finished run will get, whose verdicts allow for being looked at after each block, so
 * what ends the sweep is what it then says.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/analysis.h"
#include "plan/sweep_plan_private.h"

void sweep_decide_init(struct sweep_plan *p)
{
	struct run *r = run_new();
	size_t i;

	r->config = *p->config;
	r->config.rates_pps = NULL; /* stays its owner's; a ladder decides nothing */
	r->arms = xcalloc(p->n_arms, sizeof(*r->arms));
	memcpy(r->arms, p->arms, p->n_arms * sizeof(*r->arms));
	r->n_arms = r->cap_arms = p->n_arms;
	for (i = 0; i < p->n_arms; i++) /* to itself each plan is a sweep */
		r->arms[i].force = (struct arm_force){ .is_forced = false };
	r->config.n_confirm = 0;
	p->seen = r;
}

/* What tells whether others disturbed a trial, see minisweep_wait_frac(). */
static void keep_facts(struct facts *to, const struct facts *from)
{
	size_t i;

	*to = (struct facts){ 0 };
	for (i = 0; i < from->n; i++)
		if (from->f[i].key == FACT_BENCH_NS ||
			from->f[i].key == FACT_SOFTIRQD_NS)
			facts_add(to, from->f[i].key, from->f[i].of, from->f[i].value);
}

/* With its threads, which tell whether others disturbed it. */
void sweep_decide_keep(struct sweep_plan *p, const struct trial *trial)
{
	struct trial t = *trial;

	t.bins = NULL;
	t.cpus = NULL;
	t.counters = NULL;
	keep_facts(&t.facts, &trial->facts);
	t.n_bins = t.n_cpus = t.n_counters = 0;
	t.cap_bins = t.cap_cpus = t.cap_counters = 0;
	t.threads = xcalloc(t.n_threads, sizeof(*t.threads));
	t.cap_threads = t.n_threads;
	if (t.n_threads > 0)
		memcpy(t.threads, trial->threads, t.n_threads * sizeof(*t.threads));
	run_add_trial(p->seen, &t);
}

static uint32_t good_blocks(const struct sweep_plan *p, const struct analysis *a)
{
	uint32_t *n_exact = xcalloc(p->n_blocks + 1, sizeof(*n_exact)), n = 0;
	size_t i;

	for (i = 0; i < a->n_minisweeps; i++)
		n_exact[a->minisweeps[i].block] +=
			a->minisweeps[i].fit.kind == HINGE_EXACT;
	for (i = 1; i <= p->n_blocks; i++)
		n += n_exact[i] == p->n_arms;
	free(n_exact);
	return n;
}

static bool is_decided(const struct analysis *a)
{
	size_t i;

	if (a->n_arms == 1)
		return a->arms[0].n_exact >= ANALYSIS_BLOCKS_MIN &&
		       log(a->arms[0].hi_pps / a->arms[0].lo_pps) <=
			       log1p(a->margin_frac);
	for (i = 0; i < a->n_shifts; i++)
		if (verdict_exit_code(a->shifts[i].verdict) != EXIT_DONE)
			return false;
	return true;
}

void sweep_decide_make(const struct sweep_plan *p, struct sweep_decision *ret_decision)
{
	struct analysis a;

	analysis_make(p->seen, &a);
	ret_decision->n_good_blocks = good_blocks(p, &a);
	ret_decision->is_decided = is_decided(&a);
	analysis_done(&a);
}
