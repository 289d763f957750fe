/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The journal of changed settings as a file: what is kept, what is removed, what
 * is never believed. Real interfaces are in tests/e2e/restore.bats.
 */
#include "config.h"

#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/restore.h"

struct fixture {
	char path[64];
	int dir_fd;
	char head[96]; /* of this boot */
	unsigned long netns_ino;
};

static int setup(void **state)
{
	struct fixture *f = calloc(1, sizeof(*f));
	char boot[37] = "";
	struct stat st;
	FILE *in;

	assert_non_null(f);
	(void)snprintf(f->path, sizeof(f->path), "/tmp/satprof-test-XXXXXX");
	assert_non_null(mkdtemp(f->path));
	f->dir_fd = open(f->path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	assert_true(f->dir_fd >= 0);
	in = fopen("/proc/sys/kernel/random/boot_id", "r");
	assert_non_null(in);
	assert_non_null(fgets(boot, sizeof(boot), in));
	(void)fclose(in);
	(void)snprintf(f->head, sizeof(f->head), "satprof-restore 1 %s\n", boot);
	assert_int_equal(stat("/proc/self/ns/net", &st), 0);
	f->netns_ino = st.st_ino;
	*state = f;
	return 0;
}

static int teardown(void **state)
{
	struct fixture *f = *state;

	(void)unlinkat(f->dir_fd, "restore-1-0", 0);
	(void)close(f->dir_fd);
	assert_int_equal(rmdir(f->path), 0); /* else a test left something */
	free(f);
	return 0;
}

static void journal_put(const struct fixture *f, const char *head, const char *lines)
{
	int fd = openat(f->dir_fd, "restore-1-0", O_WRONLY | O_CREAT | O_TRUNC, 0600);

	assert_true(fd >= 0);
	assert_int_equal(write(fd, head, strlen(head)), strlen(head));
	assert_int_equal(write(fd, lines, strlen(lines)), strlen(lines));
	(void)close(fd);
}

/* The journal's text, or "" when it is gone. */
static const char *journal_get(const struct fixture *f, char *buf, size_t len)
{
	int fd = openat(f->dir_fd, "restore-1-0", O_RDONLY);
	ssize_t n = fd < 0 ? 0 : read(fd, buf, len - 1);

	assert_true(n >= 0);
	buf[n] = '\0';
	if (fd >= 0)
		(void)close(fd);
	return buf;
}

static void lines_go_both_ways(void **state)
{
	const char *line = "offload 4026531833 12 enp3s0f0 tx-udp-segmentation 1";
	struct restore_item item;
	char buf[160];

	(void)state;
	assert_true(restore_item_parse(line, &item));
	assert_int_equal(item.netns_ino, UINT64_C(4026531833));
	assert_int_equal(item.ifindex, 12);
	assert_string_equal(item.ifname, "enp3s0f0");
	assert_string_equal(item.feature, "tx-udp-segmentation");
	assert_true(item.old_on);
	restore_item_format(&item, buf, sizeof(buf));
	assert_string_equal(buf, line);
}

static void other_lines_are_not_believed(void **state)
{
	static const char *const lines[] = { "", "offload", "offload 1 2 eth0 rx-gro",
		"offload 1 2 eth0 rx-gro 2", "offload 1 2 eth0 rx-gro -1",
		"offload 1 0 eth0 rx-gro 1", "offload 1 -3 eth0 rx-gro 1",
		"offload x 2 eth0 rx-gro 1", "offload 1 2 eth0 rx-gro 1 more",
		"offload 1 2 a-name-that-is-too-long rx-gro 1",
		"qdisc 1 2 eth0 rx-gro 1" };
	struct restore_item item;
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(lines) / sizeof(lines[0]); i++)
		assert_false(restore_item_parse(lines[i], &item));
}

static void journal_lives_as_long_as_its_run(void **state)
{
	struct fixture *f = *state;
	struct sp_err err = { .code = SP_OK };
	struct restore *a = NULL, *b = NULL;
	char name[64];
	size_t n = 99;

	assert_int_equal(restore_begin(f->dir_fd, &a, &err), 0);
	assert_int_equal(restore_begin(f->dir_fd, &b, &err), 0);
	/* Living runs are left alone. */
	assert_int_equal(restore_pending(f->dir_fd, &n, &err), 0);
	assert_int_equal(n, 0);
	(void)snprintf(name, sizeof(name), "restore-%d-0", (int)getpid());
	assert_int_equal(faccessat(f->dir_fd, name, F_OK, 0), 0);
	assert_int_equal(restore_undo(a, &err), 0);
	assert_int_not_equal(faccessat(f->dir_fd, name, F_OK, 0), 0);
	assert_int_equal(restore_undo(b, &err), 0);
	assert_int_equal(restore_undo(NULL, &err), 0);
}

static void journal_of_another_boot_is_removed(void **state)
{
	struct fixture *f = *state;
	struct sp_err err = { .code = SP_OK };
	char line[128], buf[512];
	size_t n = 99;

	(void)snprintf(line, sizeof(line), "offload %lu 1 lo rx-gro 0\n", f->netns_ino);
	journal_put(
		f, "satprof-restore 1 00000000-0000-0000-0000-000000000000\n", line);
	assert_int_equal(restore_pending(f->dir_fd, &n, &err), 0);
	assert_int_equal(n, 0);
	assert_string_equal(journal_get(f, buf, sizeof(buf)), "");
}

static void journal_of_garbage_is_removed(void **state)
{
	struct fixture *f = *state;
	struct sp_err err = { .code = SP_OK };
	char buf[512];
	size_t n = 99;

	journal_put(f, "", "");
	assert_int_equal(restore_pending(f->dir_fd, &n, &err), 0);
	assert_string_equal(journal_get(f, buf, sizeof(buf)), "");
	journal_put(f, f->head, "offload 1 2\nnonsense\n\n\noffl");
	assert_int_equal(restore_pending(f->dir_fd, &n, &err), 0);
	assert_int_equal(n, 0);
	assert_string_equal(journal_get(f, buf, sizeof(buf)), "");
}

static void interface_that_is_gone_needs_nothing(void **state)
{
	struct fixture *f = *state;
	struct sp_err err = { .code = SP_OK };
	char lines[160], buf[512];
	size_t n = 99;

	/* The second name exists, as another interface: it must not be touched. */
	(void)snprintf(lines, sizeof(lines),
		"offload %lu 2 no-such-if rx-gro 0\noffload %lu 987654 lo rx-gro 0\n",
		f->netns_ino, f->netns_ino);
	journal_put(f, f->head, lines);
	assert_int_equal(restore_pending(f->dir_fd, &n, &err), 0);
	assert_string_equal(journal_get(f, buf, sizeof(buf)), "");
}

static void other_namespaces_wait_for_their_turn(void **state)
{
	struct fixture *f = *state;
	struct sp_err err = { .code = SP_OK };
	char lines[200], want[300], buf[512];
	size_t n = 99;

	(void)snprintf(lines, sizeof(lines),
		"offload %lu 2 no-such-if rx-gro 0\noffload 7 2 eth0 rx-gro 1\n",
		f->netns_ino);
	journal_put(f, f->head, lines);
	assert_int_equal(restore_pending(f->dir_fd, &n, &err), 0);
	/* Ours is done and forgotten, theirs is kept. */
	(void)snprintf(want, sizeof(want), "%soffload 7 2 eth0 rx-gro 1\n", f->head);
	assert_string_equal(journal_get(f, buf, sizeof(buf)), want);
	assert_int_equal(restore_pending(f->dir_fd, &n, &err), 0);
	assert_string_equal(journal_get(f, buf, sizeof(buf)), want);
}

int main(void)
{
#define T(f) cmocka_unit_test_setup_teardown(f, setup, teardown)
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(lines_go_both_ways),
		cmocka_unit_test(other_lines_are_not_believed),
		T(journal_lives_as_long_as_its_run),
		T(journal_of_another_boot_is_removed),
		T(journal_of_garbage_is_removed),
		T(interface_that_is_gone_needs_nothing),
		T(other_namespaces_wait_for_their_turn),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
