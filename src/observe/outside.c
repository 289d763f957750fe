/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The life of a profiler that is another program. */
#include "config.h"

#include "observe/outside.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "base/clock.h"

#define TERM_GRACE_NS    (2 * NS_PER_S)
#define HURRIED_NS       NS_PER_S /* when satprof itself was asked to stop */
#define LOOK_NS          (10 * NS_PER_MS)
#define SLOW_FINISH_NS   NS_PER_S
#define FAULTS_MAX       2
#define LAST_WORDS_MAX   200
#define REASON_WORDS_MAX 60 /* a trial's reason is short */

void outside_init(struct outside *o, const struct observer_config *cfg)
{
	*o = (struct outside){ .cfg = cfg->outside, .run = cfg->run };
	(void)snprintf(o->arm, sizeof(o->arm), "%s", cfg->arm.name);
}

int outside_prepare(struct outside *o, struct sp_err *err)
{
	if (o->n_faults >= FAULTS_MAX)
		return sp_err_set(err, SP_EBROKEN,
			"the profiler failed in %u starts running: it %s", o->n_faults,
			o->why);
	o->is_ended = o->is_done = o->is_faulty = false;
	return outside_dir_make(&o->dir, o->run->path, o->arm, err);
}

int outside_spawn(struct outside *o, char *const *argv, struct sp_err *err)
{
	/* No CPUs: it starts with the affinity that satprof was started with. */
	struct keeper_cmd cmd = { .argv = argv, .output_path = o->dir.log };
	int rc = keeper_spawn(o->cfg.keeper, &cmd, &o->child, err);

	if (rc == 0)
		o->is_held = true;
	else if (err->code == SP_EUSAGE)
		err->code = SP_EENV; /* it is an arm that does not run here */
	return rc == 0 ? 0 : -(int)err->code;
}

int outside_refused(struct outside *o, const char *how, struct sp_err *err)
{
	char last[LAST_WORDS_MAX];

	outside_dir_last_words(&o->dir, last, sizeof(last));
	return sp_err_set(err, o->has_started ? SP_EBROKEN : SP_EENV,
		"the profiler did not start: it %s; its last output: %s", how, last);
}

bool outside_is_running(struct outside *o)
{
	if (!o->is_held || o->is_ended)
		return false;
	o->is_ended = keeper_wait(o->cfg.keeper, o->child.id, 0, &o->status);
	return !o->is_ended;
}

void outside_describe_end(const struct outside *o, char *buf, size_t len)
{
	if (WIFSIGNALED(o->status))
		(void)snprintf(buf, len, "was ended by signal %d (%s)",
			WTERMSIG(o->status), strsignal(WTERMSIG(o->status)));
	else
		(void)snprintf(
			buf, len, "exited with status %d", WEXITSTATUS(o->status));
}

void outside_fault(struct outside *o, const char *what)
{
	char last[LAST_WORDS_MAX];

	if (o->is_faulty)
		return;
	o->is_faulty = true;
	outside_dir_last_words(&o->dir, last, sizeof(last));
	(void)snprintf(o->why, sizeof(o->why), "%s in the middle; its last output: %s",
		what, last);
	run_add_note(o->run, "arm %s: the profiler %s", o->arm, o->why);
}

void outside_judge(struct outside *o, struct trial *t)
{
	char how[64], last[REASON_WORDS_MAX];

	if (!o->is_done && !outside_is_running(o)) {
		outside_describe_end(o, how, sizeof(how));
		outside_fault(o, how);
	}
	if (!o->is_faulty)
		return;
	outside_dir_last_words(&o->dir, last, sizeof(last));
	trial_invalidate(
		t, "the profiler %.*s: %s", (int)strcspn(o->why, ";"), o->why, last);
}

/* Up to max_ns for its end; less when satprof is asked to stop. True: it ended. */
static bool wait_for_end(struct outside *o, uint64_t max_ns)
{
	uint64_t start_ns = clock_now_ns(&clock_monotonic), now_ns = start_ns;
	uint64_t deadline_ns = start_ns + max_ns;

	while (!o->is_ended && now_ns < deadline_ns) {
		o->is_ended = keeper_wait(
			o->cfg.keeper, o->child.id, deadline_ns - now_ns, &o->status);
		now_ns = clock_now_ns(&clock_monotonic);
		if (o->is_ended || now_ns >= deadline_ns)
			break;
		if (deadline_ns > start_ns + HURRIED_NS)
			deadline_ns = start_ns + HURRIED_NS;
		clock_sleep_until_ns(&clock_monotonic, now_ns + LOOK_NS);
	}
	return o->is_ended;
}

static void note_slow(struct outside *o, uint64_t took_ns)
{
	char head[ARM_NAME_MAX + 48];

	if (took_ns < SLOW_FINISH_NS || took_ns <= o->finish_ns)
		return;
	o->finish_ns = took_ns;
	(void)snprintf(head, sizeof(head), "arm %s: the profiler took up to ", o->arm);
	run_set_note(o->run, head, "%s%.1f s to finish, outside the trials", head,
		(double)took_ns / (double)NS_PER_S);
}

/* It had to be told twice. */
static void note_forced(struct outside *o, uint64_t waited_ns, int status)
{
	char head[ARM_NAME_MAX + 64];

	(void)snprintf(
		head, sizeof(head), "arm %s: the profiler did not end within ", o->arm);
	run_set_note(o->run, head,
		"%s%.3g s of SIGINT and was ended by %s: what it wrote may be "
		"unfinished (--profiler-finish)",
		head, (double)waited_ns / (double)NS_PER_S,
		WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL ? "SIGKILL"
								   : "SIGTERM");
}

static void note_end(struct outside *o)
{
	char last[LAST_WORDS_MAX];
	int status = o->status;

	/* Ended as asked; shells say 128 + n of a signal. */
	if (!WIFEXITED(status) || WEXITSTATUS(status) == 0 ||
		WEXITSTATUS(status) == 128 + SIGINT)
		return;
	outside_dir_last_words(&o->dir, last, sizeof(last));
	run_add_note(o->run,
		"arm %s: the profiler exited with status %d when it was told to "
		"finish; its last output: %s",
		o->arm, WEXITSTATUS(status), last);
}

/* One that ignored SIGINT once is not waited for that long again. */
static uint64_t finish_max_ns(const struct outside *o)
{
	uint64_t max_ns = o->cfg.finish_max_ns;

	return o->ignores_sigint && max_ns > TERM_GRACE_NS ? TERM_GRACE_NS : max_ns;
}

int outside_stop(struct outside *o, struct sp_err *err)
{
	uint64_t start_ns = clock_now_ns(&clock_monotonic), took_ns;
	uint64_t max_ns = finish_max_ns(o);
	bool was_running = outside_is_running(o), ended = true;
	int status = 0, rc;

	if (!o->is_held)
		return 0;
	if (was_running) {
		keeper_signal(o->cfg.keeper, o->child.id, SIGINT);
		keeper_signal(o->cfg.keeper, o->child.id, SIGCONT);
		ended = wait_for_end(o, max_ns);
	}
	took_ns = clock_now_ns(&clock_monotonic) - start_ns;
	o->is_held = false;
	/* Also when it has ended: what it left running would observe the next arm. */
	rc = keeper_end_child(
		o->cfg.keeper, o->child.id, ended ? 0 : TERM_GRACE_NS, &status, err);
	if (rc != 0)
		return sp_err_push(err, "ending the profiler");
	if (!ended && took_ns >= max_ns) {
		o->ignores_sigint = true;
		note_forced(o, max_ns, status);
	} else if (was_running && ended) {
		note_slow(o, took_ns);
		note_end(o);
	}
	o->n_faults = o->is_faulty ? o->n_faults + 1 : 0;
	return 0;
}

void outside_done(struct outside *o)
{
	struct sp_err ignored;

	if (o->is_held)
		(void)outside_stop(o, &ignored); /* going away */
	outside_dir_tidy(&o->dir);
}
