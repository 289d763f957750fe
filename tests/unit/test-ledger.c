/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The ledger closes, or says where it does not, or that it cannot say. */
#include "config.h"

#include <inttypes.h>
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include <cmocka.h>

#include "model/ledger.h"

/* A trial in which frames went missing everywhere; it closes. */
static const uint64_t closed[LEDGER_N_POINTS] = {
	[LEDGER_INTENDED] = 1000,
	[LEDGER_UNSENT] = 10,
	[LEDGER_OFFERED] = 990,
	[LEDGER_REFUSED] = 20,
	[LEDGER_ACCEPTED] = 970,
	[LEDGER_EGRESS_DROP] = 30,
	[LEDGER_SUT_IN] = 940,
	[LEDGER_SUT_DROP] = 40,
	[LEDGER_SUT_OUT] = 900,
	[LEDGER_RX_DROP] = 50,
	[LEDGER_UNIQUE] = 845,
	[LEDGER_DUPLICATE] = 5,
};

static struct ledger measured_but(unsigned absent_mask)
{
	struct ledger l = { .dir = DIR_FWD };
	unsigned i;

	for (i = LEDGER_INTENDED; i <= LEDGER_DUPLICATE; i++)
		if ((absent_mask & (1u << i)) == 0)
			ledger_set(
				&l, (enum ledger_point)i, closed[i], LEDGER_MEASURED);
	return l;
}

static void the_lines_are_the_contract(void **state)
{
	struct ledger l = measured_but(0);
	struct ledger_check c;
	int i;

	(void)state;
	ledger_check(&l, &c);
	assert_int_equal(c.residual_line, -1);
	for (i = 0; i < LEDGER_N_LINES; i++) {
		assert_true(c.checkable[i]);
		assert_int_equal(c.residual[i], 0);
	}
}

/* Move each term by one in turn: exactly the lines it stands in must not close. */
static void one_frame_is_found(void **state)
{
	static const struct {
		enum ledger_point point;
		int line, other_line; /* -1: stands in one line only */
	} rows[] = {
		{ LEDGER_INTENDED, 0, -1 },
		{ LEDGER_UNSENT, 0, -1 },
		{ LEDGER_OFFERED, 0, 1 },
		{ LEDGER_REFUSED, 1, -1 },
		{ LEDGER_ACCEPTED, 1, 2 },
		{ LEDGER_EGRESS_DROP, 2, -1 },
		{ LEDGER_SUT_IN, 2, 3 },
		{ LEDGER_SUT_DROP, 3, -1 },
		{ LEDGER_SUT_OUT, 3, 4 },
		{ LEDGER_RX_DROP, 4, -1 },
		{ LEDGER_UNIQUE, 4, -1 },
		{ LEDGER_DUPLICATE, 4, -1 },
	};
	size_t i;
	int k;

	(void)state;
	for (i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
		struct ledger l = measured_but(0);
		struct ledger_check c;

		l.count[rows[i].point]++;
		ledger_check(&l, &c);
		assert_int_equal(c.residual_line, rows[i].line);
		for (k = 0; k < LEDGER_N_LINES; k++) {
			bool off = k == rows[i].line || k == rows[i].other_line;
			int64_t r = c.residual[k];

			assert_int_equal(r == 1 || r == -1, off);
		}
	}
}

static void a_residual_has_a_sign(void **state)
{
	struct ledger l = measured_but(0);
	struct ledger_check c;

	(void)state;
	l.count[LEDGER_UNIQUE] += 7; /* more out than in */
	ledger_check(&l, &c);
	assert_true(c.residual[4] == -7);
	l.count[LEDGER_UNIQUE] -= 17;
	ledger_check(&l, &c);
	assert_true(c.residual[4] == 10);
}

static void absent_is_not_zero(void **state)
{
	struct ledger l = measured_but(1u << LEDGER_SUT_DROP);
	struct ledger_check c;

	(void)state;
	ledger_check(&l, &c);
	assert_false(c.checkable[3]);
	assert_true(c.checkable[2] && c.checkable[4]);
	assert_int_equal(c.residual_line, -1); /* not known is not "off" either */
	/* An empty ledger checks nothing. */
	l = (struct ledger){ .dir = DIR_REV };
	ledger_check(&l, &c);
	assert_int_equal(c.residual_line, -1);
	assert_false(c.checkable[0] || c.checkable[1] || c.checkable[2] ||
		     c.checkable[3] || c.checkable[4]);
}

/* Any single term, and any that a chain of lines can give, is found again. */
static void derives_what_follows(void **state)
{
	static const unsigned masks[] = {
		1u << LEDGER_OFFERED,
		1u << LEDGER_SUT_DROP,
		1u << LEDGER_DUPLICATE,
		/* each line gives the next its total */
		1u << LEDGER_OFFERED | 1u << LEDGER_ACCEPTED | 1u << LEDGER_SUT_IN |
			1u << LEDGER_SUT_OUT,
		/* and upward, from the receiver to the schedule */
		1u << LEDGER_INTENDED | 1u << LEDGER_OFFERED | 1u << LEDGER_ACCEPTED |
			1u << LEDGER_SUT_IN | 1u << LEDGER_SUT_OUT,
		1u << LEDGER_UNSENT | 1u << LEDGER_REFUSED | 1u << LEDGER_EGRESS_DROP |
			1u << LEDGER_SUT_DROP | 1u << LEDGER_RX_DROP,
	};
	size_t i;
	unsigned k;

	(void)state;
	for (i = 0; i < sizeof(masks) / sizeof(masks[0]); i++) {
		struct ledger l = measured_but(masks[i]);
		struct ledger_check c;

		ledger_derive(&l);
		for (k = LEDGER_INTENDED; k <= LEDGER_DUPLICATE; k++) {
			assert_true(l.count[k] == closed[k]);
			assert_int_equal(l.source[k], masks[i] & (1u << k)
							      ? LEDGER_DERIVED
							      : LEDGER_MEASURED);
		}
		ledger_check(&l, &c);
		assert_int_equal(c.residual_line, -1);
	}
}

static void does_not_derive_what_does_not_follow(void **state)
{
	struct ledger l = measured_but(1u << LEDGER_RX_DROP | 1u << LEDGER_DUPLICATE);
	struct ledger_check c;

	(void)state;
	ledger_derive(&l); /* two unknowns in one line */
	assert_int_equal(l.source[LEDGER_RX_DROP], LEDGER_ABSENT);
	assert_int_equal(l.source[LEDGER_DUPLICATE], LEDGER_ABSENT);
	assert_int_equal(l.source[LEDGER_LATE], LEDGER_ABSENT);
	/* A drop that would have to be negative stays unknown, not 2^64 - 3. */
	l = measured_but(1u << LEDGER_SUT_DROP);
	l.count[LEDGER_SUT_OUT] = l.count[LEDGER_SUT_IN] + 3;
	ledger_derive(&l);
	assert_int_equal(l.source[LEDGER_SUT_DROP], LEDGER_ABSENT);
	ledger_check(&l, &c);
	assert_false(c.checkable[3]);
}

/* Random trials, random gaps: what is derived is never wrong. */
static void random_gaps(void **state)
{
	const char *env = getenv("SATPROF_TEST_SEED");
	uint64_t seed = env != NULL ? strtoull(env, NULL, 10) : (uint64_t)time(NULL);
	unsigned short s[3] = { (unsigned short)seed, (unsigned short)(seed >> 16),
		0x330e };
	int i;
	unsigned k;

	(void)state;
	print_message("# SATPROF_TEST_SEED=%" PRIu64 "\n", seed);
	for (i = 0; i < 20000; i++) {
		unsigned mask = (unsigned)nrand48(s) & ((1u << LEDGER_LATE) - 1);
		struct ledger l = measured_but(mask);
		struct ledger_check c;

		ledger_derive(&l);
		for (k = LEDGER_INTENDED; k <= LEDGER_DUPLICATE; k++)
			if (l.source[k] != LEDGER_ABSENT)
				assert_true(l.count[k] == closed[k]);
			else
				assert_true((mask & (1u << k)) != 0);
		ledger_check(&l, &c);
		assert_int_equal(c.residual_line, -1);
	}
}

static void loss(void **state)
{
	struct ledger l = measured_but(0);

	(void)state;
	assert_true(fabs(ledger_loss_frac(&l) - 0.155) < 1e-12);
	l.count[LEDGER_UNIQUE] = 1000;
	assert_true(fabs(ledger_loss_frac(&l)) < 1e-12);
	ledger_set(&l, LEDGER_INTENDED, 0, LEDGER_MEASURED);
	assert_true(isnan(ledger_loss_frac(&l)));
	l = measured_but(1u << LEDGER_UNIQUE);
	assert_true(isnan(ledger_loss_frac(&l))); /* unknown, not 100 % */
	l = measured_but(1u << LEDGER_INTENDED);
	assert_true(isnan(ledger_loss_frac(&l)));
}

static void places(void **state)
{
	struct ledger l = { .dir = DIR_FWD };
	uint64_t sum = 0;
	size_t i;

	(void)state;
	ledger_add_place(&l, LEDGER_SUT_DROP, "sut-input", 0);
	assert_int_equal(l.n_places, 0);
	ledger_add_place(&l, LEDGER_SUT_DROP, "sut-input", 5);
	ledger_add_place(&l, LEDGER_SUT_DROP, "sut-input", 6); /* the same place */
	ledger_add_place(&l, LEDGER_RX_DROP, "sut-input", 7);  /* another point */
	assert_int_equal(l.n_places, 2);
	assert_int_equal(l.places[0].count, 11);
	assert_int_equal(l.places[1].count, 7);
	for (i = 0; i < 20; i++) {
		char name[40];

		(void)snprintf(name, sizeof(name), "queue-%zu-with-a-long-name", i);
		ledger_add_place(&l, LEDGER_SUT_DROP, name, 1);
	}
	assert_int_equal(l.n_places, LEDGER_MAX_PLACES);
	assert_string_equal(l.places[LEDGER_MAX_PLACES - 1].name, "other");
	for (i = 0; i < l.n_places; i++)
		sum += l.places[i].count;
	assert_int_equal(sum, 11 + 7 + 20); /* nothing is lost */
}

static void names_round_trip(void **state)
{
	unsigned i;

	(void)state;
	for (i = 0; i < LEDGER_N_POINTS; i++)
		assert_int_equal(
			ledger_point_parse(ledger_point_name((enum ledger_point)i)), i);
	assert_string_equal(ledger_point_name(LEDGER_EGRESS_DROP), "egress_drop");
	assert_int_equal(ledger_point_parse("egress-drop"), LEDGER_N_POINTS);
	assert_int_equal(ledger_point_parse(""), LEDGER_N_POINTS);
	assert_string_equal(ledger_point_name(LEDGER_N_POINTS), "?");
	assert_string_equal(ledger_source_name(LEDGER_ABSENT), "absent");
	assert_string_equal(ledger_source_name(LEDGER_MEASURED), "measured");
	assert_string_equal(ledger_source_name(LEDGER_DERIVED), "derived");
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(the_lines_are_the_contract),
		cmocka_unit_test(one_frame_is_found),
		cmocka_unit_test(a_residual_has_a_sign),
		cmocka_unit_test(absent_is_not_zero),
		cmocka_unit_test(derives_what_follows),
		cmocka_unit_test(does_not_derive_what_does_not_follow),
		cmocka_unit_test(random_gaps),
		cmocka_unit_test(loss),
		cmocka_unit_test(places),
		cmocka_unit_test(names_round_trip),
	};

	return cmocka_run_group_tests_name("ledger", tests, NULL, NULL);
}
