# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libsut.a
%C%_libsut_a_SOURCES =
