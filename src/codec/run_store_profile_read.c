/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read the profile of a run file, believing nothing. */
#include "config.h"

#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"
#include "codec/run_store_profile.h"
#include "codec/run_store_words.h"
#include "codec/sql.h"

#define MAX_ROW ((uint64_t)UINT32_MAX - 2)

/* Rows are numbered 0, 1, 2...: an id is the index it gets in memory. */
static void id_check(struct sql_cursor *c, size_t want)
{
	if (sql_get_count(c, MAX_ROW) != want)
		sql_cursor_fail(c, "numbers are not 0, 1, 2...");
}

/* An index below n; fails and gives 0 else. */
static uint32_t index_get(struct sql_cursor *c, size_t n)
{
	uint64_t v = sql_get_count(c, MAX_ROW);

	if (v >= n) {
		sql_cursor_fail(c, "it names a row that is not there");
		return 0;
	}
	return (uint32_t)v;
}

/* What was interned must be new, else the numbers after it would shift. */
static void new_check(struct sql_cursor *c, uint32_t row)
{
	if (row + 1 != c->row)
		sql_cursor_fail(c, "the same as an earlier row");
}

static int modules_read(struct sqlite3 *db, struct profile *p, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "module",
		"SELECT id, kind, path, build_id FROM module ORDER BY id", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		enum module_kind kind;
		char *path;

		id_check(&c, p->n_modules);
		kind = (enum module_kind)sql_get_word(&c, run_store_module_kind_parse);
		path = xstrdup(sql_get_text(&c, RUN_STORE_MAX_TEXT));
		new_check(&c, profile_module_intern(p, kind, path,
				      sql_get_text(&c, RUN_STORE_MAX_TEXT)));
		free(path);
	}
	return sql_cursor_close(&c);
}

static int symbols_read(struct sqlite3 *db, struct profile *p, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(
		&c, db, "symbol", "SELECT id, name FROM symbol ORDER BY id", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		id_check(&c, p->n_symbols);
		new_check(&c,
			profile_symbol_intern(p, sql_get_text(&c, RUN_STORE_MAX_TEXT)));
	}
	return sql_cursor_close(&c);
}

static int frames_read(struct sqlite3 *db, struct profile *p, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "frame",
		"SELECT id, module, symbol, is_named, offset_bytes FROM frame"
		" ORDER BY id",
		err);

	while (rc == 0 && sql_cursor_next(&c)) {
		uint32_t module, row, symbol = PROFILE_NO_SYMBOL;
		bool is_named;

		id_check(&c, p->n_frames);
		module = index_get(&c, p->n_modules);
		if (sql_is_null(&c))
			sql_skip(&c);
		else
			symbol = index_get(&c, p->n_symbols);
		is_named = sql_get_int(&c, 0, 1) != 0;
		if (is_named && symbol == PROFILE_NO_SYMBOL)
			sql_cursor_fail(&c, "named, but without a name");
		if (c.failed)
			break;
		row = is_named ? profile_frame_named_intern(
					 p, module, symbol, sql_get_bits(&c))
			       : profile_frame_intern(p, module, sql_get_bits(&c));
		new_check(&c, row);
		p->frames[row].symbol = symbol;
	}
	return sql_cursor_close(&c);
}

/* The root is row 0 and there already; a parent comes before its children, so
 * that there is no cycle. */
static int nodes_read(struct sqlite3 *db, struct profile *p, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "stack_node",
		"SELECT id, parent, frame FROM stack_node ORDER BY id", err);

	if (rc == 0 && sql_cursor_next(&c)) {
		id_check(&c, 0);
		if (sql_get_count(&c, MAX_ROW) != 0 || !sql_is_null(&c))
			sql_cursor_fail(&c, "not a root");
	}
	while (rc == 0 && sql_cursor_next(&c)) {
		uint32_t parent, frame;

		id_check(&c, p->n_nodes);
		parent = index_get(&c, p->n_nodes);
		frame = index_get(&c, p->n_frames);
		if (c.failed)
			break;
		new_check(&c, profile_node_intern(p, parent, frame));
	}
	return sql_cursor_close(&c);
}

static int threads_read(struct sqlite3 *db, struct profile *p, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "sample_thread",
		"SELECT id, pid, tid, comm FROM sample_thread ORDER BY id", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		int32_t pid, tid;

		id_check(&c, p->n_threads);
		pid = (int32_t)sql_get_int(&c, INT32_MIN, INT32_MAX);
		tid = (int32_t)sql_get_int(&c, INT32_MIN, INT32_MAX);
		new_check(&c, profile_thread_intern(p, pid, tid, sql_get_text(&c, 15)));
	}
	return sql_cursor_close(&c);
}

static int trial_cmp(const void *a, const void *b)
{
	uint32_t ia = ((const struct trial *)a)->spec.id;
	uint32_t ib = ((const struct trial *)b)->spec.id;

	return (ia > ib) - (ia < ib);
}

static bool trial_is_there(const struct run *run, uint32_t id)
{
	struct trial key = { .spec = { .id = id } };

	return run->n_trials > 0 && bsearch(&key, run->trials, run->n_trials,
					    sizeof(key), trial_cmp) != NULL;
}

static int cells_read(struct sqlite3 *db, const struct run *run, struct profile *p,
	struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "sample",
		"SELECT trial, event, node, thread, cpu, n_samples, weight FROM sample"
		" ORDER BY id",
		err);

	while (rc == 0 && sql_cursor_next(&c)) {
		struct profile_cell cell;

		cell.trial = (uint32_t)sql_get_count(&c, RUN_STORE_MAX_ID);
		if (!trial_is_there(run, cell.trial))
			sql_cursor_fail(&c, "no such trial");
		cell.event = index_get(&c, run->n_events);
		cell.node = index_get(&c, p->n_nodes);
		cell.thread = index_get(&c, p->n_threads);
		cell.cpu = (int32_t)sql_get_int(&c, -1, RUN_STORE_MAX_CPU);
		cell.n_samples = sql_get_count(&c, RUN_STORE_MAX_COUNT);
		cell.weight = sql_get_count(&c, RUN_STORE_MAX_COUNT);
		if (!c.failed)
			profile_cell_add(p, &cell);
	}
	return sql_cursor_close(&c);
}

static bool profile_is_empty(const struct profile *p)
{
	return p->n_modules == 0 && p->n_symbols == 0 && p->n_threads == 0;
}

static int has_root(struct sqlite3 *db, bool *ret, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(
		&c, db, "stack_node", "SELECT id FROM stack_node LIMIT 1", err);
	bool has = rc == 0 && sql_cursor_next(&c);

	rc = sql_cursor_close(&c);
	if (rc == 0)
		*ret = has;
	return rc;
}

int run_store_profile_read(struct sqlite3 *db, struct run *run, struct sp_err *err)
{
	struct profile *p = profile_new();
	bool root = false;
	int rc = modules_read(db, p, err);

	if (rc == 0)
		rc = symbols_read(db, p, err);
	if (rc == 0)
		rc = frames_read(db, p, err);
	if (rc == 0)
		rc = nodes_read(db, p, err);
	if (rc == 0)
		rc = threads_read(db, p, err);
	if (rc == 0)
		rc = cells_read(db, run, p, err);
	if (rc == 0)
		rc = has_root(db, &root, err);
	if (rc == 0 && !root && !profile_is_empty(p))
		rc = sp_err_set(
			err, SP_EFORMAT, "the file is damaged: stack_node has no root");
	if (rc == 0 && root) {
		run->profile = p;
		p = NULL;
	}
	profile_free(p);
	return rc;
}
