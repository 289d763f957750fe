/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A trial: one rate, one arm. spec is what was asked, the rest what came of it.
 * Times are CLOCK_MONOTONIC ns, rates packets/s, counts frames. Plain data; the
 * growing arrays are owned by the trial (trial_done frees them).
 */
#ifndef SATPROF_MODEL_TRIAL_H
#define SATPROF_MODEL_TRIAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/fact.h"
#include "model/ledger.h"

enum trial_kind {
	TRIAL_WARMUP,
	TRIAL_PILOT,
	TRIAL_GRID,    /* a point of a mini-sweep: evidence for the knee */
	TRIAL_PROFILE, /* longer, at 0.85 and 1.15 of the arm's knee */
	TRIAL_LATENCY, /* burst 1, at 0.5 and 0.9 of the knee */
	TRIAL_LADDER,  /* --rates */
	TRIAL_NDR,     /* --ndr: a trial of the search, on the reference arm */
};

struct trial_spec {
	uint32_t id;    /* from 1, in the order planned */
	uint32_t block; /* from 1; 0: in none (pilot, NDR) */
	uint32_t arm;   /* index into the run's arms */
	uint32_t phase; /* 0: the sweep itself; else which confirmation, from 1 */
	enum trial_kind kind;
	double rate_pps; /* scheduled */
	double rel_rate; /* fraction of the arm's centre, 0 when there is none */
	uint64_t duration_ns;
	uint32_t burst;
};

enum limited_by {
	LIMITED_NOT = 0, /* what was offered arrived */
	LIMITED_SUT,
	LIMITED_GENERATOR,
	LIMITED_RECEIVER,
};

/* Percentiles of one-way latency; counted in bins at most 1 % wide. */
struct latency_summary {
	uint64_t n;
	uint64_t p50_ns, p99_ns, p999_ns, max_ns;
};

struct hist_bin {
	uint64_t lo_ns;    /* lowest value of the bin */
	uint64_t width_ns; /* values lo .. lo + width - 1 */
	uint64_t count;
};

/* /proc/stat of one CPU between the trial's edges. */
struct cpu_use {
	int32_t cpu;
	uint64_t wall_ns;
	uint64_t busy_ns; /* wall - idle - iowait: the honest CPU time */
	uint64_t user_ns, system_ns, softirq_ns, irq_ns, steal_ns; /* tick-sampled */
};

/* A SUT thread between the trial's edges. */
struct thread_use {
	int32_t pid, tid;
	char comm[16];
	int32_t cpu;                         /* where it last ran */
	uint64_t run_ns;                     /* time on a CPU (schedstat) */
	uint64_t wait_ns;                    /* time runnable but waiting */
	uint64_t n_voluntary, n_involuntary; /* context switches */
};

enum counter_state {
	COUNTER_OK,
	COUNTER_ESTIMATED,     /* multiplexed: running < 0.95 enabled */
	COUNTER_NOT_COUNTED,   /* running = 0 */
	COUNTER_NOT_SUPPORTED, /* did not open */
	COUNTER_NOT_PERMITTED,
	COUNTER_ERROR, /* pinned and in error, or read() gave nothing */
};

/* One event on one CPU or thread between the trial's edges. */
struct counter_value {
	uint32_t event; /* index into the run's events */
	int32_t cpu;    /* -1: per task */
	enum counter_state state;
	uint64_t value; /* raw, not scaled */
	uint64_t enabled_ns, running_ns;
};

/* How well the sampler did in this trial. */
struct sampling_use {
	bool sampled;
	uint64_t n_samples, n_lost, n_throttled;
	uint64_t max_sample_rate_hz; /* the kernel's limit at the trial's end */
};

#define TRIAL_MAX_REASONS 6

struct trial {
	struct trial_spec spec;
	uint32_t segment;
	uint64_t t_start_ns, t_end_ns;
	/* Goodput: tagged unique frames received in the steady window, by ring
	 * timestamps, per second of the window. */
	uint64_t window_ns, window_pkts;
	double window_pps;
	double loss_frac; /* 1 - unique/intended; NAN when not known */
	enum limited_by limited_by;
	bool valid;
	size_t n_reasons;
	char reasons[TRIAL_MAX_REASONS][120]; /* why not valid, or worth knowing */
	size_t n_ledgers;
	struct ledger ledgers[2];
	bool has_latency;
	struct latency_summary latency;
	struct latency_summary lateness; /* of sends against the schedule */
	size_t n_bins, cap_bins;
	struct hist_bin *bins; /* latency; only where has_latency */
	size_t n_cpus, cap_cpus;
	struct cpu_use *cpus;
	size_t n_threads, cap_threads;
	struct thread_use *threads;
	size_t n_counters, cap_counters;
	struct counter_value *counters;
	struct sampling_use sampling;
	struct facts facts; /* what can differ between arms; empty where not read */
	/* Busy time of the SUT's CPUs per packet into the SUT; NAN: not defined. */
	double cpu_ns_per_pkt;
};

const char *trial_kind_name(enum trial_kind k);
/* -1 when the name is not one. */
int trial_kind_parse(const char *name);
const char *limited_by_name(enum limited_by l);
int limited_by_parse(const char *name);
const char *counter_state_name(enum counter_state s);
int counter_state_parse(const char *name);

/* printf into the next free reason; the last one is overwritten when full. */
void trial_add_reason(struct trial *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
/* The same, and the trial is not valid. */
void trial_invalidate(struct trial *t, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));
void trial_done(struct trial *t);

#endif
