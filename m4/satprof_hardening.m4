dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl SATPROF_HARDENING: HARDEN_CFLAGS and HARDEN_LDFLAGS, on by default. They
dnl cost cycles, so the run file records whether they were on.
AC_DEFUN([SATPROF_HARDENING], [
  AC_ARG_ENABLE([hardening],
    [AS_HELP_STRING([--disable-hardening], [build without hardening flags])],
    [], [enable_hardening=yes])
  HARDEN_CFLAGS= HARDEN_LDFLAGS= HARDEN_CPPFLAGS=
  AS_IF([test "x$enable_hardening" = xyes], [
    SATPROF_FORTIFY
    m4_foreach_w([flag], [-fstack-protector-strong -fstack-clash-protection
      -fcf-protection -fPIE -fno-common],
      [SATPROF_TRY_FLAG([HARDEN_CFLAGS], flag)])
    HARDEN_LDFLAGS="-pie -Wl,-z,relro,-z,now,-z,noexecstack,--as-needed"
    AC_DEFINE([SATPROF_HARDENED], [1], [Built with hardening flags])
  ], [AC_DEFINE([SATPROF_HARDENED], [0], [Built with hardening flags])])
  AC_SUBST([HARDEN_CFLAGS])
  AC_SUBST([HARDEN_LDFLAGS])
  AC_SUBST([HARDEN_CPPFLAGS])
])
dnl SATPROF_FORTIFY: the level that the C library takes without a word; it wants
dnl an optimising build, so CFLAGS=-O0 gets none.
AC_DEFUN([SATPROF_FORTIFY], [
  for satprof_level in 3 2; do
    AS_IF([test "x$HARDEN_CPPFLAGS" = x], [
      AC_MSG_CHECKING([whether _FORTIFY_SOURCE=$satprof_level works])
      satprof_save_CFLAGS=$CFLAGS
      satprof_fortify="-U_FORTIFY_SOURCE -D_FORTIFY_SOURCE=$satprof_level"
      CFLAGS="$CFLAGS -Werror $satprof_fortify"
      AC_COMPILE_IFELSE([AC_LANG_PROGRAM([@%:@include <stdio.h>], [])],
        [HARDEN_CPPFLAGS=$satprof_fortify
         AC_MSG_RESULT([yes])], [AC_MSG_RESULT([no])])
      CFLAGS=$satprof_save_CFLAGS
    ])
  done
])
dnl SATPROF_SANITIZERS: --enable-sanitizers=address,undefined or =thread
AC_DEFUN([SATPROF_SANITIZERS], [
  AC_ARG_ENABLE([sanitizers],
    [AS_HELP_STRING([--enable-sanitizers@<:@=LIST@:>@],
      [build with sanitizers (default list: address,undefined)])],
    [], [enable_sanitizers=no])
  AS_CASE([$enable_sanitizers],
    [no], [SAN_CFLAGS=],
    [yes], [SAN_CFLAGS="-fsanitize=address,undefined -fno-sanitize-recover=undefined"],
    [SAN_CFLAGS="-fsanitize=$enable_sanitizers"])
  AS_IF([test "x$SAN_CFLAGS" != x], [
    SAN_CFLAGS="$SAN_CFLAGS -g -fno-omit-frame-pointer"
    HARDEN_CPPFLAGS=
  ])
  AC_SUBST([SAN_CFLAGS])
])
dnl SATPROF_COVERAGE: --enable-coverage counts the lines that the tests reach
dnl (make coverage).
AC_DEFUN([SATPROF_COVERAGE], [
  AC_ARG_ENABLE([coverage],
    [AS_HELP_STRING([--enable-coverage], [count executed lines for make coverage])],
    [], [enable_coverage=no])
  COV_CFLAGS=
  AS_IF([test "x$enable_coverage" = xyes], [
    COV_CFLAGS="--coverage -O0 -fprofile-update=atomic"
    HARDEN_CPPFLAGS=
  ])
  AC_SUBST([COV_CFLAGS])
])
