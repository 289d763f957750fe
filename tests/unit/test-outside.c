/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Outside profilers that are scripts: what is put into their commands, where their
 * output stays, and how those are told that die, refuse, do not go or go slowly.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "base/mem.h"
#include "observe/observer.h"
#include "observe/outside_words.h"
#include "os/keeper.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))

struct box {
	struct keeper *keeper;
	struct run *run;
	char folder[40];
	char *command;
	void *obs;
	struct sp_err err;
};

static int box_open(void **state)
{
	struct keeper_config kc = { .netns_fd = -1, .weak = true };
	struct box *b = xcalloc(1, sizeof(*b));

	(void)strcpy(b->folder, "/tmp/satprof-out side-XXXXXX");
	if (mkdtemp(b->folder) == NULL || keeper_start(&kc, &b->keeper, &b->err))
		return -1;
	b->run = run_new();
	free(b->run->path);
	b->run->path = xasprintf("%s/r.satprof", b->folder);
	*state = b;
	return 0;
}

static int box_close(void **state)
{
	struct box *b = *state;
	char *command = xasprintf("rm -rf '%s'", b->folder);

	observe_profiler.close(b->obs);
	keeper_stop(b->keeper);
	run_free(b->run);
	if (system(command) != 0)
		return -1;
	free(command);
	free(b->command);
	free(b);
	return 0;
}

/* The script, written to FOLDER/p.sh, is the profiler. */
static void open_script(struct box *b, const char *script, uint64_t finish_max_ns)
{
	struct observer_config cfg = { .run = b->run };
	char *path = xasprintf("%s/p.sh", b->folder);
	char *command = xasprintf("exec sh '%s' {dir}", path);
	FILE *f = fopen(path, "w");

	assert_non_null(f);
	assert_true(fputs(script, f) >= 0);
	assert_int_equal(fclose(f), 0);
	cfg.outside = (struct observer_outside){
		.keeper = b->keeper,
		.profiler = command,
		.start_wait_ns = 300 * NS_PER_MS,
		.finish_max_ns = finish_max_ns,
	};
	assert_int_equal(arm_parse("profiler", &cfg.arm, &b->err), 0);
	assert_int_equal(observe_profiler.open(&cfg, &b->obs, &b->err), 0);
	free(path);
	b->command = command; /* the observer borrows it */
}

static int attach(struct box *b)
{
	const struct observer_target target = { .ns_pid = getpid() };

	return observe_profiler.attach(b->obs, &target, &b->err);
}

/* One trial of that length; true when it is valid, else *ret_reason. */
static bool trial(struct box *b, uint64_t ns, char *ret_reason, size_t len)
{
	struct trial t = { .valid = true };
	bool valid;

	assert_int_equal(observe_profiler.begin(b->obs, &b->err), 0);
	clock_sleep_until_ns(&clock_monotonic, clock_now_ns(&clock_monotonic) + ns);
	assert_int_equal(observe_profiler.end(b->obs, &t, &b->err), 0);
	valid = t.valid;
	if (!valid)
		(void)snprintf(ret_reason, len, "%s", t.reasons[0]);
	trial_done(&t);
	return valid;
}

static bool has_note(const struct box *b, const char *text)
{
	size_t i;

	for (i = 0; i < b->run->n_notes; i++)
		if (strstr(b->run->notes[i], text) != NULL)
			return true;
	for (i = 0; i < b->run->n_notes; i++)
		print_message("note: %s\n", b->run->notes[i]);
	return false;
}

static char *path_in(const struct box *b, const char *name)
{
	return xasprintf("%s/r.satprof.d/%s", b->folder, name);
}

static bool exists(const struct box *b, const char *name)
{
	char *path = path_in(b, name);
	bool is = access(path, F_OK) == 0;

	free(path);
	return is;
}

static void names_are_replaced(void **state)
{
	static const int cpus[] = { 1, 3, 12 };
	static const struct outside_words w = { .pid = 42,
		.cpus = cpus,
		.n_cpus = 3,
		.dir = "/tmp/a b",
		.arm = "perf@997",
		.in = "sut0" };
	static const struct {
		const char *in, *want;
	} rows[] = {
		{ "", "" },
		{ "perf -p {pid} -C {cpus}", "perf -p 42 -C 1,3,12" },
		{ "{arm}{arm} {in} {out}", "perf@997perf@997 sut0 {out}" },
		{ "-o {dir}/x", "-o '/tmp/a b'/x" },
		{ "-o '{dir}/x'", "-o '/tmp/a b/x'" },
		{ "-o \"{dir}/x\"", "-o \"/tmp/a b/x\"" },
		{ "echo \\'{dir}", "echo \\''/tmp/a b'" },
		{ "${HOME} {} {pi {pid", "${HOME} {} {pi {pid" },
		{ "end\\", "end\\" },
	};
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rows); i++) {
		char *got = outside_words_expand(rows[i].in, &w);

		assert_string_equal(got, rows[i].want);
		free(got);
	}
}

/* Whatever a folder is called, the shell sees that name. */
static void shell_sees_the_value(void **state)
{
	static const char *const dirs[] = { "plain", "two words", "it's", "a\"b",
		"$HOME", "`id`", "back\\slash", "*", "a;b" };
	static const char *const commands[] = { "test {dir} = \"$D\"",
		"test '{dir}' = \"$D\"", "test \"{dir}\" = \"$D\"" };
	size_t i, k;

	(void)state;
	for (i = 0; i < N_OF(dirs); i++)
		for (k = 0; k < N_OF(commands); k++) {
			struct outside_words w = { .dir = dirs[i] };
			char *got = outside_words_expand(commands[k], &w);

			assert_int_equal(setenv("D", dirs[i], 1), 0);
			if (system(got) != 0)
				fail_msg("%s as %s", dirs[i], got);
			free(got);
		}
}

static void one_that_behaves(void **state)
{
	struct box *b = *state;
	char reason[160] = "";

	open_script(b, "echo data >\"$1/out\"; echo up; exec sleep 60\n", NS_PER_S);
	assert_int_equal(attach(b), 0);
	assert_true(trial(b, 50 * NS_PER_MS, reason, sizeof(reason)));
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	assert_int_equal(attach(b), 0);
	assert_true(trial(b, 50 * NS_PER_MS, reason, sizeof(reason)));
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	assert_int_equal(b->run->n_notes, 0);
	assert_true(exists(b, "profiler-01/out"));
	assert_true(exists(b, "profiler-01.log"));
	assert_true(exists(b, "profiler-02/out"));
	assert_false(exists(b, "profiler-03"));
}

static void silence_leaves_no_folder(void **state)
{
	struct box *b = *state;

	open_script(b, "exec sleep 60\n", NS_PER_S);
	assert_int_equal(attach(b), 0);
	assert_true(exists(b, "profiler-01"));
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	observe_profiler.close(b->obs);
	b->obs = NULL;
	assert_false(exists(b, ""));
}

static void one_that_dies(void **state)
{
	struct box *b = *state;
	char reason[160] = "";
	int i;

	open_script(b, "echo out of licences; sleep 0.5; exit 3\n", NS_PER_S);
	for (i = 0; i < 2; i++) {
		assert_int_equal(attach(b), 0);
		assert_false(trial(b, 600 * NS_PER_MS, reason, sizeof(reason)));
		assert_non_null(strstr(reason, "exited with status 3"));
		assert_non_null(strstr(reason, "out of licences"));
		/* And so is the next one: nobody observed it. */
		assert_false(trial(b, 10 * NS_PER_MS, reason, sizeof(reason)));
		assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	}
	assert_true(has_note(b, "exited with status 3 in the middle"));
	/* It is not going to get better. */
	assert_int_equal(attach(b), -SP_EBROKEN);
	assert_non_null(strstr(b->err.msg, "out of licences"));
}

static void one_that_refuses(void **state)
{
	struct box *b = *state;

	open_script(b, "test -e \"$0.ok\" && exec sleep 60; echo no licence; exit 4\n",
		NS_PER_S);
	assert_int_equal(attach(b), -SP_EENV);
	assert_non_null(strstr(b->err.msg, "exited with status 4"));
	assert_non_null(strstr(b->err.msg, "no licence"));
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
}

static void refusing_later_is_a_death(void **state)
{
	struct box *b = *state;

	open_script(b,
		"test -e \"$0.once\" && { echo in use; exit 5; }\n"
		">\"$0.once\"; exec sleep 60\n",
		NS_PER_S);
	assert_int_equal(attach(b), 0);
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	assert_int_equal(attach(b), -SP_EBROKEN);
	assert_non_null(strstr(b->err.msg, "in use"));
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
}

static void one_that_does_its_work_and_leaves(void **state)
{
	struct box *b = *state;
	char reason[160] = "";

	open_script(b, "exit 0\n", NS_PER_S);
	assert_int_equal(attach(b), 0);
	assert_true(trial(b, 10 * NS_PER_MS, reason, sizeof(reason)));
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	assert_true(has_note(b, "ended before the first trial"));
}

static void one_that_ignores_sigint(void **state)
{
	struct box *b = *state;
	uint64_t t0_ns;

	open_script(
		b, "trap '' INT TERM; while :; do sleep 1; done\n", 500 * NS_PER_MS);
	assert_int_equal(attach(b), 0);
	t0_ns = clock_now_ns(&clock_monotonic);
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	/* 0.5 s after SIGINT, 2 s after SIGTERM; and a busy machine's leisure. */
	assert_in_range(
		clock_now_ns(&clock_monotonic) - t0_ns, 2 * NS_PER_S, 15 * NS_PER_S);
	assert_true(has_note(b, "did not end within 0.5 s of SIGINT and was ended by "
				"SIGKILL"));
	/* The next end is not waited for longer than was asked for. */
	assert_int_equal(attach(b), 0);
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	assert_true(has_note(b, "did not end within 0.5 s of SIGINT"));
}

static void one_that_is_slow_to_finish(void **state)
{
	struct box *b = *state;

	open_script(b,
		"trap 'sleep 1.2; echo whole >\"$1/out\"; exit 0' INT\n"
		"while :; do sleep 0.1; done\n",
		20 * NS_PER_S);
	assert_int_equal(attach(b), 0);
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	assert_true(has_note(b, "arm profiler: the profiler took up to "));
	assert_true(exists(b, "profiler-01/out"));
}

static void one_that_fails_to_finish(void **state)
{
	struct box *b = *state;

	open_script(b,
		"trap 'echo disk full; exit 9' INT; while :; do sleep 0.1; done\n",
		20 * NS_PER_S);
	assert_int_equal(attach(b), 0);
	assert_int_equal(observe_profiler.detach(b->obs, &b->err), 0);
	assert_true(has_note(b, "exited with status 9 when it was told to finish"));
	assert_true(has_note(b, "disk full"));
}

static void no_command(void **state)
{
	struct observer_config cfg = { .run = NULL };
	struct sp_err err;
	void *obs = NULL;

	(void)state;
	assert_int_equal(observe_profiler.open(&cfg, &obs, &err), -SP_EUSAGE);
	assert_int_equal(observe_wrap.open(&cfg, &obs, &err), -SP_EUSAGE);
	assert_null(obs);
}

#define IN_BOX(f) cmocka_unit_test_setup_teardown(f, box_open, box_close)

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(names_are_replaced),
		cmocka_unit_test(shell_sees_the_value),
		IN_BOX(one_that_behaves),
		IN_BOX(silence_leaves_no_folder),
		IN_BOX(one_that_dies),
		IN_BOX(one_that_refuses),
		IN_BOX(refusing_later_is_a_death),
		IN_BOX(one_that_does_its_work_and_leaves),
		IN_BOX(one_that_ignores_sigint),
		IN_BOX(one_that_is_slow_to_finish),
		IN_BOX(one_that_fails_to_finish),
		cmocka_unit_test(no_command),
	};

	return cmocka_run_group_tests_name("outside", tests, NULL, NULL);
}
