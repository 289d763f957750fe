/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sampling, for the arms sample@HZ and attach: hardware cycles where they really
 * work, else cpu-clock; fixed prime period; kernel and user call chains; one ring
 * a CPU that holds a whole trial and is read after it. attach opens the same
 * events with a period that is never reached. Main thread only.
 */
#ifndef SATPROF_OBSERVE_PERF_SAMPLER_H
#define SATPROF_OBSERVE_PERF_SAMPLER_H

#include <stdint.h>

#include "base/err.h"
#include "model/profile.h"
#include "model/run.h"
#include "model/trial.h"
#include "observe/perf_places.h"

struct perf_sampler;

struct perf_sampler_config {
	int root_fd;
	struct run *run; /* facts, notes, the event; borrowed */
	double hz;       /* samples a second and CPU; 0: attach only */
	uint64_t longest_trial_ns;
	size_t ring_bytes; /* 0: as large as a trial needs; tests ask for less */
	struct perf_rights rights;
};

/*
 * Chooses the event and checks that it opens; sets the run's facts event, pmu,
 * sample_scope and kernel_visible. SP_EPERM or SP_EENV when nothing opens.
 */
int perf_sampler_new(const struct perf_sampler_config *cfg,
	struct perf_sampler **ret_sampler, struct sp_err *err);
void perf_sampler_free(struct perf_sampler *s); /* NULL is a no-op */

/* The hooks of observer.h, in its order. */
int perf_sampler_attach(struct perf_sampler *s, const struct observer_target *target,
	struct sp_err *err);
int perf_sampler_begin(struct perf_sampler *s, struct sp_err *err);
int perf_sampler_end(struct perf_sampler *s, struct trial *t, struct sp_err *err);
int perf_sampler_collect(struct perf_sampler *s, struct trial *t,
	struct profile *profile, struct sp_err *err);
void perf_sampler_detach(struct perf_sampler *s);

#endif
