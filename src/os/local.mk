# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libos.a
%C%_libos_a_SOURCES = \
	%D%/perf_sys.c %D%/perf_sys.h
