/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Counters that run from before the first trial on, and waits for kernel locks. */
#include "config.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/perf_open.h"
#include "os/sysfile.h"

#define LOCK_EVENT "events/lock/contention_begin/id"

struct facts_counter {
	enum fact_key key;
	char of[FACT_OF_MAX];
	double scale;
	int fd;     /* of an event; -1: path */
	char *path; /* owned, or NULL */
};

struct facts_counters {
	size_t n, cap;
	struct facts_counter *c;
};

void facts_counters_add(struct facts_counters *cs, enum fact_key key, const char *of,
	double scale, int fd, const char *path)
{
	struct facts_counter *c;

	cs->c = xgrow(cs->c, cs->n, &cs->cap, sizeof(*cs->c));
	c = &cs->c[cs->n++];
	*c = (struct facts_counter){ .key = key, .scale = scale, .fd = fd };
	(void)snprintf(c->of, sizeof(c->of), "%s", of);
	if (fd < 0)
		c->path = xstrdup(path);
}

static void counter_done(struct facts_counter *c)
{
	if (c->fd >= 0)
		(void)close(c->fd); /* it counted until now */
	free(c->path);
}

void facts_counters_drop(struct facts_counters *cs, enum fact_key key)
{
	size_t n = 0, i;

	for (i = 0; i < cs->n; i++) {
		if (cs->c[i].key == key)
			counter_done(&cs->c[i]);
		else
			cs->c[n++] = cs->c[i];
	}
	cs->n = n;
}

/* --- waits for kernel locks ---------------------------------------------------- */

static void locks_note(struct run *run, const char *why)
{
	run_add_note(run, "waits for kernel locks are not counted: %s", why);
}

/* The tracepoint's number; false: it is not known, and a note says why. */
static bool lock_event_id(int root_fd, uint64_t *ret_id, struct run *run)
{
	static const char *const roots[] = { "sys/kernel/tracing",
		"sys/kernel/debug/tracing" };
	bool is_mounted = false, is_denied = false;
	char path[96];
	long id;
	size_t i;
	int rc;

	for (i = 0; i < sizeof(roots) / sizeof(roots[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/" LOCK_EVENT, roots[i]);
		rc = sysfile_long(root_fd, path, &id);
		if (rc == 0 && id > 0) {
			*ret_id = (uint64_t)id;
			return true;
		}
		is_denied |= rc == -EACCES || rc == -EPERM;
		(void)snprintf(path, sizeof(path), "%s/events", roots[i]);
		is_mounted |= faccessat(root_fd, path, F_OK, 0) == 0;
	}
	if (is_denied)
		locks_note(run, "/sys/kernel/tracing may not be read (root may)");
	else if (is_mounted)
		locks_note(
			run, "this kernel has no lock:contention_begin (Linux 5.19)");
	else
		locks_note(run, "tracefs is not mounted (mount -t tracefs tracefs "
				"/sys/kernel/tracing)");
	return false;
}

static void locks_open(int root_fd, const int *cpus, size_t n_cpus,
	struct facts_counters *cs, struct run *run)
{
	struct sp_err err = { .code = SP_OK };
	char of[FACT_OF_MAX];
	uint64_t id;
	size_t i;

	if (n_cpus == 0 || !lock_event_id(root_fd, &id, run))
		return;
	for (i = 0; i < n_cpus; i++) {
		struct perf_event_attr attr;
		struct perf_open_request req = { .attr = &attr,
			.name = "lock:contention_begin",
			.pid = -1,
			.cpu = cpus[i],
			.group_fd = -1 };
		int fd;

		perf_attr_init(&attr, PERF_TYPE_TRACEPOINT, id);
		attr.disabled = 0;
		attr.read_format =
			PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
		fd = perf_open(&req);
		if (fd < 0) {
			(void)perf_open_explain(&err, errno, &req,
				(int)perf_sysctl(root_fd, "perf_event_paranoid",
					PERF_PARANOID_UNKNOWN),
				n_cpus);
			locks_note(run, err.msg);
			facts_counters_drop(cs, FACT_LOCK_WAITS);
			return;
		}
		(void)snprintf(of, sizeof(of), "%d", cpus[i]);
		facts_counters_add(cs, FACT_LOCK_WAITS, of, 1, fd, NULL);
	}
}

/* --- all of them ----------------------------------------------------------------- */

struct facts_counters *facts_counters_open(
	int root_fd, const int *cpus, size_t n_cpus, struct run *run)
{
	struct facts_counters *cs = xcalloc(1, sizeof(*cs));

	locks_open(root_fd, cpus, n_cpus, cs, run);
	facts_traffic_open(root_fd, cs, run);
	return cs;
}

void facts_counters_close(struct facts_counters *cs)
{
	size_t i;

	for (i = 0; cs != NULL && i < cs->n; i++)
		counter_done(&cs->c[i]);
	if (cs != NULL)
		free(cs->c);
	free(cs);
}

static struct facts_count count_read(int root_fd, const struct facts_counter *c)
{
	struct facts_count n = { .is_known = false };
	uint64_t v[3];

	if (c->fd < 0) {
		n.is_known = facts_number_read(root_fd, c->path, &n.value);
		return n;
	}
	n.is_known = read(c->fd, v, sizeof(v)) == (ssize_t)sizeof(v);
	if (n.is_known) {
		n.value = v[0];
		n.enabled_ns = v[1];
		n.running_ns = v[2];
	}
	return n;
}

void facts_counters_read(const struct facts_query *q, struct facts_snapshot *s)
{
	size_t i;

	s->counters = q->counters;
	s->n_counts = 0;
	for (i = 0; q->counters != NULL && i < q->counters->n; i++) {
		s->counts = xgrow(
			s->counts, s->n_counts, &s->cap_counts, sizeof(*s->counts));
		s->counts[s->n_counts++] = count_read(q->root_fd, &q->counters->c[i]);
	}
}

/* In the fact's unit; false: not known. One that shared its hardware with others ran
 * for a part of the time, and is taken to have gone on alike in the rest. */
static bool count_diff(const struct facts_counter *c, const struct facts_count *a,
	const struct facts_count *b, double *ret)
{
	uint64_t enabled_ns = b->enabled_ns - a->enabled_ns;
	uint64_t running_ns = b->running_ns - a->running_ns;
	double n;

	if (!b->is_known)
		return false;
	if (fact_info(c->key)->kind != FACT_COUNT) {
		*ret = (double)b->value * c->scale;
		return true;
	}
	if (!a->is_known || b->value < a->value || (c->fd >= 0 && running_ns == 0))
		return false;
	n = (double)(b->value - a->value) * c->scale;
	if (c->fd >= 0 && running_ns < enabled_ns)
		n *= (double)enabled_ns / (double)running_ns;
	*ret = n;
	return true;
}

static bool is_of(const struct facts_counter *x, const struct facts_counter *y)
{
	return x->key == y->key && strcmp(x->of, y->of) == 0;
}

/* A sum without one of its parts would be wrong, not small. */
void facts_counters_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs)
{
	const struct facts_counters *cs = b->counters;
	size_t i, k;

	if (cs == NULL || a->counters != cs || a->n_counts != b->n_counts)
		return;
	for (i = 0; i < b->n_counts; i++) {
		double sum = 0, n = 0;
		bool is_known = true;

		for (k = 0; k < i && !is_of(&cs->c[k], &cs->c[i]); k++)
			;
		if (k < i)
			continue; /* it was in the first one's sum */
		for (k = i; k < b->n_counts && is_known; k++) {
			if (!is_of(&cs->c[k], &cs->c[i]))
				continue;
			is_known =
				count_diff(&cs->c[k], &a->counts[k], &b->counts[k], &n);
			sum += n;
		}
		if (is_known)
			facts_add(fs, cs->c[i].key, cs->c[i].of, sum);
	}
}
