/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The system under test. Back ends: a command held by the keeper, a process that
 * runs already (--pid), none at all (the kernel forwards). Main thread only.
 * Readiness by probe packets is the engine's, since it needs the generator.
 */
#ifndef SATPROF_SUT_SUT_H
#define SATPROF_SUT_SUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "base/err.h"

struct keeper; /* os/keeper.h */
struct launch; /* os/launch.h */

struct sut_config {
	struct keeper *keeper; /* borrowed; lives in the SUT's namespace */
	char *const *argv;     /* sut_command: NULL-terminated, {in} {out} not yet
				* replaced; borrowed */
	int input_fd;          /* > 0: the command's standard input; borrowed */
	const char *in, *out;  /* what {in} and {out} stand for; borrowed */
	pid_t pid;             /* sut_pid */
	const int *cpus;       /* affinity set before exec; n_cpus 0: leave alone */
	size_t n_cpus;
	const char *ready_cmd;   /* --ready: succeeded = ready; NULL: none */
	uint64_t ready_after_ns; /* --ready-after; 0: none */
	const char *stats_cmd;   /* --sut-stats: prints the SUT's counts; NULL: none */
	uint64_t start_timeout_ns;
	uint64_t stop_timeout_ns; /* SIGTERM, then SIGKILL after this */
};

/* How a SUT that is no longer there ended. */
struct sut_end {
	bool exited;
	int status; /* exit code, or the signal's number */
	bool signaled;
};

/* What the SUT itself counted since it started; frames. */
struct sut_stats {
	uint64_t in, out, dropped;
	/* The part of dropped that the kernel refused on output: on veth the sender's
	 * tx_dropped counts the same frames. */
	uint64_t refused;
};

/* What a SUT is launched under: an outside profiler. */
struct sut_wrap {
	const char *words;      /* of a shell; the SUT's words follow them; borrowed */
	uint64_t finish_max_ns; /* stop: SIGINT, and only after this SIGTERM */
};

struct sut_ops {
	const char *name;
	const char *summary;
	/* Checks what can be checked before a run: SP_EUSAGE when the command is
	 * not found or not executable, or the pid does not exist. */
	int (*open)(const struct sut_config *cfg, void **ret_sut, struct sp_err *err);
	/* Start it and wait for --ready or --ready-after. When it dies meanwhile:
	 * SP_EBROKEN with its last output in the message. */
	int (*start)(void *sut, struct sp_err *err);
	/* True while it runs; else *ret_end says how it ended. Never blocks. */
	bool (*alive)(void *sut, struct sut_end *ret_end);
	/* The root of its process tree as this process sees it; 0: none. */
	pid_t (*pid)(const void *sut);
	/* The same as what the keeper holds sees it. NULL: as pid(). */
	pid_t (*ns_pid)(const void *sut);
	/* From its next start on, launch it under w; NULL: as it is. NULL where it is
	 * not ours to start. */
	void (*wrap)(void *sut, const struct sut_wrap *w);
	/* From its next start on, launch it with that environment, limits and so on;
	 * NULL: as it is. Borrowed until the next call. NULL as above. */
	void (*launch)(void *sut, const struct launch *l);
	/* The last lines of its output (both streams), owned by the SUT; "" if none. */
	const char *(*output)(void *sut);
	/* Its own counts; false: it has none (err->code stays SP_OK), or a reading
	 * failed (err says why; SP_EUSAGE: the command that reads them). NULL: none. */
	bool (*stats)(void *sut, struct sut_stats *ret_stats, struct sp_err *err);
	/* End it and all its children; not an error when it is gone. A pid that
	 * was here before us is left running with its affinity restored. */
	int (*stop)(void *sut, struct sp_err *err);
	void (*close)(void *sut); /* NULL is a no-op */
	/* False for pid and none: restarting at arm edges is not possible. */
	bool restarts;
};

extern const struct sut_ops sut_command;
/* The built-in forwarder: argv holds its options only, {in} {out} are implied. */
extern const struct sut_ops sut_forward;
extern const struct sut_ops sut_pid;
extern const struct sut_ops sut_none;

/* Replace every {in} and {out} (and {pid} when pid > 0) in s; caller frees. */
char *sut_expand(const char *s, const char *in, const char *out, pid_t pid);

#endif
