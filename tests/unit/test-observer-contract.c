/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The observer contract, over every kind of arm: the whole order of calls, twice,
 * as this user and (when that is root) as nobody. Says nothing of speeds.
 */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "observe/observer.h"
#include "os/keeper.h"
#include "os/perf_open.h"

#define NOBODY   65534
#define TRIAL_NS (60 * NS_PER_MS)

static const char *const arms[] = { "attach", "count", "sample@997", "perf@997",
	"profiler", "wrap" };
#define N_ARMS (sizeof(arms) / sizeof(arms[0]))

/* A process that works until its parent ends it. */
static pid_t start_busy(void)
{
	pid_t pid = fork();
	volatile unsigned int x = 0;

	if (pid != 0)
		return pid;
	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	for (;;)
		x++;
}

static void end_busy(pid_t pid)
{
	(void)kill(pid, SIGKILL);
	(void)waitpid(pid, NULL, 0);
}

static void sleep_ns(uint64_t ns)
{
	struct timespec ts = { .tv_nsec = (long)ns };

	(void)nanosleep(&ts, NULL);
}

/* What a trial of this arm must have; a line that says what is wrong, or NULL. */
static const char *check_trial(const struct arm *a, const struct run *run,
	const struct trial *t, const struct profile *p)
{
	uint64_t in_cells = 0;
	size_t i;

	for (i = 0; i < p->n_cells; i++)
		if (p->cells[i].trial == t->spec.id)
			in_cells += p->cells[i].n_samples;
	if (in_cells != t->sampling.n_samples)
		return "cells and n_samples differ";
	for (i = 0; i < p->n_frames; i++)
		if (p->frames[i].symbol == PROFILE_NO_SYMBOL)
			return "a frame has no symbol";
	if (a->kind != ARM_SAMPLE && (t->sampling.sampled || in_cells > 0))
		return "samples in an arm that takes none";
	if (a->kind == ARM_SAMPLE && !t->sampling.sampled)
		return "not sampled";
	if (!t->valid)
		return "the trial is not valid";
	if ((a->kind == ARM_ATTACH || arm_is_outside(a)) && t->n_counters > 0)
		return "it reads nothing";
	if (a->kind != ARM_ATTACH && !arm_is_outside(a) && t->n_counters == 0)
		return "no counters";
	for (i = 0; i < t->n_counters; i++) {
		const struct counter_value *c = &t->counters[i];

		if (c->event >= run->n_events)
			return "a counter of no event";
		if (c->running_ns > c->enabled_ns + NS_PER_MS)
			return "ran longer than it was on";
		if (c->state == COUNTER_OK && c->running_ns == 0)
			return "counted without running";
	}
	return NULL;
}

/* One pass: attach .. detach with two trials. NULL, or what is wrong. */
static const char *pass(const struct observer_ops *o, void *obs,
	const struct observer_target *target, const struct arm *a, struct run *run,
	uint32_t first_id, struct sp_err *err)
{
	struct profile *p = profile_new();
	const char *bad = NULL;
	char *words = NULL;
	uint32_t k;

	if (o->launch != NULL && o->launch(obs, target, &words, err))
		bad = "launch";
	else if (o->launch != NULL && strstr(words, "/arms.satprof.d/wrap-") == NULL)
		bad = "no folder to launch with";
	free(words);
	if (bad == NULL && o->attach(obs, target, err))
		bad = "attach";
	for (k = 0; k < 2 && bad == NULL; k++) {
		struct trial t = { .spec = { .id = first_id + k }, .valid = true };

		if (o->begin(obs, err))
			bad = "begin";
		sleep_ns(TRIAL_NS);
		if (bad == NULL && o->end(obs, &t, err))
			bad = "end";
		if (bad == NULL && o->collect(obs, &t, p, err))
			bad = "collect";
		if (bad == NULL)
			bad = check_trial(a, run, &t, p);
		trial_done(&t);
	}
	if (o->detach(obs, err) && bad == NULL)
		bad = "detach";
	profile_free(p);
	return bad;
}

/* What programs of others need: a keeper, a folder for their output. */
struct bed {
	struct keeper *keeper;
	char folder[40];
};

static const char *bed_open(
	struct bed *b, struct observer_config *cfg, struct sp_err *err)
{
	/* Weak: the busy process is one of ours. */
	struct keeper_config kc = { .netns_fd = -1, .weak = true };

	(void)strcpy(b->folder, "/tmp/satprof-contract-XXXXXX");
	if (mkdtemp(b->folder) == NULL)
		return "mkdtemp";
	if (keeper_start(&kc, &b->keeper, err))
		return "keeper_start";
	free(cfg->run->path);
	cfg->run->path = xasprintf("%s/arms.satprof", b->folder);
	cfg->outside = (struct observer_outside){
		.keeper = b->keeper,
		.profiler = "test -d '{dir}' && kill -0 {pid} && exec sleep 60",
		.wrap = "env ARM={arm} OUT={dir}",
		.start_wait_ns = 100 * NS_PER_MS,
		.finish_max_ns = 5 * NS_PER_S,
	};
	return NULL;
}

/* True when nothing but perf's data is left. */
static bool bed_close(struct bed *b, const char *arm)
{
	char *command = xasprintf("%s '%s'",
		strncmp(arm, "perf@", 5) == 0 ? "rm -rf" : "rmdir", b->folder);
	int status;

	keeper_stop(b->keeper);
	status = system(command);
	free(command);
	return status == 0;
}

/* The whole life of an arm's observer. NULL: fine, or refused with a reason. */
static const char *exercise(const char *arm, struct sp_err *err)
{
	struct run *run = run_new();
	struct observer_config cfg = { .run = run, .longest_trial_ns = TRIAL_NS };
	struct observer_target target = { .n_cpus = 1, .self = getpid() };
	const struct observer_ops *o;
	const char *bad = NULL;
	int cpu = sched_getcpu();
	struct bed bed = { 0 };
	void *obs = NULL;

	target.cpus = &cpu;
	target.pid = target.ns_pid = start_busy();
	cfg.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	bad = bed_open(&bed, &cfg, err);
	if (bad == NULL && arm_parse(arm, &cfg.arm, err))
		bad = "arm_parse";
	o = bad ? NULL : observer_for_arm(&cfg.arm);
	if (o == NULL) {
		bad = "no observer";
	} else if (o->open(&cfg, &obs, err)) {
		/* Where perf is forbidden that is an answer, if it says why. */
		if ((err->code != SP_EPERM && err->code != SP_EENV) ||
			err->msg[0] == '\0')
			bad = "open";
	} else {
		bad = pass(o, obs, &target, &cfg.arm, run, 1, err);
		if (bad == NULL)
			bad = pass(o, obs, &target, &cfg.arm, run, 3, err);
		o->close(obs);
		o->close(NULL);
	}
	end_busy(target.pid);
	(void)close(cfg.root_fd);
	run_free(run);
	if (!bed_close(&bed, arm) && bad == NULL)
		bad = "something is left";
	return bad;
}

static void test_as_this_user(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N_ARMS; i++) {
		struct sp_err err = { .msg = "" };
		const char *bad = exercise(arms[i], &err);

		if (bad != NULL)
			fail_msg("%s: %s: %s", arms[i], bad, err.msg);
	}
}

static int exercise_all_as_nobody(void)
{
	size_t i;

	if (geteuid() == 0 && (setgid(NOBODY) || setuid(NOBODY)))
		return 2;
	/* Else its own /proc files belong to root. */
	(void)prctl(PR_SET_DUMPABLE, 1);
	for (i = 0; i < N_ARMS; i++) {
		struct sp_err err = { .msg = "" };
		const char *bad = exercise(arms[i], &err);

		if (bad != NULL) {
			fprintf(stderr, "# %s: %s: %s\n", arms[i], bad, err.msg);
			return 1;
		}
	}
	return 0;
}

static void test_as_nobody(void **state)
{
	int status;
	pid_t pid;

	(void)state;
	(void)fflush(NULL);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0)
		_exit(exercise_all_as_nobody());
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 0);
}

static void test_off_has_none(void **state)
{
	struct arm a = { .kind = ARM_OFF };

	(void)state;
	assert_null(observer_for_arm(&a));
}

/* A process that ended before attach: an error that says so, not a crash. */
static void test_gone_process(void **state)
{
	struct perf_rights rights;
	struct run *run = run_new();
	struct observer_config cfg = { .run = run, .longest_trial_ns = TRIAL_NS };
	struct observer_target target = { .self = getpid() };
	struct sp_err err;
	void *obs = NULL;

	(void)state;
	cfg.root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	perf_rights_probe(cfg.root_fd, &rights);
	assert_int_equal(arm_parse("sample@97", &cfg.arm, &err), 0);
	target.pid = start_busy();
	end_busy(target.pid);
	/* No CPUs are given, so it has to follow the process. */
	if (observe_perf.open(&cfg, &obs, &err) == 0) {
		assert_int_equal(observe_perf.attach(obs, &target, &err), -SP_EBROKEN);
		observe_perf.close(obs);
	} else {
		assert_false(rights.task);
	}
	(void)close(cfg.root_fd);
	run_free(run);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_off_has_none),
		cmocka_unit_test(test_as_this_user),
		cmocka_unit_test(test_as_nobody),
		cmocka_unit_test(test_gone_process),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
