/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Force what an observer changed, without the observer: the arm of a confirmation.
 * Each is done by a process of its own, which undoes it and ends as soon as the pipe to
 * it closes, so also when satprof is killed: threads get their CPUs and nice values
 * back, a companion stops, /dev/cpu_dma_latency is let go. From the main thread, while
 * no other runs (it forks).
 */
#ifndef SATPROF_OS_FORCE_H
#define SATPROF_OS_FORCE_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/arm.h"

struct force;

struct force_target {
	pid_t pid;   /* the SUT's root process; 0: none */
	bool stays;  /* the SUT goes on after the arm: all must be undone */
	int root_fd; /* of "/"; borrowed */
};

/* Can it be forced here, as far as one can tell without a SUT? SP_EENV with the reason.
 * A factor that needs nothing from here can: a sampling rate, and how the SUT is
 * launched (arm_force_is_launch), where it is launched for each arm. */
int force_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err);
/* Force it, checked again: it may come from a file. SP_EENV: it cannot be; nothing is
 * left changed. */
int force_start(const struct arm_force *f, const struct force_target *t,
	struct force **ret_force, struct sp_err *err);
/* The same for threads that were born since. SP_EENV as above, also where a thread is
 * gone that is to be forced. */
int force_renew(struct force *f, struct sp_err *err);
/* Undo it and free f; waits for it. NULL is a no-op. */
void force_stop(struct force *f);

#endif
