# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libcodec.a
%C%_libcodec_a_SOURCES =
%C%_libcodec_a_SOURCES += \
	%D%/export.c %D%/export.h %D%/export_private.h \
	%D%/export_benchfmt.c \
	%D%/export_csv.c \
	%D%/export_fold.c %D%/export_fold.h \
	%D%/export_folded.c \
	%D%/export_functions.c %D%/export_functions.h \
	%D%/export_gha.c \
	%D%/export_gzip.c \
	%D%/export_json.c \
	%D%/export_metrics.c %D%/export_metrics.h \
	%D%/export_openmetrics.c \
	%D%/export_otava.c \
	%D%/export_pprof.c %D%/export_pprof.h \
	%D%/export_pprof_rows.c \
	%D%/export_speedscope.c \
	%D%/export_wire.c %D%/export_wire.h \
	%D%/run_store.c %D%/run_store.h \
	%D%/run_store_fact.c %D%/run_store_fact.h \
	%D%/run_store_file.c %D%/run_store_file.h \
	%D%/run_store_head.c %D%/run_store_head.h \
	%D%/run_store_head_read.c \
	%D%/run_store_profile.c %D%/run_store_profile.h \
	%D%/run_store_profile_read.c \
	%D%/run_store_schema.c %D%/run_store_schema.h \
	%D%/run_store_trial.c %D%/run_store_trial.h \
	%D%/run_store_trial_read.c \
	%D%/run_store_words.c %D%/run_store_words.h \
	%D%/sql.c %D%/sql.h
