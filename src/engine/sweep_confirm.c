/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Confirmations: after the sweep, one plan a suspected cause. */
#include "config.h"

#include <stdlib.h>

#include "engine/sweep_private.h"
#include "plan/confirm.h"

struct confirming {
	struct sweep_state *s;
	/* Of the sweep: where its knees lie does not change with a confirmation. */
	const struct analysis *a;
	uint32_t n_done;
	bool was_tried[N_FACTORS];
};

static bool may_go_on(const struct confirming *c)
{
	return !c->s->is_out_of_time && c->n_done < c->s->job->run->config.n_confirm;
}

static bool has_force_failed(const struct sweep_state *s)
{
	const struct sweep_job *job = s->job;

	return job->ops->force_failed != NULL &&
	       job->ops->force_failed(job->measure_ctx);
}

/* One plan of off, on and forced. What could not be forced does not count as one. */
static int confirm_run(struct confirming *c, uint32_t phase, struct sp_err *err)
{
	struct sweep_state *s = c->s;
	struct run *run = s->job->run;
	struct sweep_config config = confirm_config(&run->config, phase);
	struct sweep_start start = {
		.phase = phase, .burst = run->traffic.burst, .first_id = 1
	};
	double centres_pps[N_VIEW_ARMS];
	struct run_view view;
	size_t i;
	int rc;

	run_view_make(run, phase, &view);
	/* A forced arm is believed to do what the observer does. */
	centres_pps[VIEW_OFF] = c->a->arms[view.arm_of[VIEW_OFF]].knee_pps;
	centres_pps[VIEW_ON] = c->a->arms[view.arm_of[VIEW_ON]].knee_pps;
	centres_pps[VIEW_FORCED] = centres_pps[VIEW_ON];
	start.centres_pps = centres_pps;
	if (!(centres_pps[VIEW_OFF] > 0) || !(centres_pps[VIEW_ON] > 0)) {
		run_view_done(&view); /* of an older satprof's file, perhaps */
		return sp_err_set(err, SP_EFORMAT,
			"the sweep has no knees to begin a confirmation from");
	}
	start.arm_of = view.arm_of;
	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.phase < phase)
			start.first_id = run->trials[i].spec.id + 1;
	s->plan = sweep_plan_new_from(&config, view.run.arms, N_VIEW_ARMS, &start);
	rc = sweep_plan_run(s, err);
	if (rc == 0) {
		c->n_done += s->is_cut ? 0 : 1;
	} else if (rc == -SP_EENV && has_force_failed(s)) {
		run_add_note(run, CONFIRM_NOTE "%s: cannot be forced here: %s",
			factor_name(run->arms[view.arm_of[VIEW_FORCED]].force.factor),
			err->msg);
		err->code = SP_OK;
		rc = 0;
	}
	run_view_done(&view);
	return rc;
}

/* The arm that forces it, ready to run; else it is left out, with a note. */
static int confirm_add(
	struct confirming *c, struct confirm_suspect *suspect, struct sp_err *err)
{
	const struct sweep_job *job = c->s->job;
	struct run *run = job->run;
	struct sp_err why = { .code = SP_OK };
	int rc = -SP_EENV;

	suspect->arm.force.phase = run_view_n_confirmations(run) + 1;
	run_add_arm(run, &suspect->arm);
	if (job->ops->arm_add != NULL)
		rc = job->ops->arm_add(job->measure_ctx, run, &why);
	else
		(void)sp_err_set(&why, SP_EENV, "nothing can be");
	if (rc != 0) {
		run->n_arms--;
		run_add_note(run, CONFIRM_NOTE "%s: cannot be forced here: %s",
			factor_name(suspect->factor), why.msg);
		return 0;
	}
	if (job->store != NULL)
		rc = run_store_add_arm(job->store, run, err);
	return rc == 0 ? confirm_run(c, suspect->arm.force.phase, err) : rc;
}

static bool is_begun(const struct run *run, enum factor factor)
{
	size_t i;

	for (i = 0; i < run->n_arms; i++)
		if (run->arms[i].force.is_forced && run->arms[i].force.factor == factor)
			return true;
	return false;
}

/* The strongest suspect that was not tried yet, after what is known by now: behind one
 * that was refuted another may come out. False: there is none left. */
static bool next_suspect(struct confirming *c, struct confirm_suspect *ret_suspect)
{
	const struct run *run = c->s->job->run;
	struct confirm_suspect *suspects = NULL;
	struct analysis a;
	char why[160]; /* said by the analysis of the whole run */
	size_t i, n;

	analysis_make(run, &a);
	n = confirm_choose(run, &a, &suspects, why, sizeof(why));
	for (i = 0; i < n; i++)
		if (!c->was_tried[suspects[i].factor] &&
			!is_begun(run, suspects[i].factor))
			break;
	if (i < n) {
		*ret_suspect = suspects[i];
		c->was_tried[suspects[i].factor] = true;
	}
	free(suspects);
	analysis_done(&a);
	return i < n;
}

/* First what an earlier session began, in its order; then the suspects. */
static int confirm_each(struct confirming *c, struct sp_err *err)
{
	struct run *run = c->s->job->run;
	uint32_t n_begun = run_view_n_confirmations(run), phase;
	struct confirm_suspect suspect;
	int rc = 0;

	for (phase = 1; rc == 0 && phase <= n_begun && !c->s->is_out_of_time; phase++)
		rc = confirm_run(c, phase, err);
	while (rc == 0 && may_go_on(c) && next_suspect(c, &suspect)) {
		if (suspect.why_not[0] != '\0')
			run_add_note(run, CONFIRM_NOTE "%s: not possible: %s",
				factor_name(suspect.factor), suspect.why_not);
		else
			rc = confirm_add(c, &suspect, err);
	}
	return rc;
}

int sweep_confirm_all(struct sweep_state *s, struct sp_err *err)
{
	struct run *run = s->job->run;
	struct confirming c = { .s = s };
	struct analysis a;
	int rc;

	if (run->config.n_confirm == 0 || s->is_out_of_time)
		return 0;
	analysis_make(run, &a);
	c.a = &a;
	rc = confirm_each(&c, err);
	analysis_done(&a);
	return rc;
}
