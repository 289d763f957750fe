/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The registry of exports, and what they have in common. */
#include "config.h"

#include "codec/export.h"

#include <csv.h>
#include <errno.h>
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/mem.h"
#include "codec/export_private.h"

#define UNKNOWN_NAME "[unknown]"

const struct export_ops *const export_list[] = {
	&export_json,
	&export_csv,
	&export_folded,
	&export_pprof,
	&export_speedscope,
	&export_benchfmt,
	&export_openmetrics,
	&export_otava,
	&export_gha,
};

const size_t export_list_len = sizeof(export_list) / sizeof(export_list[0]);

int export_find(const char *name, const struct export_ops **ret_ops, struct sp_err *err)
{
	char names[300] = "";
	size_t i, len = 0;

	for (i = 0; i < export_list_len; i++) {
		if (name != NULL && strcmp(export_list[i]->name, name) == 0) {
			*ret_ops = export_list[i];
			return 0;
		}
		if (len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len,
				"%s%s", i > 0 ? ", " : "", export_list[i]->name);
	}
	if (name == NULL)
		return sp_err_set(
			err, SP_EUSAGE, "which --format? There are %s", names);
	return sp_err_set(
		err, SP_EUSAGE, "'%s' is not a format; there are %s", name, names);
}

static bool is_at(const struct run *run, size_t i, uint32_t id)
{
	return i < run->n_trials && run->trials[i].spec.id == id;
}

/* Where the trial is in the run; n_trials: it is not there. They are by id. */
static size_t trial_find(const struct run *run, size_t last, uint32_t id)
{
	size_t lo = 0, hi = run->n_trials;

	if (is_at(run, last, id))
		return last;
	while (lo < hi) {
		size_t mid = lo + (hi - lo) / 2;

		if (run->trials[mid].spec.id < id)
			lo = mid + 1;
		else
			hi = mid;
	}
	return is_at(run, lo, id) ? lo : run->n_trials;
}

/* SIZE_MAX: not meant, whatever its event. */
static size_t cell_trial(struct export_trials *t, const struct profile_cell *c)
{
	const struct run *run = t->in->run;
	size_t i = trial_find(run, t->last, c->trial);

	if (i == run->n_trials || !t->in->in[i] || c->event >= run->n_events ||
		c->node >= run->profile->n_nodes ||
		c->thread >= run->profile->n_threads)
		return SIZE_MAX;
	t->last = i;
	return i;
}

size_t export_cell_trial(struct export_trials *t, const struct profile_cell *c)
{
	return c->event == t->in->event ? cell_trial(t, c) : SIZE_MAX;
}

/* The cells and samples of an event. */
struct event_use {
	uint64_t n_cells, n_samples;
};

static struct event_use *event_uses(const struct run *run, const bool *in)
{
	struct event_use *u = xcalloc(run->n_events + 1, sizeof(*u));
	struct export_input input = { .run = run, .in = in };
	struct export_trials t = { .in = &input };
	size_t i;

	for (i = 0; run->profile != NULL && i < run->profile->n_cells; i++) {
		const struct profile_cell *c = &run->profile->cells[i];

		if (cell_trial(&t, c) == SIZE_MAX)
			continue;
		u[c->event].n_cells++;
		u[c->event].n_samples += c->n_samples;
	}
	return u;
}

/* What the run's own profiler samples, also of user code alone: "cycles", "cycles:u".
 */
static bool is_own(const struct run *run, size_t event)
{
	const char *own = run_fact(run, "event"), *name = run->events[event].name;
	size_t len = own != NULL ? strlen(own) : 0;

	return len > 0 && strncmp(name, own, len) == 0 &&
	       (name[len] == '\0' || name[len] == ':');
}

/* Event a rather than b: the profiler's own before what else there is (time off the
 * CPU), weights before what only counts the samples of another event. */
static bool is_rather(
	const struct run *run, const struct event_use *u, size_t a, size_t b)
{
	bool counts_a = strcmp(run->events[a].unit, "samples") == 0;
	bool counts_b = strcmp(run->events[b].unit, "samples") == 0;

	if (is_own(run, a) != is_own(run, b))
		return is_own(run, a);
	if (counts_a != counts_b)
		return counts_b;
	if (u[a].n_samples != u[b].n_samples)
		return u[a].n_samples > u[b].n_samples;
	return u[a].n_cells > u[b].n_cells;
}

/* The event of that name with samples, else the main one; n_events: none. */
static size_t event_best(
	const struct run *run, const struct event_use *u, const char *name)
{
	size_t i, best = run->n_events;

	for (i = 0; i < run->n_events; i++) {
		if (u[i].n_cells == 0 ||
			(name != NULL && strcmp(name, run->events[i].name) != 0))
			continue;
		if (best == run->n_events || is_rather(run, u, i, best))
			best = i;
	}
	return best;
}

static int no_such_event(const struct run *run, const struct event_use *u,
	const char *name, struct sp_err *err)
{
	char names[300] = "";
	size_t i, len = 0;

	for (i = 0; i < run->n_events; i++)
		if (u[i].n_cells > 0 && len < sizeof(names))
			len += (size_t)snprintf(names + len, sizeof(names) - len,
				"%s%s", len > 0 ? ", " : "", run->events[i].name);
	if (len == 0)
		return sp_err_set(err, SP_EUSAGE,
			"these trials have no samples; take an arm that samples, or "
			"--format json");
	return sp_err_set(err, SP_EUSAGE, "no samples of '%s'; there are some of %s",
		name, names);
}

int export_event_choose(const struct run *run, const bool *in, const char *name,
	uint32_t *ret_event, size_t *ret_others, struct sp_err *err)
{
	struct event_use *u = event_uses(run, in);
	size_t i, n = 0, best = event_best(run, u, name);
	int rc = 0;

	for (i = 0; i < run->n_events; i++)
		n += u[i].n_cells > 0;
	if (best < run->n_events) {
		*ret_event = (uint32_t)best;
		*ret_others = n - 1;
	} else {
		rc = no_such_event(run, u, name, err);
	}
	free(u);
	return rc;
}

void export_totals_make(const struct export_input *in, struct export_totals *ret)
{
	const struct profile *p = in->run->profile;
	bool *seen = xcalloc(in->run->n_trials + 1, sizeof(*seen));
	struct export_trials t = { .in = in };
	size_t i;

	*ret = (struct export_totals){ 0 };
	for (i = 0; p != NULL && i < p->n_cells; i++) {
		size_t trial = export_cell_trial(&t, &p->cells[i]);

		if (trial == SIZE_MAX)
			continue;
		seen[trial] = true;
		ret->n_samples += p->cells[i].n_samples;
		ret->weight += p->cells[i].weight;
	}
	for (i = 0; i < in->run->n_trials; i++) {
		ret->n_trials += in->in[i];
		if (in->in[i])
			ret->n_lost += in->run->trials[i].sampling.n_lost;
		ret->n_sampled += seen[i];
	}
	free(seen);
}

char *export_frame_name(const struct profile *p, uint32_t frame)
{
	const struct profile_frame *f = &p->frames[frame];
	const char *path = UNKNOWN_NAME, *base;

	if (f->symbol < p->n_symbols && p->symbols[f->symbol].name[0] != '\0' &&
		strcmp(p->symbols[f->symbol].name, UNKNOWN_NAME) != 0)
		return xstrdup(p->symbols[f->symbol].name);
	if (f->module < p->n_modules && p->modules[f->module].path[0] != '\0')
		path = p->modules[f->module].path;
	if (path[0] == '[')
		return xstrdup(path);
	base = strrchr(path, '/');
	return xasprintf("[%s]", base != NULL && base[1] != '\0' ? base + 1 : path);
}

void export_json_text(FILE *f, const char *s)
{
	char *clean = clean_utf8(s);
	json_t *v = json_string(clean);

	/* A failure shows in export_finish(). */
	(void)json_dumpf(v, f, JSON_ENCODE_ANY | JSON_COMPACT);
	json_decref(v);
	free(clean);
}

void export_csv_text(FILE *f, const char *s)
{
	char *clean = clean_utf8(s);

	(void)csv_fwrite(f, clean, strlen(clean)); /* likewise */
	free(clean);
}

int export_finish(FILE *f, struct sp_err *err)
{
	if (fflush(f) == 0 && ferror(f) == 0)
		return 0;
	if (errno != 0)
		return sp_err_errno(err, SP_EIO, errno, "cannot write the export");
	return sp_err_set(err, SP_EIO, "cannot write the export");
}
