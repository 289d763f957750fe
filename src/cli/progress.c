/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The progress line of a sweep. */
#include "config.h"

#include "cli/progress.h"

#include <math.h>
#include <stdio.h>
#include <unistd.h>

#include "base/units.h"
#include "cli/say.h"

void progress_init(struct progress *p, bool quiet, uint64_t estimate_ns)
{
	p->on = !quiet && isatty(STDERR_FILENO) == 1;
	p->estimate_ns = estimate_ns;
}

void progress_show(void *ctx, const struct sweep_progress *s)
{
	const struct progress *p = ctx;
	const struct trial *t = s->trial;
	char rate[32], good[32], where[48];
	double loss_pct = isnan(t->loss_frac) ? 0 : 100 * t->loss_frac;

	if (!p->on)
		return;
	if (t->spec.kind == TRIAL_NDR)
		(void)snprintf(where, sizeof(where), "NDR");
	else if (s->phase > 0)
		(void)snprintf(where, sizeof(where), "confirm %u block %u/%u", s->phase,
			s->block, s->n_blocks);
	else if (s->block == 0)
		(void)snprintf(where, sizeof(where), "pilot");
	else
		(void)snprintf(
			where, sizeof(where), "block %u/%u", s->block, s->n_blocks);
	say_over("%3.0f of ~%.0f s  %s  %s  %s -> %s  loss %.1f %%",
		(double)s->elapsed_ns / (double)NS_PER_S,
		(double)p->estimate_ns / (double)NS_PER_S, where, s->arm->name,
		units_pps_format(rate, sizeof(rate), t->spec.rate_pps),
		units_pps_format(good, sizeof(good), t->window_pps), loss_pct);
}

void progress_clear(struct progress *p)
{
	if (p->on)
		say_over("%s", "");
}
