dnl SPDX-License-Identifier: GPL-3.0-or-later
dnl SATPROF_TRY_FLAG(VAR, FLAG): add FLAG to VAR when the compiler takes it.
AC_DEFUN([SATPROF_TRY_FLAG], [
  AS_VAR_PUSHDEF([cache], [satprof_cv_flag_$2])
  AC_CACHE_CHECK([whether $CC takes $2], [cache], [
    satprof_save_CFLAGS=$CFLAGS
    CFLAGS="-Werror $2"
    AC_LINK_IFELSE([AC_LANG_PROGRAM([], [])],
      [AS_VAR_SET([cache], [yes])], [AS_VAR_SET([cache], [no])])
    CFLAGS=$satprof_save_CFLAGS
  ])
  AS_VAR_IF([cache], [yes], [$1="$$1 $2"])
  AS_VAR_POPDEF([cache])
])
dnl SATPROF_WARNINGS: WARN_CFLAGS, every flag probed by itself since gcc and
dnl clang differ. --enable-werror turns warnings into errors (CI only).
AC_DEFUN([SATPROF_WARNINGS], [
  WARN_CFLAGS=
  m4_foreach_w([flag], [-Wall -Wextra -Wconversion -Wsign-conversion
    -Wdouble-promotion -Wfloat-equal -Wshadow -Wundef -Wvla -Walloca
    -Wcast-qual -Wpointer-arith -Wwrite-strings -Wformat=2
    -Wstrict-prototypes -Wmissing-prototypes -Wold-style-definition
    -Wredundant-decls -Wswitch-enum -Wimplicit-fallthrough
    -Wnull-dereference -Wframe-larger-than=16384 -Wcast-align=strict
    -Wformat-signedness -Wlogical-op -Wduplicated-cond
    -Wduplicated-branches -Wjump-misses-init -Warith-conversion
    -Werror=implicit-function-declaration -Werror=return-type
    -Werror=incompatible-pointer-types],
    [SATPROF_TRY_FLAG([WARN_CFLAGS], flag)])
  AC_ARG_ENABLE([werror],
    [AS_HELP_STRING([--enable-werror], [treat warnings as errors (CI)])],
    [], [enable_werror=no])
  AS_IF([test "x$enable_werror" = xyes], [WARN_CFLAGS="$WARN_CFLAGS -Werror"])
  AC_SUBST([WARN_CFLAGS])
])
