/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Confirmation: is what differs between the arms also what moves the knee? The
 * suspected factor is forced while the observer is off, in fresh blocks of off, on and
 * forced, and the same analysis judges them (design 5). Here is what is forced, with
 * how many blocks, and what they say; the engine runs them. Pure.
 */
#ifndef SATPROF_PLAN_CONFIRM_H
#define SATPROF_PLAN_CONFIRM_H

#include "model/run.h"
#include "plan/analysis.h"

/* How the note begins that says why a factor was not forced; the factor follows. */
#define CONFIRM_NOTE "confirmation of "

/* A factor that differs, and the arm that would force it. */
struct confirm_suspect {
	enum factor factor;
	struct arm arm;    /* phase 0 so far; meaningless where it cannot be forced */
	char why_not[160]; /* "": it can be, as far as the facts tell */
};

/*
 * The factors of the first shift that is one, strongest suspect first, one row a
 * factor: all threads that moved are forced together. An observer that samples is
 * itself the last suspect. After a confirmation that refuted one, a's causes hold also
 * what hid behind it, so choose anew. 0: none, and why says in one clause what there is
 * to confirm nothing of. *ret_suspects is the caller's (free).
 */
size_t confirm_choose(const struct run *run, const struct analysis *a,
	struct confirm_suspect **ret_suspects, char *why, size_t why_len);

/* What a confirmation runs by: the sweep's grid and trials, 8 blocks at least. Its
 * rates_pps is NULL: nothing to free. */
struct sweep_config confirm_config(const struct sweep_config *sweep, uint32_t phase);
/* What n confirmations take. */
uint64_t confirm_estimate_ns(const struct sweep_config *sweep, uint32_t n);

/*
 * What the run's confirmations say, into *a (of the run's sweep): confirmations, the
 * state of the causes that were forced, and why there is no confirmation where one was
 * asked for. In order:
 *   confirmed   forced against off excludes 0 with the sign of the shift, and forced
 *               against on lies within +-max(margin, half the shift);
 *   refuted     forced against off stays under half of the shift, or forced against
 *               on lies outside that range;
 *   unresolved  else, where blocks lack, and where the shift itself did not come again.
 * What a refuted cause seemed to explain (plan/causes.h) becomes a cause of its own.
 * Sampling at half the rate is no less an observer, so there: confirmed where half
 * against full excludes 0 toward off, refuted where it stays under a quarter of the
 * shift.
 */
void confirm_judge(const struct run *run, struct analysis *a);

#endif
