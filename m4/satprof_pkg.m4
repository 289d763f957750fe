dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl The libraries we need. What is missing is collected, so that one run of
dnl configure names all of it and the one command that installs it.
dnl
dnl SATPROF_PKG(VAR, MODULES, DEBIAN-PACKAGE): a pkg-config library.
AC_DEFUN([SATPROF_PKG], [
  AC_REQUIRE([PKG_PROG_PKG_CONFIG])
  PKG_CHECK_MODULES([$1], [$2], [],
    [satprof_missing="$satprof_missing
  $2 (package $3)"
    satprof_packages="$satprof_packages $3"])
])
dnl SATPROF_LIB(VAR, HEADER, FUNCTION, LIB, DEBIAN-PACKAGE): the same for a
dnl library that ships no pkg-config file.
AC_DEFUN([SATPROF_LIB], [
  satprof_found=no
  satprof_save_LIBS=$LIBS
  AC_CHECK_HEADER([$2],
    [AC_SEARCH_LIBS([$3], [$4], [satprof_found=yes])])
  LIBS=$satprof_save_LIBS
  AS_IF([test $satprof_found = no],
    [satprof_missing="$satprof_missing
  $4, $2 (package $5)"
    satprof_packages="$satprof_packages $5"])
  AS_CASE([$ac_cv_search_$3], ["none required"|no], [$1_LIBS=],
    [$1_LIBS=$ac_cv_search_$3])
  AC_SUBST([$1_LIBS])
])
dnl SATPROF_PKG_REPORT: ends configure when anything was missing.
AC_DEFUN([SATPROF_PKG_REPORT], [
  AS_IF([test "x$PKG_CONFIG" = x],
    [AC_MSG_ERROR([pkg-config not found: install the package pkg-config
(Debian: apt-get install pkg-config)])])
  AS_IF([test "x$satprof_missing" != x], [AC_MSG_ERROR([libraries not found:$satprof_missing
Debian: apt-get install$satprof_packages
or scripts/setup, which installs all that is needed])])
])
