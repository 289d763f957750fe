/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The trials of the JSON document, with their ledgers. */
#include "config.h"

#include <math.h>
#include <stdlib.h>

#include "base/clean.h"
#include "report/report_json_private.h"

json_t *report_json_text(const char *s)
{
	char *clean = clean_utf8(s);
	json_t *v = json_string(clean);

	free(clean);
	return v;
}

void report_json_set(json_t *object, const char *key, json_t *value)
{
	(void)json_object_set_new(object, key, value); /* fails on NULL only */
}

void report_json_set_text(json_t *object, const char *key, const char *s)
{
	report_json_set(object, key, report_json_text(s));
}

void report_json_set_real(json_t *object, const char *key, double v)
{
	if (isfinite(v))
		report_json_set(object, key, json_real(v));
}

void report_json_set_count(json_t *object, const char *key, uint64_t v)
{
	if (v <= INT64_MAX)
		report_json_set(object, key, json_integer((json_int_t)v));
	else
		report_json_set(object, key, json_real((double)v));
}

static json_t *latency_json(const struct latency_summary *l)
{
	json_t *o = json_object();

	report_json_set_count(o, "n", l->n);
	report_json_set_count(o, "p50", l->p50_ns);
	report_json_set_count(o, "p99", l->p99_ns);
	report_json_set_count(o, "p999", l->p999_ns);
	report_json_set_count(o, "max", l->max_ns);
	return o;
}

/* The residual of what can be checked; what cannot is listed, not assumed. */
static void residual_set(json_t *o, const struct ledger *l)
{
	json_t *unchecked = json_array();
	struct ledger_check c;
	size_t i, n = 0;

	ledger_check(l, &c);
	for (i = 0; i < LEDGER_N_LINES; i++) {
		const char *name = ledger_point_name(ledger_lines[i].total);

		if (c.checkable[i])
			n++;
		else
			(void)json_array_append_new(unchecked, json_string(name));
	}
	if (n > 0)
		report_json_set(o, "residual",
			json_integer(
				c.residual_line < 0 ? 0 : c.residual[c.residual_line]));
	if (c.residual_line >= 0)
		report_json_set_text(o, "residual_at",
			ledger_point_name(ledger_lines[c.residual_line].total));
	report_json_set(o, "not_checkable", unchecked);
}

static json_t *ledger_json(const struct ledger *l)
{
	json_t *o = json_object(), *derived = json_array(), *places = json_array();
	size_t i;

	report_json_set_text(o, "dir", l->dir == DIR_FWD ? "fwd" : "rev");
	for (i = 0; i < LEDGER_N_POINTS; i++) {
		const char *name = ledger_point_name((enum ledger_point)i);

		if (l->source[i] == LEDGER_ABSENT)
			continue;
		report_json_set_count(o, name, l->count[i]);
		if (l->source[i] == LEDGER_DERIVED)
			(void)json_array_append_new(derived, json_string(name));
	}
	residual_set(o, l);
	report_json_set(o, "derived", derived);
	for (i = 0; i < l->n_places; i++) {
		json_t *p = json_object();

		report_json_set_text(p, "point", ledger_point_name(l->places[i].point));
		report_json_set_text(p, "place", l->places[i].name);
		report_json_set_count(p, "count", l->places[i].count);
		(void)json_array_append_new(places, p);
	}
	report_json_set(o, "places", places);
	return o;
}

static json_t *trial_json(const struct run *run, const struct trial *t, size_t seq)
{
	json_t *o = json_object(), *reasons = json_array(), *ledgers = json_array();
	size_t i;

	report_json_set_count(o, "id", t->spec.id);
	report_json_set_count(o, "seq", seq);
	report_json_set_count(o, "segment", t->segment);
	if (t->spec.phase > 0)
		report_json_set_count(o, "confirmation", t->spec.phase);
	report_json_set_count(o, "block", t->spec.block);
	report_json_set_text(o, "arm", run->arms[t->spec.arm].name);
	report_json_set_text(o, "kind", trial_kind_name(t->spec.kind));
	report_json_set_real(o, "rate_pps", t->spec.rate_pps);
	report_json_set_count(o, "burst", t->spec.burst);
	report_json_set_count(o, "t_start_ns", t->t_start_ns);
	report_json_set_real(o, "window_pps", t->window_pps);
	report_json_set_real(o, "loss_frac", t->loss_frac);
	report_json_set_text(o, "limited_by", limited_by_name(t->limited_by));
	report_json_set(o, "valid", json_boolean(t->valid));
	for (i = 0; i < t->n_reasons; i++)
		(void)json_array_append_new(reasons, report_json_text(t->reasons[i]));
	report_json_set(o, "reasons", reasons);
	report_json_set_real(o, "cpu_ns_per_pkt", t->cpu_ns_per_pkt);
	if (t->has_latency)
		report_json_set(o, "latency_ns", latency_json(&t->latency));
	for (i = 0; i < t->n_ledgers; i++)
		(void)json_array_append_new(ledgers, ledger_json(&t->ledgers[i]));
	report_json_set(o, "ledgers", ledgers);
	return o;
}

json_t *report_json_trials(const struct run *run)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < run->n_trials; i++)
		(void)json_array_append_new(
			list, trial_json(run, &run->trials[i], i + 1));
	return list;
}
