/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A list of known numbers and its median. */
#include "config.h"

#include "stat/values.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

void values_add(struct values *l, double x)
{
	if (!isfinite(x))
		return;
	l->v = xgrow(l->v, l->n, &l->cap, sizeof(*l->v));
	l->v[l->n++] = x;
}

double values_median(struct values *l)
{
	return l->n > 0 ? gsl_stats_median(l->v, 1, l->n) : (double)NAN;
}

void values_done(struct values *l)
{
	free(l->v);
	*l = (struct values){ 0 };
}
