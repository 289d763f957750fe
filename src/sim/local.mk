# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libsim.a
%C%_libsim_a_SOURCES = \
	%D%/fluid.c %D%/fluid.h \
	%D%/fluid_config.c \
	%D%/fluid_facts.c
