/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the statistical tests share. */
#include "config.h"

#include "statsim.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_randist.h>

#define OUTLIER_CHANCE 0.1

gsl_rng *statsim_rng(unsigned long seed)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);

	gsl_rng_set(rng, seed);
	return rng;
}

double statsim_draw(gsl_rng *rng, double sd, double outlier_factor)
{
	bool is_outlier = gsl_rng_uniform(rng) < OUTLIER_CHANCE;

	return gsl_ran_gaussian(rng, is_outlier ? sd * outlier_factor : sd);
}

enum statsim_gate statsim_gate_of(double lo, double hi, double theta)
{
	return lo > theta ? STATSIM_FAIL : hi < theta ? STATSIM_PASS : STATSIM_UNSURE;
}

void statsim_assert_share(const char *what, double share, double lo, double hi)
{
	print_message("# %s: %.4f (%.4f to %.4f)\n", what, share, lo, hi);
	if (!(share >= lo && share <= hi))
		fail_msg("%s: %.4f is not in %.4f to %.4f", what, share, lo, hi);
}
