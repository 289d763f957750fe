/* SPDX-License-Identifier: GPL-3.0-or-later */
/* How much of each resource was used at the knee, as text. */
#include "config.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "report/report_text_private.h"

#define NUM_LEN     64
#define THREADS_MAX 4

char *report_text_waits(const struct analysis_resources *r)
{
	const struct analysis_thread_use *t = r->threads;
	const struct analysis_cpu_use *cpu = r->cpus;
	char *link, *text;
	size_t i;

	for (i = 1; i < r->n_cpus; i++)
		if (r->cpus[i].busy_frac > cpu->busy_frac)
			cpu = &r->cpus[i];
	link = isfinite(r->line_bps) ? xasprintf(", free link (%.0f %% used)",
					       100 * r->link_bps / r->line_bps)
				     : xstrdup("");
	if (r->n_threads > 0)
		text = xasprintf("free CPU (cpu %d %.0f %% busy)%s: not one of these; "
				 "it waits (thread %s: run queue %.1f %%, %.0f "
				 "wake-ups/s, off CPU %.0f %%)",
			(int)cpu->cpu, 100 * cpu->busy_frac, link, t->name,
			100 * t->wait_frac, t->wakes_per_s, 100 * t->off_frac);
	else
		text = xasprintf("free CPU (cpu %d %.0f %% busy)%s: not one of these; "
				 "it waits (no thread was seen)",
			(int)cpu->cpu, 100 * cpu->busy_frac, link);
	free(link);
	return text;
}

/* The arm's name stands on its first line only. */
static void line_print(
	const struct report_text_out *t, size_t arm, bool *is_first, char *text)
{
	char *first = xasprintf(
		"  %-*s  ", t->name_width, *is_first ? report_text_arm(t, arm) : "");
	char *rest = xasprintf("  %*s    ", t->name_width, "");

	report_text_wrap(t, first, rest, text);
	*is_first = false;
	free(first);
	free(rest);
	free(text);
}

static char *cpu_line(const struct analysis_cpu_use *u)
{
	char *text = xasprintf("cpu %d: %.1f %% busy (user %.0f %%, system %.0f %%, "
			       "softirq %.0f %%, irq %.0f %%, steal %.0f %%)",
		(int)u->cpu, 100 * u->busy_frac, 100 * u->user_frac,
		100 * u->system_frac, 100 * u->softirq_frac, 100 * u->irq_frac,
		100 * u->steal_frac);
	char *longer;

	if (isfinite(u->frequency_hz)) {
		longer = xasprintf("%s, %.2f GHz", text, u->frequency_hz / 1e9);
		free(text);
		text = longer;
	}
	if (u->thermal_per_s > 0) {
		longer = xasprintf(
			"%s, %.1f thermal throttles/s", text, u->thermal_per_s);
		free(text);
		text = longer;
	}
	return text;
}

/* Of the arm's knee, and what held it back besides. */
static char *link_line(const struct analysis_resources *r)
{
	char bps[NUM_LEN], line[NUM_LEN], *text, *longer;

	if (isfinite(r->line_bps) && isfinite(r->link_bps))
		text = xasprintf("link: %s of %s with preamble and gap (%.0f %%)",
			units_bps_format(bps, NUM_LEN, r->link_bps),
			units_bps_format(line, NUM_LEN, r->line_bps),
			100 * r->link_bps / r->line_bps);
	else
		text = xstrdup("link: no rate is known");
	if (!(r->throttled_frac > 0))
		return text;
	longer = xasprintf("%s; held back by the control group %.1f %% of the time",
		text, 100 * r->throttled_frac);
	free(text);
	return longer;
}

/* Appends to *line, which it frees, with a comma where there is something. */
static void rate_add(char **line, double bytes_per_s, const char *what)
{
	char rate[NUM_LEN], *longer;

	if (!isfinite(bytes_per_s))
		return;
	longer = xasprintf("%s%s%s %s", *line, **line != '\0' ? ", " : "",
		units_byte_rate_format(rate, NUM_LEN, bytes_per_s), what);
	free(*line);
	*line = longer;
}

/* "package 0: memory 12.3 GB/s read, 4.1 GB/s written; PCIe 1.2 GB/s in, 1.1 GB/s out"
 */
static char *package_line(const struct analysis_package_use *u)
{
	char *memory = xstrdup(""), *pcie = xstrdup(""), *text;

	rate_add(&memory, u->memory_read_bytes_per_s, "read");
	rate_add(&memory, u->memory_write_bytes_per_s, "written");
	/* Both count the same bytes, these only what caches asked for. */
	if (*memory == '\0') {
		rate_add(&memory, u->memory_traffic_bytes_per_s, "read and written");
		rate_add(&memory, u->memory_local_bytes_per_s, "of it to local memory");
	}
	rate_add(&pcie, u->pcie_in_bytes_per_s, "in");
	rate_add(&pcie, u->pcie_out_bytes_per_s, "out");
	text = xasprintf("package %d: %s%s%s%s%s", (int)u->package,
		*memory != '\0' ? "memory " : "", memory,
		*memory != '\0' && *pcie != '\0' ? "; " : "",
		*pcie != '\0' ? "PCIe " : "", pcie);
	free(memory);
	free(pcie);
	return text;
}

static bool has_controllers(const struct analysis_package_use *u)
{
	return isfinite(u->memory_read_bytes_per_s) ||
	       isfinite(u->memory_write_bytes_per_s);
}

/* A cache's fill alone makes no line. */
static bool has_memory(const struct analysis_package_use *u)
{
	return has_controllers(u) || isfinite(u->memory_traffic_bytes_per_s) ||
	       isfinite(u->memory_local_bytes_per_s);
}

static bool has_pcie(const struct analysis_package_use *u)
{
	return isfinite(u->pcie_in_bytes_per_s) || isfinite(u->pcie_out_bytes_per_s);
}

static bool any_package(const struct report_text_out *t,
	bool (*has)(const struct analysis_package_use *))
{
	size_t i, k;

	for (i = 0; i < t->a->n_arms; i++)
		for (k = 0; k < t->a->arms[i].resources.n_packages; k++)
			if (has(&t->a->arms[i].resources.packages[k]))
				return true;
	return false;
}

/* "memory bandwidth: uncore_imc counts it, but was not read" */
static char *bandwidth(const char *what, const char *counters, bool is_known)
{
	if (counters == NULL)
		return xasprintf("%s: not known", what);
	if (is_known)
		return xasprintf("%s: by %s; what would be possible is not known", what,
			counters);
	if (strcmp(counters, "not offered") == 0)
		return xasprintf("%s: not offered here", what);
	return xasprintf("%s: %s counts it, but was not read", what, counters);
}

/* Of all arms: that it ran out is not ruled out. */
static void bandwidths_print(const struct report_text_out *t)
{
	const char *counters = run_fact(t->run, ANALYSIS_MEMORY_FACT);
	bool by_caches = any_package(t, has_memory) && !any_package(t, has_controllers);
	char *memory = bandwidth("memory bandwidth", by_caches ? "resctrl" : counters,
		any_package(t, has_memory));
	char *pcie = bandwidth("PCIe traffic", run_fact(t->run, ANALYSIS_PCIE_FACT),
		any_package(t, has_pcie));
	char *line = xasprintf("%s; %s", memory, pcie);

	report_text_wrap(t, "  ", "  ", line);
	free(line);
	free(pcie);
	free(memory);
}

static void arm_print(const struct report_text_out *t, size_t arm)
{
	const struct analysis_resources *r = &t->a->arms[arm].resources;
	bool is_first = true;
	size_t i;

	for (i = 0; i < r->n_cpus; i++)
		line_print(t, arm, &is_first, cpu_line(&r->cpus[i]));
	for (i = 0; i < r->n_threads && i < THREADS_MAX; i++) {
		const struct analysis_thread_use *u = &r->threads[i];

		line_print(t, arm, &is_first,
			xasprintf("thread %s: ran %.1f %%, waited for a CPU %.1f %%, "
				  "off CPU %.1f %%, %.0f wake-ups/s",
				u->name, 100 * u->run_frac, 100 * u->wait_frac,
				100 * u->off_frac, u->wakes_per_s));
	}
	if (r->n_threads > THREADS_MAX)
		line_print(t, arm, &is_first,
			xasprintf("and threads of %zu more names: --json has all",
				r->n_threads - THREADS_MAX));
	line_print(t, arm, &is_first, link_line(r));
	if (isfinite(r->lock_waits_per_pkt))
		line_print(t, arm, &is_first,
			xasprintf(
				"waits for kernel locks: %.2g a packet, %.0f a second",
				r->lock_waits_per_pkt, r->lock_waits_per_s));
	for (i = 0; i < r->n_packages; i++)
		if (has_memory(&r->packages[i]) || has_pcie(&r->packages[i]))
			line_print(t, arm, &is_first, package_line(&r->packages[i]));
}

void report_text_resources(const struct report_text_out *t)
{
	size_t i;
	bool is_known = false;

	for (i = 0; i < t->a->n_arms; i++)
		is_known |= t->a->arms[i].resources.n_cpus > 0;
	if (!is_known)
		return;
	(void)fprintf(t->f, "What was used there (parts of a CPU's time are "
			    "tick-sampled)\n");
	for (i = 0; i < t->a->n_arms; i++)
		arm_print(t, i);
	bandwidths_print(t);
	(void)fputc('\n', t->f);
}
