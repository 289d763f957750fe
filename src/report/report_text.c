/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer as text for a terminal: the sections in order. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/report.h"
#include "report/report_answer.h"
#include "report/report_plot.h"
#include "report/report_text_private.h"

#define NUM_LEN 64

void report_text_wrap(const struct report_text_out *t, const char *first,
	const char *rest, const char *text)
{
	char *clean = clean_line(text, t->o.utf8, SIZE_MAX - 3);
	char *next = clean, *word;
	size_t column = clean_columns(first);
	bool begun = false;

	(void)fputs(first, t->f);
	while ((word = strsep(&next, " ")) != NULL) {
		size_t n = clean_columns(word);

		if (n == 0)
			continue;
		if (begun && column + 1 + n > t->o.width) {
			(void)fprintf(t->f, "\n%s", rest);
			column = clean_columns(rest);
			begun = false;
		}
		(void)fprintf(t->f, "%s%s", begun ? " " : "", word);
		column += n + (begun ? 1 : 0);
		begun = true;
	}
	(void)fputc('\n', t->f);
	free(clean);
}

/* Two numbers with their units, joined; a unit that both have is said once. */
static void pair_print(FILE *f, char *a, const char *joint, const char *b)
{
	char *unit_a = strchr(a, ' ');
	const char *unit_b = strchr(b, ' ');

	if (unit_a != NULL && unit_b != NULL && strcmp(unit_a, unit_b) == 0)
		*unit_a = '\0';
	(void)fprintf(f, "%s%s%s", a, joint, b);
}

/* "(199.2 to 201.3 kpps)  L2 102.6, L1 134.7 Mbit/s" */
static void knee_details_print(
	const struct report_text_out *t, const struct analysis_arm *arm)
{
	double bits = 8 * t->run->traffic.mean_frame_bytes;
	char a[NUM_LEN], b[NUM_LEN];

	if (isfinite(arm->lo_pps) && isfinite(arm->hi_pps)) {
		(void)fputs("  (", t->f);
		pair_print(t->f, units_pps_format(a, NUM_LEN, arm->lo_pps), " to ",
			units_pps_format(b, NUM_LEN, arm->hi_pps));
		(void)fputs(")", t->f);
	} else {
		(void)fprintf(t->f, "  (no interval from %zu block%s)", arm->n_exact,
			units_s(arm->n_exact));
	}
	if (!(bits > 0)) /* the frames are of a size that nobody knows */
		return;
	(void)fputs("  L2 ", t->f);
	pair_print(t->f, units_bps_format(a, NUM_LEN, bits * arm->knee_pps), ", L1 ",
		units_bps_format(
			b, NUM_LEN, (bits + 8 * UNITS_L1_EXTRA_BYTES) * arm->knee_pps));
}

static const char *knee_format(char buf[NUM_LEN], const struct analysis_arm *arm)
{
	char rate[32];

	switch (arm->bound) {
	case HINGE_EXACT:
		return units_pps_format(buf, NUM_LEN, arm->knee_pps);
	case HINGE_ABOVE_MAX:
		(void)snprintf(buf, NUM_LEN, "above %s",
			units_pps_format(rate, sizeof(rate), arm->lo_pps));
		return buf;
	case HINGE_BELOW_MIN:
		(void)snprintf(buf, NUM_LEN, "below %s",
			units_pps_format(rate, sizeof(rate), arm->hi_pps));
		return buf;
	case HINGE_INVALID:
		break;
	}
	(void)snprintf(buf, NUM_LEN, "none found");
	return buf;
}

static void knees_print(const struct report_text_out *t)
{
	char knee[NUM_LEN];
	size_t i;

	(void)fprintf(t->f, "Knee of each arm (%.0f %% interval%s)\n",
		100 * t->a->level,
		t->run->traffic.mean_frame_bytes > 0
			? "; bits/s: L2 with FCS, L1 with preamble and gap"
			: "");
	for (i = 0; i < t->a->n_arms; i++) {
		const struct analysis_arm *arm = &t->a->arms[i];

		(void)fprintf(t->f, "  %-*s  %s", t->name_width, report_text_arm(t, i),
			knee_format(knee, arm));
		if (arm->bound == HINGE_EXACT)
			knee_details_print(t, arm);
		(void)fputc('\n', t->f);
	}
	if (t->a->shape.softness_frac > 0)
		(void)fprintf(t->f,
			"  the knees are rounded, over about %.2g %% of the rate\n",
			100 * t->a->shape.softness_frac);
	(void)fputc('\n', t->f);
}

static const char *consistency_sentence(enum analysis_consistency c)
{
	switch (c) {
	case CONSISTENCY_COST:
		return "the CPU time per packet explains it: cycles are taken, nothing "
		       "moved";
	case CONSISTENCY_MOVED:
		return "the knee is lower than the CPU time per packet explains: the "
		       "bottleneck moved";
	case CONSISTENCY_GAINED:
		return "the knee is higher than the CPU time per packet explains";
	case CONSISTENCY_UNRESOLVED:
		return "whether the CPU time per packet explains it is not resolved";
	case CONSISTENCY_UNDEFINED:
		break;
	}
	return NULL;
}

/* What these blocks could see at all, beside what they saw. */
static void visible_print(
	const struct report_text_out *t, const struct analysis_shift *s)
{
	if (!isfinite(s->smallest_visible_frac))
		return;
	(void)fprintf(t->f, "  %*s  smallest visible shift %.2g %%", t->name_width, "",
		100 * s->smallest_visible_frac);
	if (isfinite(t->a->noise_floor_frac))
		(void)fprintf(
			t->f, ", noise floor %.2g %%", 100 * t->a->noise_floor_frac);
	(void)fputc('\n', t->f);
}

static void shift_print(const struct report_text_out *t, const struct analysis_shift *s)
{
	bool has_interval = isfinite(s->lo_frac) && isfinite(s->hi_frac);
	const char *why = has_interval ? consistency_sentence(s->consistency) : NULL;

	(void)fprintf(t->f, "  %-*s  ", t->name_width, report_text_arm(t, s->arm));
	/* A shift without an interval would look like a finding. */
	if (!has_interval && s->n_blocks == 0)
		(void)fprintf(t->f, "%s: no block has a knee in both arms\n",
			verdict_word(s->verdict));
	else if (!has_interval)
		(void)fprintf(t->f,
			"%s: no interval from %zu block%s, %d "
			"are needed\n",
			verdict_word(s->verdict), s->n_blocks, units_s(s->n_blocks),
			ANALYSIS_BLOCKS_MIN);
	else
		(void)fprintf(t->f, "%+.2f %% (%+.2f to %+.2f %%)  %s, %zu blocks\n",
			100 * s->shift_frac, 100 * s->lo_frac, 100 * s->hi_frac,
			verdict_word(s->verdict), s->n_blocks);
	if (has_interval)
		visible_print(t, s);
	if (why != NULL) {
		char *indent = xasprintf("  %*s  ", t->name_width, "");

		report_text_wrap(t, indent, indent, why);
		free(indent);
	}
}

static void dose_print(const struct report_text_out *t)
{
	const struct analysis_dose *d = &t->a->dose;

	if (d->n_doses >= 2 && d->is_curved)
		(void)fprintf(t->f, "  the shift does not grow in proportion to the "
				    "sampling rate\n");
	/* A slope without an interval would look like a finding. */
	if (!isfinite(d->slope_lo_frac_per_khz) || !isfinite(d->slope_hi_frac_per_khz))
		return;
	(void)fprintf(t->f,
		"  %+.2f %% (%+.2f to %+.2f %%) for each kHz of sampling, "
		"%+.2f %% for attaching\n",
		100 * d->slope_frac_per_khz, 100 * d->slope_lo_frac_per_khz,
		100 * d->slope_hi_frac_per_khz, 100 * d->fixed_frac);
}

static void shifts_print(const struct report_text_out *t)
{
	size_t i;

	if (t->a->n_shifts == 0)
		return;
	(void)fprintf(t->f,
		"Shift of the knee against %s (%.0f %% interval; positive: higher)\n",
		report_text_arm(t, t->a->shifts[0].ref), 100 * t->a->level);
	for (i = 0; i < t->a->n_shifts; i++)
		shift_print(t, &t->a->shifts[i]);
	dose_print(t);
	(void)fprintf(t->f, "  margin %.3g %%: a shift that lies within it is none\n",
		100 * t->a->margin_frac);
	(void)fputc('\n', t->f);
}

/* Appends ", " and the text to *line. */
static void list_add(char **line, char *text)
{
	char *longer = xasprintf("%s%s%s", *line, **line != '\0' ? ", " : "", text);

	free(*line);
	free(text);
	*line = longer;
}

static void limits_line(const struct report_text_out *t, const struct analysis_arm *arm)
{
	char *line = xstrdup(""), *first, *rest;
	char ns[NUM_LEN];
	size_t i;

	if (arm->limited_by == LIMITED_GENERATOR || arm->limited_by == LIMITED_RECEIVER)
		list_add(&line, xasprintf("the %s, not the SUT, was the limit",
					limited_by_name(arm->limited_by)));
	for (i = 0; i < arm->n_exhausted; i++)
		list_add(&line, xasprintf("%s (%.1f %% busy%s)", arm->exhausted[i].what,
					100 * arm->exhausted[i].busy_frac,
					arm->exhausted[i].busy_polls
						? ", at low rates too: it polls"
						: ""));
	if (arm->resources.waits)
		list_add(&line, report_text_waits(&arm->resources));
	else if (arm->n_exhausted == 0)
		list_add(&line, xstrdup("no CPU or thread ran out"));
	for (i = 0; i < arm->n_drops; i++)
		list_add(&line, xasprintf("%.2g %% lost at %s",
					100 * arm->drops[i].frac, arm->drops[i].place));
	if (isfinite(arm->cpu_ns_per_pkt))
		list_add(&line,
			xasprintf("%s of CPU time a packet",
				units_ns_format(ns, sizeof(ns), arm->cpu_ns_per_pkt)));
	first = xasprintf("  %-*s  ", t->name_width,
		report_text_arm(t, (size_t)(arm - t->a->arms)));
	rest = xasprintf("  %*s  ", t->name_width, "");
	report_text_wrap(t, first, rest, line);
	free(first);
	free(rest);
	free(line);
}

static void limits_print(const struct report_text_out *t)
{
	size_t i;

	(void)fprintf(t->f, "What ran out at the knee and above\n");
	for (i = 0; i < t->a->n_arms; i++)
		limits_line(t, &t->a->arms[i]);
	(void)fputc('\n', t->f);
}

const char *report_text_arm(const struct report_text_out *t, size_t arm)
{
	return t->names[arm];
}

/* Names as they are printed: cut where the tables would grow too wide. */
static void names_make(struct report_text_out *t)
{
	size_t i, max = t->o.width - 70;

	t->names = xcalloc(t->a->n_arms + 1, sizeof(*t->names));
	for (i = 0; i < t->a->n_arms; i++) {
		int n;

		t->names[i] = clean_line(t->a->arms[i].name, false, max);
		n = (int)strlen(t->names[i]);
		if (n > t->name_width)
			t->name_width = n;
	}
}

static void answer_print(const struct report_text_out *t)
{
	char *answer = report_answer(t->run, t->a);

	(void)fputs(t->o.color ? "\033[1m" : "", t->f);
	report_text_wrap(t, "", "", answer);
	(void)fputs(t->o.color ? "\033[0m" : "", t->f);
	free(answer);
	report_text_why(t);
	(void)fputc('\n', t->f);
}

static int text_write(FILE *f, const struct run *run, const struct analysis *a,
	const struct report_options *o, struct sp_err *err)
{
	struct report_text_out t = { .f = f, .run = run, .a = a, .o = *o };
	bool has_knees = run->config.n_rates == 0;
	size_t i;

	if (t.o.width == 0 || t.o.width > REPORT_WIDTH_MAX)
		t.o.width = REPORT_WIDTH_MAX;
	if (t.o.width < REPORT_WIDTH_MIN)
		t.o.width = REPORT_WIDTH_MIN;
	errno = 0;
	names_make(&t);
	answer_print(&t);
	if (has_knees) {
		knees_print(&t);
		shifts_print(&t);
		report_text_confirm(&t);
		report_text_ndr(&t);
		limits_print(&t);
		report_text_resources(&t);
	}
	report_text_audit(&t);
	report_text_rates(&t);
	report_plot(f, run, a, &t.o);
	report_text_functions(&t);
	report_text_trust(&t);
	(void)fprintf(f, "verdict=%s\n", verdict_word(a->verdict));
	for (i = 0; i < a->n_arms; i++)
		free(t.names[i]);
	free(t.names);
	return report_finish(f, err);
}

const struct report_ops report_text = {
	.name = "text",
	.summary = "the answer for people; the last line is verdict=WORD",
	.write = text_write,
};
