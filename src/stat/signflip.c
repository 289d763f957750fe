/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sign-flip permutation test. */
#include "config.h"

#include "stat/signflip.h"

#include <gsl/gsl_sort.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>

#include "base/mem.h"

#define TRIM_FRAC 0.2
/* Sums of the same numbers in another order differ by this much of their size. */
#define ROUNDING 1e-12

double signflip_mean(double *d, size_t n, void *ctx)
{
	(void)ctx;
	return gsl_stats_mean(d, 1, n);
}

double signflip_trimmed_mean(double *d, size_t n, void *ctx)
{
	(void)ctx;
	gsl_sort(d, 1, n);
	return gsl_stats_trmean_from_sorted_data(TRIM_FRAC, d, 1, n);
}

struct flip {
	const double *d;
	size_t n;
	double shift;
	double *work;
	enum ranktest_side side;
	signflip_fn *statistic;
	void *ctx;
};

/* How extreme the pattern is: bit i of signs turns difference i round. */
static double extremity(const struct flip *f, const uint8_t *is_turned)
{
	double t;
	size_t i;

	for (i = 0; i < f->n; i++)
		f->work[i] = is_turned[i] ? f->shift - f->d[i] : f->d[i] - f->shift;
	t = f->statistic(f->work, f->n, f->ctx);
	return f->side == RANKTEST_TWO_SIDED ? fabs(t)
	       : f->side == RANKTEST_LOWER   ? t
					     : -t;
}

static double p_exact(const struct flip *f, double least, uint8_t *is_turned)
{
	uint32_t signs, all = (uint32_t)1 << f->n, count = 0;
	size_t i;

	for (signs = 0; signs < all; signs++) {
		for (i = 0; i < f->n; i++)
			is_turned[i] = signs >> i & 1;
		count += extremity(f, is_turned) >= least;
	}
	return (double)count / (double)all;
}

static double p_drawn(
	const struct flip *f, double least, uint8_t *is_turned, gsl_rng *rng)
{
	unsigned count = 0, k;
	size_t i;

	for (k = 0; k < SIGNFLIP_N_DRAWS; k++) {
		for (i = 0; i < f->n; i++)
			is_turned[i] = gsl_rng_uniform(rng) < 0.5;
		count += extremity(f, is_turned) >= least;
	}
	return (count + 1.0) / (SIGNFLIP_N_DRAWS + 1.0);
}

double signflip_p(const double *d, size_t n, double shift, enum ranktest_side side,
	signflip_fn *statistic, void *ctx, gsl_rng *rng)
{
	uint8_t *is_turned = xcalloc(n, sizeof(*is_turned));
	struct flip f = { d, n, shift, xcalloc(n, sizeof(double)), side, statistic,
		ctx };
	double seen, p = 1;

	if (n > 0) {
		seen = extremity(&f, is_turned);
		seen -= ROUNDING * fabs(seen);
		p = n <= SIGNFLIP_EXACT_MAX ? p_exact(&f, seen, is_turned)
					    : p_drawn(&f, seen, is_turned, rng);
	}
	free(is_turned);
	free(f.work);
	return p;
}
