/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write the profile of a run file. */
#include "config.h"

#include "codec/run_store_profile.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "codec/run_store_words.h"
#include "codec/sql.h"

struct profile_writer {
	struct sqlite3 *db;
	const struct profile *p;
	const struct run_store_profile_mark *mark;
	uint32_t trial;
	struct sp_err *err;
};

static int modules_write(const struct profile_writer *w)
{
	struct sql_stmt s;
	size_t i;
	int rc =
		sql_stmt_open(&s, w->db, "INSERT INTO module VALUES (?,?,?,?)", w->err);

	for (i = w->mark->n_modules; rc == 0 && i < w->p->n_modules; i++) {
		const struct profile_module *m = &w->p->modules[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(i),
				SQL_TEXT(run_store_module_kind_name(m->kind)),
				SQL_TEXT(m->path), SQL_TEXT(m->build_id) },
			w->err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int symbols_write(const struct profile_writer *w)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(&s, w->db, "INSERT INTO symbol VALUES (?,?)", w->err);

	for (i = w->mark->n_symbols; rc == 0 && i < w->p->n_symbols; i++)
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){
				SQL_COUNT(i), SQL_TEXT(w->p->symbols[i].name) },
			w->err);
	sql_stmt_close(&s);
	return rc;
}

/* New frames, and old ones whose symbol was resolved since. */
static int frames_write(const struct profile_writer *w)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, w->db, "INSERT OR REPLACE INTO frame VALUES (?,?,?,?,?)", w->err);

	for (i = 0; rc == 0 && i < w->p->n_frames; i++) {
		const struct profile_frame *f = &w->p->frames[i];
		struct sql_arg symbol = SQL_INT(f->symbol);

		if (i < w->mark->n_frames && w->mark->frame_symbols[i] == f->symbol)
			continue;
		if (f->symbol == PROFILE_NO_SYMBOL)
			symbol = SQL_NULL;
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(i), SQL_INT(f->module), symbol,
				SQL_INT(f->is_named), SQL_BITS(f->offset) },
			w->err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int nodes_write(const struct profile_writer *w)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, w->db, "INSERT INTO stack_node VALUES (?,?,?)", w->err);

	for (i = w->mark->n_nodes; rc == 0 && i < w->p->n_nodes; i++) {
		const struct profile_node *n = &w->p->nodes[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(i), SQL_INT(n->parent),
				i == 0 ? SQL_NULL : SQL_INT(n->frame) },
			w->err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int threads_write(const struct profile_writer *w)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, w->db, "INSERT INTO sample_thread VALUES (?,?,?,?)", w->err);

	for (i = w->mark->n_threads; rc == 0 && i < w->p->n_threads; i++) {
		const struct profile_thread *t = &w->p->threads[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(i), SQL_INT(t->pid),
				SQL_INT(t->tid), SQL_TEXT(t->comm) },
			w->err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int cells_write(const struct profile_writer *w)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, w->db, "INSERT INTO sample VALUES (?,?,?,?,?,?,?,?)", w->err);

	for (i = 0; rc == 0 && i < w->p->n_cells; i++) {
		const struct profile_cell *c = &w->p->cells[i];

		if (c->trial != w->trial)
			continue;
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_NULL, SQL_INT(c->trial),
				SQL_INT(c->event), SQL_INT(c->node), SQL_INT(c->thread),
				SQL_INT(c->cpu), SQL_COUNT(c->n_samples),
				SQL_COUNT(c->weight) },
			w->err);
	}
	sql_stmt_close(&s);
	return rc;
}

int run_store_profile_write(struct sqlite3 *db, const struct profile *p,
	const struct run_store_profile_mark *mark, uint32_t trial, struct sp_err *err)
{
	static int (*const writers[])(const struct profile_writer *) = { modules_write,
		symbols_write, frames_write, nodes_write, threads_write, cells_write };
	struct profile_writer w = {
		.db = db, .p = p, .mark = mark, .trial = trial, .err = err
	};
	size_t i;
	int rc = 0;

	if (p == NULL)
		return 0;
	for (i = 0; rc == 0 && i < sizeof(writers) / sizeof(writers[0]); i++)
		rc = writers[i](&w);
	return rc;
}

void run_store_profile_mark_move(
	struct run_store_profile_mark *mark, const struct profile *p)
{
	size_t i;

	if (p == NULL)
		return;
	mark->n_modules = p->n_modules;
	mark->n_symbols = p->n_symbols;
	mark->n_frames = p->n_frames;
	mark->n_nodes = p->n_nodes;
	mark->n_threads = p->n_threads;
	mark->frame_symbols = xreallocarray(
		mark->frame_symbols, p->n_frames, sizeof(*mark->frame_symbols));
	for (i = 0; i < p->n_frames; i++)
		mark->frame_symbols[i] = p->frames[i].symbol;
}

void run_store_profile_mark_done(struct run_store_profile_mark *mark)
{
	free(mark->frame_symbols);
	memset(mark, 0, sizeof(*mark));
}
