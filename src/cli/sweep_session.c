/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A sweep from its options to its answer. */
#include "config.h"

#include "cli/sweep_session.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/commands.h"
#include "cli/progress.h"
#include "cli/say.h"
#include "cli/sweep_live.h"
#include "codec/run_store.h"
#include "engine/sweep.h"
#include "model/run_view.h"
#include "model/verdict.h"
#include "plan/analysis.h"
#include "plan/confirm.h"
#include "plan/sweep_plan.h"
#include "sim/fluid.h"

struct sweep_session {
	const struct sweep_session_kind *kind;
	struct sweep_options o;
	struct run *run;
	struct run_store *store;
	struct sweep_live *live; /* NULL: simulated */
	struct fluid *fluid;     /* NULL: live */
	int argc; /* the options' words: ours, or the run file's (--resume) */
	char **argv;
	bool argv_owned;
	bool is_new; /* the run file was made by this session */
};

static void note(const struct sweep_session *s, const char *text)
{
	if (!s->o.quiet)
		say("%s", text);
}

static struct tm now_utc(void)
{
	time_t now = time(NULL);
	struct tm tm;

	(void)gmtime_r(&now, &tm);
	return tm;
}

/* ISO 8601 for the record. */
static char *now_iso(void)
{
	char buf[32];
	struct tm tm = now_utc();

	(void)strftime(buf, sizeof(buf), "%Y-%m-%dT%H:%M:%SZ", &tm);
	return xstrdup(buf);
}

/* A name that is free: several sweeps may begin in one second. */
static char *dated_path(void)
{
	char date[32];
	struct tm tm = now_utc();
	char *path;
	int n;

	(void)strftime(date, sizeof(date), "satprof-%Y%m%d-%H%M%S", &tm);
	path = xasprintf("%s.satprof", date);
	for (n = 2; n < 1000 && access(path, F_OK) == 0; n++) {
		free(path);
		path = xasprintf("%s-%d.satprof", date, n);
	}
	return path;
}

static char *join_words(int argc, char **argv)
{
	char *s = xstrdup(argv[0]), *t;
	int i;

	for (i = 1; i < argc; i++) {
		t = xasprintf("%s %s", s, argv[i]);
		free(s);
		s = t;
	}
	return s;
}

/* Hand the options' arms, rates and traffic to a new run. */
static struct run *run_from_options(struct sweep_session *s)
{
	struct run *run = run_new();
	struct sweep_options *o = &s->o;
	struct timespec ts;
	size_t i;

	(void)clock_gettime(CLOCK_REALTIME, &ts);
	if (!o->seed_given)
		o->config.seed = (uint64_t)ts.tv_sec * NS_PER_S + (uint64_t)ts.tv_nsec;
	free(run->version);
	run->version = xstrdup(SATPROF_VERSION);
	free(run->command_line);
	run->command_line = join_words(s->argc, s->argv);
	free(run->started_at);
	run->started_at = now_iso();
	free(run->config_json);
	run->config_json = sweep_argv_to_json(s->argc, s->argv);
	run->config = o->config;
	/* The run owns the ladder now. */
	o->config.rates_pps = NULL;
	o->config.n_rates = 0;
	run->traffic = o->traffic;
	for (i = 0; i < o->n_arms; i++) {
		run->arms = xgrow(
			run->arms, run->n_arms, &run->cap_arms, sizeof(*run->arms));
		run->arms[run->n_arms++] = o->arms[i];
	}
	return run;
}

static void number_fact(struct run *run, const char *key, double v)
{
	char buf[32];

	(void)snprintf(buf, sizeof(buf), "%.10g", v);
	run_set_fact(run, key, buf, true);
}

/* The traffic's part of the fingerprint. */
static void add_traffic_facts(struct run *run)
{
	const struct traffic *t = &run->traffic;

	number_fact(run, "burst", t->burst);
	number_fact(run, "flows", t->n_flows);
	number_fact(run, "frame_bytes", t->mean_frame_bytes);
	run_set_fact(run, "traffic",
		t->kind == TRAFFIC_PCAP   ? "pcap"
		: t->kind == TRAFFIC_IMIX ? "imix"
					  : "fixed",
		false);
	run_set_fact(run, "bidir", t->bidir ? "true" : "false", true);
	run_set_fact(run, "version", run->version, false);
}

/* The run file's name: as asked for, or from the date. */
static void choose_path(struct sweep_session *s)
{
	free(s->run->path);
	s->run->path = s->o.output != NULL ? xstrdup(s->o.output) : dated_path();
}

static int check_output(const struct sweep_session *s, struct sp_err *err)
{
	if (s->o.output != NULL && access(s->o.output, F_OK) == 0)
		return sp_err_set(err, SP_EUSAGE,
			"%s exists: choose another name with -o, or go on with "
			"--resume",
			s->o.output);
	return 0;
}

/* Notes of how an earlier session ended are no longer true. */
static void forget_endings(struct run *run)
{
	size_t i, n = 0;

	for (i = 0; i < run->n_notes; i++) {
		if (strncmp(run->notes[i], "ended early", 11) == 0)
			free(run->notes[i]);
		else
			run->notes[n++] = run->notes[i];
	}
	run->n_notes = n;
}

/* True when nothing but --resume RUN, --json and --quiet was said. */
static bool only_output_options(int argc, char **argv)
{
	int i;

	for (i = 1; i < argc; i++) {
		if (strcmp(argv[i], "--resume") == 0)
			i++;
		else if (strncmp(argv[i], "--resume=", 9) != 0 &&
			 strcmp(argv[i], "--json") != 0 &&
			 strcmp(argv[i], "--quiet") != 0)
			return false;
	}
	return true;
}

/* The run to go on with was begun by this command. */
static bool is_ours(const struct sweep_session *s)
{
	size_t n = strlen(s->argv[0]);

	return strncmp(s->run->command_line, s->argv[0], n) == 0 &&
	       (s->run->command_line[n] == ' ' || s->run->command_line[n] == '\0');
}

/* --resume: the options are the run file's; only the output's are the caller's. */
static int resume(struct sweep_session *s, struct sp_err *err)
{
	bool json = s->o.json, quiet = s->o.quiet, help = false;
	const char *path = s->o.resume;
	int rc;

	if (!only_output_options(s->argc, s->argv))
		return sp_err_set(err, SP_EUSAGE,
			"with --resume the options are the run file's: only --json and "
			"--quiet go with it");
	rc = run_store_resume(path, &s->store, &s->run, err);
	if (rc != 0)
		return rc;
	if (!is_ours(s))
		return sp_err_set(err, SP_EUSAGE,
			"%s was made by another command: go on with that: %.60s", path,
			s->run->command_line);
	if (s->run->finished)
		return sp_err_set(err, SP_EUSAGE,
			"%s is finished: `satprof show %s` prints it", path, path);
	rc = sweep_argv_from_json(s->run->config_json, &s->argc, &s->argv, err);
	if (rc != 0)
		return rc;
	s->argv_owned = true;
	sweep_options_done(&s->o);
	rc = sweep_options_parse(s->kind->use, s->argc, s->argv, &s->o, &help, err);
	s->o.json = json;
	s->o.quiet = quiet;
	forget_endings(s->run);
	return rc != 0 ? sp_err_push(err, "the options in %s", path) : 0;
}

static int open_measure(struct sweep_session *s, struct sp_err *err)
{
	struct fluid_config fc = { .seed = s->run->config.seed + 1 };
	size_t n_arms = s->run->n_arms;
	int rc;

	if (s->o.sim != NULL) {
		rc = fluid_config_parse(s->o.sim, &fc, err);
		if (rc != 0)
			return rc;
		s->fluid = fluid_new(&fc, s->run->arms, n_arms);
		run_set_fact(s->run, "sut", "simulated", false);
		return 0;
	}
	rc = sweep_live_open(&s->o, s->run, &s->live, err);
	if (rc == 0 && s->store != NULL && s->run->n_arms != n_arms)
		rc = sp_err_set(
			err, SP_EENV, "the run has arms that cannot run here any more");
	return rc;
}

static size_t n_sweep_arms(const struct run *run)
{
	return run->n_arms - run_view_n_confirmations(run);
}

static void print_plan(const struct sweep_session *s, uint64_t estimate_ns)
{
	const struct run *run = s->run;
	const struct sweep_config *c = &run->config;
	char *confirm = xstrdup(""), *line;

	if (c->n_confirm > 0) {
		free(confirm);
		confirm = xasprintf(", and %.0f s more to confirm a cause",
			(double)confirm_estimate_ns(c, c->n_confirm) /
				(double)NS_PER_S);
	}
	line = xasprintf("%u block%s x %zu arm%s: about %.0f s%s%s%s", c->n_blocks,
		units_s(c->n_blocks), n_sweep_arms(run), units_s(n_sweep_arms(run)),
		(double)estimate_ns / (double)NS_PER_S, confirm,
		s->live != NULL ? "; " : "",
		s->live != NULL ? sweep_live_plan(s->live) : "");
	note(s, line);
	if (c->n_rates == 0 && c->n_blocks < ANALYSIS_BLOCKS_MIN)
		note(s, "fewer than 6 blocks have no interval: the verdict will be "
			"broken (use --blocks 6 or more)");
	free(line);
	free(confirm);
}

static int execute(struct sweep_session *s, struct sp_err *err)
{
	struct run *run = s->run;
	size_t n_arms = n_sweep_arms(run);
	uint64_t estimate_ns = sweep_plan_estimate_ns(&run->config, run->arms, n_arms);
	struct progress progress;
	struct sweep_job job = {
		.run = run,
		.store = s->store,
		.ops = s->live != NULL ? &bench_measure : &fluid_measure,
		.clock = &clock_monotonic,
		.progress = progress_show,
		.progress_ctx = &progress,
		.stop = &stop_signal,
	};
	int rc;

	if (s->live != NULL)
		job.measure_ctx = sweep_live_bench(s->live);
	else
		job.measure_ctx = s->fluid;
	progress_init(&progress, s->o.quiet,
		estimate_ns + confirm_estimate_ns(&run->config, run->config.n_confirm));
	print_plan(s, estimate_ns);
	rc = sweep_execute(&job, err);
	progress_clear(&progress);
	if (s->live != NULL)
		sweep_live_keep_output(s->live, run);
	add_traffic_facts(run);
	return rc;
}

/* Judge, store the verdict, print. The error of a sweep that broke comes first. */
static int answer(struct sweep_session *s, int rc, struct sp_err *err)
{
	struct sp_err second = { .code = SP_OK };
	enum exit_code code = EXIT_DONE;
	int rc2;

	rc2 = run_store_set_durable(s->store, true, &second);
	if (rc2 == 0)
		rc2 = run_store_update(s->store, s->run, &second);
	if (rc2 == 0)
		rc2 = s->kind->answer(s->run, s->store, s->o.json, &code, &second);
	if (rc == 0 && rc2 != 0) {
		*err = second;
		rc = rc2;
	}
	return rc != 0 ? (int)verdict_exit_code_of_err(err) : (int)code;
}

/* More than the pilot's trials, which are no result. */
static bool has_measured(const struct run *run)
{
	size_t i;

	for (i = 0; i < run->n_trials; i++)
		if (run->trials[i].spec.kind != TRIAL_WARMUP &&
			run->trials[i].spec.kind != TRIAL_PILOT)
			return true;
	return false;
}

/* Nothing was measured: no file is left. */
static void remove_file(struct sweep_session *s)
{
	run_store_close(s->store);
	s->store = NULL;
	(void)unlink(s->run->path); /* made by us a moment ago */
}

static void session_done(struct sweep_session *s)
{
	int i;

	sweep_live_close(s->live);
	fluid_free(s->fluid);
	run_store_close(s->store);
	run_free(s->run);
	sweep_options_done(&s->o);
	for (i = 0; s->argv_owned && i < s->argc; i++)
		free(s->argv[i]);
	if (s->argv_owned)
		free(s->argv);
}

static int session(struct sweep_session *s, bool *ret_help, struct sp_err *err)
{
	int rc = sweep_options_parse(
		s->kind->use, s->argc, s->argv, &s->o, ret_help, err);

	if (rc != 0 || *ret_help)
		return (int)verdict_exit_code_of_err(err);
	if (s->o.resume != NULL) {
		rc = resume(s, err);
	} else {
		rc = check_output(s, err);
		if (rc == 0)
			s->run = run_from_options(s);
	}
	if (rc == 0)
		rc = open_measure(s, err);
	if (rc == 0 && s->store == NULL) {
		choose_path(s);
		rc = run_store_create(s->run->path, s->run, &s->store, err);
		s->is_new = rc == 0;
	}
	if (rc == 0 && s->fluid != NULL) /* a thousand trials can be made again */
		rc = run_store_set_durable(s->store, false, err);
	if (rc != 0)
		return (int)verdict_exit_code_of_err(err);
	rc = execute(s, err);
	/* An arm that was asked for by name cannot start, or a command that was given
	 * does not work: there is no answer. */
	if (rc != 0 &&
		(err->code == SP_EUSAGE || verdict_exit_code_of_err(err) == EXIT_ENV)) {
		if (s->is_new && !has_measured(s->run))
			remove_file(s);
		return (int)verdict_exit_code_of_err(err);
	}
	return answer(s, rc, err);
}

int sweep_session_run(const struct sweep_session_kind *kind, int argc, char **argv,
	struct sp_err *err)
{
	struct sweep_session s = { .kind = kind, .argc = argc, .argv = argv };
	bool help = false;
	int code = session(&s, &help, err);

	session_done(&s);
	return help ? 0 : code;
}
