/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Between the files that find what disturbed a run. */
#ifndef SATPROF_PLAN_ANALYSIS_NOISE_PRIVATE_H
#define SATPROF_PLAN_ANALYSIS_NOISE_PRIVATE_H

#include "plan/analysis.h"

/* One more finding; valid until the next one. */
struct analysis_noise *analysis_noise_add(
	struct analysis *a, enum analysis_noise_kind kind, double size_frac);

/* True when it is why the run has no answer. */
bool analysis_noise_decides(const struct analysis *a, const struct analysis_noise *x);

/* NOISE_LOAD and NOISE_STEAL of an arm. */
void analysis_load_find(struct analysis *a, uint32_t arm);

#endif
