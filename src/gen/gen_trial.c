/* SPDX-License-Identifier: GPL-3.0-or-later */
/* One trial of the built-in generator: prepare, threads, drain, result. */
#include "config.h"

#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "gen/gen_afpacket.h"
#include "gen/gen_loop.h"
#include "os/thread.h"

#define LEAD_NS            (2 * NS_PER_MS) /* from armed to the first slot */
#define MAX_OFFSET_STEP_NS 1000
#define MAX_TRIAL_FRAMES   (UINT64_C(1) << 33) /* a bit each: 1 GiB */
#define FLAT_OUT_MAX_PPS   20e6
#define STALE_FRAMES       4096u

/* What the threads of a trial share; main waits for both. */
struct trial_run {
	struct afpacket *a;
	struct gen_loop send, receive; /* receive: only with a thread of its own */
	bool own_rx_thread;
	atomic_bool send_ended; /* main writes (release), the receiver reads */
	struct sp_err send_err, rx_err;
};

static int check_links(const struct afpacket *a, struct sp_err *err)
{
	size_t i;

	for (i = 0; i < 2 && a->ports[i].ifname != NULL; i++) {
		int fd = i == 0 || a->n_dirs == 2 ? pkttx_fd(a->plain[i])
						  : pktring_rx_fd(a->ring[0]);

		if (!iface_is_running(fd, a->ports[i].ifname))
			return sp_err_set(err, SP_EBROKEN,
				"interface %s is down or has no carrier: nothing can be "
				"sent; look at both ends of the link",
				a->ports[i].ifname);
	}
	return 0;
}

static bool link_ok(void *ctx)
{
	struct sp_err err;

	return check_links(ctx, &err) == 0;
}

/* Once through the capture, where no duration is given. */
static uint64_t duration_ns(const struct afpacket *a, const struct gen_trial *spec)
{
	const struct traffic *t = a->traffic;
	double ns;

	if (spec->duration_ns != 0 || a->file == NULL)
		return spec->duration_ns;
	ns = (double)a->file->n_frames * (double)NS_PER_S / spec->rate_pps;
	if (t->pcap_pace == PCAP_AS_CAPTURED)
		ns = (double)a->file->offsets_ns[a->file->n_frames - 1] /
			     t->pcap_speed +
		     1;
	return (uint64_t)ns > 0 ? (uint64_t)ns : 1;
}

static int make_pace(const struct afpacket *a, const struct gen_trial *spec,
	struct gen_pace_config *ret_pace, struct sp_err *err)
{
	struct gen_pace_config p = {
		.duration_ns = duration_ns(a, spec),
		.rate_pps = spec->rate_pps,
		.burst = spec->burst,
	};

	if (a->file != NULL && a->traffic->pcap_pace == PCAP_AS_CAPTURED) {
		p.burst = 1;
		p.offsets_ns = a->file->offsets_ns;
		p.n_offsets = a->file->n_frames;
		p.cycle_ns = a->file->cycle_ns;
		p.speed = a->traffic->pcap_speed;
	}
	if (p.n_offsets == 0 && !(spec->rate_pps > 0))
		return sp_err_set(
			err, SP_EUSAGE, "the rate of a trial must be above 0");
	if (p.burst < 1 || p.burst > TRAFFIC_BURST_MAX)
		return sp_err_set(err, SP_EUSAGE, "the burst must be 1 to %u frames",
			TRAFFIC_BURST_MAX);
	if (p.duration_ns == 0)
		return sp_err_set(err, SP_EUSAGE, "a trial needs a duration");
	*ret_pace = p;
	return 0;
}

/* Sequence numbers that the trial can use. */
static int count_seq(
	const struct gen_pace_config *cfg, uint64_t *ret_n_seq, struct sp_err *err)
{
	struct gen_pace p;
	double n;

	gen_pace_init(&p, cfg);
	n = (double)p.n_frames;
	if (isinf(cfg->rate_pps) && cfg->n_offsets == 0)
		n = (double)cfg->duration_ns / (double)NS_PER_S * FLAT_OUT_MAX_PPS;
	if (n > (double)MAX_TRIAL_FRAMES)
		return sp_err_set(err, SP_EUSAGE,
			"%.3g frames are more than one trial can account for (%.3g): a "
			"shorter one",
			n, (double)MAX_TRIAL_FRAMES);
	*ret_n_seq = (uint64_t)n;
	return 0;
}

/* Counts emptied, memory there, what came meanwhile drained. */
static void prepare(struct afpacket *a, const struct gen_trial *spec,
	const struct gen_pace_config *pace, uint64_t n_seq)
{
	struct gen_rx_config rx = {
		.run_tag = a->cfg.run_tag,
		.trial_tag = spec->trial_tag,
		.n_seq = n_seq,
		.sent_bytes_max = a->frame_bytes_max,
		.latency = pace->burst == 1,
		.file = a->file,
	};
	size_t i;

	if (a->file != NULL)
		rx.n_rounds = n_seq / a->file->n_frames + 1;
	hist_init(a->latency);
	hist_init(a->lateness);
	for (i = 0; i < a->n_dirs; i++) {
		gen_sender_begin(a->sender[i], spec->trial_tag, pace->burst);
		if (a->rx[i] == NULL)
			continue;
		rx.is_rev = i == 1;
		gen_rx_begin(a->rx[i], &rx, a->latency);
		while (gen_rx_step(a->rx[i], STALE_FRAMES) == STALE_FRAMES)
			;
	}
}

static void *send_thread(void *arg)
{
	struct trial_run *t = arg;

	thread_sharpen_timers();
	if (thread_pin(t->a->cfg.cpu_gen, &t->send_err) != 0)
		return NULL;
	gen_loop_send(&t->send);
	if (!t->own_rx_thread && t->a->rx[0] != NULL)
		gen_loop_drain(&t->send);
	return NULL;
}

static void *receive_thread(void *arg)
{
	struct trial_run *t = arg;

	thread_sharpen_timers();
	if (thread_pin(t->a->cfg.cpu_recv, &t->rx_err) != 0)
		return NULL;
	gen_loop_receive(&t->receive, &t->send_ended);
	gen_loop_drain(&t->receive);
	return NULL;
}

static void fill_loops(struct trial_run *t, const struct gen_trial *spec)
{
	struct afpacket *a = t->a;
	struct gen_loop *rx_loop;
	size_t i;

	t->own_rx_thread = a->rx[0] != NULL && a->cfg.cpu_recv != a->cfg.cpu_gen;
	t->send = (struct gen_loop){
		.clock = &clock_monotonic,
		.stop = a->cfg.stop,
		.spin = a->cfg.spin && !a->cfg.realtime,
		.realtime = a->cfg.realtime,
		.n_tx = a->n_dirs,
		.link_ok = link_ok,
		.ctx = a,
		.drain_max_ns = spec->drain_max_ns,
	};
	t->receive = (struct gen_loop){
		.clock = &clock_monotonic,
		.drain_max_ns = spec->drain_max_ns,
	};
	rx_loop = t->own_rx_thread ? &t->receive : &t->send;
	for (i = 0; i < a->n_dirs; i++) {
		t->send.tx[i] = &a->tx[i];
		if (a->rx[i] != NULL)
			rx_loop->rx[rx_loop->n_rx++] = a->rx[i];
	}
}

static int run_threads(struct trial_run *t, struct sp_err *err)
{
	pthread_t sender, receiver;
	bool has_receiver = false;
	int rc = 0;

	if (t->own_rx_thread) {
		rc = pthread_create(&receiver, NULL, receive_thread, t);
		has_receiver = rc == 0;
	}
	if (rc == 0 && (rc = pthread_create(&sender, NULL, send_thread, t)) == 0)
		(void)pthread_join(sender, NULL);
	atomic_store_explicit(&t->send_ended, true, memory_order_release);
	if (has_receiver)
		(void)pthread_join(receiver, NULL);
	if (rc != 0)
		return sp_err_errno(err, SP_EIO, rc, "cannot start a generator thread");
	if (t->send_err.code != SP_OK || t->rx_err.code != SP_OK)
		*err = t->send_err.code != SP_OK ? t->send_err : t->rx_err;
	return -(int)err->code;
}

static void fill_dir(struct afpacket *a, size_t dir, struct gen_result *r)
{
	const struct gen_tx *tx = &a->tx[dir];
	struct gen_dir_result *d = &r->dirs[dir];
	struct gen_rx_result rx = { 0 };

	d->intended = gen_pace_intended(&tx->pace);
	d->unsent = tx->pace.unsent;
	d->refused = tx->count.refused;
	d->accepted = tx->count.accepted;
	d->tracked = a->rx[dir] != NULL;
	r->n_late_slots += tx->pace.n_late_slots;
	r->closed_loop |=
		tx->count.refused_full > 0 || pkttx_is_closed_loop(a->plain[dir]);
	if (gen_sender_is_offloaded(a->sender[dir]))
		r->sent_gso_frames += d->accepted;
	if (!d->tracked)
		return;
	gen_rx_end(a->rx[dir], gen_sender_sent_kinds(a->sender[dir]), &rx);
	d->unique = rx.unique;
	d->duplicate = rx.duplicate;
	d->late = rx.late;
	d->foreign = rx.foreign;
	d->rx_ring_drop = rx.ring_drop;
	r->window_pkts += rx.window_pkts;
	r->n_oversize += rx.n_oversize;
	r->n_csum_not_ready += rx.n_csum_not_ready;
}

static void fill_latency(struct afpacket *a, int64_t step_ns, struct gen_result *r)
{
	hist_summary(a->lateness, &r->lateness);
	if (a->latency->n == 0 || step_ns > MAX_OFFSET_STEP_NS ||
		step_ns < -MAX_OFFSET_STEP_NS)
		return;
	r->has_latency = true;
	hist_summary(a->latency, &r->latency);
	r->n_bins = hist_n_used(a->latency);
	r->bins = xcalloc(r->n_bins, sizeof(*r->bins));
	r->n_bins = hist_export(a->latency, r->bins, r->n_bins);
}

static int link_error(const struct afpacket *a, struct sp_err *err)
{
	uint64_t accepted = 0;
	size_t i;
	int e = 0;

	for (i = 0; i < a->n_dirs; i++) {
		accepted += a->tx[i].count.accepted;
		e = e != 0 ? e : a->tx[i].link_errno;
	}
	return sp_err_errno(err, SP_EBROKEN, e != 0 ? e : ENETDOWN,
		"the link of %s%s%s went down during a trial, after %llu frames",
		a->ports[0].ifname, a->ports[1].ifname != NULL ? " or " : "",
		a->ports[1].ifname != NULL ? a->ports[1].ifname : "",
		(unsigned long long)accepted);
}

/* The schedule begins: nothing may take long from here on. */
static void arm(struct afpacket *a, struct gen_pace_config *pace, int64_t offset_ns)
{
	struct gen_rx_times times = { .realtime_offset_ns = offset_ns };
	size_t i;

	pace->t0_ns = clock_now_ns(&clock_monotonic) + LEAD_NS;
	times.t0_ns = pace->t0_ns;
	times.window_from_ns = pace->t0_ns + pace->duration_ns / 4;
	times.window_to_ns = pace->t0_ns + pace->duration_ns;
	for (i = 0; i < a->n_dirs; i++) {
		struct gen_tx_sink sink = gen_sender_sink(a->sender[i]);

		gen_tx_begin(&a->tx[i], pace, &sink, a->lateness);
		if (a->rx[i] != NULL)
			gen_rx_arm(a->rx[i], &times);
	}
}

int gen_afpacket_trial(void *gen, const struct gen_trial *spec,
	struct gen_result *ret_result, struct sp_err *err)
{
	struct afpacket *a = gen;
	struct trial_run t = { .a = a };
	struct gen_result r = { .n_dirs = a->n_dirs };
	struct gen_pace_config pace;
	uint64_t n_seq = 0;
	int64_t offset_ns;
	size_t i;
	int rc;

	if ((rc = check_links(a, err)) != 0 ||
		(rc = make_pace(a, spec, &pace, err)) != 0 ||
		(rc = count_seq(&pace, &n_seq, err)) != 0)
		return rc;
	prepare(a, spec, &pace, n_seq);
	fill_loops(&t, spec);
	offset_ns = clock_realtime_offset_ns();
	arm(a, &pace, offset_ns);
	err->code = SP_OK;
	if ((rc = run_threads(&t, err)) != 0)
		return rc;
	if (t.send.link_down)
		return link_error(a, err);
	r.t_start_ns = pace.t0_ns;
	r.t_send_end_ns = pace.t0_ns + pace.duration_ns;
	r.stopped = t.send.stopped;
	if (r.stopped)
		r.t_send_end_ns = t.send.send_end_ns;
	for (i = 0; i < a->n_dirs; i++)
		fill_dir(a, i, &r);
	if (!r.stopped) /* else there was no steady window */
		r.window_ns = pace.duration_ns - pace.duration_ns / 4;
	memcpy(r.offload_note, a->offload_note, sizeof(r.offload_note));
	fill_latency(a, clock_realtime_offset_ns() - offset_ns, &r);
	r.t_end_ns = clock_now_ns(&clock_monotonic);
	*ret_result = r;
	return 0;
}
