/* SPDX-License-Identifier: GPL-3.0-or-later */
/* From counters to a ledger: the veth map, noise, refused sends, who limited. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>
#include <string.h>

#include "engine/account.h"

/* 1,000 asked for; 40 unsent, 960 accepted; 60 dropped in the SUT's input backlog,
 * 100 by the SUT, 20 before the receiver, 5 in its ring. */
static struct account_input veth_input(void)
{
	struct account_input in = {
		.veth = true,
		.gen = { .intended = 1000,
			.unsent = 40,
			.accepted = 960,
			.unique = 775,
			.rx_ring_drop = 5,
			.tracked = true },
		.gen_tx = { .known = true, .tx_packets = 900, .tx_dropped = 60 },
		.sut_in = { .known = true, .rx_packets = 900 },
		.sut_out = { .known = true, .tx_packets = 780, .tx_dropped = 20 },
		.gen_rx = { .known = true, .rx_packets = 780 },
	};

	return in;
}

static uint64_t place(const struct ledger *l, enum ledger_point p, const char *name)
{
	size_t i;

	for (i = 0; i < l->n_places; i++)
		if (l->places[i].point == p && strcmp(l->places[i].name, name) == 0)
			return l->places[i].count;
	return 0;
}

static void assert_closed(const struct ledger *l, size_t want_checkable)
{
	struct ledger_check c;
	size_t i, n = 0;

	ledger_check(l, &c);
	for (i = 0; i < LEDGER_N_LINES; i++)
		n += c.checkable[i];
	assert_int_equal(c.residual_line, -1);
	assert_int_equal(n, want_checkable);
}

static void test_veth_closes(void **state)
{
	struct account_input in = veth_input();
	struct ledger l;

	(void)state;
	account_ledger(&in, &l);
	assert_closed(&l, 5);
	assert_int_equal(l.count[LEDGER_OFFERED], 960);
	assert_int_equal(l.count[LEDGER_SUT_IN], 960);
	assert_int_equal(l.count[LEDGER_SUT_OUT], 800);
	assert_int_equal(l.count[LEDGER_SUT_DROP], 160);
	assert_int_equal(l.source[LEDGER_SUT_DROP], LEDGER_DERIVED);
	assert_int_equal(l.count[LEDGER_RX_DROP], 25);
	assert_int_equal(place(&l, LEDGER_SUT_DROP, "sut-input"), 60);
	assert_int_equal(place(&l, LEDGER_SUT_DROP, "sut"), 100);
	assert_int_equal(place(&l, LEDGER_RX_DROP, "receiver-input"), 20);
	assert_int_equal(place(&l, LEDGER_RX_DROP, "receiver-ring"), 5);
	assert_int_equal(account_packets_in(&l, 1), 900);
}

static void test_sut_counts_make_the_line_checkable(void **state)
{
	struct account_input in = veth_input();
	struct ledger_check c;
	struct ledger l;

	(void)state;
	in.has_sut_stats = true;
	in.sut_dropped = 100;
	account_ledger(&in, &l);
	assert_int_equal(l.source[LEDGER_SUT_DROP], LEDGER_MEASURED);
	assert_closed(&l, 5);
	in.sut_dropped = 97; /* three frames that nobody saw go */
	account_ledger(&in, &l);
	ledger_check(&l, &c);
	assert_int_equal(c.residual_line, 3);
	assert_int_equal(c.residual[3], 3);
}

/* What veth refused the SUT on output is a drop of the receiver's, once. */
static void test_refused_to_the_sut_counts_once(void **state)
{
	struct account_input in = veth_input();
	struct ledger l;

	(void)state;
	in.has_sut_stats = true;
	in.sut_dropped = 120;
	in.sut_refused = 20;
	account_ledger(&in, &l);
	assert_closed(&l, 5);
	assert_int_equal(place(&l, LEDGER_SUT_DROP, "sut"), 100);
	assert_int_equal(place(&l, LEDGER_RX_DROP, "receiver-input"), 20);
}

/* ENOBUFS says the same as tx_dropped: counted once. */
static void test_refused_by_the_peer_counts_once(void **state)
{
	struct account_input in = veth_input();
	struct ledger l;

	(void)state;
	in.gen.accepted = 900;
	in.gen.refused = 60;
	account_ledger(&in, &l);
	assert_closed(&l, 5);
	assert_int_equal(l.count[LEDGER_REFUSED], 0);
	assert_int_equal(l.count[LEDGER_ACCEPTED], 960);
	assert_int_equal(l.count[LEDGER_SUT_IN], 960);
}

/* Frames that were refused and never reached the device stay refused. */
static void test_refused_by_our_own_socket(void **state)
{
	struct account_input in = veth_input();
	struct ledger l;

	(void)state;
	in.gen.intended = 1030;
	in.gen.refused = 30;
	account_ledger(&in, &l);
	assert_closed(&l, 5);
	assert_int_equal(l.count[LEDGER_REFUSED], 30);
	assert_int_equal(l.count[LEDGER_ACCEPTED], 960);
}

/* Others' frames on either side change neither loss nor residuals. */
static void test_noise_changes_nothing(void **state)
{
	struct account_input in = veth_input();
	struct ledger quiet, noisy;

	(void)state;
	account_ledger(&in, &quiet);
	in.gen_tx.tx_packets += 17; /* somebody's ARP from our side */
	in.sut_out.tx_packets += 9; /* the SUT's IPv6 noise, seen by the receiver */
	in.gen.foreign = 9;
	account_ledger(&in, &noisy);
	assert_closed(&noisy, 5);
	assert_int_equal(noisy.count[LEDGER_SUT_IN], quiet.count[LEDGER_SUT_IN]);
	assert_int_equal(noisy.count[LEDGER_SUT_OUT], quiet.count[LEDGER_SUT_OUT]);
	assert_int_equal(noisy.count[LEDGER_FOREIGN], 9);
	assert_int_equal(place(&noisy, LEDGER_FOREIGN, "generator-side"), 17);
	assert_true(ledger_loss_frac(&quiet) - ledger_loss_frac(&noisy) < 1e-12);
}

static void test_unknown_interfaces_are_not_checkable(void **state)
{
	struct account_input in = {
		.gen = { .intended = 100,
			.accepted = 100,
			.unique = 90,
			.tracked = true },
	};
	struct ledger_check c;
	struct ledger l;

	(void)state;
	account_ledger(&in, &l);
	ledger_check(&l, &c);
	assert_int_equal(c.residual_line, -1);
	assert_true(c.checkable[0] && c.checkable[1]);
	assert_false(c.checkable[2]);
	assert_false(c.checkable[3]);
	assert_int_equal(account_packets_in(&l, 1), 90);
}

static enum limited_by limited(const struct account_input *in, uint64_t n_late)
{
	struct gen_result r = { .n_late_slots = n_late };
	struct ledger l;

	account_ledger(in, &l);
	return account_limited_by(&l, 1, &r);
}

static void test_who_limited(void **state)
{
	struct account_input in = veth_input();

	(void)state;
	/* 4 % unsent, but the SUT lost 17 % of what came: it is full. */
	assert_int_equal(limited(&in, 0), LIMITED_SUT);
	in.gen.unsent = 600; /* half unsent: nothing is said of this rate */
	in.gen.intended = 1560;
	assert_int_equal(limited(&in, 0), LIMITED_GENERATOR);
	in = veth_input();
	in.gen_tx.tx_dropped = 0; /* the SUT loses nothing, 4 % unsent */
	in.gen_tx.tx_packets = in.gen.accepted = 800;
	in.gen.intended = 840;
	assert_int_equal(limited(&in, 0), LIMITED_GENERATOR);
	in.gen.unsent = 0; /* all sent, 3 % lost behind the SUT */
	in.gen.intended = 800;
	assert_int_equal(limited(&in, 0), LIMITED_RECEIVER);
	in = veth_input();
	in.gen.unsent = 0;
	in.gen.intended = 960;
	in.gen_tx.tx_dropped = 0;
	in.gen_tx.tx_packets = 960;
	in.sut_out.tx_packets = 910; /* 3 % lost by the SUT, more behind it */
	assert_int_equal(limited(&in, 0), LIMITED_RECEIVER);
	in.sut_out.tx_dropped = in.gen.rx_ring_drop = 0;
	in.sut_out.tx_packets = 775;
	assert_int_equal(limited(&in, 0), LIMITED_SUT);
	in.gen_tx.tx_dropped = 0;
	in.gen_tx.tx_packets = in.sut_out.tx_packets = in.gen.unique = 960;
	assert_int_equal(limited(&in, 0), LIMITED_NOT);
	assert_int_equal(limited(&in, 5), LIMITED_GENERATOR); /* late beyond the cap */
	in.gen.unique = 956; /* 0.42 % lost: below the limit of 0.5 % */
	assert_int_equal(limited(&in, 0), LIMITED_NOT);
}

/* Nothing is made up where an outside generator cannot know. */
static void test_outside(void **state)
{
	struct account_input in = {
		.gen = { .intended = 1000,
			.unsent = 10,
			.accepted = 990,
			.unique = 900,
			.tracked = true,
			.outside = true },
		.sut_in = { .known = true, .rx_packets = 123456 },
	};
	struct gen_result gen = { 0 };
	struct ledger l;

	(void)state;
	account_ledger(&in, &l);
	assert_closed(&l, 1);
	assert_int_equal(l.source[LEDGER_REFUSED], LEDGER_ABSENT);
	assert_int_equal(l.source[LEDGER_SUT_IN], LEDGER_ABSENT);
	assert_int_equal(l.source[LEDGER_RX_DROP], LEDGER_ABSENT);
	assert_int_equal(account_packets_in(&l, 1), 900);
	in.gen.unsent = 0;
	in.gen.accepted = 1000;
	in.has_sut_stats = true;
	in.sut_in_own = 1000;
	in.sut_dropped = 100;
	in.sut_out_own = 900;
	account_ledger(&in, &l);
	assert_closed(&l, 2); /* and sut_in = sut_drop + sut_out */
	assert_int_equal(place(&l, LEDGER_SUT_DROP, "sut"), 100);
	assert_int_equal(account_packets_in(&l, 1), 1000);
	assert_int_equal(account_limited_by(&l, 1, &gen), LIMITED_SUT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_outside),
		cmocka_unit_test(test_veth_closes),
		cmocka_unit_test(test_sut_counts_make_the_line_checkable),
		cmocka_unit_test(test_refused_by_the_peer_counts_once),
		cmocka_unit_test(test_refused_to_the_sut_counts_once),
		cmocka_unit_test(test_refused_by_our_own_socket),
		cmocka_unit_test(test_noise_changes_nothing),
		cmocka_unit_test(test_unknown_interfaces_are_not_checkable),
		cmocka_unit_test(test_who_limited),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
