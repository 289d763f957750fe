/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Verdict words and exit codes, in one table. */
#include "config.h"

#include "model/verdict.h"

#include <stddef.h>
#include <string.h>

static const struct {
	enum verdict verdict;
	const char *word;
	enum exit_code code;
} verdict_rows[] = {
	{ VERDICT_UNSET, "unset", EXIT_BROKEN },
	{ VERDICT_NONE, "none", EXIT_DONE },
	{ VERDICT_HELPS, "helps", EXIT_DONE },
	{ VERDICT_HURTS, "hurts", EXIT_DONE },
	{ VERDICT_INCONCLUSIVE, "inconclusive", EXIT_INCONCLUSIVE },
	{ VERDICT_MEASURED, "measured", EXIT_DONE },
	{ VERDICT_NO_KNEE, "no-knee", EXIT_INCONCLUSIVE },
	{ VERDICT_BROKEN, "broken", EXIT_BROKEN },
	{ VERDICT_OK, "ok", EXIT_DONE },
	{ VERDICT_NOISY, "noisy", EXIT_INCONCLUSIVE },
	{ VERDICT_BIASED, "biased", EXIT_BROKEN },
};

#define N_ROWS (sizeof(verdict_rows) / sizeof(verdict_rows[0]))

const char *verdict_word(enum verdict v)
{
	size_t i;

	for (i = 0; i < N_ROWS; i++)
		if (verdict_rows[i].verdict == v)
			return verdict_rows[i].word;
	return verdict_rows[0].word;
}

enum verdict verdict_parse(const char *word)
{
	size_t i;

	for (i = 1; i < N_ROWS; i++)
		if (strcmp(verdict_rows[i].word, word) == 0)
			return verdict_rows[i].verdict;
	return VERDICT_UNSET;
}

enum exit_code verdict_exit_code(enum verdict v)
{
	size_t i;

	for (i = 0; i < N_ROWS; i++)
		if (verdict_rows[i].verdict == v)
			return verdict_rows[i].code;
	return EXIT_BROKEN;
}

enum exit_code verdict_exit_code_of_err(const struct sp_err *err)
{
	switch (err->code) {
	case SP_OK:
		return EXIT_DONE;
	case SP_EUSAGE:
	case SP_EIO:
	case SP_EFORMAT:
		return EXIT_USAGE;
	case SP_EENV:
	case SP_EPERM:
		return EXIT_ENV;
	case SP_EBROKEN:
	case SP_ETIMEDOUT:
		return EXIT_BROKEN;
	case SP_EINTR:
		return EXIT_SIGNAL;
	}
	return EXIT_USAGE;
}
