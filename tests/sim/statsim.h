/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the statistical tests share: seeded draws, and shares with their bands. */
#ifndef SATPROF_TESTS_SIM_STATSIM_H
#define SATPROF_TESTS_SIM_STATSIM_H

#include <gsl/gsl_rng.h>

/* The caller frees it by gsl_rng_free(). */
gsl_rng *statsim_rng(unsigned long seed);

/* Normal, but one value in ten has so many times the spread. */
double statsim_draw(gsl_rng *rng, double sd, double outlier_factor);

/* What an interval says of a tolerance theta, greater being worse (method b6). */
enum statsim_gate { STATSIM_PASS, STATSIM_FAIL, STATSIM_UNSURE, STATSIM_N_GATES };
enum statsim_gate statsim_gate_of(double lo, double hi, double theta);

/* Prints the share and fails the test unless it lies in [lo, hi]. */
void statsim_assert_share(const char *what, double share, double lo, double hi);

#endif
