/* SPDX-License-Identifier: GPL-3.0-or-later */
/* `satprof generate`: the built-in generator on its own. */
#include "config.h"

#include <jansson.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "cli/commands.h"
#include "cli/generate_options.h"
#include "cli/say.h"
#include "gen/generator.h"
#include "model/verdict.h"

#define DRAIN_MAX_NS (200 * NS_PER_MS)
#define UNSENT_WARN  0.001 /* of the frames intended */

/* Locally administered, and of no interface: switches flood it, hosts drop it. */
static const uint8_t nobodys_mac[6] = { 0x02, 0x53, 0x50, 0xff, 0xff, 0xfe };

/* What is printed: the result, and what it is relative to. */
struct generated {
	const struct generate_options *o;
	struct gen_result r;
	double asked_pps; /* INFINITY: flat out; 0: the captured pace */
	double frame_bytes;
	double seconds; /* the schedule, or up to the signal */
};

static double sent_pps(const struct generated *g, const struct gen_dir_result *d)
{
	return g->seconds > 0 ? (double)d->accepted / g->seconds : 0;
}

static const char *path_name(const struct gen_result *r)
{
	return r->sent_gso_frames > 0 ? "offload" : "plain";
}

static json_t *summary_json(const struct latency_summary *s)
{
	return json_pack("{s:I, s:I, s:I, s:I, s:I}", "n", (json_int_t)s->n, "p50",
		(json_int_t)s->p50_ns, "p99", (json_int_t)s->p99_ns, "p999",
		(json_int_t)s->p999_ns, "max", (json_int_t)s->max_ns);
}

static json_t *dir_json(
	const struct generated *g, const struct gen_dir_result *d, bool rev)
{
	json_t *j = json_pack("{s:s, s:f, s:I, s:I, s:I, s:I}", "dir",
		rev ? "rev" : "fwd", "sent_pps", sent_pps(g, d), "intended",
		(json_int_t)d->intended, "unsent", (json_int_t)d->unsent, "refused",
		(json_int_t)d->refused, "accepted", (json_int_t)d->accepted);
	json_t *rx;

	if (!d->tracked)
		return j;
	rx = json_pack("{s:I, s:I, s:I, s:I, s:I}", "unique", (json_int_t)d->unique,
		"duplicate", (json_int_t)d->duplicate, "late", (json_int_t)d->late,
		"foreign", (json_int_t)d->foreign, "rx_drop",
		(json_int_t)d->rx_ring_drop);
	(void)json_object_update(j, rx);
	json_decref(rx);
	return j;
}

static void print_json(const struct generated *g)
{
	const struct gen_result *r = &g->r;
	json_t *j = json_pack("{s:i, s:f, s:f, s:i, s:s, s:I, s:b, s:b}", "schema", 1,
		"seconds", g->seconds, "frame_bytes", g->frame_bytes, "burst",
		(int)g->o->traffic.burst, "path", path_name(r), "late_slots",
		(json_int_t)r->n_late_slots, "closed_loop", r->closed_loop ? 1 : 0,
		"stopped", r->stopped ? 1 : 0);
	json_t *dirs = json_array();
	size_t i;

	if (isfinite(g->asked_pps) && g->asked_pps > 0)
		(void)json_object_set_new(j, "rate_pps", json_real(g->asked_pps));
	for (i = 0; i < r->n_dirs; i++)
		(void)json_array_append_new(dirs, dir_json(g, &r->dirs[i], i == 1));
	(void)json_object_set_new(j, "dirs", dirs);
	(void)json_object_set_new(j, "lateness_ns", summary_json(&r->lateness));
	if (r->has_latency)
		(void)json_object_set_new(j, "latency_ns", summary_json(&r->latency));
	if (r->dirs[0].tracked && r->window_ns > 0)
		(void)json_object_set_new(j, "window_pps",
			json_real(units_per_s(r->window_pkts, r->window_ns)));
	(void)json_dumpf(j, stdout, JSON_INDENT(1) | JSON_REAL_PRECISION(12));
	(void)putchar('\n');
	json_decref(j);
}

static void print_times(const char *what, const struct latency_summary *s)
{
	char p50[32], p99[32], p999[32], max[32];

	(void)printf("%-10s p50 %s, p99 %s, p99.9 %s, max %s\n", what,
		units_ns_format(p50, sizeof(p50), (double)s->p50_ns),
		units_ns_format(p99, sizeof(p99), (double)s->p99_ns),
		units_ns_format(p999, sizeof(p999), (double)s->p999_ns),
		units_ns_format(max, sizeof(max), (double)s->max_ns));
}

static void print_dir(const struct generated *g, const struct gen_dir_result *d)
{
	(void)printf(
		"frames     intended %llu, unsent %llu, refused %llu, accepted %llu\n",
		(unsigned long long)d->intended, (unsigned long long)d->unsent,
		(unsigned long long)d->refused, (unsigned long long)d->accepted);
	if (d->tracked)
		(void)printf("received   unique %llu, duplicate %llu, late %llu, "
			     "foreign %llu, dropped by the receiver %llu\n",
			(unsigned long long)d->unique, (unsigned long long)d->duplicate,
			(unsigned long long)d->late, (unsigned long long)d->foreign,
			(unsigned long long)d->rx_ring_drop);
	(void)g;
}

static void print_text(const struct generated *g)
{
	const struct gen_result *r = &g->r;
	char asked[32] = "the captured pace", sent[32], bits[32], window[32];
	size_t i;

	if (isinf(g->asked_pps))
		(void)snprintf(asked, sizeof(asked), "all that goes");
	else if (g->asked_pps > 0)
		(void)units_pps_format(asked, sizeof(asked), g->asked_pps);
	for (i = 0; i < r->n_dirs; i++) {
		double pps = sent_pps(g, &r->dirs[i]);

		if (r->n_dirs > 1)
			(void)printf("%s\n", i == 0 ? "forward:" : "back:");
		(void)printf("rate       asked %s, sent %s (%s) for %.3f s, burst %u, "
			     "%s\n",
			asked, units_pps_format(sent, sizeof(sent), pps),
			units_bps_format(bits, sizeof(bits), pps * g->frame_bytes * 8),
			g->seconds, g->o->traffic.burst, path_name(r));
		print_dir(g, &r->dirs[i]);
	}
	print_times("lateness", &r->lateness);
	if (r->has_latency)
		print_times("latency", &r->latency);
	if (r->dirs[0].tracked && r->window_ns > 0)
		(void)printf("goodput    %s in the steady window\n",
			units_pps_format(window, sizeof(window),
				units_per_s(r->window_pkts, r->window_ns)));
}

static void warn_about(const struct generated *g)
{
	const struct gen_result *r = &g->r;
	uint64_t intended = 0, unsent = 0, refused = 0;
	size_t i;

	for (i = 0; i < r->n_dirs; i++) {
		intended += r->dirs[i].intended;
		unsent += r->dirs[i].unsent;
		refused += r->dirs[i].refused;
	}
	if (r->offload_note[0] != '\0' && g->o->traffic.burst > 1)
		say("satprof generate: %s", r->offload_note);
	if ((double)unsent > UNSENT_WARN * (double)intended)
		say("satprof generate: generator-limited: %.2f %% of the frames "
		    "could not be sent in time",
			100.0 * (double)unsent / (double)intended);
	if (refused > 0)
		say("satprof generate: the kernel refused %llu frames%s",
			(unsigned long long)refused,
			r->closed_loop ? ": the send buffer was full (closed loop)"
				       : "");
	if (r->n_oversize > 0)
		say("satprof generate: frames longer than sent came in: receive "
		    "offload (GRO) is on; ethtool -K %s gro off",
			g->o->rx_ifname);
}

static int run_trial(struct generated *g, void *gen, struct sp_err *err)
{
	const struct generate_options *o = g->o;
	struct gen_trial trial = {
		.trial_tag = 1,
		.duration_ns = o->duration_ns,
		.burst = o->traffic.burst,
		.drain_max_ns = DRAIN_MAX_NS,
	};
	int rc;

	g->frame_bytes = gen_afpacket.mean_frame_bytes(gen);
	if (!o->max && (rc = generate_rate_check(o->rate, g->frame_bytes, err)) != 0)
		return rc;
	if (o->max)
		g->asked_pps = (double)INFINITY;
	else if (o->traffic.pcap_pace != PCAP_AS_CAPTURED)
		g->asked_pps = units_rate_pps(o->rate, g->frame_bytes);
	trial.rate_pps = g->asked_pps;
	if ((rc = gen_afpacket.trial(gen, &trial, &g->r, err)) != 0)
		return rc;
	g->seconds = (double)(g->r.t_send_end_ns - g->r.t_start_ns) / (double)NS_PER_S;
	if (o->json)
		print_json(g);
	else
		print_text(g);
	warn_about(g);
	if (g->r.stopped)
		rc = sp_err_set(
			err, SP_EINTR, "stopped; the counts are of what was sent");
	return rc;
}

static int run_generate(int argc, char **argv, struct sp_err *err)
{
	struct generate_options o = { 0 };
	struct generated g = { .o = &o };
	struct gen_config cfg = { .stop = &stop_signal };
	void *gen = NULL;
	bool help = false;
	int rc;

	if ((rc = generate_options_parse(argc, argv, &o, &help, err)) != 0)
		return (int)verdict_exit_code_of_err(err);
	if (help)
		return EXIT_DONE;
	cfg.traffic = &o.traffic;
	cfg.tx = (struct gen_port){ .netns_fd = -1, .ifname = o.ifname };
	cfg.rx = (struct gen_port){ .netns_fd = -1, .ifname = o.rx_ifname };
	cfg.cpu_gen = o.cpu;
	cfg.cpu_recv = o.cpu_rx >= 0 ? o.cpu_rx : o.cpu;
	cfg.realtime = o.realtime;
	cfg.spin = !o.sleep && !o.realtime;
	cfg.no_offload = o.no_offload;
	cfg.run_tag = (uint16_t)((unsigned)getpid() ^
				 (unsigned)(clock_now_ns(&clock_monotonic) >> 10));
	if (o.rx_ifname == NULL && o.traffic.kind != TRAFFIC_PCAP &&
		memcmp(o.traffic.dst_mac, (const uint8_t[6]){ 0 }, 6) == 0)
		memcpy(o.traffic.dst_mac, nobodys_mac, 6);
	rc = gen_afpacket.open(&cfg, &gen, err);
	if (rc == 0)
		rc = run_trial(&g, gen, err);
	gen_afpacket.close(gen);
	gen_result_done(&g.r);
	return rc == 0 ? EXIT_DONE : (int)verdict_exit_code_of_err(err);
}

const struct command cmd_generate = {
	.name = "generate",
	.summary = "send packets at an exact rate and account for each",
	.run = run_generate,
};
