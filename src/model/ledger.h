/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The ledger of one trial and one direction: where every frame went. It has to
 * close, line by line:
 *   intended = offered + unsent            offered = refused + accepted
 *   accepted = egress_drop + sut_in        sut_in  = sut_drop + sut_out
 *   sut_out  = rx_drop + unique + duplicate
 * Beside it stand late (frames of an earlier trial) and foreign (not ours).
 * Each term is measured, derived from its neighbours, or absent; a line with an
 * absent term is "not checkable", never assumed to close. Units: frames.
 */
#ifndef SATPROF_MODEL_LEDGER_H
#define SATPROF_MODEL_LEDGER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum traffic_dir { DIR_FWD, DIR_REV };

enum ledger_point {
	LEDGER_INTENDED,
	LEDGER_UNSENT,
	LEDGER_OFFERED,
	LEDGER_REFUSED,
	LEDGER_ACCEPTED,
	LEDGER_EGRESS_DROP,
	LEDGER_SUT_IN,
	LEDGER_SUT_DROP,
	LEDGER_SUT_OUT,
	LEDGER_RX_DROP,
	LEDGER_UNIQUE,
	LEDGER_DUPLICATE,
	LEDGER_LATE,
	LEDGER_FOREIGN,
	LEDGER_N_POINTS,
};

enum ledger_source { LEDGER_ABSENT, LEDGER_MEASURED, LEDGER_DERIVED };

#define LEDGER_MAX_PLACES 8

/* A part of sut_drop, rx_drop or egress_drop that is known to a place. */
struct ledger_place {
	enum ledger_point point;
	char name[24]; /* "sut-input", "sut-egress", "receiver-input", ... */
	uint64_t count;
};

struct ledger {
	enum traffic_dir dir;
	uint64_t count[LEDGER_N_POINTS];
	enum ledger_source source[LEDGER_N_POINTS];
	size_t n_places;
	struct ledger_place places[LEDGER_MAX_PLACES];
};

#define LEDGER_N_LINES 5

/* One line of the ledger: total = sum of parts. */
struct ledger_line {
	enum ledger_point total;
	enum ledger_point parts[3];
	size_t n_parts;
};

struct ledger_check {
	/* total - sum of parts; meaningless where not checkable */
	int64_t residual[LEDGER_N_LINES];
	bool checkable[LEDGER_N_LINES];
	/* the first checkable line whose residual is not 0, or -1 */
	int residual_line;
};

extern const struct ledger_line ledger_lines[LEDGER_N_LINES];

/* JSON key and column name of a point, e.g. "sut_in". */
const char *ledger_point_name(enum ledger_point p);
/* LEDGER_N_POINTS when the name is not one. */
enum ledger_point ledger_point_parse(const char *name);
const char *ledger_source_name(enum ledger_source s);

void ledger_set(struct ledger *l, enum ledger_point p, uint64_t count,
	enum ledger_source source);
/* Adds to the place of that point and name, or a new one; a zero count is left out;
 * past the last place it is summed into a place called "other". */
void ledger_add_place(
	struct ledger *l, enum ledger_point p, const char *name, uint64_t count);
/* Fill what can be derived: each line with exactly one absent term gets it, where
 * the result is not negative. Run until nothing changes. */
void ledger_derive(struct ledger *l);
void ledger_check(const struct ledger *l, struct ledger_check *ret_check);
/* 1 - unique/intended, or NAN when either is absent or intended is 0. */
double ledger_loss_frac(const struct ledger *l);

#endif
