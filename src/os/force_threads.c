/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forced on the SUT's threads: CPUs, nice values, the node of its memory. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/cpuplan.h"
#include "os/force_private.h"
#include "os/proctree.h"

#define NODE_PREFIX "node "
#define NODES_MAX   1024

/* How a thread was before it was forced. */
struct force_home {
	pid_t tid;
	uint64_t start_ticks; /* tells a reused id */
	cpu_set_t cpus;
	int nice;
};

static bool has_home(const struct force_child *c, const struct procstat_thread *t)
{
	size_t i;

	for (i = 0; i < c->n_homes; i++)
		if (c->homes[i].tid == t->tid &&
			c->homes[i].start_ticks == t->start_ticks)
			return true;
	return false;
}

/* False when the thread is gone. */
static bool home_add(struct force_child *c, const struct procstat_thread *t)
{
	struct force_home h = { .tid = t->tid, .start_ticks = t->start_ticks };

	if (has_home(c, t))
		return true;
	if (sched_getaffinity(t->tid, sizeof(h.cpus), &h.cpus) != 0)
		return false;
	errno = 0; /* -1 is a nice value, too */
	h.nice = getpriority(PRIO_PROCESS, (id_t)t->tid);
	if (errno != 0)
		return false;
	c->homes = xgrow(c->homes, c->n_homes, &c->cap_homes, sizeof(h));
	c->homes[c->n_homes++] = h;
	return true;
}

/* "worker" is the first of that name by tid, "worker#2" the second (model/fact.h). */
static bool is_named(const struct procstat_snapshot *s, size_t i, const char *of)
{
	char name[sizeof(s->threads[0].comm) + 24];
	size_t k, n = 1;

	for (k = 0; k < i; k++)
		n += strcmp(s->threads[k].comm, s->threads[i].comm) == 0;
	if (n == 1)
		return strcmp(s->threads[i].comm, of) == 0;
	(void)snprintf(name, sizeof(name), "%s#%zu", s->threads[i].comm, n);
	return strcmp(name, of) == 0;
}

/* Does it to each thread that a part is of, with its home kept. At least one of them
 * has to be there. */
static int each_thread(struct force_child *c,
	int (*apply)(pid_t tid, const struct arm_force_part *p,
		const struct force_child *c, struct sp_err *err),
	struct sp_err *err)
{
	size_t i, k, n = 0;
	int rc = procstat_read(c->t.root_fd, c->t.pid, &c->threads, err);

	for (i = 0; rc == 0 && i < c->threads.n_threads; i++)
		for (k = 0; rc == 0 && k < c->f->n_parts; k++) {
			const struct procstat_thread *t = &c->threads.threads[i];

			if (!is_named(&c->threads, i, c->f->parts[k].of) ||
				!home_add(c, t))
				continue;
			n++;
			rc = apply(t->tid, &c->f->parts[k], c, err);
		}
	if (rc == 0 && n == 0)
		rc = sp_err_set(
			err, SP_EENV, "the SUT has no thread '%s'", c->f->parts[0].of);
	if (rc != 0)
		err->code = SP_EENV;
	return rc != 0 ? -SP_EENV : 0;
}

static void homes_restore(struct force_child *c)
{
	struct sp_err ignored;
	size_t i, k;

	if (procstat_read(c->t.root_fd, c->t.pid, &c->threads, &ignored) != 0)
		return;
	for (i = 0; i < c->n_homes; i++)
		for (k = 0; k < c->threads.n_threads; k++) {
			const struct force_home *h = &c->homes[i];
			const struct procstat_thread *t = &c->threads.threads[k];

			if (t->tid != h->tid || t->start_ticks != h->start_ticks)
				continue;
			/* Gone meanwhile is as good. */
			(void)sched_setaffinity(h->tid, sizeof(h->cpus), &h->cpus);
			(void)setpriority(PRIO_PROCESS, (id_t)h->tid, h->nice);
		}
}

/* --- placement ------------------------------------------------------------------- */

/* "0,2-3", or "node 1" by what the kernel says of it. */
static int part_cpus(int root_fd, const char *value, cpu_set_t *ret, struct sp_err *err)
{
	char path[96], buf[512];
	int cpus[CPUPLAN_MAX];
	size_t i, n = 0;

	if (strncmp(value, NODE_PREFIX, strlen(NODE_PREFIX)) == 0) {
		(void)snprintf(path, sizeof(path),
			"sys/devices/system/node/node%s/cpulist",
			value + strlen(NODE_PREFIX));
		if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0)
			return sp_err_set(err, SP_EENV, "there is no %s", value);
		buf[strcspn(buf, "\n")] = '\0';
		value = buf;
	}
	if (cpuplan_list_parse(value, cpus, CPUPLAN_MAX, &n, err) != 0)
		return sp_err_set(err, SP_EENV, "'%.60s' names no CPUs", value);
	CPU_ZERO(ret);
	for (i = 0; i < n; i++)
		CPU_SET((size_t)cpus[i], ret);
	return 0;
}

static int placement_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err)
{
	cpu_set_t cpus, own;
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < f->n_parts; i++) {
		rc = part_cpus(t->root_fd, f->parts[i].value, &cpus, err);
		if (rc != 0 || sched_getaffinity(0, sizeof(own), &own) != 0)
			continue;
		CPU_AND(&own, &own, &cpus);
		if (CPU_COUNT(&own) == 0)
			rc = sp_err_set(err, SP_EENV,
				"CPU %s is not there or not allowed for this process",
				f->parts[i].value);
	}
	return rc;
}

static int placement_apply(pid_t tid, const struct arm_force_part *p,
	const struct force_child *c, struct sp_err *err)
{
	cpu_set_t cpus;
	int rc = part_cpus(c->t.root_fd, p->value, &cpus, err);

	if (rc == 0 && sched_setaffinity(tid, sizeof(cpus), &cpus) != 0 &&
		errno != ESRCH)
		rc = sp_err_errno(err, SP_EENV, errno,
			"thread '%s' cannot be pinned to CPU %s", p->of, p->value);
	return rc;
}

static int placement_renew(struct force_child *c, struct sp_err *err)
{
	return each_thread(c, placement_apply, err);
}

const struct force_ops force_placement = {
	.factor = FACTOR_PLACEMENT,
	.check = placement_check,
	.renew = placement_renew,
	.undo = homes_restore,
};

/* --- launch: of its facts the nice value -------------------------------------------
 */

static int launch_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err)
{
	(void)f;
	if (t->stays && geteuid() != 0)
		return sp_err_set(err, SP_EENV,
			"only root may put a nice value back where it was");
	return 0;
}

static int launch_apply(pid_t tid, const struct arm_force_part *p,
	const struct force_child *c, struct sp_err *err)
{
	(void)c;
	if (setpriority(PRIO_PROCESS, (id_t)tid, (int)p->number) == 0 || errno == ESRCH)
		return 0;
	return sp_err_errno(err, SP_EENV, errno,
		"thread '%s' cannot have the nice value %.0f", p->of, p->number);
}

static int launch_renew(struct force_child *c, struct sp_err *err)
{
	return each_thread(c, launch_apply, err);
}

const struct force_ops force_launch = {
	.factor = FACTOR_LAUNCH,
	.check = launch_check,
	.renew = launch_renew,
	.undo = homes_restore,
};

/* --- memory ----------------------------------------------------------------------- */

static bool node_of(const struct arm_force *f, unsigned *ret_node)
{
	const char *s = f->parts[0].value;

	if (strncmp(s, NODE_PREFIX, strlen(NODE_PREFIX)) != 0 ||
		!isdigit((unsigned char)s[strlen(NODE_PREFIX)]))
		return false;
	*ret_node = (unsigned)strtoul(s + strlen(NODE_PREFIX), NULL, 10);
	return *ret_node < NODES_MAX;
}

static int memory_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err)
{
	char path[64], buf[4096];
	unsigned node;

	if (t->stays)
		return sp_err_set(err, SP_EENV,
			"where the pages of a process that stays were is not known page "
			"by page, so it could not be undone");
	if (!node_of(f, &node))
		return sp_err_set(err, SP_EENV, "it is not known to which node");
	(void)snprintf(
		path, sizeof(path), "sys/devices/system/node/node%u/meminfo", node);
	if (proctree_read_file(t->root_fd, path, buf, sizeof(buf)) <= 0)
		return sp_err_set(err, SP_EENV, "there is no node %u", node);
	return 0;
}

static int migrate(pid_t pid, unsigned node, struct sp_err *err)
{
	unsigned long from[NODES_MAX / (8 * sizeof(long))];
	unsigned long to[NODES_MAX / (8 * sizeof(long))] = { 0 };
	const unsigned bits = 8 * sizeof(long);

	memset(from, 0xff, sizeof(from));
	from[node / bits] &= ~(1UL << node % bits);
	to[node / bits] = 1UL << node % bits;
	/* The number of pages that could not be moved is not an error. */
	if (syscall(SYS_migrate_pages, pid, (unsigned long)NODES_MAX, from, to) >= 0 ||
		errno == ESRCH)
		return 0;
	return sp_err_errno(err, SP_EENV, errno,
		"the SUT's memory cannot be moved to node %u", node);
}

static int memory_renew(struct force_child *c, struct sp_err *err)
{
	struct proctree_ids pids = { 0 };
	unsigned node = 0;
	size_t i;
	int rc;

	(void)node_of(c->f, &node); /* checked */
	proctree_descendants(c->t.root_fd, c->t.pid, &pids);
	rc = migrate(c->t.pid, node, err);
	for (i = 0; rc == 0 && i < pids.n; i++)
		rc = migrate(pids.ids[i], node, err);
	proctree_ids_done(&pids);
	return rc;
}

/* The SUT ends with the arm. */
const struct force_ops force_memory = {
	.factor = FACTOR_MEMORY,
	.check = memory_check,
	.renew = memory_renew,
};
