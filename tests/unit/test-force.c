/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forcing CPUs, nice values and nodes of threads, and undoing it, also after a kill. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <fcntl.h>
#include <math.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "forcehelp.h"

/* A SUT: a process whose main thread and one other are named, and which sleeps. */
struct sleeper {
	pid_t pid;
	int born_fd; /* 'b': one more thread "born"; 'w': another second worker */
};

static void *thread_sleep(void *name)
{
	(void)prctl(PR_SET_NAME, name);
	while (pause() != 0)
		;
	return NULL;
}

static void sleeper_main(int ready_fd, int born_fd) __attribute__((noreturn));

static void sleeper_main(int ready_fd, int born_fd)
{
	static char worker[] = "worker", born[] = "born";
	pthread_t t, second;
	char byte;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, "fwd");
	if (pthread_create(&t, NULL, thread_sleep, worker) != 0 ||
		pthread_create(&second, NULL, thread_sleep, worker) != 0)
		_exit(1);
	(void)usleep(20000); /* the threads name themselves */
	if (write(ready_fd, "r", 1) != 1)
		_exit(1);
	while (read(born_fd, &byte, 1) == 1) {
		if (byte == 'w' && (pthread_cancel(second) != 0 ||
					   pthread_join(second, NULL) != 0 ||
					   pthread_create(&second, NULL, thread_sleep,
						   worker) != 0))
			_exit(1);
		if (byte == 'b' && pthread_create(&t, NULL, thread_sleep, born) != 0)
			_exit(1);
		(void)usleep(20000);
		if (write(ready_fd, "r", 1) != 1)
			_exit(1);
	}
	_exit(0);
}

static int ready_fd = -1;

static struct sleeper sleeper_start(void)
{
	struct sleeper s = { .pid = -1 };
	int ready[2], born[2];
	char byte;

	assert_int_equal(pipe(ready), 0);
	assert_int_equal(pipe(born), 0);
	s.pid = fork();
	assert_true(s.pid >= 0);
	if (s.pid == 0) {
		(void)close(born[1]);
		sleeper_main(ready[1], born[0]);
	}
	(void)close(ready[1]);
	(void)close(born[0]);
	ready_fd = ready[0];
	s.born_fd = born[1];
	assert_int_equal(read(ready_fd, &byte, 1), 1);
	return s;
}

static void sleeper_ask(const struct sleeper *s, const char *what)
{
	char byte;

	assert_int_equal(write(s->born_fd, what, 1), 1);
	assert_int_equal(read(ready_fd, &byte, 1), 1);
}

static void sleeper_end(struct sleeper *s)
{
	assert_int_equal(kill(s->pid, SIGKILL), 0);
	assert_int_equal(waitpid(s->pid, NULL, 0), s->pid);
	(void)close(s->born_fd);
	(void)close(ready_fd);
}

/* The n-th thread of that name by tid, or 0. */
static pid_t thread_of(pid_t pid, const char *comm, int n)
{
	char path[64], name[32];
	pid_t tid;

	/* Ids of a process that was just started follow each other closely. */
	for (tid = pid; tid < pid + 1000; tid++) {
		int fd;
		ssize_t len;

		(void)snprintf(path, sizeof(path), "/proc/%d/task/%d/comm", (int)pid,
			(int)tid);
		fd = open(path, O_RDONLY);
		if (fd < 0)
			continue;
		len = read(fd, name, sizeof(name) - 1);
		(void)close(fd);
		if (len <= 0)
			continue;
		name[len - 1] = '\0';
		if (strcmp(name, comm) == 0 && --n == 0)
			return tid;
	}
	return 0;
}

static bool is_on(pid_t tid, int cpu)
{
	cpu_set_t set = forcehelp_cpus_of(tid);

	return CPU_COUNT(&set) == 1 && CPU_ISSET((size_t)cpu, &set);
}

static void threads_are_pinned_and_let_go(void **state)
{
	struct sleeper s = sleeper_start();
	struct force_target t = forcehelp_target_of(s.pid);
	struct arm_force f = forcehelp_force_of(
		FACTOR_PLACEMENT, "worker#2", forcehelp_cpu_word(), (double)NAN);
	cpu_set_t before = forcehelp_cpus_of(s.pid), after;
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };

	(void)state;
	assert_int_equal(force_check(&f, &t, &err), 0);
	assert_int_equal(force_start(&f, &t, &force, &err), 0);
	assert_true(is_on(thread_of(s.pid, "worker", 2), forcehelp_first_cpu()));
	after = forcehelp_cpus_of(thread_of(s.pid, "worker", 1));
	assert_true(CPU_EQUAL(&before, &after)); /* only what was asked for */
	sleeper_ask(&s, "w");
	after = forcehelp_cpus_of(thread_of(s.pid, "worker", 2));
	assert_true(CPU_EQUAL(&before, &after));
	assert_int_equal(force_renew(force, &err), 0);
	assert_true(is_on(thread_of(s.pid, "worker", 2), forcehelp_first_cpu()));
	force_stop(force);
	after = forcehelp_cpus_of(thread_of(s.pid, "worker", 2));
	assert_true(CPU_EQUAL(&before, &after));
	sleeper_end(&s);
}

/* What a forced thread bears has its CPUs and nice value, and is let go, too, whether
 * it was there at a renewal or not. */
static void what_is_born_forced_is_let_go(void **state)
{
	const struct {
		enum factor factor;
		const char *value;
		double number;
	} rows[] = {
		{ FACTOR_PLACEMENT, forcehelp_cpu_word(), (double)NAN },
		{ FACTOR_LAUNCH, NULL, 7 },
	};
	struct sp_err err = { .code = SP_OK };
	size_t i;
	int n;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct sleeper s = sleeper_start();
		struct force_target t = forcehelp_target_of(s.pid);
		struct arm_force f = forcehelp_force_of(
			rows[i].factor, "fwd", rows[i].value, rows[i].number);
		int nice = getpriority(PRIO_PROCESS, (id_t)s.pid);
		cpu_set_t before = forcehelp_cpus_of(s.pid), after;
		struct force *force = NULL;

		t.stays = rows[i].factor == FACTOR_PLACEMENT || geteuid() == 0;
		assert_int_equal(force_start(&f, &t, &force, &err), 0);
		sleeper_ask(&s, "b");
		assert_int_equal(force_renew(force, &err), 0);
		sleeper_ask(&s, "b");
		for (n = 1; n <= 2; n++) {
			pid_t tid = thread_of(s.pid, "born", n);

			assert_true(rows[i].factor == FACTOR_LAUNCH
					    ? getpriority(PRIO_PROCESS, (id_t)tid) == 7
					    : is_on(tid, forcehelp_first_cpu()));
		}
		force_stop(force);
		for (n = 0; n <= 2; n++) {
			pid_t tid = n == 0 ? s.pid : thread_of(s.pid, "born", n);

			after = forcehelp_cpus_of(tid);
			assert_true(CPU_EQUAL(&before, &after));
			if (geteuid() == 0)
				assert_int_equal(
					getpriority(PRIO_PROCESS, (id_t)tid), nice);
		}
		sleeper_end(&s);
	}
}

/* As satprof is killed, alone or with all of its group: nobody tells the helper, the
 * end of the socket does. */
static void a_kill_undoes_it(void **state)
{
	struct arm_force f = forcehelp_force_of(
		FACTOR_PLACEMENT, "fwd", forcehelp_cpu_word(), (double)NAN);
	int told[2], tries, i;

	(void)state;
	for (i = 0; i < 2; i++) {
		struct sleeper s = sleeper_start();
		cpu_set_t before = forcehelp_cpus_of(s.pid), after;
		char byte;
		pid_t pid;

		assert_int_equal(pipe(told), 0);
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			struct force_target t = forcehelp_target_of(s.pid);
			struct force *force = NULL;
			struct sp_err err;

			if (setpgid(0, 0) != 0 ||
				force_start(&f, &t, &force, &err) != 0 ||
				write(told[1], "f", 1) != 1)
				_exit(1);
			for (;;)
				(void)pause();
		}
		assert_int_equal(read(told[0], &byte, 1), 1);
		assert_true(is_on(s.pid, forcehelp_first_cpu()));
		assert_int_equal(kill(i == 0 ? pid : -pid, SIGKILL), 0);
		assert_int_equal(waitpid(pid, NULL, 0), pid);
		for (tries = 0; tries < 500; tries++) {
			after = forcehelp_cpus_of(s.pid);
			if (CPU_EQUAL(&before, &after))
				break;
			(void)usleep(10000);
		}
		assert_true(CPU_EQUAL(&before, &after));
		(void)close(told[0]);
		(void)close(told[1]);
		sleeper_end(&s);
	}
}

static void a_nice_value_is_set(void **state)
{
	struct sleeper s = sleeper_start();
	struct force_target t = forcehelp_target_of(s.pid);
	struct arm_force f = forcehelp_force_of(FACTOR_LAUNCH, "worker", NULL, 19);
	pid_t tid = thread_of(s.pid, "worker", 1);
	int before = getpriority(PRIO_PROCESS, (id_t)tid);
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };

	(void)state;
	t.stays = false; /* else it takes the right to lower it again */
	assert_int_equal(force_check(&f, &t, &err), 0);
	assert_int_equal(force_start(&f, &t, &force, &err), 0);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), 19);
	assert_int_equal(getpriority(PRIO_PROCESS, (id_t)s.pid), before);
	force_stop(force);
	if (geteuid() == 0)
		assert_int_equal(getpriority(PRIO_PROCESS, (id_t)tid), before);
	sleeper_end(&s);
}

static void what_cannot_be_is_an_error_of_the_environment(void **state)
{
	struct sleeper s = sleeper_start();
	struct force_target t = forcehelp_target_of(s.pid);
	const struct {
		enum factor factor;
		const char *of, *value;
		double number;
	} wrong[] = {
		{ FACTOR_PLACEMENT, "fwd", "8000", (double)NAN },
		{ FACTOR_PLACEMENT, "fwd", "one", (double)NAN },
		{ FACTOR_PLACEMENT, "fwd", "node 999", (double)NAN },
		{ FACTOR_MEMORY, "", "node 0", (double)NAN }, /* it stays */
		{ FACTOR_CONTENTION, "8000", NULL, 0.5 },
		{ FACTOR_CONTENTION, "x", NULL, 0.5 },
		{ FACTOR_CONTENTION, forcehelp_cpu_word(), NULL, 1.1 },
		{ FACTOR_CONTENTION, forcehelp_cpu_word(), NULL, (double)NAN },
		{ FACTOR_WAKEUPS, forcehelp_cpu_word(), NULL, 0 },
		{ FACTOR_WAKEUPS, forcehelp_cpu_word(), NULL, -5 },
		{ FACTOR_WAKEUPS, forcehelp_cpu_word(), NULL, 1e300 },
		{ FACTOR_LAUNCH, "fwd", NULL, 20 },
		{ FACTOR_LAUNCH, "fwd", NULL, 1.5 },
		{ FACTOR_LAUNCH, "fwd", NULL, -1e300 },
		{ FACTOR_LAUNCH, "fwd", NULL, (double)NAN },
		{ FACTOR_STEAL, "", NULL, 0.5 },
	};
	struct arm off = { .name = "off" },
		   half = arm_force_make(&off, FACTOR_PLACEMENT);
	cpu_set_t before = forcehelp_cpus_of(s.pid), after;
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };
	struct arm_force f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		f = forcehelp_force_of(
			wrong[i].factor, wrong[i].of, wrong[i].value, wrong[i].number);
		err.msg[0] = '\0';
		if (force_check(&f, &t, &err) != -SP_EENV)
			fail_msg("row %zu", i);
		assert_true(err.msg[0] != '\0' && strchr(err.msg, '\n') == NULL);
		/* It may come from a file, so nobody has asked before. */
		assert_int_equal(force_start(&f, &t, &force, &err), -SP_EENV);
		assert_null(force);
	}
	t.stays = false;
	for (i = 0; i < 2; i++) {
		f = forcehelp_force_of(
			FACTOR_MEMORY, "", i == 0 ? "node 99999" : "x", 0);
		assert_int_equal(force_start(&f, &t, &force, &err), -SP_EENV);
		assert_null(force);
	}
	t.stays = true;
	f = forcehelp_force_of(
		FACTOR_PLACEMENT, "nobody", forcehelp_cpu_word(), (double)NAN);
	assert_int_equal(force_check(&f, &t, &err), 0);
	assert_int_equal(force_start(&f, &t, &force, &err), -SP_EENV);
	assert_non_null(strstr(err.msg, "nobody"));
	assert_null(force);
	/* One of two is not all; the other one is let go. */
	assert_true(
		arm_force_add(&half, "worker#2", forcehelp_cpu_word(), (double)NAN));
	assert_true(
		arm_force_add(&half, "worker#3", forcehelp_cpu_word(), (double)NAN));
	f = half.force;
	assert_int_equal(force_start(&f, &t, &force, &err), -SP_EENV);
	assert_non_null(strstr(err.msg, "'worker#3'"));
	assert_null(force);
	after = forcehelp_cpus_of(thread_of(s.pid, "worker", 2));
	assert_true(CPU_EQUAL(&before, &after));
	f = forcehelp_force_of(FACTOR_SAMPLING, "", NULL, 498);
	assert_int_equal(force_check(&f, &t, &err), 0);
	assert_int_equal(force_start(&f, &t, &force, &err), 0);
	assert_int_equal(force_renew(force, &err), 0);
	force_stop(force);
	force_stop(NULL);
	sleeper_end(&s);
}

/* Nodes that the kernel was not built for must not be named to it. */
static void memory_is_moved_to_a_node_that_is_there(void **state)
{
	struct sleeper s = sleeper_start();
	struct force_target t = forcehelp_target_of(s.pid);
	struct arm_force f =
		forcehelp_force_of(FACTOR_MEMORY, "", "node 0", (double)NAN);
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };
	bool has_nodes;

	(void)state;
	t.stays = false;
	has_nodes = force_check(&f, &t, &err) == 0;
	assert_int_equal(force_start(&f, &t, &force, &err), has_nodes ? 0 : -SP_EENV);
	force_stop(force);
	sleeper_end(&s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_pinned_and_let_go),
		cmocka_unit_test(what_is_born_forced_is_let_go),
		cmocka_unit_test(a_kill_undoes_it),
		cmocka_unit_test(a_nice_value_is_set),
		cmocka_unit_test(what_cannot_be_is_an_error_of_the_environment),
		cmocka_unit_test(memory_is_moved_to_a_node_that_is_there),
	};

	return cmocka_run_group_tests_name("force", tests, NULL, NULL);
}
