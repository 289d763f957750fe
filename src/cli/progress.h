/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One line on a terminal that tells how far a sweep is; silent in a pipe. */
#ifndef SATPROF_CLI_PROGRESS_H
#define SATPROF_CLI_PROGRESS_H

#include <stdbool.h>
#include <stdint.h>

#include "engine/sweep.h"

struct progress {
	bool on; /* standard error is a terminal and --quiet was not given */
	uint64_t estimate_ns;
};

void progress_init(struct progress *p, bool quiet, uint64_t estimate_ns);
/* A sweep_job's progress function; ctx: struct progress * */
void progress_show(void *ctx, const struct sweep_progress *s);
/* Take the line away before anything else is printed. */
void progress_clear(struct progress *p);

#endif
