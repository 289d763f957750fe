/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What sweep.c (the loop) and sweep_confirm.c (confirmations) share. */
#ifndef SATPROF_ENGINE_SWEEP_PRIVATE_H
#define SATPROF_ENGINE_SWEEP_PRIVATE_H

#include "engine/sweep.h"
#include "model/run_view.h"
#include "plan/sweep_plan.h"

struct sweep_state {
	const struct sweep_job *job;
	struct sweep_plan *plan; /* that runs; NULL between two */
	size_t n_replayed;       /* trials of the run file that plans have seen */
	size_t n_stored;         /* how many there were to begin with */
	bool arm_open;
	bool is_cut;         /* this plan came to no end in an earlier session */
	bool is_out_of_time; /* --max-time: no further plan */
	uint64_t t0_ns;
};

/* s->plan to its end, or to the first failure; frees it. No arm is left open. */
int sweep_plan_run(struct sweep_state *s, struct sp_err *err);
/* The confirmations that are asked for and can be made. What cannot be forced is a note
 * in the run, not a failure. */
int sweep_confirm_all(struct sweep_state *s, struct sp_err *err);

#endif
