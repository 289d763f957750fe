/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Encodes perf events from what sysfs says of their PMU. */
#include "config.h"

#include "os/perf_sysfs.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "os/perf_open.h"
#include "os/sysfile.h"

#define PATH_LEN  320
#define TERMS_LEN 512
#define NAME_LEN  64
#define UNIT_LEN  32
#define WORD_BITS 64

struct encoding {
	int root_fd;
	const char *pmu;
	struct perf_event_attr attr;
	char unit[UNIT_LEN];
	double scale;
};

/* 0, -ENOENT where there is no such file, or another -errno. */
static int pmu_file(const struct encoding *e, const char *folder, const char *name,
	const char *suffix, char *buf, size_t len)
{
	char path[PATH_LEN];
	int n = snprintf(path, sizeof(path), PERF_SYSFS_DEVICES "/%s/%s%s%s", e->pmu,
		folder, name, suffix);

	/* Names come from the command line, and stay within their folder. */
	if (n >= (int)sizeof(path) || strchr(name, '/') != NULL || name[0] == '.')
		return -ENOENT;
	return sysfile_line(e->root_fd, path, buf, len);
}

/* NULL: no such word. */
static uint64_t *config_word(struct perf_event_attr *attr, const char *name, size_t len)
{
	static const struct {
		const char *name;
		size_t at;
	} words[] = {
		{ "config", offsetof(struct perf_event_attr, config) },
		{ "config1", offsetof(struct perf_event_attr, config1) },
		{ "config2", offsetof(struct perf_event_attr, config2) },
	};
	size_t i;

	for (i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strlen(words[i].name) == len &&
			strncmp(words[i].name, name, len) == 0)
			return (uint64_t *)(void *)((char *)attr + words[i].at);
	return NULL;
}

/* The value's bits, lowest first, into the places of the list; those that were set by
 * an earlier term are cleared. False: it needs more of them. */
static bool bits_put(const struct cpulist *places, uint64_t value, uint64_t *word)
{
	size_t i;

	for (i = 0; i < places->n; i++) {
		uint64_t bit = UINT64_C(1) << places->ids[i];

		*word = (value & 1) != 0 ? *word | bit : *word & ~bit;
		value >>= 1;
	}
	return value == 0;
}

/* format: "config1:1,6-10,44". */
static int format_put(struct encoding *e, const char *term, const char *format,
	uint64_t value, struct sp_err *err)
{
	size_t len = strcspn(format, ":");
	uint64_t *word = config_word(&e->attr, format, len);
	struct cpulist places = { 0 };
	bool is_sound, fits = false;
	char list[256];

	(void)snprintf(
		list, sizeof(list), "%s", format[len] == ':' ? format + len + 1 : "");
	is_sound = word != NULL && cpulist_parse(list, &places) && places.n > 0 &&
		   places.ids[places.n - 1] < WORD_BITS;
	if (is_sound)
		fits = bits_put(&places, value, word);
	cpulist_done(&places);
	if (!is_sound)
		return sp_err_set(err, SP_EFORMAT,
			"the kernel's format of '%s' of the PMU %s is not understood: "
			"'%s'",
			term, e->pmu, format);
	if (!fits)
		return sp_err_set(err, SP_EUSAGE,
			"0x%llx is too large for '%s' of the PMU %s (%s)",
			(unsigned long long)value, term, e->pmu, format);
	return 0;
}

/* As perf reads it: hexadecimal with 0x in front, else decimal. */
static bool number_parse(const char *text, uint64_t *ret)
{
	bool is_hex = text[0] == '0' && (text[1] == 'x' || text[1] == 'X');
	char *end;

	if (!isxdigit((unsigned char)text[is_hex ? 2 : 0]))
		return false;
	errno = 0;
	*ret = strtoull(text, &end, is_hex ? 16 : 10);
	return errno == 0 && *end == '\0';
}

static int term_put(
	struct encoding *e, const char *name, const char *value, struct sp_err *err)
{
	uint64_t number = 1, *word = config_word(&e->attr, name, strlen(name));
	char format[256];

	/* "?" is for the caller to fill in: an address, a core. */
	if (value != NULL && !number_parse(value, &number))
		return sp_err_set(err, SP_EUSAGE,
			"'%s' of the PMU %s needs a number, not '%s'", name, e->pmu,
			value);
	if (word != NULL) {
		*word = number;
		return 0;
	}
	if (strcmp(name, "period") == 0) {
		e->attr.sample_period = number;
		return 0;
	}
	if (pmu_file(e, "format/", name, "", format, sizeof(format)) != 0)
		return sp_err_set(err, SP_EENV,
			"the PMU %s has neither an event nor a term '%s' here (see "
			"/" PERF_SYSFS_DEVICES "/%s)",
			e->pmu, name, e->pmu);
	return format_put(e, name, format, number, err);
}

static int terms_put(
	struct encoding *e, const char *terms, bool may_name, struct sp_err *err);

/* An event's own file holds terms; its unit and scale are beside it. */
static int event_put(
	struct encoding *e, const char *name, const char *terms, struct sp_err *err)
{
	char text[64], *end;
	double scale;

	if (pmu_file(e, "events/", name, ".unit", text, sizeof(text)) == 0)
		(void)snprintf(e->unit, sizeof(e->unit), "%.*s", UNIT_LEN - 1, text);
	if (pmu_file(e, "events/", name, ".scale", text, sizeof(text)) == 0) {
		scale = strtod(text, &end);
		if (end == text || *end != '\0' || !isfinite(scale) || scale <= 0)
			return sp_err_set(err, SP_EFORMAT,
				"the kernel's scale of '%s' of the PMU %s is no number "
				"above 0: '%s'",
				name, e->pmu, text);
		e->scale = scale;
	}
	return terms_put(e, terms, false, err);
}

static int one_put(
	struct encoding *e, const char *term, bool may_name, struct sp_err *err)
{
	char name[NAME_LEN], terms[TERMS_LEN];
	const char *value = strchr(term, '=');
	size_t len = value != NULL ? (size_t)(value - term) : strlen(term);

	if (len == 0 || len >= sizeof(name))
		return sp_err_set(err, SP_EUSAGE, "'%s' is no term of an event", term);
	memcpy(name, term, len);
	name[len] = '\0';
	if (value == NULL && may_name &&
		pmu_file(e, "events/", name, "", terms, sizeof(terms)) == 0)
		return event_put(e, name, terms, err);
	return term_put(e, name, value != NULL ? value + 1 : NULL, err);
}

/* may_name: an event may be among them; a file of events/ has terms only. */
static int terms_put(
	struct encoding *e, const char *terms, bool may_name, struct sp_err *err)
{
	char copy[TERMS_LEN], *rest = copy, *term;
	int rc = 0;

	if (strlen(terms) >= sizeof(copy))
		return sp_err_set(err, SP_EUSAGE,
			"an event of the PMU %s has more "
			"than %d bytes of terms",
			e->pmu, TERMS_LEN - 1);
	memcpy(copy, terms, strlen(terms) + 1);
	while (rc == 0 && (term = strsep(&rest, ",")) != NULL)
		rc = one_put(e, term, may_name, err);
	return rc;
}

int perf_sysfs_encode(int root_fd, const char *pmu, const char *terms_or_event,
	struct perf_event_attr *attr, char *ret_unit, size_t unit_len,
	double *ret_scale, struct sp_err *err)
{
	struct encoding e = { .root_fd = root_fd, .pmu = pmu, .scale = 1 };
	char path[PATH_LEN];
	long type;
	int n = snprintf(path, sizeof(path), PERF_SYSFS_DEVICES "/%s/type", pmu), rc;

	if (n >= (int)sizeof(path) || strchr(pmu, '/') != NULL || pmu[0] == '.' ||
		sysfile_long(root_fd, path, &type) != 0 || type < 0 ||
		type > (long)UINT32_MAX)
		return sp_err_set(err, SP_EENV,
			"there is no PMU '%s' here (ls /" PERF_SYSFS_DEVICES ")", pmu);
	perf_attr_init(&e.attr, (uint32_t)type, 0);
	rc = terms_put(&e, terms_or_event, true, err);
	if (rc != 0)
		return rc;
	*attr = e.attr;
	if (ret_unit != NULL)
		(void)snprintf(ret_unit, unit_len, "%s", e.unit);
	if (ret_scale != NULL)
		*ret_scale = e.scale;
	return 0;
}
