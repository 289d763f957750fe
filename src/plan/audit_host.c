/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Rules about CPUs and the machine's settings. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "plan/audit_private.h"

/* What others take of a CPU before it counts: two ticks of half a second. */
#define OTHERS_MIN_FRAC 0.05
/* A state that takes longer to leave than this is deep: a ring fills meanwhile. */
#define DEEP_US 10.0

/* The SUT's CPUs; all of the machine where no SUT is known. */
static void cpus_that_count(const struct audit_judge *j, struct cpulist *ret)
{
	size_t i;

	if (j->a->has_sut) {
		audit_sut_cpus(j, ret);
		return;
	}
	for (i = 0; i < j->a->n_cpus; i++)
		cpulist_add(ret, j->a->cpus[i].cpu);
}

/* " (by hog, pid 17)" */
static char *by_whom(const struct audit_cpu *c)
{
	if (c->others[0] == '\0')
		return xstrdup("");
	if (c->others_pid <= 0)
		return xasprintf(" (%s)", c->others);
	return xasprintf(" (%s, pid %d)", c->others, c->others_pid);
}

/* Sends the other program to the CPUs that no SUT thread may use. */
static char *send_away(const struct audit_judge *j, const struct audit_cpu *c,
	const struct cpulist *ours)
{
	struct cpulist to = { 0 };
	char *list, *mend;
	size_t i;

	for (i = 0; i < j->a->n_cpus; i++) {
		const struct audit_cpu *other = &j->a->cpus[i];

		if (!cpulist_has(ours, other->cpu) &&
			!cpulist_has(&c->siblings, other->cpu))
			cpulist_add(&to, other->cpu);
	}
	list = cpulist_text(&to);
	mend = to.n == 0 || c->others_pid <= 0
		       ? xstrdup("")
		       : xasprintf("sudo taskset -apc %s %d", list, c->others_pid);
	free(list);
	cpulist_done(&to);
	return mend;
}

/* The CPUs where threads of the SUT were seen. */
static void running_on(const struct audit_judge *j, struct cpulist *ret)
{
	size_t i;

	for (i = 0; i < j->a->n_threads; i++)
		if (audit_thread_counts(j, &j->a->threads[i]))
			cpulist_add(ret, j->a->threads[i].cpu);
}

static void judge_sibling(struct audit_judge *j, const struct audit_cpu *c, int sibling,
	const struct cpulist *ours)
{
	const struct audit_cpu *s = audit_find_cpu(j->a, sibling);
	bool is_ours = cpulist_has(ours, sibling);
	char *whom;

	if (s == NULL || sibling == c->cpu || !(s->busy_frac >= OTHERS_MIN_FRAC))
		return;
	/* Two threads of the SUT on one core are told once. */
	if (is_ours && sibling < c->cpu)
		return;
	whom = is_ours ? xstrdup(" by the SUT itself") : by_whom(s);
	audit_found(j, AUDIT_RULE_SMT_SIBLING, "",
		is_ours ? xstrdup("") : send_away(j, s, ours),
		"CPU %d of the SUT shares its core with CPU %d, which is %.0f %% busy%s",
		c->cpu, sibling, 100 * s->busy_frac, whom);
	free(whom);
}

void audit_judge_cpus(struct audit_judge *j)
{
	struct cpulist ours = { 0 };
	size_t i, k;

	running_on(j, &ours);
	for (i = 0; i < ours.n; i++) {
		const struct audit_cpu *c = audit_find_cpu(j->a, ours.ids[i]);
		char *whom;

		if (c == NULL)
			continue;
		if (c->others_frac >= OTHERS_MIN_FRAC) {
			whom = by_whom(c);
			audit_found(j, AUDIT_RULE_CPU_SHARED, "",
				send_away(j, c, &ours),
				"others took %.0f %% of CPU %d, where the SUT runs%s",
				100 * c->others_frac, c->cpu, whom);
			free(whom);
		}
		for (k = 0; k < c->siblings.n; k++)
			judge_sibling(j, c, c->siblings.ids[k], &ours);
	}
	cpulist_done(&ours);
}

/* CPUs of one governor that is not the one; those told already are in *done. */
static void judge_governor(struct audit_judge *j, const struct cpulist *cpus, int first,
	struct cpulist *done)
{
	const struct audit_cpu *c = audit_find_cpu(j->a, first), *other;
	struct cpulist same = { 0 };
	char *list;
	size_t i;

	if (c == NULL || c->governor[0] == '\0' || cpulist_has(done, first) ||
		strcmp(c->governor, "performance") == 0)
		return;
	for (i = 0; i < cpus->n; i++) {
		other = audit_find_cpu(j->a, cpus->ids[i]);
		if (other != NULL && strcmp(other->governor, c->governor) == 0)
			cpulist_add(&same, other->cpu);
	}
	cpulist_add_all(done, &same);
	list = cpulist_text(&same);
	audit_found(j, AUDIT_RULE_GOVERNOR, "",
		xasprintf("sudo cpupower -c %s frequency-set -g performance", list),
		"the frequency governor of CPU%s %s is %s", units_s(same.n), list,
		c->governor);
	free(list);
	cpulist_done(&same);
}

static void judge_idle(struct audit_judge *j, const struct cpulist *cpus)
{
	const struct audit_cpu *c, *deepest = NULL;
	int held = j->a->host.dma_latency_us;
	struct cpulist deep = { 0 };
	char *list;
	size_t i;

	for (i = 0; i < cpus->n; i++) {
		c = audit_find_cpu(j->a, cpus->ids[i]);
		/* NAN is not known; what is held off does not count. */
		if (c == NULL || !(c->deep_us > DEEP_US) ||
			(held >= 0 && held < c->deep_us))
			continue;
		cpulist_add(&deep, c->cpu);
		if (deepest == NULL || c->deep_us > deepest->deep_us)
			deepest = c;
	}
	if (deepest != NULL) {
		list = cpulist_text(&deep);
		audit_found(j, AUDIT_RULE_IDLE_DEEP, "",
			xasprintf(
				"sudo cpupower -c %s idle-set -D %.0f", list, DEEP_US),
			"CPU%s %s may sleep as deep as %s, which takes %.0f us to leave",
			units_s(deep.n), list, deepest->deep_state, deepest->deep_us);
		free(list);
	}
	cpulist_done(&deep);
}

static void judge_tick(struct audit_judge *j)
{
	const struct audit_host *h = &j->a->host;
	struct cpulist ours = { 0 }, ticked = { 0 };
	char *list;
	size_t i;

	running_on(j, &ours);
	for (i = 0; h->has_nohz && i < ours.n; i++)
		if (cpulist_has(&h->isolated, ours.ids[i]) &&
			!cpulist_has(&h->nohz_full, ours.ids[i]))
			cpulist_add(&ticked, ours.ids[i]);
	if (ticked.n > 0) {
		list = cpulist_text(&ticked);
		audit_found(j, AUDIT_RULE_ISOLATED_TICK, "",
			xasprintf("sudo grubby --update-kernel=ALL --args=nohz_full=%s",
				list),
			"CPU%s %s %s isolated but not in nohz_full", units_s(ticked.n),
			list, ticked.n == 1 ? "is" : "are");
		free(list);
	}
	cpulist_done(&ours);
	cpulist_done(&ticked);
}

static void judge_quota(struct audit_judge *j)
{
	const struct audit_host *h = &j->a->host;
	char *mend = h->quota_file[0] == '\0' || !audit_is_plain(h->quota_file)
			     ? xstrdup("")
			     : xasprintf("echo %s | sudo tee %s",
				       strstr(h->quota_file, "cpu.max") != NULL ? "max"
										: "-1",
				       h->quota_file);

	if (h->has_throttled && h->n_throttled > 0)
		audit_found(j, AUDIT_RULE_CPU_THROTTLED, "", xstrdup(mend),
			"the control group was stopped in %" PRIu64
			" periods, for %.1f ms in all",
			h->n_throttled, (double)h->throttled_ns / 1e6);
	if (isfinite(h->quota_cpus))
		audit_found(j, AUDIT_RULE_CPU_QUOTA, "", xstrdup(mend),
			"the control group may use %.2f CPUs", h->quota_cpus);
	free(mend);
}

/* Read in user space from a counter; the names are the kernel's. */
static bool is_counter_clock(const char *name)
{
	static const char *const good[] = { "tsc", "arch_sys_counter", "kvm-clock",
		"hyperv_clocksource_tsc_page", "timebase", "riscv_clocksource" };
	size_t i;

	for (i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		if (strcmp(name, good[i]) == 0)
			return true;
	return false;
}

static void judge_clock(struct audit_judge *j)
{
	static const char path[] =
		"/sys/devices/system/clocksource/clocksource0/current_clocksource";
	const struct audit_host *h = &j->a->host;
	char *list, *word, *rest = NULL, *mend = NULL;

	if (h->clock_source[0] == '\0' || is_counter_clock(h->clock_source))
		return;
	list = xstrdup(h->clock_sources);
	for (word = strtok_r(list, " ", &rest); word != NULL && mend == NULL;
		word = strtok_r(NULL, " ", &rest))
		if (is_counter_clock(word))
			mend = xasprintf("echo %s | sudo tee %s", word, path);
	free(list);
	audit_found(j, AUDIT_RULE_CLOCK_SOURCE, "", mend != NULL ? mend : xstrdup(""),
		"the clock source is %s, which is no counter of the CPU",
		h->clock_source);
}

void audit_judge_host(struct audit_judge *j)
{
	const struct audit_host *h = &j->a->host;
	struct cpulist cpus = { 0 }, done = { 0 };
	size_t i;

	cpus_that_count(j, &cpus);
	for (i = 0; i < cpus.n; i++)
		judge_governor(j, &cpus, cpus.ids[i], &done);
	judge_idle(j, &cpus);
	cpulist_done(&cpus);
	cpulist_done(&done);
	judge_tick(j);
	judge_quota(j);
	judge_clock(j);
	if (h->irqbalance == 1)
		audit_found(j, AUDIT_RULE_IRQBALANCE, "",
			xstrdup("sudo systemctl stop irqbalance"),
			"irqbalance is running");
	if (h->numa_balancing == 1 && h->n_nodes > 1)
		audit_found(j, AUDIT_RULE_NUMA_BALANCING, "",
			xstrdup("sudo sysctl -w kernel.numa_balancing=0"),
			"automatic NUMA balancing is on, with %d nodes", h->n_nodes);
	if (strcmp(h->thp, "always") == 0)
		audit_found(j, AUDIT_RULE_THP, "",
			xstrdup("echo madvise | sudo tee "
				"/sys/kernel/mm/transparent_hugepage/enabled"),
			"transparent huge pages are given to all programs (always)");
}
