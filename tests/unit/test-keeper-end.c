/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The keeper ends programs, whatever they do to stay: each test as init of a PID
 * namespace (where that is allowed here) and as a child subreaper.
 */
#include "config.h"

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
#include "keeperhelp.h"
#include "os/keeper.h"
#include "os/proctree.h"

/*
 * On a free machine all are gone within 0.1 s, which the e2e tests check (1 s);
 * `make check` keeps it busy.
 */
#define GONE_LIMIT_MS 10000

static void test_stubborn_child_is_killed(void **state)
{
	int fd = memfd_create("out", 0), status;
	struct keeper *k = *state;
	struct keeper_child c = keeperhelp_spawn_sh(
		k, "trap '' TERM; echo up; while :; do sleep 0.1; done", fd);
	struct sp_err err = { 0 };

	keeperhelp_wait_for_text(fd, "up");
	assert_int_equal(keeper_end_child(k, c.id, 200 * NS_PER_MS, &status, &err), 0);
	assert_int_equal(WTERMSIG(status), SIGKILL);
	(void)close(fd);
}

static void test_polite_child_ends_by_itself(void **state)
{
	int fd = memfd_create("out", 0), status;
	struct keeper *k = *state;
	struct keeper_child c = keeperhelp_spawn_sh(k,
		"trap 'echo bye; exit 5' TERM; echo up; while :; do sleep 0.05; done",
		fd);
	struct sp_err err = { 0 };

	keeperhelp_wait_for_text(fd, "up");
	assert_int_equal(
		keeper_end_child(k, c.id, KEEPERHELP_LIMIT_NS, &status, &err), 0);
	assert_true(WIFEXITED(status));
	assert_int_equal(WEXITSTATUS(status), 5);
	keeperhelp_wait_for_text(fd, "bye");
	(void)close(fd);
}

static void test_stopped_child_is_ended(void **state)
{
	struct keeper *k = *state;
	struct keeper_child c =
		keeperhelp_spawn_sh(k, "kill -STOP $$; sleep 3$MARK", -1);
	struct sp_err err = { 0 };
	int status;

	(void)usleep(50000);
	assert_false(keeper_wait(k, c.id, 0, &status));
	assert_int_equal(keeper_end_child(k, c.id, 500 * NS_PER_MS, &status, &err), 0);
	assert_true(WIFSIGNALED(status));
	assert_int_equal(keeperhelp_count_marked(3), 0);
}

/* Children that left the process group, the session and their parent. */
static void test_escapees_end_with_their_child_only(void **state)
{
	int fd = memfd_create("out", 0), status;
	struct keeper *k = *state;
	struct keeper_child other = keeperhelp_spawn_sh(k, "exec sleep 4$MARK", -1);
	struct keeper_child c = keeperhelp_spawn_sh(k,
		"for i in 1 2 3 4 5; do setsid sh -c \"trap '' TERM HUP; "
		"setsid sleep 5$MARK & setsid sleep 5$MARK & sleep 5$MARK\" & done; "
		"echo up; exit 0",
		fd);
	struct sp_err err = { 0 };

	keeperhelp_wait_for_text(fd, "up");
	assert_true(keeper_wait(k, c.id, KEEPERHELP_LIMIT_NS, &status));
	assert_int_equal(status, 0);
	keeperhelp_wait_for_marked(5, 15);
	assert_int_equal(keeper_end_child(k, c.id, 0, &status, &err), 0);
	assert_int_equal(status, 0);
	assert_int_equal(keeperhelp_count_marked(5), 0);
	assert_int_equal(keeperhelp_count_marked(4), 1);
	assert_false(keeper_wait(k, other.id, 0, &status));
	(void)close(fd);
}

static void test_many_processes_all_gone(void **state)
{
	int status;
	struct keeper *k = *state;
	/* each of 50 renews itself for ever: a bomb that does not grow */
	struct keeper_child c = keeperhelp_spawn_sh(k,
		"exec sh -c \"f() { sleep 0.0144; (f) & }; i=0; "
		"while [ \\$i -lt 50 ]; do (f) & i=\\$((i+1)); done; "
		"sleep 6$MARK\"",
		-1);
	struct sp_err err = { 0 };

	keeperhelp_wait_for_marked(6, 25);
	assert_int_equal(keeper_end_child(k, c.id, 0, &status, &err), 0);
	assert_int_equal(keeperhelp_count_marked(6), 0);
}

static void test_end_of_the_keeper_is_noticed(void **state)
{
	struct keeper *k = *state;
	struct keeper_child c = keeperhelp_spawn_sh(k, "exec sleep 7$MARK", -1);
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
	if (!keeper_wait(k, c.id, KEEPERHELP_LIMIT_NS, &status))
		fail_msg("%zu descendants, no end after %.3f s", kids.n,
			(double)(clock_now_ns(&clock_monotonic) - t0_ns) / 1e9);
	assert_int_equal(keeper_spawn(k, &cmd, &c, &err), -SP_EBROKEN);
	assert_true(keeperhelp_ms_until_none(7, 1000) >= 0);
	proctree_ids_done(&kids);
	(void)close(root);
}

/* A flag that is up, or goes up just before the wait, is not missed. */
static void test_stop_flag_ends_a_wait(void **state)
{
	char *argv[] = { WORD("sleep"), WORD("99"), NULL };
	volatile sig_atomic_t stop = 0;
	struct keeper_config cfg = { .netns_fd = -1, .stop = &stop };
	uint64_t t0_ns = clock_now_ns(&clock_monotonic);
	struct keeper_cmd cmd = { .argv = argv };
	struct keeper *k = NULL;
	struct keeper_child c;
	struct sp_err err = { 0 };
	int status;

	(void)state;
	assert_int_equal(keeper_start(&cfg, &k, &err), 0);
	assert_int_equal(keeper_spawn(k, &cmd, &c, &err), 0);
	stop = SIGINT;
	assert_false(keeper_wait(k, c.id, KEEPERHELP_LIMIT_NS, &status));
	assert_int_equal(
		keeper_run(k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), -SP_EINTR);
	/* Ending is not cut short by it. */
	assert_int_equal(keeper_end_child(k, c.id, NS_PER_S, &status, &err), 0);
	assert_int_equal(WTERMSIG(status), SIGTERM);
	assert_true(clock_now_ns(&clock_monotonic) - t0_ns < KEEPERHELP_LIMIT_NS);
	keeper_stop(k);
}

/* A satprof that holds awkward children, in a process of its own. */
static void hold_awkward_children(bool weak, int fd)
{
	struct keeper *k = keeperhelp_start(weak);

	(void)keeperhelp_spawn_sh(k,
		"trap '' TERM HUP INT; setsid sh -c \"trap '' TERM HUP; "
		"(setsid sleep 8$MARK &) ; sleep 8$MARK\" & "
		"while :; do sleep 8$MARK; done",
		fd);
	(void)keeperhelp_spawn_sh(k, "kill -STOP $$; sleep 8$MARK", -1);
	assert_int_equal(write(fd, "up", 2), 2);
	for (;;)
		(void)pause();
}

static void kill_9_rounds(bool weak)
{
	unsigned seed = (unsigned)time(NULL);
	int i, fd, ms, worst_ms = 0;
	pid_t pid;

	print_message("# seed %u\n", seed);
	for (i = 0; i < 50; i++) {
		fd = memfd_create("out", 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0)
			hold_awkward_children(weak, fd);
		if (i % 2 == 0) /* half of them while it starts */
			keeperhelp_wait_for_text(fd, "up");
		(void)usleep((useconds_t)(rand_r(&seed) % 30000));
		assert_int_equal(kill(pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		ms = keeperhelp_ms_until_none(8, GONE_LIMIT_MS);
		if (ms < 0)
			fail_msg("round %d: %d left", i, keeperhelp_count_marked(8));
		worst_ms = ms > worst_ms ? ms : worst_ms;
		(void)close(fd);
	}
	print_message("# slowest of 50: %d ms\n", worst_ms);
}

static void test_kill_9_of_satprof_leaves_nothing(void **state)
{
	(void)state;
	kill_9_rounds(false);
}

static void test_kill_9_of_satprof_leaves_nothing_weak(void **state)
{
	(void)state;
	kill_9_rounds(true);
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
#define HELD(test)                                                                     \
	cmocka_unit_test_setup_teardown(test, keeperhelp_setup, keeperhelp_teardown)
#define WEAK(test)                                                                     \
	{                                                                              \
#test "_weak", test, keeperhelp_setup_weak, keeperhelp_teardown, NULL  \
	}
	const struct CMUnitTest tests[] = {
		HELD(test_stubborn_child_is_killed),
		WEAK(test_stubborn_child_is_killed),
		HELD(test_polite_child_ends_by_itself),
		WEAK(test_polite_child_ends_by_itself),
		HELD(test_stopped_child_is_ended),
		WEAK(test_stopped_child_is_ended),
		HELD(test_escapees_end_with_their_child_only),
		WEAK(test_escapees_end_with_their_child_only),
		HELD(test_many_processes_all_gone),
		WEAK(test_many_processes_all_gone),
		HELD(test_end_of_the_keeper_is_noticed),
		WEAK(test_end_of_the_keeper_is_noticed),
		HELD(test_null_and_unknown_are_no_ops),
		WEAK(test_null_and_unknown_are_no_ops),
		cmocka_unit_test(test_stop_flag_ends_a_wait),
		cmocka_unit_test(test_kill_9_of_satprof_leaves_nothing),
		cmocka_unit_test(test_kill_9_of_satprof_leaves_nothing_weak),
	};

	keeperhelp_set_mark();
	return cmocka_run_group_tests(tests, NULL, NULL);
}
