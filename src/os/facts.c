/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One edge of a trial, two of them as facts, and what is not known here. */
#include "config.h"

#include "os/facts.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/facts_private.h"

/* CPUs: a trial's facts must fit into a run file. The planned ones come first. */
#define MAX_WATCHED 256

struct facts_snapshot *facts_snapshot_new(void)
{
	return xcalloc(1, sizeof(struct facts_snapshot));
}

void facts_snapshot_free(struct facts_snapshot *s)
{
	if (s == NULL)
		return;
	free(s->buf.p);
	free(s->watched);
	free(s->cpus);
	free(s->migrations);
	free(s->others);
	free(s->served);
	free(s->old);
	free(s->cgroup);
	free(s->counts);
	free(s->kept);
	facts_done(&s->levels);
	free(s);
}

static int by_number(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return (x > y) - (x < y);
}

static void watch(struct facts_snapshot *s, int cpu)
{
	size_t i;

	for (i = 0; i < s->n_watched; i++)
		if (s->watched[i] == cpu)
			return;
	if (cpu < 0 || s->n_watched == MAX_WATCHED)
		return;
	s->watched =
		xgrow(s->watched, s->n_watched, &s->cap_watched, sizeof(*s->watched));
	s->watched[s->n_watched++] = cpu;
}

/* Those of begin too, so that a CPU that was left is there at both edges. */
static void watched_choose(const struct facts_query *q,
	const struct facts_snapshot *begin, struct facts_snapshot *s)
{
	size_t i;

	s->n_watched = 0;
	for (i = 0; i < q->n_cpus; i++)
		watch(s, q->cpus[i]);
	for (i = 0; i < s->proc->n_threads; i++)
		watch(s, s->proc->threads[i].cpu);
	for (i = 0; begin != NULL && i < begin->n_watched; i++)
		watch(s, begin->watched[i]);
	if (s->n_watched > 0)
		qsort(s->watched, s->n_watched, sizeof(*s->watched), by_number);
}

static void levels_read(const struct facts_query *q, const struct facts_snapshot *begin,
	pid_t pid, struct facts_snapshot *s)
{
	facts_thread_levels(q->root_fd, begin, s);
	if (pid > 0) {
		facts_process_levels(q->root_fd, pid, s);
		facts_memory_levels(q->root_fd, pid, s);
	}
	facts_link_levels(q, s);
	facts_host_levels(q->root_fd, s);
}

void facts_snapshot_read(const struct facts_query *q,
	const struct procstat_snapshot *proc, const struct facts_snapshot *begin,
	struct facts_snapshot *s)
{
	pid_t pid =
		facts_process_main(begin != NULL ? begin->proc : NULL, proc, q->pid);

	s->proc = proc;
	s->n_cpus = 0;
	s->n_kept = 0;
	facts_done(&s->levels);
	watched_choose(q, begin, s);
	if (begin != NULL)
		facts_cpu_levels(q->root_fd, s); /* it passes soonest */
	facts_counters_read(q, s);
	facts_irq_read(q->root_fd, s);
	facts_cpu_read(q->root_fd, s);
	facts_thread_read(q->root_fd, s);
	facts_cgroup_read(q->root_fd, pid, s);
	facts_host_read(q->root_fd, s);
	facts_others_read(q, s);
	facts_served_read(q, s);
	if (begin != NULL)
		levels_read(q, begin, pid, s);
}

void facts_diff(const struct facts_snapshot *begin, const struct facts_snapshot *end,
	struct facts *fs)
{
	size_t i;

	for (i = 0; i < end->levels.n; i++) {
		const struct fact *f = &end->levels.f[i];

		if (f->text != NULL)
			facts_add_text(fs, f->key, f->of, f->text);
		else
			facts_add(fs, f->key, f->of, f->value);
	}
	facts_thread_diff(begin, end, fs);
	facts_cgroup_diff(begin, end, fs);
	facts_cpu_diff(begin, end, fs);
	facts_host_diff(begin, end, fs);
	facts_counters_diff(begin, end, fs);
	facts_sort(fs);
}

static bool has_key(const struct facts *fs, enum fact_key key)
{
	size_t i;

	for (i = 0; i < fs->n; i++)
		if (fs->f[i].key == key)
			return true;
	return false;
}

/* What is absent without being unreadable: there is nothing to tell of. And what has a
 * note of its own. */
static bool may_be_absent(enum fact_key key)
{
	return key == FACT_OTHERS_TOP || key == FACT_LOCK_WAITS;
}

/* "a, b (file); c (file)" of one scope. */
static void absent_list(
	const struct facts *fs, enum fact_scope scope, char *text, size_t len)
{
	const char *source = NULL;
	size_t at = 0;
	int key;

	text[0] = '\0';
	for (key = 0; key < N_FACTS && at < len; key++) {
		const struct fact_info *info = fact_info((enum fact_key)key);

		if (info->scope != scope || may_be_absent(info->key) ||
			has_key(fs, info->key))
			continue;
		if (source != NULL && strcmp(source, info->source) == 0)
			at += (size_t)snprintf(text + at, len - at, ", %s", info->name);
		else if (source != NULL)
			at += (size_t)snprintf(
				text + at, len - at, " (%s); %s", source, info->name);
		else
			at += (size_t)snprintf(text + at, len - at, "%s", info->name);
		source = info->source;
	}
	if (source != NULL && at < len)
		(void)snprintf(text + at, len - at, " (%s)", source);
}

void facts_absent_note(const struct facts *fs, bool has_sut, struct run *run)
{
	/* A link that is no hardware has nothing to read; which machine counts what
	 * passes its memory is a fact of the run. */
	static const struct {
		enum fact_scope scope;
		bool of_sut;
		const char *words;
	} scopes[] = {
		{ FACT_THREAD, true, "of the SUT's threads" },
		{ FACT_PROCESS, true, "of the SUT" },
		{ FACT_NODE, true, "of the SUT's memory" },
		{ FACT_CPU, false, "of the CPUs" },
		{ FACT_HOST, false, "of the machine" },
	};
	char list[460];
	size_t i;

	for (i = 0; i < sizeof(scopes) / sizeof(scopes[0]); i++) {
		if (scopes[i].of_sut && !has_sut)
			continue;
		absent_list(fs, scopes[i].scope, list, sizeof(list));
		if (list[0] != '\0')
			run_add_note(run, "not readable here, %s: %s", scopes[i].words,
				list);
	}
}
