/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The functions of an export: what was sampled in each, by itself and not in what it
 * called. Private to export*.c.
 */
#ifndef SATPROF_CODEC_EXPORT_FUNCTIONS_H
#define SATPROF_CODEC_EXPORT_FUNCTIONS_H

#include "codec/export.h"
#include "codec/export_fold.h"

struct export_function {
	const char *name, *module, *build_id; /* borrowed from fold */
	uint64_t n_samples, weight;
};

struct export_functions {
	struct export_fold fold;
	size_t n;
	struct export_function *rows; /* the greatest weight first */
};

void export_functions_make(const struct export_input *in, struct export_functions *ret);
void export_functions_done(struct export_functions *f);

#endif
