/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Forcing placement, nice values and load, and undoing it, also after a kill. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <errno.h>
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
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "os/force.h"

/* A SUT: a process whose main thread and one other are named, and which sleeps. */
struct sleeper {
	pid_t pid;
	int born_fd; /* a byte: one more thread "born" */
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
	pthread_t t;
	char byte;

	(void)prctl(PR_SET_PDEATHSIG, SIGKILL);
	(void)prctl(PR_SET_NAME, "fwd");
	if (pthread_create(&t, NULL, thread_sleep, worker) != 0 ||
		pthread_create(&t, NULL, thread_sleep, worker) != 0)
		_exit(1);
	(void)usleep(20000); /* the threads name themselves */
	if (write(ready_fd, "r", 1) != 1)
		_exit(1);
	while (read(born_fd, &byte, 1) == 1) {
		if (pthread_create(&t, NULL, thread_sleep, born) != 0)
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

static void sleeper_bear(const struct sleeper *s)
{
	char byte;

	assert_int_equal(write(s->born_fd, "b", 1), 1);
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

static cpu_set_t cpus_of(pid_t tid)
{
	cpu_set_t set;

	assert_int_equal(sched_getaffinity(tid, sizeof(set), &set), 0);
	return set;
}

/* The lowest CPU that this process may use. */
static int first_cpu(void)
{
	cpu_set_t set = cpus_of(0);
	int cpu = 0;

	while (!CPU_ISSET((size_t)cpu, &set))
		cpu++;
	return cpu;
}

static bool is_on(pid_t tid, int cpu)
{
	cpu_set_t set = cpus_of(tid);

	return CPU_COUNT(&set) == 1 && CPU_ISSET((size_t)cpu, &set);
}

static struct force_target target_of(pid_t pid)
{
	static int root_fd = -1;

	if (root_fd < 0)
		root_fd = open("/", O_PATH | O_DIRECTORY);
	return (struct force_target){ .pid = pid, .stays = true, .root_fd = root_fd };
}

static struct arm_force force_of(
	enum factor factor, const char *of, const char *value, double number)
{
	struct arm off = { .name = "off" }, a = arm_force_make(&off, factor);

	assert_true(arm_force_add(&a, of, value, number));
	return a.force;
}

static const char *cpu_word(void)
{
	static char word[16];

	(void)snprintf(word, sizeof(word), "%d", first_cpu());
	return word;
}

static void threads_are_pinned_and_let_go(void **state)
{
	struct sleeper s = sleeper_start();
	struct force_target t = target_of(s.pid);
	struct arm_force f =
		force_of(FACTOR_PLACEMENT, "worker#2", cpu_word(), (double)NAN);
	cpu_set_t before = cpus_of(s.pid), after;
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };
	struct arm arm = { .force = f };

	(void)state;
	assert_true(arm_force_add(&arm, "born", cpu_word(), (double)NAN));
	f = arm.force;
	assert_int_equal(force_check(&f, &t, &err), 0);
	assert_int_equal(force_start(&f, &t, &force, &err), 0);
	assert_true(is_on(thread_of(s.pid, "worker", 2), first_cpu()));
	after = cpus_of(thread_of(s.pid, "worker", 1));
	assert_true(CPU_EQUAL(&before, &after)); /* only what was asked for */
	sleeper_bear(&s);
	assert_int_equal(force_renew(force, &err), 0);
	assert_true(is_on(thread_of(s.pid, "born", 1), first_cpu()));
	force_stop(force);
	after = cpus_of(thread_of(s.pid, "worker", 2));
	assert_true(CPU_EQUAL(&before, &after));
	after = cpus_of(thread_of(s.pid, "born", 1));
	assert_true(CPU_EQUAL(&before, &after));
	sleeper_end(&s);
}

/* As satprof is killed: nobody tells the helper, the end of the socket does. */
static void a_kill_undoes_it(void **state)
{
	struct sleeper s = sleeper_start();
	struct arm_force f = force_of(FACTOR_PLACEMENT, "fwd", cpu_word(), (double)NAN);
	cpu_set_t before = cpus_of(s.pid), after;
	int told[2], tries;
	char byte;
	pid_t pid;

	(void)state;
	assert_int_equal(pipe(told), 0);
	pid = fork();
	assert_true(pid >= 0);
	if (pid == 0) {
		struct force_target t = target_of(s.pid);
		struct force *force = NULL;
		struct sp_err err;

		if (force_start(&f, &t, &force, &err) != 0 ||
			write(told[1], "f", 1) != 1)
			_exit(1);
		for (;;)
			(void)pause();
	}
	assert_int_equal(read(told[0], &byte, 1), 1);
	assert_true(is_on(s.pid, first_cpu()));
	assert_int_equal(kill(pid, SIGKILL), 0);
	assert_int_equal(waitpid(pid, NULL, 0), pid);
	for (tries = 0; tries < 500; tries++) {
		after = cpus_of(s.pid);
		if (CPU_EQUAL(&before, &after))
			break;
		(void)usleep(10000);
	}
	assert_true(CPU_EQUAL(&before, &after));
	(void)close(told[0]);
	(void)close(told[1]);
	sleeper_end(&s);
}

static void a_nice_value_is_set(void **state)
{
	struct sleeper s = sleeper_start();
	struct force_target t = target_of(s.pid);
	struct arm_force f = force_of(FACTOR_LAUNCH, "worker", NULL, 19);
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
	struct force_target t = target_of(s.pid);
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
		{ FACTOR_WAKEUPS, cpu_word(), NULL, 0 },
		{ FACTOR_STEAL, "", NULL, 0.5 },
	};
	struct force *force = NULL;
	struct sp_err err = { .code = SP_OK };
	struct arm_force f;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(wrong) / sizeof(wrong[0]); i++) {
		f = force_of(
			wrong[i].factor, wrong[i].of, wrong[i].value, wrong[i].number);
		err.msg[0] = '\0';
		if (force_check(&f, &t, &err) != -SP_EENV)
			fail_msg("row %zu", i);
		assert_true(err.msg[0] != '\0' && strchr(err.msg, '\n') == NULL);
	}
	f = force_of(FACTOR_PLACEMENT, "nobody", cpu_word(), (double)NAN);
	assert_int_equal(force_check(&f, &t, &err), 0);
	assert_int_equal(force_start(&f, &t, &force, &err), -SP_EENV);
	assert_non_null(strstr(err.msg, "nobody"));
	assert_null(force);
	f = force_of(FACTOR_SAMPLING, "", NULL, 498);
	assert_int_equal(force_check(&f, &t, &err), 0);
	assert_int_equal(force_start(&f, &t, &force, &err), 0);
	assert_int_equal(force_renew(force, &err), 0);
	force_stop(force);
	force_stop(NULL);
	sleeper_end(&s);
}

static double children_cpu_s(void)
{
	struct rusage u;

	assert_int_equal(getrusage(RUSAGE_CHILDREN, &u), 0);
	return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) +
	       (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec) / 1e6;
}

/* CPU time that a companion took, as a share of the time that it was there. */
static double companion_share(const struct arm_force *f)
{
	struct force_target t = target_of(0);
	double before = children_cpu_s(), took_s;
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
	return (children_cpu_s() - before) / took_s;
}

/* A busy machine may keep it from its share for a while; it never takes more. */
static void a_companion_takes_its_share(void **state)
{
	struct arm_force f = force_of(FACTOR_CONTENTION, cpu_word(), NULL, 0.30);
	double share = 0;
	int tries;

	(void)state;
	for (tries = 0; tries < 20; tries++) {
		share = companion_share(&f);
		if (share > 0.40)
			fail_msg("%.2f of the CPU", share);
		if (share >= 0.20)
			return;
	}
	fail_msg("%.2f of the CPU at most", share);
}

static void a_companion_that_only_wakes_takes_next_to_nothing(void **state)
{
	struct arm_force f = force_of(FACTOR_WAKEUPS, cpu_word(), NULL, 200);

	(void)state;
	assert_true(companion_share(&f) < 0.15);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_are_pinned_and_let_go),
		cmocka_unit_test(a_kill_undoes_it),
		cmocka_unit_test(a_nice_value_is_set),
		cmocka_unit_test(what_cannot_be_is_an_error_of_the_environment),
		cmocka_unit_test(a_companion_takes_its_share),
		cmocka_unit_test(a_companion_that_only_wakes_takes_next_to_nothing),
	};

	return cmocka_run_group_tests_name("force", tests, NULL, NULL);
}
