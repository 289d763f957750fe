/* SPDX-License-Identifier: GPL-3.0-or-later */
/* --setup: a command that runs once, before the SUT. */
#ifndef SATPROF_CLI_SWEEP_SETUP_H
#define SATPROF_CLI_SWEEP_SETUP_H

#include "base/err.h"

struct keeper; /* os/keeper.h */

/* Run it in the SUT's namespace; SP_EUSAGE with its last output where it fails. */
int sweep_setup_run(struct keeper *keeper, char *command, struct sp_err *err);

#endif
