/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which suspects can be forced, and by what. */
#include "config.h"

#include "plan/confirm.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* A companion that takes or wakes less would not be seen. */
#define SHARE_MIN 0.01
#define SHARE_MAX 0.95
#define WAKES_MIN 10.0
#define WAKES_MAX 50e3
#define HZ_MIN    2.0

struct chooser {
	const struct run *run;
	const struct analysis_shift *shift;
	struct confirm_suspect *s; /* being made */
};

static void cannot(struct chooser *c, const char *why)
{
	(void)snprintf(c->s->why_not, sizeof(c->s->why_not), "%s", why);
}

static void add_part(
	struct chooser *c, const char *of, const char *value, double number)
{
	if (!arm_force_add(&c->s->arm, of, value, number))
		cannot(c, "it is of more threads or CPUs than one arm can force");
}

/* NULL: none. */
static struct arm_force_part *find_part(const struct chooser *c, const char *of)
{
	struct arm_force *f = &c->s->arm.force;
	size_t i;

	for (i = 0; i < f->n_parts; i++)
		if (strcmp(f->parts[i].of, of) == 0)
			return &f->parts[i];
	return NULL;
}

/* The causes of the factor with that key, one after the other. */
static const struct cause *next_cause(
	const struct chooser *c, enum fact_key key, size_t *i)
{
	while (*i < c->shift->n_causes) {
		const struct cause *k = &c->shift->causes[(*i)++];

		if (k->factor == c->s->factor && k->key == key)
			return k;
	}
	return NULL;
}

/* What follows the words of a value: "cpu 1" is "1", "0-1" itself. */
static const char *bare(const char *value)
{
	return value + strcspn(value, "-0123456789");
}

static bool is_number(const char *s)
{
	return s[0] != '\0' && s[strspn(s, "0123456789")] == '\0';
}

/* "0,2-3", not "0, 1 or 2" as a value that changes is told. */
static bool is_list(const char *s)
{
	return s[0] >= '0' && s[0] <= '9' && s[strspn(s, "0123456789,-")] == '\0';
}

/* CPUs of threads first, then what they are allowed, then nodes: the narrowest. */
static void make_placement(struct chooser *c)
{
	static const struct {
		enum fact_key key;
		bool (*is_sound)(const char *value);
		const char *prefix;
	} keys[] = {
		{ FACT_THREAD_CPU, is_number, "" },
		{ FACT_CPUS_ALLOWED, is_list, "" },
		{ FACT_THREAD_NODE, is_number, "node " },
	};
	char value[2 * ARM_FORCE_VALUE_MAX];
	const struct cause *k;
	bool was_cut = false;
	size_t i, n;

	for (n = 0; n < sizeof(keys) / sizeof(keys[0]); n++)
		for (i = 0; (k = next_cause(c, keys[n].key, &i)) != NULL;) {
			const char *v = bare(k->arm_value);

			if (!keys[n].is_sound(v) || find_part(c, k->of) != NULL)
				continue;
			/* Its last number may be half of one, too. */
			if (strlen(k->arm_value) == CAUSE_VALUE_MAX - 1) {
				was_cut = true;
				continue;
			}
			(void)snprintf(value, sizeof(value), "%s%s", keys[n].prefix, v);
			add_part(c, k->of, value, (double)NAN);
		}
	if (c->s->arm.force.n_parts == 0)
		cannot(c, was_cut ? "the list of CPUs is too long to be kept whole"
				  : "no thread stayed on CPUs that it could be pinned "
				    "to");
}

/* All of it goes to the node that has gained most. */
static void make_memory(struct chooser *c)
{
	const struct cause *k, *most = NULL;
	char value[ARM_FORCE_VALUE_MAX];
	size_t i = 0;

	while ((k = next_cause(c, FACT_MEMORY_BYTES, &i)) != NULL)
		if (k->arm > k->ref &&
			(most == NULL || k->arm - k->ref > most->arm - most->ref))
			most = k;
	if (most == NULL) {
		cannot(c, "no node holds more of the SUT's memory");
		return;
	}
	(void)snprintf(value, sizeof(value), "node %s", most->of);
	add_part(c, "", value, (double)NAN);
}

static void make_contention(struct chooser *c)
{
	const struct cause *k;
	size_t i = 0;

	while ((k = next_cause(c, FACT_OTHERS_NS, &i)) != NULL) {
		double share = k->arm - k->ref; /* of the time */

		if (share >= SHARE_MIN)
			add_part(c, k->of, NULL, fmin(share, SHARE_MAX));
	}
	if (c->s->arm.force.n_parts == 0)
		cannot(c, "no CPU is known that others took more of");
}

/* All of it together: the parts say which of it differs. */
static void make_whole_launch(struct chooser *c)
{
	static const enum fact_key keys[] = { FACT_PRELOAD, FACT_THREAD_POLICY,
		FACT_THREAD_NICE, FACT_LIMITS, FACT_ENVIRONMENT, FACT_PERSONALITY,
		FACT_ENVIRONMENT_BYTES, FACT_CWD };
	size_t i, n;

	for (n = 0; n < sizeof(keys) / sizeof(keys[0]); n++) {
		i = 0;
		if (next_cause(c, keys[n], &i) != NULL)
			add_part(c, "", fact_info(keys[n])->name, (double)NAN);
	}
	if (c->s->arm.force.n_parts == 0)
		cannot(c, "what differs in how the SUT was launched cannot be set "
			  "without the command that it was launched under");
}

static void make_launch(struct chooser *c)
{
	const struct cause *k;
	size_t i = 0;

	if (c->run->arms[c->shift->arm].kind == ARM_WRAP) {
		make_whole_launch(c);
		return;
	}
	while ((k = next_cause(c, FACT_THREAD_NICE, &i)) != NULL)
		if (is_number(bare(k->arm_value) + (bare(k->arm_value)[0] == '-')))
			add_part(c, k->of, NULL, strtod(bare(k->arm_value), NULL));
	if (c->s->arm.force.n_parts == 0)
		cannot(c, "of a SUT that runs only a nice value can be set from "
			  "outside");
}

static void make_idle(struct chooser *c)
{
	static const enum fact_key keys[] = { FACT_IDLE_ENTRIES, FACT_IDLE_DEEP_NS };
	const struct cause *k;
	bool is_less = false;
	size_t i, n;

	for (n = 0; n < sizeof(keys) / sizeof(keys[0]); n++)
		for (i = 0; (k = next_cause(c, keys[n], &i)) != NULL;)
			is_less |= k->arm < k->ref;
	if (is_less)
		add_part(c, "", NULL, (double)NAN);
	else
		cannot(c, "CPUs can be kept from sleeping, not made to");
}

/* A wake-up is an interrupt of one kind or another: the kind that grew most. */
static void make_wakeups(struct chooser *c)
{
	static const enum fact_key keys[] = { FACT_IRQ_TIMER, FACT_IRQ_RESCHED,
		FACT_SOFTIRQ_TIMER };
	const struct cause *k;
	struct arm_force_part *part;
	size_t i, n;

	for (n = 0; n < sizeof(keys) / sizeof(keys[0]); n++)
		for (i = 0; (k = next_cause(c, keys[n], &i)) != NULL;) {
			double hz = fmin(k->arm - k->ref, WAKES_MAX);

			if (!(hz >= WAKES_MIN))
				continue;
			part = find_part(c, k->of);
			if (part == NULL)
				add_part(c, k->of, NULL, hz);
			else
				part->number = fmax(hz, part->number);
		}
	if (c->s->arm.force.n_parts == 0)
		cannot(c, "no CPU is known that was woken more often");
}

static void make_sampling(struct chooser *c)
{
	struct arm half = c->run->arms[c->shift->arm];
	const char *at = strchr(half.name, '@');
	char name[ARM_NAME_MAX];

	if ((half.kind != ARM_SAMPLE && half.kind != ARM_PERF) || half.hz < HZ_MIN) {
		cannot(c, "the rate of this observer is not known here");
		return;
	}
	half.hz = floor(half.hz / 2);
	(void)snprintf(name, sizeof(name), "%.*s@%.0f",
		(int)(at != NULL ? at - half.name : 0), half.name, half.hz);
	memcpy(half.name, name, sizeof(name));
	c->s->arm = arm_force_make(&half, FACTOR_SAMPLING);
	add_part(c, "", NULL, half.hz);
}

static void make_none(struct chooser *c)
{
	cannot(c, "there is no way to force it");
}

/* One a factor. */
static void (*const makers[N_FACTORS])(struct chooser *) = {
	[FACTOR_PLACEMENT] = make_placement,
	[FACTOR_MEMORY] = make_memory,
	[FACTOR_CONTENTION] = make_contention,
	[FACTOR_LAUNCH] = make_launch,
	[FACTOR_INTERRUPTS] = make_none,
	[FACTOR_FREQUENCY] = make_none,
	[FACTOR_IDLE] = make_idle,
	[FACTOR_WAKEUPS] = make_wakeups,
	[FACTOR_BATCHING] = make_none,
	[FACTOR_SAMPLING] = make_sampling,
	[FACTOR_STEAL] = make_none,
	[FACTOR_CLOCK] = make_none,
};

static void suspect_make(const struct run *run, const struct analysis_shift *shift,
	enum factor factor, struct confirm_suspect *s)
{
	struct chooser c = { .run = run, .shift = shift, .s = s };

	*s = (struct confirm_suspect){ .factor = factor };
	s->arm = arm_force_make(&run->arms[shift->ref], factor);
	makers[factor](&c);
	s->arm.force.arm = shift->arm;
}

/* NULL: there is none, *why says it. */
static const struct analysis_shift *shift_to_confirm(
	const struct analysis *a, char *why, size_t len)
{
	size_t i;

	for (i = 0; i < a->n_shifts; i++)
		if (a->shifts[i].verdict == VERDICT_HELPS ||
			a->shifts[i].verdict == VERDICT_HURTS)
			return &a->shifts[i];
	if (a->n_shifts == 0)
		(void)snprintf(
			why, len, "there is no observer whose shift it could be");
	else if (a->shifts[0].verdict == VERDICT_NONE)
		(void)snprintf(why, len, "%s does not move the knee",
			a->arms[a->shifts[0].arm].name);
	else
		(void)snprintf(why, len, "it is not known that %s moves the knee",
			a->arms[a->shifts[0].arm].name);
	return NULL;
}

static bool holds(const struct confirm_suspect *s, size_t n, enum factor factor)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (s[i].factor == factor)
			return true;
	return false;
}

size_t confirm_choose(const struct run *run, const struct analysis *a,
	struct confirm_suspect **ret_suspects, char *why, size_t why_len)
{
	const struct analysis_shift *shift = shift_to_confirm(a, why, why_len);
	struct confirm_suspect *s;
	size_t i, n = 0;

	*ret_suspects = NULL;
	if (shift == NULL)
		return 0;
	s = xcalloc(N_FACTORS, sizeof(*s));
	for (i = 0; i < shift->n_causes; i++)
		if (!holds(s, n, shift->causes[i].factor))
			suspect_make(run, shift, shift->causes[i].factor, &s[n++]);
	if (!holds(s, n, FACTOR_SAMPLING) && run->arms[shift->arm].hz >= HZ_MIN)
		suspect_make(run, shift, FACTOR_SAMPLING, &s[n++]);
	if (n == 0) {
		(void)snprintf(why, why_len,
			"nothing that can be seen differs between %s and %s",
			a->arms[shift->ref].name, a->arms[shift->arm].name);
		free(s);
		return 0;
	}
	*ret_suspects = s;
	return n;
}
