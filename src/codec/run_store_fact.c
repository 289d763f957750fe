/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write the facts of a trial, and read them, believing nothing. */
#include "config.h"

#include "codec/run_store_fact.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "codec/run_store_words.h"
#include "codec/sql.h"

#define MAX_KEY_BYTES 64

struct fact_stmts {
	struct sql_stmt name, text, row;
};

static int stmts_open(struct fact_stmts *s, struct sqlite3 *db, struct sp_err *err)
{
	int rc = sql_stmt_open(&s->name, db,
		"INSERT OR IGNORE INTO fact_key VALUES (NULL,?,?,?)", err);

	if (rc == 0)
		rc = sql_stmt_open(&s->text, db,
			"INSERT OR IGNORE INTO fact_text VALUES (NULL,?)", err);
	if (rc == 0)
		rc = sql_stmt_open(&s->row, db,
			"INSERT INTO fact VALUES (?,?,"
			"(SELECT id FROM fact_key WHERE key = ? AND object = ?),?,"
			"(SELECT id FROM fact_text WHERE text = ?))",
			err);
	return rc;
}

static void stmts_close(struct fact_stmts *s)
{
	sql_stmt_close(&s->name);
	sql_stmt_close(&s->text);
	sql_stmt_close(&s->row);
}

static int fact_write(struct fact_stmts *s, uint32_t trial, size_t pos,
	const struct fact *f, struct sp_err *err)
{
	const struct fact_info *info = fact_info(f->key);
	struct sql_arg value = f->text == NULL ? SQL_REAL(f->value) : SQL_NULL;
	int rc = sql_stmt_run(&s->name,
		(struct sql_arg[]){ SQL_TEXT(info->name),
			SQL_TEXT(fact_scope_name(info->scope)), SQL_TEXT(f->of) },
		err);

	if (rc == 0 && f->text != NULL)
		rc = sql_stmt_run(
			&s->text, (struct sql_arg[]){ SQL_TEXT(f->text) }, err);
	if (rc == 0)
		rc = sql_stmt_run(&s->row,
			(struct sql_arg[]){ SQL_INT(trial), SQL_COUNT(pos),
				SQL_TEXT(info->name), SQL_TEXT(f->of), value,
				SQL_TEXT(f->text) },
			err);
	return rc;
}

int run_store_fact_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	struct fact_stmts s = { { .st = NULL }, { .st = NULL }, { .st = NULL } };
	size_t i;
	int rc;

	if (t->facts.n == 0)
		return 0;
	rc = stmts_open(&s, db, err);
	for (i = 0; rc == 0 && i < t->facts.n; i++) {
		const struct fact *f = &t->facts.f[i];

		if (f->text != NULL || isfinite(f->value))
			rc = fact_write(&s, t->spec.id, i, f, err);
	}
	stmts_close(&s);
	return rc;
}

void run_store_fact_read(struct sql_cursor *c, struct trial *t)
{
	const struct fact_info *info;
	char of[FACT_OF_MAX];
	double value;
	int key = fact_key_parse(sql_get_text(c, MAX_KEY_BYTES));

	if (key < 0)
		return;
	if (t->facts.n == RUN_STORE_MAX_LIST) {
		sql_cursor_fail(c, "too many facts");
		return;
	}
	info = fact_info((enum fact_key)key);
	if (strcmp(sql_get_text(c, MAX_KEY_BYTES), fact_scope_name(info->scope)) != 0)
		sql_cursor_fail(c, "not the scope of this key");
	(void)snprintf(of, sizeof(of), "%s", sql_get_text(c, sizeof(of) - 1));
	if (info->kind == FACT_TEXT) {
		if (!sql_is_null(c))
			sql_cursor_fail(c, "a text with a number");
		sql_skip(c); /* the number, and the text's id */
		sql_skip(c);
		facts_add_text(&t->facts, (enum fact_key)key, of,
			sql_get_text(c, RUN_STORE_MAX_TEXT));
		return;
	}
	value = sql_get_real(c, info->kind == FACT_COUNT ? 0 : -RUN_STORE_MAX_DOUBLE,
		RUN_STORE_MAX_DOUBLE);
	if (!sql_is_null(c))
		sql_cursor_fail(c, "a number with a text");
	facts_add(&t->facts, (enum fact_key)key, of, value);
}
