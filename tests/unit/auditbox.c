/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A machine without a fault, made by hand. */
#include "config.h"

#include "auditbox.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/mem.h"

static void add_topology(struct audit *a)
{
	struct audit_node *node;
	struct audit_cpu *c;
	int cpu, n;

	for (n = 0; n < 2; n++) {
		node = audit_add_node(a, n);
		node->memory_bytes = 64 * 1024 * AUDITBOX_MIB;
		node->distances = xcalloc(2, sizeof(*node->distances));
		node->distances[0] = n == 0 ? 10 : 21;
		node->distances[1] = n == 1 ? 10 : 21;
	}
	for (cpu = 0; cpu < 8; cpu++) {
		c = audit_add_cpu(a, cpu);
		c->node = cpu / 4;
		cpulist_add(&a->nodes[c->node].cpus, cpu);
		cpulist_add(&c->siblings, cpu & ~1);
		cpulist_add(&c->siblings, cpu | 1);
		(void)strcpy(c->governor, "performance");
		(void)strcpy(c->deep_state, "C1");
		c->deep_us = 2;
		c->busy_frac = cpu == 6 ? 0.9 : 0.01;
		c->others_frac = 0.005;
	}
}

static void add_nic(struct audit *a)
{
	struct audit_nic *nic = audit_add_nic(a, "nic0");
	int i;

	nic->up = true;
	nic->used = true;
	nic->node = 1;
	nic->n_rx = nic->n_tx = 2;
	for (i = 0; i < 2; i++) {
		struct audit_irq *irq = audit_add_irq(nic, 24 + i, "nic0-TxRx");

		irq->is_queue = true;
		irq->has_cpus = true;
		irq->n = 1000;
		cpulist_add(&irq->cpus, 4 + i);
	}
	nic->has_rps = true;
	nic->gro = nic->lro = 0;
	nic->rx_ring = nic->tx_ring = 1024;
	nic->rx_ring_max = nic->tx_ring_max = 4096;
	nic->has_drops = true;
	nic->rx_pkts = nic->tx_pkts = 1000000000;
}

void auditbox_make(struct audit *a)
{
	struct audit_thread *t;

	audit_init(a);
	a->has_sut = true;
	a->measured_busy = true;
	add_topology(a);
	add_nic(a);
	t = audit_add_thread(a, 100, 101);
	(void)strcpy(t->comm, "fwd");
	t->cpu = 6;
	t->node = 1;
	t->has_allowed = true;
	cpulist_add(&t->allowed, 6);
	t->busy_frac = 0.9;
	audit_add_memory(a, 100, "fwd", 1, 200 * AUDITBOX_MIB);
	a->host.has_isolated = a->host.has_nohz = true;
	(void)strcpy(a->host.clock_source, "tsc");
	(void)strcpy(a->host.clock_sources, "tsc hpet acpi_pm");
	(void)strcpy(a->host.thp, "madvise");
	a->host.numa_balancing = a->host.irqbalance = 0;
	a->host.n_nodes = 2;
	a->host.quota_cpus = (double)INFINITY;
	a->host.has_throttled = true;
}

static void show(const struct audit_findings *f)
{
	size_t i;

	for (i = 0; i < f->n; i++)
		print_message("%s %s: %s | %s\n", audit_severity_name(f->f[i].severity),
			f->f[i].id, f->f[i].what, f->f[i].mend);
}

void auditbox_none(struct audit *a)
{
	struct audit_findings f = { 0 };

	audit_judge(a, &f);
	show(&f);
	assert_int_equal(f.n, 0);
	audit_findings_done(&f);
	audit_done(a);
}

void auditbox_one(struct audit *a, const char *id, const char *what, const char *mend)
{
	struct audit_findings f = { 0 };

	audit_judge(a, &f);
	show(&f);
	assert_int_equal(f.n, 1);
	assert_string_equal(f.f[0].id, id);
	if (strstr(f.f[0].what, what) == NULL)
		fail_msg("'%s' lacks '%s'", f.f[0].what, what);
	assert_true(strlen(f.f[0].why) > 20);
	if (mend != NULL)
		assert_string_equal(f.f[0].mend, mend);
	audit_findings_done(&f);
	audit_done(a);
}
