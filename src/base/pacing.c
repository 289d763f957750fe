/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The token clock of base/pacing.h, in 128-bit arithmetic. */
#include "config.h"

#include "base/pacing.h"

#include <math.h>

#include "base/clock.h"

/*
 * A power of ten, so that rates typed in decimals are exact, and as large as it
 * can be with n * 1e9 * den below 2^128 for every 64-bit n.
 */
#define PACING_DEN UINT64_C(10000000000)

void pacing_init(struct pacing *p, uint64_t t0_ns, double rate_pps)
{
	double num = round(rate_pps * (double)PACING_DEN);

	p->t0_ns = t0_ns;
	p->den = PACING_DEN;
	if (num < 1)
		p->num = 1;
	else if (rate_pps > PACING_RATE_MAX_PPS)
		p->num = (uint64_t)PACING_RATE_MAX_PPS * PACING_DEN;
	else
		p->num = (uint64_t)num;
}

uint64_t pacing_due_ns(const struct pacing *p, uint64_t n)
{
	unsigned __int128 t = (unsigned __int128)n * NS_PER_S * p->den / p->num;

	/* A slot past the end of time is never due. */
	return t > UINT64_MAX - p->t0_ns ? UINT64_MAX : p->t0_ns + (uint64_t)t;
}

/* Number of n >= 0 with floor(n * 1e9 * den / num) < span_ns. */
static uint64_t slots_before(const struct pacing *p, uint64_t span_ns)
{
	unsigned __int128 unit = (unsigned __int128)NS_PER_S * p->den;

	/* floor(x) < s  <=>  x < s for integer s; n < s * num / unit. */
	return (uint64_t)(((unsigned __int128)span_ns * p->num + unit - 1) / unit);
}

uint64_t pacing_slots_due(const struct pacing *p, uint64_t now_ns)
{
	if (now_ns < p->t0_ns)
		return 0;
	return slots_before(p, now_ns - p->t0_ns + 1);
}

uint64_t pacing_slots_total(const struct pacing *p, uint64_t duration_ns)
{
	return slots_before(p, duration_ns);
}
