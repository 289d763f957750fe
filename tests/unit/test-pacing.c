/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The token clock against two other ways to the same numbers: an accumulator that
 * carries its remainder from slot to slot, and the inequality that defines a floor.
 */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <time.h>

#include <cmocka.h>

#include "base/pacing.h"

#define N_OF(a) (sizeof(a) / sizeof((a)[0]))
#define S_NS    UINT64_C(1000000000)
#define DAYS_30 (UINT64_C(30) * 86400 * S_NS)

static const double rates_pps[] = {
	1,
	7,
	0.1,
	1.0 / 3.0,
	999.999999,
	54321.123456,
	1e6 / 7.0,
	14880952,
	14880952.380952381,
	148809523,
};

/* splitmix64: small, seeded, the same everywhere (Steele, Lea, Flood 2014). */
static uint64_t rnd(uint64_t *s)
{
	uint64_t z = (*s += UINT64_C(0x9e3779b97f4a7c15));

	z = (z ^ (z >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
	z = (z ^ (z >> 27)) * UINT64_C(0x94d049bb133111eb);
	return z ^ (z >> 31);
}

static uint64_t seed_get(void)
{
	const char *s = getenv("SATPROF_TEST_SEED");
	uint64_t seed = s != NULL ? strtoull(s, NULL, 10) : (uint64_t)time(NULL);

	print_message("# SATPROF_TEST_SEED=%" PRIu64 "\n", seed);
	return seed;
}

/* d = floor(n * 1e9 / rate)  <=>  d * rate <= n * 1e9 < (d + 1) * rate */
static void assert_is_floor(const struct pacing *p, uint64_t n)
{
	unsigned __int128 want = (unsigned __int128)n * S_NS * p->den;
	uint64_t d = pacing_due_ns(p, n) - p->t0_ns;

	if ((unsigned __int128)d * p->num > want ||
		(unsigned __int128)(d + 1) * p->num <= want)
		fail_msg("slot %" PRIu64 " of %" PRIu64 "/%" PRIu64 ": due %" PRIu64, n,
			p->num, p->den, d);
}

/* What slots_due and slots_total promise, at and around the time of slot n. */
static void assert_counts_agree(const struct pacing *p, uint64_t n)
{
	uint64_t due_ns = pacing_due_ns(p, n);
	uint64_t n_due = pacing_slots_due(p, due_ns);
	uint64_t n_total;

	/* Slot n is due now; the first slot that is not counted is later. */
	assert_true(n_due >= n + 1);
	assert_true(pacing_due_ns(p, n_due - 1) <= due_ns);
	assert_true(pacing_due_ns(p, n_due) > due_ns);
	if (due_ns > p->t0_ns)
		assert_true(pacing_slots_due(p, due_ns - 1) <= n);
	/* A trial that ends as slot n falls due does not hold it. */
	n_total = pacing_slots_total(p, due_ns - p->t0_ns);
	assert_true(n_total <= n);
	assert_true(n_total == 0 || pacing_due_ns(p, n_total - 1) < due_ns);
	assert_true(pacing_due_ns(p, n_total) >= due_ns);
}

static void whole_rates_are_exact_for_30_days(void **state)
{
	static const uint64_t whole[] = { 1, 7, 4800, 185000, 14880952, 148809523,
		1000000000 };
	const uint64_t t0_ns = UINT64_C(123456789012345);
	struct pacing p;
	uint64_t day;
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(whole); i++) {
		pacing_init(&p, t0_ns, (double)whole[i]);
		for (day = 0; day <= 30; day++) {
			uint64_t n = whole[i] * 86400 * day;
			uint64_t t_ns = day * 86400 * S_NS;

			assert_true(pacing_due_ns(&p, n) == t0_ns + t_ns);
			assert_true(pacing_slots_total(&p, t_ns) == n);
			assert_true(pacing_slots_due(&p, t0_ns + t_ns) == n + 1);
		}
	}
}

/* Rates as typed, with decimals: 10 pps tenths and 1e-6 parts must not drift. */
static void decimal_rates_are_exact(void **state)
{
	struct pacing p;

	(void)state;
	pacing_init(&p, 0, 0.1);
	assert_true(pacing_due_ns(&p, 259200) == DAYS_30);
	pacing_init(&p, 0, 0.000001);
	assert_true(pacing_due_ns(&p, 2) == 2000000 * S_NS);
	pacing_init(&p, 0, 54321.123456);
	assert_true(pacing_due_ns(&p, UINT64_C(54321123456)) == 1000000 * S_NS);
}

static void any_rate_stays_within_a_ns_of_the_ideal(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rates_pps); i++) {
		/* long double: 64 bits of mantissa, 30 days in ns are 52 */
		long double rate = (long double)rates_pps[i];
		long double n = roundl(rate * DAYS_30 / 1e9L);
		long double ideal_ns = n * 1e9L / rate;
		/* what the header promises of the rate, and the floor */
		long double tol_ns = ideal_ns * fmaxl(5e-11L / rate, 0x1p-53L) + 1;
		struct pacing p;

		pacing_init(&p, 0, rates_pps[i]);
		assert_true(fabsl((long double)pacing_due_ns(&p, (uint64_t)n) -
				    ideal_ns) <= tol_ns);
	}
}

/* Carry the remainder from one slot to the next, as a hardware shaper would. */
static void an_accumulator_agrees_slot_by_slot(void **state)
{
	size_t i;

	(void)state;
	for (i = 0; i < N_OF(rates_pps); i++) {
		unsigned __int128 rest = 0;
		uint64_t t_ns = 0, n;
		struct pacing p;

		pacing_init(&p, 0, rates_pps[i]);
		for (n = 0; n < 200000; n++) {
			assert_true(pacing_due_ns(&p, n) == t_ns);
			rest += (unsigned __int128)S_NS * p.den;
			t_ns += (uint64_t)(rest / p.num);
			rest %= p.num;
		}
	}
}

static void before_the_start_nothing_is_due(void **state)
{
	struct pacing p;

	(void)state;
	pacing_init(&p, 5000, 1e6);
	assert_int_equal(pacing_slots_due(&p, 0), 0);
	assert_int_equal(pacing_slots_due(&p, 4999), 0);
	assert_int_equal(pacing_slots_due(&p, 5000), 1);
	assert_int_equal(pacing_slots_due(&p, 5999), 1);
	assert_int_equal(pacing_slots_due(&p, 6000), 2);
	assert_int_equal(pacing_slots_total(&p, 0), 0);
	assert_int_equal(pacing_slots_total(&p, 1), 1);
	assert_int_equal(pacing_slots_total(&p, 1000), 1);
	assert_int_equal(pacing_slots_total(&p, 1001), 2);
}

static void ends_of_the_range_do_not_wrap(void **state)
{
	struct pacing p;

	(void)state;
	pacing_init(&p, 1000, 1e-30); /* cut to the slowest rate, not to 0 */
	assert_true(p.num > 0);
	assert_true(pacing_due_ns(&p, 0) == 1000);
	assert_true(pacing_due_ns(&p, 1) > 1000);
	assert_true(pacing_due_ns(&p, UINT64_MAX) == UINT64_MAX);
	pacing_init(&p, 0, 1e30); /* cut to the fastest */
	assert_true(pacing_due_ns(&p, (uint64_t)PACING_RATE_MAX_PPS) == S_NS);
	assert_true(pacing_slots_total(&p, S_NS) == (uint64_t)PACING_RATE_MAX_PPS);
	pacing_init(&p, UINT64_MAX - 10, 1);
	assert_true(pacing_due_ns(&p, 1) == UINT64_MAX);
}

/* Log-uniform rates from 1e-6 to 1.8e9 pps, any slot of the first 30 days. */
static void random_rates_keep_the_promises(void **state)
{
	uint64_t s = seed_get();
	int i, k;

	(void)state;
	for (i = 0; i < 20000; i++) {
		double u = (double)(rnd(&s) >> 11) * 0x1p-53;
		double rate_pps = pow(10, -6 + u * (log10(1.8e9) + 6));
		uint64_t last, n = 0;
		struct pacing p;

		pacing_init(&p, rnd(&s) >> 4, rate_pps);
		last = pacing_slots_total(&p, DAYS_30);
		for (k = 0; k < 4; k++) {
			assert_is_floor(&p, n);
			assert_counts_agree(&p, n);
			n = rnd(&s) % last;
		}
	}
}

/* Any moment, not only those at which a slot falls due. */
static void random_moments_are_counted_right(void **state)
{
	uint64_t s = seed_get();
	int i;

	(void)state;
	for (i = 0; i < 50000; i++) {
		double u = (double)(rnd(&s) >> 11) * 0x1p-53;
		struct pacing p;
		uint64_t now_ns, n;

		pacing_init(&p, rnd(&s) >> 8, pow(10, u * 9));
		now_ns = p.t0_ns + rnd(&s) % DAYS_30;
		n = pacing_slots_due(&p, now_ns);
		assert_true(n >= 1);
		assert_true(pacing_due_ns(&p, n - 1) <= now_ns);
		assert_true(pacing_due_ns(&p, n) > now_ns);
	}
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(whole_rates_are_exact_for_30_days),
		cmocka_unit_test(decimal_rates_are_exact),
		cmocka_unit_test(any_rate_stays_within_a_ns_of_the_ideal),
		cmocka_unit_test(an_accumulator_agrees_slot_by_slot),
		cmocka_unit_test(before_the_start_nothing_is_due),
		cmocka_unit_test(ends_of_the_range_do_not_wrap),
		cmocka_unit_test(random_rates_keep_the_promises),
		cmocka_unit_test(random_moments_are_counted_right),
	};

	return cmocka_run_group_tests_name("pacing", tests, NULL, NULL);
}
