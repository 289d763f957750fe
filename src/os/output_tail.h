/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a SUT or an outside generator writes: into memory, where no disk is touched
 * during a trial, with all but the last part given back from time to time.
 */
#ifndef SATPROF_OS_OUTPUT_TAIL_H
#define SATPROF_OS_OUTPUT_TAIL_H

#include <stddef.h>

#include "base/err.h"

#define OUTPUT_TAIL_KEEP_BYTES 4096

struct output_tail {
	int fd;          /* what it writes goes here */
	long given_back; /* bytes at the front that hold no memory any more */
	char tail[OUTPUT_TAIL_KEEP_BYTES + 1];
};

int output_tail_open(struct output_tail *o, struct sp_err *err);
void output_tail_close(struct output_tail *o);
/* Forget what an earlier instance wrote. */
void output_tail_reset(struct output_tail *o);
/* Give memory back where much was written. Cheap; never blocks. */
void output_tail_trim(struct output_tail *o);
/* The end of the text, at most max bytes, from where a word begins; a word of more is
 * cut. */
const char *output_tail_words(const char *text, size_t max);
/* The last whole lines, printable, at most OUTPUT_TAIL_KEEP_BYTES. */
const char *output_tail_lines(struct output_tail *o);
/* The end of the tail as one line of at most len - 1 bytes, "(none)" if empty. */
void output_tail_line(struct output_tail *o, char *buf, size_t len);

#endif
