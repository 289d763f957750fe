/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Sweep's presets, and its words as JSON. */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "cli/sweep_options_private.h"

#define RATE_MAX_PPS      1e9
#define SELFTEST_N_BLOCKS 20

struct preset {
	const char *name;
	const char *arms;
	uint32_t n_blocks;
	uint64_t trial_ns, profile_trial_ns;
	size_t n_rel_rates;
	double rel_rates[6];
};

static const struct preset presets[] = {
	{ "smoke", "off,sample@997", 6, 300 * NS_PER_MS, 0, 5,
		{ 0.72, 0.88, 1.05, 1.17, 1.45 } },
	{ "default", "off,sample@997", 8, 400 * NS_PER_MS, 2 * NS_PER_S, 5,
		{ 0.72, 0.88, 1.05, 1.17, 1.45 } },
	{ "dose", "off,sample@249,sample@997,sample@3989", 8, 500 * NS_PER_MS,
		2 * NS_PER_S, 5, { 0.72, 0.88, 1.05, 1.17, 1.45 } },
	{ "full", "off,sample@997", 12, NS_PER_S, 2 * NS_PER_S, 6,
		{ 0.60, 0.75, 0.90, 1.05, 1.17, 1.45 } },
};

int sweep_u32_parse(
	const char *arg, uint64_t lo, uint64_t hi, uint32_t *ret, struct sp_err *err)
{
	uint64_t v = 0;
	int rc = units_u64_parse(arg, lo, hi, &v, err);

	if (rc == 0)
		*ret = (uint32_t)v;
	return rc;
}

int sweep_rates_parse(
	const char *s, double frame_bytes, struct sweep_config *c, struct sp_err *err)
{
	char *copy = xstrdup(s), *rest = copy, *word;
	size_t cap = 0;
	size_t i;
	int rc = 0;

	while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
		struct units_rate r = { 0 };

		rc = units_rate_parse(word, &r, err);
		c->rates_pps =
			xgrow(c->rates_pps, c->n_rates, &cap, sizeof(*c->rates_pps));
		c->rates_pps[c->n_rates++] = units_rate_pps(r, frame_bytes);
		for (i = 0; rc == 0 && i + 1 < c->n_rates; i++)
			if (fabs(c->rates_pps[i] / c->rates_pps[c->n_rates - 1] - 1) <
				1e-9)
				rc = sp_err_set(
					err, SP_EUSAGE, "'%s' is there twice", word);
		if (rc == 0 && c->rates_pps[c->n_rates - 1] > RATE_MAX_PPS)
			rc = sp_err_set(err, SP_EUSAGE,
				"'%s' is more than a thousand million packets/s", word);
		if (rc == 0 && c->n_rates > 24)
			rc = sp_err_set(err, SP_EUSAGE, "more than 24 rates");
	}
	free(copy);
	return rc != 0 ? sp_err_push(err, "--rates") : 0;
}

/* --arms, or what the commands of outside profilers mean without it; NULL: neither. */
static const char *arms_asked(const struct parse_state *s)
{
	const struct sweep_options *o = s->o;

	if (s->arms != NULL)
		return s->arms;
	if (o->profiler != NULL)
		return o->wrap != NULL ? "off,profiler,wrap" : "off,profiler";
	return o->wrap != NULL ? "off,wrap" : NULL;
}

/* NULL: there is none of that name. */
static const struct preset *preset_find(const char *name)
{
	size_t i;

	for (i = 0; i < sizeof(presets) / sizeof(presets[0]); i++)
		if (strcmp(presets[i].name, name) == 0)
			return &presets[i];
	return NULL;
}

int sweep_effort_apply(struct parse_state *s)
{
	struct sweep_config *c = &s->o->config;
	const char *name = s->preset != NULL ? s->preset : "default";
	const struct preset *found = preset_find(name);
	struct preset p;
	int rc = 0;

	if (found == NULL)
		return sp_err_set(s->err, SP_EUSAGE,
			"--preset: '%s' is not smoke, default, dose or full", name);
	p = *found;
	if (s->use == SWEEP_USE_SELFTEST) {
		p.arms = "off,again";
		p.n_blocks = SELFTEST_N_BLOCKS;
	}
	c->n_blocks = p.n_blocks;
	c->trial_ns = p.trial_ns;
	c->profile_trial_ns = p.profile_trial_ns;
	c->n_rel_rates = p.n_rel_rates;
	memcpy(c->rel_rates, p.rel_rates, sizeof(p.rel_rates));
	if (s->blocks != NULL)
		rc = sweep_u32_parse(s->blocks, 1, 1000, &c->n_blocks, s->err);
	if (rc != 0)
		return sp_err_push(s->err, "--blocks");
	if (s->trial_time != NULL)
		rc = units_time_parse(s->trial_time, &c->trial_ns, s->err);
	if (rc == 0 && (c->trial_ns < 50 * NS_PER_MS || c->trial_ns > 3600 * NS_PER_S))
		rc = sp_err_set(s->err, SP_EUSAGE, "a trial takes 50ms to 1h");
	if (rc != 0)
		return sp_err_push(s->err, "--trial-time");
	if (s->margin != NULL)
		rc = units_frac_parse(s->margin, &c->margin_frac, s->err);
	if (rc == 0 && !(c->margin_frac > 0 && c->margin_frac < 1))
		rc = sp_err_set(s->err, SP_EUSAGE, "it lies between 0 and 1");
	if (rc != 0)
		return sp_err_push(s->err, "--%s", s->margin_option);
	s->o->arms_by_name = arms_asked(s) != NULL;
	rc = arm_list_parse(s->o->arms_by_name ? arms_asked(s) : p.arms, &s->o->arms,
		&s->o->n_arms, s->err);
	return rc != 0 ? sp_err_push(s->err, "--arms") : 0;
}

/* JSON has no bytes: a word that is not UTF-8, such as a file's name, goes in hex. */
static json_t *word_to_json(const char *word)
{
	json_t *v = json_string(word);
	size_t i, n = strlen(word);
	char *hex;

	if (v != NULL)
		return v;
	hex = xcalloc(2 * n + 1, 1);
	for (i = 0; i < n; i++)
		(void)snprintf(hex + 2 * i, 3, "%02x", (unsigned char)word[i]);
	v = json_pack("{s:s}", "hex", hex);
	free(hex);
	return v;
}

/* NULL: not a word. The caller frees it. */
static char *word_from_json(const json_t *v)
{
	const char *hex = json_string_value(json_object_get(v, "hex"));
	size_t i, n = hex != NULL ? strlen(hex) / 2 : 0;
	unsigned byte;
	char *word;

	if (json_is_string(v))
		return xstrdup(json_string_value(v));
	if (hex == NULL)
		return NULL;
	word = xcalloc(n + 1, 1);
	for (i = 0; i < n; i++)
		if (sscanf(hex + 2 * i, "%2x", &byte) == 1)
			word[i] = (char)byte;
	return word;
}

char *sweep_argv_to_json(int argc, char **argv)
{
	json_t *a = json_array();
	char *s;
	int i;

	for (i = 1; i < argc; i++)
		(void)json_array_append_new(a, word_to_json(argv[i]));
	s = json_dumps(a, JSON_COMPACT);
	json_decref(a);
	return s;
}

int sweep_argv_from_json(
	const char *json, int *ret_argc, char ***ret_argv, struct sp_err *err)
{
	json_t *a = json_loads(json, 0, NULL);
	size_t i, n = json_array_size(a);
	bool is_whole = json_is_array(a);
	char **argv = xcalloc(n + 2, sizeof(*argv));

	argv[0] = xstrdup("satprof sweep");
	for (i = 0; is_whole && i < n; i++) {
		argv[i + 1] = word_from_json(json_array_get(a, i));
		is_whole = argv[i + 1] != NULL;
	}
	json_decref(a);
	if (!is_whole) {
		for (i = 0; i <= n; i++)
			free(argv[i]);
		free(argv);
		return sp_err_set(
			err, SP_EFORMAT, "the run's options are not readable");
	}
	*ret_argc = (int)n + 1;
	*ret_argv = argv;
	return 0;
}
