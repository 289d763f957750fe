/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An observer: what an arm adds to the SUT's life. Order of calls:
 *   open, (launch, attach, (begin, end, collect)*, detach)*, close
 * launch just before the SUT is started for the arm, attach/detach at arm edges,
 * begin/end just outside a trial's send and drain, collect after the trial while
 * nothing is measured. Main thread only; between begin and end nothing is read, so
 * rings must hold a whole trial.
 */
#ifndef SATPROF_OBSERVE_OBSERVER_H
#define SATPROF_OBSERVE_OBSERVER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/arm.h"
#include "model/run.h"
#include "model/trial.h"

struct keeper; /* os/keeper.h */

/* What programs of others need: perf@HZ, profiler, wrap. All borrowed. */
struct observer_outside {
	struct keeper *keeper;  /* holds them, as it holds the SUT */
	const char *profiler;   /* --profiler, a shell command, or NULL */
	const char *wrap;       /* --wrap, shell words, or NULL */
	const char *in, *out;   /* what {in} and {out} stand for */
	uint64_t start_wait_ns; /* from its start to the first trial */
	uint64_t finish_max_ns; /* from SIGINT to SIGTERM */
};

struct observer_config {
	struct arm arm;
	const char *events;        /* -e: comma list for count; NULL: the default set */
	struct run *run;           /* events are interned there; borrowed */
	int root_fd;               /* of "/"; borrowed */
	uint64_t longest_trial_ns; /* sizes the rings */
	struct observer_outside outside;
};

struct observer_target {
	const int *cpus; /* the SUT's CPUs */
	size_t n_cpus;
	pid_t pid;    /* the SUT's root process; 0: none */
	pid_t ns_pid; /* the same as the keeper's namespace sees it */
	/* Never sampled: satprof itself and the generator's threads. */
	pid_t self;
};

struct observer_ops {
	const char *name;
	const char *summary;
	/* Resolve events, check rights. SP_EENV when the kernel cannot do it at
	 * all; what is only degraded becomes a note in the run ("kernel part not
	 * visible"). */
	int (*open)(
		const struct observer_config *cfg, void **ret_obs, struct sp_err *err);
	/* The shell words under which the SUT is to be started, caller frees them.
	 * NULL where an arm launches it like any other. */
	int (*launch)(void *obs, const struct observer_target *t, char **ret_words,
		struct sp_err *err);
	int (*attach)(void *obs, const struct observer_target *t, struct sp_err *err);
	int (*begin)(void *obs, struct sp_err *err);
	/* Stop counting; append to t->counters. An observer that is gone makes the
	 * trial not valid. */
	int (*end)(void *obs, struct trial *t, struct sp_err *err);
	/* Read the rings: cells into profile (trial = t->spec.id), names resolved,
	 * t->sampling filled. */
	int (*collect)(void *obs, struct trial *t, struct profile *profile,
		struct sp_err *err);
	int (*detach)(void *obs, struct sp_err *err);
	void (*close)(void *obs); /* NULL is a no-op */
};

extern const struct observer_ops observe_perf;        /* attach, count, sample@HZ */
extern const struct observer_ops observe_perf_record; /* perf@HZ */
extern const struct observer_ops observe_profiler;    /* profiler */
extern const struct observer_ops observe_wrap;        /* wrap */

/* The ops for an arm, or NULL: the arm has no observer (off). */
const struct observer_ops *observer_for_arm(const struct arm *a);

#endif
