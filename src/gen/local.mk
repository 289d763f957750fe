# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libgen.a
%C%_libgen_a_SOURCES =
