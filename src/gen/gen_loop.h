/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The loops around the step functions: send until the schedule's end, looking into
 * the ring about once a millisecond where the receiver has no thread of its own;
 * then drain until it is quiet. Time comes from the clock given, so tests run it
 * in virtual time. Between slots it sleeps; with spin it busies itself for the
 * last GEN_LOOP_SPIN_NS, which is only for a thread that has its CPU to itself.
 */
#ifndef SATPROF_GEN_GEN_LOOP_H
#define SATPROF_GEN_GEN_LOOP_H

#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "gen/gen_rx.h"
#include "gen/gen_tx.h"

#define GEN_LOOP_SPIN_NS  (50 * NS_PER_US)
#define GEN_LOOP_RX_NS    NS_PER_MS
#define GEN_LOOP_QUIET_NS (20 * NS_PER_MS)

struct gen_loop {
	const struct clock_src *clock;
	const volatile sig_atomic_t *stop; /* may be NULL */
	bool spin;
	bool realtime;
	struct gen_tx *tx[2];
	size_t n_tx;
	struct gen_rx *rx[2];
	size_t n_rx;
	/* Asked every 10 ms while sending; false ends the trial (link_down). May be
	 * NULL. */
	bool (*link_ok)(void *ctx);
	void *ctx;
	uint64_t drain_max_ns;
	/* Results. */
	bool stopped, link_down;
	uint64_t send_end_ns; /* when sending ended */
};

/* Send all; receives too when n_rx > 0. Returns at the schedule's end. */
void gen_loop_send(struct gen_loop *l);
/* Receive until *send_ended (written by another thread, release), for a thread
 * of its own. */
void gen_loop_receive(struct gen_loop *l, const atomic_bool *send_ended);
/* Until no own frame came for GEN_LOOP_QUIET_NS, drain_max_ns at most. */
void gen_loop_drain(struct gen_loop *l);

#endif
