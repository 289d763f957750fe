# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libplan.a
%C%_libplan_a_SOURCES = \
	%D%/coarse.c %D%/coarse.h \
	%D%/measure.h \
	%D%/minisweep.c %D%/minisweep.h \
	%D%/sweep_plan.c %D%/sweep_plan.h
