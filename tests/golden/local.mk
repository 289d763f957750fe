# SPDX-License-Identifier: GPL-3.0-or-later
# Recorded documents; UPDATE_GOLDEN=1 make check rewrites them in the source tree.
check_PROGRAMS += %D%/test-report
TESTS += %D%/test-report
%C%_test_report_SOURCES = %D%/test-report.c \
	%D%/report_runs.c %D%/report_runs.h $(RUN_FIXTURE_SOURCES)
%C%_test_report_LDADD = src/report/libreport.a $(TEST_PLAN_LIBS) $(JANSSON_LIBS)

check_PROGRAMS += %D%/test-plot
TESTS += %D%/test-plot
%C%_test_plot_SOURCES = %D%/test-plot.c \
	%D%/report_runs.c %D%/report_runs.h $(RUN_FIXTURE_SOURCES)
%C%_test_plot_LDADD = src/report/libreport.a $(TEST_PLAN_LIBS) $(JANSSON_LIBS)

EXTRA_DIST += \
	%D%/report/bound.json %D%/report/bound.txt %D%/report/bound.utf8.txt \
	%D%/report/broken.json %D%/report/broken.txt %D%/report/broken.utf8.txt \
	%D%/report/confirmed.json %D%/report/confirmed.txt \
	%D%/report/confirmed.utf8.txt \
	%D%/report/dose.json %D%/report/dose.txt %D%/report/dose.utf8.txt \
	%D%/report/hostile.json %D%/report/hostile.txt %D%/report/hostile.utf8.txt \
	%D%/report/hurts.json %D%/report/hurts.txt %D%/report/hurts.utf8.txt \
	%D%/report/inconclusive.json %D%/report/inconclusive.txt \
	%D%/report/inconclusive.utf8.txt \
	%D%/report/moved.json %D%/report/moved.txt %D%/report/moved.utf8.txt \
	%D%/report/one-arm.json %D%/report/one-arm.txt %D%/report/one-arm.utf8.txt \
	%D%/report/selftest.txt
