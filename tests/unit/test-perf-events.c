/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Event names, periods, ring sizes, readings, and what refusals mean. */
#include "config.h"

#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/clock.h"
#include "observe/perf_counts.h"
#include "observe/perf_events.h"
#include "os/perf_hw.h"
#include "os/perf_open.h"
#include "os/perf_period.h"
#include "os/perf_ring.h"
#include "os/pfm.h"

/* Primes around 1e9 / HZ, from the sieve of primesieve(1). */
static void test_period_is_nearest_prime(void **state)
{
	(void)state;
	assert_int_equal(perf_period_choose(1e9, 997), 1003003);  /* wants 1003009 */
	assert_int_equal(perf_period_choose(1e9, 100), 9999991);  /* wants 10^7 */
	assert_int_equal(perf_period_choose(1e9, 1), 1000000007); /* wants 10^9 */
	assert_int_equal(perf_period_choose(1e9, 1e5), 10007);    /* wants 10^4 */
	assert_int_equal(perf_period_choose(3e9, 3e9), 2);
	assert_int_equal(perf_period_choose(8, 1), 7); /* 7 and 9: the prime one */
	assert_int_equal(perf_period_choose(9, 1), 7); /* 7 and 11: the lower one */
	assert_int_equal(perf_period_choose(1, 1000), 2);
}

static void test_period_is_prime(void **state)
{
	double hz;

	(void)state;
	for (hz = 1; hz <= 100000; hz = hz * 1.37 + 1) {
		uint64_t p = perf_period_choose(1e9, hz), d;

		assert_true((double)p / (1e9 / hz) > 0.99);
		assert_true((double)p / (1e9 / hz) < 1.01);
		for (d = 2; d * d <= p; d++)
			assert_true(p % d != 0);
	}
}

static void test_ring_size(void **state)
{
	size_t n = perf_ring_size_bytes(2 * NS_PER_S, 997, 500);

	(void)state;
	assert_int_equal(n, 1 << 20); /* 997 KB of samples and a little more */
	assert_int_equal(perf_ring_size_bytes(NS_PER_S, 1, 500), 64 << 10);
	assert_int_equal(perf_ring_size_bytes(3600 * NS_PER_S, 1e5, 500), 256 << 20);
}

static void test_generic_names(void **state)
{
	struct pfm_event ev;
	struct sp_err err;

	(void)state;
	assert_int_equal(pfm_event_encode("cycles", &ev, &err), 0);
	assert_int_equal(ev.attr.type, PERF_TYPE_HARDWARE);
	assert_int_equal(ev.attr.config, PERF_COUNT_HW_CPU_CYCLES);
	assert_false(ev.is_software);
	assert_int_equal(pfm_event_encode("Context-Switches", &ev, &err), 0);
	assert_int_equal(ev.attr.type, PERF_TYPE_SOFTWARE);
	assert_int_equal(ev.attr.config, PERF_COUNT_SW_CONTEXT_SWITCHES);
	assert_true(ev.is_software);
	assert_int_equal(pfm_event_encode("instructions:k", &ev, &err), 0);
	assert_int_equal(ev.attr.exclude_user, 1);
	assert_int_equal(ev.attr.exclude_kernel, 0);
}

static void test_raw_names(void **state)
{
	struct pfm_event ev;
	struct sp_err err;

	(void)state;
	assert_int_equal(pfm_event_encode("r01c0", &ev, &err), 0);
	assert_int_equal(ev.attr.type, PERF_TYPE_RAW);
	assert_int_equal(ev.attr.config, 0x1c0);
	assert_int_equal(pfm_event_encode("r8000:u", &ev, &err), 0);
	assert_int_equal(ev.attr.config, 0x8000);
	assert_int_equal(ev.attr.exclude_kernel, 1);
	assert_int_equal(pfm_event_encode("r", &ev, &err), -SP_EUSAGE);
	assert_int_equal(pfm_event_encode("r12345678901234567", &ev, &err), -SP_EUSAGE);
}

/* main() sets LIBPFM_ENCODE_INACTIVE, so that tables of absent PMUs encode.
 * Codes: Intel SDM 19.2, INST_RETIRED.ANY_P c0/00; AMD PPR 19h, PMCx0C0. */
static void test_libpfm_names(void **state)
{
	struct pfm_event ev;
	struct sp_err err;

	(void)state;
	assert_int_equal(pfm_event_encode("skx::inst_retired:any_p", &ev, &err), 0);
	assert_int_equal(ev.attr.config, 0xc0);
	assert_int_equal(ev.attr.exclude_guest, 0); /* guests are work, too */
	assert_int_equal(
		pfm_event_encode("spr::cpu_clk_unhalted.thread", &ev, &err), 0);
	assert_int_equal(
		pfm_event_encode("amd64_fam19h_zen4::retired_ops:u", &ev, &err), 0);
	assert_int_equal(ev.attr.config, 0xc1);
	assert_int_equal(ev.attr.exclude_kernel, 1);
}

static void test_unknown_names(void **state)
{
	struct pfm_event ev;
	struct sp_err err;
	char longest[10001];

	(void)state;
	assert_int_equal(pfm_event_encode("cylces", &ev, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "did you mean 'cycles'"));
	assert_int_equal(pfm_event_encode("skx::cpu_clk_unhalted.thread", &ev, &err),
		-SP_EUSAGE);
	assert_non_null(strstr(err.msg, "THREAD_P"));
	assert_int_equal(
		pfm_event_encode("skx::inst_retird:any_p", &ev, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "INST_RETIRED"));
	assert_int_equal(pfm_event_encode("", &ev, &err), -SP_EUSAGE);
	memset(longest, 'x', sizeof(longest) - 1);
	longest[sizeof(longest) - 1] = '\0';
	assert_int_equal(pfm_event_encode(longest, &ev, &err), -SP_EUSAGE);
	assert_int_equal(pfm_event_encode("cycles:z", &ev, &err), -SP_EUSAGE);
}

static void test_lists(void **state)
{
	struct pfm_event *ev = NULL;
	struct sp_err err;
	size_t n = 0;

	(void)state;
	assert_int_equal(pfm_list_encode("cycles,r1c0,cpu-clock", &ev, &n, &err), 0);
	assert_int_equal(n, 3);
	assert_string_equal(ev[1].name, "r1c0");
	free(ev);
	assert_int_equal(pfm_list_encode("", &ev, &n, &err), -SP_EUSAGE);
	assert_int_equal(pfm_list_encode("cycles,", &ev, &n, &err), -SP_EUSAGE);
	assert_int_equal(pfm_list_encode("cycles,,r1c0", &ev, &n, &err), -SP_EUSAGE);
}

static void test_plausible(void **state)
{
	(void)state;
	assert_false(perf_hw_is_plausible(395, NS_PER_S)); /* rezolus #1052 */
	assert_false(perf_hw_is_plausible(1000000, 0));
	assert_true(perf_hw_is_plausible(3000000000, NS_PER_S));
	assert_true(perf_hw_is_plausible(8000000, 8 * NS_PER_MS)); /* 1 GHz */
}

static void test_reading_states(void **state)
{
	struct perf_reading r = { .value = 1000, .enabled_ns = 1000 };
	struct perf_reading a = { .value = 10, .enabled_ns = 10, .running_ns = 10 };
	struct perf_reading b = a, d;

	(void)state;
	assert_int_equal(perf_reading_state(&r), COUNTER_NOT_COUNTED);
	r.running_ns = 949;
	assert_int_equal(perf_reading_state(&r), COUNTER_ESTIMATED);
	r.running_ns = 950;
	assert_int_equal(perf_reading_state(&r), COUNTER_OK);
	b.value = 9; /* a counter that runs backwards */
	assert_false(perf_reading_diff(&a, &b, &d));
	b = (struct perf_reading){ .value = 25, .enabled_ns = 30, .running_ns = 20 };
	assert_true(perf_reading_diff(&a, &b, &d));
	assert_int_equal(d.value, 15);
	assert_int_equal(d.enabled_ns, 20);
	assert_int_equal(d.running_ns, 10);
}

static void test_group_read(void **state)
{
	const uint64_t buf[] = { 2, 900, 800, 11, 101, 22, 102 };
	struct perf_group_value v[4];
	uint64_t enabled, running;
	size_t n;

	(void)state;
	assert_true(perf_group_parse(buf, sizeof(buf), &enabled, &running, v, 4, &n));
	assert_int_equal(n, 2);
	assert_int_equal(enabled, 900);
	assert_int_equal(running, 800);
	assert_int_equal(v[1].value, 22);
	assert_int_equal(v[1].id, 102);
	/* 0 bytes: pinned, and pushed off the PMU; -1: the read failed */
	assert_false(perf_group_parse(buf, 0, &enabled, &running, v, 4, &n));
	assert_false(perf_group_parse(buf, -1, &enabled, &running, v, 4, &n));
	assert_false(
		perf_group_parse(buf, sizeof(buf) - 8, &enabled, &running, v, 4, &n));
	assert_false(perf_group_parse(buf, sizeof(buf), &enabled, &running, v, 1, &n));
}

static void explain(int sys_errno, int paranoid, pid_t pid, struct sp_err *err)
{
	struct perf_event_attr attr = { .exclude_kernel = 0 };
	struct perf_open_request req = {
		.attr = &attr, .name = "cycles", .pid = pid, .cpu = 3
	};

	(void)perf_open_explain(err, sys_errno, &req, paranoid, 640);
}

static void test_refusals_in_words(void **state)
{
	struct sp_err err, other;

	(void)state;
	explain(EACCES, 4, -1, &err);
	assert_int_equal(err.code, SP_EPERM);
	assert_non_null(strstr(err.msg, "perf_event_paranoid is 4"));
	assert_non_null(strstr(err.msg, "CAP_PERFMON"));
	assert_non_null(strstr(err.msg, "CPU 3"));
	explain(EMFILE, 2, -1, &err);
	assert_int_equal(err.code, SP_EENV);
	assert_non_null(strstr(err.msg, "640"));
	assert_non_null(strstr(err.msg, "ulimit -n"));
	explain(ENOENT, 2, -1, &err);
	assert_int_equal(err.code, SP_EENV);
	assert_non_null(strstr(err.msg, "PMU"));
	explain(ESRCH, 2, 99, &err);
	assert_int_equal(err.code, SP_EBROKEN);
	explain(EPERM, 2, -1, &err);
	explain(ENOSYS, 2, -1, &other);
	assert_string_not_equal(err.msg, other.msg);
	assert_null(strstr(err.msg, "descriptor"));
}

static void test_states_of_refusals(void **state)
{
	(void)state;
	assert_int_equal(perf_open_state(EACCES), COUNTER_NOT_PERMITTED);
	assert_int_equal(perf_open_state(EPERM), COUNTER_NOT_PERMITTED);
	assert_int_equal(perf_open_state(ENOENT), COUNTER_NOT_SUPPORTED);
	assert_int_equal(perf_open_state(ENOSYS), COUNTER_NOT_SUPPORTED);
	assert_int_equal(perf_open_state(EMFILE), COUNTER_ERROR);
}

/* Make perf_event_open return an errno, as container profiles do. */
static int forbid_perf(int sys_errno)
{
	struct sock_filter code[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_perf_event_open, 0, 1),
		BPF_STMT(BPF_RET | BPF_K,
			SECCOMP_RET_ERRNO | ((uint32_t)sys_errno & SECCOMP_RET_DATA)),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	struct sock_fprog prog = { .len = sizeof(code) / sizeof(code[0]),
		.filter = code };

	if (prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0))
		return -1;
	return prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &prog, 0, 0);
}

/* In a child of its own: the filter cannot be taken off again. 0: as expected. */
static int child_sees(int sys_errno, const char *word)
{
	pid_t pid = fork();
	int status;

	assert_true(pid >= 0);
	if (pid == 0) {
		struct perf_event_attr attr;
		struct perf_open_request req = {
			.attr = &attr, .name = "cpu-clock", .cpu = -1, .group_fd = -1
		};
		struct perf_rights rights;
		struct sp_err err;

		if (forbid_perf(sys_errno))
			_exit(77);
		perf_rights_probe(-1, &rights);
		if (rights.task || rights.cpu_wide || rights.task_errno != sys_errno)
			_exit(1);
		perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
		if (perf_open(&req) >= 0 || errno != sys_errno)
			_exit(2);
		(void)perf_open_explain(&err, sys_errno, &req, rights.paranoid, 1);
		_exit(strstr(err.msg, word) && strstr(err.msg, "seccomp") ? 0 : 3);
	}
	assert_int_equal(waitpid(pid, &status, 0), pid);
	assert_true(WIFEXITED(status));
	return WEXITSTATUS(status);
}

static void test_seccomp(void **state)
{
	(void)state;
	assert_int_equal(child_sees(EPERM, "PERFMON"), 0);
	assert_int_equal(child_sees(ENOSYS, "not there"), 0);
}

/* Out of descriptors: the soft limit goes up to the hard one by itself. */
static void test_descriptor_limit(void **state)
{
	struct rlimit was, low;
	struct perf_rights rights;
	int fds[64];
	size_t n = 0, opened;

	(void)state;
	perf_rights_probe(-1, &rights);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &was), 0);
	low = was;
	low.rlim_cur = 16;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &low), 0);
	for (opened = 0; opened < 64; opened++) {
		struct perf_event_attr attr;
		struct perf_open_request req = {
			.attr = &attr, .name = "cpu-clock", .cpu = -1, .group_fd = -1
		};

		perf_attr_init(&attr, PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_CLOCK);
		attr.exclude_kernel = 1;
		fds[opened] = perf_open(&req);
		n += fds[opened] >= 0;
	}
	/* Where perf is forbidden altogether none opens, and that is no EMFILE. */
	assert_int_equal(n, rights.task ? 64 : 0);
	for (opened = 0; opened < 64; opened++)
		if (fds[opened] >= 0)
			(void)close(fds[opened]);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &was), 0);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_period_is_nearest_prime),
		cmocka_unit_test(test_period_is_prime),
		cmocka_unit_test(test_ring_size),
		cmocka_unit_test(test_generic_names),
		cmocka_unit_test(test_raw_names),
		cmocka_unit_test(test_libpfm_names),
		cmocka_unit_test(test_unknown_names),
		cmocka_unit_test(test_lists),
		cmocka_unit_test(test_plausible),
		cmocka_unit_test(test_reading_states),
		cmocka_unit_test(test_group_read),
		cmocka_unit_test(test_refusals_in_words),
		cmocka_unit_test(test_states_of_refusals),
		cmocka_unit_test(test_seccomp),
		cmocka_unit_test(test_descriptor_limit),
	};

	/* libpfm4's own switch; it reads it once, when it starts. */
	if (setenv("LIBPFM_ENCODE_INACTIVE", "1", 1))
		return 1;
	return cmocka_run_group_tests(tests, NULL, NULL);
}
