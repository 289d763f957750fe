/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The one loop: asks the plan for the next action, runs it on whatever measures,
 * stores the trial, feeds it back. Knows neither packets nor terminals. With
 * trials already in the run (--resume) it replays them first. After the sweep come the
 * confirmations that config.n_confirm asks for, each a plan of its own.
 */
#ifndef SATPROF_ENGINE_SWEEP_H
#define SATPROF_ENGINE_SWEEP_H

#include <signal.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "codec/run_store.h"
#include "model/run.h"
#include "plan/measure.h"

struct sweep_progress {
	uint32_t block, n_blocks; /* block 0: the pilot */
	uint32_t phase;           /* 0: the sweep; else the confirmation */
	const struct arm *arm;
	const struct trial *trial; /* just stored */
	uint64_t elapsed_ns;
};

struct sweep_job {
	struct run *run;         /* config, arms and traffic set; trials are added */
	struct run_store *store; /* NULL: keep in memory only */
	const struct measure_ops *ops;
	void *measure_ctx;
	const struct clock_src *clock;
	/* Called after every stored trial; NULL: silent. */
	void (*progress)(void *ctx, const struct sweep_progress *p);
	void *progress_ctx;
	const volatile sig_atomic_t *stop; /* NULL: cannot be stopped */
};

/*
 * Run to the plan's end. On failure what was finished is stored and run->notes
 * says why it ended; run->finished tells whether the plan came to its end.
 */
int sweep_execute(const struct sweep_job *job, struct sp_err *err);

#endif
