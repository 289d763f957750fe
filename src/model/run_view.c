/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Phases of a run, seen as runs. */
#include "config.h"

#include "model/run_view.h"

#include <assert.h>
#include <stdlib.h>

#include "base/mem.h"

uint32_t run_view_n_confirmations(const struct run *run)
{
	uint32_t n = 0;
	size_t i;

	for (i = 0; i < run->n_arms; i++)
		n += run->arms[i].force.is_forced;
	return n;
}

const struct arm *run_view_forced(const struct run *run, uint32_t phase)
{
	size_t i;

	for (i = 0; i < run->n_arms; i++)
		if (run->arms[i].force.is_forced && run->arms[i].force.phase == phase)
			return &run->arms[i];
	return NULL;
}

/* Forced arms and their trials come last. */
static void sweep_view(const struct run *run, struct run *view)
{
	size_t i;

	for (i = 0; i < run->n_arms && !run->arms[i].force.is_forced; i++)
		;
	view->n_arms = i;
	for (i = run->n_trials; i > 0 && run->trials[i - 1].spec.phase > 0; i--)
		;
	view->n_trials = i;
}

static void confirmation_view(const struct run *run, uint32_t phase, struct run_view *v)
{
	const struct arm *forced = run_view_forced(run, phase);
	uint32_t arm;
	size_t i;

	assert(forced != NULL);
	v->arm_of[VIEW_OFF] = 0;
	v->arm_of[VIEW_ON] = forced->force.arm;
	v->arm_of[VIEW_FORCED] = (uint32_t)(forced - run->arms);
	v->own_arms = xcalloc(N_VIEW_ARMS, sizeof(*v->own_arms));
	for (arm = 0; arm < N_VIEW_ARMS; arm++)
		v->own_arms[arm] = run->arms[v->arm_of[arm]];
	v->own_trials = xcalloc(run->n_trials + 1, sizeof(*v->own_trials));
	v->run.arms = v->own_arms;
	v->run.n_arms = N_VIEW_ARMS;
	v->run.trials = v->own_trials;
	v->run.n_trials = 0;
	v->run.profile = NULL;
	for (i = 0; i < run->n_trials; i++) {
		if (run->trials[i].spec.phase != phase)
			continue;
		for (arm = 0; arm < N_VIEW_ARMS; arm++)
			if (run->trials[i].spec.arm == v->arm_of[arm])
				break;
		if (arm == N_VIEW_ARMS)
			continue;
		v->own_trials[v->run.n_trials] = run->trials[i];
		v->own_trials[v->run.n_trials++].spec.arm = arm;
	}
}

void run_view_make(const struct run *run, uint32_t phase, struct run_view *ret_view)
{
	*ret_view = (struct run_view){ .run = *run };
	if (phase == 0)
		sweep_view(run, &ret_view->run);
	else
		confirmation_view(run, phase, ret_view);
}

void run_view_done(struct run_view *v)
{
	free(v->own_arms);
	free(v->own_trials);
	*v = (struct run_view){ .own_arms = NULL };
}
