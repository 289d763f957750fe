/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Runs with planted facts. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <math.h>
#include <string.h>

#include "causerun.h"
#include "synthrun.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define JITTER  0.02

/* What no test is about: like in both arms. */
static const struct planted background[] = {
	{ FACT_THREAD_CPU, "fwd", 1, 1, NULL, NULL },
	{ FACT_THREAD_NODE, "fwd", 0, 0, NULL, NULL },
	{ FACT_CPUS_ALLOWED, "fwd", 0, 0, "0-1", "0-1" },
	{ FACT_RUN_NS, "fwd", 0.95, 0.95, NULL, NULL },
	{ FACT_WAIT_NS, "fwd", 0.01, 0.01, NULL, NULL },
	{ FACT_INVOLUNTARY, "fwd", 20, 20, NULL, NULL },
	{ FACT_OTHERS_NS, "1", 0.01, 0.01, NULL, NULL },
	{ FACT_OTHERS_TOP, "1", 0, 0, "Web Content 1 %", "Web Content 1 %" },
	{ FACT_IRQ_TIMER, "1", 250, 250, NULL, NULL },
	{ FACT_CLOCK_SOURCE, "", 0, 0, "tsc", "tsc" },
};

/* What the fact's number is in a trial of 0.5 s, whose CPUs are read 0.55 s apart. */
static double amount(enum fact_key key, double value)
{
	const struct fact_info *info = fact_info(key);
	bool is_long = info->scope == FACT_CPU || info->scope == FACT_HOST;

	if (info->kind != FACT_COUNT)
		return value;
	return value * (is_long ? 0.55 : 0.5) *
	       (strcmp(info->unit, "ns") == 0 ? 1e9 : 1);
}

static void fact_plant(struct trial *t, const struct planted *p)
{
	bool is_arm = t->spec.arm > 0;
	const char *text = is_arm ? p->arm_text : p->ref_text;
	double v = amount(p->key, is_arm ? p->arm : p->ref);

	/* Counts are never quite alike; the median of one trial and the next is. */
	if (fact_info(p->key)->kind == FACT_COUNT)
		v *= 1 + (t->spec.id % 2 > 0 ? JITTER : -JITTER);
	if (text != NULL)
		facts_add_text(&t->facts, p->key, p->of, text);
	else if (fact_info(p->key)->kind != FACT_TEXT && isfinite(v))
		facts_add(&t->facts, p->key, p->of, v);
}

static bool is_there(const struct planted *list, size_t n, const struct planted *p)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (list[i].key == p->key && strcmp(list[i].of, p->of) == 0)
			return true;
	return false;
}

void causerun_plant(struct run *run, const struct planted *list, size_t n)
{
	size_t i, k;

	for (i = 0; i < run->n_trials; i++) {
		for (k = 0; k < N_OF(background); k++)
			if (!is_there(list, n, &background[k]))
				fact_plant(&run->trials[i], &background[k]);
		for (k = 0; k < n; k++)
			fact_plant(&run->trials[i], &list[k]);
	}
}

struct run *causerun_run(const char *arm, double ln_shift)
{
	struct synth s = synth_default();

	s.arms[1].name = arm;
	s.arms[1].ln_shift = ln_shift;
	s.sweep_sd = 0.005;
	return synth_run(&s);
}

struct answer causerun_answer(
	const char *arm, double ln_shift, const struct planted *list, size_t n)
{
	struct answer w = { .run = causerun_run(arm, ln_shift) };

	causerun_plant(w.run, list, n);
	analysis_make(w.run, &w.a);
	w.n = w.a.shifts[0].n_causes;
	w.c = w.a.shifts[0].causes;
	return w;
}

void causerun_done(struct answer *w)
{
	analysis_done(&w->a);
	run_free(w->run);
}

void causerun_assert_why(const char *arm, double ln_shift, const struct planted *list,
	size_t n, enum factor factor, const char *evidence)
{
	struct answer w = causerun_answer(arm, ln_shift, list, n);

	if (factor == N_FACTORS) {
		if (w.n > 0)
			fail_msg("unasked: %s", w.c[0].evidence);
	} else {
		if (w.n == 0)
			fail_msg("not found: %s", evidence);
		assert_string_equal(w.c[0].evidence, evidence);
		assert_int_equal(w.c[0].factor, factor);
		assert_int_equal(w.n, 1);
		assert_int_equal(w.c[0].state, CAUSE_OBSERVED);
	}
	causerun_done(&w);
}
