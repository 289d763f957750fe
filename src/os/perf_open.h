/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Opening perf events: attributes, what this process may open (found by trying,
 * never by reading versions), and what a refusal means in words. Main thread only.
 */
#ifndef SATPROF_OS_PERF_OPEN_H
#define SATPROF_OS_PERF_OPEN_H

#include <linux/perf_event.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"
#include "model/trial.h"

/* What the kernel lets this process observe. */
struct perf_rights {
	bool task;        /* events on a process of ours */
	bool task_kernel; /* and the kernel's part of it */
	bool cpu_wide;    /* everything on a CPU */
	bool cpu_kernel;
	int paranoid; /* kernel.perf_event_paranoid; PERF_PARANOID_UNKNOWN */
	int task_errno, cpu_errno; /* of the refusal; 0 where it opens */
};

#define PERF_PARANOID_UNKNOWN 100

/* One open call; NULL names and a negative cpu are left out of messages. */
struct perf_open_request {
	struct perf_event_attr *attr;
	const char *name; /* for messages */
	pid_t pid;        /* -1: all tasks (cpu >= 0); 0: this thread */
	int cpu;          /* -1: wherever the task runs */
	int group_fd;     /* -1: a leader */
};

/* Zeroed, with size, close-on-exec and "disabled" as every event of ours has. */
void perf_attr_init(struct perf_event_attr *attr, uint32_t type, uint64_t config);

/*
 * A descriptor, or -1 with errno. Out of descriptors, the soft limit is raised to
 * the hard one and the call made again.
 */
int perf_open(const struct perf_open_request *req);

/*
 * The same, giving up what an older kernel or a driver does not know, one at a
 * time: the build-id in mmap records, ksymbol records, the lost count of
 * read_format, exclude_idle. attr keeps what was accepted.
 */
int perf_open_degrading(const struct perf_open_request *req);

/*
 * The message for a refusal: what, why, and what to do; EPERM and ENOSYS (which
 * container profiles return) told from EACCES (the kernel's paranoid level).
 * n_needed: descriptors the caller will want in all, for EMFILE. Returns
 * -err->code: SP_EPERM, SP_EENV, SP_EBROKEN (the task is gone) or SP_EIO.
 */
int perf_open_explain(struct sp_err *err, int sys_errno,
	const struct perf_open_request *req, int paranoid, size_t n_needed);

/* NOT_SUPPORTED, NOT_PERMITTED or ERROR for the errno of a refusal. */
enum counter_state perf_open_state(int sys_errno);

/* Try cpu-clock in four ways; opens and closes, changes nothing. */
void perf_rights_probe(int root_fd, struct perf_rights *ret_rights);

/* A number in /proc/sys/kernel/NAME, or fallback. */
long perf_sysctl(int root_fd, const char *name, long fallback);

/* The kernel's id of an open event, 0 when it gives none. */
uint64_t perf_event_id(int fd);

#endif
