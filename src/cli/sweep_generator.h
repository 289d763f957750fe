/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The generator of a sweep: the built-in one, or the caller's (--generator). */
#ifndef SATPROF_CLI_SWEEP_GENERATOR_H
#define SATPROF_CLI_SWEEP_GENERATOR_H

#include "base/err.h"
#include "cli/sweep_options.h"
#include "gen/generator.h"
#include "model/run.h"
#include "os/cpuplan.h"
#include "os/keeper.h"
#include "os/lab.h"
#include "os/nl.h"

/* What it stands on; all borrowed for the generator's life. */
struct sweep_bed {
	const struct lab *lab;    /* NULL: the caller's own network */
	struct nl_handle *sut_nl; /* for --sut-in; NULL: none */
	const struct cpuplan *cpus;
	struct keeper *keeper; /* of an outside one, in its namespace; else NULL */
};

/* The run's traffic gets its mean frame size and, in the lab, its MAC. */
int sweep_generator_open(const struct sweep_options *o, struct run *run,
	const struct sweep_bed *bed, const struct generator_ops **ret_ops,
	void **ret_gen, struct sp_err *err);

#endif
