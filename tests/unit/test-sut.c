/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The SUT back ends on real processes. */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "os/keeper.h"
#include "sut/sut.h"
#include "sut/sut_counts.h"

#define WORD(s) ((char[]){ s }) /* exec wants words that may be written */

static int setup(void **state)
{
	struct keeper_config cfg = { .netns_fd = -1 };
	struct keeper *k = NULL;
	struct sp_err err = { 0 };

	if (keeper_start(&cfg, &k, &err) != 0)
		fail_msg("%s", err.msg);
	*state = k;
	return 0;
}

static int teardown(void **state)
{
	keeper_stop(*state);
	return 0;
}

static struct sut_config config(struct keeper *k, char *const *argv)
{
	return (struct sut_config){ .keeper = k,
		.argv = argv,
		.in = "sut0",
		.out = "sut1",
		.start_timeout_ns = 10 * NS_PER_S,
		.stop_timeout_ns = 2 * NS_PER_S };
}

static void *open_ok(const struct sut_ops *ops, const struct sut_config *cfg)
{
	struct sp_err err = { 0 };
	void *sut = NULL;

	if (ops->open(cfg, &sut, &err) != 0)
		fail_msg("%s", err.msg);
	return sut;
}

static void start_ok(const struct sut_ops *ops, void *sut)
{
	struct sp_err err = { 0 };

	if (ops->start(sut, &err) != 0)
		fail_msg("%s", err.msg);
}

/* Until it is gone; the test fails after a while. */
static struct sut_end wait_for_end(const struct sut_ops *ops, void *sut)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + 10 * NS_PER_S;
	struct sut_end end = { 0 };

	while (ops->alive(sut, &end)) {
		assert_true(clock_now_ns(&clock_monotonic) < deadline_ns);
		(void)usleep(2000);
	}
	return end;
}

static void wait_for_output(const struct sut_ops *ops, void *sut, const char *text)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + 10 * NS_PER_S;

	while (strstr(ops->output(sut), text) == NULL) {
		if (clock_now_ns(&clock_monotonic) > deadline_ns)
			fail_msg("no '%s' in '%s'", text, ops->output(sut));
		(void)usleep(2000);
	}
}

static void check_expand(const char *s, pid_t pid, const char *want)
{
	char *got = sut_expand(s, "sut0", "a-long-interface", pid);

	assert_string_equal(got, want);
	free(got);
}

static void test_expand(void **state)
{
	(void)state;
	check_expand("", 0, "");
	check_expand("{in}", 0, "sut0");
	check_expand("{out}{out}{in}x", 0, "a-long-interfacea-long-interfacesut0x");
	check_expand("{}{in{in}}", 0, "{}{insut0}");
	check_expand("-p {pid}", 0, "-p {pid}");
	check_expand("-p {pid},{pid}", 4711, "-p 4711,4711");
	check_expand("100% %s", 0, "100% %s");
}

static void test_command_words_and_output(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"), WORD("echo $0 $1; echo e >&2; exit 4"),
		WORD("{in}"), WORD("x{out}"), NULL };
	struct sut_config cfg = config(*state, argv);
	const struct sut_ops *ops = &sut_command;
	void *sut = open_ok(ops, &cfg);
	struct sp_err err = { 0 };
	struct sut_end end;

	assert_string_equal(ops->output(sut), "");
	assert_int_equal(ops->pid(sut), 0);
	assert_false(ops->alive(sut, &end));
	/* May be over before or after start looks; both are told. */
	if (ops->start(sut, &err) != 0) {
		assert_int_equal(err.code, SP_EBROKEN);
		assert_non_null(strstr(err.msg, "exited with status 4"));
	}
	end = wait_for_end(ops, sut);
	assert_true(end.exited);
	assert_false(end.signaled);
	assert_int_equal(end.status, 4);
	assert_string_equal(ops->output(sut), "sut0 xsut1\ne\n");
	assert_int_equal(ops->pid(sut), 0);
	assert_int_equal(ops->stop(sut, &err), 0);
	ops->close(sut);
	ops->close(NULL);
}

static void test_command_is_checked_at_open(void **state)
{
	char *none[] = { NULL }, *missing[] = { WORD("no-such-program-here"), NULL };
	char *path[] = { WORD("/no/such"), NULL }, *folder[] = { WORD("/tmp"), NULL };
	char *data[] = { WORD("/etc/passwd"), NULL };
	const struct {
		char **argv;
		const char *message;
	} bad[] = {
		{ none, "no words" },
		{ missing,
			"cannot execute no-such-program-here: no such program in PATH" },
		{ path, "cannot execute /no/such: No such file or directory" },
		{ folder, "cannot execute /tmp: it is not an executable file" },
		{ data, "cannot execute /etc/passwd: it is not an executable file" },
	};
	struct sp_err err = { 0 };
	struct sut_config cfg;
	void *sut = NULL;
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		cfg = config(*state, bad[i].argv);
		assert_int_equal(sut_command.open(&cfg, &sut, &err), -SP_EUSAGE);
		if (strstr(err.msg, bad[i].message) == NULL)
			fail_msg("'%s' lacks '%s'", err.msg, bad[i].message);
		assert_null(sut);
	}
}

static void test_command_restarts_with_affinity(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"),
		WORD("grep Cpus_allowed_list /proc/self/status; "
		     "while :; do sleep 0.1; done"),
		NULL };
	struct sut_config cfg = config(*state, argv);
	const struct sut_ops *ops = &sut_command;
	const int cpus[] = { 0 };
	struct sp_err err = { 0 };
	struct sut_end end;
	void *sut;
	int i;

	cfg.cpus = cpus;
	cfg.n_cpus = 1;
	sut = open_ok(ops, &cfg);
	for (i = 0; i < 3; i++) {
		start_ok(ops, sut);
		assert_true(ops->alive(sut, &end));
		assert_true(ops->pid(sut) > 1);
		assert_int_equal(kill(ops->pid(sut), 0), 0);
		wait_for_output(ops, sut, "list:\t0\n");
		assert_int_equal(ops->stop(sut, &err), 0);
		assert_false(ops->alive(sut, &end));
		assert_true(end.signaled);
		assert_int_equal(end.status, SIGTERM);
	}
	assert_true(ops->restarts);
	ops->close(sut);
}

static void test_death_before_ready_is_told(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"),
		WORD("echo no such device: {in}; sleep 0.05; exit 1"), NULL };
	struct sut_config cfg = config(*state, argv);
	struct sp_err err = { 0 };
	void *sut;

	cfg.ready_after_ns = 10 * NS_PER_S;
	sut = open_ok(&sut_command, &cfg);
	assert_int_equal(sut_command.start(sut, &err), -SP_EBROKEN);
	assert_string_equal(err.msg,
		"the SUT (sh -c echo no such device: sut0; sleep 0.05; exit 1) exited "
		"with status 1 before it was ready; its last output: no such device: "
		"sut0");
	sut_command.close(sut);
}

static void test_death_by_signal_is_told(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"), WORD("kill -SEGV $$"), NULL };
	struct sut_config cfg = config(*state, argv);
	struct sp_err err = { 0 };
	void *sut;

	cfg.ready_cmd = "sleep 30"; /* waits for ever for a SUT that is dead */
	cfg.start_timeout_ns = NS_PER_S / 2;
	sut = open_ok(&sut_command, &cfg);
	assert_int_equal(sut_command.start(sut, &err), -SP_EBROKEN);
	assert_non_null(strstr(err.msg, "was ended by signal 11"));
	assert_non_null(strstr(err.msg, "its last output: (none)"));
	sut_command.close(sut);
}

static void test_ready_command(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"),
		WORD("rm -f $0; sleep 0.2; echo {in} > $0; exec sleep 60"), NULL,
		NULL };
	char path[] = "/tmp/satprof-test-sut-XXXXXX", ready[128];
	struct sut_config cfg = config(*state, argv);
	uint64_t t0_ns = clock_now_ns(&clock_monotonic);
	int fd = mkstemp(path);
	void *sut;

	assert_true(fd >= 0);
	argv[3] = path;
	(void)snprintf(ready, sizeof(ready), "grep -q {in} %s && kill -0 {pid}", path);
	cfg.ready_cmd = ready;
	sut = open_ok(&sut_command, &cfg);
	start_ok(&sut_command, sut);
	assert_true(clock_now_ns(&clock_monotonic) - t0_ns >= 200 * NS_PER_MS);
	sut_command.close(sut);
	(void)close(fd);
	(void)unlink(path);
}

static void test_never_ready(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"), WORD("echo still here; sleep 60"),
		NULL };
	struct sut_config cfg = config(*state, argv);
	struct sp_err err = { 0 };
	struct sut_end end;
	void *sut;

	cfg.ready_cmd = "exit 3";
	cfg.start_timeout_ns = NS_PER_S;
	sut = open_ok(&sut_command, &cfg);
	assert_int_equal(sut_command.start(sut, &err), -SP_ETIMEDOUT);
	assert_string_equal(err.msg,
		"the SUT was not ready within 1 s: `exit 3` ended with status 3; the "
		"SUT's last output: still here");
	assert_false(sut_command.alive(sut, &end)); /* nothing is left running */
	sut_command.close(sut);
}

static void test_stubborn_and_forking_sut(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"),
		WORD("trap '' TERM; (setsid sh -c \"trap '' TERM; echo $$; "
		     "while :; do sleep 0.1; done\" &); "
		     "while :; do sleep 0.1; done"),
		NULL };
	struct sut_config cfg = config(*state, argv);
	struct sp_err err = { 0 };
	struct sut_end end;
	void *sut;

	cfg.stop_timeout_ns = 100 * NS_PER_MS;
	sut = open_ok(&sut_command, &cfg);
	start_ok(&sut_command, sut);
	wait_for_output(&sut_command, sut, "\n");
	assert_int_equal(sut_command.stop(sut, &err), 0);
	assert_false(sut_command.alive(sut, &end));
	assert_true(end.signaled);
	assert_int_equal(end.status, SIGKILL);
	sut_command.close(sut);
}

static void test_chatty_sut_keeps_its_end(void **state)
{
	/* 40 MB; a control byte in the last line */
	char *argv[] = { WORD("sh"), WORD("-c"),
		WORD("yes 0123456789abcdef0123456789abcdef | head -n 1212121; "
		     "printf 'the \\033end\\n'; exec sleep 60"),
		NULL };
	struct sut_config cfg = config(*state, argv);
	struct sut_end end;
	const char *tail;
	void *sut = open_ok(&sut_command, &cfg);

	start_ok(&sut_command, sut);
	do {
		assert_true(sut_command.alive(sut, &end)); /* trims */
		tail = sut_command.output(sut);
	} while (strstr(tail, "end") == NULL);
	assert_true(strlen(tail) <= 4096);
	assert_true(strlen(tail) > 3000);
	assert_int_equal(strncmp(tail, "0123456789abcdef0123456789abcdef\n", 33), 0);
	assert_non_null(strstr(tail, "\nthe ?end\n"));
	sut_command.close(sut);
}

static void test_pid_is_left_as_it_was(void **state)
{
	struct sut_config cfg = config(*state, NULL);
	const struct sut_ops *ops = &sut_pid;
	cpu_set_t before, now, one;
	struct sp_err err = { 0 };
	struct sut_end end;
	void *sut = NULL;
	pid_t pid;

	pid = fork();
	if (pid == 0) {
		for (;;)
			(void)pause();
	}
	cfg.pid = pid;
	sut = open_ok(ops, &cfg);
	assert_int_equal(ops->pid(sut), pid);
	assert_int_equal(sched_getaffinity(pid, sizeof(before), &before), 0);
	start_ok(ops, sut);
	CPU_ZERO(&one);
	CPU_SET(0, &one); /* as an observer might */
	assert_int_equal(sched_setaffinity(pid, sizeof(one), &one), 0);
	start_ok(ops, sut); /* a later start does not take that for home */
	assert_int_equal(ops->stop(sut, &err), 0);
	assert_int_equal(sched_getaffinity(pid, sizeof(now), &now), 0);
	assert_true(CPU_EQUAL(&before, &now));
	assert_true(ops->alive(sut, &end));
	assert_string_equal(ops->output(sut), "");
	assert_false(ops->restarts);
	assert_int_equal(kill(pid, SIGKILL), 0);
	(void)usleep(20000);
	assert_false(ops->alive(sut, &end)); /* a zombie is gone, too */
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	assert_false(ops->alive(sut, &end));
	assert_false(end.exited);
	assert_int_equal(ops->start(sut, &err), -SP_EBROKEN);
	assert_int_equal(ops->stop(sut, &err), 0);
	ops->close(sut);
	sut = NULL;
	assert_int_equal(ops->open(&cfg, &sut, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "no process has the id"));
	cfg.pid = 0;
	assert_int_equal(ops->open(&cfg, &sut, &err), -SP_EUSAGE);
	ops->close(NULL);
}

static void test_none(void **state)
{
	struct sut_config cfg = config(*state, NULL);
	void *sut = open_ok(&sut_none, &cfg);
	struct sp_err err = { 0 };
	struct sut_end end;

	start_ok(&sut_none, sut);
	assert_true(sut_none.alive(sut, &end));
	assert_int_equal(sut_none.pid(sut), 0);
	assert_int_equal(sut_none.stop(sut, &err), 0);
	sut_none.close(sut);
	sut_none.close(NULL);
}

/* The command fails, and this is in what is said of it. */
static void counts_fail(struct sut_config *cfg, const char *cmd, const char *why)
{
	struct sut_stats s = { 0 };
	struct sp_err err = { .code = SP_OK };

	cfg->stats_cmd = cmd;
	assert_false(sut_counts_read(cfg, 0, &s, &err));
	assert_int_equal(err.code, SP_EUSAGE);
	assert_non_null(strstr(err.msg, "--sut-stats: `"));
	if (strstr(err.msg, why) == NULL)
		fail_msg("%s: no '%s'", err.msg, why);
}

static void test_counts(void **state)
{
	struct sut_config cfg = config(*state, NULL);
	struct sut_stats s = { 0 };
	struct sp_err err = { .code = SP_OK };

	assert_false(sut_counts_read(&cfg, 0, &s, &err)); /* no command */
	assert_int_equal(err.code, SP_OK);
	cfg.stats_cmd =
		"echo '{\"in\": 12, \"out\": 10, \"dropped\": 2, \"x\": \"{in}\"}'";
	assert_true(sut_counts_read(&cfg, 0, &s, &err));
	assert_int_equal(s.in, 12);
	assert_int_equal(s.out, 10);
	assert_int_equal(s.dropped, 2);
	counts_fail(&cfg, "echo '{\"in\": 1, \"out\": 1, \"dropped\": 0}'; exit 1",
		"` ended with status 1; its last output: {\"in\": 1");
	counts_fail(&cfg, "echo a; echo b >&2; kill -9 $$",
		"was ended by signal 9; its last output: a|b");
	counts_fail(&cfg, "true", "did not print {\"in\": N");
	counts_fail(&cfg, "true", "its last output: (none)");
	counts_fail(&cfg, "sleep 60", "did not end within 2 s");
	assert_false(sut_counts_parse("", &s));
	assert_false(sut_counts_parse("[1,2,3]", &s));
	assert_false(sut_counts_parse("{\"in\": 1, \"out\": 2}", &s));
	assert_false(sut_counts_parse("{\"in\":-1,\"out\":2,\"dropped\":0}", &s));
	assert_false(sut_counts_parse("{\"in\":1.5,\"out\":2,\"dropped\":0}", &s));
	assert_int_equal(s.in, 12); /* untouched by what failed */
}

/* Launched under a wrapper from the next start on, ended by SIGINT, then as
 * ever. */
static void test_command_under_a_wrapper(void **state)
{
	char *argv[] = { WORD("sh"), WORD("-c"),
		WORD("trap 'echo int; exit 0' INT; echo \"${W-bare} $0\"; "
		     "while :; do sleep 0.05; done"),
		WORD("two words"), NULL };
	const struct sut_wrap wrap = { .words = "env 'W=a b'",
		.finish_max_ns = 10 * NS_PER_S };
	const struct sut_wrap missing = { .words = "no-such-wrapper" };
	struct sut_config cfg = config(*state, argv);
	void *sut = open_ok(&sut_command, &cfg);
	struct sp_err err = { 0 };

	start_ok(&sut_command, sut);
	wait_for_output(&sut_command, sut, "bare two words\n");
	assert_true(sut_command.ns_pid(sut) > 0);
	sut_command.wrap(sut, &wrap);
	assert_int_equal(sut_command.stop(sut, &err), 0);
	assert_int_equal(sut_command.ns_pid(sut), 0);
	start_ok(&sut_command, sut);
	wait_for_output(&sut_command, sut, "a b two words\n");
	assert_int_equal(sut_command.stop(sut, &err), 0);
	assert_non_null(strstr(sut_command.output(sut), "int\n"));
	sut_command.wrap(sut, &missing);
	if (sut_command.start(sut, &err) == 0)
		assert_int_equal(wait_for_end(&sut_command, sut).status, 127);
	else
		assert_non_null(strstr(err.msg, "no-such-wrapper"));
	assert_int_equal(sut_command.stop(sut, &err), 0);
	sut_command.wrap(sut, NULL);
	start_ok(&sut_command, sut);
	wait_for_output(&sut_command, sut, "bare two words\n");
	sut_command.close(sut);
}

int main(void)
{
#define HELD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_expand),
		HELD(test_command_under_a_wrapper),
		HELD(test_command_words_and_output),
		HELD(test_command_is_checked_at_open),
		HELD(test_command_restarts_with_affinity),
		HELD(test_death_before_ready_is_told),
		HELD(test_death_by_signal_is_told),
		HELD(test_ready_command),
		HELD(test_never_ready),
		HELD(test_stubborn_and_forking_sut),
		HELD(test_chatty_sut_keeps_its_end),
		HELD(test_pid_is_left_as_it_was),
		HELD(test_none),
		HELD(test_counts),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
