/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * From counters to a ledger: what the generator, the devices, the queueing
 * disciplines and the SUT counted in one trial and one direction becomes the
 * ledger of model/ledger.h, with the places where frames were dropped. Pure.
 *
 * On veth the device counters are the truth, not system-call returns (an
 * offloaded send hides drops), and a sender's tx_dropped is the backlog of its
 * peer: a frame dropped there has reached the peer and is counted once, as a drop
 * of the peer's.
 */
#ifndef SATPROF_ENGINE_ACCOUNT_H
#define SATPROF_ENGINE_ACCOUNT_H

#include <stdbool.h>
#include <stdint.h>

#include "gen/generator.h"
#include "model/ledger.h"
#include "model/trial.h"

/* What one interface counted during the trial. */
struct account_link {
	bool known;
	uint64_t rx_packets, tx_packets, rx_dropped, tx_dropped;
	uint64_t qdisc_dropped;
};

struct account_input {
	enum traffic_dir dir;
	struct gen_dir_result gen;
	bool veth; /* all four links are veth pairs: gen_tx-sut_in, sut_out-gen_rx */
	struct account_link gen_tx, sut_in, sut_out, gen_rx;
	bool has_sut_stats;
	uint64_t sut_dropped, sut_refused; /* refused is part of dropped */
	uint64_t sut_in_own, sut_out_own;  /* the SUT's counts of packets in and out */
};

/* Of an outside generator only what it said, and the SUT's own counts, are terms:
 * interfaces count frames, and its packets may be requests. */
void account_ledger(const struct account_input *in, struct ledger *ret_ledger);

/*
 * Who limited the trial, from its ledgers and the generator's lateness: over
 * 0.5 % unsent or refused or late is the generator, over 0.5 % lost behind the
 * SUT's exit is the receiver, other loss is the SUT. But a SUT that lost over 5 %
 * of what reached it is full: then it is the limit, though the generator fell short
 * of the rate (by 30 % at most) or the receiver lost a few of what came out.
 */
enum limited_by account_limited_by(
	const struct ledger *ledgers, size_t n, const struct gen_result *gen);

/* Frames the SUT took in over all directions: what receive-side cost divides by.
 * 0: not known. */
uint64_t account_packets_in(const struct ledger *ledgers, size_t n);

#endif
