/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The answer in one sentence. */
#include "config.h"

#include "report/report_answer.h"

#include <math.h>
#include <stddef.h>

#include "base/mem.h"
#include "base/units.h"

#define RATE_LEN 32

static const char *rate(char buf[RATE_LEN], double pps)
{
	return units_pps_format(buf, RATE_LEN, pps);
}

/* "helps" and "hurts", and "none", which lies within the margin. */
static char *shift_sentence(const struct analysis *a)
{
	const struct analysis_shift *s = &a->shifts[0];
	const struct analysis_arm *arm = &a->arms[s->arm], *ref = &a->arms[s->ref];
	char k0[RATE_LEN], k1[RATE_LEN];

	(void)rate(k0, ref->knee_pps);
	(void)rate(k1, arm->knee_pps);
	if (a->verdict == VERDICT_NONE)
		return xasprintf(
			"%s does not move the knee by more than the margin of %.3g %%: "
			"%s with it, %s with %s; shift %+.1f %% (%.0f %% interval %+.1f "
			"to %+.1f %%).",
			arm->name, 100 * a->margin_frac, k1, k0, ref->name,
			100 * s->shift_frac, 100 * a->level, 100 * s->lo_frac,
			100 * s->hi_frac);
	return xasprintf("%s %s the knee by %.1f %%: %s with it, %s with %s; shift "
			 "%+.1f %% (%.0f %% interval %+.1f to %+.1f %%).",
		arm->name, a->verdict == VERDICT_HURTS ? "lowers" : "raises",
		100 * fabs(s->shift_frac), k1, k0, ref->name, 100 * s->shift_frac,
		100 * a->level, 100 * s->lo_frac, 100 * s->hi_frac);
}

static char *inconclusive_sentence(const struct analysis *a)
{
	const struct analysis_shift *s = a->shifts;
	const char *why = a->n_reasons > 0 ? a->reasons[0] : "too few blocks";

	if (a->n_shifts == 0)
		return xasprintf("There is no one knee of %s: %s.",
			a->n_arms > 0 ? a->arms[0].name : "the SUT", why);
	if (s->is_spoilt || !isfinite(s->lo_frac) || !isfinite(s->hi_frac))
		return xasprintf("Not decided whether %s moves the knee: %s.",
			a->arms[s->arm].name, why);
	return xasprintf(
		"Not decided whether %s moves the knee: the shift is %+.1f %%, but its "
		"%.0f %% interval of %+.1f to %+.1f %% includes 0 and leaves the margin "
		"of %.3g %%.",
		a->arms[s->arm].name, 100 * s->shift_frac, 100 * a->level,
		100 * s->lo_frac, 100 * s->hi_frac, 100 * a->margin_frac);
}

static char *measured_sentence(const struct run *run, const struct analysis *a)
{
	const struct analysis_arm *arm = &a->arms[0];
	char k[RATE_LEN], lo[RATE_LEN], hi[RATE_LEN];

	if (run->config.n_rates > 0)
		return xasprintf("Measured at %zu rate%s; no knee was asked for.",
			run->config.n_rates, run->config.n_rates == 1 ? "" : "s");
	(void)rate(k, arm->knee_pps);
	if (!isfinite(arm->lo_pps) || !isfinite(arm->hi_pps))
		return xasprintf("%s saturates at %s.", arm->name, k);
	return xasprintf("%s saturates at %s (%.0f %% interval %s to %s).", arm->name,
		k, 100 * a->level, rate(lo, arm->lo_pps), rate(hi, arm->hi_pps));
}

char *report_answer(const struct run *run, const struct analysis *a)
{
	const char *why = a->n_reasons > 0 ? a->reasons[0] : "no reason is known";

	switch (a->verdict) {
	case VERDICT_NONE:
	case VERDICT_HELPS:
	case VERDICT_HURTS:
		return shift_sentence(a);
	case VERDICT_INCONCLUSIVE:
		return inconclusive_sentence(a);
	case VERDICT_MEASURED:
		return measured_sentence(run, a);
	case VERDICT_NO_KNEE:
		return xasprintf("No knee was found: %s.", why);
	case VERDICT_BROKEN:
		return xasprintf("The measurement is broken: %s.", why);
	case VERDICT_OK: /* those of selftest have words of their own */
	case VERDICT_NOISY:
	case VERDICT_BIASED:
	case VERDICT_UNSET:
		break;
	}
	return xasprintf("There is no answer: %s.", why);
}
