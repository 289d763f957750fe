# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libcodec.a
%C%_libcodec_a_SOURCES =
%C%_libcodec_a_SOURCES += \
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
