/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Between the files of the causes: the rules (causes_rules.c), the facts of two arms
 * side by side (causes_table.c), what differs (causes_differ.c), and the sentences
 * (causes_words.c, causes_text.c). Times ns, shares 0 to 1, rates per second.
 */
#ifndef SATPROF_PLAN_CAUSES_PRIVATE_H
#define SATPROF_PLAN_CAUSES_PRIVATE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/run.h"
#include "plan/analysis.h"
#include "plan/causes.h"

/* How a fact of a trial becomes what is compared. */
enum causes_measure {
	CAUSES_SETTLED, /* a text or a level that stays: the value that is held */
	CAUSES_LEVEL,   /* a number as it is */
	CAUSES_SHARE,   /* its part of the sum over all objects of its key */
	CAUSES_TIME,    /* ns as a part of the trial's time */
	CAUSES_RATE,    /* events per second */
	CAUSES_BATCH,   /* packets into the SUT per event */
	CAUSES_COST,    /* CPU time a packet: of no fact, see causes_cost_find() */
};

enum causes_sense {
	CAUSES_EITHER, /* more of it may help or hurt */
	CAUSES_COSTS,  /* more of it can only lower the knee */
	CAUSES_GIVES,  /* more of it can only raise the knee */
	CAUSES_RISES,  /* it counts where there is more of it, whatever it does */
};

/* A key without a rule is never a cause: it follows from others, or from the load. */
struct causes_rule {
	enum fact_key key;
	enum causes_measure measure;
	enum factor factor;
	int tier; /* within the factor: direct evidence 0, symptoms later */
	/* The smallest difference that could matter: both of them. */
	double min_frac; /* of the reference's value */
	double min;      /* in the measure's unit */
	enum causes_sense sense;
	/* Grows with the packets: has to differ per packet, too. */
	bool follows_packets;
};

extern const struct causes_rule causes_rules[];
extern const size_t causes_rules_len;

/* A trial whose facts count. */
struct causes_pick {
	const struct trial *t;
	size_t pair; /* which of the blocks, from 0 */
	bool is_arm; /* of the arm, else of the reference */
	bool near_knee;
};

/* One fact over all picks. */
struct causes_series {
	enum fact_key key;
	char of[FACT_OF_MAX];
	const struct fact **facts; /* a pick each; NULL where it was not read */
};

struct causes_table {
	const struct run *run;
	const struct analysis *a;
	uint32_t ref, arm;
	size_t n_pairs; /* blocks that count in both arms */
	size_t n_picks, cap_picks;
	struct causes_pick *picks;
	size_t n_series, cap_series;
	struct causes_series *series;
};

/* Borrows all; causes_table_done() frees what it owns. */
void causes_table_make(const struct run *run, const struct analysis *a, uint32_t ref,
	uint32_t arm, struct causes_table *ret_table);
void causes_table_done(struct causes_table *t);
/* NULL: that fact is nowhere. */
const struct causes_series *causes_series_find(
	const struct causes_table *t, enum fact_key key, const char *of);
/* The fact of a pick as the measure has it; NAN where it has none. */
double causes_value(const struct causes_table *t, const struct causes_series *s,
	size_t pick, enum causes_measure measure);
/* Median near the knee in a block; NAN where nothing is known. */
double causes_block_value(const struct causes_table *t, const struct causes_series *s,
	enum causes_measure measure, size_t pair, bool is_arm);
/* Median of that over the blocks. */
double causes_arm_value(const struct causes_table *t, const struct causes_series *s,
	enum causes_measure measure, bool is_arm);
/* Median over the blocks of the packets per second near the knee. */
double causes_arm_pps(const struct causes_table *t, bool is_arm);

#define CAUSES_HELD_MAX 6

/* The values that an arm's trials held, most frequent first. */
struct causes_held {
	size_t n, n_trials; /* n_trials: also those with values beyond the first n */
	struct {
		const struct fact *f;
		size_t n_trials;
	} v[CAUSES_HELD_MAX];
	bool is_settled; /* the first in at least 70 % of the trials */
};

void causes_held_make(const struct causes_table *t, const struct causes_series *s,
	bool is_arm, struct causes_held *ret_held);
bool causes_is_same(const struct fact *x, const struct fact *y);

/* Others of the same factor and object, or explained by it, that evidence tells. */
#define CAUSES_ALSO_MAX 6

struct causes_found {
	const struct causes_rule *rule;
	const struct causes_series *series; /* NULL for CAUSES_COST */
	enum factor factor;                 /* the rule's, but for sampling */
	double ref, arm; /* NAN for texts, and where none is typical */
	struct causes_held held_ref, held_arm;
	/* In multiples of the smallest that could matter; of a settled one the part
	 * of its trials, times how busy its thread is. */
	double effect;
	bool is_refuted; /* by a confirmation: it explains no other */
	size_t n_also;
	const struct causes_found *also[CAUSES_ALSO_MAX];
};

struct causes_list {
	size_t n, cap;
	struct causes_found *found;
};

/* Everything that differs, in no order; the caller frees ret->found. */
void causes_differ(const struct causes_table *t, struct causes_list *ret_list);
/* The shift of a sampling arm that is its cost a packet and nothing else. */
bool causes_cost_find(const struct causes_table *t, struct causes_found *ret_found);

#define CAUSES_NUM_LEN 32

const char *causes_arm_name(const struct causes_table *t, bool is_arm);
/* "48 %", "0.4 %". buf is returned. */
const char *causes_pct(char buf[CAUSES_NUM_LEN], double frac);
/* A number of the cause's measure, with its unit. buf is returned. */
const char *causes_number(
	const struct causes_found *f, char buf[CAUSES_NUM_LEN], double value);
/* The typical value, or those it wandered over: "0", "0 and 1", "0, 1 and 3"; and how
 * many these are. The caller frees it, as what follows. */
char *causes_held_text(
	const struct causes_found *f, const struct causes_held *h, size_t *ret_n);
/* Of two lists "NAME=VALUE ...": the names that only one has, or with another value; ""
 * where the texts are no such lists. */
char *causes_names_differ(
	const struct causes_table *t, const char *ref, const char *arm);
/* Cut to len - 1 bytes, never inside a character of UTF-8. */
void causes_text_copy(char *to, size_t len, const char *from);

/* Its values and its evidence. */
void causes_words(const struct causes_table *t, const struct causes_found *f,
	struct cause *ret_cause);

#endif
