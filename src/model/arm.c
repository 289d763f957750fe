/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Arms: parse and classify. */
#include "config.h"

#include "model/arm.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

#define ARM_HZ_MAX 100000

static const struct {
	const char *word;
	enum arm_kind kind;
	bool takes_hz;
} arm_rows[] = {
	{ "off", ARM_OFF, false },
	{ "again", ARM_OFF, false },
	{ "attach", ARM_ATTACH, false },
	{ "count", ARM_COUNT, false },
	{ "sample", ARM_SAMPLE, true },
	{ "perf", ARM_PERF, true },
	{ "profiler", ARM_PROFILER, false },
	{ "wrap", ARM_WRAP, false },
};

#define N_ROWS (sizeof(arm_rows) / sizeof(arm_rows[0]))

int arm_parse(const char *s, struct arm *ret_arm, struct sp_err *err)
{
	size_t len = strcspn(s, "@");
	struct arm a = { .hz = 0 };
	uint64_t hz = 0;
	size_t i;

	for (i = 0; i < N_ROWS; i++)
		if (strlen(arm_rows[i].word) == len &&
			strncmp(arm_rows[i].word, s, len) == 0)
			break;
	if (i == N_ROWS || (s[len] == '@') != arm_rows[i].takes_hz ||
		strlen(s) >= sizeof(a.name))
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not an arm: use off, again, attach, count, sample@HZ, "
			"perf@HZ, profiler or wrap",
			s);
	if (arm_rows[i].takes_hz) {
		if (units_u64_parse(s + len + 1, 1, ARM_HZ_MAX, &hz, err) != 0)
			return sp_err_push(err, "arm '%s'", s);
		if (s[len + 1] == '0') /* an arm has one name */
			return sp_err_set(err, SP_EUSAGE,
				"arm '%s': write the rate without leading zeros", s);
	}
	a.kind = arm_rows[i].kind;
	a.hz = (double)hz;
	(void)snprintf(a.name, sizeof(a.name), "%s", s);
	*ret_arm = a;
	return 0;
}

struct arm arm_force_make(const struct arm *base, enum factor factor)
{
	struct arm a = *base;

	/* The longest names of both fit. */
	(void)snprintf(a.name, sizeof(a.name), "%.*s+%s", ARM_NAME_MAX - 16, base->name,
		factor_name(factor));
	a.force = (struct arm_force){ .is_forced = true, .factor = factor };
	return a;
}

bool arm_force_add(struct arm *a, const char *of, const char *value, double number)
{
	struct arm_force_part *p = &a->force.parts[a->force.n_parts];

	if (a->force.n_parts == ARM_FORCE_PARTS_MAX)
		return false;
	(void)snprintf(p->of, sizeof(p->of), "%s", of);
	(void)snprintf(p->value, sizeof(p->value), "%s", value != NULL ? value : "");
	p->number = number;
	a->force.n_parts++;
	return true;
}

bool arm_force_is_launch(const struct arm_force *f)
{
	size_t i;

	for (i = 0; i < f->n_parts; i++)
		if (f->parts[i].of[0] != '\0' || f->parts[i].value[0] == '\0')
			return false;
	return f->factor == FACTOR_LAUNCH && f->n_parts > 0;
}

int arm_name_parse(const char *s, struct arm *ret_arm, struct sp_err *err)
{
	const char *plus = strchr(s, '+');
	char name[ARM_NAME_MAX];
	struct arm base;
	int factor, rc;

	if (plus == NULL)
		return arm_parse(s, ret_arm, err);
	factor = factor_parse(plus + 1);
	if (factor < 0 || strlen(s) >= sizeof(name))
		return sp_err_set(err, SP_EUSAGE, "'%s' is not an arm", s);
	(void)snprintf(name, sizeof(name), "%.*s", (int)(plus - s), s);
	rc = arm_parse(name, &base, err);
	if (rc == 0)
		*ret_arm = arm_force_make(&base, (enum factor)factor);
	return rc;
}

int arm_list_parse(
	const char *s, struct arm **ret_arms, size_t *ret_n, struct sp_err *err)
{
	char *copy = xstrdup(s), *rest = copy, *word;
	struct arm *arms = NULL;
	size_t n = 0, cap = 0, i;
	int rc = 0;

	while (rc == 0 && (word = strsep(&rest, ",")) != NULL) {
		arms = xgrow(arms, n, &cap, sizeof(*arms));
		rc = arm_parse(word, &arms[n], err);
		for (i = 0; rc == 0 && i < n; i++)
			if (strcmp(arms[i].name, arms[n].name) == 0)
				rc = sp_err_set(err, SP_EUSAGE,
					"arm '%s' is named twice", word);
		n++;
	}
	free(copy);
	if (rc != 0) {
		free(arms);
		return rc;
	}
	*ret_arms = arms;
	*ret_n = n;
	return 0;
}

bool arm_is_sampling(const struct arm *a)
{
	return a->kind == ARM_SAMPLE;
}

bool arm_is_outside(const struct arm *a)
{
	return a->kind == ARM_PERF || a->kind == ARM_PROFILER || a->kind == ARM_WRAP;
}
