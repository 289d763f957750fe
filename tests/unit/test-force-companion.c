/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forcing load, wake-ups and wakefulness of CPUs, and letting them go. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <math.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/clock.h"
#include "forcehelp.h"
#include "roottree.h"

/* From now on this process knows no close_range(), as before Linux 5.9. */
static void forget_close_range(void)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_close_range, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOSYS),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = 4, .filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) != 0 ||
		prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog) != 0)
		_exit(2);
}

/* The second one then holds the end of the first one's socket. */
static void two_companions_stop(void **state)
{
	struct arm off = { .name = "off" }, two = arm_force_make(&off, FACTOR_WAKEUPS);
	struct force_target t = forcehelp_target_of(0);
	int status, i;
	pid_t pid;

	(void)state;
	assert_true(arm_force_add(&two, forcehelp_cpu_word(), NULL, 100));
	assert_true(arm_force_add(&two, forcehelp_cpu_word(), NULL, 50));
	for (i = 0; i < 2; i++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct force *force = NULL;
			struct sp_err err;

			(void)alarm(20);
			if (i == 1) {
				forget_close_range();
				/* What a helper keeps must not hide the socket. */
				while (dup(STDIN_FILENO) < 10)
					;
			}
			if (force_start(&two.force, &t, &force, &err) != 0)
				_exit(1);
			force_stop(force);
			_exit(0);
		}
		assert_int_equal(waitpid(pid, &status, 0), pid);
		assert_int_equal(status, 0);
	}
}

static double children_cpu_s(long *ret_n_sleeps)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_CHILDREN, &u), 0);
	*ret_n_sleeps = u.ru_nvcsw;
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* CPU time that a companion took, as a share of the time that it was there, and how
 * often it went to sleep. */
static double companion_share(const struct arm_force *f, long *ret_n_sleeps)
{
	struct force_target t = forcehelp_target_of(0);
	long n_before, n_after;
	double before = children_cpu_s(&n_before), took_s, share;
	uint64_t t0_ns = clock_now_ns(&clock_monotonic);
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };
	int i;

	assert_int_equal(force_check(f, &t, &err), 0);
	assert_int_equal(force_start(f, &t, &force, &err), 0);
	for (i = 0; i < 4; i++) {
		(void)usleep(150000);
		assert_int_equal(force_renew(force, &err), 0);
	}
	took_s = (double)(clock_now_ns(&clock_monotonic) - t0_ns) / 1e9;
	force_stop(force);
	share = (children_cpu_s(&n_after) - before) / took_s;
	*ret_n_sleeps = n_after - n_before;
	return share;
}

/* A busy machine may keep it from its share for a while; it never takes more. */
static void a_companion_takes_its_share(void **state)
{
	struct arm_force f =
		forcehelp_force_of(FACTOR_CONTENTION, forcehelp_cpu_word(), NULL, 0.30);
	double share = 0;
	long n_sleeps;
	int tries;

	(void)state;
	for (tries = 0; tries < 20; tries++) {
		share = companion_share(&f, &n_sleeps);
		if (share > 0.40)
			fail_msg("%.2f of the CPU", share);
		if (share >= 0.20)
			return;
	}
	fail_msg("%.2f of the CPU at most", share);
}

/* 200 a second, for 0.6 s at least; a busy machine may keep it from many. */
static void a_companion_that_only_wakes_takes_next_to_nothing(void **state)
{
	struct arm_force f =
		forcehelp_force_of(FACTOR_WAKEUPS, forcehelp_cpu_word(), NULL, 200);
	long n_sleeps = 0;
	int tries;

	(void)state;
	for (tries = 0; tries < 20 && n_sleeps < 60; tries++)
		assert_true(companion_share(&f, &n_sleeps) < 0.15);
	assert_true(n_sleeps >= 60);
}

/* The file is held open with the latency in it, and is all that there is to undo. */
static void idle_is_a_latency_that_is_held(void **state)
{
	const struct roottree *t = *state;
	struct force_target target = { .stays = true, .root_fd = t->fd };
	struct arm_force f = forcehelp_force_of(FACTOR_IDLE, "", NULL, (double)NAN);
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };
	struct stat st;

	assert_int_equal(force_check(&f, &target, &err), -SP_EENV);
	assert_int_equal(force_start(&f, &target, &force, &err), -SP_EENV);
	roottree_put(t, "dev/cpu_dma_latency", "");
	assert_int_equal(force_start(&f, &target, &force, &err), 0);
	assert_int_equal(fstatat(t->fd, "dev/cpu_dma_latency", &st, 0), 0);
	assert_int_equal(st.st_size, sizeof(int32_t));
	assert_int_equal(force_renew(force, &err), 0);
	force_stop(force);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(two_companions_stop),
		cmocka_unit_test(a_companion_takes_its_share),
		cmocka_unit_test(a_companion_that_only_wakes_takes_next_to_nothing),
		cmocka_unit_test_setup_teardown(idle_is_a_latency_that_is_held,
			roottree_setup, roottree_teardown),
	};

	return cmocka_run_group_tests_name("force-companion", tests, NULL, NULL);
}
