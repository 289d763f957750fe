# SPDX-License-Identifier: GPL-3.0-or-later
AM_TESTS_ENVIRONMENT = \
	LC_ALL=C CMOCKA_MESSAGE_OUTPUT=TAP \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	SATPROF='$(abs_top_builddir)/satprof' CC='$(CC)' \
	CHECK_CPPFLAGS='$(CHECK_CPPFLAGS)' \
	BATS_TEST_TIMEOUT="$${BATS_TEST_TIMEOUT-300}"; \
	export LC_ALL CMOCKA_MESSAGE_OUTPUT top_srcdir top_builddir SATPROF CC \
		CHECK_CPPFLAGS BATS_TEST_TIMEOUT;

# What a header of ours may need to compile alone.
CHECK_CPPFLAGS = $(JANSSON_CFLAGS) $(SQLITE_CFLAGS) $(GSL_CFLAGS) $(PCAP_CFLAGS) \
	$(DW_CFLAGS) $(NL_CFLAGS) $(CAP_CFLAGS) $(HWLOC_CFLAGS) $(Z_CFLAGS)

# What every unit test links; a unit test adds the libraries of its own layer
# and below, highest first.
TEST_BASE_LIBS = src/base/libbase.a $(CMOCKA_LIBS) -lm
TEST_MODEL_LIBS = src/model/libmodel.a $(TEST_BASE_LIBS)
TEST_STAT_LIBS = src/stat/libstat.a $(TEST_MODEL_LIBS) $(GSL_LIBS)
TEST_PLAN_LIBS = src/plan/libplan.a $(TEST_STAT_LIBS)
TEST_CODEC_LIBS = src/codec/libcodec.a $(TEST_PLAN_LIBS) $(SQLITE_LIBS) $(JANSSON_LIBS) \
	$(CSV_LIBS) $(Z_LIBS)
TEST_SIM_LIBS = src/sim/libsim.a $(TEST_CODEC_LIBS)
TEST_OS_LIBS = src/os/libos.a $(TEST_SIM_LIBS) $(NL_LIBS) $(CAP_LIBS) $(PFM_LIBS) \
	$(HWLOC_LIBS)
TEST_SYMBOL_LIBS = src/symbol/libsymbol.a $(TEST_OS_LIBS) $(DW_LIBS)
TEST_OBSERVE_LIBS = src/observe/libobserve.a $(TEST_SYMBOL_LIBS)
TEST_GEN_LIBS = src/gen/libgen.a $(TEST_OS_LIBS) $(PCAP_LIBS)

include tests/build/local.mk
include tests/fuzz/local.mk
include tests/unit/local.mk
include tests/golden/local.mk
include tests/sim/local.mk
include tests/e2e/local.mk
include tests/lab/local.mk

EXTRA_DIST += $(E2E_TESTS)

# The compiled tests alone: what a build variant is judged by (tests/build/matrix.sh).
# `all` is a make of its own: beside it, the same objects would be made twice at once.
.PHONY: check-unit
check-unit: all
	@$(MAKE) $(check_PROGRAMS)
	@tests=`echo '$(check_PROGRAMS)' | tr ' ' '\n' | grep /test-`; \
	$(MAKE) check-TESTS TESTS="`echo $$tests`" TEST_SUITE_LOG=test-suite-unit.log
CLEANFILES += test-suite-unit.log

# What needs network namespaces: one file after the other, since they measure, and
# as root to see all of it (unprivileged the tests that need root skip).
.PHONY: check-e2e
check-e2e: all
	@$(MAKE) -s $(E2E_HELPERS)
	@test -n '$(E2E_TESTS)' || { echo 'no e2e tests are listed' >&2; exit 1; }
	@+$(MAKE) -j1 check-TESTS TESTS='$(E2E_TESTS)' TEST_SUITE_LOG=test-suite-e2e.log
CLEANFILES += test-suite-e2e.log

.PHONY: coverage
coverage: check-unit
	$(srcdir)/scripts/coverage
CLEANFILES += src/*/*.gcno src/*/*.gcda tests/*/*.gcno tests/*/*.gcda
