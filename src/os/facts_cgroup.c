/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SUT's control groups, and how often they throttled it. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/cgroup_quota.h"
#include "os/facts_private.h"
#include "os/proctree.h"

#define TEXT_LEN 2048

/* "ID:CONTROLLERS:PATH" as "CONTROLLERS:PATH"; version 2 has no controllers. A root is
 * left out: it holds nothing back. */
static void place_append(char *line, char *text, size_t *at)
{
	const char *path;
	char *place = strchr(line, ':');

	if (place == NULL)
		return;
	place += place[1] == ':' ? 2 : 1;
	path = strchr(place, '/');
	if (path != NULL && path[1] != '\0' && *at < TEXT_LEN)
		*at += (size_t)snprintf(
			text + *at, TEXT_LEN - *at, "%s%s", *at > 0 ? " " : "", place);
}

/* What the fact says; the caller frees. NULL: it cannot be read. */
static char *places_read(int root_fd, pid_t pid)
{
	char path[64], buf[TEXT_LEN], text[TEXT_LEN] = "/", *line, *rest;
	size_t at = 0;

	(void)snprintf(path, sizeof(path), "proc/%d/cgroup", (int)pid);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) <= 0)
		return NULL;
	for (line = strtok_r(buf, "\n", &rest); line != NULL;
		line = strtok_r(NULL, "\n", &rest))
		place_append(line, text, &at);
	return xstrdup(text);
}

void facts_cgroup_read(int root_fd, pid_t pid, struct facts_snapshot *s)
{
	struct cgroup_quota q;
	char who[16];

	free(s->cgroup);
	s->cgroup = pid > 0 ? places_read(root_fd, pid) : NULL;
	s->has_throttled = false;
	(void)snprintf(who, sizeof(who), "%d", (int)pid);
	if (s->cgroup == NULL || cgroup_quota_read(root_fd, who, &q) != 0)
		return;
	s->has_throttled = q.has_throttled;
	s->throttled = q.n_throttled;
	s->throttled_ns = q.throttled_ns;
}

void facts_cgroup_diff(const struct facts_snapshot *a, const struct facts_snapshot *b,
	struct facts *fs)
{
	if (b->cgroup == NULL)
		return;
	facts_add_text(fs, FACT_CGROUP, "", b->cgroup);
	if (!a->has_throttled || !b->has_throttled || a->cgroup == NULL ||
		strcmp(a->cgroup, b->cgroup) != 0)
		return; /* it moved: the two are no edges of one thing */
	facts_add(fs, FACT_THROTTLED, "", facts_grown(a->throttled, b->throttled));
	facts_add(fs, FACT_THROTTLED_NS, "",
		facts_grown(a->throttled_ns, b->throttled_ns));
}
