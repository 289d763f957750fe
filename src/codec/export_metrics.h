/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The numbers of a run, arm by arm, as trend and benchmark tools take them: knee, CPU
 * time per packet, NDR and PDR, latency. Each has a unit and says whether more is
 * better. What is not known, and a bound, is no metric. Private to export*.c.
 */
#ifndef SATPROF_CODEC_EXPORT_METRICS_H
#define SATPROF_CODEC_EXPORT_METRICS_H

#include "codec/export.h"

enum export_metric_kind {
	METRIC_KNEE,
	METRIC_NDR,
	METRIC_PDR,
	METRIC_CPU,     /* ns per packet into the SUT */
	METRIC_LATENCY, /* ns, one way */
};

/* One block's value. */
struct export_metric_block {
	uint32_t block;
	double value;
};

struct export_metric {
	enum export_metric_kind kind;
	uint32_t arm;
	const char *arm_name; /* borrowed from the run */
	char name[40];        /* "knee_pps", "p99_at_90_ns": of its knee, in percent */
	const char *unit;     /* "packets/s", "ns/packet", "ns" */
	enum export_better better;
	double value;
	double lo, hi;              /* NAN: no interval */
	double quantile, load_frac; /* METRIC_LATENCY */
	size_t n, cap;
	struct export_metric_block *blocks; /* by block; none of NDR and PDR */
};

struct export_metrics {
	size_t n, cap;
	struct export_metric *metrics; /* by kind, then arm */
};

/* SP_EBROKEN where the run is not valid, SP_EUSAGE where it has no such number. */
int export_metrics_make(
	const struct export_input *in, struct export_metrics *ret, struct sp_err *err);
void export_metrics_done(struct export_metrics *m);

/*
 * The value without the digits that its interval leaves open (without an interval:
 * three digits), times scale, so that a comparison of texts finds no difference where
 * there is none. buf is returned.
 */
char *export_metric_round(
	char *buf, size_t len, const struct export_metric *m, double scale, double v);

#endif
