/* SPDX-License-Identifier: GPL-3.0-or-later */
/* satprof forward: the built-in forwarder as a process of its own. */
#include "config.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "cli/args.h"
#include "cli/commands.h"
#include "cli/say.h"
#include "model/verdict.h"
#include "os/thread.h"
#include "sut/forward_cost.h"
#include "sut/forward_lookup.h"
#include "sut/forward_loop.h"

#define COST_MAX_NS         UINT64_C(60000000000)
#define FORWARD_THREAD_NAME "fwd"

enum opt {
	OPT_BIDIR = 256,
	OPT_POLL,
	OPT_BUSY,
	OPT_CPU,
	OPT_COST,
	OPT_COST_ITERATIONS,
	OPT_CALIBRATE_COST,
	OPT_LIMIT,
	OPT_TABLE,
	OPT_STATS,
};

static const struct argp_option forward_argp_options[] = {
	{ "bidir", OPT_BIDIR, NULL, 0, "Forward from OUT to IN too", 0 },
	{ "poll", OPT_POLL, NULL, 0, "Sleep in poll(2) when idle (default)", 0 },
	{ "busy", OPT_BUSY, NULL, 0, "Spin when idle", 0 },
	{ "cpu", OPT_CPU, "N", 0, "Run on this CPU", 0 },
	{ "cost", OPT_COST, "NS", 0,
		"Plant work of NS nanoseconds per frame, calibrated at the start", 0 },
	{ "cost-iterations", OPT_COST_ITERATIONS, "N", 0,
		"The work itself, as calibrated before; wins over --cost", 0 },
	{ "calibrate-cost", OPT_CALIBRATE_COST, "NS", 0,
		"Print the iterations that NS nanoseconds are, and exit", 0 },
	{ "limit", OPT_LIMIT, "RATE", 0, "Plant a policer: drop what exceeds RATE", 0 },
	{ "table", OPT_TABLE, "N", 0,
		"Plant a flow table of N buckets looked up per frame", 0 },
	{ "stats", OPT_STATS, "FILE", 0,
		"Share the counters through FILE (-: standard input)", 0 },
	{ NULL, 0, NULL, 0, NULL, 0 },
};

struct forward_options {
	struct forward_config cfg;
	bool is_poll, has_cost, has_iterations, has_calibrate;
	uint64_t cost_ns;
	uint64_t cpu;
	bool has_cpu;
	struct sp_err *err;
};

/* "500" and "500ns" alike, also "2us". */
static int cost_parse(const char *s, uint64_t *ret_ns, struct sp_err *err)
{
	size_t digits = strspn(s, "0123456789");

	if (s[digits] == '\0')
		return units_u64_parse(s, 0, COST_MAX_NS, ret_ns, err);
	if (units_time_parse(s, ret_ns, err) != 0 || *ret_ns > COST_MAX_NS)
		return sp_err_set(err, SP_EUSAGE,
			"'%s' is not a cost per frame: write 500 or 500ns, at most 60s",
			s);
	return 0;
}

static int option_parse(struct forward_options *o, int key, char *arg)
{
	struct forward_config *cfg = &o->cfg;

	switch (key) {
	case OPT_BIDIR:
		cfg->bidir = true;
		return 0;
	case OPT_POLL:
		o->is_poll = true;
		return 0;
	case OPT_BUSY:
		cfg->busy = true;
		return 0;
	case OPT_CPU:
		o->has_cpu = true;
		return units_u64_parse(arg, 0, CPU_SETSIZE - 1, &o->cpu, o->err);
	case OPT_COST:
		o->has_cost = true;
		return cost_parse(arg, &o->cost_ns, o->err);
	case OPT_COST_ITERATIONS:
		o->has_iterations = true;
		return units_u64_parse(arg, 0, FORWARD_COST_MAX_ITERATIONS,
			&cfg->cost_iterations, o->err);
	case OPT_CALIBRATE_COST:
		o->has_calibrate = true;
		return cost_parse(arg, &o->cost_ns, o->err);
	case OPT_LIMIT:
		cfg->has_limit = true;
		return units_rate_parse(arg, &cfg->limit, o->err);
	case OPT_TABLE: {
		uint64_t n = 0;
		int rc =
			units_u64_parse(arg, 1, FORWARD_LOOKUP_MAX_BUCKETS, &n, o->err);

		cfg->table_buckets = (size_t)n;
		return rc;
	}
	case OPT_STATS:
		cfg->stats_path = arg;
		return 0;
	case ARGP_KEY_ARG:
		if (cfg->in == NULL)
			cfg->in = arg;
		else if (cfg->out == NULL)
			cfg->out = arg;
		else
			return sp_err_set(o->err, SP_EUSAGE,
				"'%s' is one interface too many: IN OUT", arg);
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

static error_t forward_parse_opt(int key, char *arg, struct argp_state *state)
{
	int rc = option_parse(state->input, key, arg);

	return rc < 0 ? EINVAL : rc;
}

static const struct argp forward_argp = {
	.options = forward_argp_options,
	.parser = forward_parse_opt,
	.args_doc = "IN OUT",
	.doc = "Forward every frame that comes in on IN out of OUT, unchanged, until "
	       "a signal ends it. See satprof-forward(1).",
};

static int options_check(const struct forward_options *o, struct sp_err *err)
{
	if (o->has_calibrate && o->cfg.in != NULL)
		return sp_err_set(err, SP_EUSAGE,
			"--calibrate-cost only prints a number; it takes no interfaces");
	if (o->has_calibrate && (o->has_cost || o->has_iterations))
		return sp_err_set(err, SP_EUSAGE,
			"--calibrate-cost stands alone, without --cost");
	if (!o->has_calibrate && o->cfg.out == NULL)
		return sp_err_set(err, SP_EUSAGE,
			"which interfaces? satprof forward IN OUT; see --help");
	if (o->is_poll && o->cfg.busy)
		return sp_err_set(
			err, SP_EUSAGE, "--poll and --busy exclude each other");
	return 0;
}

static int cpu_pin(uint64_t cpu, struct sp_err *err)
{
	cpu_set_t set;

	CPU_ZERO(&set);
	CPU_SET(cpu, &set);
	if (sched_setaffinity(0, sizeof(set), &set) != 0)
		return sp_err_errno(err, SP_EUSAGE, errno,
			"cannot run on CPU %" PRIu64
			": it is offline or not allowed here",
			cpu);
	return 0;
}

/* One direction's counts; the caller frees the text. */
static char *dir_text(
	const char *from, const char *to, const struct forward_dir_counts *c)
{
	char *oversize =
		c->oversize == 0
			? xstrdup("")
			: xasprintf(
				  " (longer than the MTU of %s, or merged by an offload: `ethtool -K %s "
				  "gro off`, and tso, gso off at its peer)",
				  to, from);
	char *fixed =
		c->csum_fixed == 0
			? xstrdup("")
			: xasprintf(
				  " (%" PRIu64
				  " partial checksums filled in: the peer of %s leaves them "
				  "to hardware)",
				  c->csum_fixed, from);
	char *text = xasprintf("%s -> %s: received %" PRIu64 ", forwarded %" PRIu64
			       "; dropped: receive ring full %" PRIu64
			       ", send refused %" PRIu64 ", policed %" PRIu64
			       ", oversize %" PRIu64 ", bad checksum %" PRIu64 "%s%s",
		from, to, c->rx_packets + c->rx_ring_drop, c->forwarded,
		c->rx_ring_drop, c->tx_refused, c->policed, c->oversize, c->bad_csum,
		oversize, fixed);

	free(oversize);
	free(fixed);
	return text;
}

/* The one line at the end. */
static void counts_print(const struct forward_options *o, const struct forward_loop *l)
{
	const struct forward_config *cfg = &o->cfg;
	struct forward_counts counts;
	char *there, *back, *cost;

	forward_loop_counts(l, &counts);
	there = dir_text(cfg->in, cfg->out, &counts.dirs[0]);
	back = cfg->bidir ? dir_text(cfg->out, cfg->in, &counts.dirs[1]) : xstrdup("");
	cost = cfg->cost_iterations == 0
		       ? xstrdup("")
		       : xasprintf("; cost %" PRIu64 " iterations a frame",
				 cfg->cost_iterations);
	say("satprof forward: %s%s%s%s", there, cfg->bidir ? "; " : "", back, cost);
	free(there);
	free(back);
	free(cost);
}

static int forward_run(struct forward_options *o, struct sp_err *err)
{
	struct forward_loop *l = NULL;
	int rc = 0;

	/* In causes and audits it stands beside threads of others. */
	thread_set_name(FORWARD_THREAD_NAME);
	if (o->has_cpu)
		rc = cpu_pin(o->cpu, err);
	if (rc == 0 && o->has_cost && !o->has_iterations)
		o->cfg.cost_iterations =
			forward_cost_calibrate(&clock_thread_cpu, o->cost_ns);
	if (rc == 0)
		rc = forward_loop_open(&o->cfg, &l, err);
	if (rc == 0) {
		rc = forward_loop_run(l, err);
		counts_print(o, l);
	}
	forward_loop_close(l);
	return rc;
}

static int forward_main(int argc, char **argv, struct sp_err *err)
{
	struct forward_options o = {
		.cfg = { .clock = &clock_monotonic, .stop = &stop_signal },
		.err = err,
	};
	bool is_help;
	int rc;

	rc = args_parse(&forward_argp, argc, argv, &o, &is_help, err);
	if (rc == 0 && is_help)
		return EXIT_DONE;
	if (rc == 0)
		rc = options_check(&o, err);
	if (rc == 0 && o.has_calibrate)
		(void)printf("%" PRIu64 "\n",
			forward_cost_calibrate(&clock_thread_cpu, o.cost_ns));
	else if (rc == 0)
		rc = forward_run(&o, err);
	return rc == 0 ? EXIT_DONE : (int)verdict_exit_code_of_err(err);
}

const struct command cmd_forward = {
	.name = "forward",
	.summary = "the built-in forwarder: bridge one interface to another",
	.run = forward_main,
};
