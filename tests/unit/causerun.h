/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Synthetic runs whose arms differ in planted facts, and what the analysis says why. */
#ifndef SATPROF_TESTS_UNIT_CAUSERUN_H
#define SATPROF_TESTS_UNIT_CAUSERUN_H

#include <stddef.h>

#include "model/run.h"
#include "plan/analysis.h"
#include "plan/causes.h"

/* A fact in both arms: counts per second, times as a part of the time, else as it is;
 * NAN: the arm has none. */
struct planted {
	enum fact_key key;
	const char *of;
	double ref, arm;
	const char *ref_text, *arm_text; /* of texts */
};

/* Beside a background of facts that are like in both arms, in place of those of it that
 * are of the same object. */
void causerun_plant(struct run *run, const struct planted *list, size_t n);
/* Arms off and this one, whose knee is so much higher; run_free() it. */
struct run *causerun_run(const char *arm, double ln_shift);

struct answer {
	struct run *run;
	struct analysis a;
	size_t n;
	const struct cause *c;
};

struct answer causerun_answer(
	const char *arm, double ln_shift, const struct planted *list, size_t n);
void causerun_done(struct answer *w);

/* There is one cause, of that factor and with that evidence; N_FACTORS: there is none.
 */
void causerun_assert_why(const char *arm, double ln_shift, const struct planted *list,
	size_t n, enum factor factor, const char *evidence);

#endif
