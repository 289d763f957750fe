/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What an audit looks at: where NICs, their interrupts, the SUT's threads and its
 * memory are, and how the machine is set. Plain data; filled from /proc and /sys
 * (os/audit_read.h) or from a run (plan/audit.h), judged by plan/audit.h. What is not
 * known is AUDIT_UNKNOWN, NAN, an empty text or a false has_; it is never a good value,
 * and whoever fills the struct says in not_readable what it could not find out, and
 * why.
 */
#ifndef SATPROF_MODEL_AUDIT_H
#define SATPROF_MODEL_AUDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/cpulist.h"

#define AUDIT_NONE    (-1) /* of a node: it is known to be on none */
#define AUDIT_UNKNOWN (-2)

#define AUDIT_NAME_MAX 48

struct audit_irq {
	int irq;
	char name[AUDIT_NAME_MAX]; /* its action: "nic0-rx-0" */
	bool is_queue;             /* of a queue; not of the link or a mailbox */
	bool has_cpus;
	struct cpulist cpus; /* where it lands (effective affinity) */
	uint64_t n;          /* since boot, over all CPUs; UINT64_MAX: not known */
};

struct audit_nic {
	char name[AUDIT_NAME_MAX];
	char driver[AUDIT_NAME_MAX]; /* "": not known */
	char bus[AUDIT_NAME_MAX];    /* of its device, "0000:00:10.0"; "": none */
	bool is_virtual;             /* no device: veth, bridge, bond */
	bool up;
	bool used; /* the SUT's: named by the user, or the SUT has a socket on it */
	int node;
	int n_rx, n_tx; /* queues */
	size_t n_irqs, cap_irqs;
	struct audit_irq *irqs;
	bool has_rps;
	struct cpulist rps, xps;     /* CPUs in the mask of any queue */
	int gro, lro;                /* 1, 0, AUDIT_UNKNOWN */
	int rx_ring, rx_ring_max;    /* descriptors */
	int tx_ring, tx_ring_max;    /* descriptors */
	bool has_drops;              /* since boot: */
	uint64_t rx_pkts, tx_pkts;   /* packets */
	uint64_t rx_drops, tx_drops; /* packets */
};

struct audit_thread {
	int pid, tid; /* 0: a run file does not keep them */
	char comm[AUDIT_NAME_MAX];
	int cpu;  /* where it last ran */
	int node; /* of that CPU */
	bool has_allowed;
	struct cpulist allowed; /* CPUs it may run on */
	double busy_frac;       /* of one CPU, while the audit looked; NAN: not known */
};

/* Resident memory of a process's own (not of files that others map) on one node. */
struct audit_memory {
	int pid; /* 0: the SUT of a run */
	char comm[AUDIT_NAME_MAX];
	int node;
	double bytes;
};

struct audit_cpu {
	int cpu;
	int node;
	struct cpulist siblings; /* of its core, itself included; empty: unknown */
	char governor[AUDIT_NAME_MAX];   /* "": not known */
	char deep_state[AUDIT_NAME_MAX]; /* the deepest idle state that is enabled */
	double deep_us;                  /* its exit latency; NAN: not known */
	double busy_frac;                /* all of it; NAN: not known */
	double others_frac;              /* without the SUT; NAN: not known */
	char others[AUDIT_NAME_MAX];     /* the other program that ran most; "" */
	int others_pid;                  /* 0: not known */
};

struct audit_node {
	int node;
	struct cpulist cpus;
	double memory_bytes; /* NAN: not known */
	/* To each node of the audit, in its order; NULL: not known. */
	uint64_t *distances;
};

struct audit_host {
	bool has_isolated, has_nohz; /* the lists are known */
	struct cpulist isolated, nohz_full;
	char idle_driver[AUDIT_NAME_MAX], idle_governor[AUDIT_NAME_MAX];
	int dma_latency_us; /* what /dev/cpu_dma_latency holds idle states to */
	char clock_source[AUDIT_NAME_MAX], clock_sources[160]; /* all there are */
	char thp[AUDIT_NAME_MAX];
	int numa_balancing, irqbalance; /* 1, 0, AUDIT_UNKNOWN */
	int n_nodes;                    /* with memory or CPUs */
	double quota_cpus;    /* of the SUT's control group; INFINITY: no limit */
	char quota_file[256]; /* that says so; "" */
	bool has_throttled;
	uint64_t n_throttled; /* periods in which it was stopped */
	uint64_t throttled_ns;
	int huge_pages, huge_pages_free; /* of the default size */
	double huge_page_bytes;
	char mitigations[400]; /* "mds=mitigated ..." */
};

struct audit_gap {
	char *what, *why;
};

struct audit {
	bool has_sut; /* threads are the SUT's; else only the machine is audited */
	bool measured_busy; /* busy_frac and others_frac were looked for */
	size_t n_nics, cap_nics;
	struct audit_nic *nics;
	size_t n_threads, cap_threads;
	struct audit_thread *threads;
	size_t n_memory, cap_memory;
	struct audit_memory *memory;
	size_t n_cpus, cap_cpus;
	struct audit_cpu *cpus; /* ascending */
	size_t n_nodes, cap_nodes;
	struct audit_node *nodes; /* ascending */
	struct audit_host host;
	size_t n_gaps, cap_gaps;
	struct audit_gap *gaps; /* what is not readable */
};

/* Nothing is known; audit_done() frees what is added. */
void audit_init(struct audit *a);
void audit_done(struct audit *a);
/* New elements with nothing known of them; valid until the next one is added. */
struct audit_nic *audit_add_nic(struct audit *a, const char *name);
struct audit_irq *audit_add_irq(struct audit_nic *nic, int irq, const char *name);
struct audit_thread *audit_add_thread(struct audit *a, int pid, int tid);
struct audit_cpu *audit_add_cpu(struct audit *a, int cpu);
struct audit_node *audit_add_node(struct audit *a, int node);
/* More bytes of a process on a node. */
void audit_add_memory(
	struct audit *a, int pid, const char *comm, int node, double bytes);
/* What cannot be read, and why; the same what is kept once. */
void audit_add_gap(struct audit *a, const char *what, const char *fmt, ...)
	__attribute__((format(printf, 3, 4)));
/* NULL: there is none. */
struct audit_cpu *audit_find_cpu(const struct audit *a, int cpu);
struct audit_node *audit_find_node(const struct audit *a, int node);
struct audit_nic *audit_find_nic(const struct audit *a, const char *name);
/* AUDIT_UNKNOWN where nobody says. */
int audit_node_of_cpu(const struct audit *a, int cpu);

#endif
