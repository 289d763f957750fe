/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Whole sweeps of the fluid SUT, for tests that ask many of them. Seeded. */
#ifndef SATPROF_TESTS_SIM_SIMSWEEP_H
#define SATPROF_TESTS_SIM_SIMSWEEP_H

#include <stdbool.h>
#include <stdint.h>

#include "model/run.h"
#include "plan/analysis.h"

struct simsweep {
	const char *arms;  /* "off,sample@997"; NULL: that */
	const char *model; /* as of --sim */
	uint32_t n_blocks; /* 0: 8 */
	bool until_decided;
};

/* A finished sweep of the default preset's grid; run_free() it. */
struct run *simsweep_run(const struct simsweep *s, uint64_t seed);
/* Its analysis; no names of functions may be read, the run is gone. */
struct analysis simsweep_answer(const struct simsweep *s, uint64_t seed);

#endif
