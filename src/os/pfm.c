/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event names: libpfm4, then raw codes, then the kernel's generic names. */
#include "config.h"

#include "os/pfm.h"

#include <ctype.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <perfmon/pfmlib_perf_event.h>

#include "base/mem.h"
#include "os/perf_open.h"
#include "os/pfm_suggest.h"

struct generic_event {
	const char *name;
	uint32_t type;
	uint64_t config;
};

static const struct generic_event generic_events[] = {
	{ "cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES },
	{ "instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS },
	{ "cache-references", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_REFERENCES },
	{ "cache-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES },
	{ "branches", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_INSTRUCTIONS },
	{ "branch-misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_BRANCH_MISSES },
	{ "ref-cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_REF_CPU_CYCLES },
	{ "stalled-cycles-frontend", PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_STALLED_CYCLES_FRONTEND },
	{ "stalled-cycles-backend", PERF_TYPE_HARDWARE,
		PERF_COUNT_HW_STALLED_CYCLES_BACKEND },
	{ "cpu-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK },
	{ "task-clock", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_TASK_CLOCK },
	{ "page-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS },
	{ "minor-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MIN },
	{ "major-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS_MAJ },
	{ "context-switches", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CONTEXT_SWITCHES },
	{ "cpu-migrations", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS },
	{ "alignment-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_ALIGNMENT_FAULTS },
	{ "emulation-faults", PERF_TYPE_SOFTWARE, PERF_COUNT_SW_EMULATION_FAULTS },
};

#define N_GENERIC (sizeof(generic_events) / sizeof(generic_events[0]))

/* "", ":u", ":k" or ":uk" behind a name of ours. */
static bool apply_levels(const char *mods, struct perf_event_attr *attr)
{
	bool user = false, kernel = false;

	if (*mods == '\0')
		return true;
	if (*mods++ != ':' || *mods == '\0')
		return false;
	for (; *mods != '\0'; mods++) {
		if (*mods == 'u')
			user = true;
		else if (*mods == 'k')
			kernel = true;
		else
			return false;
	}
	attr->exclude_user = !user;
	attr->exclude_kernel = !kernel;
	attr->exclude_hv = !kernel;
	return true;
}

static bool encode_generic(const char *name, struct perf_event_attr *attr)
{
	size_t len = strcspn(name, ":"), i;

	for (i = 0; i < N_GENERIC; i++) {
		const struct generic_event *g = &generic_events[i];

		if (strlen(g->name) != len || strncasecmp(g->name, name, len) != 0)
			continue;
		perf_attr_init(attr, g->type, g->config);
		return apply_levels(name + len, attr);
	}
	return false;
}

/* "rHEX": config of the core PMU. */
static bool encode_raw(const char *name, struct perf_event_attr *attr)
{
	unsigned long long config;
	char *end;

	if (name[0] != 'r' || !isxdigit((unsigned char)name[1]))
		return false;
	config = strtoull(name + 1, &end, 16);
	if (end - name > 17)
		return false;
	perf_attr_init(attr, PERF_TYPE_RAW, config);
	return apply_levels(end, attr);
}

/* True when a modifier says which side of virtualisation counts. */
static bool names_guest_side(const char *name)
{
	return strcasestr(name, ":mg") != NULL || strcasestr(name, ":mh") != NULL;
}

static int encode_libpfm(const char *name, struct perf_event_attr *attr)
{
	pfm_perf_encode_arg_t arg = { .attr = attr, .size = sizeof(arg) };
	int rc;

	/* libpfm4 writes only what it knows, so the rest must be set before. */
	perf_attr_init(attr, 0, 0);
	rc = pfm_get_os_event_encoding(
		name, PFM_PLM0 | PFM_PLM3, PFM_OS_PERF_EVENT_EXT, &arg);
	if (rc == PFM_SUCCESS && !names_guest_side(name)) {
		attr->exclude_guest = 0;
		attr->exclude_host = 0;
	}
	return rc;
}

static int refuse(const char *name, int rc, struct sp_err *err)
{
	const char *ours[N_GENERIC];
	char near[PFM_NAME_MAX];
	size_t i;

	for (i = 0; i < N_GENERIC; i++)
		ours[i] = generic_events[i].name;
	if (pfm_suggest(name, ours, N_GENERIC, near, sizeof(near)))
		return sp_err_set(err, SP_EUSAGE,
			"event '%.80s' is not known here (%s); did you mean '%s'?",
			name, pfm_strerror(rc), near);
	return sp_err_set(err, SP_EUSAGE,
		"event '%.80s' is not known here (%s); 'perf list' names what is, and "
		"rHEX takes a raw code",
		name, pfm_strerror(rc));
}

int pfm_event_encode(const char *name, struct pfm_event *ret_event, struct sp_err *err)
{
	struct pfm_event ev = { .is_software = false };
	int rc = pfm_initialize(); /* again is harmless */

	if (*name == '\0' || strlen(name) >= sizeof(ev.name))
		return sp_err_set(err, SP_EUSAGE, "event name '%.40s%s' is %s", name,
			*name ? "..." : "", *name ? "too long" : "empty");
	/* The kernel's generic names first: libpfm4 may map them to a raw code of
	 * one PMU, which hybrid and virtual machines then refuse. */
	if (!encode_generic(name, &ev.attr)) {
		if (rc == PFM_SUCCESS)
			rc = encode_libpfm(name, &ev.attr);
		if (rc != PFM_SUCCESS && !encode_raw(name, &ev.attr))
			return refuse(name, rc, err);
	}
	(void)snprintf(ev.name, sizeof(ev.name), "%s", name);
	ev.is_software = ev.attr.type == PERF_TYPE_SOFTWARE ||
			 ev.attr.type == PERF_TYPE_TRACEPOINT;
	*ret_event = ev;
	return 0;
}

int pfm_list_encode(const char *list, struct pfm_event **ret_events, size_t *ret_n,
	struct sp_err *err)
{
	struct pfm_event *events = NULL;
	size_t n = 0, cap = 0, len;
	char *copy = xstrdup(list), *p = copy;
	int rc;

	for (;; p += len + 1) {
		bool is_last;

		len = strcspn(p, ",");
		is_last = p[len] == '\0';
		p[len] = '\0';
		events = xgrow(events, n, &cap, sizeof(*events));
		rc = pfm_event_encode(p, &events[n], err);
		if (rc || is_last)
			break;
		n++;
	}
	free(copy);
	if (rc) {
		free(events);
		return rc;
	}
	*ret_events = events;
	*ret_n = n + 1;
	return 0;
}
