# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libplan.a
%C%_libplan_a_SOURCES =
%C%_libplan_a_SOURCES += %D%/measure.h
%C%_libplan_a_SOURCES += %D%/minisweep.c %D%/minisweep.h
