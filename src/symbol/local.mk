# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libsymbol.a
%C%_libsymbol_a_SOURCES = \
	%D%/buildid.c %D%/buildid.h \
	%D%/elfsym.c %D%/elfsym.h \
	%D%/kallsyms.c %D%/kallsyms.h \
	%D%/maps.c %D%/maps.h \
	%D%/modfile.c %D%/modfile.h \
	%D%/symbolizer.c %D%/symbolizer.h
