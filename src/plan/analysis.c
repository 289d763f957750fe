/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of a run: its steps in order, then the verdict and its reasons. */
#include "config.h"

#include "plan/analysis.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/units.h"
#include "model/run_view.h"
#include "plan/analysis_private.h"
#include "plan/confirm.h"

#define DEFAULT_LEVEL       0.95
#define DEFAULT_MARGIN_FRAC 0.03

void analysis_add_reason(struct analysis *a, const char *fmt, ...)
{
	va_list ap;
	char text[400];

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap);
	va_end(ap);
	a->reasons =
		xgrow(a->reasons, a->n_reasons, &a->cap_reasons, sizeof(*a->reasons));
	a->reasons[a->n_reasons++] = xstrdup(text);
}

/* The first reason that a trial of this arm gives for not being valid, or NULL. */
static const char *first_trial_reason(const struct run *run, uint32_t arm)
{
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.arm == arm && !t->valid && t->n_reasons > 0)
			return t->reasons[0];
	}
	return NULL;
}

static void too_few_blocks(const struct run *run, struct analysis *a, uint32_t i)
{
	const struct analysis_arm *arm = &a->arms[i];
	const char *why = first_trial_reason(run, i);

	analysis_add_reason(a, "arm %s has %zu valid block%s, %d are needed", arm->name,
		arm->n_blocks, units_s(arm->n_blocks), ANALYSIS_BLOCKS_MIN);
	/* That of a block that does not count is told with the block. */
	if (why != NULL && arm->n_invalid + arm->n_spoiled == 0)
		analysis_add_reason(
			a, "arm %s: a trial was not valid: %s", arm->name, why);
}

static void no_knee(struct analysis *a, const struct analysis_arm *arm)
{
	char rate[32];

	if (arm->bound == HINGE_ABOVE_MAX)
		analysis_add_reason(a,
			"arm %s: the knee is above %s, the highest goodput that was seen",
			arm->name, units_pps_format(rate, sizeof(rate), arm->lo_pps));
	else if (arm->bound == HINGE_INVALID && isfinite(arm->misfit_frac))
		analysis_add_reason(a,
			"arm %s: goodput over rate is not that of a knee: at %.2f of the "
			"grid's center it lies %.0f %% %s the fit in all blocks (more "
			"lost at a lower rate than at a higher one, or two knees?)",
			arm->name, arm->misfit_rel_rate, 100 * fabs(arm->misfit_frac),
			arm->misfit_frac < 0 ? "under" : "over");
	else if (arm->bound == HINGE_BELOW_MIN)
		analysis_add_reason(a,
			"arm %s: the knee is below %s, near the lowest rates that were "
			"tried",
			arm->name, units_pps_format(rate, sizeof(rate), arm->hi_pps));
}

static void inconclusive(struct analysis *a, const struct analysis_shift *s)
{
	const char *name = a->arms[s->arm].name;

	if (s->n_blocks < ANALYSIS_BLOCKS_MIN) {
		analysis_add_reason(a,
			"arms %s and %s share %zu block%s with a knee in both, %d are "
			"needed for an interval",
			name, a->arms[s->ref].name, s->n_blocks, units_s(s->n_blocks),
			ANALYSIS_BLOCKS_MIN);
		return;
	}
	if (a->is_sequential && analysis_shift_verdict(s->lo_frac, s->hi_frac,
					a->margin_frac) != VERDICT_INCONCLUSIVE) {
		analysis_add_reason(a,
			"arm %s: the interval of the shift, %+.1f %% to %+.1f %%, counts "
			"for one look and not for one after each block, for which it is "
			"%+.1f %% to %+.1f %%",
			name, 100 * s->lo_frac, 100 * s->hi_frac, 100 * s->seq_lo_frac,
			100 * s->seq_hi_frac);
		return;
	}
	analysis_add_reason(a,
		"arm %s: the interval of the shift, %+.1f %% to %+.1f %%, includes 0 and "
		"reaches over the margin of %.1f %%: about %zu blocks would decide",
		name, 100 * s->lo_frac, 100 * s->hi_frac, 100 * a->margin_frac,
		s->blocks_needed);
}

/* Where a knee was asked for. */
static enum verdict knee_verdict(const struct run *run, struct analysis *a)
{
	size_t n_asked = a->n_arms < 2 ? a->n_arms : 2;
	enum verdict v = VERDICT_MEASURED;
	uint32_t i;

	for (i = 0; i < a->n_arms; i++)
		if (a->arms[i].n_blocks < ANALYSIS_BLOCKS_MIN) {
			too_few_blocks(run, a, i);
			v = VERDICT_BROKEN;
		}
	if (v == VERDICT_BROKEN || a->n_arms == 0)
		return VERDICT_BROKEN;
	for (i = 0; i < n_asked; i++)
		if (a->arms[i].bound != HINGE_EXACT) {
			no_knee(a, &a->arms[i]);
			v = VERDICT_NO_KNEE;
		}
	if (v == VERDICT_NO_KNEE)
		return v;
	if (a->n_shifts == 0)
		return analysis_noise_spoils_knee(a) ? VERDICT_INCONCLUSIVE : v;
	if (a->shifts[0].verdict == VERDICT_INCONCLUSIVE && !a->shifts[0].is_spoilt)
		inconclusive(a, &a->shifts[0]);
	return a->shifts[0].verdict;
}

/* A rate of the ladder that was not measured as asked; true when it was. */
static bool ladder_rate_ok(const struct run *run, struct analysis *a, uint32_t arm,
	const struct analysis_rate *r)
{
	const char *why = first_trial_reason(run, arm);
	char rate[32];

	(void)units_pps_format(rate, sizeof(rate), r->rate_pps);
	if (r->n_valid == 0)
		analysis_add_reason(a, "arm %s has no valid trial at %s%s%s",
			a->arms[arm].name, rate, why != NULL ? ": " : "",
			why != NULL ? why : "");
	else if (2 * r->n_spoiled > r->n_trials)
		analysis_add_reason(a,
			"arm %s: not the SUT but the generator or the receiver was the "
			"limit at %s",
			a->arms[arm].name, rate);
	else
		return true;
	return false;
}

/* --rates: measured where every rate of every arm was. */
static enum verdict ladder_verdict(const struct run *run, struct analysis *a)
{
	enum verdict v = a->n_arms > 0 ? VERDICT_MEASURED : VERDICT_BROKEN;
	uint32_t i;
	size_t k;

	for (i = 0; i < a->n_arms; i++)
		for (k = 0; k < a->arms[i].n_rates; k++)
			if (!ladder_rate_ok(run, a, i, &a->arms[i].rates[k]))
				v = VERDICT_BROKEN;
	return v;
}

void analysis_verdict_make(const struct run *run, struct analysis *a)
{
	if (run->config.n_rates > 0)
		a->verdict = ladder_verdict(run, a);
	else
		a->verdict = knee_verdict(run, a);
	analysis_noise_reasons(a);
	a->valid = a->verdict != VERDICT_BROKEN;
	if (run->config.n_rates == 0)
		analysis_blocks_reasons(run, a);
	analysis_ndr_reasons(a);
	if (!run->finished)
		analysis_add_reason(a,
			"the run ended before its plan did: what was finished counts");
}

void analysis_steps_make(const struct run *run, struct analysis *ret_analysis)
{
	const struct sweep_config *c = &run->config;
	struct analysis a = {
		.level = c->level > 0 ? c->level : DEFAULT_LEVEL,
		.margin_frac =
			c->margin_frac > 0 ? c->margin_frac : DEFAULT_MARGIN_FRAC,
		.is_sequential = c->until_decided,
		.noise_floor_frac = (double)NAN,
	};

	analysis_minisweeps_make(run, &a);
	analysis_arms_make(run, &a);
	analysis_misfit_make(run, &a);
	analysis_rates_make(run, &a);
	analysis_limits_make(run, &a);
	analysis_resources_make(run, &a);
	analysis_cost_make(&a);
	analysis_ndr_make(run, &a);
	analysis_shifts_make(&a);
	analysis_noise_make(run, &a);
	analysis_dose_make(run, &a);
	analysis_verdict_make(run, &a);
	analysis_causes_make(run, &a);
	analysis_functions_make(run, &a);
	*ret_analysis = a;
}

void analysis_make(const struct run *run, struct analysis *ret_analysis)
{
	struct run_view sweep;

	run_view_make(run, 0, &sweep);
	analysis_steps_make(&sweep.run, ret_analysis);
	confirm_judge(run, ret_analysis);
	run_view_done(&sweep);
}

void analysis_done(struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->n_reasons; i++)
		free(a->reasons[i]);
	for (i = 0; i < a->n_arms; i++) {
		free(a->arms[i].exhausted);
		free(a->arms[i].drops);
		free(a->arms[i].rates);
		free(a->arms[i].resources.cpus);
		free(a->arms[i].resources.threads);
		free(a->arms[i].resources.packages);
	}
	for (i = 0; i < a->n_shifts; i++)
		free(a->shifts[i].causes);
	free(a->reasons);
	free(a->arms);
	free(a->grid);
	free(a->minisweeps);
	free(a->shifts);
	free(a->noise);
	free(a->functions);
	free(a->confirmations);
	*a = (struct analysis){ 0 };
}
