/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arm `profiler`: a command of the user's, from the arm's start to its end. */
#include "config.h"

#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "observe/outside.h"
#include "observe/outside_words.h"

static void op_close(void *obs)
{
	struct outside *o = obs;

	if (o == NULL)
		return;
	outside_done(o);
	free(o);
}

static int op_open(
	const struct observer_config *cfg, void **ret_obs, struct sp_err *err)
{
	struct outside *o;

	if (cfg->outside.profiler == NULL || cfg->outside.keeper == NULL)
		return sp_err_set(
			err, SP_EUSAGE, "no command for the profiler: --profiler CMD");
	o = xcalloc(1, sizeof(*o));
	outside_init(o, cfg);
	*ret_obs = o;
	return 0;
}

static int start(struct outside *o, const struct observer_target *t, struct sp_err *err)
{
	const struct outside_words words = {
		.pid = t->ns_pid,
		.cpus = t->cpus,
		.n_cpus = t->n_cpus,
		.dir = o->dir.dir,
		.arm = o->arm,
		.in = o->cfg.in,
		.out = o->cfg.out,
	};
	char sh[] = "/bin/sh", c[] = "-c";
	char *argv[] = { sh, c, outside_words_expand(o->cfg.profiler, &words), NULL };
	int rc = outside_spawn(o, argv, err);

	free(argv[2]);
	return rc;
}

static int op_attach(void *obs, const struct observer_target *t, struct sp_err *err)
{
	struct outside *o = obs;
	char how[64];
	int rc = outside_prepare(o, err);

	if (rc == 0)
		rc = start(o, t, err);
	if (rc != 0)
		return rc;
	o->is_ended = keeper_wait(
		o->cfg.keeper, o->child.id, o->cfg.start_wait_ns, &o->status);
	if (o->is_ended && o->status != 0) {
		outside_describe_end(o, how, sizeof(how));
		return outside_refused(o, how, err);
	}
	o->is_done = o->is_ended;
	if (o->is_done)
		run_add_note(o->run,
			"arm %s: the command of --profiler ended before the first "
			"trial (status 0): what it did or left running is the arm",
			o->arm);
	o->has_started = true;
	return 0;
}

static int op_begin(void *obs, struct sp_err *err)
{
	(void)obs; /* it runs from attach to detach */
	(void)err;
	return 0;
}

static int op_end(void *obs, struct trial *t, struct sp_err *err)
{
	(void)err; /* a profiler that is gone is the trial's fault, not the run's */
	outside_judge(obs, t);
	return 0;
}

static int op_collect(
	void *obs, struct trial *t, struct profile *profile, struct sp_err *err)
{
	(void)obs; /* its samples stay with it */
	(void)t;
	(void)profile;
	(void)err;
	return 0;
}

static int op_detach(void *obs, struct sp_err *err)
{
	return outside_stop(obs, err);
}

const struct observer_ops observe_profiler = {
	.name = "profiler",
	.summary = "a command of the user's that runs beside the SUT",
	.open = op_open,
	.attach = op_attach,
	.begin = op_begin,
	.end = op_end,
	.collect = op_collect,
	.detach = op_detach,
	.close = op_close,
};
