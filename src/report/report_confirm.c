/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What confirmations say, as text and as JSON. */
#include "config.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "report/report_json_private.h"
#include "report/report_text_private.h"

#define NUM_LEN 64

/* "thread fwd on CPU 1", "30 % of CPU 1", as the part says it. */
static char *part_words(enum factor factor, const struct arm_force_part *p)
{
	switch (factor) {
	case FACTOR_PLACEMENT:
		return xasprintf("thread %s on %s%s", p->of,
			p->value[0] >= '0' && p->value[0] <= '9' ? "CPU " : "",
			p->value);
	case FACTOR_MEMORY:
		return xasprintf("memory on %s", p->value);
	case FACTOR_CONTENTION:
		return xasprintf("%.0f %% of CPU %s taken", 100 * p->number, p->of);
	case FACTOR_LAUNCH:
		if (p->of[0] == '\0' && fact_key_parse(p->value) >= 0)
			return xasprintf("the same %s",
				fact_info((enum fact_key)fact_key_parse(p->value))
					->phrase);
		return xasprintf("thread %s with nice %.0f", p->of, p->number);
	case FACTOR_IDLE:
		return xstrdup("CPUs kept awake");
	case FACTOR_WAKEUPS:
		return xasprintf("%.0f wake-ups a second on CPU %s", p->number, p->of);
	case FACTOR_SAMPLING:
		return xasprintf("%.0f Hz", p->number);
	case FACTOR_INTERRUPTS:
	case FACTOR_FREQUENCY:
	case FACTOR_BATCHING:
	case FACTOR_STEAL:
	case FACTOR_CLOCK:
	case N_FACTORS:
		break;
	}
	return xasprintf("%s %s", p->of, p->value);
}

/* All parts in one line. */
static char *force_words(const struct arm_force *f)
{
	char *line = xstrdup(""), *longer, *part;
	size_t i;

	for (i = 0; i < f->n_parts; i++) {
		part = part_words(f->factor, &f->parts[i]);
		longer = xasprintf("%s%s%s", line, i > 0 ? ", " : "", part);
		free(part);
		free(line);
		line = longer;
	}
	return line;
}

static void shift_words(char *buf, size_t len, const struct analysis_shift *s)
{
	if (isfinite(s->lo_frac) && isfinite(s->hi_frac))
		(void)snprintf(buf, len, "%+.1f %% (%+.1f to %+.1f %%)",
			100 * s->shift_frac, 100 * s->lo_frac, 100 * s->hi_frac);
	else
		(void)snprintf(buf, len, "not known");
}

static void knees_line(
	const struct report_text_out *t, const struct analysis_confirmation *c)
{
	const double knees[] = { c->off_pps, c->on_pps, c->forced_pps };
	const uint32_t arms[] = { c->ref, c->arm, c->forced };
	char *line = xstrdup(""), *longer;
	char knee[NUM_LEN];
	size_t i;

	for (i = 0; i < 3; i++) {
		longer = xasprintf("%s%s%s %s", line, i > 0 ? ", " : "",
			t->run->arms[arms[i]].name,
			isfinite(knees[i])
				? units_pps_format(knee, sizeof(knee), knees[i])
				: "no knee");
		free(line);
		line = longer;
	}
	report_text_wrap(t, "    ", "    ", line);
	free(line);
}

static void confirmation_print(
	const struct report_text_out *t, const struct analysis_confirmation *c)
{
	char *what = force_words(&t->run->arms[c->forced].force), *line;
	char off[NUM_LEN], on[NUM_LEN];

	line = xasprintf("%s: %s; %s: %s (%zu block%s)", factor_name(c->factor), what,
		cause_state_name(c->state), c->why, c->forced_off.n_blocks,
		units_s(c->forced_off.n_blocks));
	report_text_wrap(t, "  ", "    ", line);
	free(line);
	free(what);
	knees_line(t, c);
	shift_words(off, sizeof(off), &c->forced_off);
	shift_words(on, sizeof(on), &c->forced_on);
	line = xasprintf("forced against %s %s, against %s %s",
		t->run->arms[c->ref].name, off, t->run->arms[c->arm].name, on);
	report_text_wrap(t, "    ", "    ", line);
	free(line);
}

void report_text_confirm(const struct report_text_out *t)
{
	const struct analysis *a = t->a;
	bool is_known = false;
	size_t i;

	if (a->n_confirmations == 0 && t->run->config.n_confirm == 0)
		return;
	(void)fprintf(t->f, "Confirmation\n");
	for (i = 0; i < a->n_confirmations; i++) {
		confirmation_print(t, &a->confirmations[i]);
		is_known |= a->confirmations[i].state == CAUSE_CONFIRMED;
	}
	if (a->n_confirmations == 0)
		report_text_wrap(t, "  nothing was forced: ", "    ",
			a->no_confirmation[0] != '\0' ? a->no_confirmation
						      : "the run ended before");
	else if (!is_known)
		(void)fprintf(t->f, "  observed, cause unknown\n");
	(void)fputc('\n', t->f);
}

static json_t *shift_json(const struct analysis_shift *s)
{
	json_t *o = json_object();

	report_json_set_real(o, "shift_frac", s->shift_frac);
	report_json_set_real(o, "lo_frac", s->lo_frac);
	report_json_set_real(o, "hi_frac", s->hi_frac);
	report_json_set_count(o, "blocks", s->n_blocks);
	return o;
}

json_t *report_json_confirmations(const struct run *run, const struct analysis *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n_confirmations; i++) {
		const struct analysis_confirmation *c = &a->confirmations[i];
		char *what = force_words(&run->arms[c->forced].force);
		json_t *o = json_object();

		report_json_set_text(o, "factor", factor_name(c->factor));
		report_json_set_text(o, "forced", what);
		report_json_set_text(o, "ref", run->arms[c->ref].name);
		report_json_set_text(o, "arm", run->arms[c->arm].name);
		report_json_set_text(o, "forced_arm", run->arms[c->forced].name);
		report_json_set_text(o, "state", cause_state_name(c->state));
		report_json_set_text(o, "why", c->why);
		report_json_set_real(o, "ref_knee_pps", c->off_pps);
		report_json_set_real(o, "arm_knee_pps", c->on_pps);
		report_json_set_real(o, "forced_knee_pps", c->forced_pps);
		report_json_set(o, "arm_against_ref", shift_json(&c->on_off));
		report_json_set(o, "forced_against_ref", shift_json(&c->forced_off));
		report_json_set(o, "forced_against_arm", shift_json(&c->forced_on));
		report_json_set_real(o, "allowed_frac", expm1(c->ln_bound));
		free(what);
		(void)json_array_append_new(list, o);
	}
	return list;
}
