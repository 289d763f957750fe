# SPDX-License-Identifier: GPL-3.0-or-later

check_PROGRAMS += %D%/test-hist
TESTS += %D%/test-hist
%C%_test_hist_SOURCES = %D%/test-hist.c
%C%_test_hist_LDADD = $(TEST_STAT_LIBS)
