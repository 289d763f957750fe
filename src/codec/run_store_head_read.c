/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read the head of a run file, believing nothing. */
#include "config.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "codec/run_store_head.h"
#include "codec/run_store_words.h"
#include "codec/sql.h"

static void text_replace(char **text, struct sql_cursor *c)
{
	free(*text);
	*text = xstrdup(sql_get_text(c, RUN_STORE_MAX_TEXT));
}

/* For the tables that have exactly one row. */
static bool only_row(struct sql_cursor *c)
{
	if (sql_cursor_next(c))
		return true;
	sql_cursor_fail(c, "the row is missing");
	return false;
}

static int run_row_read(struct sqlite3 *db, struct run *run, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "run",
		"SELECT satprof_version, command_line, started_at, config_json,"
		" finished, sut_output FROM run",
		err);

	if (rc == 0 && only_row(&c)) {
		text_replace(&run->version, &c);
		text_replace(&run->command_line, &c);
		text_replace(&run->started_at, &c);
		text_replace(&run->config_json, &c);
		run->finished = sql_get_bool(&c);
		if (!sql_is_null(&c))
			text_replace(&run->sut_output, &c);
	}
	return sql_cursor_close(&c);
}

static int config_read(struct sqlite3 *db, struct sweep_config *k, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "config",
		"SELECT seed, n_blocks, trial_ns, profile_trial_ns, latency_trials,"
		" margin_frac, level_frac, dither_frac, burst_pkts, max_time_ns,"
		" ndr, until_decided, n_confirm FROM config",
		err);

	if (rc == 0 && only_row(&c)) {
		k->seed = sql_get_bits(&c);
		k->n_blocks = (uint32_t)sql_get_count(&c, RUN_STORE_MAX_BLOCK);
		k->trial_ns = sql_get_count(&c, RUN_STORE_MAX_NS);
		k->profile_trial_ns = sql_get_count(&c, RUN_STORE_MAX_NS);
		k->latency_trials = sql_get_bool(&c);
		k->margin_frac = sql_get_real(&c, 0, 1);
		k->level = sql_get_real(&c, 0, 1);
		k->dither_frac = sql_get_real(&c, 0, 1);
		k->burst = (uint32_t)sql_get_count(&c, TRAFFIC_BURST_MAX);
		k->max_time_ns = sql_get_count(&c, RUN_STORE_MAX_COUNT);
		k->ndr = (enum ndr_preset)sql_get_word(&c, ndr_preset_parse);
		k->until_decided = sql_get_bool(&c);
		k->n_confirm = (uint32_t)sql_get_count(&c, N_FACTORS);
	}
	return sql_cursor_close(&c);
}

static int rates_read(struct sqlite3 *db, struct sweep_config *k, struct sp_err *err)
{
	const size_t max_rel = sizeof(k->rel_rates) / sizeof(k->rel_rates[0]);
	struct sql_cursor c;
	size_t cap = 0;
	int rc = sql_cursor_open(
		&c, db, "rate", "SELECT kind, value FROM rate ORDER BY kind, pos", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		bool is_rel = strcmp(sql_get_text(&c, 8), "frac") == 0;
		double v = sql_get_real(&c, 0, RUN_STORE_MAX_PPS);

		if (is_rel && k->n_rel_rates < max_rel) {
			k->rel_rates[k->n_rel_rates++] = v;
		} else if (!is_rel && k->n_rates < RUN_STORE_MAX_RATES) {
			k->rates_pps =
				xgrow(k->rates_pps, k->n_rates, &cap, sizeof(double));
			k->rates_pps[k->n_rates++] = v;
		} else {
			sql_cursor_fail(&c, "too many rates");
		}
	}
	return sql_cursor_close(&c);
}

static int traffic_read(struct sqlite3 *db, struct traffic *t, struct sp_err *err)
{
	struct sql_cursor c;
	uint64_t mac;
	size_t i;
	int rc = sql_cursor_open(&c, db, "traffic",
		"SELECT kind, frame_bytes, n_flows, burst_pkts, pcap_path, pcap_tag,"
		" pcap_pace, pcap_speed, bidir, dst_mac, dst_mac_sut,"
		" mean_frame_bytes FROM traffic",
		err);

	if (rc == 0 && only_row(&c)) {
		t->kind = (enum traffic_kind)sql_get_word(
			&c, run_store_traffic_kind_parse);
		t->frame_bytes = (uint32_t)sql_get_count(&c, TRAFFIC_FRAME_MAX_BYTES);
		t->n_flows = (uint32_t)sql_get_count(&c, TRAFFIC_FLOWS_MAX);
		t->burst = (uint32_t)sql_get_count(&c, TRAFFIC_BURST_MAX);
		(void)snprintf(t->pcap_path, sizeof(t->pcap_path), "%s",
			sql_get_text(&c, sizeof(t->pcap_path) - 1));
		t->pcap_tag = sql_get_bool(&c);
		t->pcap_pace =
			(enum pcap_pace)sql_get_word(&c, run_store_pcap_pace_parse);
		t->pcap_speed = sql_get_real(&c, 0, RUN_STORE_MAX_PPS);
		t->bidir = sql_get_bool(&c);
		mac = sql_get_count(&c, (UINT64_C(1) << 48) - 1);
		for (i = 0; i < sizeof(t->dst_mac); i++)
			t->dst_mac[i] = (uint8_t)(mac >> (40 - 8 * i));
		t->dst_mac_sut = sql_get_bool(&c);
		t->mean_frame_bytes = sql_get_real(&c, 0, 1e6);
	}
	return sql_cursor_close(&c);
}

static int segments_read(struct sqlite3 *db, uint32_t *ret, struct sp_err *err)
{
	struct sql_cursor c;
	uint32_t n = 0;
	int rc = sql_cursor_open(
		&c, db, "segment", "SELECT id FROM segment ORDER BY id", err);

	while (rc == 0 && sql_cursor_next(&c))
		if (sql_get_count(&c, RUN_STORE_MAX_ID) != ++n)
			sql_cursor_fail(&c, "numbers are not 1, 2, 3...");
	if (rc == 0 && n == 0)
		sql_cursor_fail(&c, "the first row is missing");
	rc = sql_cursor_close(&c);
	if (rc == 0)
		*ret = n;
	return rc;
}

static int arms_read(struct sqlite3 *db, struct run *run, struct sp_err *err)
{
	struct sql_cursor c;
	struct sp_err arm_err;
	int rc = sql_cursor_open(
		&c, db, "arm", "SELECT id, name, hz FROM arm ORDER BY id", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		struct arm a = { .hz = 0 };

		if (sql_get_count(&c, RUN_STORE_MAX_ARMS) != run->n_arms)
			sql_cursor_fail(&c, "numbers are not 0, 1, 2...");
		if (arm_name_parse(sql_get_text(&c, ARM_NAME_MAX - 1), &a, &arm_err) !=
			0)
			sql_cursor_fail(&c, "not an arm this satprof knows");
		a.hz = sql_get_real(&c, 0, 1e9);
		run->arms = xgrow(run->arms, run->n_arms, &run->cap_arms, sizeof(a));
		run->arms[run->n_arms++] = a;
	}
	return sql_cursor_close(&c);
}

/* Forced arms come last, confirmation by confirmation. */
static void forces_check(struct sql_cursor *c, const struct run *run)
{
	uint32_t phase = 0;
	size_t i, n_plain = 0;

	for (i = 0; i < run->n_arms; i++) {
		const struct arm_force *f = &run->arms[i].force;

		if (!f->is_forced) {
			n_plain++;
			if (phase > 0)
				sql_cursor_fail(
					c, "a forced arm is not among the last");
			continue;
		}
		if (f->n_parts == 0)
			sql_cursor_fail(c, "a forced arm without a row");
		if (f->phase != ++phase)
			sql_cursor_fail(c, "phases are not 1, 2, 3...");
		if (f->arm == 0 || f->arm >= n_plain)
			sql_cursor_fail(c, "no such observed arm");
	}
}

static void force_row_read(struct sql_cursor *c, struct run *run)
{
	size_t arm = (size_t)sql_get_count(c, RUN_STORE_MAX_ARMS);
	uint32_t phase = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ARMS);
	uint32_t observed = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ARMS);
	int factor = sql_get_word(c, factor_parse);
	char of[FACT_OF_MAX], value[ARM_FORCE_VALUE_MAX];
	struct arm *a;

	(void)snprintf(of, sizeof(of), "%s", sql_get_text(c, sizeof(of) - 1));
	(void)snprintf(value, sizeof(value), "%s", sql_get_text(c, sizeof(value) - 1));
	if (arm >= run->n_arms || !run->arms[arm].force.is_forced) {
		sql_cursor_fail(c, "no such forced arm");
		return;
	}
	a = &run->arms[arm];
	if ((int)a->force.factor != factor)
		sql_cursor_fail(c, "not the factor of the arm's name");
	if (a->force.n_parts > 0 &&
		(a->force.phase != phase || a->force.arm != observed))
		sql_cursor_fail(c, "an arm of two phases");
	a->force.phase = phase;
	a->force.arm = observed;
	if (!arm_force_add(a, of, value,
		    sql_get_real_or_nan(
			    c, -RUN_STORE_MAX_DOUBLE, RUN_STORE_MAX_DOUBLE)))
		sql_cursor_fail(c, "too many rows of one arm");
}

static int forces_read(struct sqlite3 *db, struct run *run, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "arm_force",
		"SELECT arm, phase, observed, factor, of, value, number"
		" FROM arm_force ORDER BY arm, pos",
		err);

	while (rc == 0 && sql_cursor_next(&c))
		force_row_read(&c, run);
	if (rc == 0)
		forces_check(&c, run);
	return sql_cursor_close(&c);
}

static int events_read(struct sqlite3 *db, struct run *run, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "event",
		"SELECT id, name, unit, state FROM event ORDER BY id", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		struct run_event *e;

		if (sql_get_count(&c, RUN_STORE_MAX_ID) != run->n_events)
			sql_cursor_fail(&c, "numbers are not 0, 1, 2...");
		run->events =
			xgrow(run->events, run->n_events, &run->cap_events, sizeof(*e));
		e = &run->events[run->n_events++];
		e->name = xstrdup(sql_get_text(&c, RUN_STORE_MAX_TEXT));
		e->unit = xstrdup(sql_get_text(&c, RUN_STORE_MAX_TEXT));
		e->state = (enum counter_state)sql_get_word(&c, counter_state_parse);
	}
	return sql_cursor_close(&c);
}

static int fingerprint_read(struct sqlite3 *db, struct run *run, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(&c, db, "fingerprint",
		"SELECT key, value, is_number FROM fingerprint ORDER BY pos", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		char *key = xstrdup(sql_get_text(&c, RUN_STORE_MAX_TEXT));
		char *value = xstrdup(sql_get_text(&c, RUN_STORE_MAX_TEXT));

		if (c.row > RUN_STORE_MAX_LIST)
			sql_cursor_fail(&c, "too many rows");
		run_set_fact(run, key, value, sql_get_bool(&c));
		free(key);
		free(value);
	}
	return sql_cursor_close(&c);
}

static int notes_read(struct sqlite3 *db, struct run *run, struct sp_err *err)
{
	struct sql_cursor c;
	int rc = sql_cursor_open(
		&c, db, "note", "SELECT text FROM note ORDER BY pos", err);

	while (rc == 0 && sql_cursor_next(&c)) {
		if (c.row > RUN_STORE_MAX_LIST)
			sql_cursor_fail(&c, "too many rows");
		run_add_note(run, "%s", sql_get_text(&c, RUN_STORE_MAX_TEXT));
	}
	return sql_cursor_close(&c);
}

int run_store_head_read(
	struct sqlite3 *db, struct run *run, uint32_t *ret_segment, struct sp_err *err)
{
	int rc = run_row_read(db, run, err);

	if (rc == 0)
		rc = config_read(db, &run->config, err);
	if (rc == 0)
		rc = rates_read(db, &run->config, err);
	if (rc == 0)
		rc = traffic_read(db, &run->traffic, err);
	if (rc == 0)
		rc = segments_read(db, ret_segment, err);
	if (rc == 0)
		rc = arms_read(db, run, err);
	if (rc == 0)
		rc = forces_read(db, run, err);
	if (rc == 0)
		rc = events_read(db, run, err);
	if (rc == 0)
		rc = fingerprint_read(db, run, err);
	if (rc == 0)
		rc = notes_read(db, run, err);
	return rc;
}
