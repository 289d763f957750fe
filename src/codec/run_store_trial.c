/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Write a trial to a run file. */
#include "config.h"

#include "codec/run_store_trial.h"

#include "codec/run_store_fact.h"
#include "codec/run_store_words.h"
#include "codec/sql.h"

static int trial_row_write(
	struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	const struct trial_spec *k = &t->spec;
	const struct sampling_use *u = &t->sampling;

	return sql_run(db,
		"INSERT INTO trial VALUES"
		" (?,?,?,?,?,NULL,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?,?)",
		(struct sql_arg[]){ SQL_INT(k->id), SQL_INT(t->segment),
			SQL_INT(k->phase), SQL_INT(k->block), SQL_INT(k->arm),
			SQL_TEXT(trial_kind_name(k->kind)), SQL_REAL(k->rate_pps),
			SQL_REAL(k->rel_rate), SQL_COUNT(k->duration_ns),
			SQL_INT(k->burst), SQL_COUNT(t->t_start_ns),
			SQL_COUNT(t->t_end_ns), SQL_COUNT(t->window_ns),
			SQL_COUNT(t->window_pkts), SQL_REAL(t->window_pps),
			SQL_REAL(t->loss_frac),
			SQL_TEXT(limited_by_name(t->limited_by)), SQL_INT(t->valid),
			SQL_REAL(t->cpu_ns_per_pkt), SQL_INT(u->sampled),
			SQL_COUNT(u->n_samples), SQL_COUNT(u->n_lost),
			SQL_COUNT(u->n_throttled), SQL_COUNT(u->max_sample_rate_hz) },
		err);
}

static int reasons_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(&s, db, "INSERT INTO reason VALUES (?,?,?)", err);

	for (i = 0; rc == 0 && i < t->n_reasons; i++)
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_INT(t->spec.id), SQL_COUNT(i),
				SQL_TEXT(t->reasons[i]) },
			err);
	sql_stmt_close(&s);
	return rc;
}

/* All points have a row, so that "absent" can be told from "forgotten". */
static int ledger_write(
	struct sqlite3 *db, uint32_t trial, const struct ledger *l, struct sp_err *err)
{
	struct sql_stmt s;
	unsigned p;
	int rc = sql_stmt_open(&s, db, "INSERT INTO ledger VALUES (?,?,?,?,?)", err);

	for (p = 0; rc == 0 && p < LEDGER_N_POINTS; p++) {
		struct sql_arg count = SQL_COUNT(l->count[p]);

		if (l->source[p] == LEDGER_ABSENT)
			count = SQL_NULL;
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_INT(trial),
				SQL_TEXT(run_store_dir_name(l->dir)),
				SQL_TEXT(ledger_point_name((enum ledger_point)p)),
				SQL_TEXT(ledger_source_name(l->source[p])), count },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int places_write(
	struct sqlite3 *db, uint32_t trial, const struct ledger *l, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, db, "INSERT INTO ledger_place VALUES (?,?,?,?,?,?)", err);

	for (i = 0; rc == 0 && i < l->n_places; i++) {
		const struct ledger_place *p = &l->places[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_INT(trial),
				SQL_TEXT(run_store_dir_name(l->dir)), SQL_COUNT(i),
				SQL_TEXT(ledger_point_name(p->point)),
				SQL_TEXT(p->name), SQL_COUNT(p->count) },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int ledgers_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < t->n_ledgers; i++) {
		rc = ledger_write(db, t->spec.id, &t->ledgers[i], err);
		if (rc == 0)
			rc = places_write(db, t->spec.id, &t->ledgers[i], err);
	}
	return rc;
}

static int delay_write(struct sqlite3 *db, uint32_t trial, const char *kind,
	const struct latency_summary *l, struct sp_err *err)
{
	return sql_run(db, "INSERT INTO delay VALUES (?,?,?,?,?,?,?)",
		(struct sql_arg[]){ SQL_INT(trial), SQL_TEXT(kind), SQL_COUNT(l->n),
			SQL_COUNT(l->p50_ns), SQL_COUNT(l->p99_ns),
			SQL_COUNT(l->p999_ns), SQL_COUNT(l->max_ns) },
		err);
}

static int delays_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = delay_write(db, t->spec.id, "lateness", &t->lateness, err);

	if (rc == 0 && t->has_latency)
		rc = delay_write(db, t->spec.id, "latency", &t->latency, err);
	if (rc != 0)
		return rc;
	rc = sql_stmt_open(&s, db, "INSERT INTO latency_bin VALUES (?,?,?,?,?)", err);
	for (i = 0; rc == 0 && i < t->n_bins; i++)
		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_INT(t->spec.id), SQL_COUNT(i),
				SQL_COUNT(t->bins[i].lo_ns),
				SQL_COUNT(t->bins[i].width_ns),
				SQL_COUNT(t->bins[i].count) },
			err);
	sql_stmt_close(&s);
	return rc;
}

static int cpus_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, db, "INSERT INTO cpu_use VALUES (?,?,?,?,?,?,?,?,?,?)", err);

	for (i = 0; rc == 0 && i < t->n_cpus; i++) {
		const struct cpu_use *u = &t->cpus[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_INT(t->spec.id), SQL_COUNT(i),
				SQL_INT(u->cpu), SQL_COUNT(u->wall_ns),
				SQL_COUNT(u->busy_ns), SQL_COUNT(u->user_ns),
				SQL_COUNT(u->system_ns), SQL_COUNT(u->softirq_ns),
				SQL_COUNT(u->irq_ns), SQL_COUNT(u->steal_ns) },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int threads_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, db, "INSERT INTO thread_use VALUES (?,?,?,?,?,?,?,?,?,?)", err);

	for (i = 0; rc == 0 && i < t->n_threads; i++) {
		const struct thread_use *u = &t->threads[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_INT(t->spec.id), SQL_COUNT(i),
				SQL_INT(u->pid), SQL_INT(u->tid), SQL_TEXT(u->comm),
				SQL_INT(u->cpu), SQL_COUNT(u->run_ns),
				SQL_COUNT(u->wait_ns), SQL_COUNT(u->n_voluntary),
				SQL_COUNT(u->n_involuntary) },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

static int counters_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	struct sql_stmt s;
	size_t i;
	int rc = sql_stmt_open(
		&s, db, "INSERT INTO counter VALUES (?,?,?,?,?,?,?,?)", err);

	for (i = 0; rc == 0 && i < t->n_counters; i++) {
		const struct counter_value *v = &t->counters[i];

		rc = sql_stmt_run(&s,
			(struct sql_arg[]){ SQL_INT(t->spec.id), SQL_COUNT(i),
				SQL_INT(v->event), SQL_INT(v->cpu),
				SQL_TEXT(counter_state_name(v->state)),
				SQL_COUNT(v->value), SQL_COUNT(v->enabled_ns),
				SQL_COUNT(v->running_ns) },
			err);
	}
	sql_stmt_close(&s);
	return rc;
}

int run_store_trial_write(struct sqlite3 *db, const struct trial *t, struct sp_err *err)
{
	static int (*const writers[])(struct sqlite3 *, const struct trial *,
		struct sp_err *) = { trial_row_write, reasons_write, ledgers_write,
		delays_write, cpus_write, threads_write, counters_write,
		run_store_fact_write };
	size_t i;
	int rc = 0;

	for (i = 0; rc == 0 && i < sizeof(writers) / sizeof(writers[0]); i++)
		rc = writers[i](db, t, err);
	return rc;
}
