# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libengine.a
%C%_libengine_a_SOURCES = \
	%D%/account.c %D%/account.h \
	%D%/bench.c %D%/bench.h %D%/bench_private.h \
	%D%/bench_edge.c \
	%D%/sweep.c %D%/sweep.h %D%/sweep_private.h \
	%D%/sweep_confirm.c \
	%D%/trial.c
