/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A part of a run as a run of its own: the sweep itself (phase 0), or the k-th
 * confirmation (phase k), which is a sweep of three arms: the reference, the observed
 * arm, and the one that forces a factor. What judges a sweep judges both alike. A view
 * borrows all but what run_view_done() frees; the run must outlive it unchanged.
 */
#ifndef SATPROF_MODEL_RUN_VIEW_H
#define SATPROF_MODEL_RUN_VIEW_H

#include "model/run.h"

/* The arms of a confirmation, in the order of its view. */
enum { VIEW_OFF, VIEW_ON, VIEW_FORCED, N_VIEW_ARMS };

struct run_view {
	struct run run;               /* never run_free() it */
	struct arm *own_arms;         /* of a confirmation; else NULL */
	struct trial *own_trials;     /* the same; what they point to is the run's */
	uint32_t arm_of[N_VIEW_ARMS]; /* of a confirmation: the run's arms */
};

/* How many confirmations there are, begun ones too. */
uint32_t run_view_n_confirmations(const struct run *run);
/* The arm that forces in that confirmation, or NULL. */
const struct arm *run_view_forced(const struct run *run, uint32_t phase);
/*
 * Phase 0: the run's first arms and trials, in place. Phase k: its three arms, and its
 * trials with arms counted 0 to 2; without a profile; the config is still the sweep's
 * (confirm_config() in plan/confirm.h makes it the confirmation's). The phase is one
 * that there is.
 */
void run_view_make(const struct run *run, uint32_t phase, struct run_view *ret_view);
void run_view_done(struct run_view *v);

#endif
