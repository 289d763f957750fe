/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The sweep loop: plan, measure, store, feed; first the sweep, then confirmations. */
#include "config.h"

#include "engine/sweep.h"

#include <stdlib.h>

#include "engine/sweep_private.h"

static int stopped(const struct sweep_job *job, struct sp_err *err)
{
	if (job->stop == NULL || *job->stop == 0)
		return 0;
	return sp_err_set(err, SP_EINTR, "ended by signal %d; finished trials are kept",
		(int)*job->stop);
}

/* A trial of an earlier session stands for this action, if there is one. Where those of
 * this plan end before those of a later one, it was cut short. */
static const struct trial *replay(struct sweep_state *s, const struct trial_spec *spec,
	struct sp_err *err, int *ret_rc)
{
	const struct run *run = s->job->run;
	const struct trial *t;

	*ret_rc = 0;
	if (s->n_replayed >= s->n_stored)
		return NULL;
	t = &run->trials[s->n_replayed];
	if (t->spec.phase > spec->phase) {
		s->is_cut = true;
		return NULL;
	}
	s->n_replayed++;
	if (t->spec.phase != spec->phase || t->spec.id != spec->id ||
		t->spec.arm != spec->arm || t->spec.kind != spec->kind) {
		*ret_rc = sp_err_set(err, SP_EFORMAT,
			"trial %u of the run file is not what its plan asks for; "
			"it was made by another version: start a new run",
			spec->id);
		return NULL;
	}
	return t;
}

static void tell(struct sweep_state *s, const struct trial *t)
{
	const struct sweep_job *job = s->job;
	struct sweep_progress p = {
		.block = t->spec.block,
		.n_blocks = sweep_plan_n_blocks(s->plan),
		.phase = t->spec.phase,
		.arm = &job->run->arms[t->spec.arm],
		.trial = t,
		.elapsed_ns = clock_now_ns(job->clock) - s->t0_ns,
	};

	if (job->progress != NULL)
		job->progress(job->progress_ctx, &p);
}

static int arm_open(
	struct sweep_state *s, const struct plan_action *a, struct sp_err *err)
{
	int rc;

	if (s->arm_open)
		return 0;
	/* Also after a failure: what was started half must be ended. */
	s->arm_open = true;
	rc = s->job->ops->arm_begin(s->job->measure_ctx, a->arm, a->block, err);
	return rc != 0 ? sp_err_push(err, "arm %s", s->job->run->arms[a->arm].name) : 0;
}

static int arm_close(struct sweep_state *s, struct sp_err *err)
{
	if (!s->arm_open)
		return 0;
	s->arm_open = false;
	return s->job->ops->arm_end(s->job->measure_ctx, err);
}

static int run_trial(
	struct sweep_state *s, const struct plan_action *a, struct sp_err *err)
{
	const struct sweep_job *job = s->job;
	struct run *run = job->run;
	struct trial t = { .spec = a->spec };
	int rc;

	t.segment = job->store != NULL ? run_store_segment(job->store) : 1;
	rc = job->ops->trial(job->measure_ctx, &t, err);
	if (rc == 0)
		rc = stopped(job, err); /* a trial that was cut short is no trial */
	if (rc == 0 && job->store != NULL)
		rc = run_store_add_trial(job->store, run, &t, err);
	if (rc != 0) {
		trial_done(&t);
		return rc;
	}
	sweep_plan_feed(s->plan, &t);
	run_add_trial(run, &t);
	tell(s, &run->trials[run->n_trials - 1]);
	return 0;
}

static int do_trial(
	struct sweep_state *s, const struct plan_action *a, struct sp_err *err)
{
	const struct trial *old;
	int rc;

	old = replay(s, &a->spec, err, &rc);
	if (rc != 0 || s->is_cut)
		return rc;
	if (old != NULL) {
		sweep_plan_feed(s->plan, old);
		return 0;
	}
	rc = arm_open(s, a, err);
	return rc != 0 ? rc : run_trial(s, a, err);
}

static void check_time(struct sweep_state *s)
{
	const struct sweep_config *c = &s->job->run->config;

	if (c->max_time_ns > 0 &&
		clock_now_ns(s->job->clock) - s->t0_ns > c->max_time_ns) {
		run_add_note(s->job->run, "ended early: --max-time was reached");
		sweep_plan_finish_early(s->plan);
		s->is_out_of_time = true;
	}
}

/* One action; *ret_more is false at the plan's end. */
static int step(struct sweep_state *s, bool *ret_more, struct sp_err *err)
{
	struct plan_action a;

	*ret_more = true;
	sweep_plan_next(s->plan, &a);
	switch (a.kind) {
	case PLAN_ARM_BEGIN:
		/* Opened by its first trial that is not a replay. */
		return 0;
	case PLAN_TRIAL:
		if (a.spec.kind == TRIAL_NDR)
			check_time(s); /* no block whose end to wait for */
		return do_trial(s, &a, err);
	case PLAN_ARM_END:
		check_time(s);
		return arm_close(s, err);
	case PLAN_DONE:
		*ret_more = false;
		return 0;
	}
	return 0;
}

int sweep_plan_run(struct sweep_state *s, struct sp_err *err)
{
	struct run *run = s->job->run;
	struct sp_err second = { .code = SP_OK };
	bool more = true;
	int rc = 0, rc2;
	size_t i;

	s->is_cut = false;
	while (rc == 0 && more && !s->is_cut) {
		rc = stopped(s->job, err);
		if (rc == 0)
			rc = step(s, &more, err);
	}
	rc2 = arm_close(s, &second);
	if (rc == 0 && rc2 != 0) {
		*err = second;
		rc = rc2;
	}
	for (i = 0; sweep_plan_note(s->plan, i) != NULL; i++)
		run_add_note(run, "%s", sweep_plan_note(s->plan, i));
	run->traffic.burst = sweep_plan_burst(s->plan);
	sweep_plan_free(s->plan);
	s->plan = NULL;
	return rc;
}

/* Store how it ended; a failure here only matters if nothing failed before. */
static int finish(struct sweep_state *s, int rc, struct sp_err *err)
{
	const struct sweep_job *job = s->job;
	struct run *run = job->run;
	struct sp_err second = { .code = SP_OK };
	int rc2 = 0;

	run->finished = rc == 0;
	if (rc != 0)
		run_add_note(run, "ended early: %s", err->msg);
	if (job->store != NULL)
		rc2 = run_store_update(job->store, run, &second);
	if (rc == 0 && rc2 != 0) {
		*err = second;
		rc = rc2;
	}
	return rc;
}

int sweep_execute(const struct sweep_job *job, struct sp_err *err)
{
	struct run *run = job->run;
	struct run_view sweep;
	struct sweep_state s = {
		.job = job,
		.n_stored = run->n_trials,
		.t0_ns = clock_now_ns(job->clock),
	};
	int rc;

	run_view_make(run, 0, &sweep);
	s.plan = sweep_plan_new(&run->config, sweep.run.arms, sweep.run.n_arms);
	rc = sweep_plan_run(&s, err);
	run_view_done(&sweep);
	if (rc == 0)
		rc = sweep_confirm_all(&s, err);
	return finish(&s, rc, err);
}
