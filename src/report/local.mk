# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libreport.a
%C%_libreport_a_SOURCES =
