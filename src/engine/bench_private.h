/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What bench.c (arm edges), trial.c (one trial) and bench_edge.c share; for these only.
 */
#ifndef SATPROF_ENGINE_BENCH_PRIVATE_H
#define SATPROF_ENGINE_BENCH_PRIVATE_H

#include <stdio.h>

#include "engine/account.h"
#include "engine/bench.h"
#include "os/facts.h"
#include "os/force.h"
#include "os/launch.h"
#include "os/procstat.h"

enum bench_port { PORT_GEN_TX, PORT_SUT_IN, PORT_SUT_OUT, PORT_GEN_RX, N_PORTS };

/* Everything that is read at one edge of a trial. */
struct bench_edge {
	struct nl_link links[N_PORTS];
	uint64_t qdisc_drops[N_PORTS];
	bool has_stats;
	struct sut_stats stats;
	struct procstat_snapshot proc;
	struct facts_snapshot *facts;
};

struct bench_arm {
	const struct observer_ops *ops; /* NULL: off */
	void *obs;
	bool has_launched; /* the SUT came up once as this arm launches it */
	bool is_seen;      /* and it was looked at how */
	struct launch seen;
};

struct bench {
	struct bench_config cfg;
	size_t n_arms, cap_arms;
	struct bench_arm *arms;
	struct bench_arm *observing; /* attached now, or NULL */
	struct force *force;         /* what this arm forces, or NULL */
	bool force_failed;           /* the last call failed for that */
	bool sut_runs, is_cold;      /* cold: started and not yet under load */
	bool has_had_stats;          /* the SUT's own counts were read once */
	uint32_t block;              /* in which the SUT was last looked at */
	uint16_t next_tag;           /* of the next trial's frames */
	uint64_t quiet_from_ns;      /* the end of the last trial: settle from here */
	struct facts_counters *counters; /* count from here to the end, in all arms */
	struct bench_edge before, after;
	bool has_noted_facts;  /* those that are absent here */
	uint32_t mtu[N_PORTS]; /* at the first edge of the run; 0: none yet */
};

/* Fill err with how the SUT ended and its last output. */
int bench_sut_gone(struct bench *b, const char *when, struct sp_err *err);

/* Its root process does not run on, and no signal has ended it. */
bool bench_sut_is_stopped(const struct bench *b);
/* Fill err with that. */
int bench_sut_stopped(struct bench *b, struct sp_err *err);

/* NULL: no such port, or its namespace is not known. */
const char *bench_port_name(const struct bench *b, enum bench_port p);
struct nl_handle *bench_port_nl(const struct bench *b, enum bench_port p);
/* begin: NULL at the trial's first edge, which is read alike in every arm. */
int bench_edge_read(struct bench *b, const struct bench_edge *begin,
	struct bench_edge *e, struct sp_err *err);

/* A few frames that are not recorded, at this rate and burst. */
int bench_warm_up(struct bench *b, const struct trial_spec *like, struct sp_err *err);

/* measure_ops.trial of the live bench. */
int bench_trial(void *ctx, struct trial *ret_trial, struct sp_err *err);

#endif
