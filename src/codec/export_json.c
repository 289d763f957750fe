/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A run's trials, and its functions where there are samples, as one JSON document
 * (satprof-export(1)). What is not known has no key. Written piece by piece.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>

#include "codec/export_functions.h"
#include "codec/export_private.h"

#define EXPORT_JSON_SCHEMA 1

/* Keys after the first of an object. */
static void text_set(FILE *f, const char *key, const char *s)
{
	(void)fprintf(f, ",\"%s\":", key);
	export_json_text(f, s);
}

static void count_set(FILE *f, const char *key, uint64_t v)
{
	(void)fprintf(f, ",\"%s\":%" PRIu64, key, v);
}

static void real_set(FILE *f, const char *key, double v)
{
	if (isfinite(v))
		(void)fprintf(f, ",\"%s\":%.17g", key, v);
}

static void event_write(FILE *f, const struct export_input *in)
{
	const struct run_event *e = &in->run->events[in->event];
	struct export_totals t;

	export_totals_make(in, &t);
	(void)fputs(",\n\"event\":{\"name\":", f);
	export_json_text(f, e->name);
	text_set(f, "unit", e->unit);
	count_set(f, "samples", t.n_samples);
	count_set(f, "weight", t.weight);
	count_set(f, "trials", t.n_sampled);
	count_set(f, "lost", t.n_lost);
	(void)fputc('}', f);
}

static void functions_write(FILE *f, const struct export_input *in)
{
	struct export_functions functions;
	size_t i;

	export_functions_make(in, &functions);
	(void)fputs(",\n\"functions\":[", f);
	for (i = 0; i < functions.n; i++) {
		const struct export_function *r = &functions.rows[i];

		(void)fprintf(f, "%s\n{\"name\":", i > 0 ? "," : "");
		export_json_text(f, r->name);
		text_set(f, "module", r->module);
		if (r->build_id[0] != '\0')
			text_set(f, "build_id", r->build_id);
		count_set(f, "samples", r->n_samples);
		count_set(f, "weight", r->weight);
		(void)fputc('}', f);
	}
	(void)fputc(']', f);
	export_functions_done(&functions);
}

static void ledgers_write(FILE *f, const struct trial *t)
{
	size_t i, k;

	(void)fputs(",\"ledgers\":[", f);
	for (i = 0; i < t->n_ledgers; i++) {
		const struct ledger *l = &t->ledgers[i];

		(void)fprintf(f, "%s{\"dir\":\"%s\"", i > 0 ? "," : "",
			l->dir == DIR_FWD ? "fwd" : "rev");
		for (k = 0; k < LEDGER_N_POINTS; k++)
			if (l->source[k] != LEDGER_ABSENT)
				count_set(f, ledger_point_name((enum ledger_point)k),
					l->count[k]);
		(void)fputc('}', f);
	}
	(void)fputc(']', f);
}

static void latency_write(FILE *f, const struct latency_summary *l)
{
	(void)fprintf(f,
		",\"latency_ns\":{\"n\":%" PRIu64 ",\"p50\":%" PRIu64
		",\"p99\":%" PRIu64 ",\"p999\":%" PRIu64 ",\"max\":%" PRIu64 "}",
		l->n, l->p50_ns, l->p99_ns, l->p999_ns, l->max_ns);
}

static void trial_write(FILE *f, const struct run *run, const struct trial *t)
{
	size_t i;

	(void)fprintf(f, "{\"id\":%" PRIu32, t->spec.id);
	count_set(f, "block", t->spec.block);
	if (t->spec.phase > 0)
		count_set(f, "confirmation", t->spec.phase);
	text_set(f, "arm", run->arms[t->spec.arm].name);
	text_set(f, "kind", trial_kind_name(t->spec.kind));
	real_set(f, "rate_pps", t->spec.rate_pps);
	if (t->spec.rel_rate > 0)
		real_set(f, "rel_rate", t->spec.rel_rate);
	count_set(f, "t_start_ns", t->t_start_ns);
	count_set(f, "t_end_ns", t->t_end_ns);
	real_set(f, "window_pps", t->window_pps);
	real_set(f, "loss_frac", t->loss_frac);
	text_set(f, "limited_by", limited_by_name(t->limited_by));
	(void)fprintf(f, ",\"valid\":%s,\"reasons\":[", t->valid ? "true" : "false");
	for (i = 0; i < t->n_reasons; i++) {
		(void)fputs(i > 0 ? "," : "", f);
		export_json_text(f, t->reasons[i]);
	}
	(void)fputc(']', f);
	real_set(f, "cpu_ns_per_pkt", t->cpu_ns_per_pkt);
	if (t->has_latency)
		latency_write(f, &t->latency);
	if (t->sampling.sampled) {
		count_set(f, "samples", t->sampling.n_samples);
		count_set(f, "lost", t->sampling.n_lost);
	}
	ledgers_write(f, t);
	(void)fputc('}', f);
}

static void trials_write(FILE *f, const struct export_input *in)
{
	const char *between = "";
	size_t i;

	(void)fputs(",\n\"trials\":[", f);
	for (i = 0; i < in->run->n_trials; i++) {
		if (!in->in[i])
			continue;
		(void)fprintf(f, "%s\n", between);
		trial_write(f, in->run, &in->run->trials[i]);
		between = ",";
	}
	(void)fputc(']', f);
}

static int json_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	(void)fprintf(f, "{\"schema\":%d", EXPORT_JSON_SCHEMA);
	text_set(f, "run", in->run->path);
	text_set(f, "version", in->run->version);
	text_set(f, "started_at", in->run->started_at);
	if (in->has_samples) {
		event_write(f, in);
		functions_write(f, in);
	}
	trials_write(f, in);
	(void)fputs("}\n", f);
	return export_finish(f, err);
}

const struct export_ops export_json = {
	.name = "json",
	.summary = "the trials and the functions, for scripts",
	.needs = EXPORT_NEEDS_TRIALS,
	.write = json_write,
};
