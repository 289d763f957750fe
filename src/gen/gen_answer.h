/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an outside generator answers, one JSON object a line (satprof-generator(5)):
 * read, judged and refused where it cannot be true. Every refusal is SP_EBROKEN and
 * quotes the line printably. Pure.
 */
#ifndef SATPROF_GEN_GEN_ANSWER_H
#define SATPROF_GEN_GEN_ANSWER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/trial.h"

struct gen_answer {
	uint64_t sent, received; /* packets; received <= sent */
	double window_pps;       /* goodput in the steady window */
	bool has_latency;
	struct latency_summary latency; /* n: received */
};

/* {"ok":true}, with "schema" 1 if it says one. */
int gen_answer_hello(const char *line, size_t len, struct sp_err *err);
/* The answer to a trial for which `asked` packets were to be sent at rate_pps. */
int gen_answer_trial(const char *line, size_t len, uint64_t asked, double rate_pps,
	struct gen_answer *ret_answer, struct sp_err *err);
/* Printable, in '': at most size - 1 bytes, cut with "...". */
void gen_answer_quote(const char *line, size_t len, char *buf, size_t size);

#endif
