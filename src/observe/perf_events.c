/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One event at many places: open, switch, read. */
#include "config.h"

#include "observe/perf_events.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/perf_hw.h"
#include "os/perf_open.h"

#define ESTIMATED_BELOW_FRAC 0.95

enum counter_state perf_reading_state(const struct perf_reading *delta)
{
	if (delta->running_ns == 0)
		return COUNTER_NOT_COUNTED;
	if ((double)delta->running_ns <
		ESTIMATED_BELOW_FRAC * (double)delta->enabled_ns)
		return COUNTER_ESTIMATED;
	return COUNTER_OK;
}

bool perf_reading_diff(const struct perf_reading *begin, const struct perf_reading *end,
	struct perf_reading *ret_delta)
{
	if (end->value < begin->value || end->enabled_ns < begin->enabled_ns ||
		end->running_ns < begin->running_ns || end->n_lost < begin->n_lost)
		return false;
	ret_delta->value = end->value - begin->value;
	ret_delta->enabled_ns = end->enabled_ns - begin->enabled_ns;
	ret_delta->running_ns = end->running_ns - begin->running_ns;
	ret_delta->n_lost = end->n_lost - begin->n_lost;
	return true;
}

/* read_format is TOTAL_TIME_ENABLED|RUNNING and, where known, LOST. */
static bool read_event(const struct perf_events *ev, int fd, struct perf_reading *r)
{
	uint64_t v[4] = { 0 };
	size_t want = (ev->knows_lost ? 4 : 3) * sizeof(v[0]);

	if (read(fd, v, sizeof(v)) != (ssize_t)want)
		return false; /* 0 bytes: pinned and pushed off the PMU */
	*r = (struct perf_reading){
		.value = v[0],
		.enabled_ns = v[1],
		.running_ns = v[2],
		.n_lost = v[3],
	};
	return true;
}

static struct perf_event_ring *ring_of_cpu(struct perf_events *ev, int cpu)
{
	size_t i;

	for (i = 0; i < ev->n_rings; i++)
		if (ev->rings[i].cpu == cpu)
			return &ev->rings[i];
	return NULL;
}

/* The fd that owns the ring of a CPU: the first event opened there. */
static int ring_owner(const struct perf_events *ev, int cpu)
{
	size_t i;

	for (i = 0; i < ev->n; i++)
		if (ev->v[i].place.cpu == cpu)
			return ev->v[i].fd;
	return -1;
}

static int attach_ring(struct perf_events *ev, const struct perf_event *e,
	size_t ring_bytes, struct sp_err *err)
{
	struct perf_event_ring r = { .cpu = e->place.cpu };
	int rc;

	if (ring_of_cpu(ev, e->place.cpu) != NULL) {
		if (ioctl(e->fd, PERF_EVENT_IOC_SET_OUTPUT,
			    ring_owner(ev, e->place.cpu)))
			return sp_err_errno(err, SP_EIO, errno,
				"sharing the sampling ring of CPU %d", e->place.cpu);
		return 0;
	}
	rc = perf_ring_open(e->fd, ring_bytes, &r.ring, err);
	if (rc == -SP_EPERM) {
		ev->ring_refused = true;
		return 0;
	}
	if (rc)
		return sp_err_push(err, "CPU %d", e->place.cpu);
	ev->rings = xgrow(ev->rings, ev->n_rings, &ev->cap_rings, sizeof(*ev->rings));
	ev->rings[ev->n_rings++] = r;
	return 0;
}

static int open_one(struct perf_events *ev, int root_fd, const struct perf_place *at,
	size_t n_needed, struct sp_err *err)
{
	struct perf_open_request req = {
		.attr = &ev->attr,
		.name = ev->name,
		.pid = at->tid,
		.cpu = at->cpu,
		.group_fd = -1,
	};
	int fd;

	perf_hw_attr_for_cpu(&ev->attr, root_fd, at->cpu);
	fd = perf_open_degrading(&req);
	if (fd < 0 && errno == ESRCH && at->tid > 0)
		return 0; /* a thread that ended meanwhile is not missed */
	if (fd < 0)
		return perf_open_explain(err, errno, &req, ev->paranoid, n_needed);
	ev->v = xgrow(ev->v, ev->n, &ev->cap, sizeof(*ev->v));
	ev->v[ev->n++] = (struct perf_event){ .fd = fd, .place = *at };
	return 0;
}

int perf_events_open(struct perf_events *ev, int root_fd,
	const struct perf_places *places, size_t ring_bytes, struct sp_err *err)
{
	size_t i, before;
	int rc = 0;

	ev->ring_bytes_asked = ring_bytes;
	ev->ring_refused = false;
	for (i = 0; i < places->n && rc == 0; i++) {
		before = ev->n;
		rc = open_one(ev, root_fd, &places->v[i], places->n, err);
		if (rc == 0 && ring_bytes > 0 && ev->n > before)
			rc = attach_ring(ev, &ev->v[ev->n - 1], ring_bytes, err);
	}
	if (rc == 0 && ev->n == 0)
		rc = sp_err_set(err, SP_EBROKEN, "the SUT is gone: nothing to observe");
	if (rc)
		perf_events_close(ev);
	ev->knows_lost = (ev->attr.read_format & PERF_FORMAT_LOST) != 0;
	return rc;
}

void perf_events_close(struct perf_events *ev)
{
	size_t i;

	for (i = 0; i < ev->n_rings; i++)
		perf_ring_close(&ev->rings[i].ring);
	for (i = 0; i < ev->n; i++)
		(void)close(ev->v[i].fd); /* nothing is written: cannot lose */
	free(ev->rings);
	free(ev->v);
	ev->rings = NULL;
	ev->v = NULL;
	ev->n_rings = ev->cap_rings = 0;
	ev->n = ev->cap = 0;
}

static int switch_all(struct perf_events *ev, unsigned long request, struct sp_err *err)
{
	size_t i;

	for (i = 0; i < ev->n; i++)
		if (ioctl(ev->v[i].fd, request, 0))
			return sp_err_errno(err, SP_EBROKEN, errno,
				"switching event '%s' on CPU %d", ev->name,
				ev->v[i].place.cpu);
	return 0;
}

int perf_events_begin(struct perf_events *ev, struct sp_err *err)
{
	size_t i;

	for (i = 0; i < ev->n_rings; i++) {
		struct perf_ring *r = &ev->rings[i].ring;

		perf_ring_consume(r, perf_ring_span(r).head);
	}
	for (i = 0; i < ev->n; i++)
		if (!read_event(ev, ev->v[i].fd, &ev->v[i].begin))
			return sp_err_set(err, SP_EBROKEN,
				"event '%s' on CPU %d cannot be read", ev->name,
				ev->v[i].place.cpu);
	return switch_all(ev, PERF_EVENT_IOC_ENABLE, err);
}

int perf_events_end(struct perf_events *ev, struct sp_err *err)
{
	struct perf_reading now;
	size_t i;
	int rc = switch_all(ev, PERF_EVENT_IOC_DISABLE, err);

	for (i = 0; i < ev->n && rc == 0; i++) {
		struct perf_event *e = &ev->v[i];

		if (!read_event(ev, e->fd, &now) ||
			!perf_reading_diff(&e->begin, &now, &e->delta))
			rc = sp_err_set(err, SP_EBROKEN,
				"event '%s' on CPU %d went backwards or away", ev->name,
				e->place.cpu);
	}
	return rc;
}
