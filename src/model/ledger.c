/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger's arithmetic. */
#include "config.h"

#include "model/ledger.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char *const point_names[LEDGER_N_POINTS] = {
	[LEDGER_INTENDED] = "intended",
	[LEDGER_UNSENT] = "unsent",
	[LEDGER_OFFERED] = "offered",
	[LEDGER_REFUSED] = "refused",
	[LEDGER_ACCEPTED] = "accepted",
	[LEDGER_EGRESS_DROP] = "egress_drop",
	[LEDGER_SUT_IN] = "sut_in",
	[LEDGER_SUT_DROP] = "sut_drop",
	[LEDGER_SUT_OUT] = "sut_out",
	[LEDGER_RX_DROP] = "rx_drop",
	[LEDGER_UNIQUE] = "unique",
	[LEDGER_DUPLICATE] = "duplicate",
	[LEDGER_LATE] = "late",
	[LEDGER_FOREIGN] = "foreign",
};

const struct ledger_line ledger_lines[LEDGER_N_LINES] = {
	{ LEDGER_INTENDED, { LEDGER_OFFERED, LEDGER_UNSENT }, 2 },
	{ LEDGER_OFFERED, { LEDGER_REFUSED, LEDGER_ACCEPTED }, 2 },
	{ LEDGER_ACCEPTED, { LEDGER_EGRESS_DROP, LEDGER_SUT_IN }, 2 },
	{ LEDGER_SUT_IN, { LEDGER_SUT_DROP, LEDGER_SUT_OUT }, 2 },
	{ LEDGER_SUT_OUT, { LEDGER_RX_DROP, LEDGER_UNIQUE, LEDGER_DUPLICATE }, 3 },
};

const char *ledger_point_name(enum ledger_point p)
{
	return p < LEDGER_N_POINTS ? point_names[p] : "?";
}

enum ledger_point ledger_point_parse(const char *name)
{
	unsigned i;

	for (i = 0; i < LEDGER_N_POINTS; i++)
		if (strcmp(point_names[i], name) == 0)
			return (enum ledger_point)i;
	return LEDGER_N_POINTS;
}

const char *ledger_source_name(enum ledger_source s)
{
	switch (s) {
	case LEDGER_ABSENT:
		return "absent";
	case LEDGER_MEASURED:
		return "measured";
	case LEDGER_DERIVED:
		return "derived";
	}
	return "?";
}

void ledger_set(struct ledger *l, enum ledger_point p, uint64_t count,
	enum ledger_source source)
{
	l->count[p] = count;
	l->source[p] = source;
}

void ledger_add_place(
	struct ledger *l, enum ledger_point p, const char *name, uint64_t count)
{
	struct ledger_place *place;
	size_t i;

	if (count == 0)
		return;
	for (i = 0; i < l->n_places; i++) {
		place = &l->places[i];
		if (place->point == p && strcmp(place->name, name) == 0) {
			place->count += count;
			return;
		}
	}
	if (l->n_places == LEDGER_MAX_PLACES) {
		place = &l->places[LEDGER_MAX_PLACES - 1];
		(void)snprintf(place->name, sizeof(place->name), "other");
		place->count += count;
		return;
	}
	place = &l->places[l->n_places++];
	place->point = p;
	place->count = count;
	(void)snprintf(place->name, sizeof(place->name), "%s", name);
}

/* Sum of the parts that are there; counts how many are absent and says which. */
static uint64_t parts_sum(const struct ledger *l, const struct ledger_line *line,
	int *ret_n_absent, enum ledger_point *ret_absent)
{
	uint64_t sum = 0;
	size_t i;

	*ret_n_absent = 0;
	for (i = 0; i < line->n_parts; i++) {
		if (l->source[line->parts[i]] == LEDGER_ABSENT) {
			(*ret_n_absent)++;
			*ret_absent = line->parts[i];
		} else {
			sum += l->count[line->parts[i]];
		}
	}
	return sum;
}

/* True when a term of the line was filled in. */
static bool line_derive(struct ledger *l, const struct ledger_line *line)
{
	enum ledger_point absent = LEDGER_N_POINTS;
	int n_absent;
	uint64_t sum = parts_sum(l, line, &n_absent, &absent);

	if (l->source[line->total] == LEDGER_ABSENT && n_absent == 0) {
		ledger_set(l, line->total, sum, LEDGER_DERIVED);
		return true;
	}
	if (l->source[line->total] != LEDGER_ABSENT && n_absent == 1 &&
		l->count[line->total] >= sum) {
		ledger_set(l, absent, l->count[line->total] - sum, LEDGER_DERIVED);
		return true;
	}
	return false;
}

void ledger_derive(struct ledger *l)
{
	bool changed;
	size_t i;

	do {
		changed = false;
		for (i = 0; i < LEDGER_N_LINES; i++)
			changed |= line_derive(l, &ledger_lines[i]);
	} while (changed);
}

void ledger_check(const struct ledger *l, struct ledger_check *ret_check)
{
	struct ledger_check c = { .residual_line = -1 };
	size_t i;

	for (i = 0; i < LEDGER_N_LINES; i++) {
		const struct ledger_line *line = &ledger_lines[i];
		enum ledger_point absent = LEDGER_N_POINTS;
		int n_absent;
		uint64_t sum = parts_sum(l, line, &n_absent, &absent);

		c.checkable[i] =
			n_absent == 0 && l->source[line->total] != LEDGER_ABSENT;
		c.residual[i] = (int64_t)(l->count[line->total] - sum);
		if (c.checkable[i] && c.residual[i] != 0 && c.residual_line < 0)
			c.residual_line = (int)i;
	}
	*ret_check = c;
}

double ledger_loss_frac(const struct ledger *l)
{
	if (l->source[LEDGER_INTENDED] == LEDGER_ABSENT ||
		l->source[LEDGER_UNIQUE] == LEDGER_ABSENT ||
		l->count[LEDGER_INTENDED] == 0)
		return (double)NAN;
	return 1.0 -
	       (double)l->count[LEDGER_UNIQUE] / (double)l->count[LEDGER_INTENDED];
}
