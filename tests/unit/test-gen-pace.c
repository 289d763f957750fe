/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The schedule: what is due, what is skipped, and that a trial never stretches. */
#include "config.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/clock.h"
#include "gen/gen_loop.h"
#include "gen/gen_tx.h"

#define T0 (5 * NS_PER_S)

/* A sink in virtual time: each frame costs cost_ns of it. */
struct fake_sink {
	uint64_t *now_ns;
	uint64_t cost_ns;
	uint64_t frames, calls, next_frame, last_send_ns;
	uint64_t out_of_order;
	uint64_t refuse_every;  /* 0: never */
	uint64_t fail_at_frame; /* then the link is gone; 0: never */
};

static int fake_send(void *ctx, const struct gen_pace_slot *slots, size_t n_slots,
	struct pkttx_count *count)
{
	struct fake_sink *s = ctx;
	size_t i;

	for (i = 0; i < n_slots; i++) {
		uint32_t k;

		s->out_of_order += slots[i].first_frame < s->next_frame;
		s->next_frame = slots[i].first_frame + slots[i].n_frames;
		for (k = 0; k < slots[i].n_frames; k++) {
			if (s->fail_at_frame != 0 && s->frames >= s->fail_at_frame)
				return 100; /* ENETDOWN */
			s->frames++;
			if (s->refuse_every != 0 && s->frames % s->refuse_every == 0)
				count->refused++;
			else
				count->accepted++;
			*s->now_ns += s->cost_ns;
		}
	}
	s->calls++;
	s->last_send_ns = *s->now_ns;
	return 0;
}

/* Virtual time: sleeping moves it on, plus a wake-up delay. */
struct fake_time {
	uint64_t now_ns, wake_late_ns, reading_ns;
};

static uint64_t fake_now(void *ctx)
{
	struct fake_time *t = ctx;

	t->now_ns += t->reading_ns;
	return t->now_ns;
}

static void fake_sleep(void *ctx, uint64_t deadline_ns)
{
	struct fake_time *t = ctx;

	if (deadline_ns > t->now_ns)
		t->now_ns = deadline_ns;
	t->now_ns += t->wake_late_ns;
}

/* One trial through the loop that the real generator runs. */
struct fake_trial {
	struct fake_time time;
	struct clock_src clock;
	struct fake_sink sink;
	struct gen_tx tx;
	struct gen_loop loop;
	struct hist *lateness;
};

static void fake_trial_init(
	struct fake_trial *t, double rate_pps, uint64_t duration_ns, uint32_t burst)
{
	const struct gen_pace_config cfg = { .t0_ns = T0,
		.duration_ns = duration_ns,
		.rate_pps = rate_pps,
		.burst = burst };
	struct gen_tx_sink sink = { fake_send, &t->sink };

	*t = (struct fake_trial){ .time = { T0 - NS_PER_MS, 60000, 30 } };
	t->clock = (struct clock_src){ fake_now, fake_sleep, &t->time };
	t->sink.now_ns = &t->time.now_ns;
	t->lateness = hist_new();
	t->loop.clock = &t->clock;
	t->loop.tx[0] = &t->tx;
	t->loop.n_tx = 1;
	gen_tx_begin(&t->tx, &cfg, &sink, t->lateness);
}

static void assert_closes(const struct fake_trial *t)
{
	assert_true(gen_pace_intended(&t->tx.pace) ==
		    t->tx.pace.unsent + t->tx.count.refused + t->tx.count.accepted);
	assert_int_equal(t->sink.out_of_order, 0);
}

static void rates_are_exact_to_the_frame(void **state)
{
	static const struct {
		double pps;
		uint64_t ns, frames;
		uint32_t burst;
	} rows[] = {
		{ 1, 10 * NS_PER_S, 10, 1 },
		{ 7, 10 * NS_PER_S, 70, 1 },
		{ 100, 10 * NS_PER_S, 1000, 1 },
		{ 10000, 10 * NS_PER_S, 100000, 1 },
		{ 250000, NS_PER_S, 250000, 1 },
		{ 250000, NS_PER_S, 250000, 32 },
		{ 100001, NS_PER_S, 100001, 64 }, /* the last slot is short */
		{ 7, NS_PER_S, 7, 64 },           /* a rate below the burst */
		{ 0.5, 10 * NS_PER_S, 5, 1 },
		{ 1, NS_PER_S / 2, 1, 1 },
	};
	size_t i;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct fake_trial t;

		fake_trial_init(&t, rows[i].pps, rows[i].ns, rows[i].burst);
		t.sink.cost_ns = 300;
		gen_loop_send(&t.loop);
		assert_int_equal(t.tx.count.accepted, rows[i].frames);
		assert_int_equal(t.tx.pace.unsent, 0);
		assert_true(t.time.now_ns >= T0 + rows[i].ns);
		assert_true(t.time.now_ns <= T0 + rows[i].ns + 2 * GEN_PACE_GRACE_NS);
		assert_closes(&t);
		hist_free(t.lateness);
	}
}

/* 1 pps must not go flat out: never two frames within a second. */
static void slow_slots_keep_their_distance(void **state)
{
	struct fake_trial t;
	struct gen_pace_slot s[8];
	uint64_t now_ns, last_ns = 0;
	size_t n;

	(void)state;
	fake_trial_init(&t, 1, 5 * NS_PER_S, 1);
	for (now_ns = T0; now_ns < T0 + 5 * NS_PER_S; now_ns += NS_PER_MS / 4) {
		n = gen_pace_take(&t.tx.pace, now_ns, s, 8);
		assert_true(n <= 1);
		if (n == 1 && last_ns != 0)
			assert_true(now_ns - last_ns >= NS_PER_S);
		if (n == 1) {
			assert_true(s[0].due_ns <= now_ns);
			last_ns = now_ns;
		}
	}
	assert_int_equal(t.tx.pace.next_slot, 5);
	hist_free(t.lateness);
}

/* A sender that can do half of what is asked. */
static void overload_is_unsent_not_stretched(void **state)
{
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, 1e6, NS_PER_S, 4);
	t.sink.cost_ns = 2000;
	gen_loop_send(&t.loop);
	assert_int_equal(gen_pace_intended(&t.tx.pace), 1000000);
	assert_in_range(t.tx.count.accepted, 480000, 505000);
	assert_true(t.time.now_ns < T0 + NS_PER_S + 2 * GEN_PACE_GRACE_NS);
	assert_true(t.sink.last_send_ns < T0 + NS_PER_S + 2 * GEN_PACE_GRACE_NS);
	assert_true(hist_quantile(t.lateness, 1) <= GEN_PACE_CAP_NS + NS_PER_MS);
	assert_true(t.tx.pace.n_late_slots > 0);
	assert_closes(&t);
	hist_free(t.lateness);
}

/* Away for 50 ms: what is 10 ms old goes out, the rest is unsent. */
static void a_long_stall_is_caught_up_to_the_cap(void **state)
{
	struct gen_pace_slot s[64];
	struct fake_trial t;
	uint64_t got = 0;
	size_t n;

	(void)state;
	fake_trial_init(&t, 100000, NS_PER_S, 1);
	assert_int_equal(gen_pace_take(&t.tx.pace, T0, s, 64), 1);
	while ((n = gen_pace_take(&t.tx.pace, T0 + 50 * NS_PER_MS, s, 64)) > 0) {
		if (got == 0) {
			assert_int_equal(s[0].first_frame, 4000);
			assert_int_equal(s[0].due_ns, T0 + 40 * NS_PER_MS);
		}
		got += n;
	}
	assert_int_equal(got, 1001); /* 40 ms .. 50 ms, both ends */
	assert_int_equal(t.tx.pace.unsent, 3999);
	assert_int_equal(t.tx.pace.n_late_slots, 3999);
	hist_free(t.lateness);
}

/* However late, the newest slot that is due is kept: a slow rate loses nothing. */
static void the_newest_due_slot_is_kept(void **state)
{
	struct gen_pace_slot s[4];
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, 2, 10 * NS_PER_S, 1);
	assert_int_equal(gen_pace_take(&t.tx.pace, T0 + 400 * NS_PER_MS, s, 4), 1);
	assert_int_equal(s[0].first_frame, 0);
	assert_int_equal(gen_pace_take(&t.tx.pace, T0 + 1700 * NS_PER_MS, s, 4), 1);
	assert_int_equal(s[0].first_frame, 3); /* 1 and 2 are too late */
	assert_int_equal(t.tx.pace.unsent, 2);
	hist_free(t.lateness);
}

static void nothing_is_sent_before_the_start(void **state)
{
	struct gen_pace_slot s[4];
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, 1e6, NS_PER_S, 1);
	assert_int_equal(gen_pace_take(&t.tx.pace, T0 - 1, s, 4), 0);
	assert_true(gen_pace_next_ns(&t.tx.pace, T0 - 1) == T0);
	assert_int_equal(gen_pace_take(&t.tx.pace, T0, s, 4), 1);
	hist_free(t.lateness);
}

static void flat_out_leaves_nothing_unsent(void **state)
{
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, (double)INFINITY, NS_PER_S / 10, 32);
	t.sink.cost_ns = 500;
	gen_loop_send(&t.loop);
	assert_in_range(t.tx.count.accepted, 195000, 205000);
	assert_int_equal(t.tx.pace.unsent, 0);
	assert_true(t.time.now_ns < T0 + NS_PER_S / 10 + NS_PER_MS);
	assert_closes(&t);
	hist_free(t.lateness);
}

static void refusals_are_counted_and_not_tried_again(void **state)
{
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, 10000, NS_PER_S, 4);
	t.sink.refuse_every = 10;
	gen_loop_send(&t.loop);
	assert_int_equal(t.sink.frames, 10000);
	assert_int_equal(t.tx.count.refused, 1000);
	assert_int_equal(t.tx.count.accepted, 9000);
	assert_closes(&t);
	hist_free(t.lateness);
}

static void a_lost_link_ends_the_trial_and_the_count_closes(void **state)
{
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, 10000, NS_PER_S, 8);
	t.sink.fail_at_frame = 1234; /* within a burst */
	gen_loop_send(&t.loop);
	assert_true(t.loop.link_down);
	assert_int_equal(t.tx.count.accepted, 1234);
	assert_true(t.time.now_ns < T0 + NS_PER_S / 2);
	assert_closes(&t);
	hist_free(t.lateness);
}

/* A stop flag that is set when the clock passes a time. */
struct stop_clock {
	struct fake_time *time;
	uint64_t at_ns;
	volatile sig_atomic_t flag;
};

static uint64_t stop_now(void *ctx)
{
	struct stop_clock *s = ctx;
	uint64_t now_ns = fake_now(s->time);

	if (now_ns >= s->at_ns)
		s->flag = 2;
	return now_ns;
}

static void stop_sleep(void *ctx, uint64_t deadline_ns)
{
	struct stop_clock *s = ctx;

	fake_sleep(s->time, deadline_ns);
}

static void a_signal_ends_the_trial_at_once(void **state)
{
	struct fake_trial t;
	struct stop_clock s = { .time = &t.time, .at_ns = T0 + 300 * NS_PER_MS };

	(void)state;
	fake_trial_init(&t, 1, 100 * NS_PER_S, 1); /* asleep most of the time */
	t.clock = (struct clock_src){ stop_now, stop_sleep, &s };
	t.loop.stop = &s.flag;
	gen_loop_send(&t.loop);
	assert_true(t.loop.stopped);
	assert_int_equal(t.tx.count.accepted, 1);
	assert_int_equal(gen_pace_intended(&t.tx.pace), 1);
	assert_true(t.time.now_ns < T0 + 350 * NS_PER_MS);
	assert_closes(&t);
	hist_free(t.lateness);
}

static bool link_gone(void *ctx)
{
	const struct fake_time *t = ctx;

	return t->now_ns < T0 + 100 * NS_PER_MS;
}

static void carrier_is_looked_at_while_sending(void **state)
{
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, 1000, 10 * NS_PER_S, 1);
	t.loop.link_ok = link_gone;
	t.loop.ctx = &t.time;
	gen_loop_send(&t.loop);
	assert_true(t.loop.link_down);
	assert_true(t.time.now_ns < T0 + 120 * NS_PER_MS);
	hist_free(t.lateness);
}

/* Waking 60 us late, a burst is 60 us late; spinning, not a microsecond. */
static void spinning_makes_up_for_late_wakeups(void **state)
{
	struct fake_trial t;
	uint64_t slept_ns;

	(void)state;
	fake_trial_init(&t, 1000, NS_PER_S, 1);
	gen_loop_send(&t.loop);
	slept_ns = hist_quantile(t.lateness, 0.5);
	hist_free(t.lateness);
	fake_trial_init(&t, 1000, NS_PER_S, 1);
	t.time.wake_late_ns = 40000;
	t.loop.spin = true;
	gen_loop_send(&t.loop);
	assert_in_range(slept_ns, 60000, 62000);
	assert_true(hist_quantile(t.lateness, 0.99) < 1000);
	assert_int_equal(t.tx.count.accepted, 1000);
	hist_free(t.lateness);
}

static void captured_times_are_kept_scaled_and_repeated(void **state)
{
	static const uint64_t offsets[] = { 0, 1000, 1000, 500000 };
	struct gen_pace_config cfg = { .t0_ns = T0,
		.duration_ns = 2000000,
		.burst = 1,
		.offsets_ns = offsets,
		.n_offsets = 4,
		.cycle_ns = 600000,
		.speed = 1 };
	struct gen_pace_slot s[64];
	struct gen_pace p;
	size_t n;

	(void)state;
	gen_pace_init(&p, &cfg);
	/* Rounds begin at 0, 0.6, 1.2 and 1.8 ms; the last one has three frames. */
	assert_int_equal(p.n_frames, 15);
	assert_int_equal(gen_pace_take(&p, T0, s, 64), 1);
	assert_true(gen_pace_next_ns(&p, T0) == T0 + 1000);
	n = gen_pace_take(&p, T0 + 1199999, s, 64);
	assert_int_equal(n, 7);
	assert_true(s[0].due_ns == T0 + 1000 && s[1].due_ns == T0 + 1000);
	assert_true(s[6].due_ns == T0 + 1100000 && s[6].first_frame == 7);
	cfg.speed = 2;
	gen_pace_init(&p, &cfg);
	assert_int_equal(p.n_frames, 27);
	n = gen_pace_take(&p, T0 + 300000, s, 64);
	assert_int_equal(n, 5);
	assert_true(s[3].due_ns == T0 + 250000 && s[4].due_ns == T0 + 300000);
}

/* A trial of 12 days at an awkward rate: no drift, no overflow (the slot due at its
 * end is where exact arithmetic puts it). */
static void days_do_not_drift(void **state)
{
	const uint64_t day_s = 86400, twelve_ns = 12 * day_s * NS_PER_S;
	struct gen_pace_slot s[1];
	struct fake_trial t;

	(void)state;
	fake_trial_init(&t, 4800, twelve_ns, 1);
	assert_true(t.tx.pace.n_frames == 4800 * 12 * day_s);
	t.tx.pace.next_slot = t.tx.pace.n_slots - 1;
	assert_true(gen_pace_next_ns(&t.tx.pace, T0) == T0 + twelve_ns - 208334);
	assert_int_equal(gen_pace_take(&t.tx.pace, T0 + twelve_ns - 208335, s, 1), 0);
	assert_int_equal(gen_pace_take(&t.tx.pace, T0 + twelve_ns - 208334, s, 1), 1);
	hist_free(t.lateness);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(rates_are_exact_to_the_frame),
		cmocka_unit_test(slow_slots_keep_their_distance),
		cmocka_unit_test(overload_is_unsent_not_stretched),
		cmocka_unit_test(a_long_stall_is_caught_up_to_the_cap),
		cmocka_unit_test(the_newest_due_slot_is_kept),
		cmocka_unit_test(nothing_is_sent_before_the_start),
		cmocka_unit_test(flat_out_leaves_nothing_unsent),
		cmocka_unit_test(refusals_are_counted_and_not_tried_again),
		cmocka_unit_test(a_lost_link_ends_the_trial_and_the_count_closes),
		cmocka_unit_test(a_signal_ends_the_trial_at_once),
		cmocka_unit_test(carrier_is_looked_at_while_sending),
		cmocka_unit_test(spinning_makes_up_for_late_wakeups),
		cmocka_unit_test(captured_times_are_kept_scaled_and_repeated),
		cmocka_unit_test(days_do_not_drift),
	};

	return cmocka_run_group_tests_name("gen_pace", tests, NULL, NULL);
}
