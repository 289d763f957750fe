/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run as other programs read it: writers behind one vtable, to a stream, so that
 * memory follows the profile and not the document. The same input gives the same bytes.
 * Names come from other people's binaries: each writer makes them fit its format, once,
 * where it writes them. Nothing is kept between calls; all is borrowed for the call.
 */
#ifndef SATPROF_CODEC_EXPORT_H
#define SATPROF_CODEC_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "base/err.h"
#include "model/run.h"
#include "plan/analysis.h"

/* Which values a format with one direction a file carries. */
enum export_better { EXPORT_HIGHER_IS_BETTER, EXPORT_LOWER_IS_BETTER };

struct export_input {
	const struct run *run;
	/* A flag for each of the run's trials: it is meant (plan/selector.h). */
	const bool *in;
	/* Of the samples, index into the run's events; meaningless without samples,
	 * which only a format has that can do without them. */
	uint32_t event;
	bool has_samples;
	/* Of the whole run; NULL where ops->needs is not EXPORT_NEEDS_ANALYSIS. */
	const struct analysis *analysis;
	enum export_better better;
};

enum export_needs {
	EXPORT_NEEDS_TRIALS,  /* samples where there are any */
	EXPORT_NEEDS_SAMPLES, /* nothing to say without them */
	EXPORT_NEEDS_ANALYSIS,
};

struct export_ops {
	const char *name;
	const char *summary;
	enum export_needs needs;
	bool is_binary;    /* not for a terminal */
	bool has_two_ways; /* export_input.better counts */
	/* Writes the whole document. SP_EIO when the stream fails, SP_EUSAGE when the
	 * input has nothing that the format could say, SP_EBROKEN for the numbers of a
	 * measurement that is not valid. */
	int (*write)(FILE *f, const struct export_input *in, struct sp_err *err);
};

extern const struct export_ops export_benchfmt;
extern const struct export_ops export_csv;
extern const struct export_ops export_folded;
extern const struct export_ops export_gha;
extern const struct export_ops export_json;
extern const struct export_ops export_openmetrics;
extern const struct export_ops export_otava;
extern const struct export_ops export_pprof;
extern const struct export_ops export_speedscope;

extern const struct export_ops *const export_list[];
extern const size_t export_list_len;

/* SP_EUSAGE, with the names there are, when there is none of that name, or it is NULL.
 */
int export_find(
	const char *name, const struct export_ops **ret_ops, struct sp_err *err);

/*
 * The event whose samples are written: the one of that name or, for NULL, what the
 * run's own profiler took, else the one with most samples. *ret_others: how many more
 * events have samples there. SP_EUSAGE where the trials have no samples, or none of
 * that event; the message names those that have.
 */
int export_event_choose(const struct run *run, const bool *in, const char *name,
	uint32_t *ret_event, size_t *ret_others, struct sp_err *err);

/* What goes into a file: for a line that says so, and for tests. */
struct export_totals {
	size_t n_trials;  /* that are meant */
	size_t n_sampled; /* those with samples of the event */
	uint64_t n_samples;
	uint64_t weight; /* in the event's unit */
	uint64_t n_lost; /* samples, of whichever event, in the trials that are meant */
};

void export_totals_make(const struct export_input *in, struct export_totals *ret);

#endif
