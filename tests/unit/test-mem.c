/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Allocation that cannot fail: zeroed, growing, and ending the program. */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/mem.h"

static void calloc_is_zeroed_and_never_null(void **state)
{
	char *p = xcalloc(64, 64);
	char *none = xcalloc(0, 8);
	size_t i;

	(void)state;
	for (i = 0; i < 64 * 64; i++)
		assert_int_equal(p[i], 0);
	assert_non_null(none);
	free(p);
	free(none);
}

static void strings(void **state)
{
	char *a = xstrdup("abc");
	char *b = xasprintf("%s-%d", a, 42);

	(void)state;
	assert_string_equal(b, "abc-42");
	free(a);
	free(b);
}

static void grow_keeps_and_zeroes(void **state)
{
	uint32_t *v = NULL;
	size_t n, cap = 0, i, n_moves = 0;

	(void)state;
	for (n = 0; n < 10000; n++) {
		size_t before = cap;

		v = xgrow(v, n, &cap, sizeof(*v));
		n_moves += cap != before;
		assert_true(cap > n);
		assert_int_equal(v[n], 0);
		v[n] = (uint32_t)n + 1;
	}
	for (i = 0; i < n; i++)
		assert_int_equal(v[i], i + 1);
	for (; i < cap; i++)
		assert_int_equal(v[i], 0);
	assert_true(n_moves < 16); /* doubling */
	free(v);
}

/* n * size past SIZE_MAX must end the program, not give a small block. */
static void overflow_ends_the_program(void **state)
{
	volatile size_t huge = SIZE_MAX / 4;
	int status = 0, which;
	pid_t pid;

	(void)state;
	for (which = 0; which < 2; which++) {
		pid = fork();
		assert_true(pid >= 0);
		if (pid == 0) {
			const struct rlimit no_core = { 0, 0 };
			int fd = open("/dev/null", O_WRONLY);

			(void)setrlimit(RLIMIT_CORE, &no_core);
			(void)dup2(fd, STDERR_FILENO);
			if (which == 0)
				free(xcalloc(huge, 8));
			else
				free(xreallocarray(NULL, huge, 8));
			_exit(0);
		}
		assert_true(waitpid(pid, &status, 0) == pid);
		/* abort(), or a sanitizer's own exit before it */
		assert_true(WIFSIGNALED(status) || WEXITSTATUS(status) != 0);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(calloc_is_zeroed_and_never_null),
		cmocka_unit_test(strings),
		cmocka_unit_test(grow_keeps_and_zeroes),
		cmocka_unit_test(overflow_ends_the_program),
	};

	return cmocka_run_group_tests_name("mem", tests, NULL, NULL);
}
