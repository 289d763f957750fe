/* SPDX-License-Identifier: GPL-3.0-or-later */
/* When to step, and how to wait in between. */
#include "config.h"

#include "gen/gen_loop.h"

#include "os/thread.h"

#define RX_MAX_FRAMES 512u /* a step's share, so that sending is not held up */
#define LINK_CHECK_NS (10 * NS_PER_MS)
#define MAX_SLEEP_NS  (10 * NS_PER_MS) /* a signal may have gone to another thread */
/* Without sleep, then SCHED_OTHER: longer than catching up after a stall takes. */
#define FIFO_BUSY_NS (20 * NS_PER_MS)

/* What the sending loop keeps from turn to turn. */
struct loop_state {
	uint64_t rx_at_ns, link_at_ns, slept_at_ns;
	bool is_fifo;
};

static bool is_stopped(struct gen_loop *l)
{
	if (l->stop != NULL && *l->stop != 0)
		l->stopped = true;
	return l->stopped;
}

/* True: there may be more at once. */
static bool rx_all(struct gen_loop *l)
{
	bool more = false;
	size_t i;

	for (i = 0; i < l->n_rx; i++)
		more |= gen_rx_step(l->rx[i], RX_MAX_FRAMES) == RX_MAX_FRAMES;
	return more;
}

/* The earliest time any direction wants to be called again. */
static uint64_t tx_all(struct gen_loop *l)
{
	uint64_t next_ns = GEN_PACE_NEVER;
	size_t i;

	for (i = 0; i < l->n_tx; i++) {
		uint64_t t = gen_tx_step(l->tx[i], clock_now_ns(l->clock));

		next_ns = t < next_ns ? t : next_ns;
		l->link_down |= l->tx[i]->link_errno != 0;
	}
	return next_ns;
}

/* A real-time thread that never sleeps would starve the kernel's threads on its
 * CPU, the receive work among them. */
static void yield_priority(
	const struct gen_loop *l, struct loop_state *s, uint64_t now_ns)
{
	if (s->is_fifo && l->realtime && now_ns - s->slept_at_ns > FIFO_BUSY_NS)
		s->is_fifo = !thread_set_fifo(false);
}

static void wait_until(struct gen_loop *l, struct loop_state *s, uint64_t until_ns)
{
	uint64_t now_ns = clock_now_ns(l->clock);
	uint64_t early_ns = l->spin ? GEN_LOOP_SPIN_NS : 0;

	if (until_ns > now_ns + MAX_SLEEP_NS)
		until_ns = now_ns + MAX_SLEEP_NS;
	if (until_ns <= now_ns + early_ns) {
		yield_priority(l, s, now_ns);
		return;
	}
	clock_sleep_until_ns(l->clock, until_ns - early_ns);
	s->slept_at_ns = clock_now_ns(l->clock);
	if (l->realtime && !s->is_fifo)
		s->is_fifo = thread_set_fifo(true);
}

static void stop_all(struct gen_loop *l)
{
	uint64_t now_ns = clock_now_ns(l->clock);
	size_t i;

	for (i = 0; i < l->n_tx; i++)
		gen_tx_stop(l->tx[i], now_ns);
}

static bool is_link_lost(struct gen_loop *l, struct loop_state *s, uint64_t now_ns)
{
	if (l->link_ok != NULL && now_ns >= s->link_at_ns) {
		s->link_at_ns = now_ns + LINK_CHECK_NS;
		l->link_down |= !l->link_ok(l->ctx);
	}
	return l->link_down;
}

void gen_loop_send(struct gen_loop *l)
{
	struct loop_state s = { .slept_at_ns = clock_now_ns(l->clock) };

	if (l->realtime)
		s.is_fifo = thread_set_fifo(true);
	for (;;) {
		uint64_t next_ns = tx_all(l), now_ns = clock_now_ns(l->clock);

		if (next_ns == GEN_PACE_NEVER)
			break;
		if (is_stopped(l) || is_link_lost(l, &s, now_ns)) {
			stop_all(l);
			break;
		}
		if (l->n_rx > 0 && now_ns >= s.rx_at_ns)
			s.rx_at_ns = rx_all(l) ? now_ns : now_ns + GEN_LOOP_RX_NS;
		if (l->n_rx > 0 && s.rx_at_ns < next_ns)
			next_ns = s.rx_at_ns;
		wait_until(l, &s, next_ns);
	}
	l->send_end_ns = clock_now_ns(l->clock);
	if (s.is_fifo)
		(void)thread_set_fifo(false);
}

void gen_loop_receive(struct gen_loop *l, const atomic_bool *send_ended)
{
	while (!atomic_load_explicit(send_ended, memory_order_acquire))
		if (!rx_all(l))
			clock_sleep_until_ns(
				l->clock, clock_now_ns(l->clock) + GEN_LOOP_RX_NS);
}

static uint64_t n_own(const struct gen_loop *l)
{
	uint64_t n = 0;
	size_t i;

	for (i = 0; i < l->n_rx; i++)
		n += gen_rx_n_own(l->rx[i]);
	return n;
}

void gen_loop_drain(struct gen_loop *l)
{
	uint64_t start_ns = clock_now_ns(l->clock), now_ns = start_ns;
	uint64_t heard_ns = start_ns, before = n_own(l);

	while (now_ns < heard_ns + GEN_LOOP_QUIET_NS &&
		now_ns < start_ns + l->drain_max_ns) {
		bool more = rx_all(l);

		now_ns = clock_now_ns(l->clock);
		if (n_own(l) != before) {
			before = n_own(l);
			heard_ns = now_ns;
		}
		if (!more)
			clock_sleep_until_ns(l->clock, now_ns + GEN_LOOP_RX_NS);
	}
}
