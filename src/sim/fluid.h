/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fluid model: a SUT of known capacity behind a link, in virtual time, behind
 * the same seam as the live bench. Known truth in, knee and verdict out; hundreds
 * of sweeps a second. Goodput at rate r is r below the capacity c and
 * c + collapse * (r - c) above it, or the same with a rounded corner, less background
 * loss, times noise; the observer takes or gives a share of the capacity for being
 * attached and for each kHz of sampling. What a machine does to a measurement can be
 * planted too: drift, a step, spikes, two bands, wandering, a penalty for the arm that
 * runs later, a generator or a receiver that is the limit. And why the knee moves:
 * a thread elsewhere, a program beside it, CPUs kept awake, each with the facts that
 * tell it.
 */
#ifndef SATPROF_SIM_FLUID_H
#define SATPROF_SIM_FLUID_H

#include <gsl/gsl_rng.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/arm.h"
#include "plan/measure.h"

/* What a key that is not given means, where that is not 0. */
#define FLUID_SPIKE_FRAC         0.3
#define FLUID_BAND_CHANCE        0.5
#define FLUID_WANDER_MEMORY_FRAC 0.7
#define FLUID_FACTS_NOISE_FRAC   0.05

struct fluid_config {
	/* The SUT. */
	double capacity_pps;       /* > 0 */
	double collapse;           /* slope beyond the knee, <= 0 */
	double soft_frac;          /* width of a rounded knee, of the capacity */
	double loss_frac;          /* background loss at any rate, 0..1 */
	double inversion_frac;     /* extra loss at rates from .. to: loss inversion */
	double inversion_from_pps; /* 0: none */
	double inversion_to_pps;
	double queue_pkts; /* what the SUT's queue holds: hides loss, not goodput */
	double ring_pkts;  /* of a burst, what goes beyond it is lost; 0: no limit */
	double cost_ns;    /* CPU time a packet; 0: 1e9 / the arm's capacity */
	/* The machine under it. */
	double noise_frac;         /* sd of ln goodput, trial by trial */
	double block_noise_frac;   /* sd of ln capacity, mini-sweep by mini-sweep */
	double wander_frac;        /* sd of a ln capacity that has a memory, likewise */
	double wander_memory_frac; /* what is left of it after a mini-sweep; 0: 0.7 */
	double cut_frac;         /* sd of |N| that cuts the capacity, trial by trial */
	double outages_per_s;    /* of 5 ms each, in which nothing comes through */
	double drift_frac_per_h; /* the capacity's, in virtual time */
	double step_frac;        /* change of the capacity from step_at_s on */
	double step_at_s;        /* virtual time since the start */
	double spikes_frac;      /* of the trials, in which the capacity is cut */
	double spike_frac;       /* by this much; 0: 0.3 */
	double bands_frac;       /* what mini-sweeps in the lower band lack */
	double band_chance_frac; /* of coming up in it; 0: 0.5 */
	double later_frac;       /* capacity change of the arms after a block's first */
	/* The observer. */
	double attach_frac;  /* capacity change by being attached: -0.02 costs */
	double per_khz_frac; /* and by each kHz of sampling */
	double khz_curve;    /* and by each kHz squared: the response is curved */
	/* Why; each has its facts, which are recorded where one of the four is given.
	 */
	double move_frac;  /* capacity change by moving the thread to another CPU */
	double burn_frac;  /* of the SUT's CPU, which a program of the observer's takes
			    */
	double awake_frac; /* capacity change by keeping the CPU out of idle states */
	double facts_noise_frac; /* sd of the logarithm of all counts; 0: 0.05 */
	/* The bench. */
	double generator_pps; /* the generator's ceiling; 0: none */
	double hiccups_frac;  /* of the trials, in which it sends a tenth less */
	double receiver_pps;  /* the receiver's ceiling; 0: none */
	uint64_t seed;
};

struct fluid;

/* "capacity=300k,noise=1%,per-khz=-2%,...": the keys stand in fluid_config.c and in
 * satprof-sweep(1). SP_EUSAGE names the key that is wrong. */
int fluid_config_parse(const char *s, struct fluid_config *ret_cfg, struct sp_err *err);

/* arms are borrowed and must outlive it. */
struct fluid *fluid_new(
	const struct fluid_config *cfg, const struct arm *arms, size_t n_arms);
void fluid_free(struct fluid *f);
/* True where the arm changes what the factor is of: an observer changes all that is
 * planted, the arm of a confirmation only what it forces. */
bool fluid_arm_changes(const struct arm *arm, enum factor factor);
/* The truth an arm's knee is compared with: without noise, drift and their like. */
double fluid_capacity_pps(const struct fluid_config *cfg, const struct arm *arm);

/* True where its trials have facts. */
bool fluid_has_facts(const struct fluid_config *cfg);
/* Those of a trial in that arm whose CPU and goodput are there; a rng of its own, so
 * that facts change no result. */
void fluid_facts_make(const struct fluid_config *cfg, const struct arm *arm,
	gsl_rng *rng, struct trial *t);

extern const struct measure_ops fluid_measure; /* ctx: struct fluid * */

#endif
