/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which facts differ between two arms, beyond chance and by enough to matter. */
#include "config.h"

#include <gsl/gsl_cdf.h>
#include <gsl/gsl_statistics_double.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/causes_private.h"
#include "stat/ranktest.h"
#include "stat/values.h"

/* A thread that runs less than this does not carry the load. */
#define BUSY_MIN_FRAC 0.01
/* Of an arm's trials, more hold another value than the other arm's typical one. */
#define SETTLED_SHIFT_MIN_FRAC 0.3
/* Of the timer interrupts that its rate asks for, so many more: it samples by them. */
#define TIMER_OF_HZ_FRAC 0.5
/* What the facts of an arm may differ by chance, all together. */
#define ALPHA 0.05

/* A number in two arms: the differences arm - ref of the blocks. */
struct comparison {
	const struct causes_rule *rule;
	const struct causes_series *series;
	struct values d;
	double ref, arm; /* medians over blocks */
	struct ranktest_interval diff;
};

struct comparisons {
	size_t n, cap;
	struct comparison *c;
};

/* -1, 0, 1: the knee is lower, not known, higher. */
static int shift_sign(const struct causes_table *t)
{
	size_t i;

	for (i = 0; i < t->a->n_shifts; i++) {
		const struct analysis_shift *s = &t->a->shifts[i];

		if (s->arm != t->arm || s->ref != t->ref)
			continue;
		if (s->verdict == VERDICT_HELPS)
			return 1;
		if (s->verdict == VERDICT_HURTS)
			return -1;
	}
	return 0;
}

/* Whether what differs can have moved the knee to where it is. */
static bool makes_sense(const struct causes_table *t, const struct comparison *c)
{
	int sign = shift_sign(t);

	switch (c->rule->sense) {
	case CAUSES_EITHER:
		return true;
	case CAUSES_RISES:
		return c->diff.estimate > 0;
	case CAUSES_COSTS:
		return sign == 0 || (c->diff.estimate > 0) == (sign < 0);
	case CAUSES_GIVES:
		return sign == 0 || (c->diff.estimate > 0) == (sign > 0);
	}
	return true;
}

/* How often the smallest difference that matters goes into this one. */
static double effect_of(const struct causes_rule *r, double ref, double diff)
{
	double smallest = fmax(r->min, r->min_frac * fabs(ref));

	return smallest > 0 ? fabs(diff) / smallest : 0;
}

/* The same per packet, for what grows with the packets: an arm with a higher knee has
 * more of it for no other reason. */
static bool differs_per_packet(const struct causes_table *t, const struct comparison *c)
{
	double ref = c->ref / causes_arm_pps(t, false);
	double arm = c->arm / causes_arm_pps(t, true);

	if (!c->rule->follows_packets || !isfinite(ref) || !isfinite(arm))
		return true;
	return fabs(arm - ref) >= c->rule->min_frac * ref &&
	       (arm > ref) == (c->diff.estimate > 0);
}

/*
 * The exact signed-rank interval leaves out 0. With as many facts as a machine has
 * that alone would name one in most runs; it cannot be corrected for their number,
 * since 8 blocks have no smaller p than 1 / 128. So the difference has also to pass a
 * paired t-test at ALPHA over the number of facts (Bonferroni).
 */
static bool is_beyond_chance(const struct comparison *c, size_t n_compared)
{
	double n = (double)c->d.n, sd, t;

	if (!c->diff.is_finite || (c->diff.lo <= 0 && c->diff.hi >= 0))
		return false;
	sd = gsl_stats_sd(c->d.v, 1, c->d.n);
	t = gsl_cdf_tdist_Qinv(ALPHA / 2 / (double)n_compared, n - 1);
	return fabs(c->diff.estimate) >= t * sd / sqrt(n);
}

static void compare(const struct causes_table *t, const struct causes_rule *rule,
	const struct causes_series *s, struct comparisons *l)
{
	struct values ref = { 0 }, arm = { 0 };
	struct comparison c = { .rule = rule, .series = s };
	size_t pair;

	for (pair = 0; pair < t->n_pairs; pair++) {
		double r = causes_block_value(t, s, rule->measure, pair, false);
		double a = causes_block_value(t, s, rule->measure, pair, true);

		if (!isfinite(a - r))
			continue;
		values_add(&ref, r);
		values_add(&arm, a);
		values_add(&c.d, a - r);
	}
	c.ref = values_median(&ref);
	c.arm = values_median(&arm);
	values_done(&ref);
	values_done(&arm);
	if (c.d.n < ANALYSIS_BLOCKS_MIN) {
		values_done(&c.d);
		return;
	}
	ranktest_interval(c.d.v, c.d.n, t->a->level, RANKTEST_TWO_SIDED, &c.diff);
	l->c = xgrow(l->c, l->n, &l->cap, sizeof(*l->c));
	l->c[l->n++] = c;
}

static struct causes_found *found_add(struct causes_list *l,
	const struct causes_rule *rule, const struct causes_series *s)
{
	l->found = xgrow(l->found, l->n, &l->cap, sizeof(*l->found));
	l->found[l->n] = (struct causes_found){ .rule = rule,
		.series = s,
		.factor = rule->factor,
		.ref = (double)NAN,
		.arm = (double)NAN };
	return &l->found[l->n++];
}

/* The built-in sampler, or perf beside the SUT. */
static bool samples(const struct arm *arm)
{
	return arm->kind == ARM_SAMPLE || arm->kind == ARM_PERF;
}

/* Where there is no PMU, a timer interrupts for each sample. What that costs raises no
 * knee; that it wakes a CPU may. */
static enum factor factor_of(const struct causes_table *t, const struct comparison *c)
{
	const struct arm *arm = &t->run->arms[t->arm];

	if (c->rule->key == FACT_IRQ_TIMER && samples(arm) && shift_sign(t) <= 0 &&
		c->diff.estimate >= TIMER_OF_HZ_FRAC * arm->hz)
		return FACTOR_SAMPLING;
	return c->rule->factor;
}

static void numbers_differ(const struct causes_table *t, struct causes_list *list)
{
	struct comparisons l = { .n = 0 };
	size_t i, k;

	for (i = 0; i < causes_rules_len; i++)
		for (k = 0; k < t->n_series; k++)
			if (causes_rules[i].measure != CAUSES_SETTLED &&
				t->series[k].key == causes_rules[i].key)
				compare(t, &causes_rules[i], &t->series[k], &l);
	for (i = 0; i < l.n; i++) {
		const struct comparison *c = &l.c[i];
		double effect = effect_of(c->rule, c->ref, c->diff.estimate);

		if (effect >= 1 && is_beyond_chance(c, l.n) && makes_sense(t, c) &&
			differs_per_packet(t, c)) {
			struct causes_found *f = found_add(list, c->rule, c->series);

			f->ref = c->ref;
			f->arm = c->arm;
			f->effect = effect;
			f->factor = factor_of(t, c);
		}
	}
	for (i = 0; i < l.n; i++)
		values_done(&l.c[i].d);
	free(l.c);
}

/* Part of a block's trials in an arm that hold this value; NAN: none was read. */
static double share_held(const struct causes_table *t, const struct causes_series *s,
	size_t pair, bool is_arm, const struct fact *f)
{
	size_t i, n = 0, n_same = 0;

	for (i = 0; i < t->n_picks; i++) {
		const struct causes_pick *p = &t->picks[i];

		if (p->pair != pair || p->is_arm != is_arm || s->facts[i] == NULL)
			continue;
		n++;
		n_same += causes_is_same(s->facts[i], f);
	}
	return n > 0 ? (double)n_same / (double)n : (double)NAN;
}

/*
 * By how much more of the trials the settled arm holds its value than the other arm
 * does; NAN unless the blocks agree that it does.
 */
static double settled_shift(const struct causes_table *t, const struct causes_series *s,
	const struct fact *typical, bool of_arm)
{
	struct values d = { 0 };
	struct ranktest_interval r;
	size_t pair;

	for (pair = 0; pair < t->n_pairs; pair++)
		values_add(&d, share_held(t, s, pair, of_arm, typical) -
				       share_held(t, s, pair, !of_arm, typical));
	ranktest_interval(d.v, d.n, t->a->level, RANKTEST_TWO_SIDED, &r);
	values_done(&d);
	return r.is_finite && r.lo > 0 ? r.estimate : (double)NAN;
}

/* Part of the time that the thread ran, in the arm where it ran more; 1 for what is of
 * no thread, or where nobody knows. */
static double weight_of(const struct causes_table *t, const struct causes_series *s)
{
	const struct causes_series *run;
	double w;

	if (fact_info(s->key)->scope != FACT_THREAD)
		return 1;
	run = causes_series_find(t, FACT_RUN_NS, s->of);
	if (run == NULL)
		return 1;
	w = fmax(causes_arm_value(t, run, CAUSES_TIME, false),
		causes_arm_value(t, run, CAUSES_TIME, true));
	return isfinite(w) ? w : 1;
}

/* A thread that ran on one and the same CPU all the time: where else it might have run
 * has moved nothing. */
static bool stayed(const struct causes_table *t, const struct causes_series *s)
{
	const struct causes_series *cpu;
	struct causes_held ref, arm;

	if (s->key != FACT_CPUS_ALLOWED)
		return false;
	cpu = causes_series_find(t, FACT_THREAD_CPU, s->of);
	if (cpu == NULL)
		return false;
	causes_held_make(t, cpu, false, &ref);
	causes_held_make(t, cpu, true, &arm);
	return ref.is_settled && arm.is_settled &&
	       causes_is_same(ref.v[0].f, arm.v[0].f);
}

/* The typical value as a number; NAN for a text, and where there is none. */
static double held_number(const struct causes_held *h)
{
	if (!h->is_settled || h->v[0].f->text != NULL)
		return (double)NAN;
	return h->v[0].f->value;
}

static void settled_differs(const struct causes_table *t,
	const struct causes_rule *rule, const struct causes_series *s,
	struct causes_list *list)
{
	struct causes_held ref, arm;
	struct causes_found *f;
	double shift, weight;

	causes_held_make(t, s, false, &ref);
	causes_held_make(t, s, true, &arm);
	if (ref.n == 0 || arm.n == 0)
		return;
	if (ref.is_settled && arm.is_settled) {
		if (causes_is_same(ref.v[0].f, arm.v[0].f))
			return;
	} else if (!(ref.is_settled || arm.is_settled) ||
		   rule->factor != FACTOR_PLACEMENT) {
		return; /* a text that changes all the time is of its own making */
	}
	shift = settled_shift(
		t, s, ref.is_settled ? ref.v[0].f : arm.v[0].f, !ref.is_settled);
	weight = weight_of(t, s);
	if (!(shift >= SETTLED_SHIFT_MIN_FRAC) || weight < BUSY_MIN_FRAC ||
		stayed(t, s))
		return;
	f = found_add(list, rule, s);
	f->held_ref = ref;
	f->held_arm = arm;
	f->ref = held_number(&ref);
	f->arm = held_number(&arm);
	f->effect = shift * weight;
}

void causes_differ(const struct causes_table *t, struct causes_list *ret_list)
{
	struct causes_list l = { .n = 0 };
	size_t i, k;

	for (i = 0; i < causes_rules_len; i++)
		for (k = 0; k < t->n_series; k++)
			if (causes_rules[i].measure == CAUSES_SETTLED &&
				t->series[k].key == causes_rules[i].key)
				settled_differs(t, &causes_rules[i], &t->series[k], &l);
	numbers_differ(t, &l);
	*ret_list = l;
}

bool causes_cost_find(const struct causes_table *t, struct causes_found *ret_found)
{
	static const struct causes_rule rule = {
		.key = FACT_BUSY_NS, .measure = CAUSES_COST, .factor = FACTOR_SAMPLING
	};
	double ref = t->a->arms[t->ref].cpu_ns_per_pkt;
	double arm = t->a->arms[t->arm].cpu_ns_per_pkt;
	size_t i;

	if (!samples(&t->run->arms[t->arm]) || shift_sign(t) >= 0 || !(arm > ref))
		return false;
	for (i = 0; i < t->a->n_shifts; i++)
		if (t->a->shifts[i].arm == t->arm && t->a->shifts[i].ref == t->ref &&
			t->a->shifts[i].consistency == CONSISTENCY_COST)
			break;
	if (i == t->a->n_shifts)
		return false;
	*ret_found = (struct causes_found){ .rule = &rule,
		.factor = rule.factor,
		.ref = ref,
		.arm = arm,
		.effect = 1 };
	return true;
}
