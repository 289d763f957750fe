/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * SQLite with this program's errors and types: statements whose arguments carry
 * their type, and cursors that check what they read. What a file says is never
 * trusted: a value of another type, out of its range or too long is SP_EFORMAT
 * and names table, row and column. One thread. Not a wrapper for all of SQLite.
 */
#ifndef SATPROF_CODEC_SQL_H
#define SATPROF_CODEC_SQL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

struct sqlite3;
struct sqlite3_stmt;

enum sql_type {
	SQL_TYPE_NULL,
	SQL_TYPE_INT,
	SQL_TYPE_COUNT,
	SQL_TYPE_REAL,
	SQL_TYPE_TEXT
};

struct sql_arg {
	enum sql_type type;
	int64_t num;
	uint64_t count;
	double real;
	const char *text; /* borrowed until the statement has run */
};

#define SQL_NULL   ((struct sql_arg){ .type = SQL_TYPE_NULL })
#define SQL_INT(v) ((struct sql_arg){ .type = SQL_TYPE_INT, .num = (v) })
/* A uint64_t that must fit a signed column: SP_EUSAGE when it does not. */
#define SQL_COUNT(v) ((struct sql_arg){ .type = SQL_TYPE_COUNT, .count = (v) })
/* All 64 bits, as two's complement: seeds and kernel addresses. */
#define SQL_BITS(v) SQL_INT((int64_t)(v))
/* NAN and infinities become NULL: not known. */
#define SQL_REAL(v) ((struct sql_arg){ .type = SQL_TYPE_REAL, .real = (v) })
/* NULL becomes NULL. */
#define SQL_TEXT(v) ((struct sql_arg){ .type = SQL_TYPE_TEXT, .text = (v) })

/* The error of SQLite's result code rc in our words; SP_EFORMAT for damage. */
int sql_error(struct sqlite3 *db, int rc, struct sp_err *err);

/* One statement, or several separated by semicolons, without arguments. */
int sql_exec(struct sqlite3 *db, const char *text, struct sp_err *err);

/* A prepared statement without rows, run any number of times. */
struct sql_stmt {
	struct sqlite3 *db;
	struct sqlite3_stmt *st;
	size_t n_args;
};

int sql_stmt_open(
	struct sql_stmt *s, struct sqlite3 *db, const char *text, struct sp_err *err);
/* As many arguments as the statement has. */
int sql_stmt_run(struct sql_stmt *s, const struct sql_arg *args, struct sp_err *err);
void sql_stmt_close(struct sql_stmt *s);

/* Open, run once, close. */
int sql_run(struct sqlite3 *db, const char *text, const struct sql_arg *args,
	struct sp_err *err);

/*
 * Rows, read column by column from the left. The first error sticks: getters then
 * return 0 or "", next() false, close() the error.
 */
struct sql_cursor {
	struct sqlite3 *db;
	struct sqlite3_stmt *st;
	const char *table;
	struct sp_err *err; /* borrowed until close */
	uint64_t row;       /* from 1 */
	int column;
	bool failed;
};

/* `text` reads from `table`; the name is for messages. Borrows both and err. */
int sql_cursor_open(struct sql_cursor *c, struct sqlite3 *db, const char *table,
	const char *text, struct sp_err *err);
bool sql_cursor_next(struct sql_cursor *c);
int sql_cursor_close(struct sql_cursor *c);
/* The row is wrong in a way that only the caller can see. */
void sql_cursor_fail(struct sql_cursor *c, const char *why);

uint64_t sql_get_count(struct sql_cursor *c, uint64_t max);
int64_t sql_get_int(struct sql_cursor *c, int64_t min, int64_t max);
uint64_t sql_get_bits(struct sql_cursor *c);
bool sql_get_bool(struct sql_cursor *c);
/* Finite and within [min, max]. */
double sql_get_real(struct sql_cursor *c, double min, double max);
/* The same, or NAN where the column is NULL. */
double sql_get_real_or_nan(struct sql_cursor *c, double min, double max);
bool sql_is_null(const struct sql_cursor *c); /* the next column */
void sql_skip(struct sql_cursor *c);
/* Valid until the next column; without NUL inside, at most max_len bytes. */
const char *sql_get_text(struct sql_cursor *c, size_t max_len);
/* A word: parse() gives its value or a negative number for an unknown word. */
int sql_get_word(struct sql_cursor *c, int (*parse)(const char *word));

#endif
