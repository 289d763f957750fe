/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an audit reads, from trees made by hand: places of NICs, interrupts, sockets,
 * memory, quotas; and what it says of what it cannot read. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "os/audit_read.h"
#include "roottree.h"

#define PCI    "sys/devices/pci0000:00/0000:00:10.0/"
#define QUEUES PCI "virtio0/net/nic0/queues/"

static void put_virtio(const struct roottree *t)
{
	roottree_put(t, "proc/net/dev",
		"Inter-|   Receive                                                |  T\n"
		" face |bytes    packets errs drop fifo frame compressed multicast|by\n"
		"    lo:     100       1    0    0    0     0          0         0\n"
		"  nic0:    6400     100    1    7    3     0          0         0    "
		"3200      50    0    2    0     0       0          0\n"
		" veth0:       0       0    0    0    0     0          0         0    "
		"   0       0    0    0    0     0       0          0\n");
	roottree_link(t, "sys/class/net/nic0",
		"../../devices/pci0000:00/0000:00:10.0/virtio0/net/nic0");
	roottree_link(t, "sys/class/net/veth0", "../../devices/virtual/net/veth0");
	roottree_put(t, PCI "numa_node", "1\n");
	roottree_put(t, PCI "msi_irqs/24", "msix\n");
	roottree_put(t, PCI "msi_irqs/25", "msix\n");
	roottree_put(t, PCI "msi_irqs/26", "msix\n");
	roottree_link(
		t, PCI "virtio0/driver", "../../../../bus/virtio/drivers/virtio_net");
	roottree_put(t, PCI "virtio0/net/nic0/flags", "0x1003\n");
	roottree_put(t, PCI "virtio0/net/nic0/ifindex", "2\n");
	roottree_put(t, QUEUES "rx-0/rps_cpus", "00000000,00000002\n");
	roottree_put(t, QUEUES "rx-1/rps_cpus", "00000000,00000000\n");
	roottree_put(t, QUEUES "tx-0/xps_cpus", "3\n");
	roottree_put(t, "proc/interrupts",
		"            CPU0       CPU1       \n"
		"  1:          9          0   IO-APIC   1-edge      i8042\n"
		" 24:          0          0  PCI-MSIX-0000:00:10.0   0-edge      "
		"virtio0-config\n"
		" 25:          5         12  PCI-MSIX-0000:00:10.0   1-edge      "
		"virtio0-input.0\n"
		" 26:          0          0  PCI-MSIX-0000:00:10.0   2-edge      "
		"virtio0-output.0\n"
		"NMI:          0          0   Non-maskable interrupts\n"
		"ERR:          0\n");
	roottree_put(t, "proc/irq/24/effective_affinity_list", "0\n");
	roottree_put(t, "proc/irq/25/effective_affinity_list", "1\n");
	/* Not started yet: the mask says where it will land. */
	roottree_put(t, "proc/irq/26/effective_affinity_list", "\n");
	roottree_put(t, "proc/irq/26/smp_affinity_list", "0-1\n");
}

static void read_tree(const struct roottree *t, pid_t pid, struct audit *a)
{
	const struct audit_request req = { .root_fd = t->fd, .pid = pid };
	struct sp_err err = { 0 };

	if (audit_read(&req, a, &err) != 0)
		fail_msg("%s", err.msg);
}

static bool has_gap(const struct audit *a, const char *what, const char *why)
{
	size_t i;

	for (i = 0; i < a->n_gaps; i++)
		if (strcmp(a->gaps[i].what, what) == 0)
			return strstr(a->gaps[i].why, why) != NULL;
	return false;
}

static void test_virtio(void **state)
{
	const struct roottree *t = *state;
	const struct audit_nic *nic;
	struct audit a;
	char list[16];

	put_virtio(t);
	read_tree(t, 0, &a);
	assert_int_equal(a.n_nics, 1); /* neither lo nor a veth */
	nic = &a.nics[0];
	assert_string_equal(nic->name, "nic0");
	assert_int_equal(nic->node, 1); /* of the PCI device above virtio0 */
	assert_string_equal(nic->bus, "0000:00:10.0");
	assert_string_equal(nic->driver, "virtio_net");
	assert_true(nic->up);
	assert_false(nic->used);
	assert_int_equal(nic->n_rx, 2);
	assert_int_equal(nic->n_tx, 1);
	assert_true(nic->has_rps);
	assert_string_equal(cpulist_format(&nic->rps, list, sizeof(list)), "1");
	assert_string_equal(cpulist_format(&nic->xps, list, sizeof(list)), "0-1");
	assert_true(nic->has_drops);
	assert_int_equal(nic->rx_pkts, 100);
	assert_int_equal(nic->rx_drops, 7);
	assert_int_equal(nic->tx_drops, 2);
	assert_int_equal(nic->n_irqs, 3);
	assert_string_equal(nic->irqs[0].name, "virtio0-config");
	assert_false(nic->irqs[0].is_queue);
	assert_string_equal(nic->irqs[1].name, "virtio0-input.0");
	assert_true(nic->irqs[1].is_queue);
	assert_int_equal(nic->irqs[1].n, 17);
	assert_string_equal(
		cpulist_format(&nic->irqs[1].cpus, list, sizeof(list)), "1");
	assert_true(nic->irqs[2].is_queue);
	assert_string_equal(
		cpulist_format(&nic->irqs[2].cpus, list, sizeof(list)), "0-1");
	/* A recorded tree has no driver to ask. */
	assert_int_equal(nic->gro, AUDIT_UNKNOWN);
	assert_int_equal(nic->rx_ring, AUDIT_UNKNOWN);
	assert_true(has_gap(&a, "rings and offloads of NICs", "recorded"));
	audit_done(&a);
}

static void test_nothing_there(void **state)
{
	const struct roottree *t = *state;
	static const char *const gaps[] = { "topology", "interfaces", "interrupts",
		"clock source", "transparent huge pages", "mitigations",
		"isolated CPUs", "CPUs without a tick", "CPU quota", "huge pages",
		"whether irqbalance runs", "whether idle states are held off",
		"how busy CPUs and threads are" };
	struct audit a;
	size_t i;

	read_tree(t, 0, &a);
	for (i = 0; i < sizeof(gaps) / sizeof(gaps[0]); i++)
		if (!has_gap(&a, gaps[i], ""))
			fail_msg("no gap: %s", gaps[i]);
	assert_int_equal(a.n_nics, 0);
	assert_int_equal(a.host.irqbalance, AUDIT_UNKNOWN);
	assert_true(isnan(a.host.quota_cpus));
	audit_done(&a);
}

/* kind: "cpu" or "node". */
static void put_of(const struct roottree *t, const char *kind, int id, const char *name,
	const char *text)
{
	char path[96];

	(void)snprintf(path, sizeof(path), "sys/devices/system/%s/%s%d/%s", kind, kind,
		id, name);
	roottree_put(t, path, text);
}

static void put_node(const struct roottree *t, int node, const char *cpus,
	const char *mask, const char *distances, int kb)
{
	char text[64];

	put_of(t, "node", node, "cpulist", cpus);
	put_of(t, "node", node, "cpumap", mask);
	put_of(t, "node", node, "distance", distances);
	(void)snprintf(text, sizeof(text), "Node %d MemTotal:       %d kB\n", node, kb);
	put_of(t, "node", node, "meminfo", text);
}

/* Node 0 has no CPUs and is near to node 1; node 2 has no memory. */
static void put_odd_nodes(const struct roottree *t)
{
	static const char *const masks[] = { "1\n", "2\n", "4\n" };
	char id[16];
	int cpu;

	roottree_put(t, "sys/devices/system/cpu/online", "0-2\n");
	roottree_put(t, "sys/devices/system/cpu/possible", "0-2\n");
	for (cpu = 0; cpu < 3; cpu++) {
		(void)snprintf(id, sizeof(id), "%d\n", cpu);
		put_of(t, "cpu", cpu, "topology/physical_package_id", id);
		put_of(t, "cpu", cpu, "topology/core_id", "0\n");
		put_of(t, "cpu", cpu, "topology/core_cpus", masks[cpu]);
		put_of(t, "cpu", cpu, "topology/thread_siblings", masks[cpu]);
		put_of(t, "cpu", cpu, "topology/package_cpus", masks[cpu]);
		put_of(t, "cpu", cpu, "topology/core_siblings", masks[cpu]);
	}
	roottree_put(t, "sys/devices/system/node/online", "0-2\n");
	roottree_put(t, "sys/devices/system/node/possible", "0-2\n");
	put_node(t, 0, "\n", "0\n", "10 15 30\n", 262144);
	put_node(t, 1, "0-1\n", "3\n", "15 10 20\n", 524288);
	put_node(t, 2, "2\n", "4\n", "30 20 10\n", 0);
}

/* Each node has the CPUs that /sys says: a node without any is not given those of the
 * nearest one, and no CPU is on such a node. */
static void test_nodes_without(void **state)
{
	static const char *const cpus[] = { "", "0-1", "2" };
	static const double bytes[] = { 262144 * 1024.0, 524288 * 1024.0, 0 };
	static const uint64_t from_0[] = { 10, 15, 30 };
	static const int nodes[] = { 1, 1, 2 };
	const struct roottree *t = *state;
	struct audit a;
	char list[16];
	size_t i;

	put_virtio(t);
	put_odd_nodes(t);
	read_tree(t, 0, &a);
	assert_int_equal(a.n_nodes, 3);
	for (i = 0; i < 3; i++) {
		assert_int_equal(a.nodes[i].node, i);
		assert_string_equal(
			cpulist_format(&a.nodes[i].cpus, list, sizeof(list)), cpus[i]);
		assert_true(!(a.nodes[i].memory_bytes < bytes[i]) &&
			    !(a.nodes[i].memory_bytes > bytes[i]));
		assert_non_null(a.nodes[i].distances);
		assert_int_equal(a.nodes[0].distances[i], from_0[i]);
	}
	assert_int_equal(a.n_cpus, 3);
	for (i = 0; i < 3; i++)
		assert_int_equal(audit_node_of_cpu(&a, (int)i), nodes[i]);
	audit_done(&a);
}

static void put_process(const struct roottree *t)
{
	roottree_put(t, "proc/stat",
		"cpu  10 0 10 100 0 0 0 0 0 0\ncpu0 5 0 5 50 0 0 0 0 0 0\n"
		"cpu1 5 0 5 50 0 0 0 0 0 0\n");
	roottree_put(t, "proc/100/stat",
		"100 (fwd) R 1 100 100 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 77 1000 10 0 0 0 "
		"0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n");
	roottree_put(t, "proc/100/task/100/stat",
		"100 (fwd) R 1 100 100 0 -1 0 0 0 0 0 5 5 0 0 20 0 1 0 77 1000 10 0 0 0 "
		"0 0 0 0 0 0 0 0 0 0 17 1 0 0 0 0 0\n");
	roottree_put(t, "proc/100/task/100/children", "");
	roottree_put(t, "proc/100/task/100/status",
		"Name:\tfwd\nCpus_allowed:\t2\nCpus_allowed_list:\t1\n");
	/* Own: the heap, what was copied of a file, a ring, a huge page. Not: code. */
	roottree_put(t, "proc/100/numa_maps",
		"00400000 default file=/bin/fwd mapped=100 N0=100 kernelpagesize_kB=4\n"
		"00600000 default file=/bin/fwd anon=2 dirty=2 N1=2 "
		"kernelpagesize_kB=4\n"
		"01000000 default heap anon=10 dirty=10 N0=4 N1=6 kernelpagesize_kB=4\n"
		"02000000 default file=socket:[55] mapped=8 N0=8 kernelpagesize_kB=4\n"
		"03000000 default file=/anon_hugepage\\040(deleted) huge anon=1 dirty=1 "
		"N1=1 kernelpagesize_kB=2048\n");
	roottree_put(t, "proc/100/net/packet",
		"sk       RefCnt Type Proto  Iface R Rmem   User   Inode\n"
		"00000000 3      3    0003   2     1 0      0      55\n");
	roottree_link(t, "proc/100/fd/3", "socket:[55]");
	roottree_link(t, "proc/100/fd/4", "/dev/null");
	roottree_put(t, "proc/100/cgroup", "0::/a/b\n");
	roottree_put(t, "sys/fs/cgroup/a/cpu.max", "150000 100000\n");
	roottree_put(t, "sys/fs/cgroup/a/cpu.stat",
		"usage_usec 5\nnr_periods 9\nnr_throttled 3\nthrottled_usec 400\n");
	roottree_put(t, "sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
	roottree_put(t, "sys/fs/cgroup/a/b/cpu.stat", "usage_usec 5\n");
}

static void assert_near(double got, double want)
{
	if (!(fabs(got - want) < 1e-6))
		fail_msg("%g, not %g", got, want);
}

static double bytes_on(const struct audit *a, int node)
{
	size_t i;

	for (i = 0; i < a->n_memory; i++)
		if (a->memory[i].node == node)
			return a->memory[i].bytes;
	return -1;
}

static void test_process(void **state)
{
	const struct roottree *t = *state;
	const struct audit_thread *thread;
	struct audit a;

	put_virtio(t);
	put_process(t);
	roottree_put(t, "proc/100/net/dev",
		"a\nb\n  nic0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	read_tree(t, 100, &a);
	assert_true(a.has_sut);
	assert_int_equal(a.n_threads, 1);
	thread = &a.threads[0];
	assert_string_equal(thread->comm, "fwd");
	assert_int_equal(thread->cpu, 1);
	assert_true(thread->has_allowed);
	assert_int_equal(thread->allowed.n, 1);
	assert_true(cpulist_has(&thread->allowed, 1));
	assert_true(isnan(thread->busy_frac));
	assert_near(bytes_on(&a, 0), (4 + 8) * 4096.0);
	assert_near(bytes_on(&a, 1), (2 + 6) * 4096.0 + 2097152);
	assert_int_equal(a.n_nics, 1);
	assert_true(a.nics[0].used); /* by its socket's inode */
	assert_near(a.host.quota_cpus, 1.5);
	assert_string_equal(a.host.quota_file, "/sys/fs/cgroup/a/cpu.max");
	assert_true(a.host.has_throttled);
	assert_int_equal(a.host.n_throttled, 3);
	assert_int_equal(a.host.throttled_ns, 400000);
	audit_done(&a);
}

static void test_no_such(void **state)
{
	const struct roottree *t = *state;
	struct audit_request req = { .root_fd = t->fd, .pid = 4711 };
	struct sp_err err = { 0 };
	struct audit a;

	put_virtio(t);
	assert_int_equal(audit_read(&req, &a, &err), -SP_EUSAGE);
	assert_string_equal(err.msg, "no process 4711 here");
	req.pid = 0;
	req.in = "nic0";
	req.out = "nic7";
	assert_int_equal(audit_read(&req, &a, &err), -SP_EUSAGE);
	assert_string_equal(err.msg, "no interface 'nic7' here");
	req.out = "veth0"; /* virtual, but asked for */
	assert_int_equal(audit_read(&req, &a, &err), 0);
	assert_int_equal(a.n_nics, 2);
	assert_true(a.nics[0].used && a.nics[1].used);
	assert_true(a.nics[1].is_virtual);
	assert_int_equal(a.nics[1].node, AUDIT_NONE);
	audit_done(&a);
}

/* A program of DPDK's has no interface, but holds the group of its device. */
static void test_vfio(void **state)
{
	const struct roottree *t = *state;
	struct audit a;

	put_process(t);
	roottree_put(t, "proc/100/net/dev", "a\nb\n");
	roottree_link(t, "proc/100/fd/7", "/dev/vfio/12");
	roottree_put(t, "sys/kernel/iommu_groups/12/devices/0000:5e:00.1", "");
	roottree_link(t, "sys/bus/pci/devices/0000:5e:00.1",
		"../../../devices/pci0000:5d/0000:5e:00.1");
	roottree_put(t, "sys/devices/pci0000:5d/0000:5e:00.1/class", "0x020000\n");
	roottree_put(t, "sys/devices/pci0000:5d/0000:5e:00.1/numa_node", "1\n");
	read_tree(t, 100, &a);
	assert_int_equal(a.n_nics, 1);
	assert_string_equal(a.nics[0].name, "0000:5e:00.1");
	assert_true(a.nics[0].used);
	assert_false(a.nics[0].is_virtual);
	assert_int_equal(a.nics[0].node, 1);
	audit_done(&a);
}

/* What the SUT sends through is a VLAN on a bond of two NICs. */
static void test_stacked(void **state)
{
	const struct roottree *t = *state;
	struct audit_request req = { .root_fd = t->fd, .in = "vlan7" };
	struct sp_err err = { 0 };
	struct audit a;

	roottree_put(t, "proc/net/dev",
		"a\nb\n vlan7: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		" bond0: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"  eth1: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n"
		"  eth2: 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0 0\n");
	roottree_put(t, "sys/class/net/vlan7/lower_bond0", "");
	roottree_put(t, "sys/class/net/bond0/lower_eth1", "");
	roottree_put(t, "sys/class/net/eth1/flags", "0x1003\n");
	roottree_put(t, "sys/class/net/eth2/flags", "0x1003\n");
	assert_int_equal(audit_read(&req, &a, &err), 0);
	assert_int_equal(a.n_nics, 3);
	assert_non_null(audit_find_nic(&a, "eth1"));
	assert_null(audit_find_nic(&a, "eth2"));
	audit_done(&a);
}

static void test_settings(void **state)
{
	const struct roottree *t = *state;
	struct audit a;

	roottree_put(t, "proc/2/comm", "kthreadd\n");
	roottree_put(t, "proc/31/comm", "irqbalance\n");
	roottree_put(t, "proc/sys/kernel/numa_balancing", "1\n");
	roottree_put(t, "proc/meminfo",
		"MemTotal: 1000 kB\nHugePages_Total:       8\nHugePages_Free:        3\n"
		"Hugepagesize:       2048 kB\n");
	roottree_put(t, "sys/devices/system/cpu/isolated", "2-3\n");
	roottree_put(t, "sys/devices/system/cpu/nohz_full", "  (null)\n");
	read_tree(t, 0, &a);
	assert_int_equal(a.host.irqbalance, 1);
	assert_int_equal(a.host.numa_balancing, 1);
	assert_int_equal(a.host.huge_pages, 8);
	assert_int_equal(a.host.huge_pages_free, 3);
	assert_near(a.host.huge_page_bytes, 2097152.0);
	assert_true(a.host.has_isolated);
	assert_int_equal(a.host.isolated.n, 2);
	assert_true(a.host.has_nohz);
	assert_int_equal(a.host.nohz_full.n, 0);
	audit_done(&a);
}

int main(void)
{
#define ON_TREE(test)                                                                  \
	cmocka_unit_test_setup_teardown(test, roottree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		ON_TREE(test_virtio),
		ON_TREE(test_nothing_there),
		ON_TREE(test_nodes_without),
		ON_TREE(test_process),
		ON_TREE(test_no_such),
		ON_TREE(test_vfio),
		ON_TREE(test_stacked),
		ON_TREE(test_settings),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
