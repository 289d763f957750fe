/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One trial on the live bench: traffic, ledger, validity. */
#include "config.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"
#include "engine/bench_private.h"

#define SETTLE_NS       (50 * NS_PER_MS)
#define WARM_UP_NS      (100 * NS_PER_MS)
#define DRAIN_MAX_NS    (200 * NS_PER_MS)
#define STEAL_MAX_FRAC  0.05
#define OVERSIZE_REASON "frames longer than sent arrived: receive offload (GRO) is on"

/* Down and up again between two looks: what was lost then is nobody's drop. */
static int check_carrier(const struct bench *b, struct sp_err *err)
{
	int p;

	for (p = 0; p < N_PORTS; p++)
		if (b->before.links[p].carrier_changes !=
			b->after.links[p].carrier_changes)
			return sp_err_set(err, SP_EBROKEN,
				"interface %s lost its carrier for a while during a "
				"trial",
				b->after.links[p].name);
	return 0;
}

static struct account_link link_delta(const struct bench *b, enum bench_port p)
{
	const struct nl_link *x = &b->before.links[p], *y = &b->after.links[p];
	struct account_link d = { .known = bench_port_name(b, p) != NULL &&
					   bench_port_nl(b, p) != NULL };

	if (d.known) {
		d.rx_packets = y->rx_packets - x->rx_packets;
		d.tx_packets = y->tx_packets - x->tx_packets;
		d.rx_dropped = y->rx_dropped - x->rx_dropped;
		d.tx_dropped = y->tx_dropped - x->tx_dropped;
		/* 32 bits wide in the kernel. */
		d.qdisc_dropped =
			(uint32_t)(b->after.qdisc_drops[p] - b->before.qdisc_drops[p]);
	}
	return d;
}

static void fill_ledgers(struct bench *b, const struct gen_result *r, struct trial *t)
{
	size_t i;

	t->n_ledgers = r->n_dirs;
	for (i = 0; i < r->n_dirs; i++) {
		bool rev = i == 1;
		struct account_input in = {
			.dir = rev ? DIR_REV : DIR_FWD,
			.gen = r->dirs[i],
			.veth = b->cfg.links.veth,
			.gen_tx = link_delta(b, rev ? PORT_GEN_RX : PORT_GEN_TX),
			.sut_in = link_delta(b, rev ? PORT_SUT_OUT : PORT_SUT_IN),
			.sut_out = link_delta(b, rev ? PORT_SUT_IN : PORT_SUT_OUT),
			.gen_rx = link_delta(b, rev ? PORT_GEN_TX : PORT_GEN_RX),
		};

		/* The SUT's own counts are of both directions together. */
		in.has_sut_stats =
			r->n_dirs == 1 && b->before.has_stats && b->after.has_stats;
		if (in.has_sut_stats) {
			in.sut_dropped =
				b->after.stats.dropped - b->before.stats.dropped;
			in.sut_refused =
				b->after.stats.refused - b->before.stats.refused;
			in.sut_in_own = b->after.stats.in - b->before.stats.in;
			in.sut_out_own = b->after.stats.out - b->before.stats.out;
		}
		account_ledger(&in, &t->ledgers[i]);
	}
}

static double loss_of_all(const struct trial *t)
{
	uint64_t intended = 0, unique = 0;
	size_t i;

	for (i = 0; i < t->n_ledgers; i++) {
		if (isnan(ledger_loss_frac(&t->ledgers[i])))
			return (double)NAN;
		intended += t->ledgers[i].count[LEDGER_INTENDED];
		unique += t->ledgers[i].count[LEDGER_UNIQUE];
	}
	return intended == 0 ? (double)NAN : 1.0 - (double)unique / (double)intended;
}

static void fill_traffic(const struct gen_result *r, struct trial *t)
{
	size_t i;

	t->t_start_ns = r->t_start_ns;
	t->t_end_ns = r->t_end_ns;
	t->window_ns = r->window_ns;
	t->window_pkts = r->window_pkts;
	if (r->window_ns > 0)
		t->window_pps = (double)r->window_pkts * (double)NS_PER_S /
				(double)r->window_ns /
				(double)(r->n_dirs > 0 ? r->n_dirs : 1);
	t->has_latency = r->has_latency && t->spec.burst == 1;
	t->latency = r->latency;
	t->lateness = r->lateness;
	for (i = 0; t->has_latency && i < r->n_bins; i++) {
		t->bins = xgrow(t->bins, t->n_bins, &t->cap_bins, sizeof(*t->bins));
		t->bins[t->n_bins++] = r->bins[i];
	}
}

/* CPU time over packets in, and the hypervisor's theft. */
static void fill_cpu(struct bench *b, struct trial *t)
{
	uint64_t packets = account_packets_in(t->ledgers, t->n_ledgers);
	uint64_t busy = 0;
	size_t i;

	procstat_diff(&b->before.proc, &b->after.proc, b->cfg.cpus->sut,
		b->cfg.cpus->n_sut, t);
	for (i = 0; i < t->n_cpus; i++) {
		const struct cpu_use *c = &t->cpus[i];

		busy += c->busy_ns;
		if (c->wall_ns > 0 &&
			(double)c->steal_ns > STEAL_MAX_FRAC * (double)c->wall_ns)
			trial_add_reason(t,
				"the hypervisor took %.0f %% of CPU %d's time (steal)",
				100.0 * (double)c->steal_ns / (double)c->wall_ns,
				c->cpu);
	}
	t->cpu_ns_per_pkt = packets > 0 && t->n_cpus > 0
				    ? (double)busy / (double)packets
				    : (double)NAN;
}

static void fill_facts(struct bench *b, struct trial *t)
{
	facts_diff(b->before.facts, b->after.facts, &t->facts);
	if (!b->has_noted_facts)
		facts_absent_note(&t->facts, b->after.proc.n_threads > 0, b->cfg.run);
	b->has_noted_facts = true;
}

static void judge(const struct gen_result *r, struct trial *t)
{
	size_t i;

	t->loss_frac = loss_of_all(t);
	t->limited_by = account_limited_by(t->ledgers, t->n_ledgers, r);
	for (i = 0; i < t->n_ledgers; i++) {
		struct ledger_check c;

		ledger_check(&t->ledgers[i], &c);
		if (c.residual_line >= 0)
			trial_add_reason(t,
				"the ledger does not close: %s is off by %lld",
				ledger_point_name(ledger_lines[c.residual_line].total),
				(long long)c.residual[c.residual_line]);
	}
	if (r->n_oversize > 0)
		trial_add_reason(t, OVERSIZE_REASON);
	if (t->limited_by == LIMITED_GENERATOR)
		trial_add_reason(t,
			r->closed_loop
				? "the send buffer throttled the generator (closed loop)"
				: "the generator did not keep to its schedule");
	if (t->limited_by == LIMITED_SUT && t->n_ledgers > 0 &&
		t->ledgers[0].count[LEDGER_UNSENT] * 200 >
			t->ledgers[0].count[LEDGER_INTENDED])
		trial_add_reason(t,
			"the generator fell %.0f %% short of the rate, and "
			"the SUT lost much of what it got",
			100.0 * (double)t->ledgers[0].count[LEDGER_UNSENT] /
				(double)t->ledgers[0].count[LEDGER_INTENDED]);
	if (t->limited_by == LIMITED_RECEIVER)
		trial_add_reason(t, "the receiver lost frames itself");
}

/* What is left of the settle time since the last trial. */
static void settle(const struct bench *b)
{
	if (b->quiet_from_ns != 0)
		clock_sleep_until_ns(b->cfg.clock, b->quiet_from_ns + SETTLE_NS);
}

/*
 * A SUT just started meets its first frames here and not in the trial: rings, code
 * and flow tables are touched for the first time. Not recorded.
 */
int bench_warm_up(struct bench *b, const struct trial_spec *like, struct sp_err *err)
{
	struct gen_trial spec = {
		.trial_tag = b->next_tag++,
		.rate_pps = like->rate_pps,
		.duration_ns = WARM_UP_NS,
		.burst = like->burst,
		.drain_max_ns = DRAIN_MAX_NS,
	};
	struct gen_result r = { 0 };
	int rc = b->cfg.gen_ops->trial(b->cfg.gen, &spec, &r, err);

	gen_result_done(&r);
	b->is_cold = false;
	b->quiet_from_ns = clock_now_ns(b->cfg.clock);
	return rc;
}

/* The part between the edges; always ends what it began. */
static int send_and_observe(
	struct bench *b, struct trial *t, struct gen_result *r, struct sp_err *err)
{
	struct gen_trial spec = {
		.trial_tag = b->next_tag++,
		.rate_pps = t->spec.rate_pps,
		.duration_ns = t->spec.duration_ns,
		.burst = t->spec.burst,
		.drain_max_ns = DRAIN_MAX_NS,
	};
	struct sp_err second = { .code = SP_OK };
	int rc, rc2 = 0;

	rc = bench_edge_read(b, NULL, &b->before, err);
	if (rc == 0 && b->observing != NULL)
		rc = b->observing->ops->begin(b->observing->obs, err);
	if (rc != 0)
		return rc;
	rc = b->cfg.gen_ops->trial(b->cfg.gen, &spec, r, err);
	if (b->observing != NULL)
		rc2 = b->observing->ops->end(b->observing->obs, t, &second);
	if (rc == 0 && rc2 != 0) {
		*err = second;
		rc = rc2;
	}
	return rc == 0 ? bench_edge_read(b, &b->before, &b->after, err) : rc;
}

static int collect(struct bench *b, struct trial *t, struct sp_err *err)
{
	struct run *run = b->cfg.run;

	if (b->observing == NULL)
		return 0;
	if (run->profile == NULL)
		run->profile = profile_new();
	return b->observing->ops->collect(b->observing->obs, t, run->profile, err);
}

static bool nothing_came(const struct gen_result *r)
{
	size_t i;

	for (i = 0; i < r->n_dirs; i++)
		if (r->dirs[i].unique > 0)
			return false;
	return true;
}

int bench_trial(void *ctx, struct trial *ret_trial, struct sp_err *err)
{
	struct bench *b = ctx;
	struct trial *t = ret_trial;
	struct gen_result r = { 0 };
	struct sut_end end;
	int rc;

	t->valid = true; /* until something says that it is not */
	settle(b);
	/* Threads born since are as the others are. */
	rc = b->force != NULL ? force_renew(b->force, err) : 0;
	b->force_failed = rc != 0;
	if (rc == 0 && b->is_cold)
		rc = bench_warm_up(b, &t->spec, err);
	if (rc == 0) {
		settle(b);
		rc = send_and_observe(b, t, &r, err);
	}
	/* A dead SUT explains whatever else went wrong. */
	if (b->sut_runs && !b->cfg.sut_ops->alive(b->cfg.sut, &end) &&
		(b->cfg.stop == NULL || *b->cfg.stop == 0))
		rc = bench_sut_gone(b, "during the run", err);
	else if (rc == 0 && b->sut_runs && nothing_came(&r) && bench_sut_is_stopped(b))
		rc = bench_sut_stopped(b, err);
	b->force_failed = b->force_failed && rc == -SP_EENV;
	if (rc == 0)
		rc = check_carrier(b, err);
	if (rc == 0) {
		fill_traffic(&r, t);
		fill_ledgers(b, &r, t);
		judge(&r, t);
		fill_cpu(b, t);
		fill_facts(b, t);
		rc = collect(b, t, err);
	}
	gen_result_done(&r);
	b->quiet_from_ns = clock_now_ns(b->cfg.clock);
	return rc;
}
