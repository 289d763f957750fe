/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Tables of the text: rates, functions, and what to trust. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/report_text_private.h"

#define NUM_LEN       32
#define FUNCTIONS_MAX 12
#define SUT_LINES_MAX 8

typedef char *format_fn(char *buf, size_t len, double v);

static const char *number(char buf[NUM_LEN], format_fn *format, double v)
{
	if (!isfinite(v)) {
		(void)snprintf(buf, NUM_LEN, "-");
		return buf;
	}
	return format(buf, NUM_LEN, v);
}

static char *pct_format(char *buf, size_t len, double frac)
{
	(void)snprintf(buf, len, "%.2f %%", 100 * frac);
	return buf;
}

static char *ratio_format(char *buf, size_t len, double v)
{
	(void)snprintf(buf, len, "%.2f", v);
	return buf;
}

/* Which columns there are: no latency where none was measured, and in a narrow
 * table not all rates beside it. */
struct rate_columns {
	bool latency, offered;
};

static struct rate_columns rate_columns_of(const struct report_text_out *t)
{
	struct rate_columns c = { .latency = false };
	size_t i, k;

	for (i = 0; i < t->a->n_arms; i++)
		for (k = 0; k < t->a->arms[i].n_rates; k++)
			c.latency |= isfinite(t->a->arms[i].rates[k].p50_ns);
	c.offered = !c.latency || t->o.width >= 90;
	return c;
}

static void rate_row(const struct report_text_out *t, const struct analysis_rate *r,
	struct rate_columns c)
{
	char b[8][NUM_LEN];

	(void)fprintf(t->f, "  %5s %11s", number(b[0], ratio_format, r->rel_rate),
		number(b[1], units_pps_format, r->rate_pps));
	if (c.offered)
		(void)fprintf(
			t->f, " %11s", number(b[2], units_pps_format, r->offered_pps));
	(void)fprintf(t->f, " %11s %8s", number(b[3], units_pps_format, r->goodput_pps),
		number(b[4], pct_format, r->loss_frac));
	if (c.latency)
		(void)fprintf(t->f, " %8s %8s",
			number(b[5], units_ns_format, r->p50_ns),
			number(b[6], units_ns_format, r->p99_ns));
	(void)fprintf(t->f, " %9s %2zu/%zu\n",
		number(b[7], units_ns_format, r->cpu_ns_per_pkt), r->n_valid,
		r->n_trials);
}

void report_text_rates(const struct report_text_out *t)
{
	struct rate_columns c = rate_columns_of(t);
	size_t i, k;

	if (t->a->n_arms == 0)
		return;
	(void)fprintf(t->f, "Rates (medians over blocks; of: fraction of the arm's "
			    "centre; trials: valid/all)\n");
	(void)fprintf(t->f, "  %5s %11s", "of", "scheduled");
	if (c.offered)
		(void)fprintf(t->f, " %11s", "offered");
	(void)fprintf(t->f, " %11s %8s", "goodput", "loss");
	if (c.latency)
		(void)fprintf(t->f, " %8s %8s", "p50", "p99");
	(void)fprintf(t->f, " %9s %s\n", "CPU/pkt", "trials");
	for (i = 0; i < t->a->n_arms; i++) {
		(void)fprintf(t->f, "  %s\n", report_text_arm(t, i));
		for (k = 0; k < t->a->arms[i].n_rates; k++)
			rate_row(t, &t->a->arms[i].rates[k], c);
	}
	(void)fputc('\n', t->f);
}

/* The class has no room in a narrow table; --json has it. */
static bool has_class(const struct report_text_out *t)
{
	return t->o.width >= 90;
}

/* "[kernel]" for the kernel's own text, the last part of a path else. */
static char *module_short(const struct report_text_out *t, const char *module)
{
	const char *slash = strrchr(module, '/');

	if (strcmp(module, "[kernel.kallsyms]") == 0)
		module = "[kernel]";
	else if (slash != NULL && slash[1] != '\0')
		module = slash + 1;
	return clean_line(module, t->o.utf8, 14);
}

static void function_row(
	const struct report_text_out *t, const struct analysis_function *f)
{
	char b[3][NUM_LEN];
	char *module = module_short(t, f->module);
	/* What stands before the name, and blank and brackets round the module. */
	size_t taken = (has_class(t) ? 58u : 47u) + 3u + clean_columns(module);
	char *name = clean_line(f->name, t->o.utf8, t->o.width - taken);

	(void)fprintf(t->f, "  %8s %8s %8s %7" PRIu64 " %7" PRIu64 "  ",
		number(b[0], units_ns_format, f->above_ns_per_pkt),
		number(b[1], units_ns_format, f->below_ns_per_pkt),
		number(b[2], pct_format, f->share_above), f->samples_above,
		f->samples_below);
	if (has_class(t))
		(void)fprintf(t->f, "%-10s ", analysis_class_name(f->class));
	(void)fprintf(t->f, "%s%s%s%s\n", name, module[0] == '[' ? " " : " [", module,
		module[0] == '[' ? "" : "]");
	free(name);
	free(module);
}

void report_text_functions(const struct report_text_out *t)
{
	size_t i, n = t->a->n_functions;

	if (!t->a->has_profile || n == 0)
		return;
	(void)fprintf(t->f,
		"Functions at the knee of %s (own time a packet above and below it)\n",
		report_text_arm(t, t->a->functions_arm));
	(void)fprintf(t->f, "  %8s %8s %8s %15s  ", "above", "below", "share",
		"samples ab/be");
	if (has_class(t))
		(void)fprintf(t->f, "%-10s ", "class");
	(void)fprintf(t->f, "function [module]\n");
	for (i = 0; i < n && i < FUNCTIONS_MAX; i++)
		function_row(t, &t->a->functions[i]);
	if (n > FUNCTIONS_MAX)
		(void)fprintf(
			t->f, "  and %zu more: --json has all\n", n - FUNCTIONS_MAX);
	(void)fputc('\n', t->f);
}

static void samples_print(const struct report_text_out *t)
{
	size_t i;

	for (i = 0; i < t->a->n_arms; i++) {
		const struct analysis_arm *arm = &t->a->arms[i];

		if (arm->n_samples == 0 && arm->n_lost == 0 && arm->n_throttled == 0)
			continue;
		(void)fprintf(t->f,
			"  - %s: %" PRIu64 " sample%s, %" PRIu64 " lost, %" PRIu64
			" throttled%s\n",
			report_text_arm(t, i), arm->n_samples, units_s(arm->n_samples),
			arm->n_lost, arm->n_throttled,
			t->a->profile_valid ? "" : "; the profile is not valid");
	}
}

static void fingerprint_print(const struct report_text_out *t)
{
	char *line = xstrdup("");
	size_t i;

	for (i = 0; i < t->run->n_fingerprint; i++) {
		const struct run_fact *f = &t->run->fingerprint[i];
		char *longer = xasprintf(
			"%s%s%s=%s", line, i > 0 ? "; " : "", f->key, f->value);

		free(line);
		line = longer;
	}
	if (t->run->n_fingerprint > 0)
		report_text_wrap(t, "  - ", "    ", line);
	free(line);
}

/* The end of what the SUT wrote, which tells why it is not there any more. */
static void sut_output_print(const struct report_text_out *t)
{
	char *copy, *rest, *line;
	size_t n = 1, skip;
	const char *s;

	if (t->a->valid || t->run->sut_output == NULL || t->run->sut_output[0] == '\0')
		return;
	(void)fprintf(t->f, "  - the SUT's last words:\n");
	for (s = t->run->sut_output; *s != '\0'; s++)
		n += *s == '\n' && s[1] != '\0';
	skip = n > SUT_LINES_MAX ? n - SUT_LINES_MAX : 0;
	copy = rest = xstrdup(t->run->sut_output);
	while ((line = strsep(&rest, "\n")) != NULL) {
		char *clean;

		if (skip > 0) {
			skip--;
			continue;
		}
		if (rest == NULL && line[0] == '\0')
			break;
		clean = clean_line(line, t->o.utf8, t->o.width - 4);
		(void)fprintf(t->f, "    %s\n", clean);
		free(clean);
	}
	free(copy);
}

void report_text_trust(const struct report_text_out *t)
{
	char *path;
	size_t i;

	(void)fprintf(t->f, "Trust\n");
	if (t->a->valid && t->a->n_reasons == 0 && t->run->n_notes == 0)
		(void)fprintf(t->f, "  - nothing speaks against it\n");
	for (i = 0; i < t->a->n_reasons; i++)
		report_text_wrap(t, "  - ", "    ", t->a->reasons[i]);
	for (i = 0; i < t->run->n_notes; i++)
		report_text_wrap(t, "  - ", "    ", t->run->notes[i]);
	samples_print(t);
	fingerprint_print(t);
	sut_output_print(t);
	path = clean_line(t->run->path, t->o.utf8, SIZE_MAX - 3);
	(void)fprintf(t->f, "\nRun file: %s\n", path); /* whole, to be copied */
	free(path);
}
