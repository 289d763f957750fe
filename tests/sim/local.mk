# SPDX-License-Identifier: GPL-3.0-or-later

check_PROGRAMS += %D%/test-sweep-loop
TESTS += %D%/test-sweep-loop
%C%_test_sweep_loop_SOURCES = %D%/test-sweep-loop.c \
	tests/fixture/run_compare.c tests/fixture/run_fixture.h
%C%_test_sweep_loop_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-sweep-analysis
TESTS += %D%/test-sweep-analysis
%C%_test_sweep_analysis_SOURCES = %D%/test-sweep-analysis.c $(SIMSWEEP_SOURCES)
%C%_test_sweep_analysis_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-sweep-ndr
TESTS += %D%/test-sweep-ndr
%C%_test_sweep_ndr_SOURCES = %D%/test-sweep-ndr.c \
	tests/fixture/run_compare.c tests/fixture/run_fixture.h
%C%_test_sweep_ndr_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

SIMSWEEP_SOURCES = %D%/simsweep.c %D%/simsweep.h

check_PROGRAMS += %D%/test-sweep-noise
TESTS += %D%/test-sweep-noise
%C%_test_sweep_noise_SOURCES = %D%/test-sweep-noise.c $(SIMSWEEP_SOURCES)
%C%_test_sweep_noise_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-sweep-causes
TESTS += %D%/test-sweep-causes
%C%_test_sweep_causes_SOURCES = %D%/test-sweep-causes.c $(SIMSWEEP_SOURCES)
%C%_test_sweep_causes_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-sweep-decide
TESTS += %D%/test-sweep-decide
%C%_test_sweep_decide_SOURCES = %D%/test-sweep-decide.c $(SIMSWEEP_SOURCES)
%C%_test_sweep_decide_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

check_PROGRAMS += %D%/test-sweep-confirm
TESTS += %D%/test-sweep-confirm
%C%_test_sweep_confirm_SOURCES = %D%/test-sweep-confirm.c \
	tests/fixture/run_compare.c tests/fixture/run_fixture.h
%C%_test_sweep_confirm_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

# No test: scripts/bench/search runs it. It asks the program's own presets.
check_PROGRAMS += %D%/bench-search
%C%_bench_search_SOURCES = %D%/bench-search.c \
	src/cli/args.c src/cli/sweep_check.c src/cli/sweep_effort.c \
	src/cli/sweep_options.c src/cli/sweep_options_table.c
%C%_bench_search_LDADD = src/engine/libengine.a $(TEST_OS_LIBS)

STATSIM_SOURCES = %D%/statsim.c %D%/statsim.h

check_PROGRAMS += %D%/test-stat-designs
TESTS += %D%/test-stat-designs
%C%_test_stat_designs_SOURCES = %D%/test-stat-designs.c $(STATSIM_SOURCES)
%C%_test_stat_designs_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-stat-verdicts
TESTS += %D%/test-stat-verdicts
%C%_test_stat_verdicts_SOURCES = %D%/test-stat-verdicts.c $(STATSIM_SOURCES)
%C%_test_stat_verdicts_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-stat-knees
TESTS += %D%/test-stat-knees
%C%_test_stat_knees_SOURCES = %D%/test-stat-knees.c $(STATSIM_SOURCES)
%C%_test_stat_knees_LDADD = $(TEST_STAT_LIBS)

check_PROGRAMS += %D%/test-stat-symbols
TESTS += %D%/test-stat-symbols
%C%_test_stat_symbols_SOURCES = %D%/test-stat-symbols.c $(STATSIM_SOURCES)
%C%_test_stat_symbols_LDADD = $(TEST_STAT_LIBS)
