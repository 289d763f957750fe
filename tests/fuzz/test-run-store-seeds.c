/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The seeds of fuzz_run_store are what they are meant to be: a sound file of today's
 * schema, and others that are wrong in one way each. A seed of yesterday's schema
 * would be refused at the door and teach a fuzzer nothing. UPDATE_GOLDEN=1 in the
 * environment makes them anew, with small pages.
 */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "../fixture/store_box.h"
#include "base/mem.h"
#include "codec/run_store.h"

#define PAGE_BYTES 512

static const struct seed {
	const char *name;
	const char *change;  /* statements; NULL: none */
	size_t n_bytes;      /* only so many of them; 0: all */
	const char *message; /* what load says; NULL: it loads */
} seeds[] = {
	{ "valid", NULL, 0, NULL },
	{ "future", "PRAGMA user_version = 99", PAGE_BYTES, "newer satprof" },
	{ "stranger", "PRAGMA application_id = 1", PAGE_BYTES, "not a satprof" },
	{ "header-only", NULL, 150, "damaged" },
	{ "half", NULL, 20 * PAGE_BYTES, "damaged" },
	{ "view",
		"DROP TABLE note; CREATE VIEW note AS WITH RECURSIVE n(i) AS (VALUES (1)"
		" UNION ALL SELECT i + 1 FROM n) SELECT i AS pos, 'x' AS text FROM n",
		0, "its tables are not" },
	{ "cycle", "UPDATE stack_node SET parent = id WHERE id > 0", 0, "not there" },
	{ "negative", "UPDATE trial SET window_pkts = -1", 0, "out of range" },
	{ "page-loop", NULL, 0, "does not fit" },
};

#define N_SEEDS (sizeof(seeds) / sizeof(seeds[0]))

static char *seed_path(const char *name)
{
	const char *top = getenv("top_srcdir");

	return xasprintf(
		"%s/tests/fuzz/corpus/run_store/%s", top != NULL ? top : ".", name);
}

/* Page 2 becomes an inner page whose right-most child is itself. */
static void page_loop_make(unsigned char *bytes)
{
	unsigned char *page = bytes + PAGE_BYTES;

	page[0] = 5; /* inner table page */
	page[3] = page[4] = 0;
	page[8] = page[9] = page[10] = 0;
	page[11] = 2;
}

static void seed_make(const struct store_box *b, const struct seed *s)
{
	char *path = seed_path(s->name);
	unsigned char *bytes;
	size_t n;

	store_box_make(b, 3);
	store_box_sql(b->path, "PRAGMA page_size = 512; VACUUM");
	if (s->change != NULL)
		store_box_sql(b->path, s->change);
	bytes = store_box_get(b->path, &n);
	if (strcmp(s->name, "page-loop") == 0)
		page_loop_make(bytes);
	assert_true(n > s->n_bytes);
	store_box_put(path, bytes, s->n_bytes > 0 ? s->n_bytes : n);
	free(bytes);
	free(path);
	assert_int_equal(remove(b->path), 0);
}

static void seeds_are_what_they_are_meant_to_be(void **state)
{
	const struct store_box *b = *state;
	struct sp_err err;
	size_t i;

	for (i = 0; i < N_SEEDS; i++) {
		char *path = seed_path(seeds[i].name);
		struct run *run = NULL;

		if (getenv("UPDATE_GOLDEN") != NULL)
			seed_make(b, &seeds[i]);
		if (seeds[i].message != NULL) {
			store_box_load_fails(path, SP_EFORMAT, seeds[i].message);
		} else {
			OK(run_store_load(path, &run, &err));
			assert_int_equal(run->n_trials, 3);
			assert_non_null(run->profile);
			run_free(run);
		}
		free(path);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(seeds_are_what_they_are_meant_to_be,
			store_box_open, store_box_close),
	};

	return cmocka_run_group_tests_name("run-store-seeds", tests, NULL, NULL);
}
