/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The built-in forwarder: what comes in on IN leaves on OUT, byte for byte, and with
 * bidir the other way too. One thread; it runs in a small process of its own
 * (`satprof forward`). Above its capacity it goes on forwarding at capacity: each
 * round takes a bounded batch from each direction, and what does not fit into the
 * receive ring is dropped there, by the kernel, cheaply.
 */
#ifndef SATPROF_SUT_FORWARD_LOOP_H
#define SATPROF_SUT_FORWARD_LOOP_H

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/clock.h"
#include "base/err.h"
#include "base/units.h"
#include "sut/forward_stats.h"

struct forward_config {
	const char *in, *out; /* interfaces of the caller's namespace; borrowed */
	bool bidir;
	bool busy;                /* spin instead of sleeping in poll(2) */
	uint64_t cost_iterations; /* forward_cost() per frame; 0: none */
	bool has_limit;
	struct units_rate limit; /* policed, each direction by itself */
	size_t table_buckets;    /* forward_lookup(); 0: none */
	const char *stats_path;  /* NULL: private counters; borrowed */
	const struct clock_src *clock;
	const volatile sig_atomic_t *stop; /* non-zero ends the loop; borrowed */
};

struct forward_loop;

/*
 * Everything that can be refused is refused here: SP_EENV no such interface,
 * SP_EUSAGE one that is down, SP_EPERM no right to packet sockets.
 */
int forward_loop_open(const struct forward_config *cfg, struct forward_loop **ret_loop,
	struct sp_err *err);
void forward_loop_close(struct forward_loop *l); /* NULL is a no-op */

/*
 * Forward until *stop. SP_EBROKEN when an interface goes down or vanishes. The
 * counts are up to date after it, however it ended.
 */
int forward_loop_run(struct forward_loop *l, struct sp_err *err);

void forward_loop_counts(const struct forward_loop *l, struct forward_counts *ret);

/* Does OUT (dir 0) or IN (dir 1) have a queueing discipline we leave in place? */
bool forward_loop_keeps_qdisc(const struct forward_loop *l, size_t dir);

#endif
