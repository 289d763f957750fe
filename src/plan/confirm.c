/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How a confirmation is run, and what it says. */
#include "config.h"

#include "plan/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "model/run_view.h"
#include "plan/analysis_private.h"
#include "plan/causes.h"
#include "plan/sweep_plan_private.h"

#define N_BLOCKS_MIN 8
/* Far apart for the generator of random numbers: the golden ratio's bits. */
#define SEED_STEP UINT64_C(0x9e3779b97f4a7c15)
/* Of the shift: what half the sampling rate has to take back to be believed. */
#define SAMPLING_FRAC 0.25

struct sweep_config confirm_config(const struct sweep_config *sweep, uint32_t phase)
{
	struct sweep_config c = *sweep;

	c.seed += phase * SEED_STEP;
	if (c.n_blocks < N_BLOCKS_MIN)
		c.n_blocks = N_BLOCKS_MIN;
	c.profile_trial_ns = 0;
	c.latency_trials = false;
	c.n_rates = 0;
	c.rates_pps = NULL;
	c.ndr = NDR_NONE;
	c.until_decided = false;
	c.n_confirm = 0;
	return c;
}

uint64_t confirm_estimate_ns(const struct sweep_config *sweep, uint32_t n)
{
	const struct arm arms[N_VIEW_ARMS] = { { .kind = ARM_OFF } };
	struct sweep_config c = confirm_config(sweep, 1);

	return n * sweep_blocks_ns(&c, arms, N_VIEW_ARMS);
}

/* The shift's interval in logarithms, turned so that the shift is positive. */
struct turned {
	double lo, hi;
	bool is_known;
};

static struct turned turn(const struct analysis_shift *s, double sign)
{
	double lo = sign * log1p(s->lo_frac), hi = sign * log1p(s->hi_frac);

	return (struct turned){ fmin(lo, hi), fmax(lo, hi),
		isfinite(lo) && isfinite(hi) };
}

static void say(
	struct analysis_confirmation *c, enum cause_state state, const char *why)
{
	c->state = state;
	(void)snprintf(c->why, sizeof(c->why), "%s", why);
}

static void judge_forced(struct analysis_confirmation *c, const struct turned *off,
	const struct turned *on, double ln_shift)
{
	if (off->lo > 0 && on->lo >= -c->ln_bound && on->hi <= c->ln_bound)
		say(c, CAUSE_CONFIRMED,
			"forced without the observer it moves the knee as the observer "
			"does");
	else if (off->hi < ln_shift / 2)
		say(c, CAUSE_REFUTED,
			"forced without the observer it does not move the knee so far");
	else if (on->hi < -c->ln_bound || on->lo > c->ln_bound)
		say(c, CAUSE_REFUTED,
			"forced without the observer it moves the knee elsewhere");
	else
		say(c, CAUSE_UNRESOLVED, "these blocks do not decide");
}

static void judge_sampling(
	struct analysis_confirmation *c, const struct turned *on, double ln_shift)
{
	if (on->hi < 0)
		say(c, CAUSE_CONFIRMED,
			"sampling half as often brings the knee back toward off");
	else if (on->lo > -SAMPLING_FRAC * ln_shift)
		say(c, CAUSE_REFUTED,
			"sampling half as often does not bring the knee back");
	else
		say(c, CAUSE_UNRESOLVED, "these blocks do not decide");
}

/* sign: of the shift that is to be explained. */
static void judge(struct analysis_confirmation *c, double sign, double margin_frac)
{
	struct turned on_off = turn(&c->on_off, sign);
	struct turned off = turn(&c->forced_off, sign), on = turn(&c->forced_on, sign);
	double ln_shift = sign * log1p(c->on_off.shift_frac);

	c->ln_bound = (double)NAN;
	if (!on_off.is_known || !off.is_known || !on.is_known) {
		say(c, CAUSE_UNRESOLVED,
			"too few blocks have a knee with the observer off, with it on "
			"and with the factor forced");
		return;
	}
	if (on_off.lo <= 0) {
		say(c, CAUSE_UNRESOLVED,
			"in these blocks the shift itself did not come again");
		return;
	}
	c->ln_bound = fmax(log1p(margin_frac), ln_shift / 2);
	if (c->factor == FACTOR_SAMPLING)
		judge_sampling(c, &on, ln_shift);
	else
		judge_forced(c, &off, &on, ln_shift);
}

/* Between arms that have a knee; else what is known stays unknown. */
static void shift_between(const struct analysis *a, uint32_t arm, uint32_t ref,
	struct analysis_shift *ret)
{
	analysis_shift_make(a, arm, ref, ret);
	if (ret->verdict == VERDICT_BROKEN || ret->verdict == VERDICT_NO_KNEE)
		ret->lo_frac = ret->hi_frac = (double)NAN;
}

static const struct analysis_shift *sweep_shift(const struct analysis *a, uint32_t arm)
{
	size_t i;

	for (i = 0; i < a->n_shifts; i++)
		if (a->shifts[i].arm == arm)
			return &a->shifts[i];
	return NULL;
}

static void confirmation_make(const struct run *run, const struct analysis *a,
	uint32_t phase, struct analysis_confirmation *c)
{
	const struct analysis_shift *s;
	struct run_view view;
	struct analysis own;

	run_view_make(run, phase, &view);
	view.run.config = confirm_config(&run->config, phase);
	analysis_steps_make(&view.run, &own);
	*c = (struct analysis_confirmation){
		.phase = phase,
		.ref = view.arm_of[VIEW_OFF],
		.arm = view.arm_of[VIEW_ON],
		.forced = view.arm_of[VIEW_FORCED],
		.factor = run->arms[view.arm_of[VIEW_FORCED]].force.factor,
		.off_pps = own.arms[VIEW_OFF].knee_pps,
		.on_pps = own.arms[VIEW_ON].knee_pps,
		.forced_pps = own.arms[VIEW_FORCED].knee_pps,
	};
	shift_between(&own, VIEW_ON, VIEW_OFF, &c->on_off);
	shift_between(&own, VIEW_FORCED, VIEW_OFF, &c->forced_off);
	shift_between(&own, VIEW_FORCED, VIEW_ON, &c->forced_on);
	s = sweep_shift(a, c->arm);
	judge(c, s != NULL && s->shift_frac < 0 ? -1 : 1, a->margin_frac);
	analysis_done(&own);
	run_view_done(&view);
}

/* Of a factor that is of the SUT or the machine as a whole, what is forced is one fact
 * of several. */
static bool is_forced_key(const struct arm_force *f, enum fact_key key)
{
	enum factor factor = f->factor;
	size_t i;

	for (i = 0; arm_force_is_launch(f) && i < f->n_parts; i++)
		if (strcmp(f->parts[i].value, fact_info(key)->name) == 0)
			return true;
	if (factor == FACTOR_MEMORY)
		return key == FACT_MEMORY_BYTES;
	if (factor == FACTOR_IDLE)
		return key == FACT_IDLE_DEEP_NS || key == FACT_IDLE_ENTRIES;
	if (factor == FACTOR_LAUNCH)
		return key == FACT_THREAD_NICE && !arm_force_is_launch(f);
	return true;
}

/* What was forced is known now; what was not stays observed. */
static void causes_mark(const struct run *run, struct analysis *a,
	const struct analysis_confirmation *c)
{
	const struct arm_force *f = &run->arms[c->forced].force;
	struct analysis_shift *s = NULL;
	size_t i, k;

	for (i = 0; i < a->n_shifts; i++)
		if (a->shifts[i].arm == c->arm)
			s = &a->shifts[i];
	for (i = 0; s != NULL && i < s->n_causes; i++) {
		struct cause *cause = &s->causes[i];
		bool is_whole = false;

		if (cause->factor != c->factor || !is_forced_key(f, cause->key))
			continue;
		for (k = 0; k < f->n_parts; k++)
			is_whole |= f->parts[k].of[0] == '\0' ||
				    strcmp(f->parts[k].of, cause->of) == 0;
		if (is_whole)
			cause->state = c->state;
	}
}

static void all_mark(const struct run *run, struct analysis *a)
{
	size_t i;

	for (i = 0; i < a->n_confirmations; i++)
		causes_mark(run, a, &a->confirmations[i]);
}

static bool has_refuted(const struct analysis_shift *s)
{
	size_t i;

	for (i = 0; i < s->n_causes; i++)
		if (s->causes[i].state == CAUSE_REFUTED)
			return true;
	return false;
}

/* What a refuted cause seemed to explain comes out, and may itself have been refuted.
 * True: there is more than before. */
static bool causes_renew(
	const struct run *run, struct analysis *a, struct analysis_shift *s)
{
	struct cause *causes = NULL;
	size_t n;

	if (!has_refuted(s))
		return false;
	n = causes_make(run, a, s->ref, s->arm, s->causes, s->n_causes, &causes);
	if (n <= s->n_causes) {
		free(causes);
		return false;
	}
	free(s->causes);
	s->causes = causes;
	s->n_causes = n;
	return true;
}

/* Each round adds a cause at least, and what differs is finite. */
static void causes_settle(const struct run *run, struct analysis *a)
{
	bool is_new;
	size_t i;

	do {
		is_new = false;
		all_mark(run, a);
		for (i = 0; i < a->n_shifts; i++)
			is_new |= causes_renew(run, a, &a->shifts[i]);
	} while (is_new);
}

/* What the engine noted of suspects that could not be forced (confirm.h). */
static void noted_add(const struct run *run, struct analysis *a)
{
	const size_t head = strlen(CONFIRM_NOTE);
	size_t at = 0, i;

	for (i = 0; i < run->n_notes && at < sizeof(a->no_confirmation); i++)
		if (strncmp(run->notes[i], CONFIRM_NOTE, head) == 0)
			at += (size_t)snprintf(a->no_confirmation + at,
				sizeof(a->no_confirmation) - at, "%s%s",
				at > 0 ? "; " : "", run->notes[i] + head);
}

void confirm_judge(const struct run *run, struct analysis *a)
{
	uint32_t n = run_view_n_confirmations(run), phase;
	struct confirm_suspect *suspects = NULL;

	a->n_confirmations = 0;
	a->confirmations = xcalloc(n + 1, sizeof(*a->confirmations));
	for (phase = 1; phase <= n; phase++) {
		confirmation_make(run, a, phase, &a->confirmations[phase - 1]);
		a->n_confirmations++;
	}
	causes_settle(run, a);
	if (n == 0 && run->config.n_confirm > 0 &&
		confirm_choose(run, a, &suspects, a->no_confirmation,
			sizeof(a->no_confirmation)) > 0)
		noted_add(run, a);
	free(suspects);
}
