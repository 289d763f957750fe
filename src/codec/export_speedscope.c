/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * speedscope's JSON (https://www.speedscope.app/file-format-schema.json): a "sampled"
 * profile for each arm and rate, stacks with the outermost frame first, which is the
 * thread's name. A rate is the fraction of the arm's knee where there is one, since the
 * scheduled rates of one differ from block to block.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "codec/export_fold.h"
#include "codec/export_private.h"

#define SCHEMA_URL "https://www.speedscope.app/file-format-schema.json"
/* Of the format: readers before 0.7 insist on one. */
#define VERSION_TEXT "0.6.0"

struct groups {
	uint32_t *of_trial; /* by the trial's index */
	size_t n, cap;
	const struct trial **first; /* of each group */
};

/* bit by bit, so that a rate that is not known is like another */
static bool is_alike(double a, double b)
{
	return memcmp(&a, &b, sizeof(a)) == 0;
}

static bool is_together(const struct trial *a, const struct trial *b)
{
	if (a->spec.arm != b->spec.arm || a->spec.phase != b->spec.phase)
		return false;
	if (a->spec.rel_rate > 0 || b->spec.rel_rate > 0)
		return is_alike(a->spec.rel_rate, b->spec.rel_rate);
	return is_alike(a->spec.rate_pps, b->spec.rate_pps);
}

static void groups_make(const struct export_input *in, struct groups *g)
{
	const struct run *run = in->run;
	size_t i, k;

	*g = (struct groups){ .n = 0 };
	g->of_trial = xcalloc(run->n_trials + 1, sizeof(*g->of_trial));
	for (i = 0; i < run->n_trials; i++) {
		if (!in->in[i])
			continue;
		for (k = 0; k < g->n; k++)
			if (is_together(g->first[k], &run->trials[i]))
				break;
		g->of_trial[i] = (uint32_t)k;
		if (k < g->n)
			continue;
		g->first = xgrow(g->first, g->n, &g->cap, sizeof(*g->first));
		g->first[g->n++] = &run->trials[i];
	}
}

static void groups_done(struct groups *g)
{
	free(g->of_trial);
	free(g->first);
}

/* What a group is called; the caller frees it. */
static char *group_name(const struct run *run, const struct trial *t)
{
	const char *arm = t->spec.arm < run->n_arms ? run->arms[t->spec.arm].name : "?";
	char rate[40];

	if (t->spec.rel_rate > 0)
		return xasprintf("%s at %.4g of its knee", arm, t->spec.rel_rate);
	if (!isfinite(t->spec.rate_pps))
		return xstrdup(arm);
	return xasprintf("%s at %s", arm,
		units_pps_format(rate, sizeof(rate), t->spec.rate_pps));
}

/* Threads' names come first, then functions. */
static void frames_write(FILE *f, const struct profile *p)
{
	size_t i;

	(void)fputs("\"shared\":{\"frames\":[", f);
	for (i = 0; i < p->n_threads; i++) {
		(void)fprintf(f, "%s\n{\"name\":", i > 0 ? "," : "");
		export_json_text(f, p->threads[i].comm);
		(void)fputc('}', f);
	}
	for (i = 0; i < p->n_frames; i++) {
		const char *path = p->modules[p->frames[i].module].path;

		(void)fputs(",\n{\"name\":", f);
		export_json_text(f, p->symbols[p->frames[i].symbol].name);
		if (path[0] != '\0') {
			(void)fputs(",\"file\":", f);
			export_json_text(f, path);
		}
		(void)fputc('}', f);
	}
	(void)fputs("]}", f);
}

static void stacks_write(FILE *f, const struct export_fold *fold, size_t group)
{
	const struct profile *p = fold->profile;
	uint32_t *frames = NULL;
	size_t i, k, n, cap = 0;

	(void)fputs("\"samples\":[", f);
	for (i = fold->first[group]; i < fold->first[group + 1]; i++) {
		const struct profile_cell *c = &p->cells[fold->order[i]];

		(void)fprintf(f, "%s\n[%" PRIu32, i > fold->first[group] ? "," : "",
			c->thread);
		n = export_fold_path(p, c->node, &frames, &cap);
		for (k = 0; k < n; k++)
			(void)fprintf(f, ",%zu", p->n_threads + frames[k]);
		(void)fputc(']', f);
	}
	(void)fputc(']', f);
	free(frames);
}

/* Returns their sum. */
static uint64_t weights_write(FILE *f, const struct export_fold *fold, size_t group)
{
	uint64_t sum = 0;
	size_t i;

	(void)fputs("\"weights\":[", f);
	for (i = fold->first[group]; i < fold->first[group + 1]; i++) {
		uint64_t weight = fold->profile->cells[fold->order[i]].weight;

		(void)fprintf(
			f, "%s%" PRIu64, i > fold->first[group] ? "," : "", weight);
		sum += weight;
	}
	(void)fputc(']', f);
	return sum;
}

static void profile_write(FILE *f, const struct export_input *in,
	const struct export_fold *fold, const struct trial *t, size_t group)
{
	const struct run_event *event = &in->run->events[in->event];
	char *name = group_name(in->run, t);
	uint64_t sum;

	(void)fputs("\n{\"type\":\"sampled\",\"name\":", f);
	export_json_text(f, name);
	(void)fprintf(f, ",\"unit\":\"%s\",\n",
		strcmp(event->unit, "ns") == 0 ? "nanoseconds" : "none");
	stacks_write(f, fold, group);
	(void)fputs(",\n", f);
	sum = weights_write(f, fold, group);
	(void)fprintf(f, ",\n\"startValue\":0,\"endValue\":%" PRIu64 "}", sum);
	free(name);
}

static int speedscope_write(FILE *f, const struct export_input *in, struct sp_err *err)
{
	struct export_fold_cfg cfg = { .label = export_frame_name, .by_module = true };
	struct export_fold fold;
	struct groups groups;
	const char *between = "";
	size_t i;

	groups_make(in, &groups);
	cfg.groups = groups.of_trial;
	cfg.n_groups = groups.n;
	export_fold_make(in, &cfg, &fold);
	(void)fputs("{\"$schema\":\"" SCHEMA_URL "\",\n\"version\":\"" VERSION_TEXT
		    "\",\"exporter\":\"satprof\",\n"
		    "\"name\":",
		f);
	export_json_text(f, in->run->path);
	(void)fputs(",\n", f);
	frames_write(f, fold.profile);
	(void)fputs(",\n\"profiles\":[", f);
	for (i = 0; i < groups.n; i++) {
		if (fold.first[i] == fold.first[i + 1])
			continue;
		(void)fputs(between, f);
		profile_write(f, in, &fold, groups.first[i], i);
		between = ",";
	}
	(void)fputs("]}\n", f);
	export_fold_done(&fold);
	groups_done(&groups);
	return export_finish(f, err);
}

const struct export_ops export_speedscope = {
	.name = "speedscope",
	.summary = "JSON for https://www.speedscope.app, a profile an arm and rate",
	.needs = EXPORT_NEEDS_SAMPLES,
	.write = speedscope_write,
};
