/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Benjamini-Hochberg and Holm. */
#include "config.h"

#include "stat/multiple.h"

#include <gsl/gsl_sort.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

/* The finite ones of p: their indices, ascending by p. */
static size_t *ascending(const double *p, size_t n, size_t *ret_m)
{
	size_t *index = xcalloc(n, sizeof(*index)), *order = xcalloc(n, sizeof(*order));
	double *finite = xcalloc(n, sizeof(*finite));
	size_t i, m = 0;

	for (i = 0; i < n; i++) {
		if (!isfinite(p[i]))
			continue;
		index[m] = i;
		finite[m++] = p[i];
	}
	gsl_sort_index(order, finite, 1, m);
	for (i = 0; i < m; i++)
		order[i] = index[order[i]];
	free(index);
	free(finite);
	*ret_m = m;
	return order;
}

static double *copy_of(const double *p, size_t n)
{
	double *copy = xcalloc(n, sizeof(*copy));

	if (n > 0)
		memcpy(copy, p, n * sizeof(*copy));
	return copy;
}

static void all_unknown(double *ret, size_t n)
{
	size_t i;

	for (i = 0; i < n; i++)
		ret[i] = (double)NAN;
}

void multiple_bh(const double *p, size_t n, double *ret_q)
{
	double *copy = copy_of(p, n), least = 1;
	size_t m, k, *order = ascending(copy, n, &m);

	all_unknown(ret_q, n);
	for (k = m; k-- > 0;) {
		least = fmin(least, copy[order[k]] * (double)m / (double)(k + 1));
		ret_q[order[k]] = least;
	}
	free(copy);
	free(order);
}

void multiple_holm(const double *p, size_t n, double *ret_p)
{
	double *copy = copy_of(p, n), greatest = 0;
	size_t m, k, *order = ascending(copy, n, &m);

	all_unknown(ret_p, n);
	for (k = 0; k < m; k++) {
		greatest = fmax(greatest, copy[order[k]] * (double)(m - k));
		ret_p[order[k]] = fmin(greatest, 1);
	}
	free(copy);
	free(order);
}
