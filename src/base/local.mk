# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libbase.a
%C%_libbase_a_SOURCES = \
	%D%/clean.c %D%/clean.h \
	%D%/clock.c %D%/clock.h \
	%D%/cpulist.c %D%/cpulist.h \
	%D%/err.c %D%/err.h \
	%D%/log.c %D%/log.h \
	%D%/mem.c %D%/mem.h \
	%D%/owner.c %D%/owner.h \
	%D%/pacing.c %D%/pacing.h \
	%D%/units.c %D%/units.h
