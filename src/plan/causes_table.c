/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The facts of two arms side by side: which trials, which facts, which numbers. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "plan/analysis_private.h"
#include "plan/causes_private.h"
#include "plan/minisweep.h"

/* From this part of the block's own knee on a trial tells why the knee is there. */
#define NEAR_KNEE_FRAC 0.85
#define SETTLED_FRAC   0.70
/* Fewer events than this make no ratio. */
#define BATCH_MIN_PER_S 50

static void picks_add(struct causes_table *t, const struct analysis_minisweep *m,
	size_t pair, bool is_arm)
{
	size_t i;

	for (i = 0; i < m->n_trials; i++) {
		const struct trial *trial = t->a->grid[m->first_trial + i];

		if (!trial->valid || trial->facts.n == 0)
			continue;
		t->picks =
			xgrow(t->picks, t->n_picks, &t->cap_picks, sizeof(*t->picks));
		t->picks[t->n_picks++] = (struct causes_pick){
			.t = trial,
			.pair = pair,
			.is_arm = is_arm,
			.near_knee = minisweep_is_usable(trial) &&
				     trial->spec.rate_pps >=
					     NEAR_KNEE_FRAC * m->fit.knee_pps,
		};
	}
}

static void picks_make(struct causes_table *t)
{
	size_t i;

	for (i = 0; i < t->a->n_minisweeps; i++) {
		const struct analysis_minisweep *m = &t->a->minisweeps[i], *ref;

		if (m->arm != t->arm || m->fit.kind != HINGE_EXACT)
			continue;
		ref = analysis_exact_in(t->a, m->block, t->ref);
		if (ref == NULL)
			continue;
		picks_add(t, ref, t->n_pairs, false);
		picks_add(t, m, t->n_pairs, true);
		t->n_pairs++;
	}
}

/* The series of a fact, made where it is new. Trials list their facts in one order, so
 * it is mostly the one after the last that was asked for: hint. */
static size_t series_at(struct causes_table *t, const struct fact *f, size_t hint)
{
	struct causes_series *s;
	size_t i;

	for (i = 0; i < t->n_series; i++) {
		s = &t->series[(hint + i) % t->n_series];
		if (s->key == f->key && strcmp(s->of, f->of) == 0)
			return (hint + i) % t->n_series;
	}
	t->series = xgrow(t->series, t->n_series, &t->cap_series, sizeof(*t->series));
	s = &t->series[t->n_series];
	s->key = f->key;
	memcpy(s->of, f->of, sizeof(s->of));
	s->facts = xcalloc(t->n_picks, sizeof(*s->facts));
	return t->n_series++;
}

void causes_table_make(const struct run *run, const struct analysis *a, uint32_t ref,
	uint32_t arm, struct causes_table *ret_table)
{
	struct causes_table t = { .run = run, .a = a, .ref = ref, .arm = arm };
	size_t i, k;

	picks_make(&t);
	for (i = 0; i < t.n_picks; i++) {
		const struct facts *facts = &t.picks[i].t->facts;
		size_t at = 0;

		for (k = 0; k < facts->n; k++) {
			at = series_at(&t, &facts->f[k], at);
			t.series[at++].facts[i] = &facts->f[k];
		}
	}
	*ret_table = t;
}

void causes_table_done(struct causes_table *t)
{
	size_t i;

	for (i = 0; i < t->n_series; i++)
		free(t->series[i].facts);
	free(t->series);
	free(t->picks);
	*t = (struct causes_table){ 0 };
}

const struct causes_series *causes_series_find(
	const struct causes_table *t, enum fact_key key, const char *of)
{
	size_t i;

	for (i = 0; i < t->n_series; i++)
		if (t->series[i].key == key && strcmp(t->series[i].of, of) == 0)
			return &t->series[i];
	return NULL;
}

/* Between the edges at which the fact was read. What is a CPU's goes on through the
 * drain; a thread has nothing to do in it. */
static double time_ns(const struct trial *t, enum fact_key key)
{
	enum fact_scope scope = fact_info(key)->scope;

	if (scope == FACT_THREAD || scope == FACT_PROCESS || t->n_cpus == 0 ||
		t->cpus[0].wall_ns == 0)
		return (double)t->spec.duration_ns;
	return (double)t->cpus[0].wall_ns;
}

static double sum_of_key(const struct facts *facts, enum fact_key key)
{
	double sum = 0;
	size_t i;

	for (i = 0; i < facts->n; i++)
		if (facts->f[i].key == key)
			sum += facts->f[i].value;
	return sum;
}

double causes_value(const struct causes_table *t, const struct causes_series *s,
	size_t pick, enum causes_measure measure)
{
	const struct fact *f = s->facts[pick];
	const struct trial *trial = t->picks[pick].t;
	double ns, per_s;

	if (f == NULL || f->text != NULL || !isfinite(f->value))
		return (double)NAN;
	ns = time_ns(trial, s->key);
	if (!(ns > 0))
		return (double)NAN;
	per_s = f->value * (double)NS_PER_S / ns;
	switch (measure) {
	case CAUSES_SETTLED:
	case CAUSES_LEVEL:
		return f->value;
	case CAUSES_SHARE:
		return f->value / sum_of_key(&trial->facts, s->key);
	case CAUSES_TIME:
		return fmin(1, f->value / ns);
	case CAUSES_RATE:
		return per_s;
	case CAUSES_BATCH:
		return per_s < BATCH_MIN_PER_S ? (double)NAN
					       : analysis_packets(trial) / f->value;
	case CAUSES_COST:
		break;
	}
	return (double)NAN;
}

double causes_block_value(const struct causes_table *t, const struct causes_series *s,
	enum causes_measure measure, size_t pair, bool is_arm)
{
	struct values v = { 0 };
	double median;
	size_t i;

	for (i = 0; i < t->n_picks; i++)
		if (t->picks[i].near_knee && t->picks[i].pair == pair &&
			t->picks[i].is_arm == is_arm)
			values_add(&v, causes_value(t, s, i, measure));
	median = values_median(&v);
	values_done(&v);
	return median;
}

double causes_arm_value(const struct causes_table *t, const struct causes_series *s,
	enum causes_measure measure, bool is_arm)
{
	struct values v = { 0 };
	double median;
	size_t pair;

	for (pair = 0; pair < t->n_pairs; pair++)
		values_add(&v, causes_block_value(t, s, measure, pair, is_arm));
	median = values_median(&v);
	values_done(&v);
	return median;
}

double causes_arm_pps(const struct causes_table *t, bool is_arm)
{
	struct values v = { 0 };
	double median;
	size_t i;

	for (i = 0; i < t->n_picks; i++)
		if (t->picks[i].near_knee && t->picks[i].is_arm == is_arm)
			values_add(&v, analysis_packets(t->picks[i].t) *
					       (double)NS_PER_S /
					       (double)t->picks[i].t->spec.duration_ns);
	median = values_median(&v);
	values_done(&v);
	return median;
}

bool causes_is_same(const struct fact *x, const struct fact *y)
{
	if (x->text != NULL || y->text != NULL)
		return x->text != NULL && y->text != NULL &&
		       strcmp(x->text, y->text) == 0;
	return !(x->value < y->value) && !(x->value > y->value);
}

static void held_add(struct causes_held *h, const struct fact *f)
{
	size_t i;

	h->n_trials++;
	for (i = 0; i < h->n; i++)
		if (causes_is_same(h->v[i].f, f))
			break;
	if (i == CAUSES_HELD_MAX)
		return;
	if (i == h->n) {
		h->v[i].f = f;
		h->n++;
	}
	h->v[i].n_trials++;
}

void causes_held_make(const struct causes_table *t, const struct causes_series *s,
	bool is_arm, struct causes_held *ret_held)
{
	struct causes_held h = { .n = 0 };
	size_t i, k;

	for (i = 0; i < t->n_picks; i++) {
		const struct fact *f = s->facts[i];

		if (t->picks[i].is_arm == is_arm && f != NULL &&
			(f->text != NULL || isfinite(f->value)))
			held_add(&h, f);
	}
	/* The most frequent to the front; of two alike the one seen first. */
	for (i = 1; i < h.n; i++)
		for (k = i; k > 0 && h.v[k].n_trials > h.v[k - 1].n_trials; k--) {
			const struct fact *f = h.v[k].f;
			size_t n = h.v[k].n_trials;

			h.v[k] = h.v[k - 1];
			h.v[k - 1].f = f;
			h.v[k - 1].n_trials = n;
		}
	h.is_settled =
		h.n > 0 && (double)h.v[0].n_trials >= SETTLED_FRAC * (double)h.n_trials;
	*ret_held = h;
}
