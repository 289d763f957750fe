/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper: a small process, init of a PID namespace with a fresh /proc (and a
 * /sys of the SUT's network namespace), that holds the SUT and outside profilers.
 * Its parent-death signal is KILL, so whatever ends satprof ends all of them, also
 * double-forked or set-uid ones. Where a PID namespace is refused it falls back
 * to a child subreaper that watches a pipe, and says so. Start it before any
 * thread exists; calls come from the main thread.
 */
#ifndef SATPROF_OS_KEEPER_H
#define SATPROF_OS_KEEPER_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct keeper;
struct launch; /* os/launch.h */

struct keeper_config {
	int netns_fd; /* joined by the keeper, so by all it holds; -1: the caller's */
	bool weak;    /* no PID namespace: processes of others are to be seen */
	/* Not 0 once a signal asked to stop: waits then end early. NULL: they end
	 * when any signal handler ran, and one that ran just before is missed. */
	const volatile sig_atomic_t *stop;
};

struct keeper_cmd {
	char *const *argv;       /* NULL-terminated; searched in PATH */
	const char *output_path; /* both streams are appended there; NULL: dropped */
	int output_fd;           /* > 0: used instead of output_path; borrowed */
	int input_fd;            /* > 0: its standard input; borrowed */
	const int *cpus;         /* affinity set before exec; n_cpus 0: inherited */
	size_t n_cpus;
	const struct launch *launch; /* NULL: as the keeper is; borrowed */
};

struct keeper_child {
	int id;       /* names the child to the keeper; from 1, never reused */
	pid_t pid;    /* as this process sees it */
	pid_t ns_pid; /* as the keeper's namespace sees it: what {pid} means */
};

int keeper_start(const struct keeper_config *cfg, struct keeper **ret_keeper,
	struct sp_err *err);
/* True when a PID namespace holds the children; else *ret_why (static) says why. */
bool keeper_is_strong(const struct keeper *k, const char **ret_why);

/* Start a program. SP_EUSAGE when exec fails (not found, not executable); SP_EENV when
 * it may not be launched with what cmd->launch has. */
int keeper_spawn(struct keeper *k, const struct keeper_cmd *cmd,
	struct keeper_child *ret_child, struct sp_err *err);
/*
 * Wait up to timeout_ns (0: only look), less when asked to stop. True: the
 * child has ended, *ret_status as from waitpid(2) (SIGKILL when the keeper itself
 * is gone). What the child left running stays until keeper_end_child or _stop.
 */
bool keeper_wait(struct keeper *k, int id, uint64_t timeout_ns, int *ret_status);
/* Send a signal to the child's process group; gone is not an error. */
void keeper_signal(struct keeper *k, int id, int sig);
/*
 * SIGTERM, wait up to grace_ns, SIGKILL to all the child started, also when the
 * child itself has ended long ago. *ret_status as from keeper_wait. SP_ETIMEDOUT
 * when something would not die within seconds (stuck in the kernel).
 */
int keeper_end_child(struct keeper *k, int id, uint64_t grace_ns, int *ret_status,
	struct sp_err *err);
/*
 * Run to its end with a deadline; nonzero exit is *ret_status, not an error.
 * SP_ETIMEDOUT and SP_EINTR (asked to stop): it and all it started are ended.
 */
int keeper_run(struct keeper *k, const struct keeper_cmd *cmd, uint64_t timeout_ns,
	int *ret_status, struct sp_err *err);
/* End all it holds and the keeper itself; NULL is a no-op. */
void keeper_stop(struct keeper *k);

#endif
