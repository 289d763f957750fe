/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forced on the SUT's threads: CPUs, nice values, the node of its memory. */
#include "config.h"

#include <ctype.h>
#include <errno.h>
#include <math.h>
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
#include "os/sysfile.h"

#define NODE_PREFIX  "node "
#define NODES_MAX    1024
#define NODE_BITS    (8 * sizeof(unsigned long))
#define NODES_ONLINE "sys/devices/system/node/online"
#define NICE_MIN     (-20)
#define NICE_MAX     19

/* How a thread was before anything was forced. */
struct force_home {
	pid_t tid;
	uint64_t start_ticks; /* tells a reused id */
	cpu_set_t cpus;
	int nice;
	bool is_forced; /* it was */
};

/* False when the thread is gone. */
static bool home_read(const struct procstat_thread *t, struct force_home *ret_home)
{
	struct force_home h = { .tid = t->tid, .start_ticks = t->start_ticks };

	if (sched_getaffinity(t->tid, sizeof(h.cpus), &h.cpus) != 0)
		return false;
	errno = 0; /* -1 is a nice value, too */
	h.nice = getpriority(PRIO_PROCESS, (id_t)t->tid);
	if (errno != 0)
		return false;
	*ret_home = h;
	return true;
}

/* Of all threads, before the first is forced: one that is born later has what its
 * parent was forced to. */
static void homes_take(struct force_child *c)
{
	struct force_home h;
	size_t i;

	for (i = 0; !c->has_homes && i < c->threads.n_threads; i++) {
		if (!home_read(&c->threads.threads[i], &h))
			continue;
		c->homes = xgrow(c->homes, c->n_homes, &c->cap_homes, sizeof(h));
		c->homes[c->n_homes++] = h;
	}
	c->has_homes = true;
}

static struct force_home *own_home(
	const struct force_child *c, const struct procstat_thread *t)
{
	size_t i;

	for (i = 0; i < c->n_homes; i++)
		if (c->homes[i].tid == t->tid &&
			c->homes[i].start_ticks == t->start_ticks)
			return &c->homes[i];
	return NULL;
}

/* Its own; of one that was born since, that of its process's main thread; of a process
 * that was, that of the SUT's. NULL: none is known. */
static struct force_home *home_of(
	const struct force_child *c, const struct procstat_thread *t)
{
	const pid_t mains[] = { t->pid, c->t.pid };
	struct force_home *h = own_home(c, t);
	size_t i, k;

	for (i = 0; h == NULL && i < 2; i++)
		for (k = 0; h == NULL && k < c->threads.n_threads; k++)
			if (c->threads.threads[k].tid == mains[i])
				h = own_home(c, &c->threads.threads[k]);
	return h;
}

/* Does it to each thread that a part is of, with its home kept. Each part has to meet
 * one: what is forced by halves refutes nothing. */
static int each_thread(struct force_child *c,
	int (*apply)(pid_t tid, const struct arm_force_part *p,
		const struct force_child *c, struct sp_err *err),
	struct sp_err *err)
{
	bool met[ARM_FORCE_PARTS_MAX] = { false };
	char name[PROCSTAT_NAME_MAX];
	struct force_home *h;
	size_t i, k;
	int rc = procstat_read(c->t.root_fd, c->t.pid, &c->threads, err);

	if (rc == 0)
		homes_take(c);
	for (i = 0; rc == 0 && i < c->threads.n_threads; i++) {
		const struct procstat_thread *t = &c->threads.threads[i];

		procstat_thread_name(&c->threads, i, name);
		h = home_of(c, t);
		for (k = 0; rc == 0 && h != NULL && k < c->f->n_parts; k++) {
			if (strcmp(name, c->f->parts[k].of) != 0)
				continue;
			met[k] = true;
			h->is_forced |= h->tid == t->tid;
			rc = apply(t->tid, &c->f->parts[k], c, err);
		}
	}
	for (k = 0; rc == 0 && k < c->f->n_parts; k++)
		if (!met[k])
			rc = sp_err_set(err, SP_EENV, "the SUT has no thread '%s'",
				c->f->parts[k].of);
	if (rc != 0)
		err->code = SP_EENV;
	return rc != 0 ? -SP_EENV : 0;
}

/* Those that were forced, and those that were born with what is forced. */
static void homes_restore(struct force_child *c,
	bool (*is_so)(const struct force_home *now, const struct arm_force_part *p,
		const struct force_child *c))
{
	struct sp_err ignored;
	size_t i, k;

	if (procstat_read(c->t.root_fd, c->t.pid, &c->threads, &ignored) != 0)
		return;
	for (i = 0; i < c->threads.n_threads; i++) {
		const struct procstat_thread *t = &c->threads.threads[i];
		const struct force_home *h = home_of(c, t);
		struct force_home now;
		bool is_forced;

		/* Gone meanwhile is as good. */
		if (h == NULL || !home_read(t, &now))
			continue;
		is_forced = h->tid == t->tid && h->is_forced;
		for (k = 0; h->tid != t->tid && k < c->f->n_parts; k++)
			is_forced |= is_so(&now, &c->f->parts[k], c);
		if (!is_forced)
			continue;
		(void)sched_setaffinity(t->tid, sizeof(h->cpus), &h->cpus);
		(void)setpriority(PRIO_PROCESS, (id_t)t->tid, h->nice);
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

/* The kernel may have left some of them out. */
static bool is_placed(const struct force_home *now, const struct arm_force_part *p,
	const struct force_child *c)
{
	struct sp_err ignored;
	cpu_set_t cpus, both;

	if (part_cpus(c->t.root_fd, p->value, &cpus, &ignored) != 0)
		return false;
	CPU_AND(&both, &cpus, &now->cpus);
	return CPU_EQUAL(&both, &now->cpus);
}

static void placement_undo(struct force_child *c)
{
	homes_restore(c, is_placed);
}

const struct force_ops force_placement = {
	.factor = FACTOR_PLACEMENT,
	.check = placement_check,
	.renew = placement_renew,
	.undo = placement_undo,
};

/* --- launch: of its facts the nice value -------------------------------------------
 */

static int launch_check(
	const struct arm_force *f, const struct force_target *t, struct sp_err *err)
{
	size_t i;

	if (t->stays && geteuid() != 0)
		return sp_err_set(err, SP_EENV,
			"only root may put a nice value back where it was");
	for (i = 0; i < f->n_parts; i++) {
		double nice = f->parts[i].number;

		if (!(nice >= NICE_MIN && nice <= NICE_MAX && !(nice > floor(nice))))
			return sp_err_set(err, SP_EENV, "%g is not a nice value", nice);
	}
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

static bool is_niced(const struct force_home *now, const struct arm_force_part *p,
	const struct force_child *c)
{
	(void)c;
	return now->nice == (int)p->number;
}

static void launch_undo(struct force_child *c)
{
	homes_restore(c, is_niced);
}

const struct force_ops force_launch = {
	.factor = FACTOR_LAUNCH,
	.check = launch_check,
	.renew = launch_renew,
	.undo = launch_undo,
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

/* Sets of nodes as migrate_pages() takes them. */
struct nodes {
	unsigned long from[NODES_MAX / NODE_BITS], to[NODES_MAX / NODE_BITS];
	unsigned long n; /* bits, and one that the kernel does not look at */
};

/* A bit beyond the nodes that the kernel was built for is refused. */
static void nodes_choose(int root_fd, unsigned node, struct nodes *n)
{
	struct cpulist online = { 0 };
	size_t i;

	*n = (struct nodes){ .n = node + 2UL };
	n->to[node / NODE_BITS] = 1UL << node % NODE_BITS;
	(void)sysfile_list(
		root_fd, NODES_ONLINE, &online); /* none: none to move from */
	for (i = 0; i < online.n; i++) {
		unsigned id = (unsigned)online.ids[i];

		if (id == node || id >= NODES_MAX)
			continue;
		n->from[id / NODE_BITS] |= 1UL << id % NODE_BITS;
		if (id + 2UL > n->n)
			n->n = id + 2UL;
	}
	cpulist_done(&online);
}

static int migrate(pid_t pid, const struct nodes *n, struct sp_err *err)
{
	/* The number of pages that could not be moved is not an error. */
	if (syscall(SYS_migrate_pages, pid, n->n, n->from, n->to) >= 0 ||
		errno == ESRCH)
		return 0;
	return sp_err_errno(err, SP_EENV, errno, "the SUT's memory cannot be moved");
}

static int memory_renew(struct force_child *c, struct sp_err *err)
{
	struct proctree_ids pids = { 0 };
	struct nodes nodes;
	unsigned node = 0;
	size_t i;
	int rc;

	if (!node_of(c->f, &node))
		return sp_err_set(err, SP_EENV, "it is not known to which node");
	nodes_choose(c->t.root_fd, node, &nodes);
	proctree_descendants(c->t.root_fd, c->t.pid, &pids);
	rc = migrate(c->t.pid, &nodes, err);
	for (i = 0; rc == 0 && i < pids.n; i++)
		rc = migrate(pids.ids[i], &nodes, err);
	proctree_ids_done(&pids);
	return rc;
}

/* The SUT ends with the arm. */
const struct force_ops force_memory = {
	.factor = FACTOR_MEMORY,
	.check = memory_check,
	.renew = memory_renew,
};
