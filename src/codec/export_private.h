/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the writers of exports. */
#ifndef SATPROF_CODEC_EXPORT_PRIVATE_H
#define SATPROF_CODEC_EXPORT_PRIVATE_H

#include "codec/export.h"

/* Whether cells count: by their number in the run's list of trials. */
struct export_trials {
	const struct export_input *in;
	size_t last; /* where the last one was found: cells come trial by trial */
};

/* The index of the cell's trial in the run; SIZE_MAX: the cell is not meant, for its
 * trial, its event, or because it is not sound. */
size_t export_cell_trial(struct export_trials *t, const struct profile_cell *c);

/* The name of a frame's function; where there is none "[FILE]" of its module. The
 * caller frees it. */
char *export_frame_name(const struct profile *p, uint32_t frame);
/* A JSON string with its quotes; bytes that are no UTF-8 become U+FFFD. */
void export_json_text(FILE *f, const char *s);
/* A field of CSV in quotes; the same of its bytes. */
void export_csv_text(FILE *f, const char *s);
/* SP_EIO when the stream is in error, as every writer ends; else 0. */
int export_finish(FILE *f, struct sp_err *err);

#endif
