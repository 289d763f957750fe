/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the files of the audit share: the rules' names, and where things belong. */
#ifndef SATPROF_PLAN_AUDIT_PRIVATE_H
#define SATPROF_PLAN_AUDIT_PRIVATE_H

#include <stdbool.h>

#include "plan/audit.h"

/* In the order in which findings are told: problems, advice, notes. */
enum audit_rule {
	AUDIT_RULE_THREAD_NODE,
	AUDIT_RULE_MEMORY_NODE,
	AUDIT_RULE_IRQ_NODE,
	AUDIT_RULE_RPS_NODE,
	AUDIT_RULE_CPU_SHARED,
	AUDIT_RULE_SMT_SIBLING,
	AUDIT_RULE_CPU_THROTTLED,
	AUDIT_RULE_CLOCK_SOURCE,
	AUDIT_RULE_NIC_NODES,
	AUDIT_RULE_IRQ_ON_THREAD,
	AUDIT_RULE_IRQ_ONE_CPU,
	AUDIT_RULE_ISOLATED_UNUSED,
	AUDIT_RULE_RECEIVE_OFFLOAD,
	AUDIT_RULE_NIC_DROPS,
	AUDIT_RULE_CPU_QUOTA,
	AUDIT_RULE_GOVERNOR,
	AUDIT_RULE_IDLE_DEEP,
	AUDIT_RULE_NUMA_BALANCING,
	AUDIT_RULE_IRQBALANCE,
	AUDIT_RULE_THREAD_ROAMS,
	AUDIT_RULE_RING_SMALL,
	AUDIT_RULE_ISOLATED_TICK,
	AUDIT_RULE_THP,
	AUDIT_RULE_NODE_EMPTY,
	N_AUDIT_RULES,
};

struct audit_judge {
	const struct audit *a;
	struct audit_findings *out;
	bool some_active; /* a thread of the SUT was seen running */
	bool some_used;   /* a NIC is known to be the SUT's */
};

/* A finding; mend is owned from now on, and dropped where `of` is in it and not plain.
 */
void audit_found(struct audit_judge *j, enum audit_rule rule, const char *of,
	char *mend, const char *fmt, ...) __attribute__((format(printf, 5, 6)));

/* Nothing in it means anything to a shell: fit for a command that is pasted as root.
 * Names of interfaces and control groups are other people's. */
bool audit_is_plain(const char *name);

/* By the rules' order, in which problems come first; of one rule as found. */
void audit_sort(struct audit_findings *f);

/* A thread that counts: it ran while the audit looked, or none was seen running. */
bool audit_thread_counts(const struct audit_judge *j, const struct audit_thread *t);
/* An interface that counts: the SUT's; where that is not known, any NIC that is up. */
bool audit_nic_counts(const struct audit_judge *j, const struct audit_nic *nic);
/* Adds the CPUs next to a node: its own, else those of the nearest nodes that have any.
 */
void audit_home_cpus(const struct audit *a, int node, struct cpulist *ret);
/* Whether work on node `at` is as near to `node` as can be. */
bool audit_is_home(const struct audit *a, int node, int at);
/* The CPUs that the SUT's threads may use: where they ran and where they are allowed.
 */
void audit_sut_cpus(const struct audit_judge *j, struct cpulist *ret);

void audit_judge_threads(struct audit_judge *j);
void audit_judge_memory(struct audit_judge *j);
void audit_judge_nics(struct audit_judge *j);
void audit_judge_cpus(struct audit_judge *j);
void audit_judge_host(struct audit_judge *j);

#endif
