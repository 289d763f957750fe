/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Facts about machines made of folders, and about this one. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/host.h"
#include "roottree.h"

static void check(const struct run *r, const char *key, const char *want)
{
	const char *got = run_fact(r, key);

	if (got == NULL)
		fail_msg("no fact %s", key);
	else
		assert_string_equal(got, want);
}

static void test_x86_guest(void **state)
{
	const struct roottree *t = *state;
	struct run *r = run_new();

	roottree_put(t, "proc/cpuinfo",
		"processor\t: 0\nvendor_id\t: X\nmodel\t\t: 17\n"
		"model name\t: Fast CPU @ 3.00GHz\nflags\t\t: fpu hypervisor lm\n\n");
	roottree_put(t, "proc/sys/kernel/osrelease", "6.1.0-13-amd64\n");
	roottree_put(t, "proc/sys/kernel/arch", "x86_64\n");
	roottree_put(t, "sys/devices/system/cpu/online", "0-3,8-9\n");
	roottree_put(t, "sys/devices/system/node/online", "0-1\n");
	roottree_put(t, "sys/devices/system/cpu/smt/active", "1\n");
	roottree_put(t, "sys/devices/system/cpu/cpu0/cpufreq/scaling_governor",
		"performance\n");
	roottree_put(
		t, "sys/devices/system/cpu/cpuidle/current_driver", "intel_idle\n");
	roottree_put(t,
		"sys/devices/system/clocksource/clocksource0/current_clocksource",
		"tsc\n");
	roottree_put(t, "sys/kernel/mm/transparent_hugepage/enabled",
		"always [madvise] never\n");
	roottree_put(t, "sys/devices/system/cpu/vulnerabilities/spectre_v2",
		"Mitigation: Retpolines; STIBP: disabled\n");
	roottree_put(t, "sys/devices/system/cpu/vulnerabilities/mds",
		"Vulnerable: Clear CPU buffers attempted\n");
	roottree_put(
		t, "sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
	host_fingerprint(t->fd, r);
	check(r, "cpu", "Fast CPU @ 3.00GHz");
	check(r, "virtual", "true");
	check(r, "cpu_count", "6");
	check(r, "kernel", "6.1.0-13-amd64");
	check(r, "arch", "x86_64");
	check(r, "numa_nodes", "2");
	check(r, "smt", "true");
	check(r, "governor", "performance");
	check(r, "idle_driver", "intel_idle");
	check(r, "clocksource", "tsc");
	check(r, "thp", "madvise");
	check(r, "mitigations", "mds=vulnerable spectre_v2=mitigated");
	run_free(r);
}

static void test_arm_board(void **state)
{
	const struct roottree *t = *state;
	struct run *r = run_new();

	roottree_put(t, "proc/cpuinfo",
		"processor\t: 0\nFeatures\t: fp asimd\nCPU implementer\t: 0x41\n"
		"CPU part\t: 0xd0c\n\n");
	roottree_put(t, "sys/class/dmi/id/sys_vendor", "Ampere\n");
	roottree_put(
		t, "sys/devices/system/cpu/vulnerabilities/l1tf", "Not affected\n");
	host_fingerprint(t->fd, r);
	check(r, "cpu", "implementer 0x41 part 0xd0c");
	check(r, "virtual", "false");
	check(r, "mitigations", "none needed");
	run_free(r);
}

static void test_what_cannot_be_read_is_absent(void **state)
{
	const struct roottree *t = *state;
	struct run *r = run_new();

	roottree_put(t, "proc/sys/kernel/osrelease", "\n");
	roottree_put(t, "sys/devices/system/cpu/online", "nonsense\n");
	roottree_put(t, "sys/kernel/mm/transparent_hugepage/enabled", "odd\n");
	host_fingerprint(t->fd, r);
	assert_int_equal(r->n_fingerprint, 1); /* this build is always known */
	assert_non_null(run_fact(r, "hardened"));
	run_free(r);
}

static void test_limits(void **state)
{
	static const char *const ports[] = { "eth0", NULL, "veth0", "eth1", "gone" };
	const struct roottree *t = *state;
	struct run *r = run_new();

	host_limits(t->fd, ports, 5, r);
	check(r, "memory_bandwidth", "not offered");
	check(r, "pcie_bandwidth", "not offered");
	assert_null(run_fact(r, "line_bps"));
	roottree_put(t, "sys/fs/resctrl/info/L3_MON/mon_features",
		"llc_occupancy\nmbm_total_bytes\n");
	roottree_put(t, "sys/class/net/eth0/device/uevent", "");
	roottree_put(t, "sys/class/net/eth0/speed", "25000\n");
	roottree_put(t, "sys/class/net/eth1/device/uevent", "");
	roottree_put(t, "sys/class/net/eth1/speed", "-1\n"); /* no carrier */
	roottree_put(t, "sys/class/net/veth0/speed", "10000\n");
	host_limits(t->fd, ports, 5, r);
	check(r, "memory_bandwidth", "resctrl");
	check(r, "line_bps", "25000000000");
	roottree_put(t, "sys/class/net/eth1/speed", "1000\n");
	roottree_put(t, "sys/bus/event_source/devices/uncore_imc_0/type", "12\n");
	roottree_put(t, "sys/bus/event_source/devices/uncore_iio_3/type", "13\n");
	roottree_put(t, "sys/bus/event_source/devices/cpu/type", "4\n");
	host_limits(t->fd, ports, 5, r);
	check(r, "memory_bandwidth", "uncore_imc");
	check(r, "pcie_bandwidth", "uncore_iio");
	check(r, "line_bps", "1000000000");
	run_free(r);
}

static void test_live(void **state)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct run *r = run_new();

	(void)state;
	host_fingerprint(root, r);
	assert_non_null(run_fact(r, "cpu"));
	assert_non_null(run_fact(r, "kernel"));
	assert_non_null(run_fact(r, "cpu_count"));
	run_free(r);
	(void)close(root);
}

int main(void)
{
#define ON_TREE(test)                                                                  \
	cmocka_unit_test_setup_teardown(test, roottree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		ON_TREE(test_x86_guest),
		ON_TREE(test_arm_board),
		ON_TREE(test_what_cannot_be_read_is_absent),
		ON_TREE(test_limits),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
