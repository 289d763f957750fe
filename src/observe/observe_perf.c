/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The built-in observer: attach, count and sample@HZ behind one vtable. */
#include "config.h"

#include <stdlib.h>

#include "base/mem.h"
#include "observe/observer.h"
#include "observe/perf_counts.h"
#include "observe/perf_sampler.h"

/* One of the two, by the arm's kind. */
struct observe_perf {
	struct perf_sampler *sampler;
	struct perf_counts *counts;
};

static void op_close(void *obs)
{
	struct observe_perf *o = obs;

	if (o == NULL)
		return;
	perf_sampler_free(o->sampler);
	perf_counts_free(o->counts);
	free(o);
}

static int open_counts(struct observe_perf *o, const struct observer_config *cfg,
	const struct perf_rights *rights, struct sp_err *err)
{
	struct perf_counts_config cc = {
		.root_fd = cfg->root_fd,
		.run = cfg->run,
		.events = cfg->events,
		.rights = *rights,
	};

	return perf_counts_new(&cc, &o->counts, err);
}

static int open_sampler(struct observe_perf *o, const struct observer_config *cfg,
	const struct perf_rights *rights, struct sp_err *err)
{
	struct perf_sampler_config sc = {
		.root_fd = cfg->root_fd,
		.run = cfg->run,
		.hz = cfg->arm.kind == ARM_SAMPLE ? cfg->arm.hz : 0,
		.longest_trial_ns = cfg->longest_trial_ns,
		.rights = *rights,
	};

	return perf_sampler_new(&sc, &o->sampler, err);
}

static int op_open(
	const struct observer_config *cfg, void **ret_obs, struct sp_err *err)
{
	struct observe_perf *o = xcalloc(1, sizeof(*o));
	struct perf_rights rights;
	int rc;

	perf_rights_probe(cfg->root_fd, &rights);
	if (cfg->arm.kind == ARM_COUNT)
		rc = open_counts(o, cfg, &rights, err);
	else
		rc = open_sampler(o, cfg, &rights, err);
	if (rc) {
		op_close(o);
		return rc;
	}
	*ret_obs = o;
	return 0;
}

static int op_attach(void *obs, const struct observer_target *t, struct sp_err *err)
{
	struct observe_perf *o = obs;

	return o->counts ? perf_counts_attach(o->counts, t, err)
			 : perf_sampler_attach(o->sampler, t, err);
}

static int op_begin(void *obs, struct sp_err *err)
{
	struct observe_perf *o = obs;

	return o->counts ? perf_counts_begin(o->counts, err)
			 : perf_sampler_begin(o->sampler, err);
}

static int op_end(void *obs, struct trial *t, struct sp_err *err)
{
	struct observe_perf *o = obs;

	return o->counts ? perf_counts_end(o->counts, t, err)
			 : perf_sampler_end(o->sampler, t, err);
}

static int op_collect(
	void *obs, struct trial *t, struct profile *profile, struct sp_err *err)
{
	struct observe_perf *o = obs;

	return o->counts ? 0 : perf_sampler_collect(o->sampler, t, profile, err);
}

static int op_detach(void *obs, struct sp_err *err)
{
	struct observe_perf *o = obs;

	(void)err; /* closing cannot fail */
	if (o->counts)
		perf_counts_detach(o->counts);
	else
		perf_sampler_detach(o->sampler);
	return 0;
}

const struct observer_ops observe_perf = {
	.name = "perf",
	.summary = "perf events: attached only, counted, or sampled",
	.open = op_open,
	.attach = op_attach,
	.begin = op_begin,
	.end = op_end,
	.collect = op_collect,
	.detach = op_detach,
	.close = op_close,
};
