/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The numbers of a run for trend and benchmark tools. */
#include "config.h"

#include "codec/export_metrics.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "stat/values.h"

/* Digits of a number without an interval. */
#define DIGITS 3

static struct export_metric *metric_add(struct export_metrics *all,
	const struct export_input *in, enum export_metric_kind kind, uint32_t arm)
{
	struct export_metric *m;

	all->metrics = xgrow(all->metrics, all->n, &all->cap, sizeof(*all->metrics));
	m = &all->metrics[all->n++];
	*m = (struct export_metric){
		.kind = kind,
		.arm = arm,
		.arm_name = in->analysis->arms[arm].name,
		.unit = kind == METRIC_CPU       ? "ns/packet"
			: kind == METRIC_LATENCY ? "ns"
						 : "packets/s",
		.better = kind == METRIC_CPU || kind == METRIC_LATENCY
				  ? EXPORT_LOWER_IS_BETTER
				  : EXPORT_HIGHER_IS_BETTER,
		.lo = (double)NAN,
		.hi = (double)NAN,
	};
	return m;
}

static void block_add(struct export_metric *m, uint32_t block, double value)
{
	if (!isfinite(value))
		return;
	m->blocks = xgrow(m->blocks, m->n, &m->cap, sizeof(*m->blocks));
	m->blocks[m->n++] = (struct export_metric_block){ block, value };
}

static void knee_add(
	struct export_metrics *all, const struct export_input *in, uint32_t arm)
{
	const struct analysis *a = in->analysis;
	struct export_metric *m;
	size_t i;

	if (!isfinite(a->arms[arm].knee_pps))
		return;
	m = metric_add(all, in, METRIC_KNEE, arm);
	(void)snprintf(m->name, sizeof(m->name), "knee_pps");
	m->value = a->arms[arm].knee_pps;
	m->lo = a->arms[arm].lo_pps;
	m->hi = a->arms[arm].hi_pps;
	for (i = 0; i < a->n_minisweeps; i++)
		if (a->minisweeps[i].arm == arm &&
			a->minisweeps[i].fit.kind == HINGE_EXACT)
			block_add(m, a->minisweeps[i].block,
				a->minisweeps[i].fit.knee_pps);
}

static void cpu_add(
	struct export_metrics *all, const struct export_input *in, uint32_t arm)
{
	const struct analysis *a = in->analysis;
	struct export_metric *m;
	size_t i;

	if (!isfinite(a->arms[arm].cpu_ns_per_pkt))
		return;
	m = metric_add(all, in, METRIC_CPU, arm);
	(void)snprintf(m->name, sizeof(m->name), "cpu_ns_per_pkt");
	m->value = a->arms[arm].cpu_ns_per_pkt;
	for (i = 0; i < a->n_minisweeps; i++)
		if (a->minisweeps[i].arm == arm)
			block_add(m, a->minisweeps[i].block,
				a->minisweeps[i].cpu_ns_per_pkt);
}

static void throughput_add(struct export_metrics *all, const struct export_input *in,
	enum export_metric_kind kind, uint32_t arm)
{
	const struct analysis_arm *a = &in->analysis->arms[arm];
	const struct analysis_throughput *t = kind == METRIC_NDR ? &a->ndr : &a->pdr;
	struct export_metric *m;

	if (!t->is_asked || !isfinite(t->pps))
		return;
	m = metric_add(all, in, kind, arm);
	(void)snprintf(m->name, sizeof(m->name), "%s",
		kind == METRIC_NDR ? "ndr_pps" : "pdr_pps");
	m->value = t->pps;
	m->lo = t->lo_pps;
	m->hi = t->hi_pps;
}

struct quantile {
	const char *name;
	double of;
	size_t offset; /* of its value in struct latency_summary */
};

static const struct quantile quantiles[] = {
	{ "p50", 0.5, offsetof(struct latency_summary, p50_ns) },
	{ "p99", 0.99, offsetof(struct latency_summary, p99_ns) },
	{ "p999", 0.999, offsetof(struct latency_summary, p999_ns) },
};

#define N_QUANTILES (sizeof(quantiles) / sizeof(quantiles[0]))

static double quantile_ns(const struct latency_summary *l, const struct quantile *q)
{
	return (double)*(const uint64_t *)(const void *)((const char *)l + q->offset);
}

/* The same number for trials that are at the same load. */
static long load_pct(const struct trial *t)
{
	return lround(100 * t->spec.rel_rate);
}

static bool is_latency_of(const struct trial *t, uint32_t arm)
{
	return t->spec.kind == TRIAL_LATENCY && t->spec.phase == 0 &&
	       t->spec.arm == arm && t->valid && t->has_latency && load_pct(t) > 0;
}

static void latency_add(struct export_metrics *all, const struct export_input *in,
	uint32_t arm, long pct, const struct quantile *q)
{
	const struct run *run = in->run;
	struct export_metric *m = metric_add(all, in, METRIC_LATENCY, arm);
	struct values all_ns = { .n = 0 };
	size_t i;

	(void)snprintf(m->name, sizeof(m->name), "%s_at_%ld_ns", q->name, pct);
	m->quantile = q->of;
	m->load_frac = (double)pct / 100;
	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (!is_latency_of(t, arm) || load_pct(t) != pct)
			continue;
		block_add(m, t->spec.block, quantile_ns(&t->latency, q));
		values_add(&all_ns, quantile_ns(&t->latency, q));
	}
	m->value = values_median(&all_ns);
	values_done(&all_ns);
}

/* Each load once, where it is first met. */
static void latencies_add(
	struct export_metrics *all, const struct export_input *in, uint32_t arm)
{
	const struct run *run = in->run;
	size_t i, k, q;

	for (i = 0; i < run->n_trials; i++) {
		const struct trial *t = &run->trials[i];

		if (!is_latency_of(t, arm))
			continue;
		for (k = 0; k < i; k++)
			if (is_latency_of(&run->trials[k], arm) &&
				load_pct(&run->trials[k]) == load_pct(t))
				break;
		for (q = 0; k == i && q < N_QUANTILES; q++)
			latency_add(all, in, arm, load_pct(t), &quantiles[q]);
	}
}

int export_metrics_make(
	const struct export_input *in, struct export_metrics *ret, struct sp_err *err)
{
	const struct analysis *a = in->analysis;
	struct export_metrics all = { .n = 0 };
	uint32_t arm;

	if (!a->valid || a->verdict == VERDICT_BROKEN)
		return sp_err_set(err, SP_EBROKEN,
			"the run is not valid, so it has no numbers to go by: %s",
			a->n_reasons > 0 ? a->reasons[0] : "see satprof show");
	for (arm = 0; arm < a->n_arms; arm++)
		knee_add(&all, in, arm);
	for (arm = 0; arm < a->n_arms; arm++)
		throughput_add(&all, in, METRIC_NDR, arm);
	for (arm = 0; arm < a->n_arms; arm++)
		throughput_add(&all, in, METRIC_PDR, arm);
	for (arm = 0; arm < a->n_arms; arm++)
		cpu_add(&all, in, arm);
	for (arm = 0; arm < a->n_arms; arm++)
		latencies_add(&all, in, arm);
	if (all.n == 0)
		return sp_err_set(err, SP_EUSAGE,
			"the run has no knee, no CPU time per packet and no latency");
	*ret = all;
	return 0;
}

void export_metrics_done(struct export_metrics *m)
{
	size_t i;

	for (i = 0; i < m->n; i++)
		free(m->metrics[i].blocks);
	free(m->metrics);
	*m = (struct export_metrics){ .n = 0 };
}

char *export_metric_round(
	char *buf, size_t len, const struct export_metric *m, double scale, double v)
{
	double half = (m->hi - m->lo) / 2 * scale, step;
	double digit = fabs(m->value * scale);
	int place = 0;

	v *= scale;
	if (isfinite(half) && half > 0)
		place = (int)floor(log10(half));
	else if (digit > 0)
		place = (int)floor(log10(digit)) - (DIGITS - 1);
	step = pow(10, place);
	(void)snprintf(buf, len, "%.*f", place < 0 ? -place : 0,
		place > 0 ? round(v / step) * step : v);
	return buf;
}
