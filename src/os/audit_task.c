/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SUT's threads, where they may run, and on which nodes its memory is. */
#include "config.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/audit_private.h"
#include "os/procstat.h"
#include "os/proctree.h"
#include "os/sysfile.h"

static void allowed_read(
	const struct audit_request *req, struct audit *a, struct audit_thread *t)
{
	char path[96], buf[8192], list[4096];
	ssize_t got;

	(void)snprintf(
		path, sizeof(path), "proc/%d/task/%d/status", (int)t->pid, (int)t->tid);
	got = proctree_read_file(req->root_fd, path, buf, sizeof(buf));
	if (got > 0 && sysfile_value(buf, "Cpus_allowed_list", list, sizeof(list)) &&
		cpulist_parse(list, &t->allowed)) {
		t->has_allowed = true;
		return;
	}
	audit_gap_file(
		a, "CPUs that threads may use", path, got < 0 ? (int)got : -EINVAL);
}

static void threads_read(const struct audit_request *req, struct audit *a)
{
	struct procstat_snapshot s = { 0 };
	struct sp_err err = { 0 };
	size_t i;

	if (procstat_read(req->root_fd, req->pid, &s, &err) != 0) {
		audit_add_gap(a, "threads of the SUT", "%s", err.msg);
		procstat_done(&s);
		return;
	}
	for (i = 0; i < s.n_threads; i++) {
		const struct procstat_thread *from = &s.threads[i];
		struct audit_thread *t = audit_add_thread(a, from->pid, from->tid);

		(void)snprintf(t->comm, sizeof(t->comm), "%s", from->comm);
		t->cpu = from->cpu;
		t->node = audit_node_of_cpu(a, t->cpu);
		allowed_read(req, a, t);
	}
	procstat_done(&s);
}

/*
 * Whether a mapping is the process's own memory: what it shares with others by a file
 * (its code, libraries) lies wherever somebody read it first. Memory of devices,
 * sockets and huge pages has a file, too.
 */
static bool is_own(const char *line)
{
	static const char *const files[] = { "file=/dev/", "file=/memfd:", "file=/SYSV",
		"file=socket:", "file=anon_inode:", "file=/anon_hugepage", "huge" };
	size_t i;

	if (strstr(line, " file=") == NULL || strstr(line, " anon=") != NULL)
		return true;
	for (i = 0; i < sizeof(files) / sizeof(files[0]); i++)
		if (strstr(line, files[i]) != NULL)
			return true;
	return false;
}

/* "... N0=12 N1=3 kernelpagesize_kB=4" */
static void line_add(struct audit *a, int pid, const char *comm, char *line)
{
	const char *size = strstr(line, " kernelpagesize_kB=");
	char *word, *rest = NULL;
	uint64_t kb = 4, n;
	int node;

	if (!is_own(line))
		return;
	if (size != NULL)
		kb = strtoull(strchr(size, '=') + 1, NULL, 10);
	for (word = strtok_r(line, " ", &rest); word != NULL;
		word = strtok_r(NULL, " ", &rest))
		if (sscanf(word, "N%d=%" SCNu64, &node, &n) == 2)
			audit_add_memory(
				a, pid, comm, node, (double)n * (double)kb * 1024);
}

static void memory_read(
	const struct audit_request *req, struct audit *a, int pid, const char *comm)
{
	char path[64], *text, *line, *rest = NULL;
	int e = 0;

	(void)snprintf(path, sizeof(path), "proc/%d/numa_maps", pid);
	text = sysfile_text(req->root_fd, path, &e);
	if (text == NULL) {
		audit_gap_file(a, "memory of the SUT by node", path, -e);
		return;
	}
	for (line = strtok_r(text, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest))
		line_add(a, pid, comm, line);
	free(text);
}

void audit_task_read(const struct audit_request *req, struct audit *a)
{
	size_t i, k;

	if (req->pid == 0)
		return;
	a->has_sut = true;
	threads_read(req, a);
	for (i = 0; i < a->n_threads; i++) {
		int pid = a->threads[i].pid;

		for (k = 0; k < i && a->threads[k].pid != pid; k++)
			;
		if (k == i) /* each process once */
			memory_read(req, a, pid, a->threads[i].comm);
	}
}
