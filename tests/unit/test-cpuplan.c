/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which CPU does what, on machines made of folders. */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/cpuplan.h"
#include "roottree.h"

static const struct cpuplan_request any = { -1, -1, -1, NULL };

static void put_siblings(const struct roottree *m, int cpu, const char *list)
{
	char path[96];

	(void)snprintf(path, sizeof(path),
		"sys/devices/system/cpu/cpu%d/topology/thread_siblings_list", cpu);
	roottree_put(m, path, list);
}

/* CPU n and n + 4 are threads of one core, as Intel numbers them. */
static void make_smt_machine(const struct roottree *m)
{
	char list[16];
	int cpu;

	for (cpu = 0; cpu < 8; cpu++) {
		(void)snprintf(list, sizeof(list), "%d,%d\n", cpu % 4, cpu % 4 + 4);
		put_siblings(m, cpu, list);
	}
}

static const int eight[] = { 0, 1, 2, 3, 4, 5, 6, 7 };

static struct cpuplan plan(const struct roottree *m, const struct cpuplan_request *req,
	const int *allowed, size_t n)
{
	struct cpuplan p = { 0 };
	struct sp_err err = { 0 };

	if (cpuplan_choose(req, m->fd, allowed, n, &p, &err) != 0)
		fail_msg("%s", err.msg);
	return p;
}

static void check(const struct cpuplan *p, int sut, int gen, int recv, int collect)
{
	assert_int_equal(p->sut[0], sut);
	assert_int_equal(p->cpu_gen, gen);
	assert_int_equal(p->cpu_recv, recv);
	assert_int_equal(p->cpu_collect, collect);
}

static void test_one_cpu(void **state)
{
	const int one[] = { 0 };
	struct cpuplan p = plan(*state, &any, one, 1);
	char text[120];

	check(&p, 0, 0, 0, 0);
	assert_true(p.shared_core);
	assert_non_null(strstr(p.why_shared, "there is only one CPU"));
	cpuplan_describe(&p, text, sizeof(text));
	assert_string_equal(
		text, "SUT on CPU 0; generator, receiver and collector on CPU 0");
}

static void test_two_cpus(void **state)
{
	const int two[] = { 0, 1 };
	struct cpuplan p = plan(*state, &any, two, 2);

	check(&p, 1, 0, 0, 0);
	assert_int_equal(p.n_sut, 1);
	assert_true(p.set_sut_affinity);
	assert_false(p.shared_core);
	assert_string_equal(p.why_shared, "");
}

static void test_two_threads_of_one_core(void **state)
{
	const int two[] = { 0, 1 };
	struct cpuplan p;

	put_siblings(*state, 0, "0-1");
	put_siblings(*state, 1, "0-1");
	p = plan(*state, &any, two, 2);
	check(&p, 1, 0, 0, 0);
	assert_true(p.shared_core);
	assert_string_equal(p.why_shared,
		"CPU 0 of the generator is a hardware thread of the SUT's core");
}

static void test_smt_sibling_stays_idle(void **state)
{
	const int four[] = { 1, 3, 5, 7 };
	struct cpuplan p;
	char text[120];

	make_smt_machine(*state);
	p = plan(*state, &any, eight, 8);
	check(&p, 7, 0, 1, 2); /* 3 is the sibling of 7 */
	assert_false(p.shared_core);
	cpuplan_describe(&p, text, sizeof(text));
	assert_string_equal(text,
		"SUT on CPU 7; generator on CPU 0, receiver on CPU 1, collector on CPU "
		"2");
	/* Two cores: two of ours share one rather than take the SUT's sibling. */
	p = plan(*state, &any, four, 4);
	check(&p, 7, 1, 5, 5);
	assert_false(p.shared_core);
}

static void test_as_asked(void **state)
{
	struct cpuplan_request req = { .cpu_gen = 7, .cpu_recv = -1, .cpu_collect = 0 };
	struct cpuplan p;
	char text[120];

	make_smt_machine(*state);
	p = plan(*state, &req, eight, 8);
	check(&p, 6, 7, 1, 0); /* the highest that nobody asked for; 2 is its sibling */
	assert_false(p.shared_core);
	req = (struct cpuplan_request){ -1, -1, -1, "2-3,2" };
	p = plan(*state, &req, eight, 8);
	assert_int_equal(p.n_sut, 2);
	assert_int_equal(p.sut[1], 3);
	check(&p, 2, 0, 1, 4);
	req = (struct cpuplan_request){ 3, 0, -1, "3" };
	p = plan(*state, &req, eight, 8);
	assert_true(p.shared_core);
	assert_string_equal(p.why_shared, "the SUT and the generator share CPU 3");
	req = (struct cpuplan_request){ -1, 2, -1, "6" };
	p = plan(*state, &req, eight, 8);
	assert_true(p.shared_core);
	assert_non_null(strstr(p.why_shared, "CPU 2 of the receiver"));
	req = (struct cpuplan_request){ -1, -1, -1, "none" };
	p = plan(*state, &req, eight, 8);
	assert_false(p.set_sut_affinity);
	assert_int_equal(p.n_sut, 1);
	cpuplan_describe(&p, text, sizeof(text));
	assert_non_null(strstr(text, "SUT where it likes, measured on CPU 7"));
}

static void test_not_allowed(void **state)
{
	const struct cpuplan_request bad[] = {
		{ 9, -1, -1, NULL },
		{ -1, 9, -1, NULL },
		{ -1, -1, 9, NULL },
		{ -1, -1, -1, "0,9" },
	};
	static const char *const options[] = { "--cpu-gen", "--cpu-recv",
		"--cpu-collect", "--cpu-sut" };
	struct roottree *m = *state;
	struct cpuplan p = { .n_sut = 42 };
	struct sp_err err = { 0 };
	size_t i;

	for (i = 0; i < 4; i++) {
		assert_int_equal(
			cpuplan_choose(&bad[i], m->fd, eight, 8, &p, &err), -SP_EUSAGE);
		assert_non_null(strstr(err.msg, options[i]));
		assert_non_null(strstr(err.msg, "CPU 9"));
	}
	assert_int_equal(p.n_sut, 42); /* untouched */
}

static void test_list(void **state)
{
	static const char *const bad[] = { "", ",", "1,", ",1", "a", "1-", "3-1", "1 ",
		" 1", "-1", "1--2", "1;2", "99999", "99999999999999999999", "1,b" };
	struct sp_err err = { 0 };
	int cpus[4];
	size_t n = 77, i;

	(void)state;
	assert_int_equal(cpuplan_list_parse("1,3-4", cpus, 4, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_int_equal(cpus[0], 1);
	assert_int_equal(cpus[2], 4);
	assert_int_equal(cpuplan_list_parse("7", cpus, 4, &n, &err), 0);
	assert_int_equal(n, 1);
	for (i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		assert_int_equal(
			cpuplan_list_parse(bad[i], cpus, 4, &n, &err), -SP_EUSAGE);
	assert_int_equal(cpuplan_list_parse("0-4", cpus, 4, &n, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "more than 4 CPUs"));
	assert_int_equal(n, 1);
}

/* The real machine: what is chosen is in our affinity. */
static void test_live(void **state)
{
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	struct cpuplan p = { 0 };
	struct sp_err err = { 0 };
	cpu_set_t set;

	(void)state;
	assert_int_equal(sched_getaffinity(0, sizeof(set), &set), 0);
	assert_int_equal(cpuplan_make(&any, root, &p, &err), 0);
	assert_true(CPU_ISSET((size_t)p.sut[0], &set));
	assert_true(CPU_ISSET((size_t)p.cpu_gen, &set));
	assert_true(CPU_ISSET((size_t)p.cpu_recv, &set));
	assert_true(CPU_ISSET((size_t)p.cpu_collect, &set));
	if (CPU_COUNT(&set) > 1)
		assert_int_not_equal(p.sut[0], p.cpu_gen);
	(void)close(root);
}

int main(void)
{
#define ON_MACHINE(test)                                                               \
	cmocka_unit_test_setup_teardown(test, roottree_setup, roottree_teardown)
	const struct CMUnitTest tests[] = {
		ON_MACHINE(test_one_cpu),
		ON_MACHINE(test_two_cpus),
		ON_MACHINE(test_two_threads_of_one_core),
		ON_MACHINE(test_smt_sibling_stays_idle),
		ON_MACHINE(test_as_asked),
		ON_MACHINE(test_not_allowed),
		cmocka_unit_test(test_list),
		cmocka_unit_test(test_live),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
