/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Fixtures and counting for the keeper's tests. */
#include "config.h"

#include "keeperhelp.h"

#include <dirent.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "os/proctree.h"

struct keeper *keeperhelp_start(bool weak)
{
	struct keeper_config cfg = { .netns_fd = -1, .weak = weak };
	struct keeper *k = NULL;
	struct sp_err err = { 0 };

	if (keeper_start(&cfg, &k, &err) != 0)
		fail_msg("%s", err.msg);
	return k;
}

int keeperhelp_setup(void **state)
{
	*state = keeperhelp_start(false);
	return 0;
}

int keeperhelp_setup_weak(void **state)
{
	*state = keeperhelp_start(true);
	return 0;
}

/* What a failed test left must not disturb the next. */
int keeperhelp_teardown(void **state)
{
	keeper_stop(*state);
	return 0;
}

void keeperhelp_set_mark(void)
{
	char mark[16];

	(void)snprintf(mark, sizeof(mark), "%07d", (int)getpid());
	assert_int_equal(setenv("MARK", mark, 1), 0);
}

struct keeper_child keeperhelp_spawn_sh(
	struct keeper *k, const char *script, int out_fd)
{
	char *argv[] = { WORD("sh"), WORD("-c"), (char *)(uintptr_t)script, NULL };
	struct keeper_cmd cmd = { .argv = argv, .output_fd = out_fd };
	struct keeper_child c = { 0 };
	struct sp_err err = { 0 };

	if (keeper_spawn(k, &cmd, &c, &err) != 0)
		fail_msg("%s", err.msg);
	return c;
}

char *keeperhelp_contents(int fd, char *buf, size_t len)
{
	ssize_t n = pread(fd, buf, len - 1, 0);

	assert_true(n >= 0);
	buf[n] = '\0';
	return buf;
}

void keeperhelp_wait_for_text(int fd, const char *text)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + KEEPERHELP_LIMIT_NS;
	char buf[512];

	while (strstr(keeperhelp_contents(fd, buf, sizeof(buf)), text) == NULL) {
		if (clock_now_ns(&clock_monotonic) > deadline_ns)
			fail_msg("no '%s' in '%s'", text, buf);
		(void)usleep(2000);
	}
}

int keeperhelp_count_marked(int n_mark)
{
	const char *mark = getenv("MARK");
	char path[64], buf[1024], word[64];
	int root = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC), n = 0;
	DIR *dir = opendir("/proc");
	const struct dirent *e;
	ssize_t len, i;

	assert_true(root >= 0);
	assert_non_null(dir);
	(void)snprintf(word, sizeof(word), "sleep %d%s", n_mark, mark);
	while ((e = readdir(dir)) != NULL) {
		if (e->d_name[0] < '0' || e->d_name[0] > '9')
			continue;
		(void)snprintf(path, sizeof(path), "proc/%.20s/cmdline", e->d_name);
		len = proctree_read_file(root, path, buf, sizeof(buf));
		for (i = 0; i < len; i++)
			if (buf[i] == '\0')
				buf[i] = ' ';
		if (len > 0 && strstr(buf, word) != NULL)
			n++;
	}
	(void)closedir(dir);
	(void)close(root);
	return n;
}

int keeperhelp_ms_until_none(int n_mark, int limit_ms)
{
	uint64_t t0_ns = clock_now_ns(&clock_monotonic), ms;

	do {
		if (keeperhelp_count_marked(n_mark) == 0)
			return (int)((clock_now_ns(&clock_monotonic) - t0_ns) /
				     NS_PER_MS);
		(void)usleep(5000);
		ms = (clock_now_ns(&clock_monotonic) - t0_ns) / NS_PER_MS;
	} while (ms < (uint64_t)limit_ms);
	return -1;
}

void keeperhelp_wait_for_marked(int n_mark, int at_least)
{
	uint64_t deadline_ns = clock_now_ns(&clock_monotonic) + KEEPERHELP_LIMIT_NS;

	while (keeperhelp_count_marked(n_mark) < at_least) {
		if (clock_now_ns(&clock_monotonic) > deadline_ns)
			fail_msg("only %d with mark %d",
				keeperhelp_count_marked(n_mark), n_mark);
		(void)usleep(2000);
	}
}
