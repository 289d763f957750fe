/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Is there such a program? As execvp(3) would look for it. */
#ifndef SATPROF_OS_FINDPROG_H
#define SATPROF_OS_FINDPROG_H

#include <stdbool.h>

#include "base/err.h"

/* Searched in PATH when name holds no slash. */
bool findprog_exists(const char *name);
/* The same, with the reason: SP_EUSAGE "cannot execute NAME: ...". */
int findprog_check(const char *name, struct sp_err *err);

#endif
