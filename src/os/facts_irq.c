/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Interrupts and softirqs of each CPU: /proc/interrupts, softirqs, net/softnet_stat. */
#include "config.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "os/facts_private.h"

#define MAX_BYTES       (16u << 20) /* /proc/interrupts of 1000 CPUs and 1000 lines */
#define SOFTNET_CPU     12          /* the column that names the CPU, since 5.10 */
#define SOFTNET_RPS     9
#define SOFTNET_COLUMNS 15

/* A table whose first line names CPUs and whose other lines begin with a label. */
struct table {
	size_t n, cap, cap_row;
	size_t *at;    /* entry of each column's CPU */
	uint32_t *row; /* of the line at hand */
	size_t n_row;
	const char *rest; /* what follows its numbers */
};

/* Columns by their names: CPUs that are offline have none. */
static void header_parse(struct facts_snapshot *s, const char *line, struct table *t)
{
	const char *p = line;
	struct facts_cpu *c;
	char *end;
	long cpu;

	for (;; p = end) {
		p += strspn(p, " \t");
		if (strncmp(p, "CPU", 3) != 0)
			break;
		cpu = strtol(p + 3, &end, 10);
		if (end == p + 3)
			break;
		t->at = xgrow(t->at, t->n, &t->cap, sizeof(*t->at));
		c = facts_cpu_entry(s, (int)cpu); /* may move all of them */
		t->at[t->n++] = (size_t)(c - s->cpus);
	}
}

/* Up to a number a column; lines such as ERR have just one. */
static void row_parse(const char *p, struct table *t)
{
	char *end;

	t->n_row = 0;
	while (t->n_row < t->n) {
		p += strspn(p, " \t");
		if (!isdigit((unsigned char)*p))
			break;
		t->row = xgrow(t->row, t->n_row, &t->cap_row, sizeof(*t->row));
		t->row[t->n_row++] = (uint32_t)strtoull(p, &end, 10);
		p = end;
	}
	t->rest = p;
}

static bool rest_has(const struct table *t, const char *word)
{
	return memmem(t->rest, strcspn(t->rest, "\n"), word, strlen(word)) != NULL;
}

/* What a line of /proc/interrupts counts; N_TALLIES: nothing that is asked for. */
static enum facts_tally irq_tally(const char *label, size_t len, const struct table *t)
{
	static const struct {
		const char *label;
		enum facts_tally tally;
	} labels[] = {
		{ "LOC", TALLY_IRQ_TIMER },
		{ "NMI", TALLY_IRQ_NMI },
		{ "PMI", TALLY_IRQ_PMI },
		{ "RES", TALLY_IRQ_RESCHED },
		{ "CAL", TALLY_IRQ_CALL },
		{ "TLB", TALLY_IRQ_CALL },
	};
	size_t i;

	for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strlen(labels[i].label) == len &&
			strncmp(label, labels[i].label, len) == 0)
			return labels[i].tally;
	/* Arm has its timer and counters among the devices, and numbers its IPIs. */
	if (strncmp(label, "IPI", 3) == 0) {
		if (rest_has(t, "Rescheduling"))
			return TALLY_IRQ_RESCHED;
		return rest_has(t, "Function call") ? TALLY_IRQ_CALL : N_TALLIES;
	}
	if (!isdigit((unsigned char)label[0]))
		return N_TALLIES;
	if (rest_has(t, "arch_timer") || rest_has(t, "riscv-timer"))
		return TALLY_IRQ_TIMER;
	return rest_has(t, "arm-pmu") ? TALLY_IRQ_NMI : TALLY_IRQS;
}

static enum facts_tally softirq_tally(
	const char *label, size_t len, const struct table *t)
{
	static const struct {
		const char *label;
		enum facts_tally tally;
	} labels[] = {
		{ "NET_RX", TALLY_NET_RX },
		{ "NET_TX", TALLY_NET_TX },
		{ "TIMER", TALLY_TIMER },
		{ "SCHED", TALLY_SCHED },
	};
	size_t i;

	(void)t;
	for (i = 0; i < sizeof(labels) / sizeof(labels[0]); i++)
		if (strlen(labels[i].label) == len &&
			strncmp(label, labels[i].label, len) == 0)
			return labels[i].tally;
	return N_TALLIES;
}

static void table_read(int root_fd, const char *path,
	enum facts_tally (*tally)(const char *, size_t, const struct table *),
	struct facts_snapshot *s)
{
	struct table t = { .n = 0 };
	const char *line, *label;
	enum facts_tally what;
	size_t len, i;

	if (facts_buf_read(&s->buf, root_fd, path, MAX_BYTES) <= 0)
		return;
	header_parse(s, s->buf.p, &t);
	for (line = strchr(s->buf.p, '\n'); line != NULL; line = strchr(line, '\n')) {
		line++;
		label = line + strspn(line, " ");
		len = strcspn(label, ":\n");
		if (label[len] != ':')
			continue;
		row_parse(label + len + 1, &t);
		what = tally(label, len, &t);
		for (i = 0; what != N_TALLIES && i < t.n_row; i++)
			facts_cpu_tally(&s->cpus[t.at[i]], what, t.row[i]);
	}
	free(t.at);
	free(t.row);
}

/* One line an online CPU. It mixes both directions and all namespaces: evidence of
 * where packets were worked on, never a term of a ledger. */
static void softnet_read(int root_fd, struct facts_snapshot *s)
{
	uint32_t v[SOFTNET_COLUMNS];
	struct facts_cpu *c;
	const char *p;
	size_t row, i;
	char *end;

	if (facts_buf_read(&s->buf, root_fd, "proc/net/softnet_stat", MAX_BYTES) <= 0)
		return;
	for (p = s->buf.p, row = 0; *p != '\0'; row++) {
		int cpu = row < s->proc->n_cpus ? s->proc->cpus[row].cpu : -1;

		for (i = 0; i < SOFTNET_COLUMNS; i++, p = end) {
			v[i] = (uint32_t)strtoul(p, &end, 16);
			if (end == p || memchr(p, '\n', (size_t)(end - p)) != NULL)
				break;
		}
		p += strcspn(p, "\n");
		p += *p == '\n';
		if (i > SOFTNET_CPU)
			cpu = (int)v[SOFTNET_CPU];
		if (cpu < 0 || i < 3)
			continue;
		c = facts_cpu_entry(s, cpu);
		facts_cpu_tally(c, TALLY_SOFTNET_PACKETS, v[0]);
		facts_cpu_tally(c, TALLY_SOFTNET_DROPPED, v[1]);
		facts_cpu_tally(c, TALLY_SOFTNET_SQUEEZED, v[2]);
		if (i > SOFTNET_RPS)
			facts_cpu_tally(c, TALLY_SOFTNET_RPS, v[SOFTNET_RPS]);
	}
}

void facts_irq_read(int root_fd, struct facts_snapshot *s)
{
	table_read(root_fd, "proc/interrupts", irq_tally, s);
	table_read(root_fd, "proc/softirqs", softirq_tally, s);
	softnet_read(root_fd, s);
}
