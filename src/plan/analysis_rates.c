/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The analysis of each arm: its table of rates, medians over blocks. */
#include "config.h"

#include "plan/analysis_private.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

/* The columns of one rate while they are gathered. */
struct columns {
	struct values rate, offered, goodput, loss, cost, p50, p99;
};

/* The position on the planned rates that lies nearest, as a ratio. */
static size_t nearest(const double *planned, size_t n, double x)
{
	size_t best = 0, i;

	for (i = 1; i < n; i++)
		if (fabs(log(x / planned[i])) < fabs(log(x / planned[best])))
			best = i;
	return best;
}

/* Frames a second that were offered; NAN when the ledgers do not say. */
static double offered_pps(const struct trial *t)
{
	double n = 0;
	size_t i;

	for (i = 0; i < t->n_ledgers; i++) {
		if (t->ledgers[i].source[LEDGER_OFFERED] == LEDGER_ABSENT)
			return (double)NAN;
		n += (double)t->ledgers[i].count[LEDGER_OFFERED];
	}
	if (t->n_ledgers == 0 || t->spec.duration_ns == 0)
		return (double)NAN;
	return n * 1e9 / (double)t->spec.duration_ns;
}

static void columns_add(struct columns *c, const struct trial *t)
{
	values_add(&c->rate, t->spec.rate_pps);
	values_add(&c->offered, offered_pps(t));
	values_add(&c->goodput, t->window_pps);
	values_add(&c->loss, t->loss_frac);
	values_add(&c->cost, t->cpu_ns_per_pkt);
	if (t->has_latency) {
		values_add(&c->p50, (double)t->latency.p50_ns);
		values_add(&c->p99, (double)t->latency.p99_ns);
	}
}

static double median_done(struct values *l)
{
	double m = values_median(l);

	values_done(l);
	return m;
}

static void columns_reduce(struct columns *c, struct analysis_rate *r)
{
	r->rate_pps = median_done(&c->rate);
	r->offered_pps = median_done(&c->offered);
	r->goodput_pps = median_done(&c->goodput);
	r->loss_frac = median_done(&c->loss);
	r->cpu_ns_per_pkt = median_done(&c->cost);
	r->p50_ns = median_done(&c->p50);
	r->p99_ns = median_done(&c->p99);
}

static void arm_rates(const struct run *run, uint32_t arm, struct analysis_arm *ret)
{
	bool is_ladder = run->config.n_rates > 0;
	const double *planned =
		is_ladder ? run->config.rates_pps : run->config.rel_rates;
	size_t n = is_ladder ? run->config.n_rates : run->config.n_rel_rates, i, at;
	struct columns *columns = xcalloc(n, sizeof(*columns));

	ret->n_rates = n;
	ret->rates = xcalloc(n, sizeof(*ret->rates));
	for (i = 0; i < run->n_trials && n > 0; i++) {
		const struct trial *t = &run->trials[i];
		double rate = is_ladder ? t->spec.rate_pps : t->spec.rel_rate;

		if (t->spec.arm != arm ||
			t->spec.kind != (is_ladder ? TRIAL_LADDER : TRIAL_GRID))
			continue;
		at = nearest(planned, n, rate);
		if (fabs(rate / planned[at] - 1) > SAME_RATE_FRAC)
			continue; /* beyond the grid, where it missed the knee */
		ret->rates[at].n_trials++;
		ret->rates[at].n_spoiled += t->limited_by == LIMITED_GENERATOR ||
					    t->limited_by == LIMITED_RECEIVER;
		if (!t->valid)
			continue;
		ret->rates[at].n_valid++;
		columns_add(&columns[at], t);
	}
	for (i = 0; i < n; i++) {
		columns_reduce(&columns[i], &ret->rates[i]);
		ret->rates[i].rel_rate = is_ladder ? (double)NAN : planned[i];
		if (is_ladder)
			ret->rates[i].rate_pps = planned[i];
	}
	free(columns);
}

void analysis_rates_make(const struct run *run, struct analysis *a)
{
	uint32_t i;

	for (i = 0; i < a->n_arms; i++)
		arm_rates(run, i, &a->arms[i]);
}
