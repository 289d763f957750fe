/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The audit of a machine that was recorded by tests/lab/record-tree: two nodes with a
 * CPU each, a forwarder that spins on CPU 0, its virtio NIC (nic0) and an e1000e
 * (nic1), both on node 1.
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

static bool has(const struct audit_findings *f, const char *id)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		if (strcmp(f->f[i].id, id) == 0)
			return true;
	return false;
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
		ON_TREE(test_environment),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
