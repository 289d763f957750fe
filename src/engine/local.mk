# SPDX-License-Identifier: GPL-3.0-or-later
noinst_LIBRARIES += %D%/libengine.a
%C%_libengine_a_SOURCES =
