# SPDX-License-Identifier: GPL-3.0-or-later
AM_TESTS_ENVIRONMENT = \
	LC_ALL=C CMOCKA_MESSAGE_OUTPUT=TAP \
	top_srcdir='$(abs_top_srcdir)' top_builddir='$(abs_top_builddir)' \
	SATPROF='$(abs_top_builddir)/satprof'; \
	export LC_ALL CMOCKA_MESSAGE_OUTPUT top_srcdir top_builddir SATPROF;

# What every unit test links; a unit test adds the libraries of its own layer
# and below, highest first.
TEST_BASE_LIBS = src/base/libbase.a $(CMOCKA_LIBS)
TEST_STAT_LIBS = src/stat/libstat.a src/model/libmodel.a $(TEST_BASE_LIBS) $(GSL_LIBS)
TEST_PLAN_LIBS = src/plan/libplan.a $(TEST_STAT_LIBS)
TEST_CODEC_LIBS = src/codec/libcodec.a $(TEST_PLAN_LIBS) $(SQLITE_LIBS) $(JANSSON_LIBS)
TEST_SIM_LIBS = src/sim/libsim.a $(TEST_CODEC_LIBS)
TEST_OS_LIBS = src/os/libos.a $(TEST_SIM_LIBS) $(NL_LIBS) $(CAP_LIBS) $(PFM_LIBS)

include tests/unit/local.mk
include tests/sim/local.mk
include tests/e2e/local.mk
