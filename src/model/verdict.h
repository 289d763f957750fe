/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The verdict words and what each exits with: one table for every command.
 * Words and codes are a contract with scripts.
 */
#ifndef SATPROF_MODEL_VERDICT_H
#define SATPROF_MODEL_VERDICT_H

#include "base/err.h"

/* The rule by which verdicts are made; stored beside every verdict. */
#define VERDICT_RULE_VERSION 3

enum exit_code {
	EXIT_DONE = 0,
	EXIT_FAIL = 1,
	EXIT_USAGE = 2,
	EXIT_INCONCLUSIVE = 3,
	EXIT_NOT_COMPARABLE = 4,
	EXIT_NO_BASELINE = 5,
	EXIT_BROKEN = 6,
	EXIT_ENV = 7,
	EXIT_SIGNAL = 128, /* + the signal's number */
};

enum verdict {
	VERDICT_UNSET = 0,
	VERDICT_NONE,  /* the shift lies within the margin */
	VERDICT_HELPS, /* the knee is higher with the observer */
	VERDICT_HURTS, /* the knee is lower with the observer */
	VERDICT_INCONCLUSIVE,
	VERDICT_MEASURED, /* nothing was asked: one arm, or --rates */
	VERDICT_NO_KNEE,
	VERDICT_BROKEN,
	/* selftest: same against same */
	VERDICT_OK,     /* the shift asked for would be seen */
	VERDICT_NOISY,  /* it would not */
	VERDICT_BIASED, /* a difference where there is none */
};

/* The word, e.g. "no-knee"; never NULL. */
const char *verdict_word(enum verdict v);
/* VERDICT_UNSET when the word is not one. */
enum verdict verdict_parse(const char *word);
/* The exit code of sweep, show and selftest for a verdict. */
enum exit_code verdict_exit_code(enum verdict v);
/* The exit code for an error that ended a command. */
enum exit_code verdict_exit_code_of_err(const struct sp_err *err);

#endif
