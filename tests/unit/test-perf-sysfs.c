/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Events from sysfs: trees as a Xeon, an EPYC and an Arm server have them. */
#include "config.h"

#include <linux/perf_event.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/err.h"
#include "os/perf_sysfs.h"
#include "roottree.h"

#define PMU "sys/bus/event_source/devices/"

/* Of a two-socket Xeon, as its kernel writes them. */
static void put_imc(const struct roottree *t)
{
	roottree_put(t, PMU "uncore_imc_0/type", "24\n");
	roottree_put(t, PMU "uncore_imc_0/format/event", "config:0-7\n");
	roottree_put(t, PMU "uncore_imc_0/format/umask", "config:8-15\n");
	roottree_put(t, PMU "uncore_imc_0/format/edge", "config:18\n");
	roottree_put(t, PMU "uncore_imc_0/format/thresh", "config:24-31\n");
	roottree_put(
		t, PMU "uncore_imc_0/events/cas_count_read", "event=0x04,umask=0x03\n");
	roottree_put(t, PMU "uncore_imc_0/events/cas_count_read.unit", "MiB\n");
	roottree_put(
		t, PMU "uncore_imc_0/events/cas_count_read.scale", "6.103515625e-5\n");
	roottree_put(
		t, PMU "uncore_imc_0/events/clockticks", "event=0xff,umask=0x00\n");
}

static int encode(const struct roottree *t, const char *pmu, const char *event,
	struct perf_event_attr *attr, struct sp_err *err)
{
	*err = (struct sp_err){ .code = SP_OK };
	return perf_sysfs_encode(t->fd, pmu, event, attr, NULL, 0, NULL, err);
}

static void test_named_event(void **state)
{
	const struct roottree *t = *state;
	struct sp_err err = { .code = SP_OK };
	struct perf_event_attr attr;
	double scale = 0;
	char unit[16];

	put_imc(t);
	assert_int_equal(perf_sysfs_encode(t->fd, "uncore_imc_0", "cas_count_read",
				 &attr, unit, sizeof(unit), &scale, &err),
		0);
	assert_int_equal(attr.type, 24);
	assert_int_equal(attr.config, 0x304); /* perf stat -vv says the same */
	assert_int_equal(attr.size, sizeof(attr));
	assert_string_equal(unit, "MiB");
	/* 64 bytes a count */
	assert_float_equal(scale * 1048576, 64, 1e-9);
	assert_int_equal(perf_sysfs_encode(t->fd, "uncore_imc_0", "clockticks", &attr,
				 unit, sizeof(unit), &scale, &err),
		0);
	assert_int_equal(attr.config, 0xff);
	assert_string_equal(unit, "");
	assert_float_equal(scale, 1, 0);
}

static void test_terms(void **state)
{
	const struct roottree *t = *state;
	struct perf_event_attr attr;
	struct sp_err err;

	put_imc(t);
	assert_int_equal(
		encode(t, "uncore_imc_0", "event=4,umask=0xc,edge", &attr, &err), 0);
	assert_int_equal(attr.config, 0x40c04);
	/* A term behind an event changes it. */
	assert_int_equal(
		encode(t, "uncore_imc_0", "cas_count_read,umask=0x1", &attr, &err), 0);
	assert_int_equal(attr.config, 0x104);
	assert_int_equal(
		encode(t, "uncore_imc_0", "config=0x10,config1=2,config2=3,period=1000",
			&attr, &err),
		0);
	assert_int_equal(attr.config, 0x10);
	assert_int_equal(attr.config1, 2);
	assert_int_equal(attr.config2, 3);
	assert_int_equal(attr.sample_period, 1000);
}

/* AMD's event select has its high bits apart; others use the second word. */
static void test_scattered_bits(void **state)
{
	const struct roottree *t = *state;
	struct perf_event_attr attr;
	struct sp_err err;

	roottree_put(t, PMU "cpu/type", "4\n");
	roottree_put(t, PMU "cpu/format/event", "config:0-7,32-35\n");
	roottree_put(t, PMU "cpu/format/umask", "config:8-15\n");
	assert_int_equal(encode(t, "cpu", "event=0x1a0,umask=0x1e", &attr, &err), 0);
	assert_true(attr.config == UINT64_C(0x100001ea0));
	roottree_put(t, PMU "odd/type", "9\n");
	roottree_put(t, PMU "odd/format/key", "config1:1,6-10,44\n");
	roottree_put(t, PMU "odd/format/top", "config2:63\n");
	/* seven bits: 1 -> bit 1, 0x3e -> bits 6-10, 0x40 -> bit 44 */
	assert_int_equal(encode(t, "odd", "key=1", &attr, &err), 0);
	assert_true(attr.config1 == 2 && attr.config == 0);
	assert_int_equal(encode(t, "odd", "key=0x3e", &attr, &err), 0);
	assert_true(attr.config1 == 0x7c0);
	assert_int_equal(encode(t, "odd", "key=0x40,top", &attr, &err), 0);
	assert_true(attr.config1 == UINT64_C(1) << 44);
	assert_true(attr.config2 == UINT64_C(1) << 63);
	assert_int_equal(encode(t, "odd", "key=0x80", &attr, &err), -SP_EUSAGE);
	assert_non_null(strstr(err.msg, "too large"));
	assert_non_null(strstr(err.msg, "config1:1,6-10,44"));
}

static void test_what_is_not_there(void **state)
{
	const struct roottree *t = *state;
	struct perf_event_attr attr = { .config = 77 };
	struct sp_err err;

	put_imc(t);
	assert_int_equal(encode(t, "uncore_cha_0", "x", &attr, &err), -SP_EENV);
	assert_non_null(strstr(err.msg, "uncore_cha_0"));
	assert_int_equal(encode(t, "uncore_imc_0", "gone", &attr, &err), -SP_EENV);
	assert_int_equal(encode(t, "uncore_imc_0", "gone=1", &attr, &err), -SP_EENV);
	assert_int_equal(
		encode(t, "../uncore_imc_0", "event=1", &attr, &err), -SP_EENV);
	assert_int_equal(encode(t, "uncore_imc_0", "../type", &attr, &err), -SP_EENV);
	assert_int_equal(encode(t, "uncore_imc_0", "event=?", &attr, &err), -SP_EUSAGE);
	assert_int_equal(encode(t, "uncore_imc_0", "event=", &attr, &err), -SP_EUSAGE);
	assert_int_equal(
		encode(t, "uncore_imc_0", "event=4x", &attr, &err), -SP_EUSAGE);
	assert_int_equal(encode(t, "uncore_imc_0", "", &attr, &err), -SP_EUSAGE);
	assert_int_equal(
		encode(t, "uncore_imc_0", "event=1,", &attr, &err), -SP_EUSAGE);
	/* Untouched by all of them. */
	assert_int_equal(attr.config, 77);
}

static void test_files_that_are_odd(void **state)
{
	const struct roottree *t = *state;
	struct perf_event_attr attr;
	struct sp_err err;

	put_imc(t);
	roottree_put(t, PMU "uncore_imc_0/format/new", "config9:0-7\n");
	assert_int_equal(encode(t, "uncore_imc_0", "new=1", &attr, &err), -SP_EFORMAT);
	roottree_put(t, PMU "uncore_imc_0/format/wide", "config:60-64\n");
	assert_int_equal(encode(t, "uncore_imc_0", "wide=1", &attr, &err), -SP_EFORMAT);
	roottree_put(t, PMU "uncore_imc_0/format/none", "config\n");
	assert_int_equal(encode(t, "uncore_imc_0", "none=1", &attr, &err), -SP_EFORMAT);
	/* An event of its own name does not go round for ever. */
	roottree_put(t, PMU "uncore_imc_0/events/loop", "loop\n");
	assert_int_equal(encode(t, "uncore_imc_0", "loop", &attr, &err), -SP_EENV);
	roottree_put(t, PMU "uncore_imc_0/events/odd", "event=1\n");
	roottree_put(t, PMU "uncore_imc_0/events/odd.scale", "many\n");
	assert_int_equal(encode(t, "uncore_imc_0", "odd", &attr, &err), -SP_EFORMAT);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test_setup_teardown(
			test_named_event, roottree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			test_terms, roottree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			test_scattered_bits, roottree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			test_what_is_not_there, roottree_setup, roottree_teardown),
		cmocka_unit_test_setup_teardown(
			test_files_that_are_odd, roottree_setup, roottree_teardown),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
