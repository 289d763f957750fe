/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The shared counters: writer to reader, replacement, files that are none. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "sut/forward_stats.h"

struct fixture {
	char dir[64];
	char path[96];
};

static int fixture_make(void **state)
{
	struct fixture *f = test_calloc(1, sizeof(*f));

	(void)snprintf(f->dir, sizeof(f->dir), "/tmp/satprof-test-XXXXXX");
	if (mkdtemp(f->dir) == NULL)
		return -1;
	(void)snprintf(f->path, sizeof(f->path), "%s/stats", f->dir);
	*state = f;
	return 0;
}

static int fixture_remove(void **state)
{
	struct fixture *f = *state;

	(void)unlink(f->path);
	/* Fails, and with it the test, if a temporary file was left behind. */
	if (rmdir(f->dir) != 0)
		return -1;
	test_free(f);
	return 0;
}

/* A different number in every counter. */
static void counts_fill(struct forward_counts *c, uint64_t base)
{
	size_t d;

	*c = (struct forward_counts){ .n_dirs = 2,
		.polls = base + 1,
		.empty_polls = base + 2,
		.empty_poll_ns = base + 3,
		.updated_ns = base + 4 };
	for (d = 0; d < 2; d++) {
		struct forward_dir_counts *dir = &c->dirs[d];

		base += 100;
		*dir = (struct forward_dir_counts){ base + 1, base + 2, base + 3,
			base + 4, base + 5, base + 6, base + 7, base + 8 };
	}
}

static void reader_sees_what_writer_wrote(void **state)
{
	struct fixture *f = *state;
	struct forward_stats *writer = NULL, *reader = NULL;
	struct forward_counts want, got;
	struct sp_err err = { .code = SP_OK };
	uint64_t base;

	assert_int_equal(forward_stats_create(f->path, 2, &writer, &err), 0);
	assert_int_equal(forward_stats_open(f->path, &reader, &err), 0);
	forward_stats_read(reader, &got);
	assert_int_equal(got.n_dirs, 2);
	assert_int_equal(got.dirs[1].csum_fixed, 0);
	for (base = 0; base < 3; base++) {
		counts_fill(&want, base * 1000);
		forward_stats_write(writer, &want);
		memset(&got, 0xff, sizeof(got));
		forward_stats_read(reader, &got);
		assert_memory_equal(&got, &want, sizeof(want));
	}
	forward_stats_close(writer);
	/* The file outlives its writer: the last counts can still be had. */
	forward_stats_read(reader, &got);
	assert_memory_equal(&got, &want, sizeof(want));
	forward_stats_close(reader);
}

static void new_writer_leaves_old_reader_alone(void **state)
{
	struct fixture *f = *state;
	struct forward_stats *a = NULL, *b = NULL, *reader = NULL;
	struct forward_counts want, other, got;
	struct sp_err err = { .code = SP_OK };

	assert_int_equal(forward_stats_create(f->path, 2, &a, &err), 0);
	counts_fill(&want, 1000);
	forward_stats_write(a, &want);
	assert_int_equal(forward_stats_open(f->path, &reader, &err), 0);
	assert_int_equal(forward_stats_create(f->path, 1, &b, &err), 0);
	counts_fill(&other, 9000);
	forward_stats_write(b, &other);
	forward_stats_read(reader, &got);
	assert_memory_equal(&got, &want, sizeof(want));
	forward_stats_close(reader);
	assert_int_equal(forward_stats_open(f->path, &reader, &err), 0);
	forward_stats_read(reader, &got);
	assert_int_equal(got.n_dirs, 1);
	assert_int_equal(got.dirs[0].rx_packets, other.dirs[0].rx_packets);
	forward_stats_close(reader);
	forward_stats_close(a);
	forward_stats_close(b);
}

static void what_is_no_stats_file_is_refused(void **state)
{
	struct fixture *f = *state;
	struct forward_stats *s = NULL;
	struct sp_err err = { .code = SP_OK };
	FILE *file;
	int i;

	assert_int_equal(forward_stats_open(f->path, &s, &err), -SP_EIO);
	assert_non_null(strstr(err.msg, f->path));
	file = fopen(f->path, "w");
	assert_non_null(file);
	assert_int_equal(fflush(file), 0);
	assert_int_equal(forward_stats_open(f->path, &s, &err), -SP_EFORMAT);
	for (i = 0; i < 4096; i++)
		(void)fputc('x', file);
	assert_int_equal(fclose(file), 0);
	assert_int_equal(forward_stats_open(f->path, &s, &err), -SP_EFORMAT);
	assert_null(s);
}

static void private_counters_and_bad_path(void **state)
{
	struct fixture *f = *state;
	struct forward_stats *s = NULL;
	struct forward_counts want, got;
	struct sp_err err = { .code = SP_OK };
	char bad[128];

	assert_int_equal(forward_stats_create(NULL, 2, &s, &err), 0);
	counts_fill(&want, 7);
	forward_stats_write(s, &want);
	forward_stats_read(s, &got);
	assert_memory_equal(&got, &want, sizeof(want));
	forward_stats_close(s);
	s = NULL;
	(void)snprintf(bad, sizeof(bad), "%s/none/stats", f->dir);
	assert_int_equal(forward_stats_create(bad, 1, &s, &err), -SP_EIO);
	assert_null(s);
	forward_stats_close(NULL);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			reader_sees_what_writer_wrote, fixture_make, fixture_remove),
		cmocka_unit_test_setup_teardown(new_writer_leaves_old_reader_alone,
			fixture_make, fixture_remove),
		cmocka_unit_test_setup_teardown(
			what_is_no_stats_file_is_refused, fixture_make, fixture_remove),
		cmocka_unit_test_setup_teardown(
			private_counters_and_bad_path, fixture_make, fixture_remove),
	};

	return cmocka_run_group_tests_name("forward_stats", tests, NULL, NULL);
}
