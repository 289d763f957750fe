/* SPDX-License-Identifier: GPL-3.0-or-later */
/* What the lab computes before it asks the kernel: CPU masks and the planted limit. */
#include "config.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/units.h"
#include "os/lab.h"
#include "os/lab_steer.h"
#include "os/lab_tbf.h"

static void masks_are_in_kernel_notation(void **state)
{
	static const int low[] = { 0, 1, 3 };
	static const int high[] = { 33, 64 };
	static const int odd[] = { -1, 5, 9000 };
	static const int top[] = { 8191 };
	char buf[2400];

	(void)state;
	assert_string_equal(lab_steer_mask(low, 3, buf, sizeof(buf)), "b");
	assert_string_equal(
		lab_steer_mask(high, 2, buf, sizeof(buf)), "1,00000002,00000000");
	assert_string_equal(lab_steer_mask(odd, 3, buf, sizeof(buf)), "20");
	assert_string_equal(lab_steer_mask(NULL, 0, buf, sizeof(buf)), "0");
	lab_steer_mask(top, 1, buf, sizeof(buf));
	assert_int_equal(strlen(buf), 8 + 255 * 9);
	assert_memory_equal(buf, "80000000,00000000,", 18);
}

static struct lab_config limited(const char *rate, double frame_bytes)
{
	struct lab_config cfg = { .recv_cpu = -1, .mtu = 1500, .has_limit = true };
	struct sp_err err = { .code = SP_OK };

	cfg.frame_bytes = frame_bytes;
	assert_int_equal(units_rate_parse(rate, &cfg.limit, &err), 0);
	return cfg;
}

static void limit_counts_the_fcs(void **state)
{
	struct lab_config cfg = limited("20Mbps", 512);
	struct sp_err err = { .code = SP_OK };
	struct lab_tbf tbf;

	(void)state;
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	assert_int_equal(tbf.rate_bytes_per_s, 2500000);
	/* 100 kpps of 64-byte frames is 6.4 MB/s with FCS. */
	cfg = limited("100k", 64);
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	assert_int_equal(tbf.rate_bytes_per_s, 6400000);
	/* 400 Gbit/s needs more than 32 bits. */
	cfg = limited("400Gbps", 1518);
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	assert_int_equal(tbf.rate_bytes_per_s, UINT64_C(50000000000));
}

static void queue_holds_two_bursts_or_a_millisecond(void **state)
{
	struct lab_config cfg = limited("1Gbps", 1518);
	struct sp_err err = { .code = SP_OK };
	struct lab_tbf tbf;

	(void)state;
	cfg.burst = 1;
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	assert_int_equal(tbf.queue_bytes, 125000);
	cfg.burst = 64;
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	assert_int_equal(tbf.queue_bytes, 2 * 64 * 1518);
	cfg.burst = 0; /* unknown: the largest there is */
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	assert_int_equal(tbf.queue_bytes, 2 * 64 * 1518);
	/* Never a bucket that a full frame does not fit into. */
	cfg = limited("100", 64);
	cfg.mtu = 9198;
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	assert_true(tbf.bucket_bytes >= 9216);
}

static void limit_that_cannot_be_planted(void **state)
{
	struct lab_config cfg = limited("100k", 0);
	struct sp_err err = { .code = SP_OK };
	struct lab_tbf tbf;

	(void)state;
	/* Packets/s of mixed sizes are no rate of bytes; bits/s are. */
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "bits/s"));
	cfg = limited("100Mbps", 0);
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), 0);
	cfg = limited("1bps", 64);
	assert_int_equal(lab_tbf_compute(&cfg, &tbf, &err), -SP_EUSAGE);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(masks_are_in_kernel_notation),
		cmocka_unit_test(limit_counts_the_fcs),
		cmocka_unit_test(queue_holds_two_bursts_or_a_millisecond),
		cmocka_unit_test(limit_that_cannot_be_planted),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
