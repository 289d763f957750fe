/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What a SUT writes: into memory, where no disk is touched during a trial, with
 * all but the last part given back from time to time.
 */
#ifndef SATPROF_SUT_SUT_OUTPUT_H
#define SATPROF_SUT_SUT_OUTPUT_H

#include <stddef.h>

#include "base/err.h"

#define SUT_OUTPUT_KEEP_BYTES 4096

struct sut_output {
	int fd;          /* both streams of the SUT go here */
	long given_back; /* bytes at the front that hold no memory any more */
	char tail[SUT_OUTPUT_KEEP_BYTES + 1];
};

int sut_output_open(struct sut_output *o, struct sp_err *err);
void sut_output_close(struct sut_output *o);
/* Forget what an earlier instance wrote. */
void sut_output_reset(struct sut_output *o);
/* Give memory back where much was written. Cheap; never blocks. */
void sut_output_trim(struct sut_output *o);
/* The last whole lines, printable, at most SUT_OUTPUT_KEEP_BYTES. */
const char *sut_output_tail(struct sut_output *o);
/* The end of the tail as one line of at most len - 1 bytes, "(none)" if empty. */
void sut_output_line(struct sut_output *o, char *buf, size_t len);

#endif
