/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes, CPUs and cores through hwloc, of this machine or of a recorded tree. */
#include "config.h"

#include <hwloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "os/audit_private.h"
#include "os/sysfile.h"

/*
 * hwloc 2 takes another root folder from the environment only. What else is there for
 * it (another topology, other components) would change what we find, so it goes.
 */
static void environment_set(const struct audit_request *req)
{
	char path[64];
	size_t i = 0;

	while (environ != NULL && environ[i] != NULL) {
		char *name;

		if (strncmp(environ[i], "HWLOC_", 6) != 0) {
			i++;
			continue;
		}
		name = xstrdup(environ[i]);
		name[strcspn(name, "=")] = '\0';
		(void)unsetenv(name); /* cannot fail: it has no '=' */
		free(name);
	}
	if (req->is_live)
		return;
	(void)snprintf(path, sizeof(path), "/proc/self/fd/%d", req->root_fd);
	(void)setenv("HWLOC_FSROOT", path, 1); /* fails without memory: seen below */
}

/* NULL where hwloc fails. */
static hwloc_topology_t load(const struct audit_request *req)
{
	hwloc_topology_t t = NULL;

	environment_set(req);
	if (hwloc_topology_init(&t) != 0)
		return NULL;
	/* Its x86 part would visit every CPU, isolated ones too. What it lacks by
	 * these calls is only left in, so their results do not matter. */
	(void)hwloc_topology_set_components(
		t, HWLOC_TOPOLOGY_COMPONENTS_FLAG_BLACKLIST, "x86");
	(void)hwloc_topology_set_all_types_filter(t, HWLOC_TYPE_FILTER_KEEP_NONE);
	(void)hwloc_topology_set_type_filter(
		t, HWLOC_OBJ_CORE, HWLOC_TYPE_FILTER_KEEP_ALL);
	(void)hwloc_topology_set_flags(t, HWLOC_TOPOLOGY_FLAG_INCLUDE_DISALLOWED);
	if (hwloc_topology_load(t) != 0) {
		hwloc_topology_destroy(t);
		t = NULL;
	}
	(void)unsetenv("HWLOC_FSROOT"); /* cannot fail */
	return t;
}

static void set_add(struct cpulist *l, hwloc_const_bitmap_t set)
{
	int id;

	for (id = hwloc_bitmap_first(set); id >= 0 && id < CPULIST_MAX;
		id = hwloc_bitmap_next(set, id))
		cpulist_add(l, id);
}

/*
 * The CPUs of a node, which are none where it has memory only: hwloc says then which
 * are near to it. A kernel that knows no nodes has no such file.
 */
static void node_cpus_add(const struct audit_request *req, hwloc_const_bitmap_t near,
	struct audit_node *n)
{
	char path[64];

	(void)snprintf(
		path, sizeof(path), "sys/devices/system/node/node%d/cpulist", n->node);
	if (sysfile_list(req->root_fd, path, &n->cpus) != 0)
		set_add(&n->cpus, near);
}

static void nodes_add(
	const struct audit_request *req, hwloc_topology_t t, struct audit *a)
{
	hwloc_obj_t obj = NULL;

	while ((obj = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_NUMANODE, obj)) != NULL) {
		struct audit_node *n = audit_add_node(a, (int)obj->os_index);

		n->memory_bytes = (double)obj->attr->numanode.local_memory;
		node_cpus_add(req, obj->cpuset, n);
	}
	a->host.n_nodes = (int)a->n_nodes;
}

/* The node that has this CPU; a nodeset of hwloc's holds those without CPUs, too. */
static int node_with(const struct audit *a, int cpu)
{
	size_t i;

	for (i = 0; i < a->n_nodes; i++)
		if (cpulist_has(&a->nodes[i].cpus, cpu))
			return a->nodes[i].node;
	return AUDIT_NONE;
}

static void cpus_add(hwloc_topology_t t, struct audit *a)
{
	hwloc_obj_t obj = NULL, core;

	while ((obj = hwloc_get_next_obj_by_type(t, HWLOC_OBJ_PU, obj)) != NULL) {
		struct audit_cpu *c = audit_add_cpu(a, (int)obj->os_index);

		c->node = node_with(a, c->cpu);
		core = hwloc_get_ancestor_obj_by_type(t, HWLOC_OBJ_CORE, obj);
		if (core != NULL)
			set_add(&c->siblings, core->cpuset);
	}
}

static int by_cpu(const void *a, const void *b)
{
	const struct audit_cpu *x = a, *y = b;

	return (x->cpu > y->cpu) - (x->cpu < y->cpu);
}

static int by_node(const void *a, const void *b)
{
	const struct audit_node *x = a, *y = b;

	return (x->node > y->node) - (x->node < y->node);
}

static void distances_add(hwloc_topology_t t, struct audit *a)
{
	struct hwloc_distances_s *d = NULL;
	unsigned n = 1, i, k;
	size_t at;

	if (hwloc_distances_get_by_name(t, "NUMALatency", &n, &d, 0) != 0 || n == 0)
		return;
	for (at = 0; at < a->n_nodes; at++) {
		a->nodes[at].distances =
			xcalloc(a->n_nodes, sizeof(*a->nodes[at].distances));
		for (i = 0; i < a->n_nodes; i++)
			a->nodes[at].distances[i] = UINT64_MAX;
	}
	for (i = 0; i < d->nbobjs; i++)
		for (k = 0; k < d->nbobjs; k++) {
			struct audit_node *from, *to;

			if (d->objs[i] == NULL || d->objs[k] == NULL)
				continue;
			from = audit_find_node(a, (int)d->objs[i]->os_index);
			to = audit_find_node(a, (int)d->objs[k]->os_index);
			if (from != NULL && to != NULL)
				from->distances[to - a->nodes] =
					d->values[i * d->nbobjs + k];
		}
	hwloc_distances_release(t, d);
}

void audit_topology_read(const struct audit_request *req, struct audit *a)
{
	static const char online[] = "sys/devices/system/cpu/online";
	struct cpulist cpus = { 0 };
	hwloc_topology_t t = NULL;
	int rc = sysfile_list(req->root_fd, online, &cpus);

	/* Without it hwloc would guess. */
	if (rc == 0)
		t = load(req);
	cpulist_done(&cpus);
	if (t == NULL) {
		if (rc != 0)
			audit_gap_file(a, "topology", online, rc);
		else
			audit_add_gap(a, "topology", "hwloc cannot load it");
		return;
	}
	nodes_add(req, t, a);
	cpus_add(t, a);
	qsort(a->cpus, a->n_cpus, sizeof(*a->cpus), by_cpu);
	qsort(a->nodes, a->n_nodes, sizeof(*a->nodes), by_node);
	distances_add(t, a);
	if (a->n_nodes > 1 && a->nodes[0].distances == NULL)
		audit_add_gap(a, "distances between nodes",
			"neither /sys/devices/system/node nor hwloc tells them");
	hwloc_topology_destroy(t);
}
