/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The audit of machines that were recorded by tests/lab/record-tree in the guests of
 * tests/lab/numa.bats, with a forwarder that spins, its virtio NIC (nic0) and an e1000e
 * (nic1):
 *
 *	            nodes                      forwarder   nic0     nic1
 *	two-nodes   a CPU each                 CPU 0       node 1   node 1
 *	four-nodes  a CPU each                 CPU 1       node 2   node 3
 *	odd-nodes   2 has CPU 2 and no memory, CPU 0       node 3   node 2
 *	            3 has no CPU; 0 is near to
 *	            2, and 1 to 3
 */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"
#include "os/audit_read.h"
#include "os/sysfile.h"
#include "plan/audit.h"
#include "roottree.h"

static void unpack(const struct roottree *t, const char *name)
{
	const char *top = getenv("top_srcdir");
	char *command = xasprintf("tar -xzf '%s/tests/fixture/audit/%s.tar.gz' -C '%s'",
		top != NULL ? top : ".", name, t->path);

	assert_int_equal(system(command), 0);
	free(command);
}

/* The recorded process: the one with threads. */
static pid_t sut_of(const struct roottree *t)
{
	size_t n = 0, i;
	char **names = sysfile_names(t->fd, "proc", &n), path[64];
	pid_t pid = 0;

	for (i = 0; i < n; i++) {
		(void)snprintf(path, sizeof(path), "proc/%.20s/task", names[i]);
		if (atoi(names[i]) > 0 && faccessat(t->fd, path, F_OK, 0) == 0)
			pid = atoi(names[i]);
	}
	sysfile_names_free(names, n);
	assert_true(pid > 0);
	return pid;
}

static void load(const struct roottree *t, const char *name, const char *in,
	struct audit *a, struct audit_findings *f)
{
	struct audit_request req = { .root_fd = t->fd, .in = in };
	struct sp_err err = { 0 };

	if (faccessat(t->fd, "proc", F_OK, 0) != 0)
		unpack(t, name);
	req.pid = sut_of(t);
	if (audit_read(&req, a, &err) != 0)
		fail_msg("%s", err.msg);
	*f = (struct audit_findings){ 0 };
	audit_judge(a, f);
}

static const struct audit_finding *find(const struct audit_findings *f, const char *id)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(f->f[i].id, id) == 0)
			return &f->f[i];
	return NULL;
}

static bool has(const struct audit_findings *f, const char *id)
{
	return find(f, id) != NULL;
}

/* It is found, and the text ends so; mend: what the command begins with, before the
 * thread's number; NULL: any. */
static void check_found(const struct audit *a, const struct audit_findings *f,
	const char *id, const char *end, const char *mend)
{
	const struct audit_finding *found = find(f, id);
	char *want;
	size_t len;

	if (found == NULL) {
		fail_msg("no finding %s", id);
		return;
	}
	len = strlen(found->what);
	assert_true(len >= strlen(end));
	assert_string_equal(found->what + len - strlen(end), end);
	if (mend == NULL)
		return;
	want = xasprintf("%s %d", mend, a->threads[0].tid);
	assert_memory_equal(found->mend, want, strlen(want));
	free(want);
}

static void check_cpus(const struct audit *a, int node, const char *want)
{
	char list[16];

	assert_non_null(audit_find_node(a, node));
	assert_string_equal(
		cpulist_format(&audit_find_node(a, node)->cpus, list, sizeof(list)),
		want);
}

static void check_nic(const struct audit *a, const char *name, int node,
	const char *driver, const char *bus)
{
	const struct audit_nic *nic = audit_find_nic(a, name);
	size_t i, n_queue = 0;

	assert_non_null(nic);
	assert_int_equal(nic->node, node);
	assert_string_equal(nic->driver, driver);
	assert_string_equal(nic->bus, bus);
	assert_int_equal(nic->n_rx, 1);
	assert_true(nic->up);
	for (i = 0; i < nic->n_irqs; i++) {
		n_queue += nic->irqs[i].is_queue;
		assert_true(nic->irqs[i].has_cpus);
	}
	assert_true(n_queue >= 1 && n_queue <= 2);
}

static void test_two_nodes(void **state)
{
	const struct roottree *t = *state;
	const struct audit_finding *found;
	struct audit_findings f;
	struct audit a;
	char *want;

	load(t, "two-nodes", NULL, &a, &f);
	assert_int_equal(a.n_nodes, 2);
	assert_int_equal(a.n_cpus, 2);
	check_cpus(&a, 0, "0");
	check_cpus(&a, 1, "1");
	assert_non_null(a.nodes[0].distances);
	assert_int_equal(a.nodes[0].distances[0], 10);
	assert_int_equal(a.nodes[0].distances[1], 20);
	assert_true(a.nodes[1].memory_bytes > 100e6);
	check_nic(&a, "nic0", 1, "virtio_net", "0000:00:10.0");
	check_nic(&a, "nic1", 1, "e1000e", "0000:00:11.0");
	assert_true(audit_find_nic(&a, "nic0")->used); /* by the forwarder's socket */
	assert_false(audit_find_nic(&a, "nic1")->used);
	assert_int_equal(a.n_threads, 1);
	assert_int_equal(a.threads[0].cpu, 0);
	assert_int_equal(a.threads[0].node, 0);
	assert_true(a.n_memory > 0);
	/* A problem, and by the first rule. */
	assert_true(f.n > 0);
	found = &f.f[0];
	assert_string_equal(found->id, "thread-node");
	assert_non_null(
		strstr(found->what, "runs on CPU 0 of node 0, but nic0 is on node 1"));
	want = xasprintf("sudo taskset -pc 1 %d", a.threads[0].tid);
	assert_memory_equal(found->mend, want, strlen(want));
	free(want);
	assert_false(has(&f, "node-empty"));
	assert_false(has(&f, "nic-nodes"));
	audit_findings_done(&f);
	audit_done(&a);
}

static void test_four_nodes(void **state)
{
	static const char *const cpus[] = { "0", "1", "2", "3" };
	const struct roottree *t = *state;
	struct audit_findings f;
	struct audit a;
	int i;

	load(t, "four-nodes", NULL, &a, &f);
	assert_int_equal(a.n_nodes, 4);
	assert_int_equal(a.n_cpus, 4);
	for (i = 0; i < 4; i++) {
		check_cpus(&a, i, cpus[i]);
		assert_int_equal(audit_node_of_cpu(&a, i), i);
		assert_non_null(a.nodes[i].distances);
		assert_int_equal(a.nodes[i].distances[i], 10);
		assert_int_equal(a.nodes[i].distances[(i + 1) % 4], 20);
		assert_true(a.nodes[i].memory_bytes > 100e6);
	}
	/* Behind bridges of their own. */
	check_nic(&a, "nic0", 2, "virtio_net", "0000:41:00.0");
	check_nic(&a, "nic1", 3, "e1000e", "0000:49:00.0");
	assert_int_equal(a.n_threads, 1);
	assert_int_equal(a.threads[0].node, 1);
	check_found(&a, &f, "thread-node",
		"runs on CPU 1 of node 1, but nic0 is on node 2", "sudo taskset -pc 2");
	check_found(&a, &f, "irq-node", "lands on CPU 0, but nic0 is on node 2", NULL);
	assert_false(has(&f, "node-empty"));
	audit_findings_done(&f);
	audit_done(&a);
	load(t, "four-nodes", "nic1", &a, &f);
	check_found(&a, &f, "thread-node",
		"runs on CPU 1 of node 1, but nic1 is on node 3", "sudo taskset -pc 3");
	check_found(&a, &f, "irq-node", "land on CPU 0, but nic1 is on node 3", NULL);
	audit_findings_done(&f);
	audit_done(&a);
}

static void test_odd_nodes(void **state)
{
	static const char *const cpus[] = { "0", "1", "2", "" };
	static const uint64_t from_3[] = { 20, 15, 20, 10 };
	const struct roottree *t = *state;
	const struct audit_finding *found;
	struct audit_findings f;
	struct audit a;
	char *want;
	int i;

	load(t, "odd-nodes", NULL, &a, &f);
	assert_int_equal(a.n_nodes, 4);
	assert_int_equal(a.n_cpus, 3);
	for (i = 0; i < 4; i++) {
		check_cpus(&a, i, cpus[i]);
		assert_non_null(a.nodes[i].distances);
		assert_int_equal(a.nodes[3].distances[i], from_3[i]);
		assert_true(i == 2 ? a.nodes[i].memory_bytes <= 0
				   : a.nodes[i].memory_bytes > 100e6);
	}
	assert_int_equal(audit_node_of_cpu(&a, 0), 0);
	assert_int_equal(audit_node_of_cpu(&a, 1), 1);
	assert_int_equal(audit_node_of_cpu(&a, 2), 2);
	check_nic(&a, "nic0", 3, "virtio_net", "0000:41:00.0");
	check_nic(&a, "nic1", 2, "e1000e", "0000:49:00.0");
	check_found(&a, &f, "thread-node",
		"runs on CPU 0 of node 0, but nic0 is on node 3", "sudo taskset -pc 1");
	check_found(&a, &f, "node-empty",
		"nic0 is on node 3, which has no CPUs; the nearest are 1", NULL);
	audit_findings_done(&f);
	audit_done(&a);
	/* Its memory is where it is to be for node 2, too: that has none. */
	load(t, "odd-nodes", "nic1", &a, &f);
	check_found(&a, &f, "thread-node",
		"runs on CPU 0 of node 0, but nic1 is on node 2", "sudo taskset -pc 2");
	found = find(&f, "thread-node");
	want = xasprintf("sudo taskset -pc 2 %d", a.threads[0].tid);
	assert_string_equal(found != NULL ? found->mend : "", want);
	free(want);
	assert_false(has(&f, "node-empty"));
	assert_false(has(&f, "memory-node"));
	audit_findings_done(&f);
	audit_done(&a);
}

/* What the user's environment says to hwloc is not about the machine that is audited.
 */
static void test_environment(void **state)
{
	const struct roottree *t = *state;
	struct audit_findings f;
	struct audit a;

	assert_int_equal(setenv("HWLOC_SYNTHETIC", "node:8 core:4 pu:2", 1), 0);
	assert_int_equal(setenv("HWLOC_FSROOT", "/nowhere", 1), 0);
	load(t, "two-nodes", NULL, &a, &f);
	assert_int_equal(a.n_nodes, 2);
	assert_int_equal(a.n_cpus, 2);
	audit_findings_done(&f);
	audit_done(&a);
}

int main(void)
{
#define ON_TREE(test)                                                                  \
	cmocka_unit_test_setup_teardown(test, roottree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		ON_TREE(test_two_nodes),
		ON_TREE(test_four_nodes),
		ON_TREE(test_odd_nodes),
		ON_TREE(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
