/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Read the trials of a run file, believing nothing. */
#include "config.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/mem.h"
#include "codec/run_store_fact.h"
#include "codec/run_store_trial.h"
#include "codec/run_store_words.h"
#include "codec/sql.h"
#include "model/run_view.h"

#define MAX_REAL RUN_STORE_MAX_DOUBLE

/* A confirmation is of the reference, the observed arm and the forced one. */
static bool is_arm_of_phase(const struct run *run, const struct trial_spec *k)
{
	const struct arm *forced = run_view_forced(run, k->phase);

	if (k->phase == 0)
		return !run->arms[k->arm].force.is_forced;
	return forced != NULL && (k->arm == 0 || k->arm == forced->force.arm ||
					 &run->arms[k->arm] == forced);
}

static void spec_read(struct sql_cursor *c, const struct run *run, struct trial_spec *k)
{
	k->id = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ID);
	k->phase = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ARMS);
	k->block = (uint32_t)sql_get_count(c, RUN_STORE_MAX_BLOCK);
	k->arm = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ARMS);
	if (k->arm >= run->n_arms)
		sql_cursor_fail(c, "no such arm");
	else if (!is_arm_of_phase(run, k))
		sql_cursor_fail(c, "not an arm of its phase");
	k->kind = (enum trial_kind)sql_get_word(c, trial_kind_parse);
	k->rate_pps = sql_get_real(c, 0, RUN_STORE_MAX_PPS);
	k->rel_rate = sql_get_real(c, 0, RUN_STORE_MAX_PPS);
	k->duration_ns = sql_get_count(c, RUN_STORE_MAX_NS);
	k->burst = (uint32_t)sql_get_count(c, TRAFFIC_BURST_MAX);
}

static void trial_row_read(struct sql_cursor *c, const struct run *run, struct trial *t)
{
	spec_read(c, run, &t->spec);
	t->segment = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ID);
	t->t_start_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->t_end_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->window_ns = sql_get_count(c, RUN_STORE_MAX_NS);
	t->window_pkts = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->window_pps = sql_get_real_or_nan(c, 0, RUN_STORE_MAX_PPS);
	t->loss_frac = sql_get_real_or_nan(c, -MAX_REAL, MAX_REAL);
	t->limited_by = (enum limited_by)sql_get_word(c, limited_by_parse);
	t->valid = sql_get_bool(c);
	t->cpu_ns_per_pkt = sql_get_real_or_nan(c, -MAX_REAL, MAX_REAL);
	t->sampling.sampled = sql_get_bool(c);
	t->sampling.n_samples = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->sampling.n_lost = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->sampling.n_throttled = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->sampling.max_sample_rate_hz = sql_get_count(c, RUN_STORE_MAX_COUNT);
}

static int trial_rows_read(
	struct sqlite3 *db, struct run *run, uint32_t n_segments, struct sp_err *err)
{
	struct sql_cursor c;
	uint32_t last_id = 0, last_phase = 0;
	int rc = sql_cursor_open(&c, db, "trial",
		"SELECT id, phase, block, arm, kind, rate_pps, rel_rate, duration_ns,"
		" burst_pkts, segment, t_start_ns, t_end_ns, window_ns, window_pkts,"
		" window_pps, loss_frac, limited_by, valid, cpu_ns_per_pkt, sampled,"
		" n_samples, n_lost, n_throttled, max_sample_rate_hz"
		" FROM trial ORDER BY id",
		err);

	while (rc == 0 && sql_cursor_next(&c)) {
		struct trial t = { .n_reasons = 0 };

		trial_row_read(&c, run, &t);
		if (t.spec.id <= last_id)
			sql_cursor_fail(&c, "numbers do not grow from 1");
		if (t.spec.phase < last_phase)
			sql_cursor_fail(&c, "phases do not follow each other");
		if (t.segment < 1 || t.segment > n_segments)
			sql_cursor_fail(&c, "no such segment");
		last_id = t.spec.id;
		last_phase = t.spec.phase;
		run_add_trial(run, &t);
	}
	return sql_cursor_close(&c);
}

/*
 * The trial that a row belongs to; rows come by trial, so *pos only moves on.
 * Never NULL: a row without its trial fails the cursor and lands in the spare.
 */
static struct trial *row_trial(
	struct sql_cursor *c, struct run *run, size_t *pos, struct trial *spare)
{
	uint32_t id = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ID);

	while (*pos < run->n_trials && run->trials[*pos].spec.id < id)
		(*pos)++;
	if (*pos < run->n_trials && run->trials[*pos].spec.id == id)
		return &run->trials[*pos];
	sql_cursor_fail(c, "no such trial");
	return spare;
}

static void reason_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	(void)run;
	if (t->n_reasons == TRIAL_MAX_REASONS) {
		sql_cursor_fail(c, "too many reasons");
		return;
	}
	(void)snprintf(t->reasons[t->n_reasons++], sizeof(t->reasons[0]), "%s",
		sql_get_text(c, sizeof(t->reasons[0]) - 1));
}

/* The ledger of the direction, begun when it is the next; never NULL. */
static struct ledger *dir_ledger(struct sql_cursor *c, struct trial *t, bool may_begin)
{
	enum traffic_dir dir = (enum traffic_dir)sql_get_word(c, run_store_dir_parse);
	size_t i;

	for (i = 0; i < t->n_ledgers; i++)
		if (t->ledgers[i].dir == dir)
			return &t->ledgers[i];
	if (may_begin && t->n_ledgers < 2) {
		t->ledgers[t->n_ledgers].dir = dir;
		return &t->ledgers[t->n_ledgers++];
	}
	sql_cursor_fail(c, "no such ledger");
	return &t->ledgers[0];
}

static void ledger_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	struct ledger *l = dir_ledger(c, t, true);
	int p = sql_get_word(c, run_store_point_parse);

	(void)run;
	l->source[p] = (enum ledger_source)sql_get_word(c, run_store_source_parse);
	if (l->source[p] != LEDGER_ABSENT)
		l->count[p] = sql_get_count(c, RUN_STORE_MAX_COUNT);
	else if (!sql_is_null(c))
		sql_cursor_fail(c, "an absent point with a count");
}

static void place_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	struct ledger *l = dir_ledger(c, t, false);
	struct ledger_place *p = &l->places[0];

	(void)run;
	if (l->n_places == LEDGER_MAX_PLACES) {
		sql_cursor_fail(c, "too many places");
		return;
	}
	p = &l->places[l->n_places++];
	p->point = (enum ledger_point)sql_get_word(c, run_store_point_parse);
	(void)snprintf(
		p->name, sizeof(p->name), "%s", sql_get_text(c, sizeof(p->name) - 1));
	p->count = sql_get_count(c, RUN_STORE_MAX_COUNT);
}

static int delay_kind_parse(const char *word)
{
	if (strcmp(word, "latency") == 0)
		return 1;
	return strcmp(word, "lateness") == 0 ? 0 : -1;
}

static void delay_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	bool is_latency = sql_get_word(c, delay_kind_parse) == 1;
	struct latency_summary *l = is_latency ? &t->latency : &t->lateness;

	(void)run;
	t->has_latency |= is_latency;
	l->n = sql_get_count(c, RUN_STORE_MAX_COUNT);
	l->p50_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	l->p99_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	l->p999_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	l->max_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
}

static void bin_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	struct hist_bin b;

	(void)run;
	b.lo_ns = sql_get_count(c, RUN_STORE_MAX_COUNT / 2);
	b.width_ns = sql_get_count(c, RUN_STORE_MAX_COUNT / 2);
	b.count = sql_get_count(c, RUN_STORE_MAX_COUNT);
	if (t->n_bins > 0 && b.lo_ns <= t->bins[t->n_bins - 1].lo_ns)
		sql_cursor_fail(c, "bins do not ascend");
	t->bins = xgrow(t->bins, t->n_bins, &t->cap_bins, sizeof(b));
	t->bins[t->n_bins++] = b;
}

static void cpu_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	struct cpu_use u;

	(void)run;
	u.cpu = (int32_t)sql_get_int(c, -1, RUN_STORE_MAX_CPU);
	u.wall_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.busy_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.user_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.system_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.softirq_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.irq_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.steal_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->cpus = xgrow(t->cpus, t->n_cpus, &t->cap_cpus, sizeof(u));
	t->cpus[t->n_cpus++] = u;
}

static void thread_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	struct thread_use u = { .cpu = -1 };

	(void)run;
	u.pid = (int32_t)sql_get_int(c, INT32_MIN, INT32_MAX);
	u.tid = (int32_t)sql_get_int(c, INT32_MIN, INT32_MAX);
	(void)snprintf(
		u.comm, sizeof(u.comm), "%s", sql_get_text(c, sizeof(u.comm) - 1));
	u.cpu = (int32_t)sql_get_int(c, -1, RUN_STORE_MAX_CPU);
	u.run_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.wait_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.n_voluntary = sql_get_count(c, RUN_STORE_MAX_COUNT);
	u.n_involuntary = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->threads = xgrow(t->threads, t->n_threads, &t->cap_threads, sizeof(u));
	t->threads[t->n_threads++] = u;
}

static void counter_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	struct counter_value v;

	v.event = (uint32_t)sql_get_count(c, RUN_STORE_MAX_ID);
	if (v.event >= run->n_events)
		sql_cursor_fail(c, "no such event");
	v.cpu = (int32_t)sql_get_int(c, -1, RUN_STORE_MAX_CPU);
	v.state = (enum counter_state)sql_get_word(c, counter_state_parse);
	v.value = sql_get_count(c, RUN_STORE_MAX_COUNT);
	v.enabled_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	v.running_ns = sql_get_count(c, RUN_STORE_MAX_COUNT);
	t->counters = xgrow(t->counters, t->n_counters, &t->cap_counters, sizeof(v));
	t->counters[t->n_counters++] = v;
}

static void fact_read(struct sql_cursor *c, struct run *run, struct trial *t)
{
	(void)run;
	run_store_fact_read(c, t);
}

/* What hangs on trials: a table, its rows by trial, and who reads one. */
static const struct trial_part {
	const char *table;
	const char *text;
	void (*read)(struct sql_cursor *c, struct run *run, struct trial *t);
} trial_parts[] = {
	{ "reason", "SELECT trial, text FROM reason ORDER BY trial, pos", reason_read },
	{ "ledger",
		"SELECT trial, dir, point, source, count_pkts FROM ledger"
		" ORDER BY trial, dir, point",
		ledger_read },
	{ "ledger_place",
		"SELECT trial, dir, point, name, count_pkts FROM ledger_place"
		" ORDER BY trial, dir, pos",
		place_read },
	{ "delay",
		"SELECT trial, kind, n, p50_ns, p99_ns, p999_ns, max_ns FROM delay"
		" ORDER BY trial, kind",
		delay_read },
	{ "latency_bin",
		"SELECT trial, lo_ns, width_ns, count_pkts FROM latency_bin"
		" ORDER BY trial, pos",
		bin_read },
	{ "cpu_use",
		"SELECT trial, cpu, wall_ns, busy_ns, user_ns, system_ns, softirq_ns,"
		" irq_ns, steal_ns FROM cpu_use ORDER BY trial, pos",
		cpu_read },
	{ "thread_use",
		"SELECT trial, pid, tid, comm, cpu, run_ns, wait_ns, n_voluntary,"
		" n_involuntary FROM thread_use ORDER BY trial, pos",
		thread_read },
	{ "counter",
		"SELECT trial, event, cpu, state, value, enabled_ns, running_ns"
		" FROM counter ORDER BY trial, pos",
		counter_read },
	{ "fact", RUN_STORE_FACT_SELECT, fact_read },
};

static int part_read(struct sqlite3 *db, struct run *run, const struct trial_part *part,
	struct sp_err *err)
{
	struct trial spare = { .n_reasons = 0 };
	struct sql_cursor c;
	size_t pos = 0;
	int rc = sql_cursor_open(&c, db, part->table, part->text, err);

	while (rc == 0 && sql_cursor_next(&c)) {
		struct trial *t = row_trial(&c, run, &pos, &spare);

		part->read(&c, run, t);
	}
	trial_done(&spare);
	return sql_cursor_close(&c);
}

int run_store_trials_read(
	struct sqlite3 *db, struct run *run, uint32_t n_segments, struct sp_err *err)
{
	size_t i;
	int rc = trial_rows_read(db, run, n_segments, err);

	for (i = 0; rc == 0 && i < sizeof(trial_parts) / sizeof(trial_parts[0]); i++)
		rc = part_read(db, run, &trial_parts[i], err);
	return rc;
}
