/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A profiler that is another program: held by the keeper beside the SUT, asked to
 * end by SIGINT, made to by SIGTERM and SIGKILL. What became of it is told in the
 * run's notes; a trial it did not live through is not valid.
 */
#ifndef SATPROF_OBSERVE_OUTSIDE_H
#define SATPROF_OBSERVE_OUTSIDE_H

#include <stdbool.h>
#include <stdint.h>

#include "base/err.h"
#include "model/run.h"
#include "observe/observer.h"
#include "observe/outside_dir.h"
#include "os/keeper.h"

struct outside {
	struct observer_outside cfg;
	struct run *run; /* notes go there; its path says where output stays */
	char arm[ARM_NAME_MAX];
	struct outside_dir dir;
	struct keeper_child child;
	bool is_held;   /* the keeper knows the child */
	bool is_ended;  /* and has seen its end: status */
	bool is_done;   /* ended with status 0 before the first trial: all it does */
	bool is_faulty; /* did not live through, or not answer in, a trial */
	int status;
	bool has_started;    /* at least once */
	bool ignores_sigint; /* it was not worth the wait */
	uint32_t n_faults;   /* arms in a row that it did not live through */
	uint64_t finish_ns;  /* the longest that it took to end */
	char why[400];       /* of the last fault */
};

void outside_init(struct outside *o, const struct observer_config *cfg);
/* A new folder for its output: o->dir. SP_EBROKEN after too many faults. */
int outside_prepare(struct outside *o, struct sp_err *err);
/* Start it; then outside_refused() where it does not stay. */
int outside_spawn(struct outside *o, char *const *argv, struct sp_err *err);
/* SP_EENV: it did not come up, with its last words (SP_EBROKEN: as it did before). */
int outside_refused(struct outside *o, const char *how, struct sp_err *err);
/* False: it has ended. Never blocks. */
bool outside_is_running(struct outside *o);
/* "exited with status 3", "was ended by signal 9 (Killed)". */
void outside_describe_end(const struct outside *o, char *buf, size_t len);
/* The trial was not observed; what: "exited with status 3". Said in a note, too. */
void outside_fault(struct outside *o, const char *what);
/* Make the trial not valid where there was a fault. */
void outside_judge(struct outside *o, struct trial *t);
/* End it and what it left; waits for it to finish. */
int outside_stop(struct outside *o, struct sp_err *err);
void outside_done(struct outside *o);

#endif
