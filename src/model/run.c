/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A run in memory: growing, looking up, freeing. */
#include "config.h"

#include "model/run.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct run *run_new(void)
{
	struct run *r = xcalloc(1, sizeof(*r));

	r->path = xstrdup("");
	r->version = xstrdup("");
	r->command_line = xstrdup("");
	r->started_at = xstrdup("");
	r->config_json = xstrdup("{}");
	return r;
}

void sweep_config_done(struct sweep_config *c)
{
	free(c->rates_pps);
	c->rates_pps = NULL;
	c->n_rates = 0;
}

static void run_free_rows(struct run *r)
{
	size_t i;

	for (i = 0; i < r->n_events; i++) {
		free(r->events[i].name);
		free(r->events[i].unit);
	}
	for (i = 0; i < r->n_trials; i++)
		trial_done(&r->trials[i]);
	for (i = 0; i < r->n_fingerprint; i++) {
		free(r->fingerprint[i].key);
		free(r->fingerprint[i].value);
	}
	for (i = 0; i < r->n_notes; i++)
		free(r->notes[i]);
}

void run_free(struct run *r)
{
	if (r == NULL)
		return;
	run_free_rows(r);
	free(r->events);
	free(r->trials);
	free(r->fingerprint);
	free(r->notes);
	free(r->arms);
	free(r->path);
	free(r->version);
	free(r->command_line);
	free(r->started_at);
	free(r->config_json);
	free(r->sut_output);
	sweep_config_done(&r->config);
	profile_free(r->profile);
	free(r);
}

static struct run_fact *fact_find(const struct run *r, const char *key)
{
	size_t i;

	for (i = 0; i < r->n_fingerprint; i++)
		if (strcmp(r->fingerprint[i].key, key) == 0)
			return &r->fingerprint[i];
	return NULL;
}

void run_set_fact(struct run *r, const char *key, const char *value, bool is_number)
{
	struct run_fact *f = fact_find(r, key);
	char *copy = xstrdup(value); /* value may point into the old one */

	if (f == NULL) {
		r->fingerprint = xgrow(r->fingerprint, r->n_fingerprint,
			&r->cap_fingerprint, sizeof(*r->fingerprint));
		f = &r->fingerprint[r->n_fingerprint++];
		f->key = xstrdup(key);
		f->value = NULL;
	}
	free(f->value);
	f->value = copy;
	f->is_number = is_number;
}

const char *run_fact(const struct run *r, const char *key)
{
	const struct run_fact *f = fact_find(r, key);

	return f != NULL ? f->value : NULL;
}

uint32_t run_event_intern(
	struct run *r, const char *name, const char *unit, enum counter_state state)
{
	struct run_event *e;
	size_t i;

	for (i = 0; i < r->n_events; i++)
		if (strcmp(r->events[i].name, name) == 0)
			return (uint32_t)i;
	r->events = xgrow(r->events, r->n_events, &r->cap_events, sizeof(*r->events));
	e = &r->events[r->n_events];
	e->name = xstrdup(name);
	e->unit = xstrdup(unit);
	e->state = state;
	return (uint32_t)r->n_events++;
}

void run_add_note(struct run *r, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a note is one line */
	va_end(ap);
	for (i = 0; i < r->n_notes; i++)
		if (strcmp(r->notes[i], text) == 0)
			return;
	r->notes = xgrow(r->notes, r->n_notes, &r->cap_notes, sizeof(*r->notes));
	r->notes[r->n_notes++] = xstrdup(text);
}

void run_set_note(struct run *r, const char *head, const char *fmt, ...)
{
	char text[512];
	va_list ap;
	size_t i;

	va_start(ap, fmt);
	(void)vsnprintf(text, sizeof(text), fmt, ap); /* a note is one line */
	va_end(ap);
	for (i = 0; i < r->n_notes; i++)
		if (strncmp(r->notes[i], head, strlen(head)) == 0)
			break;
	if (i == r->n_notes) {
		run_add_note(r, "%s", text);
		return;
	}
	free(r->notes[i]);
	r->notes[i] = xstrdup(text);
}

void run_add_arm(struct run *r, const struct arm *a)
{
	struct arm copy = *a; /* it may lie in the old array */

	r->arms = xgrow(r->arms, r->n_arms, &r->cap_arms, sizeof(*r->arms));
	r->arms[r->n_arms++] = copy;
}

void run_add_trial(struct run *r, struct trial *t)
{
	r->trials = xgrow(r->trials, r->n_trials, &r->cap_trials, sizeof(*r->trials));
	r->trials[r->n_trials++] = *t;
	memset(t, 0, sizeof(*t));
}
