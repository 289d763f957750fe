# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libobserve.a
%C%_libobserve_a_SOURCES =
