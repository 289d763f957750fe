/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Makes /proc trees and reads both edges of a trial from them. */
#include "config.h"

#include "facttree.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#define OR(text, otherwise) ((text) != NULL ? (text) : (otherwise))

static void put(const struct roottree *t, const struct facttree_thread *th,
	const char *file, const char *text)
{
	char path[96];

	(void)snprintf(
		path, sizeof(path), "proc/%d/task/%d/%s", th->pid, th->tid, file);
	roottree_put(t, path, text);
	if (th->pid != th->tid || strcmp(file, "children") == 0)
		return;
	(void)snprintf(path, sizeof(path), "proc/%d/%s", th->pid, file);
	roottree_put(t, path, text);
}

static void put_status(const struct roottree *t, const struct facttree_thread *th)
{
	char text[1024];

	(void)snprintf(text, sizeof(text),
		"Name:\t%s\nTracerPid:\t%d\nVmRSS:\t    %d kB\nSigCgt:\t"
		"0000000180004202\nCpus_allowed:\tf\nCpus_allowed_list:\t%s\n"
		"Mems_allowed:\t1\nMems_allowed_list:\t%s\n"
		"voluntary_ctxt_switches:\t%d\nnonvoluntary_ctxt_switches:\t%d\n",
		OR(th->comm, "fwd"), th->tracer, th->rss_kb,
		OR(th->cpus_allowed, "0-3"), OR(th->mems_allowed, "0"), th->voluntary,
		th->involuntary);
	put(t, th, "status", text);
}

void facttree_put_thread(const struct roottree *t, const struct facttree_thread *th)
{
	char text[512];

	/* As proc(5) counts the fields: 4 is the parent, 41 the policy. */
	(void)snprintf(text, sizeof(text),
		"%d (%s) S %d 1 1 0 -1 %u %d 7 %d 8 %d 0 9 9 20 %d %d 0 %d 1 1 "
		"18446744073709551615 1 1 0 0 0 0 0 0 0 1 0 0 17 %d %u %u 0 0 0\n",
		th->tid, OR(th->comm, "fwd"), th->ppid, th->flags, th->minor_faults,
		th->major_faults, th->user_ticks, th->nice,
		th->n_threads > 0 ? th->n_threads : 1, th->start, th->cpu,
		th->rt_priority, th->policy);
	put(t, th, "stat", text);
	put(t, th, "children", OR(th->children, ""));
	(void)snprintf(text, sizeof(text), "%llu %llu 3\n",
		(unsigned long long)th->run_ns, (unsigned long long)th->wait_ns);
	if (!th->no_schedstat)
		put(t, th, "schedstat", text);
	(void)snprintf(text, sizeof(text),
		"%s (%d, #threads: 1)\n---\n"
		"se.exec_start                 :      12652081.502857\n"
		"se.nr_migrations              :      %20d\n"
		"nr_switches                   :                    4\n",
		OR(th->comm, "fwd"), th->tid, th->migrations);
	if (!th->no_sched)
		put(t, th, "sched", text);
	if (!th->no_status)
		put_status(t, th);
}

void facttree_drop_thread(const struct roottree *t, int pid, int tid)
{
	static const char *const files[] = { "stat", "children", "schedstat", "sched",
		"status", "" };
	char path[160];
	size_t i;

	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++) {
		(void)snprintf(path, sizeof(path), "%s/proc/%d/task/%d/%s", t->path,
			pid, tid, files[i]);
		assert_int_equal(remove(path), 0);
	}
}

void facttree_put_link(const struct roottree *t, const char *path, const char *target)
{
	char full[256];

	roottree_put(t, path, ""); /* its folders */
	(void)snprintf(full, sizeof(full), "%s/%s", t->path, path);
	assert_int_equal(unlink(full), 0);
	assert_int_equal(symlink(target, full), 0);
}

int facttree_setup(void **state)
{
	const struct facttree_thread init = { .pid = 1, .tid = 1, .comm = "init" };

	(void)roottree_setup(state);
	roottree_put(*state, "proc/stat",
		"cpu  300 0 300 3000 0 0 0 0 0 0\n"
		"cpu0 100 0 100 1000 0 0 0 0 0 0\n"
		"cpu1 100 0 100 1000 0 0 0 0 0 0\n"
		"cpu3 100 0 100 1000 0 0 0 0 0 0\n");
	facttree_put_thread(*state, &init);
	return 0;
}

static void edge_read(struct facttree_edges *e, int i)
{
	struct sp_err err = { 0 };

	e->s[i] = facts_snapshot_new();
	if (procstat_read(e->q.root_fd, e->q.pid, &e->proc[i], &err) != 0)
		fail_msg("%s", err.msg);
}

void facttree_begin(const struct roottree *t, struct facttree_edges *e)
{
	static const int planned[] = { 1 };

	e->q.root_fd = t->fd;
	if (e->q.self == 0)
		e->q.self = 99;
	if (e->q.cpus == NULL) {
		e->q.cpus = planned;
		e->q.n_cpus = 1;
	}
	edge_read(e, 0);
	facts_snapshot_read(&e->q, &e->proc[0], NULL, e->s[0]);
}

void facttree_end(struct facttree_edges *e, uint64_t wall_ns)
{
	edge_read(e, 1);
	e->proc[1].t_ns = e->proc[0].t_ns + wall_ns;
	facts_snapshot_read(&e->q, &e->proc[1], e->s[0], e->s[1]);
	facts_diff(e->s[0], e->s[1], &e->facts);
}

void facttree_done(struct facttree_edges *e)
{
	int i;

	for (i = 0; i < 2; i++) {
		facts_snapshot_free(e->s[i]);
		procstat_done(&e->proc[i]);
	}
	facts_done(&e->facts);
}

static const struct fact *get(
	const struct facttree_edges *e, enum fact_key key, const char *of)
{
	const struct fact *f = facts_find(&e->facts, key, of);

	if (f == NULL)
		fail_msg("no %s of '%s'", fact_info(key)->name, of);
	return f;
}

double facttree_value(const struct facttree_edges *e, enum fact_key key, const char *of)
{
	const struct fact *f = get(e, key, of);

	assert_null(f->text);
	return f->value;
}

const char *facttree_text(
	const struct facttree_edges *e, enum fact_key key, const char *of)
{
	const struct fact *f = get(e, key, of);

	assert_non_null(f->text);
	return f->text;
}

bool facttree_has(const struct facttree_edges *e, enum fact_key key, const char *of)
{
	return facts_find(&e->facts, key, of) != NULL;
}
