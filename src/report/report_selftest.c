/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What `selftest` found, as text and as JSON. */
#include "config.h"

#include <errno.h>
#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/report.h"
#include "report/report_json_private.h"
#include "report/report_text_private.h"

#define SELFTEST_JSON_SCHEMA 1
#define NS_PER_MIN           (60.0 * (double)NS_PER_S)

static const struct analysis_shift *shift_of(const struct analysis *a)
{
	return a->n_shifts > 0 ? &a->shifts[0] : NULL;
}

static void shift_set(json_t *o, const struct analysis_shift *s)
{
	report_json_set_count(o, "blocks", s->n_blocks);
	report_json_set_real(o, "shift_frac", s->shift_frac);
	report_json_set_real(o, "lo_frac", s->lo_frac);
	report_json_set_real(o, "hi_frac", s->hi_frac);
	report_json_set_real(o, "order_frac", s->order_frac);
	report_json_set_real(o, "order_lo_frac", s->order_lo_frac);
	report_json_set_real(o, "order_hi_frac", s->order_hi_frac);
	report_json_set_real(o, "sd_frac", s->sd_frac);
	report_json_set_real(o, "smallest_visible_frac", s->smallest_visible_frac);
}

static json_t *document(
	const struct run *run, const struct analysis *a, const struct selftest *t)
{
	json_t *o = json_object(), *reasons = json_array();
	size_t i;

	if (t->reason[0] != '\0')
		(void)json_array_append_new(reasons, report_json_text(t->reason));
	for (i = 0; i < a->n_reasons; i++)
		(void)json_array_append_new(reasons, report_json_text(a->reasons[i]));
	report_json_set(o, "schema", json_integer(SELFTEST_JSON_SCHEMA));
	report_json_set_text(o, "run", run->path);
	report_json_set_text(o, "verdict", verdict_word(t->verdict));
	report_json_set(o, "rule_version", json_integer(VERDICT_RULE_VERSION));
	report_json_set(o, "reasons", reasons);
	report_json_set_real(o, "level", a->level);
	report_json_set_real(o, "mde_frac", a->margin_frac);
	report_json_set_real(o, "noise_floor_frac", a->noise_floor_frac);
	if (shift_of(a) != NULL)
		shift_set(o, shift_of(a));
	report_json_set_real(o, "false_alarm_frac", t->false_alarm_frac);
	if (t->blocks_needed > 0)
		report_json_set_count(o, "blocks_needed", t->blocks_needed);
	if (t->block_ns > 0) {
		report_json_set_count(o, "block_ns", t->block_ns);
		report_json_set_count(o, "needed_ns", t->needed_ns);
	}
	report_json_set_real(o, "tolerance_frac", t->tolerance_frac);
	return o;
}

char *report_selftest_json(
	const struct run *run, const struct analysis *a, const struct selftest *t)
{
	json_t *o = document(run, a, t);
	char *text = json_dumps(o, JSON_INDENT(1) | JSON_REAL_PRECISION(15));

	json_decref(o);
	return text != NULL ? text : xstrdup("{}");
}

/* "+0.1 % (-0.2 to +0.4 %)" */
static void effect_line(FILE *f, const char *name, double x, double lo, double hi)
{
	if (!isfinite(x))
		return;
	(void)fprintf(f, "  %-44s %+.1f %%", name, 100 * x);
	if (isfinite(lo) && isfinite(hi))
		(void)fprintf(f, " (%+.1f to %+.1f %%)", 100 * lo, 100 * hi);
	(void)fputc('\n', f);
}

static void size_line(FILE *f, const char *name, double frac)
{
	if (isfinite(frac))
		(void)fprintf(f, "  %-44s %.1f %%\n", name, 100 * frac);
}

static void numbers_print(FILE *f, const struct analysis *a, const struct selftest *t)
{
	const struct analysis_shift *s = shift_of(a);
	char name[64];

	effect_line(f, "shift", s->shift_frac, s->lo_frac, s->hi_frac);
	effect_line(f, "order effect, second against first", s->order_frac / 2,
		s->order_lo_frac / 2, s->order_hi_frac / 2);
	size_line(f, "noise floor", a->noise_floor_frac);
	size_line(f, "spread of a block's difference (sd)", s->sd_frac);
	(void)snprintf(name, sizeof(name), "smallest shift that %zu block%s would see",
		s->n_blocks, units_s(s->n_blocks));
	size_line(f, name, s->smallest_visible_frac);
	size_line(f, "false alarms, at most", t->false_alarm_frac);
	if (t->blocks_needed > 0) {
		(void)snprintf(name, sizeof(name), "to see a shift of %.1f %%",
			100 * a->margin_frac);
		(void)fprintf(f, "  %-44s %zu blocks, about %.1f min\n", name,
			t->blocks_needed, (double)t->needed_ns / NS_PER_MIN);
	}
	size_line(f, "tolerance for a gate on as many blocks", t->tolerance_frac);
}

int report_selftest_text(FILE *f, const struct run *run, const struct analysis *a,
	const struct selftest *t, const struct report_options *o, struct sp_err *err)
{
	struct report_text_out out = { .f = f, .run = run, .a = a, .o = *o };
	size_t i;

	errno = 0;
	if (out.o.width < REPORT_WIDTH_MIN || out.o.width > REPORT_WIDTH_MAX)
		out.o.width = REPORT_WIDTH_MAX;
	(void)fprintf(f, "The same against itself: %s.\n", verdict_word(t->verdict));
	if (shift_of(a) != NULL)
		numbers_print(f, a, t);
	if (t->reason[0] != '\0')
		report_text_wrap(&out, "- ", "  ", t->reason);
	for (i = 0; i < a->n_reasons; i++)
		report_text_wrap(&out, "- ", "  ", a->reasons[i]);
	for (i = 0; i < run->n_notes; i++)
		report_text_wrap(&out, "- ", "  ", run->notes[i]);
	report_text_wrap(&out, "Run file: ", "  ", run->path);
	(void)fprintf(f, "verdict=%s\n", verdict_word(t->verdict));
	return report_finish(f, err);
}
