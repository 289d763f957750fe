# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libcodec.a
%C%_libcodec_a_SOURCES =
