/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Where an outside profiler's output stays: RUN.d beside the run file, in it a
 * folder ARM-NN and its messages in ARM-NN.log for each start. What stayed empty
 * is taken away again.
 */
#ifndef SATPROF_OBSERVE_OUTSIDE_DIR_H
#define SATPROF_OBSERVE_OUTSIDE_DIR_H

#include <stddef.h>

#include "base/err.h"

struct outside_dir {
	char *root; /* RUN.d, absolute */
	char *dir;  /* ARM-NN: {dir} */
	char *log;  /* ARM-NN.log */
};

/* A new folder for a start; an earlier one of *d is tidied first. */
int outside_dir_make(struct outside_dir *d, const char *run_path, const char *arm,
	struct sp_err *err);
/* The end of the messages as one printable line, "(none)" if empty. */
void outside_dir_last_words(const struct outside_dir *d, char *buf, size_t len);
/* Take away what is empty; then *d is as zeroed. */
void outside_dir_tidy(struct outside_dir *d);

#endif
