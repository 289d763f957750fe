# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libobserve.a
%C%_libobserve_a_SOURCES = \
	%D%/observer.h \
	%D%/observe_list.c \
	%D%/observe_perf.c \
	%D%/observe_perf_record.c \
	%D%/observe_profiler.c \
	%D%/observe_wrap.c \
	%D%/outside.c %D%/outside.h \
	%D%/outside_dir.c %D%/outside_dir.h \
	%D%/outside_words.c %D%/outside_words.h \
	%D%/perf_collect.c \
	%D%/perf_counts.c %D%/perf_counts.h %D%/perf_counts_private.h \
	%D%/perf_events.c %D%/perf_events.h \
	%D%/perf_places.c %D%/perf_places.h \
	%D%/perf_resolve.c \
	%D%/perf_sampler.c %D%/perf_sampler.h %D%/perf_sampler_private.h
