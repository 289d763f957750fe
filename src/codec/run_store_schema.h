/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The tables of a run file, and the checks that a file has exactly those.
 * Private to run_store*.c; satprof-run(5) documents every column.
 */
#ifndef SATPROF_CODEC_RUN_STORE_SCHEMA_H
#define SATPROF_CODEC_RUN_STORE_SCHEMA_H

#include "base/err.h"

struct sqlite3;

/* "sprf": what file(1) and a reader find at byte 68. */
#define RUN_STORE_APPLICATION_ID 0x73707266

int run_store_schema_create(struct sqlite3 *db, struct sp_err *err);

/*
 * That the tables are ours to the letter (so that no view, trigger or virtual
 * table of a stranger ever runs), then that the pages are sound: else SP_EFORMAT.
 * The header was checked before (run_store_file_open).
 */
int run_store_schema_check(struct sqlite3 *db, struct sp_err *err);

#endif
