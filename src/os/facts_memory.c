/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Where the SUT's memory is. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/facts_private.h"
#include "os/proctree.h"
#include "os/sysfile.h"

#define MAX_BYTES     (1u << 20)          /* some 12000 mappings */
#define MAX_WALKED    (UINT64_C(2) << 30) /* resident: the kernel visits each page */
#define MAX_NODES     64
#define MAX_PROCESSES 16

/* One mapping: "N0=12 N1=3 ... kernelpagesize_kB=4". */
static void mapping_add(const char *line, size_t len, uint64_t *bytes)
{
	static const char size_key[] = " kernelpagesize_kB=";
	const char *p = memmem(line, len, size_key, sizeof(size_key) - 1);
	uint64_t page_bytes, n;
	char *end;
	long node;

	if (p != NULL)
		page_bytes = 1024 * strtoull(p + sizeof(size_key) - 1, NULL, 10);
	else /* before 3.19, which had it */
		page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
	for (p = line; (p = memmem(p, (size_t)(line + len - p), " N", 2)) != NULL;) {
		p += 2;
		node = strtol(p, &end, 10);
		if (end == p || *end != '=' || node < 0 || node >= MAX_NODES)
			continue;
		n = strtoull(end + 1, NULL, 10);
		bytes[node] += n * page_bytes;
	}
}

static bool numa_maps_add(
	int root_fd, pid_t pid, struct facts_buf *buf, uint64_t *bytes)
{
	char path[64];
	const char *line;
	size_t len;

	(void)snprintf(path, sizeof(path), "proc/%d/numa_maps", (int)pid);
	if (facts_buf_read(buf, root_fd, path, MAX_BYTES) < 0)
		return false;
	for (line = buf->p; *line != '\0'; line += len + (line[len] == '\n')) {
		len = strcspn(line, "\n");
		mapping_add(line, len, bytes);
	}
	return true;
}

/* The SUT's processes, and what is resident of them together; UINT64_MAX: too many of
 * them to look at. */
static size_t processes_of(
	const struct procstat_snapshot *proc, pid_t *pids, uint64_t *ret_rss_bytes)
{
	size_t n = 0, i, j;

	*ret_rss_bytes = 0;
	for (i = 0; i < proc->n_threads; i++) {
		for (j = 0; j < n && pids[j] != proc->threads[i].pid; j++)
			;
		if (j < n)
			continue;
		if (n == MAX_PROCESSES) {
			*ret_rss_bytes = UINT64_MAX;
			break;
		}
		*ret_rss_bytes += proc->threads[i].rss_bytes;
		pids[n++] = proc->threads[i].pid;
	}
	return n;
}

static void nodes_add(
	int root_fd, const pid_t *pids, size_t n_pids, struct facts_snapshot *s)
{
	uint64_t bytes[MAX_NODES] = { 0 };
	bool online[MAX_NODES] = { false };
	struct cpulist nodes = { 0 };
	char of[FACT_OF_MAX];
	size_t i;

	for (i = 0; i < n_pids; i++)
		if (!numa_maps_add(root_fd, pids[i], &s->buf, bytes))
			return; /* a part of it would be no sum */
	(void)sysfile_list(root_fd, FACTS_NODES, &nodes); /* none: those with memory */
	for (i = 0; i < nodes.n; i++)
		if (nodes.ids[i] < MAX_NODES)
			online[nodes.ids[i]] = true;
	cpulist_done(&nodes);
	for (i = 0; i < MAX_NODES; i++) {
		if (!online[i] && bytes[i] == 0)
			continue;
		(void)snprintf(of, sizeof(of), "%zu", i);
		facts_add(&s->levels, FACT_MEMORY_BYTES, of, (double)bytes[i]);
	}
}

/* "AnonHugePages:     2048 kB" */
static void huge_add(int root_fd, pid_t pid, struct facts_snapshot *s)
{
	char path[64], buf[4096];
	uint64_t kb;

	(void)snprintf(path, sizeof(path), "proc/%d/smaps_rollup", (int)pid);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) > 0 &&
		facts_keyed_number(buf, "AnonHugePages:", &kb))
		facts_add(&s->levels, FACT_HUGE_BYTES, "", 1024.0 * (double)kb);
}

void facts_memory_levels(int root_fd, pid_t pid, struct facts_snapshot *s)
{
	pid_t pids[MAX_PROCESSES];
	uint64_t rss_bytes;
	size_t n = processes_of(s->proc, pids, &rss_bytes);

	if (rss_bytes > MAX_WALKED)
		return;
	huge_add(root_fd, pid, s);
	nodes_add(root_fd, pids, n, s);
}
