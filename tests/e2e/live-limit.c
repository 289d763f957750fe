/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * How exact a planted limit is: offer more than it, and count what passes. On a
 * busy machine the sender is now and then held up for longer than the limit's
 * queue lasts; what passes is then less, through no fault of the limit. So the
 * rate is taken in many short windows, and the median window is told beside the
 * mean.
 */
#include "config.h"

#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/units.h"
#include "live.h"
#include "os/nl.h"

#define FRAME_MAX   9212 /* without FCS */
#define TICK_NS     (200 * NS_PER_US)
#define OVERLOAD    1.1
#define WINDOW_PKTS 1000.0
#define WINDOW_S    0.02
#define WINDOWS_MAX 1000

/*
 * What passed the limit: some of it may be dropped at a busy receiver's input,
 * which a veth sender counts as its own.
 */
static uint64_t let_through(const struct lab *lab)
{
	struct sp_err err = { .code = SP_OK };
	struct nl_handle *nl = NULL;
	struct nl_link link;

	if (nl_handle_open(lab->sut_ns, &nl, &err) != 0 ||
		nl_link_get(nl, LAB_SUT_OUT, &link, &err) != 0)
		live_die(&err, LAB_SUT_OUT);
	nl_handle_close(nl);
	return link.tx_packets + link.tx_dropped;
}

struct offer {
	int fd;
	const uint8_t *frame;
	size_t len;
	double rate_pps;
};

/* A batch a tick, until end_ns. */
static void offer_until(const struct offer *o, uint64_t end_ns)
{
	uint64_t t0_ns = clock_now_ns(&clock_monotonic), now_ns = t0_ns;
	uint64_t n_offered = 0, due;

	while (now_ns < end_ns) {
		due = (uint64_t)(o->rate_pps * (double)(now_ns - t0_ns) / 1e9);
		for (; n_offered < due; n_offered++)
			if (send(o->fd, o->frame, o->len, 0) < 0 && errno != ENOBUFS &&
				errno != EAGAIN)
				live_die(NULL, "send");
		clock_sleep_until_ns(&clock_monotonic, now_ns + TICK_NS);
		now_ns = clock_now_ns(&clock_monotonic);
	}
}

static int double_cmp(const void *a, const void *b)
{
	double x = *(const double *)a, y = *(const double *)b;

	return (x > y) - (x < y);
}

static void measure(
	const struct lab *lab, const struct offer *o, double want_pps, double seconds)
{
	double window_s =
		WINDOW_PKTS / want_pps > WINDOW_S ? WINDOW_PKTS / want_pps : WINDOW_S;
	double rates[WINDOWS_MAX];
	uint64_t t0_ns, t_ns, now_ns, first, a, b;
	size_t n = 0;

	/* First drain what the bucket saved up. */
	t0_ns = clock_now_ns(&clock_monotonic);
	offer_until(o, t0_ns + (uint64_t)(seconds / 4 * 1e9));
	t0_ns = t_ns = clock_now_ns(&clock_monotonic);
	first = a = b = let_through(lab);
	while (n < WINDOWS_MAX && (double)(t_ns - t0_ns) < seconds * 0.75e9) {
		offer_until(o, t_ns + (uint64_t)(window_s * 1e9));
		b = let_through(lab);
		now_ns = clock_now_ns(&clock_monotonic);
		rates[n++] = units_per_s(b - a, now_ns - t_ns);
		a = b;
		t_ns = now_ns;
	}
	qsort(rates, n, sizeof(rates[0]), double_cmp);
	(void)printf("want_pps=%.1f\nwindows=%zu\nmedian_ppm=%.0f\nmean_ppm=%.0f\n",
		want_pps, n, (rates[n / 2] / want_pps - 1) * 1e6,
		(units_per_s(b - first, t_ns - t0_ns) / want_pps - 1) * 1e6);
}

int live_limit(const char *rate, double frame_bytes, double seconds)
{
	int last = (int)sysconf(_SC_NPROCESSORS_ONLN) - 1;
	struct lab_config cfg = { .sut_cpus = &last,
		.n_sut_cpus = 1,
		.mtu = frame_bytes > 1518 ? (uint32_t)frame_bytes - 18 : 1500,
		.has_limit = true,
		.frame_bytes = frame_bytes };
	/* A real-time thread, but one that sleeps. Refused without root. */
	const struct sched_param fifo = { .sched_priority = 1 };
	struct sp_err err = { .code = SP_OK };
	static uint8_t frame[FRAME_MAX];
	struct offer o = { .frame = frame };
	struct lab lab;
	double want_pps;

	if (units_rate_parse(rate, &cfg.limit, &err) != 0)
		live_die(&err, rate);
	lab = live_lab_up(&cfg);
	live_pin(last);
	(void)sched_setscheduler(0, SCHED_FIFO, &fifo);
	want_pps = units_rate_pps(cfg.limit, frame_bytes);
	o.fd = live_packet_open(lab.sut_ns, LAB_SUT_OUT, 0);
	o.len = (size_t)frame_bytes - UNITS_FCS_BYTES;
	o.rate_pps = OVERLOAD * want_pps;
	live_frame_build(frame, o.len, lab.sut_out_mac, lab.gen_rx_mac);
	measure(&lab, &o, want_pps, seconds);
	lab_down(&lab);
	return 0;
}
