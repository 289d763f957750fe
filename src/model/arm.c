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
