/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Profiles: interning keeps rows few, numbers stable and strings apart. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "model/profile.h"

static void a_new_profile_has_a_root(void **state)
{
	struct profile *p = profile_new();

	(void)state;
	assert_int_equal(p->n_nodes, 1);
	assert_int_equal(p->nodes[0].parent, 0);
	assert_int_equal(p->n_cells, 0);
	profile_free(p);
	profile_free(NULL);
}

static void the_same_is_one_row(void **state)
{
	struct profile *p = profile_new();
	char path[] = "/bin/x";
	uint32_t m, s, f, n, t;

	(void)state;
	m = profile_module_intern(p, MODULE_USER, path, "ab");
	s = profile_symbol_intern(p, "f");
	f = profile_frame_intern(p, m, 16);
	n = profile_node_intern(p, 0, f);
	t = profile_thread_intern(p, 1, 2, "fwd");
	path[0] = '?'; /* it was copied */
	assert_int_equal(profile_module_intern(p, MODULE_USER, "/bin/x", "ab"), m);
	assert_int_equal(profile_symbol_intern(p, "f"), s);
	assert_int_equal(profile_frame_intern(p, m, 16), f);
	assert_int_equal(profile_node_intern(p, 0, f), n);
	assert_int_equal(profile_thread_intern(p, 1, 2, "fwd"), t);
	assert_int_equal(p->n_modules, 1);
	assert_int_equal(p->n_symbols, 1);
	assert_int_equal(p->n_frames, 1);
	assert_int_equal(p->n_nodes, 2);
	assert_int_equal(p->n_threads, 1);
	assert_int_equal(p->frames[f].symbol, PROFILE_NO_SYMBOL);
	profile_free(p);
}

/* Each pair differs in one field only, also where texts glue together alike. */
static void what_differs_is_apart(void **state)
{
	struct profile *p = profile_new();
	uint32_t m = profile_module_intern(p, MODULE_USER, "ab", "c");
	uint32_t f;

	(void)state;
	assert_int_not_equal(profile_module_intern(p, MODULE_USER, "a", "bc"), m);
	assert_int_not_equal(profile_module_intern(p, MODULE_USER, "ab", "d"), m);
	assert_int_not_equal(profile_module_intern(p, MODULE_KERNEL, "ab", "c"), m);
	f = profile_frame_intern(p, m, UINT64_MAX);
	assert_int_not_equal(profile_frame_intern(p, m, UINT64_MAX - 1), f);
	assert_int_not_equal(profile_frame_intern(p, m + 1, UINT64_MAX), f);
	assert_int_equal(p->frames[f].offset, UINT64_MAX);
	/* The same frame under another caller is another path. */
	assert_int_not_equal(profile_node_intern(p, profile_node_intern(p, 0, f), f),
		profile_node_intern(p, 0, f));
	assert_int_not_equal(profile_thread_intern(p, 1, 1, "a"),
		profile_thread_intern(p, 1, 1, "b"));
	assert_int_not_equal(profile_thread_intern(p, -1, 1, "a"),
		profile_thread_intern(p, 1, -1, "a"));
	profile_free(p);
}

static void thread_names_are_the_kernels(void **state)
{
	struct profile *p = profile_new();
	uint32_t t = profile_thread_intern(p, 1, 1, "a name that is too long");

	(void)state;
	assert_string_equal(p->threads[t].comm, "a name that is ");
	assert_int_equal(profile_thread_intern(p, 1, 1, "a name that is also"), t);
	profile_free(p);
}

static void cells_add_up(void **state)
{
	struct profile *p = profile_new();
	struct profile_cell c = { .trial = 1, .cpu = -1, .n_samples = 2, .weight = 7 };

	(void)state;
	(void)profile_thread_intern(p, 1, 1, "x");
	profile_cell_add(p, &c);
	profile_cell_add(p, &c);
	c.cpu = 0;
	profile_cell_add(p, &c);
	c.trial = 2;
	profile_cell_add(p, &c);
	c.event = 1;
	profile_cell_add(p, &c);
	assert_int_equal(p->n_cells, 4);
	assert_int_equal(p->cells[0].n_samples, 4);
	assert_int_equal(p->cells[0].weight, 14);
	assert_int_equal(p->cells[0].cpu, -1);
	assert_int_equal(p->cells[2].trial, 2);
	assert_int_equal(p->cells[3].event, 1);
	profile_free(p);
}

/* Where a file gave names and no addresses, the names are what tells frames apart. */
static void named_frames_are_apart_by_name(void **state)
{
	struct profile *p = profile_new();
	uint32_t m = profile_module_intern(p, MODULE_USER, "/bin/x", "");
	uint32_t f = profile_symbol_intern(p, "f"), g = profile_symbol_intern(p, "g");
	uint32_t plain = profile_frame_intern(p, m, 0);
	uint32_t a = profile_frame_named_intern(p, m, f, 0);

	(void)state;
	assert_int_not_equal(a, plain);
	assert_int_not_equal(profile_frame_named_intern(p, m, g, 0), a);
	assert_int_equal(profile_frame_named_intern(p, m, f, 0), a);
	assert_int_equal(p->n_frames, 3);
	assert_true(p->frames[a].is_named);
	assert_int_equal(p->frames[a].symbol, f);
	assert_false(p->frames[plain].is_named);
	profile_free(p);
}

/* Numbers and rows stay right while the tables grow. */
static void many_rows_stay_right(void **state)
{
	enum { N = 20000 };
	struct profile *p = profile_new();
	uint32_t m = profile_module_intern(p, MODULE_KERNEL, "[kernel]", "");
	uint32_t node = 0, i;
	char name[32];

	(void)state;
	for (i = 0; i < N; i++) {
		(void)snprintf(name, sizeof(name), "function_%u", i);
		assert_int_equal(profile_symbol_intern(p, name), i);
		assert_int_equal(profile_frame_intern(p, m, i * 64), i);
		node = profile_node_intern(p, node, i);
		assert_int_equal(node, i + 1);
	}
	for (i = 0; i < N; i++) {
		(void)snprintf(name, sizeof(name), "function_%u", i);
		assert_int_equal(profile_symbol_intern(p, name), i);
		assert_int_equal(profile_frame_intern(p, m, i * 64), i);
		assert_int_equal(profile_node_intern(p, i, i), i + 1);
		assert_string_equal(p->symbols[i].name, name);
	}
	assert_int_equal(p->n_symbols, N);
	assert_int_equal(p->n_nodes, N + 1);
	profile_free(p);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(a_new_profile_has_a_root),
		cmocka_unit_test(the_same_is_one_row),
		cmocka_unit_test(what_differs_is_apart),
		cmocka_unit_test(thread_names_are_the_kernels),
		cmocka_unit_test(cells_add_up),
		cmocka_unit_test(named_frames_are_apart_by_name),
		cmocka_unit_test(many_rows_stay_right),
	};

	return cmocka_run_group_tests_name("profile", tests, NULL, NULL);
}
