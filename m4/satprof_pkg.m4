dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl SATPROF_PKG(VAR, MODULES, DEBIAN-PACKAGE): a pkg-config library that must be
dnl there; the error names the package to install.
AC_DEFUN([SATPROF_PKG], [
  PKG_CHECK_MODULES([$1], [$2], [],
    [AC_MSG_ERROR([$2 not found: install the package $3 (Debian: apt-get install $3)])])
])
dnl SATPROF_LIB(VAR, HEADER, FUNCTION, LIB, DEBIAN-PACKAGE): the same for a
dnl library that ships no pkg-config file.
AC_DEFUN([SATPROF_LIB], [
  AC_CHECK_HEADER([$2], [],
    [AC_MSG_ERROR([$2 not found: install the package $5 (Debian: apt-get install $5)])])
  satprof_save_LIBS=$LIBS
  AC_SEARCH_LIBS([$3], [$4], [],
    [AC_MSG_ERROR([lib$4 not found: install the package $5 (Debian: apt-get install $5)])])
  LIBS=$satprof_save_LIBS
  AS_CASE([$ac_cv_search_$3], ["none required"], [$1_LIBS=], [$1_LIBS=$ac_cv_search_$3])
  AC_SUBST([$1_LIBS])
])
