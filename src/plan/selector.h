/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Selectors: which trials of a run are meant, as in RUN@below,arm=sample@997 (design
 * 3). Terms are joined by commas, each may have an '@' of its own before it; terms of
 * one kind widen the selection (arm=A,arm=B: both), terms of different kinds narrow it.
 *
 *   below, above    the profile trials on that side of the arm's knee; where it has
 *                   none, its grid trials there
 *   off, on         the arm without an observer; the first sampling arm
 *   arm=NAME        that arm
 *   rate=R, R..R    trials scheduled at that rate (to 0.1 %, as rates are printed), or
 *                   from one rate to the other
 *   trial=N, N..N   trials by number
 *
 * below and above without an arm mean the first sampling arm. Trials that are not
 * valid, warm-ups, and those of a confirmation count only where trial= names them or,
 * for the latter, where the arm is the one that forces. Pure; plain data, nothing is
 * owned.
 */
#ifndef SATPROF_PLAN_SELECTOR_H
#define SATPROF_PLAN_SELECTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/units.h"
#include "model/run.h"

/* Terms of one kind. */
#define SELECTOR_MAX 16

struct selector_rates {
	struct units_rate lo, hi;
};

struct selector_ids {
	uint32_t lo, hi;
};

struct selector {
	bool below, above, off, on;
	size_t n_arms;
	char arms[SELECTOR_MAX][ARM_NAME_MAX];
	size_t n_rates;
	struct selector_rates rates[SELECTOR_MAX];
	size_t n_trials;
	struct selector_ids trials[SELECTOR_MAX];
};

/* What stands after the first '@', with or without it. NULL: everything.
 * SP_EUSAGE says which words there are. */
int selector_parse(const char *s, struct selector *ret, struct sp_err *err);

/* True where nothing is narrowed. */
bool selector_is_all(const struct selector *sel);

/*
 * ret_in[i]: run->trials[i] is meant. SP_EUSAGE, ret_in untouched, where an arm is not
 * the run's (the message names those it has) or where no trial is left.
 */
int selector_trials(const struct run *run, const struct selector *sel, bool *ret_in,
	struct sp_err *err);

/* True where only arms are named that take no samples, as by @off: such a selection has
 * CPU time and facts, but no functions; who asks for those is told so (exit 2). */
bool selector_wants_always_on(const struct run *run, const struct selector *sel);

/* SP_EUSAGE with the reason where selector_wants_always_on(); name: the run's, for the
 * message. */
int selector_functions_check(const struct run *run, const struct selector *sel,
	const char *name, struct sp_err *err);

/*
 * Take "RUN@SELECTOR" apart; a name of its own may have an '@'. is_file says whether
 * there is such a file. The path is the whole word, if it is one; else the longest file
 * followed by an '@'; else, for messages, the first '@' followed by what parses as a
 * selector; else the whole word. The caller frees *ret_path and *ret_selector; the
 * latter is without the
 * '@', NULL where there is none.
 */
void selector_split(const char *word, bool (*is_file)(const char *path),
	char **ret_path, char **ret_selector);

#endif
