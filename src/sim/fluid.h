/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The fluid model: a SUT of known capacity behind a link, in virtual time, behind
 * the same seam as the live bench. Known truth in, knee and verdict out; hundreds
 * of sweeps a second. Goodput at rate r is r below the capacity c and
 * c + collapse * (r - c) above it, times noise; the observer takes or gives a
 * share of the capacity for being attached and for each kHz of sampling.
 */
#ifndef SATPROF_SIM_FLUID_H
#define SATPROF_SIM_FLUID_H

#include <gsl/gsl_rng.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/arm.h"
#include "plan/measure.h"

struct fluid_config {
	double capacity_pps;     /* > 0 */
	double collapse;         /* slope beyond the knee, <= 0 */
	double loss_frac;        /* background loss at any rate, 0..1 */
	double noise_frac;       /* sd of ln goodput, trial by trial */
	double block_noise_frac; /* sd of ln capacity, mini-sweep by mini-sweep */
	double cut_frac;         /* sd of |N| that cuts the capacity, trial by trial */
	double outages_per_s;    /* of 5 ms each, in which nothing comes through */
	double drift_frac_per_h; /* the capacity's, in virtual time */
	double attach_frac;      /* capacity change by being attached: -0.02 costs */
	double per_khz_frac;     /* and by each kHz of sampling */
	double generator_pps;    /* the generator's ceiling; 0: none */
	double queue_pkts; /* what the SUT's queue holds: hides loss, not goodput */
	double cost_ns;    /* CPU time a packet; 0: 1e9 / the arm's capacity */
	uint64_t seed;
};

struct fluid;

/* "capacity=300k,noise=1%,per-khz=-2%,...": every key is a field above, with
 * `-` for `_` and no unit. SP_EUSAGE names the key that is wrong. */
int fluid_config_parse(const char *s, struct fluid_config *ret_cfg, struct sp_err *err);

/* arms are borrowed and must outlive it. */
struct fluid *fluid_new(
	const struct fluid_config *cfg, const struct arm *arms, size_t n_arms);
void fluid_free(struct fluid *f);
/* The truth an arm's knee is compared with: without noise and drift. */
double fluid_capacity_pps(const struct fluid_config *cfg, const struct arm *arm);

extern const struct measure_ops fluid_measure; /* ctx: struct fluid * */

#endif
