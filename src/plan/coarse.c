/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The pilot's coarse knee search. */
#include "config.h"

#include "plan/coarse.h"

#include <math.h>

/* Goodput below this part of the rate is saturation... or a hiccup. Of the best part
 * that was seen at any rate, where that is less: a SUT with a background loss. */
#define PASS_FRAC     0.97
#define BEST_FRAC_MIN 0.90
#define NARROW_ENOUGH 1.10
#define MAX_TRIALS    28
#define MAX_RETRIES   2
#define MIN_RATE_PPS  16.0
#define MAX_RATE_PPS  200e6

void coarse_init(struct coarse *c, double start_pps, double step)
{
	*c = (struct coarse){ .rate_pps = start_pps, .step = step };
}

bool coarse_next(const struct coarse *c, double *ret_rate_pps)
{
	if (c->done)
		return false;
	*ret_rate_pps = c->rate_pps;
	return true;
}

static double floor_pps(const struct coarse *c)
{
	return fmax(c->pass_pps, c->best_pps);
}

/* Choose the next rate from what is known, or end. */
static void choose(struct coarse *c)
{
	double lo = floor_pps(c);

	if (c->n_trials >= MAX_TRIALS || c->rate_pps > MAX_RATE_PPS) {
		c->done = true;
		return;
	}
	if (c->fail_pps <= 0) {
		c->rate_pps = c->pass_pps * c->step;
		return;
	}
	if (c->pass_pps <= 0) {
		/* Nothing passed yet: go down to what came through, or well below. */
		double next = c->best_pps > 0 ? c->best_pps * 0.9 : c->fail_pps / 8;

		next = fmin(next, c->fail_pps / 1.2);
		if (next < MIN_RATE_PPS)
			c->done = true;
		c->rate_pps = next;
		return;
	}
	if (c->fail_pps <= lo * NARROW_ENOUGH) {
		c->done = true;
		return;
	}
	c->rate_pps = sqrt(lo * c->fail_pps);
}

void coarse_feed(struct coarse *c, const struct trial *t)
{
	double rate = t->spec.rate_pps;
	bool gen_limited = t->limited_by == LIMITED_GENERATOR;
	bool passed;

	c->n_trials++;
	c->best_frac = fmax(c->best_frac, t->window_pps / rate);
	passed = !gen_limited &&
		 t->window_pps >=
			 PASS_FRAC * fmin(1, fmax(BEST_FRAC_MIN, c->best_frac)) * rate;
	c->best_pps = fmax(c->best_pps, t->window_pps);
	/* The way up must not end by a hiccup, of the SUT or of the generator. */
	if (!passed && c->fail_pps <= 0 && c->n_retries < MAX_RETRIES) {
		c->n_retries++;
		return;
	}
	c->n_retries = 0;
	if (passed) {
		c->pass_pps = fmax(c->pass_pps, rate);
		/* A rate that passes shows that lower failures were hiccups. */
		if (c->fail_pps > 0 && c->fail_pps <= rate)
			c->fail_pps = 0;
	} else {
		c->gen_limited |= gen_limited;
		if (c->fail_pps <= 0 || rate < c->fail_pps)
			c->fail_pps = rate;
	}
	choose(c);
}

double coarse_knee_pps(const struct coarse *c)
{
	return c->best_pps;
}
