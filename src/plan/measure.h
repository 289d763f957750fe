/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The seam between a plan and whatever measures: the live bench (engine/bench),
 * or the fluid model in virtual time (sim/fluid). All calls come from one thread,
 * in the order arm_begin (trial)* arm_end; arm_add between them. A call that fails ends
 * the run.
 */
#ifndef SATPROF_PLAN_MEASURE_H
#define SATPROF_PLAN_MEASURE_H

#include <stdint.h>

#include "base/err.h"
#include "model/run.h"
#include "model/trial.h"

struct measure_ops {
	/* Start the SUT and the arm's observers; block 0 is the pilot. */
	int (*arm_begin)(void *ctx, uint32_t arm, uint32_t block, struct sp_err *err);
	/*
	 * Run one trial. *ret_trial is zeroed by the caller but for spec, which is
	 * set; everything measured is filled in. A trial that went wrong but does
	 * not end the run is valid = false with a reason, and 0 is returned.
	 */
	int (*trial)(void *ctx, struct trial *ret_trial, struct sp_err *err);
	/* Stop both; called also after a failure. */
	int (*arm_end)(void *ctx, struct sp_err *err);
	/*
	 * The run has a new last arm, a confirmation's. What it asks for cannot be
	 * forced here: an error, and the arm is taken away again. NULL: nothing can be.
	 */
	int (*arm_add)(void *ctx, const struct run *run, struct sp_err *err);
	/*
	 * Did the last arm_begin or trial fail because what the arm forces could not be
	 * forced? That ends its confirmation, not the run. NULL: never.
	 */
	bool (*force_failed)(void *ctx);
};

#endif
