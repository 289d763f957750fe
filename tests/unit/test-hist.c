/* SPDX-License-Identifier: GPL-3.0-or-later */
/* The latency histogram against sorted arrays. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <gsl/gsl_rng.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "stat/hist.h"

#define MAX_BINS 6000
#define SEED     20240601

static int cmp_u64(const void *a, const void *b)
{
	const uint64_t *x = a, *y = b;

	return (*x > *y) - (*x < *y);
}

/* A value uniform in the logarithm over 1 ns .. 2^48 ns. */
static uint64_t draw(gsl_rng *rng)
{
	return (uint64_t)exp2(48 * gsl_rng_uniform(rng));
}

static void test_empty(void **state)
{
	struct latency_summary s = { .n = 9 };
	struct hist *h = hist_new();
	struct hist_bin bin;

	(void)state;
	hist_summary(h, &s);
	assert_int_equal(s.n, 0);
	assert_int_equal(s.p50_ns, 0);
	assert_int_equal(s.max_ns, 0);
	assert_int_equal(hist_quantile(h, 1), 0);
	assert_int_equal(hist_n_used(h), 0);
	assert_int_equal(hist_export(h, &bin, 1), 0);
	hist_free(h);
	hist_free(NULL);
}

/* Each bin holds its value, is at most 1 % wide, and neighbours touch. */
static void test_bins_tile(void **state)
{
	struct hist *h = hist_new();
	struct hist_bin *bins = calloc(MAX_BINS, sizeof(*bins));
	uint64_t v;
	size_t i, n;

	(void)state;
	for (v = 0; v < 4096; v++)
		hist_record(h, v);
	for (v = 4096; v < (uint64_t)1 << 48; v += v / 256)
		hist_record(h, v);
	n = hist_export(h, bins, MAX_BINS);
	assert_int_equal(n, HIST_N_BINS);
	assert_int_equal(n, hist_n_used(h));
	assert_int_equal(bins[0].lo_ns, 0);
	for (i = 0; i < n; i++) {
		assert_true(bins[i].width_ns == 1 ||
			    (double)bins[i].width_ns <= 0.01 * (double)bins[i].lo_ns);
		if (i > 0)
			assert_int_equal(bins[i].lo_ns,
				bins[i - 1].lo_ns + bins[i - 1].width_ns);
	}
	assert_int_equal(bins[n - 1].lo_ns + bins[n - 1].width_ns, (uint64_t)1 << 48);
	assert_int_equal(hist_export(h, bins, 10), 10);
	free(bins);
	hist_free(h);
}

static void test_bin_of_each_value(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct hist *h = hist_new();
	struct hist_bin bin;
	int i;

	(void)state;
	gsl_rng_set(rng, SEED);
	for (i = 0; i < 2000; i++) {
		uint64_t v = draw(rng);

		hist_init(h);
		hist_record(h, v);
		assert_int_equal(hist_export(h, &bin, 1), 1);
		assert_true(v >= bin.lo_ns && v - bin.lo_ns < bin.width_ns);
		assert_int_equal(hist_quantile(h, 0.5) > v, 0);
		assert_int_equal(hist_quantile(h, 1), v);
	}
	hist_free(h);
	gsl_rng_free(rng);
}

static void test_quantiles_against_sorted(void **state)
{
	static const double qs[] = { 0, 0.001, 0.1, 0.5, 0.9, 0.99, 0.999, 1 };
	const size_t n = 20000;
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	uint64_t *v = calloc(n, sizeof(*v));
	struct hist *h = hist_new();
	struct latency_summary s;
	size_t i;

	(void)state;
	gsl_rng_set(rng, SEED + 1);
	for (i = 0; i < n; i++) {
		v[i] = draw(rng);
		hist_record(h, v[i]);
	}
	qsort(v, n, sizeof(*v), cmp_u64);
	for (i = 0; i < sizeof(qs) / sizeof(qs[0]); i++) {
		size_t rank = (size_t)ceil(qs[i] * (double)n);
		double want = (double)v[rank > 0 ? rank - 1 : 0];
		double got = (double)hist_quantile(h, qs[i]);

		assert_true(fabs(got - want) <= 0.0041 * want);
	}
	hist_summary(h, &s);
	assert_int_equal(s.n, n);
	assert_int_equal(s.max_ns, v[n - 1]);
	assert_int_equal(s.p50_ns, hist_quantile(h, 0.5));
	assert_int_equal(s.p99_ns, hist_quantile(h, 0.99));
	assert_int_equal(s.p999_ns, hist_quantile(h, 0.999));
	free(v);
	hist_free(h);
	gsl_rng_free(rng);
}

static void test_beyond_the_range(void **state)
{
	struct hist *h = hist_new();

	(void)state;
	hist_record(h, UINT64_MAX);
	hist_record(h, (uint64_t)1 << 48);
	assert_int_equal(h->n, 2);
	assert_int_equal(h->count[HIST_N_BINS - 1], 2);
	assert_true(hist_quantile(h, 1) == UINT64_MAX);
	hist_free(h);
}

/* Merging, and a round through the sparse bins, equal recording everything. */
static void test_merge_and_bins(void **state)
{
	gsl_rng *rng = gsl_rng_alloc(gsl_rng_mt19937);
	struct hist *a = hist_new(), *b = hist_new(), *all = hist_new();
	struct hist *back = hist_new();
	struct hist_bin *bins = calloc(MAX_BINS, sizeof(*bins));
	size_t n;
	int i;

	(void)state;
	gsl_rng_set(rng, SEED + 2);
	for (i = 0; i < 5000; i++) {
		uint64_t v = draw(rng);

		hist_record(i % 3 == 0 ? a : b, v);
		hist_record(all, v);
	}
	hist_merge(a, b);
	assert_memory_equal(a, all, sizeof(*a));
	n = hist_export(all, bins, MAX_BINS);
	hist_add_bins(back, bins, n, all->max_ns);
	assert_memory_equal(back, all, sizeof(*back));
	free(bins);
	hist_free(a);
	hist_free(b);
	hist_free(all);
	hist_free(back);
	gsl_rng_free(rng);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(test_empty),
		cmocka_unit_test(test_bins_tile),
		cmocka_unit_test(test_bin_of_each_value),
		cmocka_unit_test(test_quantiles_against_sorted),
		cmocka_unit_test(test_beyond_the_range),
		cmocka_unit_test(test_merge_and_bins),
	};

	return cmocka_run_group_tests_name("hist", tests, NULL, NULL);
}
