# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libsut.a
%C%_libsut_a_SOURCES = %D%/sut.h \
	%D%/forward_cost.c %D%/forward_cost.h \
	%D%/forward_frame.c %D%/forward_frame.h \
	%D%/forward_lookup.c %D%/forward_lookup.h \
	%D%/forward_loop.c %D%/forward_loop.h \
	%D%/forward_police.c %D%/forward_police.h \
	%D%/forward_ring.c %D%/forward_ring.h \
	%D%/forward_stats.c %D%/forward_stats.h \
	%D%/forward_tx.c %D%/forward_tx.h \
	%D%/sut_forward.c

%C%_libsut_a_SOURCES += \
	%D%/sut_command.c \
	%D%/sut_counts.c %D%/sut_counts.h \
	%D%/sut_expand.c \
	%D%/sut_none.c \
	%D%/sut_pid.c
