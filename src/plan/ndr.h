/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * NDR and PDR (RFC 1242 throughput, and the rate at 0.5 % loss) by MLRsearch: what
 * the presets of --ndr mean, and what counts as loss. Pure.
 *
 *   light    NDR and PDR, 5 s of 0.5 s trials decide, half may be bad, width 1 %
 *   csit     NDR and PDR, 21 s of 1 s trials decide, half may be bad, width 0.5 %
 *   rfc2544  NDR only, one 60 s trial without loss decides, width 0.5 %
 *
 * A trial counts with the time it was asked to send, not with its overhead.
 */
#ifndef SATPROF_PLAN_NDR_H
#define SATPROF_PLAN_NDR_H

#include "model/ndr.h"
#include "model/trial.h"
#include "plan/mlrsearch.h"

/* The search's limits, as multiples of the reference arm's knee. */
#define NDR_MAX_REL_RATE 2.0
#define NDR_MIN_REL_RATE 0.02

enum ndr_goal { NDR_GOAL_NDR, NDR_GOAL_PDR };

/* preset is not NDR_NONE; 0 < min < max. goals[] is by enum ndr_goal. */
void ndr_config_make(enum ndr_preset preset, double min_pps, double max_pps,
	struct mlrsearch_config *ret_config);
/* Length of its longest trials. */
uint64_t ndr_trial_ns(enum ndr_preset preset);
/* Length of the first trial, at max, that is thrown away. */
uint64_t ndr_warmup_ns(enum ndr_preset preset);
/* What the search takes on a SUT without much noise, for the line printed first;
 * overhead_ns is a trial's. */
uint64_t ndr_estimate_ns(enum ndr_preset preset, uint64_t overhead_ns);

/*
 * The loss that MLRsearch is fed: what was intended and did not arrive, unsent and
 * excess counted against it ("robust loss ratio"); NAN for a trial that is not
 * valid.
 *
 * A queue hides loss: Q frames that wait when sending ends arrive in the drain, so a
 * trial of n frames shows Q / n too little (4,096 frames: 3.6 % of 0.5 s at 230
 * kpps). Goodput in the steady window does not count them. So where it falls short
 * of the rate by more than both the loss and what the window can resolve (a quarter
 * of the preset's width, and two bursts), that is the loss.
 */
double ndr_loss_frac(enum ndr_preset preset, const struct trial *t);

#endif
