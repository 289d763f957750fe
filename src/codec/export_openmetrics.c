/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * OpenMetrics 1.0 (https://prometheus.io/docs/specs/om/open_metrics_spec/), also for
 * GitLab's metrics reports, which compare values as texts: numbers are rounded to what
 * their intervals leave standing. A family is a metric with its unit at the end of its
 * name; times are in seconds.
 */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/clean.h"
#include "codec/export_metrics.h"
#include "codec/export_private.h"

enum bound { BOUND_NONE, BOUND_LOWER, BOUND_UPPER };

struct family {
	enum export_metric_kind kind;
	enum bound bound;
	const char *name, *unit, *help;
	double scale;
};

#define RATE "packets_per_second"

static const struct family families[] = {
	{ METRIC_KNEE, BOUND_NONE, "satprof_knee", RATE,
		"Capacity of the system under test. Higher is better.", 1 },
	{ METRIC_KNEE, BOUND_LOWER, "satprof_knee_lower", RATE,
		"Lower end of the knee's confidence interval.", 1 },
	{ METRIC_KNEE, BOUND_UPPER, "satprof_knee_upper", RATE,
		"Upper end of the knee's confidence interval.", 1 },
	{ METRIC_NDR, BOUND_NONE, "satprof_ndr", RATE,
		"Throughput without loss. Higher is better.", 1 },
	{ METRIC_PDR, BOUND_NONE, "satprof_pdr", RATE,
		"Throughput with at most 0.5 % loss. Higher is better.", 1 },
	{ METRIC_CPU, BOUND_NONE, "satprof_cpu", "seconds_per_packet",
		"CPU time for a packet at 0.85 of the knee. Lower is better.", 1e-9 },
	{ METRIC_LATENCY, BOUND_NONE, "satprof_latency", "seconds",
		"One-way latency at a load, a fraction of the knee. Lower is better.",
		1e-9 },
};

#define N_FAMILIES (sizeof(families) / sizeof(families[0]))

static double bound_of(const struct export_metric *m, enum bound bound)
{
	switch (bound) {
	case BOUND_NONE:
		return m->value;
	case BOUND_LOWER:
		return m->lo;
	case BOUND_UPPER:
		return m->hi;
	}
	return (double)NAN;
}

/* A label's value: backslash, quote and line end are escaped. */
static void label_write(FILE *f, const char *s)
{
	char *clean = clean_utf8(s), *at;

	for (at = clean; *at != '\0'; at++) {
		if (*at == '\\' || *at == '"')
			(void)fputc('\\', f);
		if (*at == '\n')
			(void)fputs("\\n", f);
		else
			(void)fputc(*at, f);
	}
	free(clean);
}

static void sample_write(
	FILE *f, const struct family *fam, const struct export_metric *m, double v)
{
	char number[400];

	(void)fprintf(f, "%s_%s{arm=\"", fam->name, fam->unit);
	label_write(f, m->arm_name);
	(void)fputc('"', f);
	if (m->kind == METRIC_LATENCY)
		(void)fprintf(
			f, ",quantile=\"%g\",load=\"%g\"", m->quantile, m->load_frac);
	(void)fprintf(f, "} %s\n",
		export_metric_round(number, sizeof(number), m, fam->scale, v));
}

static void family_write(
	FILE *f, const struct family *fam, const struct export_metrics *all)
{
	bool begun = false;
	size_t i;

	for (i = 0; i < all->n; i++) {
		const struct export_metric *m = &all->metrics[i];
		double v = bound_of(m, fam->bound);

		if (m->kind != fam->kind || !isfinite(v))
			continue;
		if (!begun)
			(void)fprintf(f,
				"# TYPE %s_%s gauge\n# UNIT %s_%s %s\n# HELP %s_%s "
				"%s\n",
				fam->name, fam->unit, fam->name, fam->unit, fam->unit,
				fam->name, fam->unit, fam->help);
		begun = true;
		sample_write(f, fam, m, v);
	}
}

static int openmetrics_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	struct export_metrics all;
	size_t i;
	int rc = export_metrics_make(in, &all, err);

	if (rc != 0)
		return rc;
	for (i = 0; i < N_FAMILIES; i++)
		family_write(f, &families[i], &all);
	(void)fputs("# EOF\n", f);
	export_metrics_done(&all);
	return export_finish(f, err);
}

const struct export_ops export_openmetrics = {
	.name = "openmetrics",
	.summary = "numbers for Prometheus and GitLab's metrics reports",
	.needs = EXPORT_NEEDS_ANALYSIS,
	.write = openmetrics_write,
};
