/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The arm `wrap`: the SUT is launched under a command of the user's. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "observe/outside.h"
#include "observe/outside_words.h"

static void op_close(void *obs)
{
	struct outside *o = obs;

	if (o == NULL)
		return;
	outside_dir_tidy(&o->dir);
	free(o);
}

static int op_open(
	const struct observer_config *cfg, void **ret_obs, struct sp_err *err)
{
	struct outside *o;

	if (cfg->outside.wrap == NULL)
		return sp_err_set(
			err, SP_EUSAGE, "no command to wrap the SUT in: --wrap CMD");
	o = xcalloc(1, sizeof(*o));
	outside_init(o, cfg);
	*ret_obs = o;
	return 0;
}

static int op_launch(void *obs, const struct observer_target *t, char **ret_words,
	struct sp_err *err)
{
	struct outside *o = obs;
	struct outside_words words = {
		.cpus = t->cpus,
		.n_cpus = t->n_cpus,
		.arm = o->arm,
		.in = o->cfg.in,
		.out = o->cfg.out,
	};
	int rc = outside_prepare(o, err);

	if (rc != 0)
		return rc;
	words.dir = o->dir.dir;
	*ret_words = outside_words_expand(o->cfg.wrap, &words);
	return 0;
}

static int op_attach(void *obs, const struct observer_target *t, struct sp_err *err)
{
	(void)obs; /* the SUT was launched under it */
	(void)t;
	(void)err;
	return 0;
}

static int op_begin(void *obs, struct sp_err *err)
{
	(void)obs;
	(void)err;
	return 0;
}

static int op_end(void *obs, struct trial *t, struct sp_err *err)
{
	(void)obs; /* its end would be the SUT's */
	(void)t;
	(void)err;
	return 0;
}

static int op_collect(
	void *obs, struct trial *t, struct profile *profile, struct sp_err *err)
{
	(void)obs;
	(void)t;
	(void)profile;
	(void)err;
	return 0;
}

static int op_detach(void *obs, struct sp_err *err)
{
	(void)obs; /* it ends with the SUT */
	(void)err;
	return 0;
}

const struct observer_ops observe_wrap = {
	.name = "wrap",
	.summary = "a command of the user's under which the SUT is launched",
	.open = op_open,
	.launch = op_launch,
	.attach = op_attach,
	.begin = op_begin,
	.end = op_end,
	.collect = op_collect,
	.detach = op_detach,
	.close = op_close,
};
