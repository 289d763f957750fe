# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libstat.a
%C%_libstat_a_SOURCES =
%C%_libstat_a_SOURCES += %D%/bands.c %D%/bands.h
%C%_libstat_a_SOURCES += %D%/confseq.c %D%/confseq.h
%C%_libstat_a_SOURCES += %D%/hist.c %D%/hist.h
%C%_libstat_a_SOURCES += %D%/hinge.c %D%/hinge.h %D%/hinge_private.h %D%/hinge_shape.c
%C%_libstat_a_SOURCES += %D%/modt.c %D%/modt.h
%C%_libstat_a_SOURCES += %D%/multiple.c %D%/multiple.h
%C%_libstat_a_SOURCES += %D%/ranksum.c %D%/ranksum.h
%C%_libstat_a_SOURCES += %D%/ranktest.c %D%/ranktest.h
%C%_libstat_a_SOURCES += %D%/signflip.c %D%/signflip.h
%C%_libstat_a_SOURCES += %D%/trend.c %D%/trend.h
%C%_libstat_a_SOURCES += %D%/values.c %D%/values.h
