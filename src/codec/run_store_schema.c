/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schema of run files: create and check. */
#include "config.h"

#include "codec/run_store_schema.h"

#include <sqlite3.h>
#include <stdio.h>
#include <string.h>

#include "codec/sql.h"
#include "model/run.h"

#define STRING_OF(x)  STRING_OF_(x)
#define STRING_OF_(x) #x

/*
 * Any change here is a new RUN_SCHEMA. Names end in their unit. Words, not enum
 * numbers, so that the file can be read without this program.
 */
static const char schema_text[] =
	/* one row: what was run, how, and whether it came to its end */
	"CREATE TABLE run (id INTEGER PRIMARY KEY CHECK (id = 1),"
	" satprof_version TEXT NOT NULL, command_line TEXT NOT NULL,"
	" started_at TEXT NOT NULL, finished INTEGER NOT NULL,"
	" config_json TEXT NOT NULL, sut_output TEXT);\n"
	"CREATE TABLE config (id INTEGER PRIMARY KEY CHECK (id = 1),"
	" seed INTEGER NOT NULL, n_blocks INTEGER NOT NULL,"
	" trial_ns INTEGER NOT NULL, profile_trial_ns INTEGER NOT NULL,"
	" latency_trials INTEGER NOT NULL, margin_frac REAL NOT NULL,"
	" level_frac REAL NOT NULL, dither_frac REAL NOT NULL,"
	" burst_pkts INTEGER NOT NULL, max_time_ns INTEGER NOT NULL,"
	" ndr TEXT NOT NULL, until_decided INTEGER NOT NULL,"
	" n_confirm INTEGER NOT NULL);\n"
	"CREATE TABLE rate (kind TEXT NOT NULL, pos INTEGER NOT NULL,"
	" value REAL NOT NULL, PRIMARY KEY (kind, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE traffic (id INTEGER PRIMARY KEY CHECK (id = 1),"
	" kind TEXT NOT NULL, frame_bytes INTEGER NOT NULL,"
	" n_flows INTEGER NOT NULL, burst_pkts INTEGER NOT NULL,"
	" pcap_path TEXT NOT NULL, pcap_tag INTEGER NOT NULL,"
	" pcap_pace TEXT NOT NULL, pcap_speed REAL NOT NULL,"
	" bidir INTEGER NOT NULL, dst_mac INTEGER NOT NULL,"
	" dst_mac_sut INTEGER NOT NULL, mean_frame_bytes REAL NOT NULL);\n"
	"CREATE TABLE segment (id INTEGER PRIMARY KEY, started_at TEXT NOT NULL,"
	" satprof_version TEXT NOT NULL);\n"
	"CREATE TABLE arm (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" kind TEXT NOT NULL, hz REAL NOT NULL);\n"
	"CREATE TABLE arm_force (arm INTEGER NOT NULL REFERENCES arm,"
	" pos INTEGER NOT NULL, phase INTEGER NOT NULL,"
	" observed INTEGER NOT NULL REFERENCES arm, factor TEXT NOT NULL,"
	" of TEXT NOT NULL, value TEXT NOT NULL, number REAL,"
	" PRIMARY KEY (arm, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE event (id INTEGER PRIMARY KEY, name TEXT NOT NULL,"
	" unit TEXT NOT NULL, state TEXT NOT NULL);\n"
	"CREATE TABLE trial (id INTEGER PRIMARY KEY,"
	" segment INTEGER NOT NULL REFERENCES segment,"
	" phase INTEGER NOT NULL, block INTEGER NOT NULL,"
	" arm INTEGER NOT NULL REFERENCES arm,"
	" sut_instance INTEGER, kind TEXT NOT NULL, rate_pps REAL NOT NULL,"
	" rel_rate REAL NOT NULL, duration_ns INTEGER NOT NULL,"
	" burst_pkts INTEGER NOT NULL, t_start_ns INTEGER NOT NULL,"
	" t_end_ns INTEGER NOT NULL, window_ns INTEGER NOT NULL,"
	" window_pkts INTEGER NOT NULL, window_pps REAL, loss_frac REAL,"
	" limited_by TEXT NOT NULL, valid INTEGER NOT NULL, cpu_ns_per_pkt REAL,"
	" sampled INTEGER NOT NULL, n_samples INTEGER NOT NULL,"
	" n_lost INTEGER NOT NULL, n_throttled INTEGER NOT NULL,"
	" max_sample_rate_hz INTEGER NOT NULL);\n"
	"CREATE TABLE reason (trial INTEGER NOT NULL REFERENCES trial,"
	" pos INTEGER NOT NULL, text TEXT NOT NULL,"
	" PRIMARY KEY (trial, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE ledger (trial INTEGER NOT NULL REFERENCES trial,"
	" dir TEXT NOT NULL, point TEXT NOT NULL, source TEXT NOT NULL,"
	" count_pkts INTEGER, PRIMARY KEY (trial, dir, point)) WITHOUT ROWID;\n"
	"CREATE TABLE ledger_place (trial INTEGER NOT NULL REFERENCES trial,"
	" dir TEXT NOT NULL, pos INTEGER NOT NULL, point TEXT NOT NULL,"
	" name TEXT NOT NULL, count_pkts INTEGER NOT NULL,"
	" PRIMARY KEY (trial, dir, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE delay (trial INTEGER NOT NULL REFERENCES trial,"
	" kind TEXT NOT NULL, n INTEGER NOT NULL, p50_ns INTEGER NOT NULL,"
	" p99_ns INTEGER NOT NULL, p999_ns INTEGER NOT NULL,"
	" max_ns INTEGER NOT NULL, PRIMARY KEY (trial, kind)) WITHOUT ROWID;\n"
	"CREATE TABLE latency_bin (trial INTEGER NOT NULL REFERENCES trial,"
	" pos INTEGER NOT NULL, lo_ns INTEGER NOT NULL, width_ns INTEGER NOT NULL,"
	" count_pkts INTEGER NOT NULL, PRIMARY KEY (trial, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE cpu_use (trial INTEGER NOT NULL REFERENCES trial,"
	" pos INTEGER NOT NULL, cpu INTEGER NOT NULL, wall_ns INTEGER NOT NULL,"
	" busy_ns INTEGER NOT NULL, user_ns INTEGER NOT NULL,"
	" system_ns INTEGER NOT NULL, softirq_ns INTEGER NOT NULL,"
	" irq_ns INTEGER NOT NULL, steal_ns INTEGER NOT NULL,"
	" PRIMARY KEY (trial, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE thread_use (trial INTEGER NOT NULL REFERENCES trial,"
	" pos INTEGER NOT NULL, pid INTEGER NOT NULL, tid INTEGER NOT NULL,"
	" comm TEXT NOT NULL, cpu INTEGER NOT NULL, run_ns INTEGER NOT NULL,"
	" wait_ns INTEGER NOT NULL, n_voluntary INTEGER NOT NULL,"
	" n_involuntary INTEGER NOT NULL, PRIMARY KEY (trial, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE counter (trial INTEGER NOT NULL REFERENCES trial,"
	" pos INTEGER NOT NULL, event INTEGER NOT NULL REFERENCES event,"
	" cpu INTEGER NOT NULL, state TEXT NOT NULL, value INTEGER NOT NULL,"
	" enabled_ns INTEGER NOT NULL, running_ns INTEGER NOT NULL,"
	" PRIMARY KEY (trial, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE module (id INTEGER PRIMARY KEY, kind TEXT NOT NULL,"
	" path TEXT NOT NULL, build_id TEXT NOT NULL);\n"
	"CREATE TABLE symbol (id INTEGER PRIMARY KEY, name TEXT NOT NULL);\n"
	"CREATE TABLE frame (id INTEGER PRIMARY KEY,"
	" module INTEGER NOT NULL REFERENCES module,"
	" symbol INTEGER REFERENCES symbol, is_named INTEGER NOT NULL,"
	" offset_bytes INTEGER NOT NULL);\n"
	"CREATE TABLE stack_node (id INTEGER PRIMARY KEY,"
	" parent INTEGER NOT NULL REFERENCES stack_node,"
	" frame INTEGER REFERENCES frame);\n"
	"CREATE TABLE sample_thread (id INTEGER PRIMARY KEY, pid INTEGER NOT NULL,"
	" tid INTEGER NOT NULL, comm TEXT NOT NULL);\n"
	"CREATE TABLE sample (id INTEGER PRIMARY KEY,"
	" trial INTEGER NOT NULL REFERENCES trial,"
	" event INTEGER NOT NULL REFERENCES event,"
	" node INTEGER NOT NULL REFERENCES stack_node,"
	" thread INTEGER NOT NULL REFERENCES sample_thread, cpu INTEGER NOT NULL,"
	" n_samples INTEGER NOT NULL, weight INTEGER NOT NULL);\n"
	"CREATE TABLE fact_key (id INTEGER PRIMARY KEY, key TEXT NOT NULL,"
	" scope TEXT NOT NULL, object TEXT NOT NULL, UNIQUE (key, object));\n"
	"CREATE TABLE fact_text (id INTEGER PRIMARY KEY, text TEXT NOT NULL UNIQUE);\n"
	"CREATE TABLE fact (trial INTEGER NOT NULL REFERENCES trial,"
	" pos INTEGER NOT NULL, key INTEGER NOT NULL REFERENCES fact_key,"
	" value REAL, text INTEGER REFERENCES fact_text,"
	" PRIMARY KEY (trial, pos)) WITHOUT ROWID;\n"
	"CREATE TABLE fingerprint (pos INTEGER PRIMARY KEY, key TEXT NOT NULL,"
	" value TEXT NOT NULL, is_number INTEGER NOT NULL);\n"
	"CREATE TABLE note (pos INTEGER PRIMARY KEY, text TEXT NOT NULL);\n"
	"CREATE TABLE verdict (id INTEGER PRIMARY KEY, made_at TEXT NOT NULL,"
	" rule_version INTEGER NOT NULL, json TEXT NOT NULL);\n"
	"PRAGMA user_version = " STRING_OF(RUN_SCHEMA) ";\n";

int run_store_schema_create(struct sqlite3 *db, struct sp_err *err)
{
	char pragma[64];
	int rc;

	(void)snprintf(pragma, sizeof(pragma), "PRAGMA application_id = %d",
		RUN_STORE_APPLICATION_ID);
	rc = sql_exec(db, pragma, err);
	if (rc == 0)
		rc = sql_exec(db, schema_text, err);
	return rc;
}

#define SCHEMA_LIST                                                                    \
	"SELECT type, name, ifnull(sql, '') FROM sqlite_master"                        \
	" WHERE name NOT LIKE 'sqlite_autoindex_%' OR sql IS NOT NULL"                 \
	" ORDER BY name, type"

/* Both lists row by row; ours is made afresh in memory. */
static int tables_compare(struct sqlite3 *db, struct sqlite3 *ours, struct sp_err *err)
{
	struct sql_cursor a, b;
	int rc = sql_cursor_open(&a, db, "schema", SCHEMA_LIST, err);
	bool more = true, other = false;
	int i;

	if (sql_cursor_open(&b, ours, "schema", SCHEMA_LIST, err) != 0)
		rc = -(int)err->code;
	while (rc == 0 && more && !other) {
		more = sql_cursor_next(&a);
		other = sql_cursor_next(&b) != more;
		for (i = 0; more && !other && i < 3; i++)
			other = strcmp(sql_get_text(&a, 4096),
					sql_get_text(&b, 4096)) != 0;
	}
	(void)sql_cursor_close(&b);
	if (sql_cursor_close(&a) != 0)
		return -(int)err->code;
	if (rc == 0 && other)
		rc = sp_err_set(err, SP_EFORMAT,
			"the file is damaged: its tables are not those of schema %d",
			RUN_SCHEMA);
	return rc;
}

static int tables_check(struct sqlite3 *db, struct sp_err *err)
{
	struct sqlite3 *ours = NULL;
	int rc;

	if (sqlite3_open(":memory:", &ours) != SQLITE_OK)
		rc = sp_err_set(err, SP_EIO, "SQLite does not start");
	else
		rc = run_store_schema_create(ours, err);
	if (rc == 0)
		rc = tables_compare(db, ours, err);
	(void)sqlite3_close(ours);
	return rc;
}

static int pages_check(struct sqlite3 *db, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "pages", "PRAGMA quick_check(1)", err);

	if (rc == 0 && sql_cursor_next(&c) && strcmp(sql_get_text(&c, 4096), "ok") != 0)
		sql_cursor_fail(&c, "a page does not fit the others");
	return sql_cursor_close(&c);
}

int run_store_schema_check(struct sqlite3 *db, struct sp_err *err)
{
	int rc = tables_check(db, err);

	if (rc == 0)
		rc = pages_check(db, err);
	return rc;
}
