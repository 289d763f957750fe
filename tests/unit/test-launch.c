/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A process is launched with what another one was: it comes out as it went in. */
#include "config.h"

#include <fcntl.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/personality.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cmocka.h>

#include "keeperhelp.h"
#include "os/launch.h"

struct fixture {
	struct keeper *k;
	int root_fd;
	struct launch l; /* this process's own, and a little more */
};

static void launch_choose(struct fixture *f)
{
	static char a[] = "A=1", empty[] = "EMPTY=", odd[] = "B=x \'y\'\n= z",
		    path[] = "PATH=/usr/bin:/bin", cwd[] = "/usr";
	static char *env[] = { odd, path, empty, a, NULL };
	struct sp_err err = { .code = SP_OK };
	struct launch own;

	if (launch_read(f->root_fd, getpid(), &own, &err) != 0)
		fail_msg("%s", err.msg);
	f->l = (struct launch){ .env = env, .cwd = cwd, .set = own.set };
	if (f->l.set.nice < 19)
		f->l.set.nice++;
	f->l.set.limits[RLIMIT_NOFILE].rlim_cur = 123;
	f->l.set.limits[RLIMIT_CORE].rlim_cur = 0;
	f->l.set.personality |= ADDR_NO_RANDOMIZE;
	launch_done(&own);
}

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));

	assert_non_null(f);
	f->k = keeperhelp_start(false);
	f->root_fd = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->root_fd >= 0);
	launch_choose(f);
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	keeper_stop(f->k);
	(void)close(f->root_fd);
	free(f);
	return 0;
}

static void what_went_in_comes_out(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { WORD("sleep"), WORD("60"), NULL };
	struct keeper_cmd cmd = { .argv = argv, .launch = &f->l };
	struct sp_err err = { .code = SP_OK };
	struct keeper_child c;
	struct launch got;
	int status, i;

	if (keeper_spawn(f->k, &cmd, &c, &err) != 0)
		fail_msg("%s", err.msg);
	if (launch_read(f->root_fd, c.pid, &got, &err) != 0)
		fail_msg("%s", err.msg);
	for (i = 0; f->l.env[i] != NULL; i++) {
		assert_non_null(got.env[i]);
		assert_string_equal(got.env[i], f->l.env[i]);
	}
	assert_null(got.env[i]);
	assert_string_equal(got.cwd, "/usr");
	assert_int_equal(got.set.nice, f->l.set.nice);
	assert_int_equal(got.set.policy, f->l.set.policy);
	assert_true(got.set.personality == f->l.set.personality);
	for (i = 0; i < (int)RLIM_NLIMITS; i++) {
		assert_true(got.set.limits[i].rlim_cur == f->l.set.limits[i].rlim_cur);
		assert_true(got.set.limits[i].rlim_max == f->l.set.limits[i].rlim_max);
	}
	launch_done(&got);
	assert_int_equal(keeper_end_child(f->k, c.id, 0, &status, &err), 0);
}

static void the_program_has_it(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { WORD("sh"), WORD("-c"),
		WORD("echo \"$A|$EMPTY|$(pwd)|$(nice)|$(ulimit -n)|${MARK-none}\""),
		NULL };
	int fd = open("/tmp", O_TMPFILE | O_RDWR | O_CLOEXEC, 0600), status = -1;
	struct keeper_cmd cmd = { .argv = argv, .launch = &f->l, .output_fd = fd };
	struct sp_err err = { .code = SP_OK };
	char want[64], buf[128];

	assert_true(fd > 0);
	assert_int_equal(keeper_run(f->k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), 0);
	assert_int_equal(status, 0);
	(void)snprintf(want, sizeof(want), "1||/usr|%d|123|none\n", f->l.set.nice);
	assert_string_equal(keeperhelp_contents(fd, buf, sizeof(buf)), want);
	/* And the next one has what the keeper has. */
	cmd.launch = NULL;
	argv[2] = WORD("exec test -n \"$MARK\"");
	assert_int_equal(keeper_run(f->k, &cmd, KEEPERHELP_LIMIT_NS, &status, &err), 0);
	assert_int_equal(status, 0);
	(void)close(fd);
}

static void what_is_refused_is_said(void **state)
{
	struct fixture *f = *state;
	char *argv[] = { WORD("true"), NULL };
	struct keeper_cmd cmd = { .argv = argv, .launch = &f->l };
	struct sp_err err = { .code = SP_OK };
	struct keeper_child c;
	struct launch got;

	f->l.cwd = WORD("/no/such/folder");
	assert_int_equal(keeper_spawn(f->k, &cmd, &c, &err), -SP_EENV);
	assert_non_null(strstr(err.msg, "cannot be given that working directory"));
	assert_int_equal(launch_read(f->root_fd, 0x3ffffff, &got, &err), -SP_EENV);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			what_went_in_comes_out, setup, teardown),
		cmocka_unit_test_setup_teardown(the_program_has_it, setup, teardown),
		cmocka_unit_test_setup_teardown(
			what_is_refused_is_said, setup, teardown),
	};

	keeperhelp_set_mark();
	return cmocka_run_group_tests_name("launch", tests, NULL, NULL);
}
