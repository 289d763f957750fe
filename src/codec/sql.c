/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Statements and checked cursors on SQLite. */
#include "config.h"

#include "codec/sql.h"

#include <assert.h>
#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <sqlite3.h>
#include <string.h>

static bool errno_is_full(int sys_errno)
{
	return sys_errno == ENOSPC || sys_errno == EDQUOT || sys_errno == EFBIG;
}

int sql_error(struct sqlite3 *db, int rc, struct sp_err *err)
{
	int sys_errno = sqlite3_system_errno(db);

	switch (rc & 0xff) {
	case SQLITE_FULL:
		return sp_err_set(err, SP_EIO, "the disk is full");
	case SQLITE_IOERR:
		if (rc == SQLITE_IOERR_SHORT_READ)
			return sp_err_set(err, SP_EFORMAT,
				"the file is damaged: it is cut short");
		if (errno_is_full(sys_errno))
			return sp_err_errno(err, SP_EIO, sys_errno, "no more room");
		/* Its errno is often lost to the rollback. */
		if (rc == SQLITE_IOERR_WRITE)
			return sp_err_set(err, SP_EIO,
				"cannot write (a quota, or a limit on file sizes?)");
		if (sys_errno != 0)
			return sp_err_errno(err, SP_EIO, sys_errno, "input/output");
		return sp_err_set(err, SP_EIO, "input/output error");
	case SQLITE_CORRUPT:
		return sp_err_set(err, SP_EFORMAT, "the file is damaged");
	case SQLITE_NOTADB:
		return sp_err_set(err, SP_EFORMAT, "not a satprof run file");
	case SQLITE_BUSY:
	case SQLITE_LOCKED:
		return sp_err_set(err, SP_EIO,
			"another program holds the file: wait until it has ended");
	case SQLITE_READONLY:
	case SQLITE_PERM:
		return sp_err_set(err, SP_EIO, "no right to write to the file");
	case SQLITE_CANTOPEN:
		if (sys_errno != 0)
			return sp_err_errno(err, SP_EIO, sys_errno, "cannot open");
		return sp_err_set(err, SP_EIO, "cannot open");
	case SQLITE_TOOBIG:
		return sp_err_set(
			err, SP_EFORMAT, "the file is damaged: a value is too long");
	case SQLITE_INTERRUPT:
		return sp_err_set(err, SP_EFORMAT,
			"the file is damaged: reading it does not come to an end");
	default:
		return sp_err_set(err, SP_EFORMAT, "%s", sqlite3_errmsg(db));
	}
}

int sql_exec(struct sqlite3 *db, const char *text, struct sp_err *err)
{
	int rc = sqlite3_exec(db, text, NULL, NULL, NULL);

	return rc == SQLITE_OK ? 0 : sql_error(db, rc, err);
}

int sql_stmt_open(
	struct sql_stmt *s, struct sqlite3 *db, const char *text, struct sp_err *err)
{
	int rc;

	memset(s, 0, sizeof(*s));
	rc = sqlite3_prepare_v2(db, text, -1, &s->st, NULL);
	if (rc != SQLITE_OK)
		return sql_error(db, rc, err);
	s->db = db;
	s->n_args = (size_t)sqlite3_bind_parameter_count(s->st);
	return 0;
}

static int arg_bind(
	struct sql_stmt *s, int pos, const struct sql_arg *a, struct sp_err *err)
{
	int rc = SQLITE_OK;

	switch (a->type) {
	case SQL_TYPE_NULL:
		rc = sqlite3_bind_null(s->st, pos);
		break;
	case SQL_TYPE_INT:
		rc = sqlite3_bind_int64(s->st, pos, a->num);
		break;
	case SQL_TYPE_COUNT:
		if (a->count > INT64_MAX)
			return sp_err_set(err, SP_EUSAGE,
				"a count of %" PRIu64 " does not fit (value %d of: %s)",
				a->count, pos, sqlite3_sql(s->st));
		rc = sqlite3_bind_int64(s->st, pos, (int64_t)a->count);
		break;
	case SQL_TYPE_REAL:
		rc = isfinite(a->real) ? sqlite3_bind_double(s->st, pos, a->real)
				       : sqlite3_bind_null(s->st, pos);
		break;
	case SQL_TYPE_TEXT:
		/* SQLITE_STATIC is a null pointer: the text outlives the step. */
		rc = sqlite3_bind_text(s->st, pos, a->text, -1, SQLITE_STATIC);
		break;
	}
	return rc == SQLITE_OK ? 0 : sql_error(s->db, rc, err);
}

int sql_stmt_run(struct sql_stmt *s, const struct sql_arg *args, struct sp_err *err)
{
	size_t i;
	int rc;

	for (i = 0; i < s->n_args; i++) {
		rc = arg_bind(s, (int)i + 1, &args[i], err);
		if (rc != 0)
			return rc;
	}
	rc = sqlite3_step(s->st);
	assert(rc != SQLITE_ROW);
	if (rc != SQLITE_DONE)
		rc = sql_error(s->db, rc, err);
	else
		rc = 0;
	(void)sqlite3_reset(s->st); /* repeats the step's error */
	return rc;
}

void sql_stmt_close(struct sql_stmt *s)
{
	(void)sqlite3_finalize(s->st); /* repeats the step's error */
	s->st = NULL;
}

int sql_run(struct sqlite3 *db, const char *text, const struct sql_arg *args,
	struct sp_err *err)
{
	struct sql_stmt s;
	int rc = sql_stmt_open(&s, db, text, err);

	if (rc == 0)
		rc = sql_stmt_run(&s, args, err);
	sql_stmt_close(&s);
	return rc;
}

int sql_cursor_open(struct sql_cursor *c, struct sqlite3 *db, const char *table,
	const char *text, struct sp_err *err)
{
	int rc;

	memset(c, 0, sizeof(*c));
	c->db = db;
	c->table = table;
	c->err = err;
	rc = sqlite3_prepare_v2(db, text, -1, &c->st, NULL);
	if (rc != SQLITE_OK) {
		c->failed = true;
		return sql_error(db, rc, err);
	}
	return 0;
}

bool sql_cursor_next(struct sql_cursor *c)
{
	int rc;

	if (c->failed)
		return false;
	rc = sqlite3_step(c->st);
	c->row++;
	c->column = 0;
	if (rc == SQLITE_ROW)
		return true;
	if (rc != SQLITE_DONE) {
		c->failed = true;
		(void)sql_error(c->db, rc, c->err);
	}
	return false;
}

int sql_cursor_close(struct sql_cursor *c)
{
	(void)sqlite3_finalize(c->st); /* repeats the step's error */
	c->st = NULL;
	return c->failed ? -(int)c->err->code : 0;
}

void sql_cursor_fail(struct sql_cursor *c, const char *why)
{
	if (c->failed)
		return;
	c->failed = true;
	(void)sp_err_set(c->err, SP_EFORMAT,
		"the file is damaged: %s, row %" PRIu64 ": %s", c->table, c->row, why);
}

/* Fails with the column that was just read. */
static void column_fail(struct sql_cursor *c, const char *why)
{
	if (c->failed)
		return;
	c->failed = true;
	(void)sp_err_set(c->err, SP_EFORMAT,
		"the file is damaged: %s, row %" PRIu64 ", %s: %s", c->table, c->row,
		sqlite3_column_name(c->st, c->column - 1), why);
}

/* The next column when it is of the type; else fails and gives -1. */
static int column_take(struct sql_cursor *c, int type, const char *why)
{
	int i = c->column;

	if (c->failed)
		return -1;
	c->column++;
	if (sqlite3_column_type(c->st, i) != type) {
		column_fail(c, why);
		return -1;
	}
	return i;
}

int64_t sql_get_int(struct sql_cursor *c, int64_t min, int64_t max)
{
	int i = column_take(c, SQLITE_INTEGER, "not a whole number");
	int64_t v;

	if (i < 0)
		return 0;
	v = sqlite3_column_int64(c->st, i);
	if (v < min || v > max) {
		column_fail(c, "out of range");
		return 0;
	}
	return v;
}

uint64_t sql_get_count(struct sql_cursor *c, uint64_t max)
{
	return (uint64_t)sql_get_int(c, 0, max > INT64_MAX ? INT64_MAX : (int64_t)max);
}

uint64_t sql_get_bits(struct sql_cursor *c)
{
	return (uint64_t)sql_get_int(c, INT64_MIN, INT64_MAX);
}

bool sql_get_bool(struct sql_cursor *c)
{
	return sql_get_int(c, 0, 1) != 0;
}

double sql_get_real(struct sql_cursor *c, double min, double max)
{
	int i = column_take(c, SQLITE_FLOAT, "not a number");
	double v;

	if (i < 0)
		return 0;
	v = sqlite3_column_double(c->st, i);
	if (!(v >= min && v <= max)) {
		column_fail(c, "out of range");
		return 0;
	}
	return v;
}

bool sql_is_null(const struct sql_cursor *c)
{
	return !c->failed && sqlite3_column_type(c->st, c->column) == SQLITE_NULL;
}

void sql_skip(struct sql_cursor *c)
{
	c->column++;
}

double sql_get_real_or_nan(struct sql_cursor *c, double min, double max)
{
	if (sql_is_null(c)) {
		sql_skip(c);
		return (double)NAN;
	}
	return sql_get_real(c, min, max);
}

const char *sql_get_text(struct sql_cursor *c, size_t max_len)
{
	int i = column_take(c, SQLITE_TEXT, "not text");
	const char *s;
	size_t len;

	if (i < 0)
		return "";
	s = (const char *)sqlite3_column_text(c->st, i);
	len = (size_t)sqlite3_column_bytes(c->st, i);
	if (s == NULL || len > max_len || strlen(s) != len) {
		column_fail(c, "too long, or with a NUL inside");
		return "";
	}
	return s;
}

int sql_get_word(struct sql_cursor *c, int (*parse)(const char *word))
{
	const char *s = sql_get_text(c, 64);
	int v;

	if (c->failed)
		return 0;
	v = parse(s);
	if (v < 0) {
		column_fail(c, "an unknown word");
		return 0;
	}
	return v;
}
