/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The analysis of the profile: self cost per packet of each function, below and
 * above the knee of the first sampling arm, and whether the samples can be
 * believed. Cost is the function's share of the samples on the SUT's CPUs, trial by
 * trial, times that trial's CPU time per packet into the SUT; the mean over trials.
 * Shares alone would make every other function look cheaper when one grows.
 */
#include "config.h"

#include "plan/analysis_private.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/minisweep.h"

/* Lost samples over this share make a profile not valid (design 3). */
#define LOST_MAX_FRAC 0.01
/* Grid trials nearer to their block's knee than this are neither side. */
#define SIDE_GAP_FRAC 0.03

#define UNKNOWN_NAME "[unknown]"

enum side { SIDE_NONE, SIDE_BELOW, SIDE_ABOVE, N_SIDES };

/* One trial of the run; weight: total over its cells on the SUT's CPUs. */
struct sampled_trial {
	uint32_t id;
	const struct trial *trial;
	enum side side;
	double weight;
};

struct builder {
	const struct profile *profile;
	struct sampled_trial *trials; /* of the whole run, by id */
	size_t n_trials;
	size_t n_costed[N_SIDES]; /* with samples and a cost */
	int32_t exhausted_cpu;    /* -1: none, take all */
	double exhausted_weight;  /* above, on that CPU */
	size_t n, cap;
	struct analysis_function *functions;
	size_t *by_frame; /* function + 1 of each frame met; 0: not met yet */
};

static bool first_sampling_arm(const struct run *run, uint32_t *ret_arm)
{
	uint32_t i;

	for (i = 0; i < run->n_arms; i++)
		if (arm_is_sampling(&run->arms[i])) {
			*ret_arm = i;
			return true;
		}
	return false;
}

static bool has_profile_trials(const struct run *run, uint32_t arm)
{
	bool below = false, above = false;
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.kind != TRIAL_PROFILE || t->spec.arm != arm || !t->valid)
			continue;
		below |= t->spec.rel_rate < 1;
		above |= t->spec.rel_rate > 1;
	}
	return below && above;
}

static int sampled_trial_cmp(const void *x, const void *y)
{
	const struct sampled_trial *a = x, *b = y;

	return (a->id > b->id) - (a->id < b->id);
}

/* NULL when the run has no such trial. */
static struct sampled_trial *trial_find(const struct builder *b, uint32_t id)
{
	struct sampled_trial key = { .id = id };

	return bsearch(
		&key, b->trials, b->n_trials, sizeof(*b->trials), sampled_trial_cmp);
}

static void trial_set_side(struct builder *b, const struct trial *t, bool is_below)
{
	struct sampled_trial *s = trial_find(b, t->spec.id);

	if (s != NULL)
		s->side = is_below ? SIDE_BELOW : SIDE_ABOVE;
}

/* Profile trials say which side they are for. */
static void take_profile_trials(const struct run *run, uint32_t arm, struct builder *b)
{
	size_t i;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (t->spec.kind == TRIAL_PROFILE && t->spec.arm == arm && t->valid)
			trial_set_side(b, t, t->spec.rel_rate < 1);
	}
}

/* Grid trials are sorted by the knee of their own block. */
static void take_grid_trials(const struct analysis *a, uint32_t arm, struct builder *b)
{
	size_t i, k;

	for (i = 0; i < a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &a->minisweeps[i];

		if (m->arm != arm || m->fit.kind != HINGE_EXACT)
			continue;
		for (k = 0; k < m->n_trials; k++) {
			const struct trial *t = a->grid[m->first_trial + k];
			double rel = t->spec.rate_pps / m->fit.knee_pps;

			if (!minisweep_is_usable(t) || fabs(rel - 1) < SIDE_GAP_FRAC)
				continue;
			trial_set_side(b, t, rel < 1);
		}
	}
}

static void builder_init(const struct run *run, const struct analysis *a, uint32_t arm,
	struct builder *b)
{
	size_t i;

	b->profile = run->profile;
	b->exhausted_cpu = -1;
	for (i = a->arms[arm].n_exhausted; i-- > 0;)
		if (a->arms[arm].exhausted[i].cpu >= 0)
			b->exhausted_cpu = a->arms[arm].exhausted[i].cpu;
	b->n_trials = run->n_trials;
	b->trials = xcalloc(b->n_trials, sizeof(*b->trials));
	for (i = 0; i < run->n_trials; i++)
		b->trials[i] = (struct sampled_trial){
			.id = run->trials[i].spec.id,
			.trial = &run->trials[i],
		};
	if (b->n_trials > 0)
		qsort(b->trials, b->n_trials, sizeof(*b->trials), sampled_trial_cmp);
	b->by_frame = xcalloc(b->profile->n_frames, sizeof(*b->by_frame));
	if (has_profile_trials(run, arm))
		take_profile_trials(run, arm, b);
	else
		take_grid_trials(a, arm, b);
}

static bool is_sut_cpu(const struct trial *t, int32_t cpu)
{
	size_t i;

	for (i = 0; i < t->n_cpus; i++)
		if (t->cpus[i].cpu == cpu)
			return true;
	/* Per-task samples, and trials without CPU times: all are the SUT's. */
	return cpu < 0 || t->n_cpus == 0;
}

/* The trial that a cell counts for, or NULL. */
static struct sampled_trial *cell_trial(
	const struct builder *b, const struct profile_cell *c)
{
	struct sampled_trial *s;

	if (c->node >= b->profile->n_nodes)
		return NULL;
	s = trial_find(b, c->trial);
	if (s == NULL || s->side == SIDE_NONE || !is_sut_cpu(s->trial, c->cpu))
		return NULL;
	return s;
}

static double cell_weight(const struct profile_cell *c)
{
	return c->weight > 0 ? (double)c->weight : (double)c->n_samples;
}

static void total_weights(struct builder *b)
{
	size_t i;

	for (i = 0; i < b->profile->n_cells; i++) {
		const struct profile_cell *c = &b->profile->cells[i];
		struct sampled_trial *s = cell_trial(b, c);

		if (s == NULL)
			continue;
		s->weight += cell_weight(c);
		if (s->side == SIDE_ABOVE &&
			(b->exhausted_cpu < 0 || c->cpu == b->exhausted_cpu))
			b->exhausted_weight += cell_weight(c);
	}
	for (i = 0; i < b->n_trials; i++)
		if (b->trials[i].weight > 0 &&
			isfinite(b->trials[i].trial->cpu_ns_per_pkt))
			b->n_costed[b->trials[i].side]++;
}

/* Index of the function, added when it is new. */
static size_t function_get(struct builder *b, const char *name, const char *module)
{
	size_t i;

	for (i = 0; i < b->n; i++)
		if (strcmp(b->functions[i].name, name) == 0 &&
			strcmp(b->functions[i].module, module) == 0)
			return i;
	b->functions = xgrow(b->functions, b->n, &b->cap, sizeof(*b->functions));
	b->functions[b->n].name = name;
	b->functions[b->n].module = module;
	return b->n++;
}

static size_t frame_function(struct builder *b, const struct profile_frame *f)
{
	const struct profile *p = b->profile;

	return function_get(b,
		f->symbol < p->n_symbols ? p->symbols[f->symbol].name : UNKNOWN_NAME,
		f->module < p->n_modules ? p->modules[f->module].path : UNKNOWN_NAME);
}

/* Many frames, one at each sampled address, make one function. */
static struct analysis_function *cell_function(
	struct builder *b, const struct profile_cell *c)
{
	uint32_t frame = b->profile->nodes[c->node].frame;

	if (c->node == 0 || frame >= b->profile->n_frames) /* node 0 is the root */
		return &b->functions[function_get(b, UNKNOWN_NAME, UNKNOWN_NAME)];
	if (b->by_frame[frame] == 0)
		b->by_frame[frame] = frame_function(b, &b->profile->frames[frame]) + 1;
	return &b->functions[b->by_frame[frame] - 1];
}

static void add_cells(struct builder *b)
{
	size_t i;

	for (i = 0; i < b->profile->n_cells; i++) {
		const struct profile_cell *c = &b->profile->cells[i];
		const struct sampled_trial *s = cell_trial(b, c);
		struct analysis_function *f;
		double ns;

		if (s == NULL)
			continue;
		f = cell_function(b, c);
		ns = cell_weight(c) / s->weight * s->trial->cpu_ns_per_pkt;
		if (s->side == SIDE_BELOW) {
			f->samples_below += c->n_samples;
			f->below_ns_per_pkt += isfinite(ns) ? ns : 0;
			continue;
		}
		f->samples_above += c->n_samples;
		f->above_ns_per_pkt += isfinite(ns) ? ns : 0;
		if (b->exhausted_cpu < 0 || c->cpu == b->exhausted_cpu)
			f->share_above += cell_weight(c) / b->exhausted_weight;
	}
}

static int function_cmp(const void *x, const void *y)
{
	const struct analysis_function *a = x, *b = y;
	double ca = isnan(a->above_ns_per_pkt) ? a->share_above : a->above_ns_per_pkt;
	double cb = isnan(b->above_ns_per_pkt) ? b->share_above : b->above_ns_per_pkt;

	if (ca < cb || ca > cb)
		return ca < cb ? 1 : -1;
	if (a->samples_below != b->samples_below)
		return a->samples_below < b->samples_below ? 1 : -1;
	return strcmp(a->name, b->name);
}

/* Sums become means over trials; a side without a cost has none. */
static void finish(struct builder *b, struct analysis *a)
{
	const double nan = (double)NAN;
	size_t i;

	for (i = 0; i < b->n; i++) {
		struct analysis_function *f = &b->functions[i];
		size_t n_below = b->n_costed[SIDE_BELOW];
		size_t n_above = b->n_costed[SIDE_ABOVE];

		f->below_ns_per_pkt =
			n_below > 0 ? f->below_ns_per_pkt / (double)n_below : nan;
		f->above_ns_per_pkt =
			n_above > 0 ? f->above_ns_per_pkt / (double)n_above : nan;
		if (b->exhausted_cpu >= 0 && f->share_above >= ANALYSIS_CAPACITY_FRAC)
			f->class = CLASS_CAPACITY;
	}
	if (b->n > 0)
		qsort(b->functions, b->n, sizeof(*b->functions), function_cmp);
	a->n_functions = b->n;
	a->functions = b->functions;
	free(b->trials);
	free(b->by_frame);
}

/* profile_valid, and what is wrong with the samples of each sampling arm. */
static void profile_check(const struct run *run, struct analysis *a)
{
	size_t i;

	a->profile_valid = true;
	for (i = 0; i < run->n_arms; i++) {
		const struct analysis_arm *r = &a->arms[i];
		double lost = (double)r->n_lost, all = lost + (double)r->n_samples;

		if (!arm_is_sampling(&run->arms[i]))
			continue;
		if (all <= 0) {
			a->profile_valid = false;
			analysis_add_reason(
				a, "profile: arm %s took no samples", r->name);
			continue;
		}
		a->has_profile = run->profile != NULL;
		if (lost > LOST_MAX_FRAC * all) {
			a->profile_valid = false;
			analysis_add_reason(a,
				"profile: arm %s lost %.1f %% of its samples, more "
				"than 1 %%: use a lower sampling rate",
				r->name, 100 * lost / all);
		}
		if (r->n_throttled > 0) {
			a->profile_valid = false;
			analysis_add_reason(a,
				"profile: the kernel throttled arm %s: use a lower "
				"sampling rate",
				r->name);
		}
	}
}

void analysis_functions_make(const struct run *run, struct analysis *a)
{
	struct builder b = { 0 };

	profile_check(run, a);
	if (!a->has_profile || !first_sampling_arm(run, &a->functions_arm))
		return;
	builder_init(run, a, a->functions_arm, &b);
	total_weights(&b);
	add_cells(&b);
	finish(&b, a);
}

const char *analysis_class_name(enum analysis_class c)
{
	switch (c) {
	case CLASS_UNRESOLVED:
		return "unresolved";
	case CLASS_CAPACITY:
		return "capacity";
	}
	return "?";
}
