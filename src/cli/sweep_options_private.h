/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of sweep's option parsing share. */
#ifndef SATPROF_CLI_SWEEP_OPTIONS_PRIVATE_H
#define SATPROF_CLI_SWEEP_OPTIONS_PRIVATE_H

#include <argp.h>

#include "cli/sweep_options.h"

/* Keys of the options that have no letter. */
enum sweep_opt {
	OPT_LAB = 256,
	OPT_LIMIT,
	OPT_IN,
	OPT_OUT,
	OPT_SUT_IN,
	OPT_SUT_OUT,
	OPT_PID,
	OPT_SUT,
	OPT_SETUP,
	OPT_READY,
	OPT_READY_AFTER,
	OPT_READY_TIMEOUT,
	OPT_SUT_STATS,
	OPT_RESTART,
	OPT_RATES,
	OPT_FRAME_SIZE,
	OPT_FLOWS,
	OPT_BURST,
	OPT_PCAP,
	OPT_PCAP_TAG,
	OPT_BIDIR,
	OPT_DST_MAC,
	OPT_GENERATOR,
	OPT_ARMS,
	OPT_PROFILER,
	OPT_WRAP,
	OPT_PROFILER_AFTER,
	OPT_PROFILER_FINISH,
	OPT_PRESET,
	OPT_BLOCKS,
	OPT_LATENCY,
	OPT_TRIAL_TIME,
	OPT_MAX_TIME,
	OPT_UNTIL_DECIDED,
	OPT_NDR,
	OPT_CONFIRM,
	OPT_MARGIN,
	OPT_SEED,
	OPT_RESUME,
	OPT_CPU_GEN,
	OPT_CPU_RECV,
	OPT_CPU_COLLECT,
	OPT_CPU_SUT,
	OPT_JSON,
	OPT_QUIET,
	OPT_SIM,
};

/* What argp knows of them (sweep_options_table.c). */
extern const struct argp_option sweep_argp_options[];
/* Those of selftest, which are sweep's but for what compares observers; the caller
 * frees them. */
struct argp_option *sweep_selftest_options(void);

/* Words that can only be judged when all have been seen. */
struct parse_state {
	struct sweep_options *o;
	enum sweep_use use;
	const char *margin_option; /* the name it has */
	struct sp_err *err;
	int rc;
	const char *preset;
	const char *arms;
	const char *rates;
	const char *blocks, *trial_time, *margin;
	bool frame_given;
	int live_only_key; /* the first option that --sim has no use for; 0: none */
	const char *live_only;
	int own_load_key; /* the first that only the built-in generator obeys */
	const char *own_load;
};

/* A whole number in [lo, hi]. */
int sweep_u32_parse(
	const char *arg, uint64_t lo, uint64_t hi, uint32_t *ret, struct sp_err *err);
/* --rates into c->rates_pps. */
int sweep_rates_parse(
	const char *s, double frame_bytes, struct sweep_config *c, struct sp_err *err);
/* The preset, then what was given over it. */
int sweep_effort_apply(struct parse_state *s);
/* What goes with what. */
int sweep_options_check(struct parse_state *s);

#endif
