# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libos.a
%C%_libos_a_SOURCES = \
	%D%/perf_sys.c %D%/perf_sys.h \
	%D%/netns.c %D%/netns.h \
	%D%/nl.c %D%/nl.h \
	%D%/ethtool.c %D%/ethtool.h \
	%D%/offload.c %D%/offload.h \
	%D%/lab.c %D%/lab.h \
	%D%/lab_net.c %D%/lab_net.h \
	%D%/lab_steer.c %D%/lab_steer.h \
	%D%/lab_tbf.c %D%/lab_tbf.h
