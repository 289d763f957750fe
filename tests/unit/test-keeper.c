/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper against real processes. It runs as it can here: strong where a PID
 * namespace is allowed, else weak; what is asserted holds for both.
 */
#include "config.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
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
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "os/keeper.h"
#include "os/proctree.h"

#define HELD(test) cmocka_unit_test_setup_teardown(test, setup, teardown)
/* On a free machine all are gone within 0.1 s; `make check` keeps it busy. */
#define GONE_LIMIT_MS 3000
#define LIMIT_NS      (10 * NS_PER_S)
#define WORD(s)       ((char[]){ s }) /* exec wants words that may be written */

static struct keeper *start(void)
{
	struct keeper_config cfg = { .netns_fd = -1 };
	struct keeper *k = NULL;
	struct sp_err err = { 0 };

	if (keeper_start(&cfg, &k, &err) != 0)
		fail_msg("%s", err.msg);
	return k;
}

static struct keeper_child spawn_sh(struct keeper *k, const char *script, int out_fd)
{
	char *argv[] = { WORD("sh"), WORD("-c"), (char *)(uintptr_t)script, NULL };
	struct keeper_cmd cmd = { .argv = argv, .output_fd = out_fd };
	struct keeper_child c = { 0 };
	struct sp_err err = { 0 };

	if (keeper_spawn(k, &cmd, &c, &err) != 0)
		fail_msg("%s", err.msg);
	return c;
}

static char *contents(int fd, char *buf, size_t len)
{
	ssize_t n = pread(fd, buf, len - 1, 0);

	assert_true(n >= 0);
	buf[n] = '\0';
	return buf;
}

/* Until the file holds the text; the test fails after a while. */
static void wait_for_text(int fd, const char *text)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + LIMIT_NS;
	char buf[512];

	while (strstr(contents(fd, buf, sizeof(buf)), text) == NULL) {
		if (clock_now_ns(&clock_monotonic) > deadline_ns)
			fail_msg("no '%s' in '%s'", text, buf);
		(void)usleep(2000);
	}
}

/*
 * Processes on this machine that run `sleep N$MARK`. The mark is in the
 * environment, where two runs of this program at a time do not see each other's.
 */
static int count_marked(int n_mark)
{
	const char *mark = getenv("MARK");
	char path[64], buf[1024], word[64];
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), n = 0;
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	ssize_t len, i;

	assert_true(root >= 0);
	assert_non_null(dir);
	(void)snprintf(word, sizeof(word), "sleep %d%s", n_mark, mark);
	while ((e = readdir(dir)) != NULL) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		(void)snprintf(path, sizeof(path), "proc/%.20s/cmdline", e->d_name);
		len = proctree_read_file(root, path, buf, sizeof(buf));
		for (i = 0; i < len; i++)
			if (buf[i] == '\0')
				buf[i] = ' ';
		if (len > 0 && strstr(buf, word) != NULL)
			n++;
	}
	(void)closedir(dir);
	(void)close(root);
	return n;
}

/* Milliseconds until none is left, or -1. */
static int ms_until_none(int n_mark, int limit_ms)
{
	uint64_t t0_ns = clock_now_ns(&clock_monotonic), ms;

	do {
		if (count_marked(n_mark) == 0)
			return (int)((clock_now_ns(&clock_monotonic) - t0_ns) /
				     NS_PER_MS);
		(void)usleep(5000);
		ms = (clock_now_ns(&clock_monotonic) - t0_ns) / NS_PER_MS;
	} while (ms < (uint64_t)limit_ms);
	return -1;
}

static void wait_for_marked(int n_mark, int at_least)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + LIMIT_NS;

	while (count_marked(n_mark) < at_least) {
		if (clock_now_ns(&clock_monotonic) > deadline_ns)
			fail_msg("only %d with mark %d", count_marked(n_mark), n_mark);
		(void)usleep(2000);
	}
}

static int setup(void **state)
{
	*state = start();
	return 0;
}

/* What a failed test left must not disturb the next. */
static int teardown(void **state)
{
	keeper_stop(*state);
	return 0;
}

static void test_status_and_output(void **state)
{
	int fd = memfd_create("out", MFD_CLOEXEC), status = -1;
	struct keeper *k = *state;
	struct keeper_child c;
	char buf[256];

	c = spawn_sh(k, "echo out; echo err >&2; exit 3", fd);
	assert_true(c.pid > 1);
	assert_true(c.ns_pid > 1);
	assert_true(keeper_wait(k, c.id, LIMIT_NS, &status));
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 3);
	assert_string_equal(contents(fd, buf, sizeof(buf)), "out\nerr\n");
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
		assert_int_equal(keeper_run(k, &cmd, LIMIT_NS, &status, &err), 0);
		assert_int_equal(status, 0);
	}
	assert_string_equal(contents(fd, buf, sizeof(buf)), "first\nmore\nmore\n");
	(void)close(fd);
	(void)unlink(path);
}

static void test_outer_pid_is_ours_to_see(void **state)
{
	struct keeper *k = *state;
	struct keeper_child c = spawn_sh(k, "exec sleep 1$MARK", -1);
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
	c = spawn_sh(k, "exit 0", -1); /* it serves on */
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

	assert_int_equal(keeper_run(k, &cmd, LIMIT_NS, &status, &err), 0);
	assert_string_equal(contents(fd, buf, sizeof(buf)), "Cpus_allowed_list:\t0\n");
	cmd.cpus = none;
	assert_int_equal(keeper_run(k, &cmd, LIMIT_NS, &status, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "grep cannot run on the CPUs asked for"));
	(void)close(fd);
}

static void test_only_three_descriptors(void **state)
{
	int fd = memfd_create("out", 0), leak = dup(fd), status;
	struct keeper *k = *state;
	/* 3 is the folder that ls itself reads */
	struct keeper_child c = spawn_sh(k, "ls /proc/self/fd | tr '\\n' ' '", fd);
	char buf[64];

	assert_true(keeper_wait(k, c.id, LIMIT_NS, &status));
	assert_string_equal(contents(fd, buf, sizeof(buf)), "0 1 2 3 ");
	(void)close(fd);
	(void)close(leak);
}

static void test_input_is_what_was_given(void **state)
{
	int in = memfd_create("in", 0), out = memfd_create("out", 0), status;
	char *argv[] = { WORD("cat"), NULL }, buf[32];
	struct keeper_cmd cmd = { .argv = argv, .input_fd = in, .output_fd = out };
	struct sp_err err = { 0 };

	assert_int_equal(write(in, "given\n", 6), 6);
	assert_int_equal(lseek(in, 0, SEEK_SET), 0);
	assert_int_equal(keeper_run(*state, &cmd, LIMIT_NS, &status, &err), 0);
	cmd.input_fd = 0; /* none: at its end at once */
	assert_int_equal(keeper_run(*state, &cmd, LIMIT_NS, &status, &err), 0);
	assert_string_equal(contents(out, buf, sizeof(buf)), "given\n");
	(void)close(in);
	(void)close(out);
}

static void test_signals_are_as_usual(void **state)
{
	int fd = memfd_create("out", 0), status;
	struct keeper *k;
	struct keeper_child c;
	char buf[256];

	(void)state;
	(void)signal(SIGPIPE, SIG_IGN);
	k = start();
	c = spawn_sh(k, "exec grep -E 'Sig(Blk|Ign)' /proc/self/status", fd);
	assert_true(keeper_wait(k, c.id, LIMIT_NS, &status));
	assert_string_equal(contents(fd, buf, sizeof(buf)),
		"SigBlk:\t0000000000000000\nSigIgn:\t0000000000000000\n");
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
	assert_int_equal(keeper_run(k, &cmd, LIMIT_NS, &status, &err), 0);
	assert_string_equal(contents(fd, buf, sizeof(buf)), "400 2000");
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

static void test_stubborn_child_is_killed(void **state)
{
	int fd = memfd_create("out", 0), status;
	struct keeper *k = *state;
	struct keeper_child c =
		spawn_sh(k, "trap '' TERM; echo up; while :; do sleep 0.1; done", fd);
	struct sp_err err = { 0 };

	wait_for_text(fd, "up");
	assert_int_equal(keeper_end_child(k, c.id, 200 * NS_PER_MS, &status, &err), 0);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	(void)close(fd);
}

static void test_polite_child_ends_by_itself(void **state)
{
	int fd = memfd_create("out", 0), status;
	struct keeper *k = *state;
	struct keeper_child c = spawn_sh(k,
		"trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done",
		fd);
	struct sp_err err = { 0 };

	wait_for_text(fd, "up");
	assert_int_equal(keeper_end_child(k, c.id, LIMIT_NS, &status, &err), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	wait_for_text(fd, "bye");
	(void)close(fd);
}

static void test_stopped_child_is_ended(void **state)
{
	struct keeper *k = *state;
	struct keeper_child c = spawn_sh(k, "kill -STOP $$; sleep 3$MARK", -1);
	struct sp_err err = { 0 };
	int status;

	(void)usleep(50000);
	assert_false(keeper_wait(k, c.id, 0, &status));
	assert_int_equal(keeper_end_child(k, c.id, 500 * NS_PER_MS, &status, &err), 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(count_marked(3), 0);
}

/* Children that left the process group, the session and their parent. */
static void test_escapees_end_with_their_child_only(void **state)
{
	int fd = memfd_create("out", 0), status;
	struct keeper *k = *state;
	struct keeper_child other = spawn_sh(k, "exec sleep 4$MARK", -1);
	struct keeper_child c = spawn_sh(k,
		"for i in 1 2 3 4 5; do setsid sh -c \"trap '' TERM HUP; "
		"setsid sleep 5$MARK & setsid sleep 5$MARK & sleep 5$MARK\" & done; "
		"echo up; exit 0",
		fd);
	struct sp_err err = { 0 };

	wait_for_text(fd, "up");
	assert_true(keeper_wait(k, c.id, LIMIT_NS, &status));
	assert_int_equal(status, 0);
	wait_for_marked(5, 15);
	assert_int_equal(keeper_end_child(k, c.id, 0, &status, &err), 0);
	assert_int_equal(status, 0);
	assert_int_equal(count_marked(5), 0);
	assert_int_equal(count_marked(4), 1);
	assert_false(keeper_wait(k, other.id, 0, &status));
	(void)close(fd);
}

static void test_many_processes_all_gone(void **state)
{
	int status;
	struct keeper *k = *state;
	/* each of 50 renews itself for ever: a bomb that does not grow */
	struct keeper_child c = spawn_sh(k,
		"exec sh -c \"f() { sleep 0.0144; (f) & }; i=0; "
		"while [ \\$i -lt 50 ]; do (f) & i=\\$((i+1)); done; "
		"sleep 6$MARK\"",
		-1);
	struct sp_err err = { 0 };

	wait_for_marked(6, 25);
	assert_int_equal(keeper_end_child(k, c.id, 0, &status, &err), 0);
	assert_int_equal(count_marked(6), 0);
}

static void test_end_of_the_keeper_is_noticed(void **state)
{
	struct keeper *k = *state;
	struct keeper_child c = spawn_sh(k, "exec sleep 7$MARK", -1);
	char *argv[] = { WORD("true"), NULL };
	struct keeper_cmd cmd = { .argv = argv };
	struct proctree_ids kids = { 0 };
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), status;
	struct sp_err err = { 0 };
	uint64_t t0_ns;

	proctree_descendants(root, getpid(), &kids);
	assert_true(kids.n >= 1);
	assert_int_equal(kill(kids.ids[0], SIGKILL), 0);
	t0_ns = clock_now_ns(&clock_monotonic);
	if (!keeper_wait(k, c.id, LIMIT_NS, &status))
		fail_msg("%zu descendants, no end after %.3f s", kids.n,
			(double)(clock_now_ns(&clock_monotonic) - t0_ns) / 1e9);
	assert_int_equal(keeper_spawn(k, &cmd, &c, &err), -SP_EBROKEN);
	assert_true(ms_until_none(7, 1000) >= 0);
	proctree_ids_done(&kids);
	(void)close(root);
}

/* A satprof that holds awkward children, in a process of its own. */
static void hold_awkward_children(int fd)
{
	struct keeper *k = start();

	(void)spawn_sh(k,
		"trap '' TERM HUP INT; setsid sh -c \"trap '' TERM HUP; "
		"(setsid sleep 8$MARK &) ; sleep 8$MARK\" & "
		"while :; do sleep 8$MARK; done",
		fd);
	(void)spawn_sh(k, "kill -STOP $$; sleep 8$MARK", -1);
	assert_int_equal(write(fd, "up", 2), 2);
	for (;;)
		(void)pause();
}

static void test_kill_9_of_satprof_leaves_nothing(void **state)
{
	unsigned seed = (unsigned)time(NULL);
	int i, fd, ms, worst_ms = 0;
	pid_t pid;

	(void)state;
	print_message("# seed %u\n", seed);
	for (i = 0; i < 50; i++) {
		fd = memfd_create("out", 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			hold_awkward_children(fd);
		if (i % 2 == 0) /* half of them while it starts */
			wait_for_text(fd, "up");
		(void)usleep((useconds_t)(rand_r(&seed) % 30000));
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		ms = ms_until_none(8, GONE_LIMIT_MS);
		if (ms < 0)
			fail_msg("round %d: %d left", i, count_marked(8));
		worst_ms = ms > worst_ms ? ms : worst_ms;
		(void)close(fd);
	}
	print_message("# slowest of 50: %d ms\n", worst_ms);
}

static void test_null_and_unknown_are_no_ops(void **state)
{
	struct keeper *k = *state;
	struct sp_err err = { 0 };
	int status = 0;

	keeper_stop(NULL);
	keeper_signal(k, 99, SIGTERM);
	assert_int_equal(keeper_end_child(k, 99, 0, &status, &err), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		HELD(test_status_and_output),
		HELD(test_output_path_is_appended),
		HELD(test_outer_pid_is_ours_to_see),
		HELD(test_exec_failure_names_the_reason),
		HELD(test_affinity_is_set_before_exec),
		HELD(test_only_three_descriptors),
		HELD(test_input_is_what_was_given),
		cmocka_unit_test(test_signals_are_as_usual),
		HELD(test_huge_argv),
		HELD(test_deadline),
		HELD(test_stubborn_child_is_killed),
		HELD(test_polite_child_ends_by_itself),
		HELD(test_stopped_child_is_ended),
		HELD(test_escapees_end_with_their_child_only),
		HELD(test_many_processes_all_gone),
		HELD(test_end_of_the_keeper_is_noticed),
		cmocka_unit_test(test_kill_9_of_satprof_leaves_nothing),
		HELD(test_null_and_unknown_are_no_ops),
	};
	char mark[16];

	(void)snprintf(mark, sizeof(mark), "%07d", (int)getpid());
	if (setenv("MARK", mark, 1) != 0)
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
