/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From counters to a ledger. */
#include "config.h"

#include "engine/account.h"

#include <stdbool.h>
#include <string.h>

#define LIMIT_FRAC     0.005
#define SUT_FULL_FRAC  0.05 /* lost by the SUT: it is full whatever the rest does */
#define SHORT_MAX_FRAC 0.30 /* not sent: too much to speak of the scheduled rate */

/* What left the generator: the first three lines of the ledger. */
static void account_sent(const struct account_input *in, struct ledger *l)
{
	uint64_t offered = in->gen.intended - in->gen.unsent;
	uint64_t accepted = in->gen.accepted;
	uint64_t egress = in->gen_tx.qdisc_dropped;
	uint64_t reached, ours;

	ledger_set(l, LEDGER_INTENDED, in->gen.intended, LEDGER_MEASURED);
	ledger_set(l, LEDGER_UNSENT, in->gen.unsent, LEDGER_MEASURED);
	ledger_set(l, LEDGER_OFFERED, offered, LEDGER_DERIVED);
	ledger_set(l, LEDGER_ACCEPTED, accepted, LEDGER_MEASURED);
	ledger_set(l, LEDGER_REFUSED, in->gen.refused, LEDGER_MEASURED);
	if (!in->gen_tx.known)
		return;
	if (!in->veth) {
		egress += in->gen_tx.tx_dropped;
		ledger_set(l, LEDGER_EGRESS_DROP, egress, LEDGER_MEASURED);
		return;
	}
	ledger_set(l, LEDGER_EGRESS_DROP, egress, LEDGER_MEASURED);
	reached = in->gen_tx.tx_packets + in->gen_tx.tx_dropped;
	ours = reached;
	if (reached + egress > accepted) {
		/* ENOBUFS says the same as tx_dropped: such frames reached the peer.
		 * What is beyond all we offered was sent by somebody else. */
		uint64_t extra = reached + egress - accepted;
		uint64_t moved = extra < in->gen.refused ? extra : in->gen.refused;

		ledger_set(l, LEDGER_ACCEPTED, accepted + moved, LEDGER_MEASURED);
		ledger_set(l, LEDGER_REFUSED, in->gen.refused - moved, LEDGER_MEASURED);
		ours = reached - (extra - moved);
		ledger_add_place(l, LEDGER_FOREIGN, "generator-side", extra - moved);
	}
	ledger_set(l, LEDGER_SUT_IN, ours, LEDGER_MEASURED);
}

/*
 * What the SUT dropped itself. Frames that veth refused it on output reached the
 * receiver's side, which counts them: an error return and tx_dropped say the same.
 */
static uint64_t sut_own_drops(const struct account_input *in)
{
	uint64_t elsewhere = in->sut_out.qdisc_dropped;

	if (in->veth)
		elsewhere += in->sut_out.tx_dropped;
	if (elsewhere > in->sut_refused)
		elsewhere = in->sut_refused;
	return in->sut_dropped - elsewhere;
}

/* What the SUT dropped, where that is known. */
static void account_sut(const struct account_input *in, struct ledger *l)
{
	uint64_t input = in->veth ? in->gen_tx.tx_dropped : in->sut_in.rx_dropped;
	uint64_t own = sut_own_drops(in);
	uint64_t known = input + in->sut_out.qdisc_dropped + own;

	if (in->sut_in.known && !in->veth)
		ledger_set(l, LEDGER_SUT_IN, in->sut_in.rx_packets + input,
			LEDGER_MEASURED);
	ledger_add_place(l, LEDGER_SUT_DROP, "sut-input", input);
	ledger_add_place(l, LEDGER_SUT_DROP, "sut-egress", in->sut_out.qdisc_dropped);
	if (in->has_sut_stats) {
		ledger_add_place(l, LEDGER_SUT_DROP, "sut", own);
		ledger_set(l, LEDGER_SUT_DROP, known, LEDGER_MEASURED);
	}
}

/* What came out of the SUT and what became of it. */
static void account_received(const struct account_input *in, struct ledger *l)
{
	uint64_t input = in->veth ? in->sut_out.tx_dropped : in->gen_rx.rx_dropped;
	uint64_t not_ours = in->gen.late + in->gen.foreign;
	uint64_t out;

	ledger_set(l, LEDGER_UNIQUE, in->gen.unique, LEDGER_MEASURED);
	ledger_set(l, LEDGER_DUPLICATE, in->gen.duplicate, LEDGER_MEASURED);
	ledger_set(l, LEDGER_LATE, in->gen.late, LEDGER_MEASURED);
	ledger_set(l, LEDGER_FOREIGN, in->gen.foreign, LEDGER_MEASURED);
	ledger_set(l, LEDGER_RX_DROP, input + in->gen.rx_ring_drop, LEDGER_MEASURED);
	ledger_add_place(l, LEDGER_RX_DROP, "receiver-input", input);
	ledger_add_place(l, LEDGER_RX_DROP, "receiver-ring", in->gen.rx_ring_drop);
	if (!in->sut_out.known)
		return;
	out = in->sut_out.tx_packets + (in->veth ? in->sut_out.tx_dropped : 0);
	ledger_set(l, LEDGER_SUT_OUT, out > not_ours ? out - not_ours : 0,
		LEDGER_MEASURED);
}

/* The part of the SUT's drops that no counter names is the SUT's own. */
static void account_rest(struct ledger *l)
{
	uint64_t named = 0;
	size_t i;

	if (l->source[LEDGER_SUT_DROP] != LEDGER_DERIVED)
		return;
	for (i = 0; i < l->n_places; i++)
		if (l->places[i].point == LEDGER_SUT_DROP)
			named += l->places[i].count;
	if (l->count[LEDGER_SUT_DROP] > named)
		ledger_add_place(
			l, LEDGER_SUT_DROP, "sut", l->count[LEDGER_SUT_DROP] - named);
}

static void account_outside(const struct account_input *in, struct ledger *l)
{
	ledger_set(l, LEDGER_INTENDED, in->gen.intended, LEDGER_MEASURED);
	ledger_set(l, LEDGER_UNSENT, in->gen.unsent, LEDGER_MEASURED);
	ledger_set(
		l, LEDGER_OFFERED, in->gen.intended - in->gen.unsent, LEDGER_DERIVED);
	ledger_set(l, LEDGER_ACCEPTED, in->gen.accepted, LEDGER_MEASURED);
	ledger_set(l, LEDGER_UNIQUE, in->gen.unique, LEDGER_MEASURED);
	if (!in->has_sut_stats)
		return;
	ledger_set(l, LEDGER_SUT_IN, in->sut_in_own, LEDGER_MEASURED);
	ledger_set(l, LEDGER_SUT_OUT, in->sut_out_own, LEDGER_MEASURED);
	ledger_set(l, LEDGER_SUT_DROP, in->sut_dropped, LEDGER_MEASURED);
	ledger_add_place(l, LEDGER_SUT_DROP, "sut", in->sut_dropped);
}

void account_ledger(const struct account_input *in, struct ledger *ret_ledger)
{
	struct ledger l = { .dir = in->dir };

	if (in->gen.outside) {
		account_outside(in, &l);
		/* Not derived: a term that nobody counted is not known to be 0. */
		*ret_ledger = l;
		return;
	}
	account_sent(in, &l);
	account_sut(in, &l);
	if (in->gen.tracked)
		account_received(in, &l);
	ledger_derive(&l);
	account_rest(&l);
	*ret_ledger = l;
}

/* Is a over this fraction of b? */
static bool is_over(uint64_t a, double frac, uint64_t b)
{
	return (double)a > frac * (double)b;
}

enum limited_by account_limited_by(
	const struct ledger *ledgers, size_t n, const struct gen_result *gen)
{
	uint64_t sum[LEDGER_N_POINTS] = { 0 };
	uint64_t intended, not_sent;
	bool sut_full, gen_short;
	size_t i, p;

	for (i = 0; i < n; i++)
		for (p = 0; p < LEDGER_N_POINTS; p++)
			sum[p] += ledgers[i].count[p];
	intended = sum[LEDGER_INTENDED];
	not_sent = sum[LEDGER_UNSENT] + sum[LEDGER_REFUSED];
	if (intended == 0)
		return LIMITED_NOT;
	gen_short = is_over(not_sent, LIMIT_FRAC, intended) ||
		    is_over(gen->n_late_slots, LIMIT_FRAC, intended);
	sut_full = is_over(sum[LEDGER_SUT_DROP], SUT_FULL_FRAC, sum[LEDGER_SUT_IN]) &&
		   !is_over(not_sent, SHORT_MAX_FRAC, intended);
	if (gen_short && !sut_full)
		return LIMITED_GENERATOR;
	if (is_over(sum[LEDGER_RX_DROP], LIMIT_FRAC, intended) &&
		!(sut_full && sum[LEDGER_RX_DROP] < sum[LEDGER_SUT_DROP] / 4))
		return LIMITED_RECEIVER;
	if (sum[LEDGER_UNIQUE] < intended &&
		is_over(intended - sum[LEDGER_UNIQUE], LIMIT_FRAC, intended))
		return LIMITED_SUT;
	return LIMITED_NOT;
}

uint64_t account_packets_in(const struct ledger *ledgers, size_t n)
{
	uint64_t total = 0;
	size_t i, j;

	for (i = 0; i < n; i++) {
		const struct ledger *l = &ledgers[i];

		if (l->source[LEDGER_SUT_IN] == LEDGER_ABSENT) {
			total += l->count[LEDGER_UNIQUE];
			continue;
		}
		total += l->count[LEDGER_SUT_IN];
		for (j = 0; j < l->n_places; j++)
			if (l->places[j].point == LEDGER_SUT_DROP &&
				strcmp(l->places[j].name, "sut-input") == 0)
				total -= l->places[j].count;
	}
	return total;
}
