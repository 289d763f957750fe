/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the parts of sweep's option parsing share. */
#ifndef SATPROF_CLI_SWEEP_OPTIONS_PRIVATE_H
#define SATPROF_CLI_SWEEP_OPTIONS_PRIVATE_H

#include "cli/sweep_options.h"

/* Words that can only be judged when all have been seen. */
struct parse_state {
	struct sweep_options *o;
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
