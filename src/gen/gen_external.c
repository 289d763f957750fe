/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * An outside generator behind `--generator CMD`: a TRex server, a hardware tester, an
 * HTTP load tool. It is told each trial and says what it sent and got back; what
 * it cannot know stays out of the ledger.
 */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "base/mem.h"
#include "gen/gen_answer.h"
#include "gen/gen_line.h"
#include "gen/generator.h"

#define HELLO_LIMIT_NS (30 * NS_PER_S)
#define BYE_LIMIT_NS   (5 * NS_PER_S)
#define GRACE_NS       (5 * NS_PER_S) /* to give back what it holds */
/* A trial's deadline: twice its time for repeats of its own, and this. */
#define TRIAL_EXTRA_NS (30 * NS_PER_S)
#define MEASURED_FRAC  0.75 /* of the send time: what the built-in one measures */

struct external {
	struct gen_config cfg;
	struct gen_line line;
	int64_t n_asked;
	bool out_of_step; /* an answer is outstanding: no more can be asked */
};

/* Whole numbers without a fraction, for readers that care. */
static json_t *number(double v)
{
	if (v < 1e15 && !(v > floor(v)))
		return json_integer((json_int_t)v);
	return json_real(v);
}

static int ask(struct external *g, json_t *o, const char *doing, uint64_t limit_ns,
	const char **ret_line, size_t *ret_len, struct sp_err *err)
{
	char *text = json_dumps(o, JSON_COMPACT | JSON_REAL_PRECISION(12));
	int rc = gen_line_send(&g->line, doing, text, err);

	g->out_of_step = true;
	if (rc == 0)
		rc = gen_line_read(&g->line, doing, limit_ns, ret_line, ret_len, err);
	if (rc == 0)
		g->out_of_step = false;
	free(text);
	json_decref(o);
	return rc;
}

static int say_hello(struct external *g, struct sp_err *err)
{
	const char *line = NULL;
	size_t len = 0;
	int rc = ask(g, json_pack("{s:s,s:i}", "op", "hello", "schema", 1), "hello",
		HELLO_LIMIT_NS, &line, &len, err);

	if (rc == 0)
		rc = gen_answer_hello(line, len, err);
	/* It never was a generator: the environment lacks what was asked for. */
	if (rc == -SP_EBROKEN || rc == -SP_ETIMEDOUT) {
		err->code = SP_EENV;
		rc = -SP_EENV;
	}
	return rc;
}

static void external_close(void *gen)
{
	struct external *g = gen;
	struct sp_err ignored;
	const char *line;
	size_t len;

	if (g == NULL)
		return;
	g->line.stop = NULL; /* stopped or not, it may say goodbye */
	if (g->line.is_held && !g->out_of_step)
		(void)ask(g, json_pack("{s:s}", "op", "bye"), "bye", BYE_LIMIT_NS,
			&line, &len, &ignored); /* it is ended anyway */
	gen_line_end(&g->line, GRACE_NS);
	free(g);
}

static int external_open(
	const struct gen_config *cfg, void **ret_gen, struct sp_err *err)
{
	struct external *g = xcalloc(1, sizeof(*g));
	int cpus[2] = { cfg->cpu_gen, cfg->cpu_recv };
	size_t n_cpus = cpus[0] < 0 || cpus[1] < 0 ? 0 : 2;
	int rc;

	g->cfg = *cfg;
	g->line.keeper = cfg->keeper;
	g->line.command = cfg->command;
	g->line.stop = cfg->stop;
	rc = gen_line_start(&g->line, cpus, n_cpus, err);
	if (rc == 0)
		rc = say_hello(g, err);
	if (rc != 0) {
		external_close(g);
		return rc;
	}
	*ret_gen = g;
	return 0;
}

static double external_mean_frame_bytes(const void *gen)
{
	const struct external *g = gen;

	return g->cfg.traffic->mean_frame_bytes;
}

/* The window's length is the one in which whole packets give exactly its rate. */
static void fill_window(
	const struct gen_answer *a, uint64_t duration_ns, struct gen_result *r)
{
	double ns = (double)duration_ns * MEASURED_FRAC;

	r->window_pkts = (uint64_t)llround(a->window_pps * ns / (double)NS_PER_S);
	if (r->window_pkts > 0)
		ns = (double)r->window_pkts * (double)NS_PER_S / a->window_pps;
	r->window_ns = (uint64_t)llround(ns);
}

static void fill_result(const struct gen_answer *a, uint64_t asked,
	const struct gen_trial *spec, struct gen_result *r)
{
	struct gen_dir_result *d = &r->dirs[0];

	d->intended = a->sent > asked ? a->sent : asked;
	d->unsent = d->intended - a->sent;
	d->accepted = a->sent;
	d->unique = a->received;
	fill_window(a, spec->duration_ns, r);
	r->has_latency = a->has_latency;
	r->latency = a->latency;
}

static int check_spec(const struct gen_trial *spec, struct sp_err *err)
{
	if (!isfinite(spec->rate_pps) || spec->rate_pps <= 0 || spec->duration_ns == 0)
		return sp_err_set(err, SP_EUSAGE,
			"an outside generator needs a rate and a duration");
	return 0;
}

static int external_trial(void *gen, const struct gen_trial *spec,
	struct gen_result *ret_result, struct sp_err *err)
{
	struct external *g = gen;
	double seconds = (double)spec->duration_ns / (double)NS_PER_S;
	uint64_t asked = (uint64_t)llround(spec->rate_pps * seconds);
	struct gen_result r = { .n_dirs = 1 };
	struct gen_answer a = { 0 };
	const char *line = NULL;
	size_t len = 0;
	int rc = check_spec(spec, err);

	if (rc == 0 && g->out_of_step)
		rc = sp_err_set(
			err, SP_EBROKEN, "the generator has not answered before");
	if (rc != 0)
		return rc;
	r.dirs[0].tracked = r.dirs[0].outside = true;
	r.t_start_ns = clock_now_ns(&clock_monotonic);
	r.t_send_end_ns = r.t_start_ns + spec->duration_ns;
	rc = ask(g,
		json_pack("{s:s,s:o,s:o,s:o,s:I}", "op", "trial", "rate_pps",
			number(spec->rate_pps), "seconds", number(seconds),
			"frame_bytes", number(g->cfg.traffic->mean_frame_bytes),
			"trial", (json_int_t)++g->n_asked),
		"trial", 2 * spec->duration_ns + TRIAL_EXTRA_NS, &line, &len, err);
	if (rc == -SP_EINTR) {
		r.stopped = true;
		r.t_send_end_ns = clock_now_ns(&clock_monotonic);
	} else if (rc == 0) {
		rc = gen_answer_trial(line, len, asked, spec->rate_pps, &a, err);
	}
	if (rc != 0 && !r.stopped)
		return rc;
	if (!r.stopped)
		fill_result(&a, asked, spec, &r);
	r.t_end_ns = clock_now_ns(&clock_monotonic);
	*ret_result = r;
	return 0;
}

const struct generator_ops gen_external = {
	.name = "external",
	.summary = "a program of the caller's that is told each trial",
	.open = external_open,
	.mean_frame_bytes = external_mean_frame_bytes,
	.trial = external_trial,
	.close = external_close,
};
