# SPDX-License-Identifier: GPL-3.0-or-later
# Fuzz targets. `make check` replays each one's seeds. To fuzz, leave replay.c out:
#   clang -std=gnu11 -g -O1 -fsanitize=fuzzer,address,undefined -I. -Isrc \
#     tests/fuzz/fuzz_perf_decode.c src/os/perf_decode.c -o fuzz && ./fuzz NEW-SEEDS \
#     tests/fuzz/corpus/perf_decode
EXTRA_DIST += %D%/corpus

check_PROGRAMS += %D%/fuzz_perf_decode
TESTS += %D%/fuzz_perf_decode
%C%_fuzz_perf_decode_SOURCES = %D%/fuzz_perf_decode.c %D%/replay.c
%C%_fuzz_perf_decode_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_TARGET='"perf_decode"'
%C%_fuzz_perf_decode_LDADD = src/os/libos.a src/base/libbase.a

# The same by hand: every .c of src/base, src/model, src/stat, src/plan and
# src/codec, with -lsqlite3 -lgsl -lgslcblas -lm.
check_PROGRAMS += %D%/fuzz_run_store
TESTS += %D%/fuzz_run_store
%C%_fuzz_run_store_SOURCES = %D%/fuzz_run_store.c %D%/replay.c
%C%_fuzz_run_store_CPPFLAGS = $(AM_CPPFLAGS) -DFUZZ_TARGET='"run_store"'
%C%_fuzz_run_store_LDADD = $(TEST_CODEC_LIBS)

check_PROGRAMS += %D%/test-run-store-seeds
TESTS += %D%/test-run-store-seeds
%C%_test_run_store_seeds_SOURCES = %D%/test-run-store-seeds.c $(RUN_STORE_SOURCES)
%C%_test_run_store_seeds_LDADD = $(TEST_CODEC_LIBS)
