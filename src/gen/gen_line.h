/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A program that is spoken to line by line, held by the keeper so that it dies with
 * the run. Its standard input and output are the two ends of one socket; what it
 * writes to standard error is kept for messages. Every exchange has a deadline.
 * Main thread only.
 */
#ifndef SATPROF_GEN_GEN_LINE_H
#define SATPROF_GEN_GEN_LINE_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "os/keeper.h"
#include "os/output_tail.h"

#define GEN_LINE_MAX_BYTES 8192

struct gen_line {
	struct keeper *keeper; /* borrowed */
	const char *command;   /* for the shell; borrowed */
	const volatile sig_atomic_t *stop;
	struct keeper_child child;
	bool is_held;
	int sock;
	struct output_tail err_out;
	size_t n_buf, n_taken; /* bytes there; those of the line handed out last */
	char buf[GEN_LINE_MAX_BYTES];
};

/* Start it on these CPUs (0: any). The strings are kept. */
int gen_line_start(
	struct gen_line *c, const int *cpus, size_t n_cpus, struct sp_err *err);
/* doing: what is asked, for messages. SP_EBROKEN when it is gone, reads nothing, or has
 * said something unasked. */
int gen_line_send(
	struct gen_line *c, const char *doing, const char *text, struct sp_err *err);
/*
 * The next line without its end, valid until the next call; ret_len may hide zero
 * bytes. doing: what it was asked, for messages. SP_EBROKEN: it died, with its last
 * words; SP_ETIMEDOUT: silence; SP_EINTR: asked to stop; SP_EUSAGE: the shell found
 * no such program.
 */
int gen_line_read(struct gen_line *c, const char *doing, uint64_t timeout_ns,
	const char **ret_line, size_t *ret_len, struct sp_err *err);
/* TERM, KILL after the grace. A zeroed one with sock -1 is a no-op. */
void gen_line_end(struct gen_line *c, uint64_t grace_ns);

#endif
