/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The JSON of `sweep` and `show`, as satprof-show(1) documents it for scripts. What
 * is not known has no key; a bound is in knee_lo_pps or knee_hi_pps only.
 */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/mem.h"
#include "report/report.h"
#include "report/report_json_private.h"

#define REPORT_JSON_SCHEMA 1

static json_t *reasons_json(const struct analysis *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n_reasons; i++)
		(void)json_array_append_new(list, report_json_text(a->reasons[i]));
	return list;
}

static json_t *exhausted_json(const struct analysis_arm *arm)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < arm->n_exhausted; i++) {
		const struct analysis_exhausted *e = &arm->exhausted[i];
		json_t *o = json_object();

		report_json_set_text(o, "what", e->what);
		report_json_set_real(o, "busy_frac", e->busy_frac);
		report_json_set(o, "busy_polls", json_boolean(e->busy_polls));
		(void)json_array_append_new(list, o);
	}
	return list;
}

static json_t *drops_json(const struct analysis_arm *arm)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < arm->n_drops; i++) {
		json_t *o = json_object();

		report_json_set_text(
			o, "point", ledger_point_name(arm->drops[i].point));
		report_json_set_text(o, "place", arm->drops[i].place);
		report_json_set_real(o, "frac", arm->drops[i].frac);
		(void)json_array_append_new(list, o);
	}
	return list;
}

static json_t *rates_json(const struct analysis_arm *arm)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < arm->n_rates; i++) {
		const struct analysis_rate *r = &arm->rates[i];
		json_t *o = json_object();

		report_json_set_real(o, "rel_rate", r->rel_rate);
		report_json_set_real(o, "rate_pps", r->rate_pps);
		report_json_set_real(o, "offered_pps", r->offered_pps);
		report_json_set_real(o, "goodput_pps", r->goodput_pps);
		report_json_set_real(o, "loss_frac", r->loss_frac);
		report_json_set_real(o, "cpu_ns_per_pkt", r->cpu_ns_per_pkt);
		report_json_set_real(o, "p50_ns", r->p50_ns);
		report_json_set_real(o, "p99_ns", r->p99_ns);
		report_json_set_count(o, "trials", r->n_trials);
		report_json_set_count(o, "valid_trials", r->n_valid);
		(void)json_array_append_new(list, o);
	}
	return list;
}

/* The keys that go with the bound, and no other of the three. */
static void knee_set(json_t *o, const struct analysis_arm *arm)
{
	switch (arm->bound) {
	case HINGE_INVALID:
		return;
	case HINGE_EXACT:
		report_json_set_real(o, "knee_pps", arm->knee_pps);
		report_json_set_real(o, "knee_lo_pps", arm->lo_pps);
		report_json_set_real(o, "knee_hi_pps", arm->hi_pps);
		break;
	case HINGE_ABOVE_MAX:
		report_json_set_real(o, "knee_lo_pps", arm->lo_pps);
		break;
	case HINGE_BELOW_MIN:
		report_json_set_real(o, "knee_hi_pps", arm->hi_pps);
		break;
	}
	report_json_set_text(o, "bound", hinge_kind_name(arm->bound));
}

/* "ndr_pps" and so on; the number only where it is one, the bounds where known. */
static void throughput_set(
	json_t *o, const char *name, const struct analysis_throughput *t)
{
	char key[24];

	if (!t->is_asked)
		return;
	(void)snprintf(key, sizeof(key), "%s_pps", name);
	report_json_set_real(o, key, t->pps);
	(void)snprintf(key, sizeof(key), "%s_lo_pps", name);
	report_json_set_real(o, key, t->lo_pps);
	(void)snprintf(key, sizeof(key), "%s_hi_pps", name);
	report_json_set_real(o, key, t->hi_pps);
	(void)snprintf(key, sizeof(key), "%s_bound", name);
	report_json_set_text(o, key, analysis_throughput_word(t));
}

static json_t *arms_json(const struct run *run, const struct analysis *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n_arms; i++) {
		const struct analysis_arm *arm = &a->arms[i];
		json_t *o = json_object();

		report_json_set_text(o, "name", arm->name);
		knee_set(o, arm);
		report_json_set_real(o, "level", arm->level);
		report_json_set_count(o, "blocks", arm->n_blocks);
		if (arm->limited_by != LIMITED_NOT)
			report_json_set_text(
				o, "limited_by", limited_by_name(arm->limited_by));
		report_json_set(o, "exhausted", exhausted_json(arm));
		report_json_set(
			o, "resources", report_json_resources(run, &arm->resources));
		report_json_set_real(o, "cpu_ns_per_pkt", arm->cpu_ns_per_pkt);
		throughput_set(o, "ndr", &arm->ndr);
		throughput_set(o, "pdr", &arm->pdr);
		report_json_set(o, "drops", drops_json(arm));
		report_json_set(o, "rates", rates_json(arm));
		if (arm->n_samples > 0 || arm->n_lost > 0) {
			report_json_set_count(o, "samples", arm->n_samples);
			report_json_set_count(o, "lost", arm->n_lost);
			report_json_set_count(o, "throttled", arm->n_throttled);
		}
		(void)json_array_append_new(list, o);
	}
	return list;
}

/* Of the sampling arms together, so each says the same. */
static void dose_set(json_t *o, const struct analysis_dose *d)
{
	report_json_set_real(o, "slope_frac_per_khz", d->slope_frac_per_khz);
	report_json_set_real(o, "slope_lo_frac_per_khz", d->slope_lo_frac_per_khz);
	report_json_set_real(o, "slope_hi_frac_per_khz", d->slope_hi_frac_per_khz);
	report_json_set_real(o, "fixed_frac", d->fixed_frac);
	report_json_set_real(o, "fixed_lo_frac", d->fixed_lo_frac);
	report_json_set_real(o, "fixed_hi_frac", d->fixed_hi_frac);
	if (d->n_doses >= 2)
		report_json_set(o, "dose_is_curved", json_boolean(d->is_curved));
}

static json_t *observer_json(const struct run *run, const struct analysis *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n_shifts; i++) {
		const struct analysis_shift *s = &a->shifts[i];
		json_t *o = json_object();

		report_json_set_text(o, "arm", a->arms[s->arm].name);
		report_json_set_text(o, "ref", a->arms[s->ref].name);
		report_json_set_text(o, "verdict", verdict_word(s->verdict));
		report_json_set_real(o, "shift_frac", s->shift_frac);
		report_json_set_real(o, "lo_frac", s->lo_frac);
		report_json_set_real(o, "hi_frac", s->hi_frac);
		report_json_set_real(o, "level", s->level);
		report_json_set_count(o, "blocks", s->n_blocks);
		if (s->blocks_needed > 0)
			report_json_set_count(o, "blocks_needed", s->blocks_needed);
		report_json_set_real(
			o, "smallest_visible_frac", s->smallest_visible_frac);
		report_json_set_real(o, "noise_floor_frac", a->noise_floor_frac);
		report_json_set_real(o, "order_frac", s->order_frac);
		report_json_set_real(o, "order_lo_frac", s->order_lo_frac);
		report_json_set_real(o, "order_hi_frac", s->order_hi_frac);
		if (s->consistency != CONSISTENCY_UNDEFINED)
			report_json_set_text(o, "consistency",
				analysis_consistency_name(s->consistency));
		if (run->arms[s->arm].kind == a->dose.kind)
			dose_set(o, &a->dose);
		report_json_set(o, "causes", report_json_causes(s));
		(void)json_array_append_new(list, o);
	}
	return list;
}

static json_t *noise_json(const struct analysis *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n_noise; i++) {
		const struct analysis_noise *x = &a->noise[i];
		bool is_of_run = x->kind == NOISE_DRIFT || x->kind == NOISE_STEP;
		json_t *o = json_object();

		report_json_set_text(o, "kind", analysis_noise_name(x->kind));
		if (!is_of_run)
			report_json_set_text(o, "arm", a->arms[x->arm].name);
		report_json_set_real(o, "size_frac", x->size_frac);
		if (x->block > 0)
			report_json_set_count(o, "block", x->block);
		report_json_set_real(o, "lo_pps", x->lo_pps);
		report_json_set_real(o, "hi_pps", x->hi_pps);
		if (x->kind == NOISE_BANDS) {
			report_json_set_count(o, "lo_blocks", x->n_lo);
			report_json_set_count(o, "hi_blocks", x->n_hi);
		}
		(void)json_array_append_new(list, o);
	}
	return list;
}

static json_t *functions_json(const struct analysis *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n_functions; i++) {
		const struct analysis_function *f = &a->functions[i];
		json_t *o = json_object();

		report_json_set_text(o, "name", f->name);
		report_json_set_text(o, "module", f->module);
		report_json_set_text(o, "arm", a->arms[a->functions_arm].name);
		report_json_set_real(o, "below_ns_per_pkt", f->below_ns_per_pkt);
		report_json_set_real(o, "above_ns_per_pkt", f->above_ns_per_pkt);
		report_json_set_count(o, "samples_below", f->samples_below);
		report_json_set_count(o, "samples_above", f->samples_above);
		report_json_set_real(o, "share_above", f->share_above);
		report_json_set_text(o, "class", analysis_class_name(f->class));
		(void)json_array_append_new(list, o);
	}
	return list;
}

/* A number or truth value as itself where the text is one, else the text. */
static json_t *fact_json(const struct run_fact *f)
{
	json_t *v = NULL;

	if (f->is_number || strcmp(f->value, "true") == 0 ||
		strcmp(f->value, "false") == 0)
		v = json_loads(f->value, JSON_DECODE_ANY, NULL);
	if (v != NULL && (json_is_number(v) || json_is_boolean(v)))
		return v;
	json_decref(v);
	return report_json_text(f->value);
}

static json_t *fingerprint_json(const struct run *run)
{
	json_t *o = json_object();
	size_t i;

	for (i = 0; i < run->n_fingerprint; i++) {
		char *key = clean_utf8(run->fingerprint[i].key);

		report_json_set(o, key, fact_json(&run->fingerprint[i]));
		free(key);
	}
	return o;
}

static json_t *notes_json(const struct run *run)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < run->n_notes; i++)
		(void)json_array_append_new(list, report_json_text(run->notes[i]));
	return list;
}

/* The verdict with what it was made from, which is all of it but the trials. */
static json_t *head_json(const struct run *run, const struct analysis *a)
{
	json_t *o = json_object();

	report_json_set(o, "schema", json_integer(REPORT_JSON_SCHEMA));
	report_json_set_text(o, "run", run->path);
	report_json_set_text(o, "verdict", verdict_word(a->verdict));
	report_json_set(o, "rule_version", json_integer(VERDICT_RULE_VERSION));
	report_json_set(o, "valid", json_boolean(a->valid));
	report_json_set(o, "profile_valid", json_boolean(a->profile_valid));
	report_json_set(o, "finished", json_boolean(run->finished));
	report_json_set(o, "reasons", reasons_json(a));
	report_json_set(o, "notes", notes_json(run));
	report_json_set_real(o, "level", a->level);
	report_json_set_real(o, "margin_frac", a->margin_frac);
	report_json_set_real(o, "noise_floor_frac", a->noise_floor_frac);
	report_json_set_real(o, "drift_frac", a->drift_frac);
	if (a->shape.softness_frac > 0)
		report_json_set_real(o, "softness_frac", a->shape.softness_frac);
	report_json_set(o, "noise", noise_json(a));
	if (run->traffic.burst > 0)
		report_json_set_count(o, "burst", run->traffic.burst);
	report_json_set(o, "arms", arms_json(run, a));
	report_json_set(o, "observer", observer_json(run, a));
	if (a->n_confirmations > 0 || run->config.n_confirm > 0)
		report_json_set(o, "confirmations", report_json_confirmations(run, a));
	if (a->no_confirmation[0] != '\0')
		report_json_set_text(o, "no_confirmation", a->no_confirmation);
	return o;
}

static json_t *document_json(const struct run *run, const struct analysis *a)
{
	json_t *o = head_json(run, a);

	report_json_set(o, "trials", report_json_trials(run));
	report_json_set(o, "functions", functions_json(a));
	report_json_set(o, "fingerprint", fingerprint_json(run));
	return o;
}

char *report_json_verdict(const struct run *run, const struct analysis *a)
{
	json_t *o = head_json(run, a);
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(15));

	json_decref(o);
	return text != NULL ? text : xstrdup("{}");
}

/* Jansson gives no reason: out of memory, or the stream, which keeps its own. */
static int json_write(FILE *f, const struct run *run, const struct analysis *a,
	const struct report_options *options, struct sp_err *err)
{
	json_t *o = document_json(run, a);

	(void)options;
	errno = 0;
	/* 15 digits: what a double carries through decimals. */
	(void)json_dumpf(o, f, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	json_decref(o);
	(void)fputc('\n', f); /* a failure shows in report_finish() */
	return report_finish(f, err);
}

const struct report_ops report_json = {
	.name = "json",
	.summary = "the answer as one JSON document",
	.write = json_write,
};
