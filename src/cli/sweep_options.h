/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The options of `satprof sweep`, parsed and checked: what they ask for, before
 * anything is done. Strings point into argv or are literals.
 */
#ifndef SATPROF_CLI_SWEEP_OPTIONS_H
#define SATPROF_CLI_SWEEP_OPTIONS_H

#include <stdbool.h>
#include <sys/types.h>

#include "base/err.h"
#include "base/units.h"
#include "engine/bench.h"
#include "model/run.h"
#include "os/cpuplan.h"

/* What a sweep is run for. */
enum sweep_use {
	SWEEP_USE_SWEEP,
	SWEEP_USE_SELFTEST, /* arms off and again, 20 blocks; --mde is the margin */
};

struct sweep_options {
	/* Where. */
	bool lab; /* asked for by name */
	bool has_limit;
	struct units_rate limit;
	const char *in, *out, *sut_in, *sut_out;
	/* SUT. */
	char **sut_argv; /* after --; NULL: the built-in forwarder */
	pid_t pid;
	bool sut_none;
	const char *setup, *ready, *sut_stats;
	uint64_t ready_after_ns;
	uint64_t ready_timeout_ns;
	enum bench_restart restart;
	/* Load. */
	struct traffic traffic;
	const char *generator; /* the shell's words of an outside one; NULL: ours */
	/* Arms. */
	struct arm *arms; /* owned */
	size_t n_arms;
	bool arms_by_name; /* not the preset's: what cannot run is exit 7 */
	const char *events;
	const char *profiler, *wrap; /* commands of outside profilers, or NULL */
	uint64_t profiler_after_ns, profiler_finish_ns;
	/* Effort. */
	struct sweep_config config; /* owned arrays */
	bool seed_given;
	const char *resume;
	/* CPUs. */
	struct cpuplan_request cpus;
	/* Output. */
	const char *output;
	bool json, quiet;
	/* The fluid model instead of packets; NULL: real packets. */
	const char *sim;
};

/*
 * Parse argv (argv[0] is "satprof COMMAND"). *o is filled with defaults first; a
 * failure leaves it for sweep_options_done(). *ret_help: --help was printed.
 */
int sweep_options_parse(enum sweep_use use, int argc, char **argv,
	struct sweep_options *ret_options, bool *ret_help, struct sp_err *err);
void sweep_options_done(struct sweep_options *o);
/* A lab is brought up: asked for, or nothing is named and the generator is ours. */
bool sweep_options_wants_lab(const struct sweep_options *o);
/*
 * The options of the built-in forwarder when it is the SUT: nothing is named, or
 * `satprof forward {in} {out} OPTIONS` is after --. NULL: it is not. Borrowed.
 */
char *const *sweep_options_forward(const struct sweep_options *o);

/* The words as a JSON array and back, for --resume: argv[0] is made anew. Caller
 * frees the result (one block for the argv). */
char *sweep_argv_to_json(int argc, char **argv);
int sweep_argv_from_json(
	const char *json, int *ret_argc, char ***ret_argv, struct sp_err *err);

#endif
