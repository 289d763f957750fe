# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libsymbol.a
%C%_libsymbol_a_SOURCES =
