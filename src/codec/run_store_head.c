/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write the head of a run file. */
#include "config.h"

#include "codec/run_store_head.h"

#include <stdio.h>
#include <string.h>

#include "codec/run_store_words.h"
#include "codec/sql.h"

static int force_write(
	struct sqlite3 *db, size_t arm, const struct arm_force *f, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, db, "INSERT INTO arm_force VALUES (?,?,?,?,?,?,?,?)", err);

	for (i = 0; rc == 0 && i < f->n_parts; i++) {
		const struct arm_force_part *p = &f->parts[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(arm), SQL_COUNT(i),
				SQL_INT(f->phase), SQL_INT(f->arm),
				SQL_TEXT(factor_name(f->factor)), SQL_TEXT(p->of),
				SQL_TEXT(p->value), SQL_REAL(p->number) },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

int run_store_arm_write(
	struct sqlite3 *db, const struct run *run, size_t arm, struct sp_err *err)
{
	const struct arm *a = &run->arms[arm];
	char kind[ARM_NAME_MAX];
	int rc;

	(void)snprintf(
		kind, sizeof(kind), "%.*s", (int)strcspn(a->name, "@+"), a->name);
	rc = sql_run(db, "INSERT INTO arm VALUES (?,?,?,?)",
		(struct sql_arg[]){ SQL_COUNT(arm), SQL_TEXT(a->name), SQL_TEXT(kind),
			SQL_REAL(a->hz) },
		err);
	return rc == 0 && a->force.is_forced ? force_write(db, arm, &a->force, err)
					     : rc;
}

int run_store_arms_write(struct sqlite3 *db, const struct run *run, struct sp_err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < run->n_arms; i++)
		rc = run_store_arm_write(db, run, i, err);
	return rc;
}

int run_store_segment_write(
	struct sqlite3 *db, uint32_t segment, const char *version, struct sp_err *err)
{
	return sql_run(db,
		"INSERT INTO segment VALUES (?, strftime('%Y-%m-%dT%H:%M:%SZ','now'), ?)",
		(struct sql_arg[]){ SQL_INT(segment), SQL_TEXT(version) }, err);
}

static int run_row_write(struct sqlite3 *db, const struct run *run, struct sp_err *err)
{
	return sql_run(db, "INSERT OR REPLACE INTO run VALUES (1,?,?,?,?,?,?)",
		(struct sql_arg[]){ SQL_TEXT(run->version), SQL_TEXT(run->command_line),
			SQL_TEXT(run->started_at), SQL_INT(run->finished),
			SQL_TEXT(run->config_json), SQL_TEXT(run->sut_output) },
		err);
}

static int config_write(
	struct sqlite3 *db, const struct sweep_config *c, struct sp_err *err)
{
	return sql_run(db,
		"INSERT OR REPLACE INTO config VALUES (1,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		(struct sql_arg[]){ SQL_BITS(c->seed), SQL_INT(c->n_blocks),
			SQL_COUNT(c->trial_ns), SQL_COUNT(c->profile_trial_ns),
			SQL_INT(c->latency_trials), SQL_REAL(c->margin_frac),
			SQL_REAL(c->level), SQL_REAL(c->dither_frac), SQL_INT(c->burst),
			SQL_COUNT(c->max_time_ns), SQL_TEXT(ndr_preset_name(c->ndr)),
			SQL_INT(c->until_decided), SQL_INT(c->n_confirm) },
		err);
}

static int rates_write(
	struct sqlite3 *db, const struct sweep_config *c, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_exec(db, "DELETE FROM rate", err);

	if (rc != 0)
		return rc;
	rc = sql_stmt_open(&s, db, "INSERT INTO rate VALUES (?,?,?)", err);
	for (i = 0; rc == 0 && i < c->n_rel_rates; i++)
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_TEXT("frac"), SQL_COUNT(i),
				SQL_REAL(c->rel_rates[i]) },
			err);
	for (i = 0; rc == 0 && i < c->n_rates; i++)
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_TEXT("pps"), SQL_COUNT(i),
				SQL_REAL(c->rates_pps[i]) },
			err);
	sql_stmt_close(&s);
	return rc;
}

static int traffic_write(
	struct sqlite3 *db, const struct traffic *t, struct sp_err *err)
{
	uint64_t mac = 0;
	size_t i;

	for (i = 0; i < sizeof(t->dst_mac); i++)
		mac = mac << 8 | t->dst_mac[i];
	return sql_run(db,
		"INSERT OR REPLACE INTO traffic VALUES (1,?,?,?,?,?,?,?,?,?,?,?,?)",
		(struct sql_arg[]){ SQL_TEXT(run_store_traffic_kind_name(t->kind)),
			SQL_INT(t->frame_bytes), SQL_INT(t->n_flows), SQL_INT(t->burst),
			SQL_TEXT(t->pcap_path), SQL_INT(t->pcap_tag),
			SQL_TEXT(run_store_pcap_pace_name(t->pcap_pace)),
			SQL_REAL(t->pcap_speed), SQL_INT(t->bidir), SQL_COUNT(mac),
			SQL_INT(t->dst_mac_sut), SQL_REAL(t->mean_frame_bytes) },
		err);
}

static int fingerprint_write(
	struct sqlite3 *db, const struct run *run, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_exec(db, "DELETE FROM fingerprint", err);

	if (rc != 0)
		return rc;
	rc = sql_stmt_open(&s, db, "INSERT INTO fingerprint VALUES (?,?,?,?)", err);
	for (i = 0; rc == 0 && i < run->n_fingerprint; i++) {
		const struct run_fact *f = &run->fingerprint[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(i), SQL_TEXT(f->key),
				SQL_TEXT(f->value), SQL_INT(f->is_number) },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int notes_write(struct sqlite3 *db, const struct run *run, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_exec(db, "DELETE FROM note", err);

	if (rc != 0)
		return rc;
	rc = sql_stmt_open(&s, db, "INSERT INTO note VALUES (?,?)", err);
	for (i = 0; rc == 0 && i < run->n_notes; i++)
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(i), SQL_TEXT(run->notes[i]) },
			err);
	sql_stmt_close(&s);
	return rc;
}

int run_store_events_write(
	struct sqlite3 *db, const struct run *run, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, db, "INSERT OR REPLACE INTO event VALUES (?,?,?,?)", err);

	for (i = 0; rc == 0 && i < run->n_events; i++) {
		const struct run_event *e = &run->events[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_COUNT(i), SQL_TEXT(e->name),
				SQL_TEXT(e->unit),
				SQL_TEXT(counter_state_name(e->state)) },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

int run_store_head_write(struct sqlite3 *db, const struct run *run, struct sp_err *err)
{
	int rc = run_row_write(db, run, err);

	if (rc == 0)
		rc = config_write(db, &run->config, err);
	if (rc == 0)
		rc = rates_write(db, &run->config, err);
	if (rc == 0)
		rc = traffic_write(db, &run->traffic, err);
	if (rc == 0)
		rc = fingerprint_write(db, run, err);
	if (rc == 0)
		rc = notes_write(db, run, err);
	return rc;
}
