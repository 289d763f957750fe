/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trials of a run that a selector means. */
#include "config.h"

#include "plan/selector.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A rate is known as it was printed: four digits. */
#define RATE_TOLERANCE_FRAC 0.001

bool selector_is_all(const struct selector *sel)
{
	return !sel->below && !sel->above && !sel->off && !sel->on &&
	       sel->n_arms == 0 && sel->n_rates == 0 && sel->n_trials == 0;
}

static bool names_arms(const struct selector *sel)
{
	return sel->off || sel->on || sel->n_arms > 0;
}

static int trial_cmp(const void *x, const void *y)
{
	uint32_t a = ((const struct trial *)x)->spec.id;
	uint32_t b = ((const struct trial *)y)->spec.id;

	return (a > b) - (a < b);
}

/* ret[i]: arm i has samples, or is one that takes them. One of another program has them
 * where they were read in. */
static void arms_sampled(const struct run *run, bool *ret)
{
	const struct profile *p = run->profile;
	size_t i;

	for (i = 0; i < run->n_arms; i++)
		ret[i] = arm_is_sampling(&run->arms[i]);
	for (i = 0; p != NULL && i < p->n_cells; i++) {
		struct trial key = { .spec = { .id = p->cells[i].trial } };
		const struct trial *t = NULL;

		if (run->n_trials > 0)
			t = bsearch(&key, run->trials, run->n_trials, sizeof(*t),
				trial_cmp);
		if (t != NULL && t->spec.arm < run->n_arms)
			ret[t->spec.arm] = true;
	}
}

/* The first arm with samples; n_arms: there is none. */
static size_t first_on(const struct run *run)
{
	bool *sampled = xcalloc(run->n_arms + 1, sizeof(*sampled));
	size_t i = 0;

	arms_sampled(run, sampled);
	while (i < run->n_arms && !sampled[i])
		i++;
	free(sampled);
	return i;
}

static size_t first_off(const struct run *run)
{
	size_t i = 0;

	while (i < run->n_arms && run->arms[i].kind != ARM_OFF)
		i++;
	return i;
}

static size_t arm_named(const struct run *run, const char *name)
{
	size_t i;

	for (i = 0; i < run->n_arms && strcmp(run->arms[i].name, name) != 0; i++)
		;
	return i;
}

static int no_such_arm(const struct run *run, const char *name, struct sp_err *err)
{
	char names[300] = "";
	size_t i, len = 0;

	for (i = 0; i < run->n_arms && len < sizeof(names); i++)
		len += (size_t)snprintf(names + len, sizeof(names) - len, "%s%s",
			i > 0 ? ", " : "", run->arms[i].name);
	return sp_err_set(err, SP_EUSAGE, "the run has no arm for '%s', only %s", name,
		run->n_arms > 0 ? names : "none at all");
}

/* in[i]: arm i is meant; all where none is named. */
static int arms_mark(
	const struct run *run, const struct selector *sel, bool *in, struct sp_err *err)
{
	bool sides = sel->below || sel->above;
	size_t i, arm;

	if (!names_arms(sel) && !sides) {
		for (i = 0; i < run->n_arms; i++)
			in[i] = true;
		return 0;
	}
	for (i = 0; i < sel->n_arms; i++) {
		arm = arm_named(run, sel->arms[i]);
		if (arm == run->n_arms)
			return no_such_arm(run, sel->arms[i], err);
		in[arm] = true;
	}
	if (sel->off) {
		arm = first_off(run);
		if (arm == run->n_arms)
			return no_such_arm(run, "off", err);
		in[arm] = true;
	}
	if (sel->on || (sides && !names_arms(sel))) {
		arm = first_on(run);
		if (arm == run->n_arms)
			return no_such_arm(run,
				sel->on      ? "on"
				: sel->below ? "below"
					     : "above",
				err);
		in[arm] = true;
	}
	return 0;
}

static bool is_on_side(const struct selector *sel, const struct trial_spec *s)
{
	if (!sel->below && !sel->above)
		return true;
	return (sel->below && s->rel_rate > 0 && s->rel_rate < 1) ||
	       (sel->above && s->rel_rate > 1);
}

static bool is_plain(const struct run *run, const struct trial *t)
{
	return t->valid && t->spec.kind != TRIAL_WARMUP &&
	       (t->spec.phase == 0 || run->arms[t->spec.arm].force.is_forced);
}

/* The kind of trials that speak for a side of this arm: profile trials where it has
 * such, else those of the grid. */
static enum trial_kind side_kind(
	const struct run *run, const struct selector *sel, uint32_t arm)
{
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.arm == arm && t->spec.kind == TRIAL_PROFILE &&
			is_plain(run, t) && is_on_side(sel, &t->spec))
			return TRIAL_PROFILE;
	}
	return TRIAL_GRID;
}

static bool has_rate(
	const struct run *run, const struct selector *sel, const struct trial_spec *s)
{
	double bytes = run->traffic.mean_frame_bytes;
	size_t i;

	for (i = 0; i < sel->n_rates; i++) {
		const struct selector_rates *r = &sel->rates[i];

		if ((r->lo.is_bps || r->hi.is_bps) && !(bytes > 0))
			continue;
		if (s->rate_pps >= units_rate_pps(r->lo, bytes) *
					   (1 - RATE_TOLERANCE_FRAC) &&
			s->rate_pps <= units_rate_pps(r->hi, bytes) *
					       (1 + RATE_TOLERANCE_FRAC))
			return true;
	}
	return sel->n_rates == 0;
}

static bool is_named(const struct selector *sel, uint32_t id)
{
	size_t i;

	for (i = 0; i < sel->n_trials; i++)
		if (id >= sel->trials[i].lo && id <= sel->trials[i].hi)
			return true;
	return false;
}

struct marks {
	bool *arms;
	enum trial_kind *side_kinds; /* by arm; only where a side is asked for */
};

static bool is_meant(const struct run *run, const struct selector *sel,
	const struct marks *m, const struct trial *t)
{
	const struct trial_spec *s = &t->spec;

	if (s->arm >= run->n_arms || !m->arms[s->arm])
		return false;
	if (sel->n_trials > 0 ? !is_named(sel, s->id) : !is_plain(run, t))
		return false;
	if ((sel->below || sel->above) &&
		(s->kind != m->side_kinds[s->arm] || !is_on_side(sel, s)))
		return false;
	return has_rate(run, sel, s);
}

static void marks_make(
	const struct run *run, const struct selector *sel, struct marks *m)
{
	uint32_t arm;

	m->side_kinds = xcalloc(run->n_arms + 1, sizeof(*m->side_kinds));
	for (arm = 0; arm < run->n_arms && (sel->below || sel->above); arm++)
		m->side_kinds[arm] = side_kind(run, sel, arm);
}

int selector_trials(const struct run *run, const struct selector *sel, bool *ret_in,
	struct sp_err *err)
{
	struct marks m = { .arms = xcalloc(run->n_arms + 1, sizeof(*m.arms)) };
	int rc = arms_mark(run, sel, m.arms, err);
	bool *in = xcalloc(run->n_trials + 1, sizeof(*in));
	size_t i, n = 0;

	if (rc == 0) {
		marks_make(run, sel, &m);
		for (i = 0; i < run->n_trials; i++)
			n += in[i] = is_meant(run, sel, &m, &run->trials[i]);
		if (n == 0)
			rc = sp_err_set(err, SP_EUSAGE,
				"no valid trial of the run is meant by this selector");
	}
	if (rc == 0 && run->n_trials > 0)
		memcpy(ret_in, in, run->n_trials * sizeof(*in));
	free(m.arms);
	free(m.side_kinds);
	free(in);
	return rc;
}

bool selector_wants_always_on(const struct run *run, const struct selector *sel)
{
	bool *in = xcalloc(run->n_arms + 1, sizeof(*in));
	bool *sampled = xcalloc(run->n_arms + 1, sizeof(*sampled));
	bool wants = names_arms(sel);
	struct sp_err err;
	size_t i;

	/* Of an arm that the run does not have selector_trials() tells. */
	if (wants && arms_mark(run, sel, in, &err) != 0)
		wants = false;
	arms_sampled(run, sampled);
	for (i = 0; i < run->n_arms; i++)
		wants &= !in[i] || !sampled[i];
	free(in);
	free(sampled);
	return wants;
}

int selector_functions_check(const struct run *run, const struct selector *sel,
	const char *name, struct sp_err *err)
{
	if (!selector_wants_always_on(run, sel))
		return 0;
	return sp_err_set(err, SP_EUSAGE,
		"%s: the arm that is meant takes no samples: it has CPU time and facts, "
		"but no functions; take @on, @below or @above, or an arm that samples",
		name);
}
