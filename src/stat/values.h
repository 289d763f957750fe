/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A growing list of numbers to take a median of, where what is not known is NAN
 * and leaves no trace. Zero a struct values to start; values_done() frees it.
 */
#ifndef SATPROF_STAT_VALUES_H
#define SATPROF_STAT_VALUES_H

#include <stddef.h>

struct values {
	double *v;
	size_t n, cap;
};

/* A value that is not finite is left out. */
void values_add(struct values *l, double x);
/* NAN when empty. The order of the values is lost. */
double values_median(struct values *l);
void values_done(struct values *l);

#endif
