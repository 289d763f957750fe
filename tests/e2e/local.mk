# SPDX-License-Identifier: GPL-3.0-or-later
# Tests in network namespaces: `E2E_TESTS += %D%/name.bats`, run by `make check-e2e`.
E2E_TESTS =
E2E_TESTS += %D%/cli.bats
E2E_TESTS += %D%/run-file.bats

# What shell cannot do: programs that e2e tests run.
E2E_HELPERS = %D%/lab-live %D%/restore-live
check_PROGRAMS += $(E2E_HELPERS)
%C%_lab_live_SOURCES = %D%/lab-live.c %D%/live.c %D%/live.h %D%/live-limit.c
%C%_lab_live_CPPFLAGS = $(AM_CPPFLAGS) -I$(srcdir)/%D%
%C%_lab_live_LDADD = $(TEST_OS_LIBS)
%C%_restore_live_SOURCES = %D%/restore-live.c
%C%_restore_live_LDADD = $(TEST_OS_LIBS)
E2E_TESTS += %D%/sweep-sim.bats
E2E_TESTS += %D%/sweep.bats
EXTRA_DIST += %D%/helpers.bash
E2E_TESTS += %D%/lab.bats
E2E_TESTS += %D%/restore.bats
E2E_TESTS += %D%/forward.bats
E2E_HELPERS += %D%/forward-live
check_PROGRAMS += %D%/forward-live
%C%_forward_live_SOURCES = %D%/forward-live.c
E2E_TESTS += %D%/probe.bats
E2E_HELPERS += %D%/without-perf
%C%_without_perf_SOURCES = %D%/without-perf.c
E2E_TESTS += %D%/keeper.bats
E2E_TESTS += %D%/observer.bats
E2E_HELPERS += %D%/observer-live
check_PROGRAMS += %D%/observer-live
%C%_observer_live_SOURCES = %D%/observer-live.c
%C%_observer_live_LDADD = $(TEST_OBSERVE_LIBS)
E2E_TESTS += %D%/generate.bats
E2E_TESTS += %D%/replay.bats
E2E_TESTS += %D%/messages.bats
E2E_TESTS += %D%/sweep-ports.bats
E2E_TESTS += %D%/generators.bats
EXTRA_DIST += %D%/fake-generator %D%/fake-trex
