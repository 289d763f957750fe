/* SPDX-License-Identifier: GPL-3.0-or-later */
/* CPU and thread times from recorded trees, and from this kernel. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "os/procstat.h"
#include "roottree.h"

#define TICK_NS (NS_PER_S / (uint64_t)sysconf(_SC_CLK_TCK))

static const char stat_a[] = "cpu  300 0 300 3000 0 0 0 0 0 0\n"
			     "cpu0 100 10 50 1000 20 3 4 5 60 0\n"
			     "cpu3 200 0 250 2000 0 0 0 0 0 0\n"
			     "intr 12345 0 0\n";

/* One second later: CPU 0 was idle for 0.25 s and waited for a disk for 0.05. */
static const char stat_b[] = "cpu  300 0 300 3000 0 0 0 0 0 0\n"
			     "cpu0 140 12 70 1025 25 4 12 6 70 0\n"
			     "cpu3 200 0 250 1990 0 0 0 0 0 0\n"
			     "intr 12345 0 0\n";

static void put_thread(const struct roottree *t, int pid, int tid, const char *stat,
	const char *schedstat, const char *children)
{
	char path[64];

	(void)snprintf(path, sizeof(path), "proc/%d/task/%d/stat", pid, tid);
	roottree_put(t, path, stat);
	if (pid == tid) {
		(void)snprintf(path, sizeof(path), "proc/%d/stat", pid);
		roottree_put(t, path, stat);
	}
	if (schedstat != NULL) {
		(void)snprintf(
			path, sizeof(path), "proc/%d/task/%d/schedstat", pid, tid);
		roottree_put(t, path, schedstat);
	}
	if (children != NULL) {
		(void)snprintf(
			path, sizeof(path), "proc/%d/task/%d/children", pid, tid);
		roottree_put(t, path, children);
	}
	(void)snprintf(path, sizeof(path), "proc/%d/task/%d/status", pid, tid);
	roottree_put(t, path,
		"Name:\tx\nThreads:\t1\nvoluntary_ctxt_switches:\t150\n"
		"nonvoluntary_ctxt_switches:\t7\n");
}

/* With a /proc/stat, which procstat_read() always wants. */
static int tree_setup(void **state)
{
	(void)roottree_setup(state);
	roottree_put(*state, "proc/stat", stat_a);
	return 0;
}

static void read_ok(int root_fd, pid_t pid, struct procstat_snapshot *s)
{
	struct sp_err err = { 0 };

	if (procstat_read(root_fd, pid, s, &err) != 0)
		fail_msg("%s", err.msg);
}

static void free_uses(struct trial *t)
{
	free(t->cpus);
	free(t->threads);
}

static void test_cpus(void **state)
{
	struct procstat_snapshot a = { 0 }, b = { 0 };
	const int cpus[] = { 0, 2, 3 };
	struct roottree *t = *state;
	struct trial trial = { 0 };

	read_ok(t->fd, 0, &a);
	assert_int_equal(a.n_cpus, 2);
	assert_int_equal(a.cpus[1].cpu, 3);
	assert_int_equal(a.cpus[0].steal_ns, 5 * TICK_NS); /* not guest's 60 */
	roottree_put(t, "proc/stat", stat_b);
	read_ok(t->fd, 0, &b);
	b.t_ns = a.t_ns + 100 * TICK_NS;
	procstat_diff(&a, &b, cpus, 3, &trial);
	assert_int_equal(trial.n_cpus, 2); /* CPU 2 is not there */
	assert_int_equal(trial.cpus[0].wall_ns, 100 * TICK_NS);
	assert_int_equal(trial.cpus[0].busy_ns, 70 * TICK_NS);
	assert_int_equal(trial.cpus[0].user_ns, 42 * TICK_NS); /* with nice */
	assert_int_equal(trial.cpus[0].system_ns, 20 * TICK_NS);
	assert_int_equal(trial.cpus[0].softirq_ns, 8 * TICK_NS);
	assert_int_equal(trial.cpus[0].irq_ns, 1 * TICK_NS);
	assert_int_equal(trial.cpus[0].steal_ns, 1 * TICK_NS);
	/* idle time stepped back: fully busy, and nothing wraps around */
	assert_int_equal(trial.cpus[1].cpu, 3);
	assert_int_equal(trial.cpus[1].busy_ns, 100 * TICK_NS);
	/* more idle ticks than wall time: 0, not 2^64 */
	free_uses(&trial);
	trial = (struct trial){ 0 };
	b.t_ns = a.t_ns + 10 * TICK_NS;
	procstat_diff(&a, &b, cpus, 1, &trial);
	assert_int_equal(trial.cpus[0].busy_ns, 0);
	free_uses(&trial);
	procstat_done(&a);
	procstat_done(&b);
}

/* utime 30, stime 12, start 5000, processor 5 */
#define STAT(pid, comm, ppid, start)                                                   \
#pid " (" comm ") S " #ppid                                                    \
	     " 1 1 0 -1 4194304 1 2 3 4 30 12 6 7 20 0 1 0 " #start " 9 10 11 12 13 "  \
	     "14 15 16 17 18 19 20 21 22 23 17 5 0 0 0 0 0\n"

static void test_threads_of_a_tree(void **state)
{
	struct procstat_snapshot s = { 0 };
	struct roottree *t = *state;

	put_thread(
		t, 10, 10, STAT(10, "rx worker: 0 [q", 1, 5000), "777 88 9\n", "20 \n");
	put_thread(t, 10, 12, STAT(12, "a) S 1 (b", 1, 5001), "5 6 7\n", "");
	put_thread(t, 20, 20, STAT(20, "child", 10, 5002), NULL, "15 ");
	put_thread(t, 15, 15, STAT(15, ")", 20, 5003), "1 2 3\n", "");
	put_thread(t, 30, 30, STAT(30, "stranger", 1, 5004), "1 2 3\n", "");
	read_ok(t->fd, 10, &s);
	assert_int_equal(s.n_threads, 4);
	assert_int_equal(s.threads[0].tid, 10);
	assert_string_equal(s.threads[0].comm, "rx worker: 0 [q");
	assert_int_equal(s.threads[0].cpu, 5);
	assert_int_equal(s.threads[0].start_ticks, 5000);
	assert_int_equal(s.threads[0].run_ns, 777);
	assert_int_equal(s.threads[0].wait_ns, 88);
	assert_int_equal(s.threads[0].n_voluntary, 150);
	assert_int_equal(s.threads[0].n_involuntary, 7);
	assert_int_equal(s.threads[1].tid, 12);
	assert_int_equal(s.threads[1].pid, 10);
	assert_string_equal(s.threads[1].comm, "a) S 1 (b");
	assert_int_equal(s.threads[2].tid, 15);
	assert_string_equal(s.threads[2].comm, ")");
	assert_int_equal(s.threads[3].tid, 20);
	/* without schedstat: 42 ticks of user and system time */
	assert_int_equal(s.threads[3].run_ns, 42 * TICK_NS);
	read_ok(t->fd, 99, &s); /* gone: no threads, arrays are reused */
	assert_int_equal(s.n_threads, 0);
	procstat_done(&s);
}

/* The same threads, later: who was born, ended or has a used number is not among them.
 */
static void test_times_are_read_again(void **state)
{
	struct procstat_snapshot s = { 0 };
	struct roottree *t = *state;
	struct sp_err err;
	uint64_t t_ns;

	put_thread(t, 10, 10, STAT(10, "a", 1, 1), "100 1 1\n", "");
	put_thread(t, 10, 12, STAT(12, "b", 1, 2), "200 2 2\n", "");
	put_thread(t, 10, 14, STAT(14, "c", 1, 3), "300 3 3\n", "");
	read_ok(t->fd, 10, &s);
	t_ns = s.t_ns;
	put_thread(t, 10, 10, STAT(10, "a", 1, 1), "111 9 1\n", "");
	put_thread(t, 10, 11, STAT(11, "born", 1, 9), "50 5 5\n", "");
	put_thread(t, 10, 12, STAT(12, "b", 1, 8), "999 9 9\n", "");
	put_thread(t, 10, 14, "", "x\n", "");
	roottree_put(t, "proc/stat", "cpu  9 0 0 9\ncpu0 9 0 0 77 0 0 0 0\n");
	assert_int_equal(procstat_renew(t->fd, &s, &err), 0);
	assert_true(s.t_ns > t_ns);
	assert_int_equal(s.n_cpus, 1);
	assert_int_equal(s.cpus[0].idle_ns, 77 * TICK_NS);
	assert_int_equal(s.n_threads, 3);
	assert_int_equal(s.threads[0].run_ns, 111);
	assert_int_equal(s.threads[0].wait_ns, 9);
	assert_int_equal(s.threads[1].run_ns, 200);
	assert_int_equal(s.threads[2].run_ns, 300);
	procstat_done(&s);
}

static void test_names_count_namesakes(void **state)
{
	struct procstat_thread threads[] = { { .comm = "a" }, { .comm = "b" },
		{ .comm = "a" }, { .comm = "a#2" }, { .comm = "a" } };
	static const char *const names[] = { "a", "b", "a#2", "a#2", "a#3" };
	struct procstat_snapshot s = { .n_threads = 5, .threads = threads };
	char name[PROCSTAT_NAME_MAX];
	size_t i;

	(void)state;
	for (i = 0; i < 5; i++) {
		procstat_thread_name(&s, i, name);
		assert_string_equal(name, names[i]);
	}
}

/* A kernel without CONFIG_PROC_CHILDREN. */
static void test_tree_by_parents(void **state)
{
	struct procstat_snapshot s = { 0 };
	struct roottree *t = *state;

	put_thread(t, 10, 10, STAT(10, "p", 1, 1), "1 1 1\n", NULL);
	put_thread(t, 8, 8, STAT(8, "grandchild (", 20, 1), "1 1 1\n", NULL);
	put_thread(t, 20, 20, STAT(20, "child)", 10, 1), "1 1 1\n", NULL);
	put_thread(t, 21, 21, STAT(21, "other", 1, 1), "1 1 1\n", NULL);
	read_ok(t->fd, 10, &s);
	assert_int_equal(s.n_threads, 3);
	assert_int_equal(s.threads[0].tid, 8);
	assert_int_equal(s.threads[1].tid, 10);
	assert_int_equal(s.threads[2].tid, 20);
	procstat_done(&s);
}

static void test_malformed_files_are_left_out(void **state)
{
	static const char *const bad[] = { "", "10", "10 (x", "10 (x) S 1 2 3\n",
		"10 x) S", "\n\n" };
	struct procstat_snapshot s = { 0 };
	struct roottree *t = *state;
	struct sp_err err = { 0 };
	size_t i;

	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		put_thread(t, 10, 10, bad[i], "x\n", "z");
		read_ok(t->fd, 10, &s);
		assert_int_equal(s.n_threads, 0);
	}
	roottree_put(t, "proc/stat", "cpu  1 2 3\ncpux 1\n");
	assert_int_equal(procstat_read(t->fd, 0, &s, &err), -SP_EIO);
	assert_string_equal(err.msg, "/proc/stat names no CPU");
	procstat_done(&s);
}

static void test_reused_tid_counts_from_0(void **state)
{
	struct procstat_thread old[2] = {
		{ .tid = 5, .start_ticks = 100, .run_ns = 1000, .n_voluntary = 9 },
		{ .tid = 7, .start_ticks = 100, .run_ns = 50 },
	};
	struct procstat_thread new[3] = {
		{ .tid = 5, .start_ticks = 200, .run_ns = 30, .comm = "new" },
		{ .tid = 6, .start_ticks = 150, .run_ns = 20 },
		{ .tid = 7, .start_ticks = 100, .run_ns = 80, .wait_ns = 4 },
	};
	struct procstat_snapshot a = { .n_threads = 2, .threads = old };
	struct procstat_snapshot b = { .n_threads = 3, .threads = new };
	struct trial t = { 0 };

	(void)state;
	procstat_diff(&a, &b, NULL, 0, &t);
	assert_int_equal(t.n_threads, 3);
	assert_int_equal(t.threads[0].run_ns, 30);
	assert_string_equal(t.threads[0].comm, "new");
	assert_int_equal(t.threads[0].n_voluntary, 0);
	assert_int_equal(t.threads[1].run_ns, 20);
	assert_int_equal(t.threads[2].run_ns, 30);
	assert_int_equal(t.threads[2].wait_ns, 4);
	free_uses(&t);
}

static uint64_t thread_cpu_ns(void)
{
	struct timespec ts;

	assert_int_equal(clock_gettime(CLOCK_THREAD_CPUTIME_ID, &ts), 0);
	return (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
}

/* The kernel here counts what a busy thread used, within 2 %. */
static void test_live_busy_thread(void **state)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct procstat_snapshot a = { 0 }, b = { 0 };
	uint64_t from_ns, to_ns, used_ns;
	struct trial t = { 0 };
	size_t i, at = 0;
	int status;
	pid_t child;

	(void)state;
	assert_true(root >= 0);
	child = fork(); /* a tree of two, one asleep */
	if (child == 0) {
		(void)usleep(3000000);
		_exit(0);
	}
	read_ok(root, getpid(), &a);
	from_ns = thread_cpu_ns();
	while (thread_cpu_ns() - from_ns < 500 * NS_PER_MS)
		;
	/* Being switched away brings the kernel's account up to date. */
	(void)usleep(1000);
	to_ns = thread_cpu_ns();
	read_ok(root, getpid(), &b);
	procstat_diff(&a, &b, NULL, 0, &t);
	assert_int_equal(t.n_threads, 2);
	for (i = 0; i < 2; i++)
		if (t.threads[i].pid == getpid())
			at = i;
	assert_int_equal(t.threads[at].tid, getpid());
	assert_int_equal(t.threads[1 - at].pid, child);
	assert_true(t.threads[1 - at].run_ns < 50 * NS_PER_MS);
	used_ns = to_ns - from_ns;
	if (t.threads[at].run_ns < used_ns - used_ns / 50 ||
		t.threads[at].run_ns > used_ns + used_ns / 50)
		fail_msg("run %.3f ms, used %.3f ms",
			(double)t.threads[at].run_ns / 1e6, (double)used_ns / 1e6);
	assert_true(kill(child, 9) == 0);
	assert_int_equal(waitpid(child, &status, 0), child);
	free_uses(&t);
	procstat_done(&a);
	procstat_done(&b);
	(void)close(root);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_cpus, tree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			test_threads_of_a_tree, tree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			test_times_are_read_again, tree_setup, roottree_teardown),
		cmocka_unit_test(test_names_count_namesakes),
		cmocka_unit_test_setup_teardown(
			test_tree_by_parents, tree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(test_malformed_files_are_left_out,
			tree_setup, roottree_teardown),
		cmocka_unit_test(test_reused_tid_counts_from_0),
		cmocka_unit_test(test_live_busy_thread),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
