/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The token clock: slot n of an absolute schedule is due at
 * t0 + floor(n * 1e9 * den / num), with the rate num/den packets/s exact. Wide
 * arithmetic: neither time nor counts drift or overflow in a trial of days.
 * Shared by the generator and by `forward --limit`. Pure; one thread.
 */
#ifndef SATPROF_BASE_PACING_H
#define SATPROF_BASE_PACING_H

#include <stdint.h>

struct pacing {
	uint64_t t0_ns;
	uint64_t num; /* the rate as a ratio: a period in ns would round, and drift */
	uint64_t den;
};

#define PACING_RATE_MAX_PPS 1.8e9 /* more is cut to this */

/*
 * rate_pps > 0, finite. Kept to within 5e-11 packets/s or 2^-53 relative,
 * whichever is more: whole rates and up to ten decimals are exact.
 */
void pacing_init(struct pacing *p, uint64_t t0_ns, double rate_pps);

/* When slot n (from 0) is due. */
uint64_t pacing_due_ns(const struct pacing *p, uint64_t n);

/* How many slots are due at or before now: 0 before t0, else >= 1. */
uint64_t pacing_slots_due(const struct pacing *p, uint64_t now_ns);

/* Slots of a trial that lasts duration_ns: those with due < t0 + duration. */
uint64_t pacing_slots_total(const struct pacing *p, uint64_t duration_ns);

#endif
