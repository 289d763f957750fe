/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about the interfaces: nodes, interrupts, steering, offloads, rings, drops. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "plan/audit_private.h"

#define LIST_MAX 200

/* Frames a ring should hold at least: half a millisecond at a million a second. */
#define RING_MIN 512
/* Fewer of a million are a host's own oddities: unknown protocols, start-up. */
#define DROPS_MIN_FRAC 1e-5

/* Interrupts of one interface that share a fault. */
struct irqs {
	size_t n;
	char *numbers;       /* "24 25"; NULL while there is none */
	struct cpulist cpus; /* where they land */
};

static void irqs_done(struct irqs *l)
{
	free(l->numbers);
	cpulist_done(&l->cpus);
}

static void irqs_add(struct irqs *l, const struct audit_irq *irq)
{
	char *numbers = l->n == 0 ? xasprintf("%d", irq->irq)
				  : xasprintf("%s %d", l->numbers, irq->irq);

	free(l->numbers);
	l->numbers = numbers;
	l->n++;
	cpulist_add_all(&l->cpus, &irq->cpus);
}

/* The command that sends them to these CPUs; "" where nobody knows which. */
static char *irqs_move(const struct irqs *l, const struct cpulist *to)
{
	char *list, *move;

	if (to->n == 0)
		return xstrdup("");
	list = cpulist_text(to);
	move = l->n == 1
		       ? xasprintf("echo %s | sudo tee /proc/irq/%s/smp_affinity_list",
				 list, l->numbers)
		       : xasprintf("for i in %s; do echo %s | sudo tee "
				   "/proc/irq/$i/smp_affinity_list; done",
				 l->numbers, list);
	free(list);
	return move;
}

static void irqs_found(struct audit_judge *j, enum audit_rule rule,
	const struct audit_nic *nic, struct irqs *l, const struct cpulist *to,
	const char *but)
{
	char list[LIST_MAX];

	audit_found(j, rule, nic->name, irqs_move(l, to),
		"interrupt%s %s of %s land%s on CPU%s %s%s", units_s(l->n), l->numbers,
		nic->name, l->n == 1 ? "s" : "", units_s(l->cpus.n),
		cpulist_format(&l->cpus, list, sizeof(list)), but);
}

static void judge_irq_node(
	struct audit_judge *j, const struct audit_nic *nic, const struct cpulist *home)
{
	struct irqs l = { .n = 0 };
	char but[64];
	size_t i;

	if (home->n == 0)
		return;
	for (i = 0; i < nic->n_irqs; i++)
		if (nic->irqs[i].has_cpus && nic->irqs[i].is_queue &&
			!cpulist_is_within(&nic->irqs[i].cpus, home))
			irqs_add(&l, &nic->irqs[i]);
	(void)snprintf(
		but, sizeof(but), ", but %.20s is on node %d", nic->name, nic->node);
	if (l.n > 0)
		irqs_found(j, AUDIT_RULE_IRQ_NODE, nic, &l, home, but);
	irqs_done(&l);
}

/* The SUT's threads that last ran on one of these CPUs, by name; "" for none. */
static void threads_on(
	const struct audit_judge *j, const struct cpulist *cpus, char names[LIST_MAX])
{
	size_t i, at = 0;

	names[0] = '\0';
	for (i = 0; i < j->a->n_threads && at < LIST_MAX; i++) {
		const struct audit_thread *t = &j->a->threads[i];

		if (audit_thread_counts(j, t) && cpulist_has(cpus, t->cpu))
			at += (size_t)snprintf(names + at, LIST_MAX - at, "%s%s",
				at > 0 ? ", " : "", t->comm);
	}
}

/* home without the CPUs where the SUT's threads run; all CPUs where no home is known.
 */
static void free_beside(
	const struct audit_judge *j, const struct cpulist *home, struct cpulist *ret)
{
	struct cpulist taken = { 0 };
	size_t i;

	for (i = 0; i < j->a->n_threads; i++)
		if (audit_thread_counts(j, &j->a->threads[i]))
			cpulist_add(&taken, j->a->threads[i].cpu);
	for (i = 0; i < j->a->n_cpus; i++) {
		int cpu = j->a->cpus[i].cpu;

		if ((home->n == 0 || cpulist_has(home, cpu)) &&
			!cpulist_has(&taken, cpu) &&
			!cpulist_has(&j->a->host.isolated, cpu))
			cpulist_add(ret, cpu);
	}
	cpulist_done(&taken);
}

static void judge_irq_on_thread(
	struct audit_judge *j, const struct audit_nic *nic, const struct cpulist *home)
{
	struct irqs l = { .n = 0 };
	struct cpulist to = { 0 };
	char names[LIST_MAX], but[LIST_MAX + 40];
	size_t i;

	free_beside(j, home, &to);
	/* A run file has no topology: nobody knows whether there is another CPU. */
	for (i = 0; (to.n > 0 || j->a->n_nodes == 0) && i < nic->n_irqs; i++) {
		const struct audit_irq *irq = &nic->irqs[i];

		threads_on(j, &irq->cpus, names);
		if (irq->has_cpus && irq->is_queue && irq->n > 0 && names[0] != '\0')
			irqs_add(&l, irq);
	}
	threads_on(j, &l.cpus, names);
	(void)snprintf(but, sizeof(but), ", where %s of the SUT runs", names);
	if (l.n > 0)
		irqs_found(j, AUDIT_RULE_IRQ_ON_THREAD, nic, &l, &to, but);
	irqs_done(&l);
	cpulist_done(&to);
}

static void judge_irq_one_cpu(
	struct audit_judge *j, const struct audit_nic *nic, const struct cpulist *home)
{
	size_t i, n_choice = home->n > 0 ? home->n : j->a->n_cpus, k = 0;
	struct irqs l = { .n = 0 };
	char list[LIST_MAX], *mend, *more;

	for (i = 0; i < nic->n_irqs; i++)
		if (nic->irqs[i].is_queue && nic->irqs[i].has_cpus)
			irqs_add(&l, &nic->irqs[i]);
	if (nic->n_rx < 2 || l.n < 2 || l.cpus.n != 1 || n_choice < 2) {
		irqs_done(&l);
		return;
	}
	/* One after the other, round the CPUs that are near. */
	mend = xstrdup("");
	for (i = 0; i < nic->n_irqs; i++) {
		const struct audit_irq *irq = &nic->irqs[i];
		int cpu = home->n > 0 ? home->ids[k % n_choice]
				      : j->a->cpus[k % n_choice].cpu;

		if (!irq->is_queue || !irq->has_cpus)
			continue;
		more = xasprintf("%s%secho %d | sudo tee "
				 "/proc/irq/%d/smp_affinity_list",
			mend, k > 0 ? "; " : "", cpu, irq->irq);
		free(mend);
		mend = more;
		k++;
	}
	audit_found(j, AUDIT_RULE_IRQ_ONE_CPU, nic->name, mend,
		"the interrupts of all %d queues of %s land on CPU %s", nic->n_rx,
		nic->name, cpulist_format(&l.cpus, list, sizeof(list)));
	irqs_done(&l);
}

static void judge_rps(
	struct audit_judge *j, const struct audit_nic *nic, const struct cpulist *home)
{
	char list[LIST_MAX], *mask;

	if (!nic->has_rps || home->n == 0 || cpulist_is_within(&nic->rps, home))
		return;
	mask = cpulist_format_mask(home);
	audit_found(j, AUDIT_RULE_RPS_NODE, nic->name,
		xasprintf("for f in /sys/class/net/%s/queues/rx-*/rps_cpus; do echo %s "
			  "| sudo tee $f; done",
			nic->name, mask),
		"RPS of %s hands frames to CPU%s %s, but it is on node %d", nic->name,
		units_s(nic->rps.n), cpulist_format(&nic->rps, list, sizeof(list)),
		nic->node);
	free(mask);
}

/* Only where the SUT forwards what comes in there: for a server they are a good. */
static void judge_offloads(struct audit_judge *j, const struct audit_nic *nic)
{
	const bool gro = nic->gro == 1, lro = nic->lro == 1;

	if (!nic->used || (!gro && !lro))
		return;
	audit_found(j, AUDIT_RULE_RECEIVE_OFFLOAD, nic->name,
		xasprintf("sudo ethtool -K %s%s%s", nic->name, gro ? " gro off" : "",
			lro ? " lro off" : ""),
		"%s %s on at %s",
		gro && lro ? "GRO and LRO"
		: gro      ? "GRO"
			   : "LRO",
		gro && lro ? "are" : "is", nic->name);
}

static void judge_drops(struct audit_judge *j, const struct audit_nic *nic)
{
	double rx = (double)nic->rx_drops, tx = (double)nic->tx_drops;
	double all = (double)nic->rx_pkts + (double)nic->tx_pkts + rx + tx;
	bool rx_grows = nic->rx_ring > 0 && nic->rx_ring < nic->rx_ring_max;
	bool tx_grows = nic->tx_ring > 0 && nic->tx_ring < nic->tx_ring_max;
	char ring[64] = "";

	if (!nic->has_drops || rx + tx <= 0 || rx + tx < DROPS_MIN_FRAC * all)
		return;
	if (rx >= tx && rx_grows)
		(void)snprintf(ring, sizeof(ring), "rx %d", nic->rx_ring_max);
	else if (rx < tx && tx_grows)
		(void)snprintf(ring, sizeof(ring), "tx %d", nic->tx_ring_max);
	audit_found(j, AUDIT_RULE_NIC_DROPS, nic->name,
		ring[0] != '\0' ? xasprintf("sudo ethtool -G %s %s", nic->name, ring)
				: xstrdup(""),
		"%s has dropped %" PRIu64 " received and %" PRIu64
		" sent frames since boot",
		nic->name, nic->rx_drops, nic->tx_drops);
}

static void judge_ring(struct audit_judge *j, const struct audit_nic *nic)
{
	int want = nic->rx_ring_max < 4096 ? nic->rx_ring_max : 4096;

	if (nic->rx_ring <= 0 || nic->rx_ring >= RING_MIN || nic->rx_ring >= want)
		return;
	audit_found(j, AUDIT_RULE_RING_SMALL, nic->name,
		xasprintf("sudo ethtool -G %s rx %d", nic->name, want),
		"the receive ring of %s holds %d frames of the %d it could", nic->name,
		nic->rx_ring, nic->rx_ring_max);
}

static void judge_empty_node(
	struct audit_judge *j, const struct audit_nic *nic, const struct cpulist *home)
{
	const struct audit_node *node = audit_find_node(j->a, nic->node);
	char list[LIST_MAX];

	if (node == NULL || node->cpus.n > 0 || home->n == 0)
		return;
	audit_found(j, AUDIT_RULE_NODE_EMPTY, nic->name, xstrdup(""),
		"%s is on node %d, which has no CPUs; the nearest are %s", nic->name,
		nic->node, cpulist_format(home, list, sizeof(list)));
}

static void judge_nodes_differ(struct audit_judge *j)
{
	const struct audit_nic *first = NULL;
	size_t i;

	for (i = 0; j->some_used && i < j->a->n_nics; i++) {
		const struct audit_nic *nic = &j->a->nics[i];

		if (!nic->used || nic->node < 0)
			continue;
		if (first == NULL)
			first = nic;
		if (nic->node == first->node)
			continue;
		audit_found(j, AUDIT_RULE_NIC_NODES, nic->name, xstrdup(""),
			"%s is on node %d and %s on node %d", first->name, first->node,
			nic->name, nic->node);
		return;
	}
}

void audit_judge_nics(struct audit_judge *j)
{
	size_t i;

	judge_nodes_differ(j);
	for (i = 0; i < j->a->n_nics; i++) {
		const struct audit_nic *nic = &j->a->nics[i];
		struct cpulist home = { 0 };

		if (!audit_nic_counts(j, nic))
			continue;
		if (nic->node >= 0)
			audit_home_cpus(j->a, nic->node, &home);
		judge_irq_node(j, nic, &home);
		judge_irq_on_thread(j, nic, &home);
		judge_irq_one_cpu(j, nic, &home);
		judge_rps(j, nic, &home);
		judge_offloads(j, nic);
		judge_drops(j, nic);
		judge_ring(j, nic);
		judge_empty_node(j, nic, &home);
		cpulist_done(&home);
	}
}
