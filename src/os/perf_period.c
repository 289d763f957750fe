/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The nearest prime, by trial division: periods are below 1e11 or so. */
#include "config.h"

#include "os/perf_period.h"

#include <math.h>
#include <stdbool.h>

static bool is_prime(uint64_t n)
{
	uint64_t d;

	if (n < 4)
		return n >= 2;
	if (n % 2 == 0)
		return false;
	for (d = 3; d <= n / d; d += 2)
		if (n % d == 0)
			return false;
	return true;
}

uint64_t perf_period_choose(double ticks_per_s, double hz)
{
	double want = round(ticks_per_s / hz);
	uint64_t near, step;

	if (!(want > 2.0))
		return 2;
	near = (uint64_t)want;
	/* Bertrand: a prime lies below 2 * near, so this ends. */
	for (step = 0;; step++) {
		if (step < near - 1 && is_prime(near - step))
			return near - step;
		if (is_prime(near + step))
			return near + step;
	}
}
