/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Runs made in memory from known truths: what a test plants here the analysis has
 * to find. Seeded; the same synth gives the same run.
 */
#ifndef SATPROF_TESTS_UNIT_SYNTHRUN_H
#define SATPROF_TESTS_UNIT_SYNTHRUN_H

#include <stdint.h>

#include "model/run.h"

#define SYNTH_ARMS_MAX 4

struct synth_arm {
	const char *name;
	double ln_shift;      /* of its knee against synth.knee_pps */
	double slope;         /* of goodput above the knee */
	double ns_per_pkt;    /* CPU time per packet; 0: 1 / knee (CPU-bound) */
	double generator_pps; /* above this the generator is the limit; 0: never */
	double receiver_pps;  /* the same for the receiver */
	double center;        /* where its grid lies, of its knee; 0: 1 */
	bool polls;           /* its CPU is always busy */
};

struct synth {
	double knee_pps;
	uint32_t n_blocks;
	size_t n_arms;
	struct synth_arm arms[SYNTH_ARMS_MAX];
	double loss_frac;
	/* Log sd of the capacity: block to block, common to the arms; mini-sweep to
	 * mini-sweep; trial to trial. */
	double block_sd, sweep_sd, trial_sd;
	double drift;        /* of ln capacity, from first to last block, on the way */
	double rates_pps[8]; /* the first 0 ends it; none: the default grid */
	uint64_t seed;
};

/* Defaults: 300 kpps, 8 blocks, arms off and sample@997, no noise. */
struct synth synth_default(void);
/* A finished run; the caller frees it by run_free(). */
struct run *synth_run(const struct synth *s);
/* One more trial at that fraction of the arm's knee, without noise. */
void synth_add_trial(struct run *run, const struct synth *s, enum trial_kind kind,
	uint32_t block, uint32_t arm, double rel_rate);

#endif
