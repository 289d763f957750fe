/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Everything a sweep over real packets stands on, brought up in the one order
 * that works and taken down in reverse: user namespace (needs a single thread),
 * CPU plan, lab, keeper, set-up command, generator, SUT, bench.
 */
#ifndef SATPROF_CLI_SWEEP_LIVE_H
#define SATPROF_CLI_SWEEP_LIVE_H

#include "base/err.h"
#include "cli/sweep_options.h"
#include "engine/bench.h"
#include "model/run.h"

struct sweep_live;

/*
 * Bring it up for what the options ask; facts, notes, arms that had to go and the
 * frame size of a capture are written to the run. Both are borrowed and must
 * outlive it. Nothing is left behind on failure.
 */
int sweep_live_open(const struct sweep_options *o, struct run *run,
	struct sweep_live **ret_live, struct sp_err *err);
struct bench *sweep_live_bench(const struct sweep_live *live);
/* "SUT on CPU 1; generator, receiver and collector on CPU 0"; owned by live. */
const char *sweep_live_plan(const struct sweep_live *live);
/* Keep the SUT's last output in the run. */
void sweep_live_keep_output(const struct sweep_live *live, struct run *run);
void sweep_live_close(struct sweep_live *live); /* NULL is a no-op */

#endif
