/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Facts of a trial in a run file: names and texts are stored once a file, a fact is a
 * row of numbers. Private to run_store*.c.
 */
#ifndef SATPROF_CODEC_RUN_STORE_FACT_H
#define SATPROF_CODEC_RUN_STORE_FACT_H

#include "base/err.h"
#include "model/trial.h"

struct sql_cursor;
struct sqlite3;

/* What run_store_fact_read() reads, by trial and in their order. A name or a text that
 * is not there comes as NULL. */
#define RUN_STORE_FACT_SELECT                                                          \
	"SELECT f.trial, k.key, k.scope, k.object, f.value, f.text, t.text"            \
	" FROM fact AS f LEFT JOIN fact_key AS k ON k.id = f.key"                      \
	" LEFT JOIN fact_text AS t ON t.id = f.text ORDER BY f.trial, f.pos"

/* Inside the caller's transaction. A number that is not finite is left out. */
int run_store_fact_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err);
/* The row behind its first column, appended to t->facts. A key that this version does
 * not know is a later one's, and skipped; anything else that is odd fails the cursor.
 */
void run_store_fact_read(struct sql_cursor *c, struct trial *t);

#endif
