/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What perf_sampler.c (events) and perf_collect.c (samples) share. */
#ifndef SATPROF_OBSERVE_PERF_SAMPLER_PRIVATE_H
#define SATPROF_OBSERVE_PERF_SAMPLER_PRIVATE_H

#include "observe/perf_events.h"
#include "observe/perf_sampler.h"
#include "symbol/symbolizer.h"

/* A thread met in the trial at hand. */
struct sampled_thread {
	int32_t pid, tid;
	uint32_t row; /* in profile->threads */
	char comm[16];
};

struct perf_sampler {
	int root_fd;
	struct run *run;
	double hz; /* 0: attach */
	struct perf_rights rights;
	bool user_only;
	char event_name[24]; /* "cycles", "cpu-clock:u" */
	uint32_t event;      /* in run->events */
	size_t ring_bytes;
	struct perf_event_attr attr; /* as asked for */
	struct symbolizer *symbolizer;
	/* While attached: */
	bool is_cpu_wide;
	struct perf_events events;
	uint64_t end_ns; /* of the last trial */
	/* While collecting: */
	size_t n_threads, cap_threads;
	struct sampled_thread *threads;
};

#endif
