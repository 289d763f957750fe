/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The live bench: generator, SUT and observers around real packets, behind
 * plan/measure.h. It owns no back end: the caller opens them and picks from the
 * registries; the bench starts, stops and reads them in the right order.
 */
#ifndef SATPROF_ENGINE_BENCH_H
#define SATPROF_ENGINE_BENCH_H

#include <signal.h>
#include <stdbool.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "gen/generator.h"
#include "model/run.h"
#include "observe/observer.h"
#include "os/cpuplan.h"
#include "os/nl.h"
#include "plan/measure.h"
#include "sut/sut.h"

enum bench_restart { BENCH_RESTART_ARM, BENCH_RESTART_BLOCK, BENCH_RESTART_NEVER };

/* The four places a frame passes; names NULL where not known. */
struct bench_links {
	struct nl_handle *gen_nl, *sut_nl; /* borrowed; sut_nl may be NULL */
	const char *gen_tx, *gen_rx, *sut_in, *sut_out;
	bool veth; /* pairs as in the lab: device counters close the ledger */
};

struct bench_config {
	struct run *run; /* arms, traffic; notes and events are added; borrowed */
	const struct generator_ops *gen_ops;
	void *gen;
	const struct sut_ops *sut_ops;
	void *sut;
	const struct observer_ops *(*observer_for)(const struct arm *arm);
	const char *events;              /* -e, or NULL */
	struct observer_outside outside; /* for arms that are programs of others */
	struct bench_links links;
	const struct cpuplan *cpus;
	int root_fd;
	enum bench_restart restart;
	bool probe_ready; /* ready when a probe packet comes through */
	uint64_t ready_timeout_ns;
	const struct clock_src *clock;
	const volatile sig_atomic_t *stop;
};

struct bench;

/* Opens the arms' observers: SP_EENV when an arm cannot run here. */
int bench_open(
	const struct bench_config *cfg, struct bench **ret_bench, struct sp_err *err);
/* Stops whatever runs. NULL is a no-op. */
void bench_close(struct bench *b);

extern const struct measure_ops bench_measure; /* ctx: struct bench * */

#endif
