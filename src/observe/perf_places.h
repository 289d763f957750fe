/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where the built-in observer opens its events: on whole CPUs where the kernel
 * allows it (measured: half a per cent at 997 Hz against ten for events that
 * follow tasks), else on every thread of the SUT. Plain data.
 */
#ifndef SATPROF_OBSERVE_PERF_PLACES_H
#define SATPROF_OBSERVE_PERF_PLACES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/err.h"
#include "observe/observer.h"
#include "os/perf_open.h"

struct perf_place {
	pid_t tid; /* -1: all tasks */
	int cpu;   /* -1: wherever the task runs */
};

struct perf_places {
	bool is_cpu_wide;
	size_t n, cap;
	struct perf_place *v;
};

/*
 * CPU-wide: the target's CPUs, and those that SUT threads are bound to. Else:
 * every thread of the SUT's processes, times the CPUs it may run on where
 * per_cpu is set (a sampling ring belongs to a CPU). SP_EPERM: the kernel allows
 * neither; SP_EBROKEN: the SUT is gone. The caller frees with perf_places_done.
 */
int perf_places_find(int root_fd, const struct perf_rights *rights,
	const struct observer_target *target, bool per_cpu,
	struct perf_places *ret_places, struct sp_err *err);
void perf_places_done(struct perf_places *p);

/* True when the SUT's threads are the ones in p; always when CPU-wide. */
bool perf_places_still(
	int root_fd, const struct observer_target *target, const struct perf_places *p);

#endif
