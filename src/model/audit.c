/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What an audit looks at: memory, and elements with nothing known of them. */
#include "config.h"

#include "model/audit.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

void audit_init(struct audit *a)
{
	*a = (struct audit){
		.host = {
			.dma_latency_us = AUDIT_UNKNOWN,
			.numa_balancing = AUDIT_UNKNOWN,
			.irqbalance = AUDIT_UNKNOWN,
			.n_nodes = AUDIT_UNKNOWN,
			.quota_cpus = (double)NAN,
			.huge_pages = AUDIT_UNKNOWN,
			.huge_pages_free = AUDIT_UNKNOWN,
			.huge_page_bytes = (double)NAN,
		},
	};
}

static void nic_done(struct audit_nic *nic)
{
	size_t i;

	for (i = 0; i < nic->n_irqs; i++)
		cpulist_done(&nic->irqs[i].cpus);
	free(nic->irqs);
	cpulist_done(&nic->rps);
	cpulist_done(&nic->xps);
}

void audit_done(struct audit *a)
{
	size_t i;

	for (i = 0; i < a->n_nics; i++)
		nic_done(&a->nics[i]);
	for (i = 0; i < a->n_threads; i++)
		cpulist_done(&a->threads[i].allowed);
	for (i = 0; i < a->n_cpus; i++)
		cpulist_done(&a->cpus[i].siblings);
	for (i = 0; i < a->n_nodes; i++) {
		cpulist_done(&a->nodes[i].cpus);
		free(a->nodes[i].distances);
	}
	for (i = 0; i < a->n_gaps; i++) {
		free(a->gaps[i].what);
		free(a->gaps[i].why);
	}
	cpulist_done(&a->host.isolated);
	cpulist_done(&a->host.nohz_full);
	free(a->nics);
	free(a->threads);
	free(a->memory);
	free(a->cpus);
	free(a->nodes);
	free(a->gaps);
	*a = (struct audit){ 0 };
}

struct audit_nic *audit_add_nic(struct audit *a, const char *name)
{
	struct audit_nic *nic;

	a->nics = xgrow(a->nics, a->n_nics, &a->cap_nics, sizeof(*a->nics));
	nic = &a->nics[a->n_nics++];
	*nic = (struct audit_nic){
		.node = AUDIT_UNKNOWN,
		.n_rx = AUDIT_UNKNOWN,
		.n_tx = AUDIT_UNKNOWN,
		.gro = AUDIT_UNKNOWN,
		.lro = AUDIT_UNKNOWN,
		.rx_ring = AUDIT_UNKNOWN,
		.rx_ring_max = AUDIT_UNKNOWN,
		.tx_ring = AUDIT_UNKNOWN,
		.tx_ring_max = AUDIT_UNKNOWN,
	};
	(void)snprintf(nic->name, sizeof(nic->name), "%s", name); /* cut is fine */
	return nic;
}

struct audit_irq *audit_add_irq(struct audit_nic *nic, int irq, const char *name)
{
	struct audit_irq *i;

	nic->irqs = xgrow(nic->irqs, nic->n_irqs, &nic->cap_irqs, sizeof(*nic->irqs));
	i = &nic->irqs[nic->n_irqs++];
	*i = (struct audit_irq){ .irq = irq, .n = UINT64_MAX };
	(void)snprintf(i->name, sizeof(i->name), "%s", name); /* cut is fine */
	return i;
}

struct audit_thread *audit_add_thread(struct audit *a, int pid, int tid)
{
	struct audit_thread *t;

	a->threads =
		xgrow(a->threads, a->n_threads, &a->cap_threads, sizeof(*a->threads));
	t = &a->threads[a->n_threads++];
	*t = (struct audit_thread){
		.pid = pid,
		.tid = tid,
		.cpu = AUDIT_UNKNOWN,
		.node = AUDIT_UNKNOWN,
		.busy_frac = (double)NAN,
	};
	return t;
}

struct audit_cpu *audit_add_cpu(struct audit *a, int cpu)
{
	struct audit_cpu *c;

	a->cpus = xgrow(a->cpus, a->n_cpus, &a->cap_cpus, sizeof(*a->cpus));
	c = &a->cpus[a->n_cpus++];
	*c = (struct audit_cpu){
		.cpu = cpu,
		.node = AUDIT_UNKNOWN,
		.deep_us = (double)NAN,
		.busy_frac = (double)NAN,
		.others_frac = (double)NAN,
	};
	return c;
}

struct audit_node *audit_add_node(struct audit *a, int node)
{
	struct audit_node *n;

	a->nodes = xgrow(a->nodes, a->n_nodes, &a->cap_nodes, sizeof(*a->nodes));
	n = &a->nodes[a->n_nodes++];
	*n = (struct audit_node){ .node = node, .memory_bytes = (double)NAN };
	return n;
}

void audit_add_memory(
	struct audit *a, int pid, const char *comm, int node, double bytes)
{
	struct audit_memory *m;
	size_t i;

	for (i = 0; i < a->n_memory; i++)
		if (a->memory[i].pid == pid && a->memory[i].node == node) {
			a->memory[i].bytes += bytes;
			return;
		}
	a->memory = xgrow(a->memory, a->n_memory, &a->cap_memory, sizeof(*a->memory));
	m = &a->memory[a->n_memory++];
	*m = (struct audit_memory){ .pid = pid, .node = node, .bytes = bytes };
	(void)snprintf(m->comm, sizeof(m->comm), "%s", comm); /* cut is fine */
}

void audit_add_gap(struct audit *a, const char *what, const char *fmt, ...)
{
	struct audit_gap *g;
	va_list ap;
	size_t i;

	for (i = 0; i < a->n_gaps; i++)
		if (strcmp(a->gaps[i].what, what) == 0)
			return;
	a->gaps = xgrow(a->gaps, a->n_gaps, &a->cap_gaps, sizeof(*a->gaps));
	g = &a->gaps[a->n_gaps++];
	g->what = xstrdup(what);
	va_start(ap, fmt);
	g->why = xvasprintf(fmt, ap);
	va_end(ap);
}

struct audit_cpu *audit_find_cpu(const struct audit *a, int cpu)
{
	size_t i;

	for (i = 0; i < a->n_cpus; i++)
		if (a->cpus[i].cpu == cpu)
			return &a->cpus[i];
	return NULL;
}

struct audit_node *audit_find_node(const struct audit *a, int node)
{
	size_t i;

	for (i = 0; i < a->n_nodes; i++)
		if (a->nodes[i].node == node)
			return &a->nodes[i];
	return NULL;
}

struct audit_nic *audit_find_nic(const struct audit *a, const char *name)
{
	size_t i;

	for (i = 0; i < a->n_nics; i++)
		if (strcmp(a->nics[i].name, name) == 0)
			return &a->nics[i];
	return NULL;
}

int audit_node_of_cpu(const struct audit *a, int cpu)
{
	const struct audit_cpu *c = audit_find_cpu(a, cpu);

	return c == NULL ? AUDIT_UNKNOWN : c->node;
}
