/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the probe reads, on machines made of folders; and that it comes to an end. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/caps.h"
#include "os/caps_private.h"
#include "roottree.h"

static const struct caps_feature *probe(
	const struct roottree *t, struct caps *c, enum caps_id id)
{
	memset(c, 0, sizeof(*c));
	caps_host_probe(t->fd, c);
	return &c->features[id];
}

static void check(const struct caps_feature *f, enum caps_state state, const char *why,
	const char *remedy)
{
	assert_int_equal(f->state, state);
	if (strstr(f->why, why) == NULL)
		fail_msg("'%s' lacks '%s'", f->why, why);
	if (strstr(f->remedy, remedy) == NULL)
		fail_msg("'%s' lacks '%s'", f->remedy, remedy);
	if (state == CAPS_OK)
		assert_string_equal(f->remedy, "");
}

static void test_quota_of_the_second_version(void **state)
{
	const struct roottree *t = *state;
	struct caps c;

	roottree_put(t, "proc/self/cgroup", "0::/box/inner\n");
	roottree_put(t, "sys/fs/cgroup/box/inner/cpu.max", "max 100000\n");
	check(probe(t, &c, CAPS_CPU_QUOTA), CAPS_OK, "no cgroup", "");
	/* the one above counts as well */
	roottree_put(t, "sys/fs/cgroup/box/cpu.max", "150000 100000\n");
	check(probe(t, &c, CAPS_CPU_QUOTA), CAPS_DEGRADED, "1.50 CPUs", "systemd-run");
	roottree_put(t, "sys/fs/cgroup/box/inner/cpu.max", "50000 100000\n");
	check(probe(t, &c, CAPS_CPU_QUOTA), CAPS_DEGRADED, "0.50 CPUs", "systemd-run");
}

static void test_quota_of_the_first_version(void **state)
{
	const struct roottree *t = *state;
	struct caps c;

	roottree_put(
		t, "proc/self/cgroup", "5:memory:/a\n4:cpu,cpuacct:/docker/x\n0::/\n");
	roottree_put(t, "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "-1\n");
	roottree_put(
		t, "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_period_us", "100000\n");
	check(probe(t, &c, CAPS_CPU_QUOTA), CAPS_OK, "no cgroup", "");
	roottree_put(
		t, "sys/fs/cgroup/cpu,cpuacct/docker/x/cpu.cfs_quota_us", "200000\n");
	check(probe(t, &c, CAPS_CPU_QUOTA), CAPS_DEGRADED, "2.00 CPUs", "systemd-run");
}

/* The namespace's root: the path is "/", or leads out of what is mounted. */
static void test_quota_inside_a_container(void **state)
{
	const struct roottree *t = *state;
	struct caps c;

	roottree_put(t, "proc/self/cgroup", "0::/\n");
	roottree_put(t, "sys/fs/cgroup/cpu.max", "25000 100000\n");
	check(probe(t, &c, CAPS_CPU_QUOTA), CAPS_DEGRADED, "0.25 CPUs", "systemd-run");
	roottree_put(t, "proc/self/cgroup", "0::/../../elsewhere\n");
	check(probe(t, &c, CAPS_CPU_QUOTA), CAPS_DEGRADED, "0.25 CPUs", "systemd-run");
	roottree_put(t, "proc/self/cgroup", "nonsense\n\n::\n");
	(void)probe(t, &c, CAPS_CPU_QUOTA);
}

static void test_kernel_symbols(void **state)
{
	const struct roottree *t = *state;
	struct caps c;

	check(probe(t, &c, CAPS_KERNEL_SYMBOLS), CAPS_MISSING, "cannot be read", "");
	roottree_put(t, "proc/kallsyms",
		"0000000000000000 A fixed\nffffffff81000000 T _text\n");
	check(probe(t, &c, CAPS_KERNEL_SYMBOLS), CAPS_OK, "shows addresses", "");
	roottree_put(t, "proc/kallsyms",
		"0000000000000000 A fixed\n0000000000000000 T _text\n");
	roottree_put(t, "proc/sys/kernel/kptr_restrict", "1\n");
	check(probe(t, &c, CAPS_KERNEL_SYMBOLS), CAPS_MISSING, "kptr_restrict is 1",
		"sysctl -w kernel.kptr_restrict=0");
	roottree_put(t, "proc/sys/kernel/kptr_restrict", "0\n");
	check(probe(t, &c, CAPS_KERNEL_SYMBOLS), CAPS_MISSING, "kptr_restrict is 0",
		"sysctl -w kernel.perf_event_paranoid=1");
}

static void test_sysctls(void **state)
{
	const struct roottree *t = *state;
	struct caps c;

	check(probe(t, &c, CAPS_PERF_RATE), CAPS_MISSING, "no perf events", "");
	check(&c.features[CAPS_NMI_WATCHDOG], CAPS_OK, "no hardware counter", "");
	check(&c.features[CAPS_NUMA], CAPS_OK, "1 NUMA node:", "");
	roottree_put(t, "proc/sys/kernel/perf_event_max_sample_rate", "1000\n");
	roottree_put(t, "proc/sys/kernel/nmi_watchdog", "1\n");
	roottree_put(t, "sys/devices/system/node/online", "0-1,4\n");
	check(probe(t, &c, CAPS_PERF_RATE), CAPS_DEGRADED, "1000 samples/s",
		"perf_event_max_sample_rate=100000");
	check(&c.features[CAPS_NMI_WATCHDOG], CAPS_DEGRADED, "one hardware counter",
		"nmi_watchdog=0");
	check(&c.features[CAPS_NUMA], CAPS_OK, "3 NUMA nodes", "");
}

static void test_user_namespace(void **state)
{
	const struct roottree *t = *state;
	struct caps c;

	roottree_put(t, "proc/self/uid_map", "         0       1000          1\n");
	check(probe(t, &c, CAPS_RIGHTS), CAPS_DEGRADED, "inside a user namespace",
		"sudo satprof probe");
	check(&c.features[CAPS_INTERFACES], CAPS_MISSING, "CAP_NET_RAW", "sudo");
}

/* All of it on this machine: each feature gets its answer. */
static void test_live(void **state)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), id;
	struct caps c;

	(void)state;
	caps_probe(root, &c);
	for (id = 0; id < CAPS_N; id++) {
		assert_non_null(caps_name((enum caps_id)id));
		if (strstr(c.features[id].why, "no answer") != NULL)
			fail_msg("%s: no answer", caps_name((enum caps_id)id));
		assert_string_not_equal(c.features[id].why, "");
	}
	(void)close(root);
}

int main(void)
{
#define ON_TREE(test)                                                                  \
	cmocka_unit_test_setup_teardown(test, roottree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		ON_TREE(test_quota_of_the_second_version),
		ON_TREE(test_quota_of_the_first_version),
		ON_TREE(test_quota_inside_a_container),
		ON_TREE(test_kernel_symbols),
		ON_TREE(test_sysctls),
		ON_TREE(test_user_namespace),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
