/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A cause in words: its two values, and its evidence in one line. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "plan/causes_private.h"
#include "stat/values.h"

static bool is_cpus(enum fact_key key)
{
	return key == FACT_THREAD_CPU || key == FACT_CPUS_ALLOWED;
}

/* "thread fwd", "CPU 1", "the SUT", ... */
static char *subject(const struct causes_found *f)
{
	const char *of = f->series->of;

	switch (fact_info(f->rule->key)->scope) {
	case FACT_HOST:
		return xstrdup("the machine");
	case FACT_CPU:
		return xasprintf("CPU %s", of);
	case FACT_NODE:
		return xasprintf("node %s", of);
	case FACT_PROCESS:
		return xstrdup("the SUT");
	case FACT_THREAD:
		return xasprintf("thread %s", of);
	case FACT_LINK:
		return xasprintf("interface %s", of);
	case FACT_PACKAGE:
		return xasprintf("package %s", of);
	}
	return xstrdup("");
}

/* "ran on CPU" in its two halves, for "ran on CPU 0 with off and on CPU 1 with on";
 * false where the phrase is a noun. */
static bool verb_of(enum fact_key key, const char **ret_verb, const char **ret_place)
{
	*ret_verb = "ran";
	*ret_place = "on CPU";
	if (key == FACT_THREAD_CPU)
		return true;
	*ret_place = "on node";
	if (key == FACT_THREAD_NODE)
		return true;
	*ret_verb = "is";
	if (key == FACT_LINK_NODE)
		return true;
	*ret_verb = "may run";
	*ret_place = "on CPUs";
	if (key == FACT_CPUS_ALLOWED)
		return true;
	*ret_verb = "may have memory";
	*ret_place = "of nodes";
	return key == FACT_MEMS_ALLOWED;
}

/* A text in quotes, cut; a number as it is. The caller frees it. */
static char *quoted(const struct causes_found *f, const char *text)
{
	char cut[CAUSE_VALUE_MAX];

	if (*text == '\0')
		return xstrdup("none");
	if (fact_info(f->rule->key)->kind != FACT_TEXT)
		return xstrdup(text);
	causes_text_copy(cut, sizeof(cut), text);
	return xasprintf("\"%s\"", cut);
}

/* "environment of the SUT: PATH differs", "governor: "powersave" with off, ..." */
static char *noun_evidence(const struct causes_table *t, const struct causes_found *f,
	const char *ref, const char *arm)
{
	const struct fact_info *info = fact_info(f->rule->key);
	bool is_host = info->scope == FACT_HOST;
	char *who = subject(f), *names = causes_names_differ(t, ref, arm), *text;
	char *from = quoted(f, ref), *to = quoted(f, arm);

	if (*names != '\0')
		text = xasprintf("%s of %s: %s", info->phrase, who, names);
	else
		text = xasprintf("%s%s%s: %s with %s, %s with %s", info->phrase,
			is_host ? "" : " of ", is_host ? "" : who, from,
			causes_arm_name(t, false), to, causes_arm_name(t, true));
	free(from);
	free(to);
	free(names);
	free(who);
	return text;
}

static char *traced_evidence(const struct causes_table *t, const struct causes_found *f)
{
	bool in_arm = f->held_arm.v[0].f->value > 0;

	return xasprintf("the SUT was under a tracer with %s and not with %s",
		causes_arm_name(t, in_arm), causes_arm_name(t, !in_arm));
}

/* Of masks there is always more than one CPU or node. */
static const char *plural(const char *place, size_t n)
{
	return n > 1 && place[strlen(place) - 1] != 's' ? "s" : "";
}

static char *settled_evidence(
	const struct causes_table *t, const struct causes_found *f)
{
	const char *verb, *place;
	size_t n_ref, n_arm;
	char *who, *ref, *arm, *text;

	if (f->rule->key == FACT_TRACED)
		return traced_evidence(t, f);
	who = subject(f);
	ref = causes_held_text(f, &f->held_ref, &n_ref);
	arm = causes_held_text(f, &f->held_arm, &n_arm);
	if (verb_of(f->rule->key, &verb, &place))
		text = xasprintf("%s %s %s%s %s with %s and %s%s %s with %s", who, verb,
			place, plural(place, n_ref), ref, causes_arm_name(t, false),
			place, plural(place, n_arm), arm, causes_arm_name(t, true));
	else
		text = noun_evidence(t, f, ref, arm);
	free(who);
	free(ref);
	free(arm);
	return text;
}

/* The name in "burn 47 %" or "burn"; names may have blanks. */
static size_t program_len(const char *text)
{
	size_t n = strlen(text), at;

	if (n < 4 || strcmp(text + n - 2, " %") != 0)
		return n;
	at = n - 2;
	while (at > 0 && text[at - 1] >= '0' && text[at - 1] <= '9')
		at--;
	return at > 1 && at < n - 2 && text[at - 1] == ' ' ? at - 1 : n;
}

/* What the pick says of the busiest other program there; NULL: nothing. */
static const char *top_of(const struct causes_table *t, const struct causes_series *s,
	size_t pick, bool is_arm)
{
	const struct fact *f = s->facts[pick];

	if (f == NULL || f->text == NULL || *f->text == '\0' ||
		t->picks[pick].is_arm != is_arm)
		return NULL;
	return f->text;
}

/* How many trials of the arm name it; and its median share near the knee, or NAN. */
static size_t program_count(const struct causes_table *t, const struct causes_series *s,
	bool is_arm, const char *program, double *ret_share)
{
	size_t len = program_len(program), n = 0, i;
	struct values share = { 0 };

	for (i = 0; i < t->n_picks; i++) {
		const char *text = top_of(t, s, i, is_arm);

		if (text == NULL || program_len(text) != len ||
			strncmp(text, program, len) != 0)
			continue;
		n++;
		if (t->picks[i].near_knee && text[len] != '\0')
			values_add(&share, strtod(text + len, NULL) / 100);
	}
	*ret_share = values_median(&share);
	values_done(&share);
	return n;
}

/* " (burn: 47 %)": the program that most trials of the arm name, and its share of the
 * CPU; "" where none is named. The caller frees it. */
static char *top_program(
	const struct causes_table *t, const struct causes_found *f, bool is_arm)
{
	const struct causes_series *s =
		causes_series_find(t, FACT_OTHERS_TOP, f->series->of);
	double share, best_share = (double)NAN;
	const char *best = "";
	char buf[CAUSES_NUM_LEN];
	size_t i, n, n_best = 0;

	for (i = 0; s != NULL && i < t->n_picks; i++) {
		const char *text = top_of(t, s, i, is_arm);

		if (text == NULL)
			continue;
		n = program_count(t, s, is_arm, text, &share);
		if (n > n_best) {
			n_best = n;
			best = text;
			best_share = share;
		}
	}
	if (n_best == 0)
		return xstrdup("");
	if (!isfinite(best_share))
		return xasprintf(" (%.*s)", (int)program_len(best), best);
	return xasprintf(" (%.*s: %s)", (int)program_len(best), best,
		causes_pct(buf, best_share));
}

/* "other programs took 48 % of CPU 1 with profiler (burn: 47 %), 1 % with off" */
static char *others_evidence(const struct causes_table *t, const struct causes_found *f)
{
	bool in_arm = f->arm > f->ref;
	char ref[CAUSES_NUM_LEN], arm[CAUSES_NUM_LEN];
	char *top = top_program(t, f, in_arm), *text;

	text = xasprintf("other programs took %s of CPU %s with %s%s, %s with %s%s",
		causes_pct(arm, f->arm), f->series->of, causes_arm_name(t, true),
		in_arm ? top : "", causes_pct(ref, f->ref), causes_arm_name(t, false),
		in_arm ? "" : top);
	free(top);
	return text;
}

static char *cost_evidence(const struct causes_table *t, const struct causes_found *f)
{
	char ref[CAUSES_NUM_LEN], arm[CAUSES_NUM_LEN];

	return xasprintf("at %.6g Hz the CPU time a packet is %s with %s and "
			 "%s with %s, which is what the knee lost",
		t->run->arms[t->arm].hz, causes_number(f, arm, f->arm),
		causes_arm_name(t, true), causes_number(f, ref, f->ref),
		causes_arm_name(t, false));
}

/* Sentences round a number: @ is the number, $ its object. Counts have one in common.
 */
static const struct {
	enum fact_key key;
	const char *pattern;
} patterns[] = {
	{ FACT_WAIT_NS, "thread $ waited for a CPU @ of the time" },
	{ FACT_STEAL_NS, "the hypervisor took @ of CPU $" },
	{ FACT_IDLE_DEEP_NS, "CPU $ was in deep idle states @ of the time" },
	{ FACT_THROTTLED_NS, "the control group held the SUT back @ of the time" },
	{ FACT_MEMORY_BYTES, "@ of the SUT's memory was on node $" },
	{ FACT_FREQUENCY_HZ, "CPU $ ran at @" },
};

/* The object's name may hold anything, also what stands for it. */
static char *pattern_fill(const char *pattern, const char *of, const char *number)
{
	char *text = xstrdup(""), *longer;
	const char *in;
	size_t n;

	for (;; pattern += n + 1) {
		n = strcspn(pattern, "@$");
		in = pattern[n] == '@' ? number : pattern[n] == '$' ? of : "";
		longer = xasprintf("%s%.*s%s", text, (int)n, pattern, in);
		free(text);
		text = longer;
		if (pattern[n] == '\0')
			return text;
	}
}

static char *number_sentence(const struct causes_found *f, const char *number)
{
	const char *phrase = fact_info(f->rule->key)->phrase;
	char *who, *text;
	size_t i;

	for (i = 0; i < sizeof(patterns) / sizeof(patterns[0]); i++)
		if (patterns[i].key == f->rule->key)
			return pattern_fill(patterns[i].pattern, f->series->of, number);
	who = subject(f);
	if (f->rule->measure == CAUSES_BATCH)
		text = xasprintf(
			"%s: %s packets to one of the %s", who, number, phrase);
	else if (f->rule->measure == CAUSES_RATE)
		text = xasprintf("%s: %s %s a second", who, number, phrase);
	else
		text = xasprintf("%s: %s %s", who, phrase, number);
	free(who);
	return text;
}

static char *number_evidence(const struct causes_table *t, const struct causes_found *f)
{
	char ref[CAUSES_NUM_LEN], arm[CAUSES_NUM_LEN], *text;
	char *sentence = number_sentence(f, causes_number(f, arm, f->arm));

	text = xasprintf("%s with %s, %s with %s", sentence, causes_arm_name(t, true),
		causes_number(f, ref, f->ref), causes_arm_name(t, false));
	free(sentence);
	return text;
}

/* What the cause explains and is worth a word: the node, waiting, more of the same. */
static char *also_text(const struct causes_found *f)
{
	char *text = xstrdup(""), *longer, ref[CAUSES_NUM_LEN], arm[CAUSES_NUM_LEN];
	size_t i, n;

	for (i = 0; i < f->n_also; i++) {
		const struct causes_found *x = f->also[i];

		longer = NULL;
		if (x->rule->key == FACT_THREAD_NODE) {
			char *from = causes_held_text(x, &x->held_ref, &n);
			char *to = causes_held_text(x, &x->held_arm, &n);

			longer = xasprintf("%s, node %s and node %s", text, from, to);
			free(from);
			free(to);
		} else if (x->rule->key == FACT_WAIT_NS &&
			   strcmp(x->series->of, f->series->of) == 0) {
			longer = xasprintf("%s; it waited for a CPU %s and %s of the "
					   "time",
				text, causes_pct(ref, x->ref), causes_pct(arm, x->arm));
		} else if (x->factor == FACTOR_LAUNCH) {
			longer = xasprintf(
				"%s; %s, too", text, fact_info(x->rule->key)->phrase);
		}
		if (longer == NULL)
			continue;
		free(text);
		text = longer;
	}
	return text;
}

static void value_copy(const struct causes_found *f, const struct causes_held *h,
	double value, char to[CAUSE_VALUE_MAX])
{
	enum fact_key key = f->rule->key;
	char buf[CAUSES_NUM_LEN], *held, *text;
	size_t n;

	if (f->rule->measure != CAUSES_SETTLED) {
		text = xasprintf("%s%s", causes_number(f, buf, value),
			f->rule->measure == CAUSES_RATE    ? "/s"
			: f->rule->measure == CAUSES_BATCH ? " packets"
							   : "");
		causes_text_copy(to, CAUSE_VALUE_MAX, text);
		free(text);
		return;
	}
	held = causes_held_text(f, h, &n);
	if (is_cpus(key))
		text = xasprintf(
			"cpu%s %s", n > 1 || key == FACT_CPUS_ALLOWED ? "s" : "", held);
	else if (key == FACT_THREAD_NODE || key == FACT_LINK_NODE)
		text = xasprintf("node%s %s", n > 1 ? "s" : "", held);
	else
		text = xstrdup(held);
	causes_text_copy(to, CAUSE_VALUE_MAX, text);
	free(text);
	free(held);
}

void causes_words(const struct causes_table *t, const struct causes_found *f,
	struct cause *ret_cause)
{
	struct cause c = {
		.factor = f->factor, .key = f->rule->key, .ref = f->ref, .arm = f->arm
	};
	char *text, *also, *whole;

	if (f->series != NULL)
		causes_text_copy(c.of, sizeof(c.of), f->series->of);
	value_copy(f, &f->held_ref, f->ref, c.ref_value);
	value_copy(f, &f->held_arm, f->arm, c.arm_value);
	if (f->rule->measure == CAUSES_SETTLED)
		text = settled_evidence(t, f);
	else if (f->rule->measure == CAUSES_COST)
		text = cost_evidence(t, f);
	else if (f->rule->key == FACT_OTHERS_NS)
		text = others_evidence(t, f);
	else
		text = number_evidence(t, f);
	also = also_text(f);
	whole = xasprintf("%s%s", text, also);
	causes_text_copy(c.evidence, sizeof(c.evidence), whole);
	free(whole);
	free(also);
	free(text);
	*ret_cause = c;
}
