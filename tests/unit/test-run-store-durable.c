/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Which commits of a run file wait for the disk: SQLite's syncs are counted here. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

#include <cmocka.h>

#include "../fixture/store_box.h"
#include "codec/run_store.h"

static unsigned n_syncs;

/* In place of the C library's, for SQLite, too. */
__attribute__((visibility("default"))) int fsync(int fd)
{
	(void)fd;
	n_syncs++;
	return 0;
}

__attribute__((visibility("default"))) int fdatasync(int fd)
{
	return fsync(fd);
}

/* Syncs while trials from first on are added. */
static unsigned syncs_of(
	struct run_store *s, const struct run *run, size_t first, size_t n)
{
	unsigned before = n_syncs;
	struct sp_err err;
	size_t i;

	for (i = first; i < first + n; i++)
		OK(run_store_add_trial(s, run, &run->trials[i], &err));
	return n_syncs - before;
}

static void a_trial_waits_for_the_disk_unless_told_not_to(void **state)
{
	const struct store_box *b = *state;
	struct run_store *s = NULL;
	struct run *run = NULL;
	struct sp_err err;
	unsigned before;

	OK(run_store_create(b->path, b->run, &s, &err));
	/* Journal, file and folder, for each. */
	assert_true(syncs_of(s, b->run, 0, 2) >= 6);
	OK(run_store_set_durable(s, false, &err));
	assert_int_equal(syncs_of(s, b->run, 2, 3), 0);
	assert_int_equal(store_box_trials(b), 5); /* others see them */
	before = n_syncs;
	OK(run_store_set_durable(s, true, &err));
	OK(run_store_update(s, b->run, &err));
	assert_true(n_syncs - before >= 2);
	run_store_close(s);
	OK(run_store_resume(b->path, &s, &run, &err));
	before = n_syncs;
	OK(run_store_update(s, run, &err)); /* as it is opened */
	assert_true(n_syncs - before >= 3);
	run_free(run);
	run_store_close(s);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			a_trial_waits_for_the_disk_unless_told_not_to, store_box_open,
			store_box_close),
	};

	return cmocka_run_group_tests_name("run-store-durable", tests, NULL, NULL);
}
