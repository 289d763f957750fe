/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * What this machine, kernel and user can do, found by trying and never by reading
 * versions. Probed once, in a child process where it could leave traces (name
 * spaces, scheduling, rings), and then passed down. Main thread only, before any
 * other thread exists.
 */
#ifndef SATPROF_OS_CAPS_H
#define SATPROF_OS_CAPS_H

enum caps_state {
	CAPS_OK,
	CAPS_DEGRADED, /* works, but less well: why says what is lost */
	CAPS_MISSING,
};

enum caps_id {
	CAPS_RIGHTS,
	CAPS_USER_NAMESPACES,
	CAPS_PID_NAMESPACES,
	CAPS_LAB,
	CAPS_STEERING,
	CAPS_TBF,
	CAPS_INTERFACES,
	CAPS_PACKET_SOCKET,
	CAPS_SEND_BUFFER,
	CAPS_SEGMENTATION,
	CAPS_REALTIME,
	CAPS_PERF_TASK,
	CAPS_PERF_CPU,
	CAPS_PERF_KERNEL,
	CAPS_PERF_HARDWARE,
	CAPS_PERF_RATE,
	CAPS_PERF_RING,
	CAPS_KERNEL_SYMBOLS,
	CAPS_NMI_WATCHDOG,
	CAPS_CPUS,
	CAPS_CPU_QUOTA,
	CAPS_NUMA,
	CAPS_DESCRIPTORS,
	CAPS_PERF_TOOL,
	CAPS_VTUNE,
	CAPS_N,
};

struct caps_feature {
	enum caps_state state;
	char why[240];    /* what was found, also when it is ok */
	char remedy[160]; /* one command; "" when ok or when there is none */
};

struct caps {
	struct caps_feature features[CAPS_N];
};

/* Takes about half a second. Nothing is left changed. */
void caps_probe(int root_fd, struct caps *ret_caps);

const char *caps_name(enum caps_id id); /* "perf-cpu": for people and scripts */
const char *caps_state_name(enum caps_state s);

#endif
