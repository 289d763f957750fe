/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counted events: opening in groups, reading at the edges of a trial. */
#include "config.h"

#include "observe/perf_counts.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "observe/perf_counts_private.h"
#include "os/perf_hw.h"
#include "os/perf_open.h"

#define DEFAULT_EVENTS                                                                 \
	"cycles,instructions,cpu-clock,context-switches,cpu-migrations,page-faults"
#define ATTACH_TRIES 20
#define GROUP_MAX    64

bool perf_group_parse(const uint64_t *buf, ssize_t len, uint64_t *ret_enabled_ns,
	uint64_t *ret_running_ns, struct perf_group_value *values, size_t max,
	size_t *ret_n)
{
	size_t words = len < 0 ? 0 : (size_t)len / sizeof(*buf), n, i;

	if (words < 3)
		return false;
	n = (size_t)buf[0];
	if (n > max || words < 3 + 2 * n)
		return false;
	for (i = 0; i < n; i++)
		values[i] = (struct perf_group_value){
			.value = buf[3 + 2 * i],
			.id = buf[4 + 2 * i],
		};
	*ret_enabled_ns = buf[1];
	*ret_running_ns = buf[2];
	*ret_n = n;
	return true;
}

int perf_counts_new(const struct perf_counts_config *cfg,
	struct perf_counts **ret_counts, struct sp_err *err)
{
	struct perf_counts *c = xcalloc(1, sizeof(*c));
	int rc;

	c->root_fd = cfg->root_fd;
	c->run = cfg->run;
	c->rights = cfg->rights;
	rc = perf_counts_resolve(c, cfg->events ? cfg->events : DEFAULT_EVENTS, err);
	if (rc) {
		perf_counts_free(c);
		return rc;
	}
	if (!c->rights.cpu_wide)
		run_add_note(c->run, "this user may not observe whole CPUs: events are "
				     "counted for the SUT's threads only");
	*ret_counts = c;
	return 0;
}

void perf_counts_free(struct perf_counts *c)
{
	if (c == NULL)
		return;
	perf_counts_detach(c);
	free(c->events);
	free(c);
}

void perf_counts_detach(struct perf_counts *c)
{
	size_t i;

	for (i = c->n_fds; i > 0; i--) /* members before their leaders */
		(void)close(c->fds[i - 1].fd);
	free(c->fds);
	c->fds = NULL;
	c->n_fds = c->cap_fds = 0;
}

/* May event e join the group that starts at fds[leader]? The kernel has the last
 * word; software events keep to themselves, as a full PMU would starve them. */
static bool may_join(const struct perf_counts *c, size_t leader, size_t event)
{
	const struct counted_fd *l;

	if (leader == SIZE_MAX || c->ungrouped ||
		(c->no_inherit_group && !c->is_cpu_wide))
		return false;
	l = &c->fds[leader];
	return c->events[l->event].pfm.is_software ==
		       c->events[event].pfm.is_software &&
	       c->n_fds - leader < GROUP_MAX;
}

static int open_event(
	struct perf_counts *c, size_t event, const struct perf_place *at, int group_fd)
{
	struct perf_event_attr attr = c->events[event].pfm.attr;
	struct perf_open_request req = {
		.attr = &attr,
		.name = c->events[event].name,
		.pid = at->tid,
		.cpu = at->cpu,
		.group_fd = group_fd,
	};
	int fd;

	attr.disabled = group_fd < 0; /* a member goes with its leader */
	attr.inherit = at->tid > 0;
	if (attr.inherit && c->no_inherit_group)
		attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
	perf_hw_attr_for_cpu(&attr, c->root_fd, at->cpu);
	fd = perf_open(&req);
	if (fd < 0 && errno == EINVAL && attr.inherit && !c->no_inherit_group &&
		group_fd < 0) {
		attr.read_format &= ~(uint64_t)PERF_FORMAT_GROUP;
		fd = perf_open(&req);
		c->no_inherit_group = fd >= 0;
	}
	return fd;
}

static int add_fd(struct perf_counts *c, size_t event, const struct perf_place *at,
	size_t *leader, struct sp_err *err)
{
	struct perf_open_request req = { .attr = &c->events[event].pfm.attr,
		.name = c->events[event].name,
		.pid = at->tid,
		.cpu = at->cpu };
	int fd = -1;
	bool joined = may_join(c, *leader, event);

	if (joined)
		fd = open_event(c, event, at, c->fds[*leader].fd);
	if (fd < 0) {
		joined = false; /* the group is full: a new one */
		fd = open_event(c, event, at, -1);
	}
	if (fd < 0 && errno == ESRCH && at->tid > 0)
		return 0; /* the thread ended meanwhile */
	if (fd < 0 && errno == ENOENT)
		return 0; /* this kind of core does not have it; others do */
	if (fd < 0)
		return perf_open_explain(
			err, errno, &req, c->rights.paranoid, c->n_fds + c->n_events);
	if (!joined)
		*leader = c->n_fds;
	c->fds = xgrow(c->fds, c->n_fds, &c->cap_fds, sizeof(*c->fds));
	c->fds[c->n_fds++] = (struct counted_fd){
		.fd = fd,
		.leader = *leader,
		.event = event,
		.place = *at,
		.id = perf_event_id(fd),
	};
	return 0;
}

static int open_at(
	struct perf_counts *c, const struct perf_place *at, struct sp_err *err)
{
	size_t leader[2] = { SIZE_MAX, SIZE_MAX }; /* hardware, software */
	size_t i, pass;
	int rc;

	/* All of a group stand together in fds: hardware first, then software. */
	for (pass = 0; pass < 2; pass++)
		for (i = 0; i < c->n_events; i++) {
			if (c->events[i].state != COUNTER_OK ||
				c->events[i].pfm.is_software != (pass == 1))
				continue;
			rc = add_fd(c, i, at, &leader[pass], err);
			if (rc)
				return rc;
		}
	return 0;
}

static int switch_all(struct perf_counts *c, unsigned long request, struct sp_err *err)
{
	size_t i;

	for (i = 0; i < c->n_fds; i++)
		if (c->fds[i].leader == i && ioctl(c->fds[i].fd, request, 0))
			return sp_err_errno(err, SP_EBROKEN, errno,
				"switching event '%s'",
				c->events[c->fds[i].event].name);
	return 0;
}

/* A lone event's read, without GROUP: value, enabled, running, id. */
static bool read_alone(struct counted_fd *f, struct perf_reading *r)
{
	uint64_t v[4];

	if (read(f->fd, v, sizeof(v)) != (ssize_t)sizeof(v))
		return false;
	*r = (struct perf_reading){
		.value = v[0], .enabled_ns = v[1], .running_ns = v[2]
	};
	return true;
}

/* Reads the group that starts at fds[leader] into r[0..n of the group). */
static bool read_group(
	const struct perf_counts *c, size_t leader, struct perf_reading r[GROUP_MAX])
{
	uint64_t buf[3 + 2 * GROUP_MAX], enabled, running;
	struct perf_group_value values[GROUP_MAX];
	size_t n, i, j;

	if (c->no_inherit_group && !c->is_cpu_wide)
		return read_alone(&c->fds[leader], &r[0]);
	if (!perf_group_parse(buf, read(c->fds[leader].fd, buf, sizeof(buf)), &enabled,
		    &running, values, GROUP_MAX, &n))
		return false;
	for (i = leader; i < c->n_fds && c->fds[i].leader == leader; i++) {
		for (j = 0; j < n && values[j].id != c->fds[i].id; j++)
			;
		if (j == n)
			return false;
		r[i - leader] = (struct perf_reading){ .value = values[j].value,
			.enabled_ns = enabled,
			.running_ns = running };
	}
	return true;
}

static void read_all(struct perf_counts *c, bool is_end)
{
	struct perf_reading now[GROUP_MAX];
	size_t i, k;
	bool ok = false;

	for (i = 0; i < c->n_fds; i++) {
		struct counted_fd *f = &c->fds[i];

		if (f->leader == i)
			ok = read_group(c, i, now);
		k = i - f->leader;
		if (!is_end) {
			f->failed = !ok;
			f->begin = ok ? now[k] : (struct perf_reading){ 0 };
			continue;
		}
		f->failed |= !ok || !perf_reading_diff(&f->begin, &now[k], &f->delta);
	}
}

/*
 * A group may open and still never run: a watchdog holds a counter, or a driver
 * checks less than it should. Looked at once, on whole CPUs, where enabled events
 * run at once.
 */
static bool groups_run(struct perf_counts *c, struct sp_err *err)
{
	bool all = true;
	size_t i;

	if (!c->is_cpu_wide || c->ungrouped)
		return true;
	read_all(c, false);
	if (switch_all(c, PERF_EVENT_IOC_ENABLE, err))
		return true;
	perf_hw_spin_ns(PERF_COUNTS_TRY_NS);
	if (switch_all(c, PERF_EVENT_IOC_DISABLE, err))
		return true;
	read_all(c, true);
	for (i = 0; i < c->n_fds; i++)
		all &= c->fds[i].failed || c->fds[i].delta.enabled_ns == 0 ||
		       c->fds[i].delta.running_ns > 0;
	return all;
}

static int open_places(
	struct perf_counts *c, const struct perf_places *places, struct sp_err *err)
{
	size_t i;
	int rc = 0;

	perf_counts_detach(c);
	for (i = 0; i < places->n && rc == 0; i++)
		rc = open_at(c, &places->v[i], err);
	if (rc == 0 && c->n_fds == 0)
		rc = sp_err_set(err, SP_EBROKEN, "the SUT is gone: nothing to count");
	return rc;
}

/* See perf_sampler_attach() for why it may take several tries. */
int perf_counts_attach(
	struct perf_counts *c, const struct observer_target *target, struct sp_err *err)
{
	struct perf_places places = { 0 };
	bool is_still = false;
	int tries, rc = 0;

	for (tries = 0; tries < ATTACH_TRIES && !is_still && rc == 0; tries++) {
		perf_places_done(&places);
		rc = perf_places_find(
			c->root_fd, &c->rights, target, false, &places, err);
		c->is_cpu_wide = places.is_cpu_wide;
		if (rc == 0)
			rc = open_places(c, &places, err);
		if (rc == 0)
			is_still = perf_places_still(c->root_fd, target, &places);
	}
	if (rc == 0 && !groups_run(c, err)) {
		c->ungrouped = true;
		run_add_note(c->run,
			"the events do not fit into one group of counters: "
			"they are counted one by one, in turns");
		rc = open_places(c, &places, err);
	}
	perf_places_done(&places);
	if (rc == 0 && !is_still)
		run_add_note(c->run, "threads of the SUT came and went while events "
				     "were opened: some may not be observed");
	if (rc)
		perf_counts_detach(c);
	return rc;
}

int perf_counts_begin(struct perf_counts *c, struct sp_err *err)
{
	read_all(c, false);
	return switch_all(c, PERF_EVENT_IOC_ENABLE, err);
}

static struct counter_value *add_value(struct trial *t, const struct counter_value *v)
{
	t->counters = xgrow(t->counters, t->n_counters, &t->cap_counters, sizeof(*v));
	t->counters[t->n_counters] = *v;
	return &t->counters[t->n_counters++];
}

/* A row a CPU, or the sum over the threads. */
static void add_event(struct perf_counts *c, size_t event, struct trial *t)
{
	struct counter_value sum = { .event = c->events[event].row, .cpu = -1 };
	struct perf_reading total = { 0 };
	bool failed = false, any = false;
	size_t i;

	for (i = 0; i < c->n_fds; i++) {
		const struct counted_fd *f = &c->fds[i];

		if (f->event != event)
			continue;
		any = true;
		if (c->is_cpu_wide) {
			struct counter_value v = { .event = sum.event,
				.cpu = f->place.cpu,
				.state = f->failed ? COUNTER_ERROR
						   : perf_reading_state(&f->delta),
				.value = f->failed ? 0 : f->delta.value,
				.enabled_ns = f->delta.enabled_ns,
				.running_ns = f->delta.running_ns };

			(void)add_value(t, &v);
			continue;
		}
		failed |= f->failed;
		total.value += f->delta.value;
		total.enabled_ns += f->delta.enabled_ns;
		total.running_ns += f->delta.running_ns;
	}
	if (any && c->is_cpu_wide)
		return;
	if (!any && c->events[event].state != COUNTER_OK)
		sum.state = c->events[event].state;
	else
		sum.state = failed ? COUNTER_ERROR : perf_reading_state(&total);
	sum.value = failed ? 0 : total.value;
	sum.enabled_ns = total.enabled_ns;
	sum.running_ns = total.running_ns;
	(void)add_value(t, &sum);
}

int perf_counts_end(struct perf_counts *c, struct trial *t, struct sp_err *err)
{
	int rc = switch_all(c, PERF_EVENT_IOC_DISABLE, err);
	size_t i;

	if (rc)
		return rc;
	read_all(c, true);
	for (i = 0; i < c->n_events; i++)
		add_event(c, i, t);
	return 0;
}
