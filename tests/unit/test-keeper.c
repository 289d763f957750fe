/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper starts programs: each test as init of a PID namespace (where that is
 * allowed here) and as a child subreaper.
 */
#include "config.h"

#include <errno.h>
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
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "keeperhelp.h"
#include "os/keeper.h"
#include "os/netns.h"
#include "os/proctree.h"

static void test_status_and_output(void **state)
{
	int fd = memfd_create("out", MFD_CLOEXEC), status = -1;
	struct keeper *k = *state;
	struct keeper_child c;
	char buf[256];

	c = keeperhelp_spawn_sh(k, "echo out; echo err >&2; exit 3", fd);
	assert_true(c.pid > 1);
	assert_true(c.ns_pid > 1);
	assert_true(keeper_wait(k, c.id, KEEPERHELP_LIMIT_NS, &status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_string_equal(keeperhelp_contents(fd, buf, sizeof(buf)), "out\nerr\n");
	status = -1; /* asking again gives the same answer */
	assert_true(keeper_wait(k, c.id, 0, &status));
	assert_int_equal(WEXITSTATUS(status), 3);
	(void)close(fd);
}

static void test_output_path_is_appended(void **state)
{
	char path[] = "/tmp/satprof-test-keeper-XXXXXX", buf[64];
	char *argv[] = { WORD("echo"), WORD("more"), NULL };
	struct keeper_cmd cmd = { .argv = argv, .output_path = path };
	struct keeper *k = *state;
	struct sp_err err = { 0 };
	int fd = mkstemp(path), status, i;

	assert_true(fd >= 0);
	assert_int_equal(write(fd, "first\n", 6), 6);
	for (i = 0; i < 2; i++) {
		assert_int_equal(
			keeper_run(k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), 0);
		assert_int_equal(status, 0);
	}
	assert_string_equal(
		keeperhelp_contents(fd, buf, sizeof(buf)), "first\nmore\nmore\n");
	(void)close(fd);
	(void)unlink(path);
}

static void test_outer_pid_is_ours_to_see(void **state)
{
	struct keeper *k = *state;
	struct keeper_child c = keeperhelp_spawn_sh(k, "exec sleep 1$MARK", -1);
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), status;
	char path[64], buf[64];
	struct sp_err err = { 0 };

	(void)snprintf(path, sizeof(path), "proc/%d/comm", (int)c.pid);
	assert_true(proctree_read_file(root, path, buf, sizeof(buf)) > 0);
	/* exec of the shell is told when it returned, sleep's a little later */
	assert_true(strcmp(buf, "sleep\n") == 0 || strcmp(buf, "sh\n") == 0);
	if (keeper_is_strong(k, NULL))
		assert_int_not_equal(c.pid, c.ns_pid);
	else
		assert_int_equal(c.pid, c.ns_pid);
	assert_int_equal(keeper_end_child(k, c.id, 0, &status, &err), 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(WTERMSIG(status), SIGKILL);
	(void)close(root);
}

static void test_exec_failure_names_the_reason(void **state)
{
	char *missing[] = { WORD("/no/such/program"), NULL };
	char *folder[] = { WORD("/tmp"), NULL };
	char *empty[] = { NULL };
	struct keeper_cmd cmd = { .argv = missing };
	struct keeper *k = *state;
	struct keeper_child c;
	struct sp_err err = { 0 };

	assert_int_equal(keeper_spawn(k, &cmd, &c, &err), -SP_EUSAGE);
	assert_string_equal(
		err.msg, "cannot execute /no/such/program: No such file or directory");
	cmd.argv = folder;
	assert_int_equal(keeper_spawn(k, &cmd, &c, &err), -SP_EUSAGE);
	assert_string_equal(err.msg, "cannot execute /tmp: Permission denied");
	cmd.argv = empty;
	assert_int_equal(keeper_spawn(k, &cmd, &c, &err), -SP_EUSAGE);
	c = keeperhelp_spawn_sh(k, "exit 0", -1); /* it serves on */
	assert_true(c.pid > 0);
}

static void test_affinity_is_set_before_exec(void **state)
{
	char *argv[] = { WORD("grep"), WORD("Cpus_allowed_list"),
		WORD("/proc/self/status"), NULL };
	int cpus[] = { 0 }, none[] = { 1000 }, status, fd = memfd_create("out", 0);
	struct keeper_cmd cmd = {
		.argv = argv, .output_fd = fd, .cpus = cpus, .n_cpus = 1
	};
	struct keeper *k = *state;
	struct sp_err err = { 0 };
	char buf[64];

	assert_int_equal(keeper_run(k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), 0);
	assert_string_equal(
		keeperhelp_contents(fd, buf, sizeof(buf)), "Cpus_allowed_list:\t0\n");
	cmd.cpus = none;
	assert_int_equal(
		keeper_run(k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "grep cannot run on the CPUs asked for"));
	(void)close(fd);
}

static void test_only_three_descriptors(void **state)
{
	int fd = memfd_create("out", 0), leak = dup(fd), status;
	struct keeper *k = *state;
	/* 3 is the folder that ls itself reads */
	struct keeper_child c =
		keeperhelp_spawn_sh(k, "ls /proc/self/fd | tr '\\n' ' '", fd);
	char buf[64];

	assert_true(keeper_wait(k, c.id, KEEPERHELP_LIMIT_NS, &status));
	assert_string_equal(keeperhelp_contents(fd, buf, sizeof(buf)), "0 1 2 3 ");
	(void)close(fd);
	(void)close(leak);
}

static void test_input_is_what_was_given(void **state)
{
	int in = memfd_create("in", 0), out = memfd_create("out", 0), status;
	char *argv[] = { WORD("cat"), NULL }, buf[32];
	char *waits[] = { WORD("timeout"), WORD("0.2"), WORD("cat"), NULL };
	struct keeper_cmd cmd = { .argv = argv, .input_fd = in, .output_fd = out };
	struct sp_err err = { 0 };

	assert_int_equal(write(in, "given\n", 6), 6);
	assert_int_equal(lseek(in, 0, SEEK_SET), 0);
	assert_int_equal(
		keeper_run(*state, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), 0);
	assert_string_equal(keeperhelp_contents(out, buf, sizeof(buf)), "given\n");
	/* None given: it stays open and silent, so a reader waits. */
	cmd.input_fd = 0;
	cmd.argv = waits;
	assert_int_equal(
		keeper_run(*state, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 124); /* of timeout(1) */
	(void)close(in);
	(void)close(out);
}

static void test_signals_are_as_usual(void **state)
{
	unsigned long long blocked = 1, ignored = 1;
	int fd = memfd_create("out", 0), status;
	struct keeper *k;
	struct keeper_child c;
	char buf[256];

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	k = keeperhelp_start(false);
	c = keeperhelp_spawn_sh(k, "exec grep -E 'Sig(Blk|Ign)' /proc/self/status", fd);
	assert_true(keeper_wait(k, c.id, KEEPERHELP_LIMIT_NS, &status));
	assert_int_equal(sscanf(keeperhelp_contents(fd, buf, sizeof(buf)),
				 "SigBlk: %llx SigIgn: %llx", &blocked, &ignored),
		2);
	assert_int_equal(blocked, 0);
	/* Signals 32 and 33 are the C library's, which lets nobody set them: they are
	 * as whoever started the test left them. */
	assert_int_equal(ignored & ~0x180000000ULL, 0);
	keeper_stop(k);
	(void)signal(SIGPIPE, SIG_DFL);
	(void)close(fd);
}

static void test_huge_argv(void **state)
{
	size_t n = 400, len = 2000, i;
	char **argv = calloc(n + 5, sizeof(*argv)), *word = malloc(len + 1), buf[64];
	int fd = memfd_create("out", 0), status;
	struct keeper_cmd cmd = { .argv = argv, .output_fd = fd };
	struct keeper *k = *state;
	struct sp_err err = { 0 };

	assert_non_null(argv);
	assert_non_null(word);
	memset(word, 'x', len);
	word[len] = '\0';
	argv[0] = WORD("sh");
	argv[1] = WORD("-c");
	argv[2] = WORD("printf '%s %s' $# ${#1}");
	argv[3] = WORD("");
	for (i = 0; i < n; i++)
		argv[4 + i] = word;
	assert_int_equal(keeper_run(k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), 0);
	assert_string_equal(keeperhelp_contents(fd, buf, sizeof(buf)), "400 2000");
	(void)close(fd);
	free(argv);
	free(word);
}

static void test_deadline(void **state)
{
	char *argv[] = { WORD("sleep"), WORD("77.1"), NULL };
	struct keeper_cmd cmd = { .argv = argv };
	struct keeper *k = *state;
	struct sp_err err = { 0 };
	uint64_t t0_ns = clock_now_ns(&clock_monotonic);
	int status;

	assert_int_equal(
		keeper_run(k, &cmd, 200 * NS_PER_MS, &status, &err), -SP_ETIMEDOUT);
	assert_non_null(strstr(err.msg, "sleep did not end within 0.2 s"));
	assert_true(clock_now_ns(&clock_monotonic) - t0_ns >= 200 * NS_PER_MS);
}

/* In a child: there is no way back out of a user namespace. */
static void test_network_namespace_and_its_sys(void **state)
{
	char ls[] = "ls /sys/class/net";
	char *argv[] = { WORD("sh"), WORD("-c"), ls, NULL }, buf[128];
	int out = memfd_create("out", 0), status = -1, result;
	struct keeper_cmd cmd = { .argv = argv, .output_fd = out };
	struct keeper_config cfg = { .netns_fd = -1 };
	struct keeper *k = NULL;
	struct sp_err err = { 0 };
	pid_t pid = fork();

	(void)state;
	if (pid == 0) {
		if (!netns_may_create() && netns_become_userns_root(&err) != 0)
			_exit(77); /* not allowed here at all */
		if (netns_new(&cfg.netns_fd, &err) != 0 ||
			keeper_start(&cfg, &k, &err) != 0 ||
			keeper_run(k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err) != 0)
			(void)dprintf(out, "%s", err.msg);
		keeper_stop(k);
		_exit(status == 0 ? 0 : 1);
	}
	assert_int_equal(waitpid(pid, &result, 0), pid);
	assert_true(WIFEXITED(result));
	if (WEXITSTATUS(result) == 77)
		return;
	(void)keeperhelp_contents(out, buf, sizeof(buf));
	if (WEXITSTATUS(result) != 0)
		fail_msg("%s", buf);
	assert_int_equal(strncmp(buf, "lo\n", 3), 0); /* and no other interface */
	(void)close(out);
}

/* Root in a user namespace whose network namespace is somebody else's could leave it
 * and not come back. Returns which step was wrong, or 0. */
static int root_of_a_borrowed_netns(void)
{
	struct sp_err err = { 0 };
	struct stat before, after;
	int fd = -1;

	if (unshare(CLONE_NEWUSER) != 0)
		return 77; /* not allowed here at all */
	if (stat("/proc/self/ns/net", &before) != 0)
		return 1;
	if (netns_may_create())
		return 2;
	if (netns_new(&fd, &err) != -SP_EPERM || fd != -1 ||
		strstr(err.msg, "come back") == NULL)
		return 3;
	if (stat("/proc/self/ns/net", &after) != 0 || after.st_ino != before.st_ino)
		return 4;
	return 0;
}

static void test_no_network_namespace_without_a_way_back(void **state)
{
	int result;
	pid_t pid = fork();

	(void)state;
	if (pid == 0)
		_exit(root_of_a_borrowed_netns());
	assert_int_equal(waitpid(pid, &result, 0), pid);
	assert_true(WIFEXITED(result));
	if (WEXITSTATUS(result) != 77)
		assert_int_equal(WEXITSTATUS(result), 0);
}

int main(void)
{
#define HELD(test)                                                                     \
	cmocka_unit_test_setup_teardown(test, keeperhelp_setup, keeperhelp_teardown)
#define WEAK(test)                                                                     \
	{                                                                              \
#test "_weak", test, keeperhelp_setup_weak, keeperhelp_teardown, NULL  \
	}
	const struct CMUnitTest tests[] = {
		HELD(test_status_and_output),
		WEAK(test_status_and_output),
		HELD(test_output_path_is_appended),
		WEAK(test_output_path_is_appended),
		HELD(test_outer_pid_is_ours_to_see),
		WEAK(test_outer_pid_is_ours_to_see),
		HELD(test_exec_failure_names_the_reason),
		WEAK(test_exec_failure_names_the_reason),
		HELD(test_affinity_is_set_before_exec),
		WEAK(test_affinity_is_set_before_exec),
		HELD(test_only_three_descriptors),
		WEAK(test_only_three_descriptors),
		HELD(test_input_is_what_was_given),
		WEAK(test_input_is_what_was_given),
		HELD(test_huge_argv),
		WEAK(test_huge_argv),
		HELD(test_deadline),
		WEAK(test_deadline),
		cmocka_unit_test(test_signals_are_as_usual),
		cmocka_unit_test(test_network_namespace_and_its_sys),
		cmocka_unit_test(test_no_network_namespace_without_a_way_back),
	};

	keeperhelp_set_mark();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
