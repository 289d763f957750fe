/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Names of events to what of them opens and really counts here. */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "observe/perf_counts_private.h"
#include "os/perf_hw.h"
#include "os/perf_open.h"

/* These happen in kernel mode, so that "user only" would count none of them. */
static bool is_kernel_only(const struct perf_event_attr *a)
{
	return a->type == PERF_TYPE_SOFTWARE &&
	       (a->config == PERF_COUNT_SW_CONTEXT_SWITCHES ||
		       a->config == PERF_COUNT_SW_CPU_MIGRATIONS);
}

static struct perf_open_request probe_request(
	const struct perf_counts *c, struct counted_event *e)
{
	struct perf_open_request req = {
		.attr = &e->pfm.attr,
		.name = e->pfm.name,
		.pid = c->rights.cpu_wide ? -1 : 0,
		.cpu = c->rights.cpu_wide ? sched_getcpu() : -1,
		.group_fd = -1,
	};

	return req;
}

/* Sets the event's state; returns the errno of a refusal. */
static int try_event(const struct perf_counts *c, struct counted_event *e)
{
	struct perf_open_request req = probe_request(c, e);
	int fd = perf_open(&req), saved = errno;

	(void)snprintf(e->name, sizeof(e->name), "%s", e->pfm.name);
	if (fd < 0 && (saved == EACCES || saved == EPERM) &&
		!e->pfm.attr.exclude_kernel && !is_kernel_only(&e->pfm.attr)) {
		e->pfm.attr.exclude_kernel = 1;
		e->pfm.attr.exclude_hv = 1;
		fd = perf_open(&req);
		saved = errno;
		(void)snprintf(e->name, sizeof(e->name), "%s:u", e->pfm.name);
	}
	if (fd < 0) {
		e->state = perf_open_state(saved);
		return saved;
	}
	(void)close(fd);
	e->state = COUNTER_OK;
	return 0;
}

/* Generic cycles and instructions have to move when this process works. */
static void check_plausible(struct counted_event *e)
{
	struct perf_open_request req = {
		.attr = &e->pfm.attr, .name = e->name, .cpu = -1, .group_fd = -1
	};
	uint64_t buf[5] = { 0 }, enabled, running;
	struct perf_group_value v = { 0 };
	size_t n = 0;
	int fd;

	if (e->state != COUNTER_OK || e->pfm.attr.type != PERF_TYPE_HARDWARE ||
		e->pfm.attr.config > PERF_COUNT_HW_INSTRUCTIONS)
		return;
	fd = perf_open(&req);
	if (fd < 0)
		return;
	if (ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) == 0) {
		perf_hw_spin_ns(PERF_COUNTS_TRY_NS);
		if (!perf_group_parse(buf, read(fd, buf, sizeof(buf)), &enabled,
			    &running, &v, 1, &n) ||
			n != 1 || !perf_hw_is_plausible(v.value, running))
			e->state = COUNTER_NOT_COUNTED;
	}
	(void)close(fd);
}

static void note_event(struct perf_counts *c, const struct counted_event *e, int saved)
{
	switch (e->state) {
	case COUNTER_OK:
	case COUNTER_ESTIMATED:
		break;
	case COUNTER_NOT_COUNTED:
		run_add_note(c->run,
			"event '%s' opens but does not count here (a virtual PMU)",
			e->name);
		break;
	case COUNTER_NOT_SUPPORTED:
		run_add_note(c->run, "event '%s' is not supported here (%s%s)", e->name,
			e->pfm.is_software ? "" : "no core PMU has it: ",
			strerrorname_np(saved));
		break;
	case COUNTER_NOT_PERMITTED:
		run_add_note(c->run,
			"event '%s' is not permitted (%s, "
			"kernel.perf_event_paranoid %d): run as root",
			e->name, strerrorname_np(saved), c->rights.paranoid);
		break;
	case COUNTER_ERROR:
		run_add_note(c->run, "event '%s' cannot be opened (%s)", e->name,
			strerrorname_np(saved));
		break;
	}
}

static const char *unit_of(const struct perf_event_attr *a)
{
	if (a->type == PERF_TYPE_SOFTWARE &&
		(a->config == PERF_COUNT_SW_CPU_CLOCK ||
			a->config == PERF_COUNT_SW_TASK_CLOCK))
		return "ns";
	if (a->type == PERF_TYPE_HARDWARE && a->config == PERF_COUNT_HW_CPU_CYCLES)
		return "cycles";
	return "count";
}

int perf_counts_resolve(struct perf_counts *c, const char *list, struct sp_err *err)
{
	struct pfm_event *found;
	struct sp_err first = { .code = SP_OK };
	bool any = false;
	size_t i;
	int rc = pfm_list_encode(list, &found, &c->n_events, err);

	if (rc)
		return rc;
	c->events = xcalloc(c->n_events, sizeof(*c->events));
	for (i = 0; i < c->n_events; i++) {
		struct counted_event *e = &c->events[i];
		int saved;

		e->pfm = found[i];
		e->pfm.attr.read_format = PERF_COUNTS_READ_FORMAT;
		saved = try_event(c, e);
		check_plausible(e);
		note_event(c, e, saved);
		any |= e->state == COUNTER_OK;
		e->row = run_event_intern(
			c->run, e->name, unit_of(&e->pfm.attr), e->state);
		if (saved != 0 && first.code == SP_OK) {
			struct perf_open_request req = probe_request(c, e);

			(void)perf_open_explain(
				&first, saved, &req, c->rights.paranoid, c->n_events);
		}
	}
	free(found);
	if (any)
		return 0;
	if (first.code == SP_OK)
		return sp_err_set(
			err, SP_EENV, "none of the events counts here: %s", list);
	*err = first;
	return -(int)first.code;
}
