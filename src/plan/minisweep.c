/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From the grid trials of one mini-sweep to its hinge fit. */
#include "config.h"

#include "plan/minisweep.h"

#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"

#define CROWDED_FRAC 0.05

bool minisweep_is_usable(const struct trial *t)
{
	return t->valid && t->limited_by != LIMITED_GENERATOR &&
	       t->limited_by != LIMITED_RECEIVER;
}

/* What ran on that CPU for the measurement itself; 0 where it is not known. */
static double served_ns(const struct trial *t, int32_t cpu)
{
	static const enum fact_key keys[] = { FACT_BENCH_NS, FACT_SOFTIRQD_NS };
	char of[FACT_OF_MAX];
	double sum_ns = 0;
	size_t i;

	(void)snprintf(of, sizeof(of), "%d", cpu);
	for (i = 0; i < sizeof(keys) / sizeof(keys[0]); i++) {
		const struct fact *f = facts_find(&t->facts, keys[i], of);

		sum_ns += f != NULL ? f->value : 0;
	}
	return sum_ns;
}

double minisweep_wait_frac(const struct trial *t)
{
	double max_ns = 0;
	size_t i;

	for (i = 0; i < t->n_threads; i++)
		max_ns = fmax(max_ns, (double)t->threads[i].wait_ns -
					      served_ns(t, t->threads[i].cpu));
	return max_ns > 0 ? max_ns / (double)t->spec.duration_ns : 0;
}

double minisweep_wait_limit(double *waits_frac, size_t n)
{
	return n > 0 ? gsl_stats_median(waits_frac, 1, n) + CROWDED_FRAC : (double)NAN;
}

struct hinge_point *minisweep_points(const struct trial *const *trials, size_t n)
{
	struct hinge_point *points = xcalloc(n, sizeof(*points));
	size_t i;

	for (i = 0; i < n; i++)
		points[i] = (struct hinge_point){
			.rate_pps = trials[i]->spec.rate_pps,
			.goodput_pps = trials[i]->window_pps,
			.is_usable = minisweep_is_usable(trials[i]),
		};
	return points;
}

void minisweep_fit(
	const struct trial *const *trials, size_t n, struct hinge_fit *ret_fit)
{
	struct hinge_point *points = minisweep_points(trials, n);

	hinge_fit(points, n, ret_fit);
	free(points);
}
