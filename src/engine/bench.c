/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The live bench: arms begin and end; the SUT starts, is probed, stops. */
#include "config.h"

#include "engine/bench.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/mem.h"
#include "engine/bench_private.h"
#include "os/output_tail.h"
#include "os/proctree.h"
#include "plan/ndr.h"

#define SLOW_FINISH_NS NS_PER_S /* of a wrapper: worth a note */
#define PROBE_PPS      1000.0
#define PROBE_NS       (20 * NS_PER_MS)
#define PROBE_DRAIN_NS (20 * NS_PER_MS)
#define PROBE_PAUSE_NS (20 * NS_PER_MS)
#define LAST_WORDS_MAX 320 /* bytes: an error has room for them */

/* Arm 0 is the one that NDR is searched on. */
static uint64_t longest_trial_ns(const struct run *run, size_t arm)
{
	uint64_t a = run->config.trial_ns, b = run->config.profile_trial_ns, c = 0;

	if (arm == 0 && run->config.ndr != NDR_NONE)
		c = ndr_trial_ns(run->config.ndr);
	if (b > a)
		a = b;
	return a > c ? a : c;
}

static int observer_open(struct bench *b, size_t i, struct sp_err *err)
{
	const struct arm *arm = &b->cfg.run->arms[i];
	struct observer_config oc = {
		.arm = *arm,
		.events = b->cfg.events,
		.run = b->cfg.run,
		.root_fd = b->cfg.root_fd,
		.longest_trial_ns = longest_trial_ns(b->cfg.run, i),
		.outside = b->cfg.outside,
	};

	b->arms[i].ops = b->cfg.observer_for(arm);
	if (b->arms[i].ops == NULL)
		return 0;
	if (b->arms[i].ops->open(&oc, &b->arms[i].obs, err) != 0)
		return sp_err_push(err, "arm %s", arm->name);
	return 0;
}

int bench_open(
	const struct bench_config *cfg, struct bench **ret_bench, struct sp_err *err)
{
	struct bench *b = xcalloc(1, sizeof(*b));
	size_t i;
	int rc = 0;

	b->cfg = *cfg;
	b->n_arms = b->cap_arms = cfg->run->n_arms;
	b->arms = xcalloc(b->n_arms, sizeof(*b->arms));
	b->before.facts = facts_snapshot_new();
	b->after.facts = facts_snapshot_new();
	b->counters = facts_counters_open(
		cfg->root_fd, cfg->cpus->sut, cfg->cpus->n_sut, cfg->run);
	for (i = 0; rc == 0 && i < b->n_arms; i++)
		rc = observer_open(b, i, err);
	if (rc != 0) {
		bench_close(b);
		return rc;
	}
	*ret_bench = b;
	return 0;
}

static struct force_target force_target(const struct bench *b)
{
	return (struct force_target){ .pid = b->cfg.sut_ops->pid(b->cfg.sut),
		.stays = !b->cfg.sut_ops->restarts ||
			 b->cfg.restart != BENCH_RESTART_ARM,
		.root_fd = b->cfg.root_fd };
}

static int bench_arm_add(void *ctx, const struct run *run, struct sp_err *err)
{
	struct bench *b = ctx;
	struct force_target target = force_target(b);
	size_t i = run->n_arms - 1;
	int rc = force_check(&run->arms[i].force, &target, err);

	if (rc != 0)
		return rc;
	b->arms = xgrow(b->arms, b->n_arms, &b->cap_arms, sizeof(*b->arms));
	b->arms[i] = (struct bench_arm){ .ops = NULL };
	rc = observer_open(b, i, err);
	if (rc == 0)
		b->n_arms++;
	return rc;
}

void bench_close(struct bench *b)
{
	struct sp_err ignored;
	size_t i;

	if (b == NULL)
		return;
	force_stop(b->force);
	if (b->sut_runs)
		(void)b->cfg.sut_ops->stop(b->cfg.sut, &ignored); /* going away */
	for (i = 0; i < b->n_arms; i++) {
		if (b->arms[i].ops != NULL && b->arms[i].obs != NULL)
			b->arms[i].ops->close(b->arms[i].obs);
		launch_done(&b->arms[i].seen);
	}
	free(b->arms);
	facts_snapshot_free(b->before.facts);
	facts_snapshot_free(b->after.facts);
	facts_counters_close(b->counters);
	procstat_done(&b->before.proc);
	procstat_done(&b->after.proc);
	free(b);
}

/* What the SUT wrote last, for a message: the end of it says why. */
static const char *sut_last_words(const struct bench *b)
{
	const char *out = b->cfg.sut_ops->output(b->cfg.sut);

	if (out == NULL || out[0] == '\0')
		return "(none)";
	return output_tail_words(out, LAST_WORDS_MAX);
}

int bench_sut_gone(struct bench *b, const char *when, struct sp_err *err)
{
	struct sut_end end = { 0 };
	char how[48];

	(void)b->cfg.sut_ops->alive(b->cfg.sut, &end);
	if (end.signaled)
		(void)snprintf(how, sizeof(how), "was ended by signal %d", end.status);
	else if (end.exited)
		(void)snprintf(how, sizeof(how), "exited with status %d", end.status);
	else
		(void)snprintf(how, sizeof(how), "went away");
	return sp_err_set(err, SP_EBROKEN, "the SUT %s %s; its last output: %s", how,
		when, sut_last_words(b));
}

bool bench_sut_is_stopped(const struct bench *b)
{
	pid_t pid = b->cfg.sut_ops->pid(b->cfg.sut);
	struct pidstat st;

	/* Not 't': a debugger, or a --wrap that traces, lets it go on. */
	return pid > 0 && proctree_stat(b->cfg.root_fd, pid, &st) && st.state == 'T';
}

int bench_sut_stopped(struct bench *b, struct sp_err *err)
{
	return sp_err_set(err, SP_EBROKEN,
		"the SUT is stopped, by a signal such as SIGSTOP; its last output: %s",
		sut_last_words(b));
}

static bool stop_asked(const struct bench *b)
{
	return b->cfg.stop != NULL && *b->cfg.stop != 0;
}

/* Send a few frames until one comes through. */
static int probe_until_ready(struct bench *b, struct sp_err *err)
{
	uint64_t deadline = clock_now_ns(b->cfg.clock) + b->cfg.ready_timeout_ns;
	struct sut_end end;

	do {
		struct gen_trial spec = {
			.trial_tag = b->next_tag++,
			.rate_pps = PROBE_PPS,
			.duration_ns = PROBE_NS,
			.burst = 1,
			.drain_max_ns = PROBE_DRAIN_NS,
		};
		struct gen_result r = { 0 };
		bool came;
		int rc = b->cfg.gen_ops->trial(b->cfg.gen, &spec, &r, err);

		if (rc != 0)
			return sp_err_push(err, "probing the SUT");
		/* A SUT that holds frames back shows those of an earlier probe. */
		came = r.n_dirs > 0 && r.dirs[0].unique + r.dirs[0].late > 0;
		gen_result_done(&r);
		if (came)
			return 0;
		if (!b->cfg.sut_ops->alive(b->cfg.sut, &end))
			return bench_sut_gone(b, "before it forwarded anything", err);
		if (stop_asked(b))
			return 0; /* the loop above says so */
		clock_sleep_until_ns(
			b->cfg.clock, clock_now_ns(b->cfg.clock) + PROBE_PAUSE_NS);
	} while (clock_now_ns(b->cfg.clock) < deadline);
	if (bench_sut_is_stopped(b))
		return bench_sut_stopped(b, err);
	return sp_err_set(err, SP_EBROKEN,
		"the SUT forwarded none of the probe packets within %.0f s; its last "
		"output: %s",
		(double)b->cfg.ready_timeout_ns / (double)NS_PER_S, sut_last_words(b));
}

static bool must_restart(const struct bench *b, uint32_t block)
{
	switch (b->cfg.restart) {
	case BENCH_RESTART_ARM:
		return b->cfg.sut_ops->restarts;
	case BENCH_RESTART_BLOCK:
		return b->cfg.sut_ops->restarts && block != b->block;
	case BENCH_RESTART_NEVER:
		return false;
	}
	return false;
}

static int sut_bring_up(struct bench *b, uint32_t block, struct sp_err *err)
{
	int rc;

	if (b->sut_runs && must_restart(b, block)) {
		b->sut_runs = false;
		rc = b->cfg.sut_ops->stop(b->cfg.sut, err);
		if (rc != 0)
			return rc;
	}
	b->block = block;
	if (b->sut_runs) /* one that stays remembers where its threads are at home */
		return b->cfg.sut_ops->restarts
			       ? 0
			       : b->cfg.sut_ops->start(b->cfg.sut, err);
	rc = b->cfg.sut_ops->start(b->cfg.sut, err);
	if (rc != 0)
		return rc;
	b->sut_runs = b->is_cold = true;
	return b->cfg.probe_ready ? probe_until_ready(b, err) : 0;
}

/* The SUT's next start is as the arm launches it; as: with what, NULL for its own. */
static int set_launch(struct bench *b, struct bench_arm *ba, const struct launch *as,
	const struct observer_target *target, struct sp_err *err)
{
	struct sut_wrap wrap = { .finish_max_ns = b->cfg.outside.finish_max_ns };
	char *words = NULL;
	int rc;

	if (b->cfg.sut_ops->wrap == NULL)
		return 0;
	if (b->cfg.sut_ops->launch != NULL)
		b->cfg.sut_ops->launch(b->cfg.sut, as);
	if (ba->ops == NULL || ba->ops->launch == NULL) {
		b->cfg.sut_ops->wrap(b->cfg.sut, NULL);
		return 0;
	}
	rc = ba->ops->launch(ba->obs, target, &words, err);
	if (rc != 0)
		return rc;
	wrap.words = words;
	b->cfg.sut_ops->wrap(b->cfg.sut, &wrap);
	free(words);
	return 0;
}

static int launch(struct bench *b, struct bench_arm *ba, const struct launch *as,
	const struct observer_target *target, uint32_t block, struct sp_err *err)
{
	int rc = set_launch(b, ba, as, target, err);

	if (rc != 0)
		return rc;
	rc = sut_bring_up(b, block, err);
	if (ba->ops == NULL || ba->ops->launch == NULL)
		return rc;
	if (rc == 0) {
		ba->has_launched = true;
		return 0;
	}
	/* Not the SUT, but what it is launched under is what this arm asks for. */
	if (!ba->has_launched && err->code != SP_EINTR)
		err->code = SP_EENV;
	return sp_err_push(err, "under the command of --wrap");
}

/* What the SUT's process has, not what it was launched under: that which runs when
 * frames come. */
static int launch_look(struct bench *b, struct bench_arm *ba, struct sp_err *err)
{
	const struct run *run = b->cfg.run;
	pid_t root = b->cfg.sut_ops->pid(b->cfg.sut), pid = 0;
	int rc = procstat_read(b->cfg.root_fd, root, &b->before.proc, err);

	if (rc == 0 && run->n_trials > 0)
		rc = bench_warm_up(b, &run->trials[run->n_trials - 1].spec, err);
	if (rc == 0)
		rc = procstat_read(b->cfg.root_fd, root, &b->after.proc, err);
	if (rc == 0)
		pid = facts_process_main(&b->before.proc, &b->after.proc, root);
	if (rc == 0 && pid == 0)
		rc = sp_err_set(err, SP_EENV, "the SUT has no process");
	if (rc == 0)
		rc = launch_read(b->cfg.root_fd, pid, &ba->seen, err);
	ba->is_seen = rc == 0;
	return rc;
}

/* Once: the SUT is launched as in that arm, looked at, and ended. */
static int launch_learn(struct bench *b, struct bench_arm *ba,
	const struct observer_target *target, uint32_t block, struct sp_err *err)
{
	struct sp_err second = { .code = SP_OK };
	int rc;

	if (ba->is_seen)
		return 0;
	rc = launch(b, ba, NULL, target, block, err);
	if (rc == 0)
		rc = launch_look(b, ba, err);
	if (b->sut_runs && b->cfg.sut_ops->stop(b->cfg.sut, &second) != 0 && rc == 0) {
		*err = second;
		rc = -(int)err->code;
	}
	b->sut_runs = false;
	return rc;
}

/* Without the observer, but launched as with it. */
static int launch_forced(struct bench *b, struct bench_arm *ba,
	const struct arm_force *force, const struct observer_target *target,
	uint32_t block, struct sp_err *err)
{
	struct bench_arm *as = &b->arms[force->arm];
	int rc = launch_learn(b, as, target, block, err);

	if (rc == 0)
		rc = launch(b, ba, &as->seen, target, block, err);
	if (rc == 0 || err->code == SP_EINTR)
		return rc;
	b->force_failed = true;
	err->code = SP_EENV;
	return -SP_EENV;
}

static int bench_arm_begin(void *ctx, uint32_t arm, uint32_t block, struct sp_err *err)
{
	struct bench *b = ctx;
	struct bench_arm *ba = &b->arms[arm];
	const struct sut_ops *sut_ops = b->cfg.sut_ops;
	struct observer_target target = {
		.cpus = b->cfg.cpus->sut,
		.n_cpus = b->cfg.cpus->n_sut,
		.self = getpid(),
	};
	const struct arm_force *force = &b->cfg.run->arms[arm].force;
	int rc;

	b->force_failed = false;
	if (force->is_forced && arm_force_is_launch(force))
		rc = launch_forced(b, ba, force, &target, block, err);
	else
		rc = launch(b, ba, NULL, &target, block, err);
	if (rc == 0 && force->is_forced) {
		struct force_target ft = force_target(b);

		rc = force_start(force, &ft, &b->force, err);
		b->force_failed = rc != 0;
	}
	if (rc != 0 || ba->ops == NULL)
		return rc;
	target.pid = sut_ops->pid(b->cfg.sut);
	target.ns_pid =
		sut_ops->ns_pid != NULL ? sut_ops->ns_pid(b->cfg.sut) : target.pid;
	/* Also after a failure: what was started half is to be ended. */
	b->observing = ba;
	return ba->ops->attach(ba->obs, &target, err);
}

/* A wrapper ends with the SUT; how long that took is worth knowing. */
static void note_finish(struct bench *b, const struct bench_arm *ba, uint64_t took_ns)
{
	const char *arm = b->cfg.run->arms[ba - b->arms].name;
	char head[ARM_NAME_MAX + 64];

	if (ba->ops == NULL || ba->ops->launch == NULL || took_ns < SLOW_FINISH_NS)
		return;
	(void)snprintf(
		head, sizeof(head), "arm %s: the SUT and its wrapper took ", arm);
	if (took_ns >= b->cfg.outside.finish_max_ns)
		run_set_note(b->cfg.run, head,
			"%smore than %.3g s to finish after SIGINT, and were ended: "
			"what the wrapper wrote may be unfinished (--profiler-finish)",
			head, (double)b->cfg.outside.finish_max_ns / (double)NS_PER_S);
	else
		run_set_note(b->cfg.run, head, "%s%.1f s to finish, outside the trials",
			head, (double)took_ns / (double)NS_PER_S);
}

static int bench_arm_end(void *ctx, struct sp_err *err)
{
	struct bench *b = ctx;
	const struct bench_arm *ba = b->observing;
	int rc = 0;

	if (b->observing != NULL)
		rc = b->observing->ops->detach(b->observing->obs, err);
	b->observing = NULL;
	force_stop(b->force);
	b->force = NULL;
	/* One that stays is put back as it was: no arm inherits from another. */
	if (b->sut_runs &&
		(b->cfg.restart == BENCH_RESTART_ARM || !b->cfg.sut_ops->restarts)) {
		struct sp_err second = { .code = SP_OK };
		uint64_t start_ns = clock_now_ns(b->cfg.clock);
		int rc2 = b->cfg.sut_ops->stop(b->cfg.sut, &second);

		if (ba != NULL)
			note_finish(b, ba, clock_now_ns(b->cfg.clock) - start_ns);
		b->sut_runs = !b->cfg.sut_ops->restarts;
		if (rc == 0 && rc2 != 0) {
			*err = second;
			rc = rc2;
		}
	}
	return rc;
}

static bool bench_force_failed(void *ctx)
{
	return ((const struct bench *)ctx)->force_failed;
}

const struct measure_ops bench_measure = {
	.arm_begin = bench_arm_begin,
	.trial = bench_trial,
	.arm_end = bench_arm_end,
	.arm_add = bench_arm_add,
	.force_failed = bench_force_failed,
};
