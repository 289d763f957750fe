/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The pilot's coarse search for a knee: doubles the rate until goodput no longer
 * follows, then narrows the bracket geometrically. Robust rather than exact (the
 * blocks measure): a failed trial on the way up is repeated twice before it counts,
 * since a hiccup of the machine looks just like saturation. Pure state machine.
 */
#ifndef SATPROF_PLAN_COARSE_H
#define SATPROF_PLAN_COARSE_H

#include <stdbool.h>
#include <stddef.h>

#include "model/trial.h"

struct coarse {
	double rate_pps;    /* the next trial's */
	double step;        /* factor on the way up, > 1 */
	double pass_pps;    /* highest rate that passed, 0: none */
	double fail_pps;    /* lowest rate that failed, 0: none */
	double best_pps;    /* largest goodput seen */
	double best_frac;   /* largest goodput / rate seen */
	unsigned n_retries; /* of a rate that failed on the way up */
	bool gen_limited;   /* the generator, not the SUT, ended the way up */
	bool done;
	unsigned n_trials;
};

/* start_pps > 0: where to begin; step: e.g. 2, or 1.25 near a known knee. */
void coarse_init(struct coarse *c, double start_pps, double step);
/* False when the search is over; else the rate of the next trial. */
bool coarse_next(const struct coarse *c, double *ret_rate_pps);
void coarse_feed(struct coarse *c, const struct trial *t);
/* The estimate: the best goodput seen. 0: nothing arrived. */
double coarse_knee_pps(const struct coarse *c);

#endif
