/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What disturbed a run, in words. */
#include "config.h"

#include <math.h>

#include "base/units.h"
#include "plan/analysis_noise_private.h"
#include "plan/analysis_private.h"

static void bands_reason(struct analysis *a, const struct analysis_noise *x)
{
	char lo[32], hi[32];

	analysis_add_reason(a,
		"arm %s has two bands: its knee is %s in %zu blocks and %s in %zu; it "
		"comes up in one of two states, so look at what differs between them "
		"(placement, memory, timing)",
		a->arms[x->arm].name, units_pps_format(lo, sizeof(lo), x->lo_pps),
		x->n_lo, units_pps_format(hi, sizeof(hi), x->hi_pps), x->n_hi);
}

static void reason_add(struct analysis *a, const struct analysis_noise *x)
{
	const char *arm = a->arms[x->arm].name;
	double pct = 100 * fabs(x->size_frac);
	const char *rose = x->size_frac > 0 ? "rose" : "fell";

	switch (x->kind) {
	case NOISE_ORDER:
		analysis_add_reason(a,
			"order: the shift of arm %s is %.1f %% %s where it ran after "
			"the reference than where it ran before; the random order keeps "
			"that out of the shift",
			arm, pct, x->size_frac > 0 ? "higher" : "lower");
		break;
	case NOISE_BANDS:
		bands_reason(a, x);
		break;
	case NOISE_DRIFT:
		analysis_add_reason(a,
			"drift: the knees %s by %.1f %% in the course of the run%s",
			rose, pct,
			a->n_shifts > 0 ? "; shifts are taken within blocks" : "");
		break;
	case NOISE_STEP:
		analysis_add_reason(a, "step: the knees %s by %.1f %% at block %u%s",
			rose, pct, x->block,
			a->n_shifts > 0 ? "; shifts are taken within blocks" : "");
		break;
	case NOISE_DISTURBED:
		analysis_add_reason(a,
			"disturbed: %zu of %zu mini-sweeps of arm %s lie far from the "
			"rest, in block %u by %+.1f %%",
			x->n, a->arms[x->arm].n_exact, arm, x->block,
			100 * x->size_frac);
		break;
	case NOISE_LOAD:
		analysis_add_reason(a,
			"load: others took %.0f %% of the SUT's CPUs in arm %s while "
			"the SUT waited for them",
			pct, arm);
		break;
	case NOISE_STEAL:
		analysis_add_reason(a,
			"steal: the hypervisor took %.0f %% of the SUT's CPUs in arm %s",
			pct, arm);
		break;
	}
}

void analysis_noise_reasons(struct analysis *a)
{
	size_t i;
	int pass;

	for (pass = 0; pass < 2; pass++) /* what decides comes first */
		for (i = 0; i < a->n_noise; i++)
			if (analysis_noise_decides(a, &a->noise[i]) == (pass == 0))
				reason_add(a, &a->noise[i]);
}

const char *analysis_noise_name(enum analysis_noise_kind k)
{
	switch (k) {
	case NOISE_ORDER:
		return "order";
	case NOISE_BANDS:
		return "two-bands";
	case NOISE_DRIFT:
		return "drift";
	case NOISE_STEP:
		return "step";
	case NOISE_DISTURBED:
		return "disturbed";
	case NOISE_LOAD:
		return "load";
	case NOISE_STEAL:
		return "steal";
	}
	return "?";
}
