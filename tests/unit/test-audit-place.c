/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit's rules about places: threads, memory, interrupts, steering, nodes. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "auditbox.h"
#include "base/mem.h"

static void move_thread(struct audit *a, int cpu)
{
	struct audit_thread *t = &a->threads[0];

	t->cpu = cpu;
	t->node = audit_node_of_cpu(a, cpu);
	cpulist_done(&t->allowed);
	cpulist_add(&t->allowed, cpu);
}

static void test_healthy(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	auditbox_none(&a);
	/* Nothing is known: nothing is found. */
	audit_init(&a);
	auditbox_none(&a);
}

static void test_thread_node(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	auditbox_one(&a, "thread-node",
		"thread fwd (tid 101) runs on CPU 2 of node 0, but nic0 is on node 1",
		"sudo taskset -pc 4-7 101; sudo migratepages 100 0 1");
	/* Without memory of its own there is none to move. */
	auditbox_make(&a);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.memory[0].bytes = 1000;
	auditbox_one(&a, "thread-node", "node 0", "sudo taskset -pc 4-7 101");
	/* The interface that nobody uses does not matter ... */
	auditbox_make(&a);
	audit_add_nic(&a, "mgmt")->node = 0;
	auditbox_none(&a);
	/* ... unless no interface is known to be the SUT's. */
	auditbox_make(&a);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.nics[0].used = false;
	auditbox_one(&a, "thread-node", "but nic0 is on node 1", NULL);
	auditbox_make(&a);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.nics[0].used = false;
	audit_add_nic(&a, "mgmt")->node = 0;
	a.nics[1].up = true;
	auditbox_none(&a);
	/* A NIC on no node is near to all. */
	auditbox_make(&a);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.nics[0].node = AUDIT_NONE;
	auditbox_none(&a);
}

static void test_threads_of_one_process_are_told_once(void **state)
{
	struct audit a;
	int i;

	(void)state;
	auditbox_make(&a);
	for (i = 0; i < 3; i++) {
		struct audit_thread *t = audit_add_thread(&a, 100, 102 + i);

		(void)strcpy(t->comm, "worker");
		t->cpu = i;
		t->node = 0;
		t->busy_frac = i == 2 ? 0.001 : 0.8; /* the third only waits */
	}
	auditbox_one(&a, "thread-node",
		"2 threads of worker (tids 102 103) run on CPUs 0-1 of node 0, but nic0",
		"for t in 102 103; do sudo taskset -pc 4-7 $t; done");
}

static void test_idle_sut_is_audited(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.threads[0].busy_frac = 0; /* nobody sends: where it last ran has to do */
	auditbox_one(&a, "thread-node", "CPU 2", NULL);
	auditbox_make(&a);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.threads[0].busy_frac = (double)NAN;
	auditbox_one(&a, "thread-node", "CPU 2", NULL);
}

static void test_memory_node(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	audit_add_memory(&a, 100, "fwd", 0, 300 * AUDITBOX_MIB);
	auditbox_one(&a, "memory-node",
		"60 % of the memory of fwd is on node 0, but it runs on node 1",
		"sudo migratepages 100 0 1");
	/* A little is chance, and so is a small part. */
	auditbox_make(&a);
	audit_add_memory(&a, 100, "fwd", 0, 20 * AUDITBOX_MIB);
	auditbox_none(&a);
	auditbox_make(&a);
	a.memory[0].bytes = AUDITBOX_MIB / 10;
	audit_add_memory(&a, 100, "fwd", 0, AUDITBOX_MIB / 2);
	auditbox_none(&a);
	/* With threads on both nodes both are right. */
	auditbox_make(&a);
	audit_add_memory(&a, 100, "fwd", 0, 300 * AUDITBOX_MIB);
	audit_add_nic(&a, "nic1")->node = 0;
	a.nics[1].up = a.nics[1].used = true;
	*audit_add_thread(&a, 100, 102) = (struct audit_thread){
		.pid = 100, .tid = 102, .cpu = 2, .node = 0, .busy_frac = 0.5
	};
	auditbox_one(&a, "nic-nodes", "nic0 is on node 1 and nic1 on node 0", "");
}

static void test_node_without_memory(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	a.nodes[1].memory_bytes = 0;
	a.memory[0].node = 0; /* where else */
	auditbox_none(&a);
}

/* Node 2 has memory only; the thread runs on node 1, which has none and is near to it.
 */
static void test_memory_beside_a_node_without(void **state)
{
	struct audit_node *n;
	struct audit a;

	(void)state;
	auditbox_make(&a);
	n = audit_add_node(&a, 2);
	n->memory_bytes = 64 * AUDITBOX_MIB;
	a.nodes[1].memory_bytes = 0;
	free(a.nodes[1].distances);
	a.nodes[1].distances = xcalloc(3, sizeof(*a.nodes[1].distances));
	a.nodes[1].distances[0] = 21;
	a.nodes[1].distances[1] = 10;
	a.nodes[1].distances[2] = 15;
	a.memory[0].node = 0;
	auditbox_one(&a, "memory-node",
		"100 % of the memory of fwd is on node 0, but it runs on node 1, whose "
		"nearest memory is on node 2",
		"sudo migratepages 100 0 2");
}

/* Node 2 has the NIC and no CPUs. */
static void make_empty_node(struct audit *a, uint64_t to_0, uint64_t to_1)
{
	struct audit_node *n;

	auditbox_make(a);
	n = audit_add_node(a, 2);
	n->memory_bytes = 0;
	n->distances = xcalloc(3, sizeof(*n->distances));
	n->distances[0] = to_0;
	n->distances[1] = to_1;
	n->distances[2] = 10;
	a->nics[0].node = 2;
}

/* The thread is on the wrong node, the NIC on an empty one. Frees *a. */
static void empty_node_mend(struct audit *a, const char *mend)
{
	struct audit_findings f = { 0 };

	audit_judge(a, &f);
	assert_int_equal(f.n, 2);
	assert_string_equal(f.f[0].id, "thread-node");
	assert_string_equal(f.f[0].mend, mend);
	assert_string_equal(f.f[1].id, "node-empty");
	audit_findings_done(&f);
	audit_done(a);
}

static void test_node_without_cpus(void **state)
{
	struct audit a;

	(void)state;
	make_empty_node(&a, 31, 15);
	auditbox_one(&a, "node-empty",
		"nic0 is on node 2, which has no CPUs; the nearest are 4-7", "");
	make_empty_node(&a, 20, 20); /* either is as near as can be */
	auditbox_one(&a, "node-empty", "the nearest are 0-7", "");
	/* On the farther one the thread is wrong all the same. */
	make_empty_node(&a, 31, 15);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.memory[0].bytes = 1;
	empty_node_mend(&a, "sudo taskset -pc 4-7 101");
	/* Its memory goes to where the thread will be: the NIC's node has none. */
	make_empty_node(&a, 31, 15);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	empty_node_mend(&a, "sudo taskset -pc 4-7 101; sudo migratepages 100 0 1");
	/* It lies there already, since the thread's new node has none either. */
	make_empty_node(&a, 31, 15);
	move_thread(&a, 2);
	a.memory[0].node = 0;
	a.nodes[1].memory_bytes = 0;
	free(a.nodes[1].distances);
	a.nodes[1].distances = NULL;
	empty_node_mend(&a, "sudo taskset -pc 4-7 101");
}

static void test_irq_node(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	cpulist_done(&a.nics[0].irqs[1].cpus);
	cpulist_add(&a.nics[0].irqs[1].cpus, 3);
	auditbox_one(&a, "irq-node",
		"interrupt 25 of nic0 lands on CPU 3, but nic0 is on node 1",
		"echo 4-7 | sudo tee /proc/irq/25/smp_affinity_list");
	/* The link's own interrupt may land where it likes. */
	auditbox_make(&a);
	cpulist_done(&a.nics[0].irqs[1].cpus);
	cpulist_add(&a.nics[0].irqs[1].cpus, 3);
	a.nics[0].irqs[1].is_queue = false;
	auditbox_none(&a);
	/* Not known is not wrong. */
	auditbox_make(&a);
	cpulist_done(&a.nics[0].irqs[1].cpus);
	a.nics[0].irqs[1].has_cpus = false;
	auditbox_none(&a);
}

static void test_irq_on_thread(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	cpulist_done(&a.nics[0].irqs[0].cpus);
	cpulist_add(&a.nics[0].irqs[0].cpus, 6);
	auditbox_one(&a, "irq-on-thread",
		"interrupt 24 of nic0 lands on CPU 6, where fwd of the SUT runs",
		"echo 4-5,7 | sudo tee /proc/irq/24/smp_affinity_list");
	/* It has never come. */
	auditbox_make(&a);
	cpulist_done(&a.nics[0].irqs[0].cpus);
	cpulist_add(&a.nics[0].irqs[0].cpus, 6);
	a.nics[0].irqs[0].n = 0;
	auditbox_none(&a);
}

/* With one CPU on the NIC's node thread and interrupts are well together. */
static void test_irq_on_thread_without_choice(void **state)
{
	struct audit a;
	int cpu, i;

	(void)state;
	auditbox_make(&a);
	cpulist_done(&a.nodes[1].cpus);
	cpulist_add(&a.nodes[1].cpus, 6);
	for (cpu = 4; cpu < 8; cpu++)
		if (cpu != 6)
			a.cpus[cpu].node = 0;
	for (i = 0; i < 2; i++) {
		cpulist_done(&a.nics[0].irqs[i].cpus);
		cpulist_add(&a.nics[0].irqs[i].cpus, 6);
	}
	auditbox_none(&a);
}

static void test_irq_one_cpu(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	cpulist_done(&a.nics[0].irqs[1].cpus);
	cpulist_add(&a.nics[0].irqs[1].cpus, 4);
	auditbox_one(&a, "irq-one-cpu", "all 2 queues of nic0 land on CPU 4",
		"echo 4 | sudo tee /proc/irq/24/smp_affinity_list; "
		"echo 5 | sudo tee /proc/irq/25/smp_affinity_list");
	/* One queue has one interrupt for each way: that is no fault. */
	auditbox_make(&a);
	cpulist_done(&a.nics[0].irqs[1].cpus);
	cpulist_add(&a.nics[0].irqs[1].cpus, 4);
	a.nics[0].n_rx = 1;
	auditbox_none(&a);
}

static void test_rps(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	cpulist_add(&a.nics[0].rps, 1);
	cpulist_add(&a.nics[0].rps, 5);
	auditbox_one(&a, "rps-node", "RPS of nic0 hands frames to CPUs 1,5",
		"for f in /sys/class/net/nic0/queues/rx-*/rps_cpus; do echo f0 | sudo "
		"tee $f; done");
	auditbox_make(&a);
	cpulist_add(&a.nics[0].rps, 5);
	auditbox_none(&a);
}

static void test_roams(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	cpulist_add(&a.threads[0].allowed, 0);
	auditbox_one(&a, "thread-roams", "thread fwd (tid 101) may run on CPUs 0,6",
		"sudo taskset -pc 4-7 101");
	auditbox_make(&a);
	cpulist_add(&a.threads[0].allowed, 5);
	auditbox_none(&a);
}

static void test_isolated(void **state)
{
	struct audit a;

	(void)state;
	auditbox_make(&a);
	cpulist_add(&a.host.isolated, 3);
	cpulist_add(&a.host.isolated, 7);
	auditbox_one(&a, "isolated-unused",
		"thread fwd (tid 101) runs on CPU 6, but CPUs 3,7 are isolated",
		"sudo taskset -pc 7 101");
	/* On one of them it is well, but for the tick. */
	auditbox_make(&a);
	cpulist_add(&a.host.isolated, 6);
	auditbox_one(
		&a, "isolated-tick", "CPU 6 is isolated but not in nohz_full", NULL);
	auditbox_make(&a);
	cpulist_add(&a.host.isolated, 6);
	cpulist_add(&a.host.nohz_full, 6);
	auditbox_none(&a);
	auditbox_make(&a);
	cpulist_add(&a.host.isolated, 6);
	a.host.has_nohz = false; /* the kernel does not tell */
	auditbox_none(&a);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_healthy),
		cmocka_unit_test(test_thread_node),
		cmocka_unit_test(test_threads_of_one_process_are_told_once),
		cmocka_unit_test(test_idle_sut_is_audited),
		cmocka_unit_test(test_memory_node),
		cmocka_unit_test(test_node_without_memory),
		cmocka_unit_test(test_memory_beside_a_node_without),
		cmocka_unit_test(test_node_without_cpus),
		cmocka_unit_test(test_irq_node),
		cmocka_unit_test(test_irq_on_thread),
		cmocka_unit_test(test_irq_on_thread_without_choice),
		cmocka_unit_test(test_irq_one_cpu),
		cmocka_unit_test(test_rps),
		cmocka_unit_test(test_roams),
		cmocka_unit_test(test_isolated),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
