/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit as JSON. What is not known has no key. */
#include "config.h"

#include <jansson.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "report/report_audit.h"
#include "report/report_json_private.h"

#define SCHEMA   1
#define LIST_MAX 4096

static void set_list(json_t *o, const char *key, const struct cpulist *l)
{
	char buf[LIST_MAX];

	report_json_set_text(o, key, cpulist_format(l, buf, sizeof(buf)));
}

/* No key for what is not known. */
static void set_known(json_t *o, const char *key, int v)
{
	if (v >= 0)
		report_json_set(o, key, json_integer(v));
}

static void set_flag(json_t *o, const char *key, int v)
{
	if (v >= 0)
		report_json_set(o, key, json_boolean(v != 0));
}

static void set_filled(json_t *o, const char *key, const char *text)
{
	if (text[0] != '\0')
		report_json_set_text(o, key, text);
}

/* A node that is none is null; one that is not known has no key. */
static void set_node(json_t *o, int node)
{
	if (node != AUDIT_UNKNOWN)
		report_json_set(
			o, "node", node >= 0 ? json_integer(node) : json_null());
}

static json_t *finding_json(const struct audit_finding *f)
{
	json_t *o = json_object();

	report_json_set_text(o, "id", f->id);
	report_json_set_text(o, "severity", audit_severity_name(f->severity));
	report_json_set_text(o, "of", f->of);
	report_json_set_text(o, "what", f->what);
	report_json_set_text(o, "why", f->why);
	report_json_set_text(o, "mend", f->mend);
	return o;
}

static json_t *irqs_json(const struct audit_nic *nic)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < nic->n_irqs; i++) {
		const struct audit_irq *irq = &nic->irqs[i];
		json_t *o = json_object();

		report_json_set(o, "irq", json_integer(irq->irq));
		report_json_set_text(o, "name", irq->name);
		report_json_set(o, "queue", json_boolean(irq->is_queue));
		if (irq->has_cpus)
			set_list(o, "cpus", &irq->cpus);
		if (irq->n != UINT64_MAX)
			report_json_set_count(o, "count", irq->n);
		(void)json_array_append_new(list, o);
	}
	return list;
}

static json_t *nic_json(const struct audit_nic *nic)
{
	json_t *o = json_object();

	report_json_set_text(o, "name", nic->name);
	set_filled(o, "driver", nic->driver);
	set_filled(o, "bus", nic->bus);
	report_json_set(o, "virtual", json_boolean(nic->is_virtual));
	report_json_set(o, "up", json_boolean(nic->up));
	report_json_set(o, "used", json_boolean(nic->used));
	set_node(o, nic->node);
	set_known(o, "rx_queues", nic->n_rx);
	set_known(o, "tx_queues", nic->n_tx);
	report_json_set(o, "irqs", irqs_json(nic));
	if (nic->has_rps) {
		set_list(o, "rps_cpus", &nic->rps);
		set_list(o, "xps_cpus", &nic->xps);
	}
	set_flag(o, "gro", nic->gro);
	set_flag(o, "lro", nic->lro);
	set_known(o, "rx_ring", nic->rx_ring);
	set_known(o, "rx_ring_max", nic->rx_ring_max);
	set_known(o, "tx_ring", nic->tx_ring);
	set_known(o, "tx_ring_max", nic->tx_ring_max);
	if (nic->has_drops) {
		report_json_set_count(o, "rx_pkts", nic->rx_pkts);
		report_json_set_count(o, "rx_drop_pkts", nic->rx_drops);
		report_json_set_count(o, "tx_pkts", nic->tx_pkts);
		report_json_set_count(o, "tx_drop_pkts", nic->tx_drops);
	}
	return o;
}

static json_t *thread_json(const struct audit_thread *t)
{
	json_t *o = json_object();

	if (t->tid != 0) {
		report_json_set(o, "pid", json_integer(t->pid));
		report_json_set(o, "tid", json_integer(t->tid));
	}
	report_json_set_text(o, "comm", t->comm);
	set_known(o, "cpu", t->cpu);
	set_node(o, t->node);
	if (t->has_allowed)
		set_list(o, "allowed_cpus", &t->allowed);
	report_json_set_real(o, "busy_frac", t->busy_frac);
	return o;
}

static json_t *memory_json(const struct audit_memory *m)
{
	json_t *o = json_object();

	if (m->pid != 0)
		report_json_set(o, "pid", json_integer(m->pid));
	report_json_set_text(o, "comm", m->comm);
	set_node(o, m->node);
	report_json_set_real(o, "bytes", m->bytes);
	return o;
}

static json_t *cpu_json(const struct audit_cpu *c)
{
	json_t *o = json_object();

	report_json_set(o, "cpu", json_integer(c->cpu));
	set_node(o, c->node);
	if (c->siblings.n > 0)
		set_list(o, "core_cpus", &c->siblings);
	set_filled(o, "governor", c->governor);
	set_filled(o, "idle_state", c->deep_state);
	report_json_set_real(o, "idle_exit_ns", 1000 * c->deep_us);
	report_json_set_real(o, "busy_frac", c->busy_frac);
	report_json_set_real(o, "others_frac", c->others_frac);
	set_filled(o, "others", c->others);
	return o;
}

static json_t *cpus_json(const struct audit *a)
{
	json_t *o = json_object(), *list = json_array();
	size_t i;

	for (i = 0; i < a->n_cpus; i++)
		(void)json_array_append_new(list, cpu_json(&a->cpus[i]));
	report_json_set(o, "list", list);
	if (a->host.has_isolated)
		set_list(o, "isolated", &a->host.isolated);
	if (a->host.has_nohz)
		set_list(o, "nohz_full", &a->host.nohz_full);
	return o;
}

static json_t *node_json(const struct audit *a, const struct audit_node *n)
{
	json_t *o = json_object(), *distances;
	char key[16];
	size_t i;

	report_json_set(o, "node", json_integer(n->node));
	set_list(o, "cpus", &n->cpus);
	report_json_set_real(o, "memory_bytes", n->memory_bytes);
	if (n->distances == NULL)
		return o;
	distances = json_object();
	for (i = 0; i < a->n_nodes; i++) {
		(void)snprintf(key, sizeof(key), "%d", a->nodes[i].node);
		if (n->distances[i] != UINT64_MAX)
			report_json_set_count(distances, key, n->distances[i]);
	}
	report_json_set(o, "distances", distances);
	return o;
}

static json_t *host_json(const struct audit_host *h)
{
	json_t *o = json_object();

	set_filled(o, "clock_source", h->clock_source);
	set_filled(o, "idle_driver", h->idle_driver);
	set_filled(o, "idle_governor", h->idle_governor);
	if (h->dma_latency_us >= 0)
		report_json_set_real(o, "dma_latency_ns", 1000.0 * h->dma_latency_us);
	set_filled(o, "thp", h->thp);
	set_flag(o, "numa_balancing", h->numa_balancing);
	set_flag(o, "irqbalance", h->irqbalance);
	report_json_set_real(o, "quota_cpus", h->quota_cpus); /* no limit, no key */
	if (h->has_throttled) {
		report_json_set_count(o, "throttled", h->n_throttled);
		report_json_set_count(o, "throttled_ns", h->throttled_ns);
	}
	set_known(o, "huge_pages", h->huge_pages);
	set_known(o, "huge_pages_free", h->huge_pages_free);
	report_json_set_real(o, "huge_page_bytes", h->huge_page_bytes);
	set_filled(o, "mitigations", h->mitigations);
	return o;
}

static json_t *gaps_json(const struct audit *a)
{
	json_t *list = json_array();
	size_t i;

	for (i = 0; i < a->n_gaps; i++) {
		json_t *o = json_object();

		report_json_set_text(o, "what", a->gaps[i].what);
		report_json_set_text(o, "why", a->gaps[i].why);
		(void)json_array_append_new(list, o);
	}
	return list;
}

char *report_audit_json(const struct audit *a, const struct audit_findings *found)
{
	json_t *doc = json_object(), *findings = json_array(), *nics = json_array();
	json_t *threads = json_array(), *memory = json_array(), *nodes = json_array();
	char *text;
	size_t i;

	for (i = 0; i < found->n; i++)
		(void)json_array_append_new(findings, finding_json(&found->f[i]));
	for (i = 0; i < a->n_nics; i++)
		(void)json_array_append_new(nics, nic_json(&a->nics[i]));
	for (i = 0; i < a->n_threads; i++)
		(void)json_array_append_new(threads, thread_json(&a->threads[i]));
	for (i = 0; i < a->n_memory; i++)
		(void)json_array_append_new(memory, memory_json(&a->memory[i]));
	for (i = 0; i < a->n_nodes; i++)
		(void)json_array_append_new(nodes, node_json(a, &a->nodes[i]));
	report_json_set(doc, "schema", json_integer(SCHEMA));
	report_json_set(doc, "findings", findings);
	report_json_set(doc, "not_readable", gaps_json(a));
	report_json_set(doc, "nics", nics);
	report_json_set(doc, "threads", threads);
	report_json_set(doc, "memory", memory);
	report_json_set(doc, "cpus", cpus_json(a));
	report_json_set(doc, "nodes", nodes);
	report_json_set(doc, "host", host_json(&a->host));
	text = json_dumps(doc, JSON_INDENT(1) | JSON_REAL_PRECISION(15));
	json_decref(doc);
	return text != NULL ? text : xstrdup("{}"); /* every text is UTF-8: cannot be */
}
