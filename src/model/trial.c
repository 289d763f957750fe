/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Trials: words, reasons, and freeing. */
#include "config.h"

#include "model/trial.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

static const char *const kind_names[] = {
	[TRIAL_WARMUP] = "warmup",
	[TRIAL_PILOT] = "pilot",
	[TRIAL_GRID] = "grid",
	[TRIAL_PROFILE] = "profile",
	[TRIAL_LATENCY] = "latency",
	[TRIAL_LADDER] = "ladder",
	[TRIAL_NDR] = "ndr",
};

/* In JSON limited_by of a trial that was not limited is "none". */
static const char *const limited_names[] = {
	[LIMITED_NOT] = "none",
	[LIMITED_SUT] = "sut",
	[LIMITED_GENERATOR] = "generator",
	[LIMITED_RECEIVER] = "receiver",
};

static const char *const state_names[] = {
	[COUNTER_OK] = "ok",
	[COUNTER_ESTIMATED] = "estimated",
	[COUNTER_NOT_COUNTED] = "not-counted",
	[COUNTER_NOT_SUPPORTED] = "not-supported",
	[COUNTER_NOT_PERMITTED] = "not-permitted",
	[COUNTER_ERROR] = "error",
};

static const char *word_name(const char *const *words, size_t n, unsigned value)
{
	return value < n ? words[value] : "?";
}

static int word_parse(const char *const *words, size_t n, const char *name)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (strcmp(words[i], name) == 0)
			return (int)i;
	return -1;
}

const char *trial_kind_name(enum trial_kind k)
{
	return word_name(kind_names, N_OF(kind_names), k);
}

int trial_kind_parse(const char *name)
{
	return word_parse(kind_names, N_OF(kind_names), name);
}

const char *limited_by_name(enum limited_by l)
{
	return word_name(limited_names, N_OF(limited_names), l);
}

int limited_by_parse(const char *name)
{
	return word_parse(limited_names, N_OF(limited_names), name);
}

const char *counter_state_name(enum counter_state s)
{
	return word_name(state_names, N_OF(state_names), s);
}

int counter_state_parse(const char *name)
{
	return word_parse(state_names, N_OF(state_names), name);
}

__attribute__((format(printf, 2, 0))) static void reason_vadd(
	struct trial *t, const char *fmt, va_list ap)
{
	size_t i = t->n_reasons;

	if (i == TRIAL_MAX_REASONS)
		i--;
	else
		t->n_reasons++;
	(void)vsnprintf(t->reasons[i], sizeof(t->reasons[i]), fmt, ap);
}

void trial_add_reason(struct trial *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reason_vadd(t, fmt, ap);
	va_end(ap);
}

void trial_invalidate(struct trial *t, const char *fmt, ...)
{
	va_list ap;

	va_start(ap, fmt);
	reason_vadd(t, fmt, ap);
	va_end(ap);
	t->valid = false;
}

void trial_done(struct trial *t)
{
	free(t->bins);
	free(t->cpus);
	free(t->threads);
	free(t->counters);
	facts_done(&t->facts);
	memset(t, 0, sizeof(*t));
}
