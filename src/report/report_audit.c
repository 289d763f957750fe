/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The audit as text: findings first, then gaps, then what was looked at. */
#include "config.h"

#include "report/report_audit.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clean.h"
#include "base/mem.h"
#include "base/units.h"
#include "report/report_text_private.h"

#define LIST_MAX 200
#define MIB      (1024.0 * 1024)

/* A command in one piece, so that it can be copied. */
static void command_print(const struct report_text_out *t, const char *command)
{
	char *clean = clean_line(command, t->o.utf8, SIZE_MAX - 3);

	(void)fprintf(t->f, "  mend: %s\n", clean);
	free(clean);
}

static void finding_print(
	const struct report_text_out *t, const struct audit_finding *f)
{
	const char *bold = t->o.color && f->severity == AUDIT_PROBLEM ? "\033[1m" : "";
	char *first = xasprintf("%s: ", audit_severity_name(f->severity));
	char *what = xasprintf("%s [%s]", f->what, f->id);

	(void)fputs(bold, t->f);
	report_text_wrap(t, first, "  ", what);
	(void)fputs(bold[0] != '\0' ? "\033[0m" : "", t->f);
	report_text_wrap(t, "  why: ", "  ", f->why);
	if (f->mend[0] != '\0')
		command_print(t, f->mend);
	free(first);
	free(what);
}

static void findings_print(
	const struct report_text_out *t, const struct audit_findings *found)
{
	size_t n[AUDIT_NOTE + 1] = { 0 }, i;

	for (i = 0; i < found->n; i++)
		n[found->f[i].severity]++;
	if (found->n == 0)
		(void)fprintf(t->f, "Nothing wrong was found.\n");
	else
		(void)fprintf(t->f, "%zu problem%s, %zu advice, %zu note%s\n",
			n[AUDIT_PROBLEM], units_s(n[AUDIT_PROBLEM]), n[AUDIT_ADVICE],
			n[AUDIT_NOTE], units_s(n[AUDIT_NOTE]));
	for (i = 0; i < found->n; i++) {
		(void)fputc('\n', t->f);
		finding_print(t, &found->f[i]);
	}
}

static void gaps_print(const struct report_text_out *t, const struct audit *a)
{
	size_t i;

	if (a->n_gaps > 0)
		(void)fprintf(t->f,
			"\nNot readable (nothing is said of these, good or bad)\n");
	for (i = 0; i < a->n_gaps; i++) {
		char *line = xasprintf("%s: %s", a->gaps[i].what, a->gaps[i].why);

		report_text_wrap(t, "  ", "    ", line);
		free(line);
	}
}

/* Appends text to a growing line. */
static void add(char **line, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void add(char **line, const char *fmt, ...)
{
	char *more, *longer;
	va_list ap;

	va_start(ap, fmt);
	more = xvasprintf(fmt, ap);
	va_end(ap);
	longer = xasprintf("%s%s%s", *line, **line != '\0' ? ", " : "", more);
	free(*line);
	free(more);
	*line = longer;
}

static void nic_irqs_add(char **line, const struct audit_nic *nic)
{
	struct cpulist cpus = { 0 };
	char list[LIST_MAX];
	size_t i;

	for (i = 0; i < nic->n_irqs; i++)
		if (nic->irqs[i].is_queue)
			cpulist_add_all(&cpus, &nic->irqs[i].cpus);
	if (cpus.n > 0)
		add(line, "interrupts on CPU%s %s", units_s(cpus.n),
			cpulist_format(&cpus, list, sizeof(list)));
	cpulist_done(&cpus);
}

static void nic_print(const struct report_text_out *t, const struct audit_nic *nic)
{
	char *line = xstrdup(""), *head, list[LIST_MAX];

	if (nic->node >= 0)
		add(&line, "node %d", nic->node);
	else
		add(&line, nic->node == AUDIT_NONE ? "on no node" : "node not known");
	if (nic->driver[0] != '\0')
		add(&line, "%s %s", nic->driver, nic->bus);
	if (nic->is_virtual)
		add(&line, "virtual");
	if (!nic->up)
		add(&line, "down");
	if (nic->n_rx >= 0)
		add(&line, "%d rx and %d tx queue%s", nic->n_rx, nic->n_tx,
			units_s((uint64_t)nic->n_tx));
	nic_irqs_add(&line, nic);
	if (nic->has_rps && nic->rps.n > 0)
		add(&line, "RPS to CPU%s %s", units_s(nic->rps.n),
			cpulist_format(&nic->rps, list, sizeof(list)));
	if (nic->gro >= 0)
		add(&line, "GRO %s", nic->gro != 0 ? "on" : "off");
	if (nic->rx_ring > 0)
		add(&line, "rings rx %d of %d, tx %d of %d", nic->rx_ring,
			nic->rx_ring_max, nic->tx_ring, nic->tx_ring_max);
	if (nic->has_drops)
		add(&line, "dropped %" PRIu64 " in, %" PRIu64 " out", nic->rx_drops,
			nic->tx_drops);
	head = xasprintf("  %s%s: ", nic->name, nic->used ? " (the SUT's)" : "");
	report_text_wrap(t, head, "    ", line);
	free(head);
	free(line);
}

static void thread_print(const struct report_text_out *t, const struct audit_thread *th)
{
	char *line = xstrdup(""), *head, list[LIST_MAX];

	if (th->cpu >= 0)
		add(&line, "CPU %d", th->cpu);
	if (th->node >= 0)
		add(&line, "node %d", th->node);
	if (th->has_allowed)
		add(&line, "may use CPUs %s",
			cpulist_format(&th->allowed, list, sizeof(list)));
	if (isfinite(th->busy_frac))
		add(&line, "%.0f %% busy", 100 * th->busy_frac);
	head = th->tid != 0 ? xasprintf("  %s (tid %d): ", th->comm, th->tid)
			    : xasprintf("  %s: ", th->comm);
	report_text_wrap(t, head, "    ", line);
	free(head);
	free(line);
}

static void sut_print(const struct report_text_out *t, const struct audit *a)
{
	size_t i;

	if (a->n_threads > 0)
		(void)fprintf(t->f, "\nThreads of the SUT\n");
	for (i = 0; i < a->n_threads; i++)
		thread_print(t, &a->threads[i]);
	for (i = 0; i < a->n_memory; i++) {
		char *line = xasprintf("%.1f MiB on node %d", a->memory[i].bytes / MIB,
			a->memory[i].node);
		char *head = xasprintf("  memory of %s: ", a->memory[i].comm);

		report_text_wrap(t, head, "    ", line);
		free(head);
		free(line);
	}
}

static void settings_print(const struct report_text_out *t, const struct audit *a)
{
	const struct audit_host *h = &a->host;
	char *line = xstrdup(""), list[LIST_MAX];
	size_t i;

	(void)fprintf(t->f, "\nMachine\n");
	for (i = 0; i < a->n_nodes; i++)
		(void)fprintf(t->f, "  node %d: CPUs %s, %.0f MiB\n", a->nodes[i].node,
			a->nodes[i].cpus.n == 0
				? "none"
				: cpulist_format(&a->nodes[i].cpus, list, sizeof(list)),
			a->nodes[i].memory_bytes / MIB);
	if (h->has_isolated && h->isolated.n > 0)
		add(&line, "isolated CPUs %s",
			cpulist_format(&h->isolated, list, sizeof(list)));
	if (h->clock_source[0] != '\0')
		add(&line, "clock source %s", h->clock_source);
	if (a->n_cpus > 0 && a->cpus[0].governor[0] != '\0')
		add(&line, "governor %s", a->cpus[0].governor);
	if (h->idle_driver[0] != '\0')
		add(&line, "idle driver %s", h->idle_driver);
	if (isfinite(h->quota_cpus))
		add(&line, "quota %.2f CPUs", h->quota_cpus);
	if (h->thp[0] != '\0')
		add(&line, "transparent huge pages %s", h->thp);
	if (h->huge_pages > 0)
		add(&line, "%d huge pages, %d free", h->huge_pages, h->huge_pages_free);
	if (h->numa_balancing >= 0)
		add(&line, "NUMA balancing %s", h->numa_balancing != 0 ? "on" : "off");
	if (h->irqbalance >= 0)
		add(&line, "irqbalance %s",
			h->irqbalance != 0 ? "runs" : "does not run");
	if (line[0] != '\0')
		report_text_wrap(t, "  ", "    ", line);
	if (h->mitigations[0] != '\0')
		report_text_wrap(t, "  mitigations: ", "    ", h->mitigations);
	free(line);
}

int report_audit_text(FILE *f, const struct audit *a,
	const struct audit_findings *found, const struct report_options *o,
	struct sp_err *err)
{
	struct report_text_out t = { .f = f, .o = *o };
	size_t i;

	errno = 0;
	if (t.o.width < REPORT_WIDTH_MIN || t.o.width > REPORT_WIDTH_MAX)
		t.o.width = REPORT_WIDTH_MAX;
	findings_print(&t, found);
	gaps_print(&t, a);
	if (a->n_nics > 0)
		(void)fprintf(f, "\nInterfaces\n");
	for (i = 0; i < a->n_nics; i++)
		nic_print(&t, &a->nics[i]);
	sut_print(&t, a);
	settings_print(&t, a);
	return report_finish(f, err);
}

void report_text_audit(const struct report_text_out *t)
{
	struct audit_findings found = { 0 };
	size_t i;

	audit_judge_run(t->run, &found, NULL);
	if (found.n > 0)
		(void)fprintf(
			t->f, "Placement and settings (satprof audit says why)\n");
	for (i = 0; i < found.n; i++) {
		char *head =
			xasprintf("  %s: ", audit_severity_name(found.f[i].severity));

		report_text_wrap(t, head, "    ", found.f[i].what);
		free(head);
	}
	if (found.n > 0)
		(void)fputc('\n', t->f);
	audit_findings_done(&found);
}
