/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Chooses CPUs for SUT, generator, receiver and collector. */
#include "config.h"

#include "os/cpuplan.h"

#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/cpulist.h"
#include "base/mem.h"
#include "os/proctree.h"

static bool holds(const int *cpus, size_t n, int cpu)
{
	size_t i;

	for (i = 0; i < n; i++)
		if (cpus[i] == cpu)
			return true;
	return false;
}

int cpuplan_list_parse(
	const char *s, int *cpus, size_t max, size_t *ret_n, struct sp_err *err)
{
	struct cpulist l = { 0 };
	int rc = 0;

	/* What the kernel writes may be empty and end in blanks; a user's list may not.
	 */
	if (s[0] == '\0' || strpbrk(s, " \t\n") != NULL || !cpulist_parse(s, &l))
		return sp_err_set(
			err, SP_EUSAGE, "'%s' is not a list of CPUs like 1,3-4", s);
	if (l.n > max)
		rc = sp_err_set(
			err, SP_EUSAGE, "'%s' names more than %zu CPUs", s, max);
	if (rc == 0) {
		memcpy(cpus, l.ids, l.n * sizeof(*cpus));
		*ret_n = l.n;
	}
	cpulist_done(&l);
	return rc;
}

/* The caller's affinity, ascending; grows until the kernel's mask fits. */
static int allowed_cpus(int **ret_cpus, size_t *ret_n, struct sp_err *err)
{
	int *cpus, cpu, max = 1024;
	cpu_set_t *set = NULL;
	size_t n = 0;

	for (;; max *= 2) {
		CPU_FREE(set);
		set = CPU_ALLOC((size_t)max);
		if (set == NULL)
			return sp_err_set(err, SP_EIO, "no memory for a CPU mask");
		if (sched_getaffinity(0, CPU_ALLOC_SIZE((size_t)max), set) == 0)
			break;
		if (errno != EINVAL || max > CPULIST_MAX) {
			CPU_FREE(set);
			return sp_err_errno(err, SP_EIO, errno, "sched_getaffinity");
		}
	}
	cpus = xcalloc((size_t)max, sizeof(*cpus));
	for (cpu = 0; cpu < max; cpu++)
		if (CPU_ISSET_S((size_t)cpu, CPU_ALLOC_SIZE((size_t)max), set))
			cpus[n++] = cpu;
	CPU_FREE(set);
	*ret_cpus = cpus;
	*ret_n = n;
	return 0;
}

static int check_allowed(
	const int *allowed, size_t n, const char *what, int cpu, struct sp_err *err)
{
	if (holds(allowed, n, cpu))
		return 0;
	return sp_err_set(err, SP_EUSAGE,
		"%s: CPU %d is not there or not allowed for this process (see "
		"Cpus_allowed_list in /proc/self/status)",
		what, cpu);
}

/* The SUT's CPUs: as asked, else the highest that nobody asked for. */
static int choose_sut(const struct cpuplan_request *req, const int *allowed, size_t n,
	struct cpuplan *p, struct sp_err *err)
{
	size_t i;
	int rc;

	p->set_sut_affinity = req->cpu_sut == NULL || strcmp(req->cpu_sut, "none") != 0;
	if (req->cpu_sut != NULL && p->set_sut_affinity) {
		rc = cpuplan_list_parse(
			req->cpu_sut, p->sut, CPUPLAN_MAX, &p->n_sut, err);
		for (i = 0; rc == 0 && i < p->n_sut; i++)
			rc = check_allowed(allowed, n, "--cpu-sut", p->sut[i], err);
		return rc;
	}
	p->n_sut = 1;
	p->sut[0] = allowed[n - 1];
	for (i = n; i-- > 0;) {
		if (allowed[i] == req->cpu_gen || allowed[i] == req->cpu_recv ||
			allowed[i] == req->cpu_collect)
			continue;
		p->sut[0] = allowed[i];
		break;
	}
	return 0;
}

/*
 * The CPUs of the SUT's core, itself included; just the CPU where the tree does
 * not say.
 */
static size_t siblings_of(int root_fd, int cpu, int *cpus, size_t max)
{
	char path[96], buf[256];
	struct sp_err ignored;
	size_t n = 0;

	(void)snprintf(path, sizeof(path),
		"sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
	if (proctree_read_file(root_fd, path, buf, sizeof(buf)) > 0) {
		buf[strcspn(buf, "\n")] = '\0';
		if (cpuplan_list_parse(buf, cpus, max, &n, &ignored) == 0 && n > 0)
			return n;
	}
	cpus[0] = cpu;
	return 1;
}

static bool shares_core(int root_fd, const struct cpuplan *p, int cpu)
{
	int sib[CPUPLAN_MAX];
	size_t i, n;

	if (cpu < 0)
		return false;
	for (i = 0; i < p->n_sut; i++) {
		n = siblings_of(root_fd, p->sut[i], sib, CPUPLAN_MAX);
		if (holds(sib, n, cpu))
			return true;
	}
	return false;
}

/*
 * The lowest allowed CPU that no SUT core owns and nobody took; else the lowest
 * that is not the SUT's; else -1.
 */
static int lowest_free(int root_fd, const int *allowed, size_t n,
	const struct cpuplan *p, const int *taken, size_t n_taken)
{
	int off_sut = -1;
	size_t i;

	for (i = 0; i < n; i++) {
		if (holds(p->sut, p->n_sut, allowed[i]) ||
			holds(taken, n_taken, allowed[i]))
			continue;
		if (off_sut < 0)
			off_sut = allowed[i];
		if (!shares_core(root_fd, p, allowed[i]))
			return allowed[i];
	}
	return off_sut;
}

/* Generator first, since it needs a CPU most; the rest share when there is none. */
static void choose_ours(int root_fd, const struct cpuplan_request *req,
	const int *allowed, size_t n, struct cpuplan *p)
{
	const int asked[3] = { req->cpu_gen, req->cpu_recv, req->cpu_collect };
	int *const slots[3] = { &p->cpu_gen, &p->cpu_recv, &p->cpu_collect };
	int taken[6], cpu;
	size_t i, n_taken = 0;

	for (i = 0; i < 3; i++)
		if (asked[i] >= 0)
			taken[n_taken++] = asked[i];
	for (i = 0; i < 3; i++) {
		if (asked[i] >= 0) {
			*slots[i] = asked[i];
			continue;
		}
		cpu = lowest_free(root_fd, allowed, n, p, taken, n_taken);
		/* A free sibling of the SUT is worse than a CPU shared by two of us. */
		if (i > 0 && (cpu < 0 || shares_core(root_fd, p, cpu)))
			cpu = *slots[i - 1];
		if (cpu < 0)
			cpu = allowed[0];
		*slots[i] = cpu;
		taken[n_taken++] = cpu;
	}
}

static void say_shared(struct cpuplan *p, const char *fmt, ...)
	__attribute__((format(printf, 2, 3)));

static void say_shared(struct cpuplan *p, const char *fmt, ...)
{
	va_list ap;

	if (p->shared_core) /* one reason will do */
		return;
	p->shared_core = true;
	va_start(ap, fmt);
	(void)vsnprintf(
		p->why_shared, sizeof(p->why_shared), fmt, ap); /* cut is fine */
	va_end(ap);
}

static void judge_sharing(int root_fd, size_t n_allowed, struct cpuplan *p)
{
	static const char *const names[2] = { "generator", "receiver" };
	const int ours[2] = { p->cpu_gen, p->cpu_recv };
	size_t i;

	for (i = 0; i < 2; i++) {
		if (holds(p->sut, p->n_sut, ours[i]) && n_allowed == 1)
			say_shared(p,
				"there is only one CPU: the SUT shares it with the "
				"generator and the receiver");
		else if (holds(p->sut, p->n_sut, ours[i]))
			say_shared(p, "the SUT and the %s share CPU %d", names[i],
				ours[i]);
		else if (shares_core(root_fd, p, ours[i]))
			say_shared(p,
				"CPU %d of the %s is a hardware thread of the SUT's core",
				ours[i], names[i]);
	}
}

int cpuplan_choose(const struct cpuplan_request *req, int root_fd, const int *allowed,
	size_t n_allowed, struct cpuplan *ret_plan, struct sp_err *err)
{
	const struct {
		const char *option;
		int cpu;
	} asked[] = {
		{ "--cpu-gen", req->cpu_gen },
		{ "--cpu-recv", req->cpu_recv },
		{ "--cpu-collect", req->cpu_collect },
	};
	struct cpuplan p = { 0 };
	int rc = 0;
	size_t i;

	for (i = 0; rc == 0 && i < sizeof(asked) / sizeof(asked[0]); i++)
		if (asked[i].cpu >= 0)
			rc = check_allowed(
				allowed, n_allowed, asked[i].option, asked[i].cpu, err);
	if (rc == 0)
		rc = choose_sut(req, allowed, n_allowed, &p, err);
	if (rc != 0)
		return rc;
	choose_ours(root_fd, req, allowed, n_allowed, &p);
	judge_sharing(root_fd, n_allowed, &p);
	*ret_plan = p;
	return 0;
}

int cpuplan_make(const struct cpuplan_request *req, int root_fd,
	struct cpuplan *ret_plan, struct sp_err *err)
{
	int *allowed = NULL, rc;
	size_t n = 0;

	rc = allowed_cpus(&allowed, &n, err);
	if (rc == 0)
		rc = cpuplan_choose(req, root_fd, allowed, n, ret_plan, err);
	free(allowed);
	return rc;
}

static size_t put(char *buf, size_t len, size_t at, const char *fmt, ...)
	__attribute__((format(printf, 4, 5)));

static size_t put(char *buf, size_t len, size_t at, const char *fmt, ...)
{
	va_list ap;
	int n;

	if (at >= len)
		return at;
	va_start(ap, fmt);
	n = vsnprintf(buf + at, len - at, fmt, ap);
	va_end(ap);
	return n < 0 ? at : at + (size_t)n;
}

void cpuplan_describe(const struct cpuplan *p, char *buf, size_t len)
{
	size_t i, at = put(buf, len, 0, "SUT %s CPU ",
			  p->set_sut_affinity ? "on" : "where it likes, measured on");

	for (i = 0; i < p->n_sut; i++)
		at = put(buf, len, at, "%s%d", i > 0 ? "," : "", p->sut[i]);
	if (p->cpu_gen == p->cpu_recv && p->cpu_recv == p->cpu_collect)
		(void)put(buf, len, at, "; generator, receiver and collector on CPU %d",
			p->cpu_gen);
	else
		(void)put(buf, len, at,
			"; generator on CPU %d, receiver on CPU %d, collector on CPU %d",
			p->cpu_gen, p->cpu_recv, p->cpu_collect);
}
