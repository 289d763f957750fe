/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The interfaces that a sweep is given (--in, --out, --sut-in, --sut-out), looked at
 * before anything is started: what cannot work is said at once, by its option.
 */
#ifndef SATPROF_CLI_SWEEP_PORTS_H
#define SATPROF_CLI_SWEEP_PORTS_H

#include "base/err.h"
#include "cli/sweep_options.h"
#include "os/nl.h"

/* They are there, none is the loopback, and a SUT given by --pid is in their network
 * namespace. SP_EENV: an interface that is not there; SP_EUSAGE: the rest. */
int sweep_ports_find(
	const struct sweep_options *o, struct nl_handle *nl, struct sp_err *err);
/* They are up. A SUT of the caller's own may bring its side up itself, so that one is
 * not looked at. SP_EUSAGE with the command that helps. */
int sweep_ports_check_up(
	const struct sweep_options *o, struct nl_handle *nl, struct sp_err *err);

#endif
