/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts: what can differ between two arms besides the observer itself, from where a
 * thread ran to which limits it was started with (the rows of the checklist in
 * satprof-run(5)). Read at trial edges only. Plain data; a fact's text is owned by
 * whoever holds the fact (facts_done).
 */
#ifndef SATPROF_MODEL_FACT_H
#define SATPROF_MODEL_FACT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What a fact is of. Its name beside it: "" HOST, "1" CPU, "0" NODE, a thread's comm
 * THREAD ("worker#2": the second of that name by tid), an interface LINK, "0" PACKAGE
 * (a socket). */
enum fact_scope {
	FACT_HOST,
	FACT_CPU,
	FACT_NODE,
	FACT_PROCESS,
	FACT_THREAD,
	FACT_LINK,
	FACT_PACKAGE,
};

/* How two edges make one fact. */
enum fact_kind {
	FACT_COUNT, /* grows since boot or birth: the difference over the trial */
	FACT_LEVEL, /* a number as it is at the trial's end */
	FACT_TEXT,  /* a text as it is at the trial's end */
};

/* Which cause a fact that differs is evidence of, the likeliest first. */
enum factor {
	FACTOR_PLACEMENT,  /* threads ran on other CPUs or nodes */
	FACTOR_MEMORY,     /* pages on another node, faults, huge pages */
	FACTOR_CONTENTION, /* others took the SUT's CPUs; waiting to run */
	FACTOR_LAUNCH,     /* environment, limits, cgroup, nice, ... */
	FACTOR_INTERRUPTS, /* where interrupts and softirqs land */
	FACTOR_FREQUENCY,
	FACTOR_IDLE,     /* sleeping CPUs: how deep, how often */
	FACTOR_WAKEUPS,  /* timers and wake-ups on the SUT's CPUs */
	FACTOR_BATCHING, /* packets per wake-up */
	FACTOR_SAMPLING, /* the profiler's own interrupts, throttling, multiplexing */
	FACTOR_STEAL,
	FACTOR_CLOCK,
	N_FACTORS,
};

enum fact_key {
	/* FACT_THREAD */
	FACT_THREAD_CPU,    /* level: where it last ran */
	FACT_THREAD_NODE,   /* level: the node of that CPU */
	FACT_CPUS_ALLOWED,  /* text: "0-1" */
	FACT_MEMS_ALLOWED,  /* text */
	FACT_MIGRATIONS,    /* count */
	FACT_VOLUNTARY,     /* count: context switches */
	FACT_INVOLUNTARY,   /* count */
	FACT_RUN_NS,        /* count: on a CPU */
	FACT_WAIT_NS,       /* count: runnable, but waiting */
	FACT_MINOR_FAULTS,  /* count */
	FACT_MAJOR_FAULTS,  /* count */
	FACT_THREAD_POLICY, /* text: "other", "fifo 50" */
	FACT_THREAD_NICE,   /* level */
	/* FACT_PROCESS: the SUT's process that ran most, not what wraps it */
	FACT_ENVIRONMENT,       /* text: "NAME=hash ..." sorted, 24 bits of hash */
	FACT_ENVIRONMENT_BYTES, /* level */
	FACT_LIMITS,            /* text: "nofile=1024 memlock=..." soft limits */
	FACT_CGROUP,            /* text: "/a.slice", "cpu,cpuacct:/a memory:/a" */
	FACT_CWD,               /* text */
	FACT_STDIO,             /* text: kinds of 0, 1, 2: "null pipe pipe" */
	FACT_PRELOAD,           /* text: LD_PRELOAD and agents in maps, "none" */
	FACT_PERSONALITY,       /* text: hexadecimal */
	FACT_SIGNALS_CAUGHT,    /* text: SigCgt */
	FACT_TRACED,            /* level: 1 where a tracer is attached */
	FACT_RSS_BYTES,         /* level */
	FACT_HUGE_BYTES,        /* level: AnonHugePages */
	FACT_THROTTLED,         /* count: throttled periods, of it and all above it */
	FACT_THROTTLED_NS,      /* count */
	/* FACT_NODE: of the SUT's memory */
	FACT_MEMORY_BYTES, /* level: resident on this node */
	/* FACT_CPU: the SUT's CPUs and any a SUT thread ran on */
	FACT_BUSY_NS,      /* count: wall - idle */
	FACT_BENCH_NS,     /* count: satprof's own threads ran: generator, receiver */
	FACT_SOFTIRQD_NS,  /* count: ksoftirqd ran, packet work beyond its budget */
	FACT_OTHERS_NS,    /* count: other tasks than the SUT's ran, as far as known */
	FACT_OTHERS_TOP,   /* text: "perf 12 %": who ran most there, of the wall time */
	FACT_IDLE_ENTRIES, /* count: of idle states, all but polling */
	FACT_IDLE_DEEP_NS, /* count: in states with an exit latency over 1 us */
	FACT_FREQUENCY_HZ, /* level */
	FACT_THERMAL,      /* count: thermal throttle events */
	FACT_IRQS,         /* count: device interrupts */
	FACT_IRQ_TIMER,    /* count: LOC */
	FACT_IRQ_NMI,      /* count: NMI or PMI, whichever is more */
	FACT_IRQ_RESCHED,  /* count: RES */
	FACT_IRQ_CALL,     /* count: CAL and TLB */
	FACT_SOFTIRQ_NET_RX,   /* count */
	FACT_SOFTIRQ_NET_TX,   /* count */
	FACT_SOFTIRQ_TIMER,    /* count */
	FACT_SOFTIRQ_SCHED,    /* count */
	FACT_SOFTNET_PACKETS,  /* count */
	FACT_SOFTNET_DROPPED,  /* count */
	FACT_SOFTNET_SQUEEZED, /* count */
	FACT_SOFTNET_RPS,      /* count */
	FACT_STEAL_NS,         /* count */
	FACT_LOCK_WAITS,       /* count: kernel locks that had to be waited for */
	/* FACT_LINK */
	FACT_LINK_NODE, /* level: the NIC's, -1: it has none */
	FACT_LINK_RPS,  /* text: "rx-0: 3; rx-1: 0", or "off" */
	FACT_LINK_IRQS, /* text: "irq 24: 0-3; irq 25: 1", effective affinity */
	/* FACT_PACKAGE: what passed its memory and its PCIe, whoever's it was */
	FACT_MEMORY_READ_BYTES,    /* count: by its memory controllers */
	FACT_MEMORY_WRITE_BYTES,   /* count */
	FACT_MEMORY_TRAFFIC_BYTES, /* count: by its last level caches, both ways */
	FACT_MEMORY_LOCAL_BYTES,   /* count: the part of that to its own memory */
	FACT_LLC_BYTES,            /* level: held in its last level caches */
	FACT_PCIE_IN_BYTES,        /* count: from devices */
	FACT_PCIE_OUT_BYTES,       /* count: to devices */
	/* FACT_HOST */
	FACT_CLOCK_SOURCE,       /* text */
	FACT_GOVERNOR,           /* text: of the SUT's first CPU */
	FACT_IDLE_GOVERNOR,      /* text */
	FACT_MAX_SAMPLE_RATE_HZ, /* level: the kernel's limit, which it lowers itself */
	FACT_NMI_WATCHDOG,       /* level */
	FACT_MUX_INTERVAL_MS,    /* level */
	FACT_NUMA_BALANCING,     /* level */
	FACT_NUMA_MIGRATED,      /* count: pages */
	FACT_THP_FAULTS,         /* count: huge pages given on a fault */
	N_FACTS,
};

struct fact_info {
	enum fact_key key;
	const char *name; /* "thread_cpu": in the run file */
	enum fact_scope scope;
	enum fact_kind kind;
	enum factor factor;
	const char *unit;   /* "ns", "bytes", "Hz", "" */
	const char *phrase; /* "ran on CPU", "context switches"; for a sentence */
	const char *source; /* "/proc/PID/task/TID/sched": what lacks it */
};

/* The table's row; never NULL for a key below N_FACTS. */
const struct fact_info *fact_info(enum fact_key key);
/* -1: there is none of that name. */
int fact_key_parse(const char *name);
const char *fact_scope_name(enum fact_scope scope);
/* "placement", "contention", ... */
const char *factor_name(enum factor f);
int factor_parse(const char *name);

#define FACT_OF_MAX 32

struct fact {
	enum fact_key key;
	char of[FACT_OF_MAX]; /* of its scope */
	double value;         /* COUNT and LEVEL */
	char *text;           /* TEXT: owned; else NULL */
};

struct facts {
	size_t n, cap;
	struct fact *f; /* by key, then by of as found */
};

/* of and text are copied; of is cut to FACT_OF_MAX - 1 bytes. */
void facts_add(struct facts *fs, enum fact_key key, const char *of, double value);
void facts_add_text(
	struct facts *fs, enum fact_key key, const char *of, const char *text);
/* NULL: there is none. */
const struct fact *facts_find(
	const struct facts *fs, enum fact_key key, const char *of);
/* By key; the order within a key stays. */
void facts_sort(struct facts *fs);
void facts_done(struct facts *fs);

#endif
